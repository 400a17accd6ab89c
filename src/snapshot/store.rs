//! Where snapshots live, and what is done with a difference.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::file::{render_file, text_of_file, write_whole};

/// The longest slug, in characters.
const SLUG: usize = 80;

/// The snapshots of a project.
#[derive(Debug)]
pub struct SnapshotStore {
    folder: PathBuf,
    scenarios: PathBuf,
    root: PathBuf,
    /// The folders of the files that were asked for.
    folders: BTreeMap<PathBuf, PathBuf>,
    /// The files of the folders that were looked into.
    listed: BTreeMap<PathBuf, BTreeSet<String>>,
}

/// A snapshot's place: its folder and slug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotName {
    folder: PathBuf,
    slug: String,
}

impl SnapshotName {
    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.snap", self.slug))
    }

    /// The file of a difference that waits for a decision.
    #[must_use]
    pub fn pending_path(&self) -> PathBuf {
        self.folder.join(format!("{}.snap.new", self.slug))
    }
}

impl SnapshotStore {
    /// The snapshots under `folder`, for scenarios under `scenarios`, both in the project at `root`.
    #[must_use]
    pub fn new(folder: PathBuf, scenarios: PathBuf, root: PathBuf) -> Self {
        Self { folder, scenarios, root, folders: BTreeMap::new(), listed: BTreeMap::new() }
    }

    /// The place of a scenario's snapshot: `<snapshots>/<path of the file>/<slug>.snap`. The path is taken from the folder
    /// of the scenarios, else from the project.
    pub fn name(&mut self, file: &Path, title: &str) -> SnapshotName {
        if !self.folders.contains_key(file) {
            let folder = self.folder_of(file);
            self.folders.insert(file.to_path_buf(), folder);
        }
        let folder = self.folders.get(file).cloned().unwrap_or_default();
        SnapshotName { folder, slug: slug(title) }
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
            .unwrap_or_else(|| {
                full.components().filter(|part| matches!(part, Component::Normal(_))).collect()
            });
        self.folder.join(inner.with_extension(""))
    }

    /// Whether the snapshot exists.
    pub fn exists(&mut self, name: &SnapshotName) -> bool {
        let files = self.listed.entry(name.folder.clone()).or_insert_with_key(|folder| {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
        });
        files.contains(&format!("{}.snap", name.slug))
    }

    /// The text of the snapshot.
    ///
    /// # Errors
    /// Those of reading; a file that is no snapshot is one too.
    pub fn read(&self, name: &SnapshotName) -> io::Result<String> {
        let file = std::fs::read_to_string(name.path())?;
        text_of_file(&file).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "it is no snapshot: the header is missing")
        })
    }

    /// Writes the snapshot and drops what was pending.
    ///
    /// # Errors
    /// Those of writing; nothing has changed then.
    pub fn accept(&mut self, name: &SnapshotName, source: &str, title: &str, text: &str) -> io::Result<()> {
        write_whole(&name.path(), &render_file(source, title, text))?;
        self.listed.remove(&name.folder);
        self.settle(name)
    }

    /// Writes a difference that waits for a decision.
    ///
    /// # Errors
    /// Those of writing.
    pub fn leave_pending(
        &self,
        name: &SnapshotName,
        source: &str,
        title: &str,
        text: &str,
    ) -> io::Result<()> {
        write_whole(&name.pending_path(), &render_file(source, title, text))
    }

    /// Drops what was pending, since there is no difference any more.
    ///
    /// # Errors
    /// Those of removing a file that is there.
    pub fn settle(&self, name: &SnapshotName) -> io::Result<()> {
        match std::fs::remove_file(name.pending_path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// A title as the name of a file: letters and digits of any script, the rest as single dashes.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.to_lowercase().chars().take(SLUG) {
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
