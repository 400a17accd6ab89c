//! The configuration root: the files that several flows share.

use std::ops::RangeBounds;
use std::path::{Component, Path, PathBuf};

use super::state_table::check_state_table;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Node, read_yaml, text_of};

/// The paths that [`ConfigRoot::read`] reads, relative to the root: files, and complete folders.
const ROOT_FILES: [&str; 8] = [
    "constants.yaml",
    "settings.yaml",
    "../settings.yaml",
    "conditions/custom.yaml",
    "flows/_base",
    "_base",
    "states/sales_flow.yaml",
    "spin/phases.yaml",
];

/// The files that can mark the configuration root of `path`. The folder of the first existing one is the root.
pub fn root_markers(path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .map(|folder| folder.join("constants.yaml"))
        .collect()
}

/// The files and folders of a configuration root.
pub fn root_files(root: &Path) -> impl Iterator<Item = PathBuf> {
    ROOT_FILES.iter().map(|name| root.join(name))
}

/// The active flow of a configuration root: `flow: {active: NAME}` in its `settings.yaml`. Returns `None`, with a
/// finding, if the flow is missing.
pub(in crate::dialect) fn active_flow(
    folder: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<PathBuf> {
    if !folder.join("constants.yaml").is_file() {
        return None;
    }
    let settings = read_optional(&folder.join("settings.yaml"), sources, found)
        .or_else(|| read_optional(&above(folder).join("settings.yaml"), sources, found))?;
    let node = settings.get("flow")?.get("active")?;
    let name = text_of(node, "active", found)?;
    let places = [folder.join("flows"), folder.to_path_buf()];
    // The name must not contain a path.
    let mut parts = Path::new(name).components();
    let is_name = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    );
    places
        .iter()
        .map(|place| place.join(name))
        .find(|path| is_name && super::is_flow(path))
        .or_else(|| {
            let mut names: Vec<String> = places
                .iter()
                .filter_map(|place| std::fs::read_dir(place).ok())
                .flatten()
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| super::is_flow(path))
                .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .collect();
            names.sort();
            Diagnostic::unknown(Code::UnknownModel, "flow", name)
                .at(node.span, "not found")
                .near(
                    name,
                    names.iter().map(String::as_str),
                    "use the name of a directory with `flow.yaml`",
                )
                .refuse(found)
        })
}

/// The files that several flows share. All are optional, except the constants of a root.
#[derive(Debug, Default)]
pub(super) struct ConfigRoot {
    /// `constants.yaml`.
    pub constants: Option<Node>,
    /// `settings.yaml`, in the root or its parent folder.
    pub settings: Option<Node>,
    /// `conditions/custom.yaml`.
    pub conditions: Option<Node>,
    /// `states.yaml` of the base.
    pub states: Option<Node>,
    /// `mixins.yaml` of the base.
    pub mixins: Option<Node>,
    /// `priorities.yaml` of the base.
    pub priorities: Option<Node>,
    /// The folder of the root. `None` for the built-in root.
    pub folder: Option<PathBuf>,
    /// The findings from reading the files.
    pub found: Diagnostics,
}

impl ConfigRoot {
    /// The nearest folder with `constants.yaml` among `path` and its ancestors.
    pub(super) fn find(path: &Path) -> Option<PathBuf> {
        nearest_above(path, .., |folder| folder.join("constants.yaml").is_file())
    }

    /// Reads the files of the root in `folder`.
    pub(super) fn read(folder: &Path, sources: &mut SourceMap) -> Self {
        let mut root = Self {
            folder: Some(folder.to_path_buf()),
            ..Self::default()
        };
        let found = &mut root.found;
        let mut read = |path: PathBuf| read_optional(&path, sources, found);
        root.constants = read(folder.join("constants.yaml"));
        root.settings = read(folder.join("settings.yaml"))
            .or_else(|| read(above(folder).join("settings.yaml")));
        root.conditions = read(folder.join("conditions/custom.yaml"));
        let base = ["flows/_base", "_base"]
            .map(|name| folder.join(name))
            .into_iter()
            .find(|base| base.is_dir());
        if let Some(base) = base {
            root.states = read(base.join("states.yaml"));
            root.mixins = read(base.join("mixins.yaml"));
            root.priorities = read(base.join("priorities.yaml"));
        }
        let table = read(folder.join("states/sales_flow.yaml"));
        let phases = read(folder.join("spin/phases.yaml"));
        check_state_table(
            root.constants.as_ref(),
            table.as_ref(),
            phases.as_ref(),
            found,
        );
        root
    }
}

/// The nearest matching folder above `path`, within these levels. The result is relative or absolute like `path`, so
/// that findings show paths as the user wrote them.
pub(super) fn nearest_above(
    path: &Path,
    levels: impl RangeBounds<usize>,
    matches: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let mut folders = absolute.ancestors().enumerate();
    let (steps, _) = folders.find(|(up, folder)| levels.contains(up) && matches(folder))?;
    Some((0..steps).fold(path.to_path_buf(), |folder, _| above(&folder)))
}

/// The parent folder, relative like `folder`: `a` for `a/b`, and `..` for the current directory.
fn above(folder: &Path) -> PathBuf {
    match folder.parent() {
        Some(parent) if !folder.ends_with("..") && folder.as_os_str() != "." => {
            parent.to_path_buf()
        }
        _ => folder.join(".."),
    }
}

/// Reads an optional file. An empty file counts as missing.
pub(super) fn read_optional(
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Node> {
    if !path.is_file() {
        return None;
    }
    read_yaml(path, DEFINITION_LIMIT, sources, found).filter(|node| !node.is_null())
}
