//! The configuration root: what the flows of one folder share.

use std::ops::RangeBounds;
use std::path::{Component, Path, PathBuf};

use super::state_table::check_state_table;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Node, read_yaml, text_of};

/// What [`ConfigRoot::read`] reads, seen from the folder of the root: files, and folders as a whole.
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

/// The files of which one, the first that is there, makes its folder the configuration root of what is at `path`.
pub fn root_markers(path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .map(|folder| folder.join("constants.yaml"))
        .collect()
}

/// The files and folders of a configuration root.
pub fn root_files(root: &Path) -> impl Iterator<Item = PathBuf> {
    ROOT_FILES.iter().map(|name| root.join(name))
}

/// The flow of a configuration root that its `settings.yaml` names under `flow: {active: NAME}`. Nothing, with a finding, where
/// it is not there.
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
    // A name, and no way out of the tree.
    let mut parts = Path::new(name).components();
    let is_name = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    );
    let known = places
        .iter()
        .map(|place| place.join(name))
        .find(|path| is_name && super::is_flow(path));
    known.or_else(|| {
        let inside = places
            .iter()
            .filter_map(|place| std::fs::read_dir(place).ok())
            .flatten()
            .flatten();
        let inside = inside
            .map(|entry| entry.path())
            .filter(|path| super::is_flow(path));
        let mut names: Vec<String> = inside
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        names.sort();
        Diagnostic::error(
            Code::UnknownModel,
            format!("there is no flow `{name}` in the tree"),
        )
        .at(node.span, "named here")
        .near(
            name,
            names.iter().map(String::as_str),
            "name a folder with `flow.yaml`",
        )
        .refuse(found)
    })
}

/// The files that the flows of one folder share. Each may be missing, except that a root has constants.
#[derive(Debug, Default)]
pub(super) struct ConfigRoot {
    /// `constants.yaml`.
    pub(super) constants: Option<Node>,
    /// `settings.yaml`, in the root or beside it.
    pub(super) settings: Option<Node>,
    /// `conditions/custom.yaml`.
    pub(super) conditions: Option<Node>,
    /// `states.yaml` of the base.
    pub(super) states: Option<Node>,
    /// `mixins.yaml` of the base.
    pub(super) mixins: Option<Node>,
    /// `priorities.yaml` of the base.
    pub(super) priorities: Option<Node>,
    /// Whether the root is a folder, and not the built-in one.
    pub(super) is_folder: bool,
    /// What was found while reading it.
    pub(super) found: Diagnostics,
}

impl ConfigRoot {
    /// The nearest folder above `path` (itself included) that holds `constants.yaml`.
    pub(super) fn find(path: &Path) -> Option<PathBuf> {
        nearest_above(path, .., |folder| folder.join("constants.yaml").is_file())
    }

    /// Reads the files of the root in `folder`.
    pub(super) fn read(folder: &Path, sources: &mut SourceMap) -> Self {
        let mut root = Self {
            is_folder: true,
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

/// The nearest folder above `path` that is sought, as many `levels` up. It keeps the form in which the path was given, so
/// that places read as people wrote them.
pub(super) fn nearest_above(
    path: &Path,
    levels: impl RangeBounds<usize>,
    is_sought: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let mut folders = absolute.ancestors().enumerate();
    let (steps, _) = folders.find(|(up, folder)| levels.contains(up) && is_sought(folder))?;
    Some((0..steps).fold(path.to_path_buf(), |folder, _| above(&folder)))
}

/// The folder above, in the same form: of `a/b` it is `a`, of the working folder `..`.
fn above(folder: &Path) -> PathBuf {
    match folder.parent() {
        Some(parent) if !folder.ends_with("..") && folder.as_os_str() != "." => {
            parent.to_path_buf()
        }
        _ => folder.join(".."),
    }
}

/// A file that may be missing; an empty one is an empty map.
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
