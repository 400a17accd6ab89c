//! Files that belong to scenarios: where each stands, and that no two scenarios share one.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

use super::artifact_name::artifact_name;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Place};

/// The folder of what belongs to scenarios outside of their folder.
const ELSEWHERE: &str = "_root";

/// A folder in which every scenario may have a file of its own: `<folder>/<path of the scenario's file>/<name>`. The path
/// is taken from the folder of the scenarios; that of other files from the project, below `_root`.
#[derive(Clone, Debug)]
pub struct ArtifactLayout {
    folder: PathBuf,
    /// The folder of the scenarios, and the project.
    scenarios: PathBuf,
    root: PathBuf,
    /// Names are written in Latin letters.
    ascii: bool,
}

/// A folder with files of scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactArea {
    pub folder: PathBuf,
    /// How far below it such files begin.
    pub depth: usize,
    /// A folder in it that is not meant.
    pub except: Option<PathBuf>,
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
        Self {
            folder: folder.to_path_buf(),
            scenarios: full(scenarios),
            root: full(root),
            ascii: false,
        }
    }

    /// The same with names in Latin letters.
    pub fn in_ascii(mut self, ascii: bool) -> Self {
        self.ascii = ascii;
        self
    }

    /// Where all of it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of the scenario with this title in this file, with this extension.
    pub fn path_of(&self, file: &Path, title: &str, extension: &str) -> PathBuf {
        self.path_in(&self.folder_of(file), title, extension)
    }

    /// The file of the scenario with this title, with this extension, in the folder of its scenario file.
    pub fn path_in(&self, folder: &Path, title: &str, extension: &str) -> PathBuf {
        folder.join(format!("{}.{extension}", artifact_name(title, self.ascii)))
    }

    /// The folder of the scenarios of a file. The ending `.yaml` is left out, others are kept.
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

    /// Where the files of all scenarios of a file or folder lie.
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
        // The files directly in a folder are those of the file of the same name, beside the folder.
        let depth = if self.root.starts_with(&path) { 1 } else { 2 };
        areas.push(area(self.folder.join(self.inner(&path)), depth));
        areas
    }

    /// A path of a file from the project, as it is told and kept.
    pub fn from_root(&self, file: &Path) -> String {
        let full = full(file);
        full.strip_prefix(&self.root)
            .unwrap_or(&full)
            .display()
            .to_string()
            .replace('\\', "/")
    }

    /// Whether a path that was kept names this file.
    pub fn names_file(&self, kept: &str, file: &Path) -> bool {
        let file = full(file);
        full(&self.root.join(kept)) == file || full(Path::new(kept)) == file
    }

    /// A path, seen from the folder of the scenarios or below `_root`.
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
    /// Gives a file to the scenario with this title at this place; `what` says what kind of file it is.
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
                        .help("give the two scenarios titles that differ in letters or digits"),
                ))
            }
        }
    }
}

/// A path from the root of the file system, without `.` and `..`; an empty one is the working directory.
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

/// The names of a path without the root of the file system.
fn names(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect()
}

/// A path with its letters composed, as most systems write them.
fn composed(path: &Path) -> PathBuf {
    path.to_str().map_or_else(
        || path.to_path_buf(),
        |path| path.nfc().collect::<String>().into(),
    )
}
