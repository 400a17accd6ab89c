//! The locations of files that belong to scenarios. The locations must be unique.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

use super::artifact_name::artifact_name;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Place};

/// The directory for files of scenarios outside of the scenario directory.
const ELSEWHERE: &str = "_root";

/// A directory with one file per scenario: `<folder>/<path of the scenario file>/<name>`. The path is relative to the
/// scenario directory. For other scenario files it is relative to the project, below `_root`.
#[derive(Clone, Debug)]
pub struct ArtifactLayout {
    folder: PathBuf,
    /// The scenario directory. `root` is the project.
    scenarios: PathBuf,
    root: PathBuf,
    /// Names are transliterated to ASCII.
    ascii: bool,
}

/// A directory with files of scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactArea {
    pub folder: PathBuf,
    /// The minimum depth of the files below `folder`.
    pub depth: usize,
    /// A subdirectory to ignore.
    pub except: Option<PathBuf>,
}

/// The files that scenarios of a run have claimed.
#[derive(Debug, Default)]
pub struct ArtifactClaims {
    /// The files, with the location of the scenario that claimed each.
    taken: BTreeMap<PathBuf, String>,
}

impl ArtifactLayout {
    /// The layout of `folder` for scenarios under `scenarios`, both in the project at `root`.
    pub fn new(folder: &Path, scenarios: &Path, root: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            scenarios: full(scenarios),
            root: full(root),
            ascii: false,
        }
    }

    /// Transliterates names to ASCII.
    pub fn in_ascii(mut self, ascii: bool) -> Self {
        self.ascii = ascii;
        self
    }

    /// The directory that contains all files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of the file for the scenario `title` in the scenario file `file`.
    pub fn path_of(&self, file: &Path, title: &str, extension: &str) -> PathBuf {
        self.path_in(&self.folder_of(file), title, extension)
    }

    /// The path of the file for the scenario `title` in `folder`, the directory for its scenario file.
    pub fn path_in(&self, folder: &Path, title: &str, extension: &str) -> PathBuf {
        folder.join(format!("{}.{extension}", artifact_name(title, self.ascii)))
    }

    /// The directory for the scenarios of a file. Removes the extension `.yaml`, but keeps others.
    pub fn folder_of(&self, file: &Path) -> PathBuf {
        let inner = self.inner(&full(file));
        let is_yaml = inner
            .extension()
            .is_some_and(|extension| extension == "yaml");
        self.folder.join(if is_yaml {
            inner.with_extension("")
        } else {
            inner
        })
    }

    /// The areas that contain the files of all scenarios of a file or directory.
    pub fn areas_of(&self, path: &Path) -> Vec<ArtifactArea> {
        let area = |folder: PathBuf, depth| ArtifactArea {
            folder,
            depth,
            except: None,
        };
        if !path.is_dir() {
            return vec![area(self.folder_of(path), 1)];
        }
        let path = full(path);
        let mut areas = Vec::new();
        if self.scenarios.starts_with(&path) {
            let except = Some(self.folder.join(ELSEWHERE));
            areas.push(ArtifactArea {
                folder: self.folder.clone(),
                depth: 1,
                except,
            });
            if path == self.scenarios {
                return areas;
            }
        }
        // Files directly in a directory belong to the scenario file of the same name, next to the directory.
        let depth = if self.root.starts_with(&path) { 1 } else { 2 };
        areas.push(area(self.folder.join(self.inner(&path)), depth));
        areas
    }

    /// The path of a file relative to the project, for display and storage.
    pub fn from_root(&self, file: &Path) -> String {
        let full = full(file);
        full.strip_prefix(&self.root)
            .unwrap_or(&full)
            .display()
            .to_string()
            .replace('\\', "/")
    }

    /// Whether a stored path refers to this file.
    pub fn names_file(&self, kept: &str, file: &Path) -> bool {
        let file = full(file);
        full(&self.root.join(kept)) == file || full(Path::new(kept)) == file
    }

    /// A path relative to the scenario directory, or below `_root`.
    fn inner(&self, full: &Path) -> PathBuf {
        if let Ok(inner) = full.strip_prefix(&self.scenarios) {
            return composed(inner);
        }
        let inner = full
            .strip_prefix(&self.root)
            .map_or_else(|_| names(full), Path::to_path_buf);
        Path::new(ELSEWHERE).join(composed(&inner))
    }
}

impl ArtifactClaims {
    /// Claims a file for the scenario `title` at `place`. `what` is the kind of file, for the error message.
    pub fn take(&mut self, file: PathBuf, what: &str, title: &str, place: &Place) -> Checked {
        let path = file.display().to_string();
        match self
            .taken
            .insert(file, format!("{}:{}", place.path, place.line))
        {
            None => Ok(()),
            Some(other) => {
                let shared =
                    format!("`{title}` would share its {what} with the scenario at {other}");
                Err(Box::new(
                    Diagnostic::error(Code::SlugCollision, shared)
                        .about(path)
                        .help("give the scenarios titles that differ in letters or digits"),
                ))
            }
        }
    }
}

/// An absolute path without `.` and `..`. An empty path is the working directory.
pub(super) fn full(path: &Path) -> PathBuf {
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

/// The components of a path without its root.
fn names(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect()
}

/// A path with composed characters (NFC), as most systems write them.
fn composed(path: &Path) -> PathBuf {
    path.to_str().map_or_else(
        || path.to_path_buf(),
        |path| path.nfc().collect::<String>().into(),
    )
}
