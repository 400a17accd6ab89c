//! Restricts the paths in project files to the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsmsim_dialects::dialect::model_file;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::threads::Mutex;

/// Checks whether paths are in directories, with symbolic links resolved. Caches the results.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectBoundary {
    known: Arc<Mutex<BTreeMap<(PathBuf, PathBuf), bool>>>,
}

impl ProjectBoundary {
    /// Accepts a path that a file names if the path is in the project or next to that file. An untrusted project must
    /// not read files outside its directory.
    ///
    /// # Errors
    /// Returns the finding if the path is outside both directories. Does not access the path.
    pub(super) fn admit(&self, path: PathBuf, root: &Path, file: &Path) -> Checked<PathBuf> {
        let folder = file.parent().unwrap_or(Path::new(""));
        if self.holds(root, &path) || self.holds(folder, &path) {
            return Ok(path);
        }
        let title = format!("`{}` is outside the project", path.display());
        Diagnostic::error(Code::OutsideProject, title)
            .help("use a file inside the project; a path on the command line can be anywhere")
            .fail()
    }

    fn holds(&self, folder: &Path, path: &Path) -> bool {
        let key = (folder.to_path_buf(), path.to_path_buf());
        let mut known = self.known.lock();
        *known.entry(key).or_insert_with(|| {
            resolved(folder)
                .zip(resolved(model_file(path)))
                .is_some_and(|(folder, path)| path.starts_with(folder))
        })
    }
}

/// Resolves symbolic links and `..`. Missing components are kept as written after the existing part.
fn resolved(path: &Path) -> Option<PathBuf> {
    // The working directory can be an empty path.
    let path = std::path::absolute(Path::new(".").join(path)).ok()?;
    let there = path
        .ancestors()
        .find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    let (ancestor, real) = there?;
    let rest = path.strip_prefix(ancestor).ok()?;
    // `..` after a missing component could lead anywhere once the component exists.
    let steps_back = rest
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    (!steps_back).then(|| real.join(rest))
}
