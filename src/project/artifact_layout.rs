//! Files that belong to scenarios: where each stands, and that no two scenarios share one.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic};

/// The longest slug, in characters.
const MAX_SLUG: usize = 80;

/// A folder in which every scenario may have a file of its own: `<folder>/<path of the scenario's file>/<slug>`. The path
/// is taken from the folder of the scenarios, else from the project.
#[derive(Debug)]
pub struct ArtifactLayout {
    folder: PathBuf,
    scenarios: PathBuf,
    root: PathBuf,
    /// The folders of the files that were asked for.
    folders: BTreeMap<PathBuf, PathBuf>,
}

/// Where the file of a scenario stands: a folder, and a name without its extension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArtifactPath {
    folder: PathBuf,
    slug: String,
}

/// The files that scenarios of a run took for themselves.
#[derive(Debug, Default)]
pub struct ArtifactClaims {
    /// The files, with the places of the scenarios that took them.
    taken: BTreeMap<PathBuf, String>,
}

impl ArtifactLayout {
    /// The files in `folder`, for scenarios under `scenarios`, both in the project at `root`.
    pub fn new(folder: PathBuf, scenarios: PathBuf, root: PathBuf) -> Self {
        Self { folder, scenarios, root, folders: BTreeMap::new() }
    }

    /// Where the file of the scenario with this title in this file stands.
    pub fn path_of(&mut self, file: &Path, title: &str) -> ArtifactPath {
        if !self.folders.contains_key(file) {
            let folder = self.folder_of(file);
            self.folders.insert(file.to_path_buf(), folder);
        }
        let folder = self.folders.get(file).cloned().unwrap_or_default();
        ArtifactPath { folder, slug: slug(title) }
    }

    fn folder_of(&self, file: &Path) -> PathBuf {
        let normal = |path: &Path| -> PathBuf {
            // An empty path is the working directory.
            let path = Path::new(".").join(path);
            let path = std::path::absolute(&path).unwrap_or(path);
            path.components().fold(PathBuf::new(), |mut normal, part| {
                match part {
                    Component::ParentDir => {
                        normal.pop();
                    }
                    Component::CurDir => {}
                    part => normal.push(part),
                }
                normal
            })
        };
        let full = normal(file);
        let inner = [&self.scenarios, &self.root]
            .into_iter()
            .find_map(|base| full.strip_prefix(normal(base)).ok().map(Path::to_path_buf))
            .unwrap_or_else(|| full.components().filter(|part| matches!(part, Component::Normal(_))).collect());
        self.folder.join(inner.with_extension(""))
    }
}

impl ArtifactPath {
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the file with this extension.
    pub fn name(&self, extension: &str) -> String {
        format!("{}.{extension}", self.slug)
    }

    /// The path of the file with this extension.
    pub fn path(&self, extension: &str) -> PathBuf {
        self.folder.join(self.name(extension))
    }
}

impl ArtifactClaims {
    /// Gives a file to the scenario with this title at this place; `what` says what kind of file it is.
    ///
    /// # Errors
    /// The finding about a file that another scenario has.
    pub fn take(&mut self, file: PathBuf, what: &str, title: &str, place: String) -> Result<(), Box<Diagnostic>> {
        let path = file.display().to_string();
        match self.taken.insert(file, place) {
            None => Ok(()),
            Some(other) => {
                let shared = format!("`{title}` would share its {what} with the scenario at {other}");
                Err(Box::new(
                    Diagnostic::error(Code::SlugCollision, shared)
                        .about(path)
                        .help("give the two scenarios titles that differ in letters or digits"),
                ))
            }
        }
    }
}

/// A title as the name of a file: letters and digits of any script, the rest as single dashes.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.to_lowercase().chars().take(MAX_SLUG) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "scenario".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_slug_keeps_letters_of_any_script() {
        assert_eq!(slug("Full sale, from greeting to contact!"), "full-sale-from-greeting-to-contact");
        assert_eq!(slug("  Третье возражение → конец "), "третье-возражение-конец");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("!!!"), "scenario");
    }
}
