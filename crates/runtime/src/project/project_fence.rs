//! What files of a project may name: what lies in the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::threads::Mutex;

/// Knows whether paths lie inside folders, links resolved. What was looked at once is not looked at again.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectFence {
    known: Arc<Mutex<BTreeMap<(PathBuf, PathBuf), bool>>>,
}

impl ProjectFence {
    /// A path that a file names, which has to lie in the project or beside that file. Whoever gets a project from elsewhere
    /// does not expect that it reads what lies outside.
    ///
    /// # Errors
    /// The finding about a path that lies elsewhere; what stands there is not looked at.
    pub(super) fn admit(&self, path: PathBuf, root: &Path, file: &Path) -> Checked<PathBuf> {
        let beside = file.parent().unwrap_or(Path::new(""));
        if self.holds(root, &path) || self.holds(beside, &path) {
            return Ok(path);
        }
        let title = format!("`{}` lies outside the project", path.display());
        let help =
            "name a file inside the project; what you name on the command line may lie anywhere";
        Diagnostic::error(Code::OutsideProject, title)
            .help(help)
            .fail()
    }

    fn holds(&self, folder: &Path, path: &Path) -> bool {
        let key = (folder.to_path_buf(), path.to_path_buf());
        let mut known = self.known.lock();
        *known.entry(key).or_insert_with(|| {
            resolved(folder)
                .zip(resolved(path))
                .is_some_and(|(folder, path)| path.starts_with(folder))
        })
    }
}

/// A path without links and steps back. What is not there is taken as it is written, behind the part that is.
fn resolved(path: &Path) -> Option<PathBuf> {
    // The working directory has no name.
    let path = std::path::absolute(Path::new(".").join(path)).ok()?;
    let there = path
        .ancestors()
        .find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    let (ancestor, real) = there?;
    let rest = path.strip_prefix(ancestor).ok()?;
    // A step back behind what is not there could lead anywhere once it is.
    let steps_back = rest
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    (!steps_back).then(|| real.join(rest))
}
