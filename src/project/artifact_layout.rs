//! Files that belong to scenarios: where each stands, and that no two scenarios share one.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, Place};

/// The longest slug, in characters.
const MAX_SLUG: usize = 80;

/// A folder in which every scenario may have a file of its own: `<folder>/<path of the scenario's file>/<slug>`. The path
/// is taken from the folder of the scenarios, else from the project.
#[derive(Debug)]
pub struct ArtifactLayout {
    folder: PathBuf,
    /// The folder of the scenarios, and the project.
    bases: [PathBuf; 2],
}

/// The files that scenarios of a run took for themselves.
#[derive(Debug, Default)]
pub struct ArtifactClaims {
    /// The files, with the places of the scenarios that took them.
    taken: BTreeMap<PathBuf, String>,
}

impl ArtifactLayout {
    /// The files in `folder`, for scenarios under `scenarios`, both in the project at `root`.
    pub fn new(folder: &Path, scenarios: &Path, root: &Path) -> Self {
        Self { folder: folder.to_path_buf(), bases: [full(scenarios), full(root)] }
    }

    /// The file of the scenario with this title in this file, with this extension.
    pub fn path_of(&self, file: &Path, title: &str, extension: &str) -> PathBuf {
        let file = full(file);
        let inner = match self.bases.iter().find_map(|base| file.strip_prefix(base).ok()) {
            Some(inner) => inner.to_path_buf(),
            None => file.components().filter(|part| matches!(part, Component::Normal(_))).collect(),
        };
        self.folder.join(inner.with_extension("")).join(format!("{}.{extension}", slug(title)))
    }
}

impl ArtifactClaims {
    /// Gives a file to the scenario with this title at this place; `what` says what kind of file it is.
    ///
    /// # Errors
    /// The finding about a file that another scenario has.
    pub fn take(&mut self, file: PathBuf, what: &str, title: &str, place: &Place) -> Result<(), Box<Diagnostic>> {
        let path = file.display().to_string();
        match self.taken.insert(file, format!("{}:{}", place.path, place.line)) {
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

/// A path from the root of the file system, without `.` and `..`; an empty one is the working directory.
fn full(path: &Path) -> PathBuf {
    let path = Path::new(".").join(path);
    let path = std::path::absolute(&path).unwrap_or(path);
    path.components().fold(PathBuf::new(), |mut full, part| {
        match part {
            Component::ParentDir => {
                full.pop();
            }
            Component::CurDir => {}
            part => full.push(part),
        }
        full
    })
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
