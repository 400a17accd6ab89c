//! Dialects: one front end for each kind of dialogue definition. This module only detects the dialect and calls its
//! front end.

mod built_in;
pub mod condition;
pub mod contract;
pub mod cycle;
mod effects;
pub mod flow;
mod foreign;
mod header;
mod interview;
pub mod markdown;
mod ops;
mod property;
mod slots;
mod state_declaration;
mod tables;

/// Named elements in the order of the file.
type NameTable<'a, T> = indexmap::IndexMap<&'a str, T, rustc_hash::FxBuildHasher>;

pub use self::foreign::unsupported_file;
pub(crate) use self::header::stem_of;

/// The cycle that a reference to `name` closes: for `a`, `b`, `c` and `b` it is `b`, `c`, `b`. `None` if `name` is not
/// in `open`.
fn circle<'a>(open: &[&'a str], name: &str) -> Option<Vec<&'a str>> {
    let from = open.iter().position(|open| *open == name)?;
    Some(
        open.iter()
            .skip(from)
            .chain(open.get(from))
            .copied()
            .collect(),
    )
}

pub use self::markdown::{
    KNOWN_HEADINGS, is_after_arrow, is_in_transitions, said_by_beginning, target_column,
};

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_syntax::diagnostic::{
    Checked, Code, Diagnostic, Diagnostics, ForeignKeys, SourceMap, Span, nearest,
};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, DocumentReading, Node, is_yaml, read_yaml, unreadable,
};

/// Resolves and checks the paths in definitions.
pub trait NamedPaths: Send + Sync {
    /// Resolves a path in a file.
    fn resolve(&self, path: &str, file: &Path) -> Checked<PathBuf>;

    /// Checks a path in a folder to which a file refers.
    ///
    /// # Errors
    /// Returns a finding without a location if a symbolic link leads out of the allowed folders.
    fn admit(&self, path: PathBuf, file: &Path) -> Checked<PathBuf>;
}

/// Resolves paths of definitions outside of projects. The paths must be below the folder of the definition.
struct BesideAlone;

impl NamedPaths for BesideAlone {
    fn resolve(&self, path: &str, file: &Path) -> Checked<PathBuf> {
        let is_below = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let beside = file.parent().unwrap_or(Path::new("")).join(path);
        if is_below {
            Ok(beside)
        } else {
            Diagnostic::error(
                Code::OutsideProject,
                format!("`{path}` is outside the directory of the model"),
            )
            .fail()
        }
    }

    fn admit(&self, path: PathBuf, _: &Path) -> Checked<PathBuf> {
        Ok(path)
    }
}

/// Loads dialogue definitions. Files that several definitions share are read once.
#[derive(Default)]
pub struct Loader {
    flows: flow::FlowLoader,
    markdown: markdown::MarkdownLoader,
    /// The files that were read.
    pub sources: SourceMap,
    /// Keys that the project allows in every map.
    pub extra_keys: Arc<[Box<str>]>,
    /// The resolver of paths in definitions. By default, paths must be below the folder of the definition.
    pub named: Option<Arc<dyn NamedPaths>>,
}

/// The file or folder of a model. A section of a document is named `FILE.md#Heading`.
pub fn model_file(path: &Path) -> &Path {
    markdown::file_and_section(path).0
}

/// The file or folder of a model, and the anchor of its section: equal for `FILE.md#Life cycle` and `FILE.md#life-cycle`.
pub fn model_parts(path: &Path) -> (&Path, Option<String>) {
    let (file, section) = markdown::file_and_section(path);
    (file, section.map(markdown::anchor))
}

/// Whether a folder contains a dialogue definition, judging by its files.
pub fn is_definition(folder: &Path) -> bool {
    flow::is_flow(folder) || markdown::is_set(folder)
}

/// Whether a folder contains no definition: neither states nor a setting with the name of a flow.
pub fn has_no_definition(folder: &Path) -> bool {
    if flow::is_flow(folder) {
        return false;
    }
    let mut found = Diagnostics::default();
    Loader::default().load(folder, Profile::default(), None, &mut found);
    // If a setting names a missing flow, the finding points to that name instead.
    found
        .items()
        .iter()
        .any(|finding| finding.code == Code::UnknownModel && finding.labels.is_empty())
}

/// Whether a folder is certainly a dialogue definition. A state set without a `states` folder might be a folder of
/// unrelated Markdown files.
pub fn is_surely_definition(folder: &Path) -> bool {
    flow::is_flow(folder) || markdown::has_states_folder(folder) && markdown::is_set(folder)
}

/// Whether a YAML file is a dialogue definition, judging by its keys.
pub fn is_definition_file(path: &Path) -> bool {
    let read = || {
        read_yaml(
            path,
            DEFINITION_LIMIT,
            &mut SourceMap::default(),
            &mut Diagnostics::default(),
        )
    };
    let root = if is_yaml(path) { read() } else { None };
    root.is_some_and(|root| is_definition_root(&root))
}

/// Whether the content of a YAML file is a dialogue definition, judging by its keys.
pub fn is_definition_root(root: &Node) -> bool {
    let has_states = root.get("states").is_some() && root.get("turns").is_none();
    match root.get("kind").and_then(Node::text) {
        // A misspelled kind is reported when the file is loaded.
        Some(kind) => KINDS.contains(&kind) || has_states || nearest(kind, KINDS).is_some(),
        None => has_states,
    }
}

/// The files that can mark the configuration root of a definition. The folder of the first existing one is the root.
pub fn root_markers(definition: &Path) -> Vec<PathBuf> {
    flow::root_markers(definition)
}

/// The files and folders outside of a definition that it uses, whether they exist or not. `marker` is the existing file
/// among its [`root_markers`].
pub fn companions(definition: &Path, marker: Option<&Path>) -> Vec<PathBuf> {
    let root = marker.and_then(Path::parent);
    markdown::companions(definition)
        .into_iter()
        .chain(root.into_iter().flat_map(flow::root_files))
        .collect()
}

/// The values of the key `kind` in definitions.
const KINDS: [&str; 4] = ["flow", "interview", "contract", "cycle"];

impl Loader {
    /// Returns the elements extracted from a document, and the ignored parts. Returns `None` if the path is not a
    /// document or has no transitions.
    pub fn explain(&mut self, path: &Path) -> Option<DocumentReading> {
        let file = model_file(path);
        let is_document = file.is_file() && markdown::is_document(file);
        is_document
            .then(|| markdown::explain(path, &mut self.sources))
            .flatten()
    }

    /// Loads the definition at `path`. `config` is the configuration root; by default, it is searched in the folders
    /// above `path`.
    ///
    /// Returns `None`, with findings, if the definition is invalid.
    pub fn load(
        &mut self,
        path: &Path,
        variant: impl Into<Variant>,
        config: Option<&Path>,
        found: &mut Diagnostics,
    ) -> Option<Machine> {
        self.load_with_errors(path, variant.into(), config, found)
            .filter(|_| !found.has_errors())
    }

    /// Loads a definition like [`load`](Self::load). A flow that has all its states and transitions in spite of its
    /// errors is returned, so that `lint` can check it.
    pub fn load_with_errors(
        &mut self,
        path: &Path,
        variant: Variant,
        config: Option<&Path>,
        found: &mut Diagnostics,
    ) -> Option<Machine> {
        self.sources.begin_use();
        found.set_keys(ForeignKeys::new(
            Arc::clone(&self.extra_keys),
            !variant.switches().strict_load,
        ));
        let machine = self.load_known(path, variant, config, found);
        found.report_ignored_keys();
        found.sort();
        machine
    }

    /// Reports what no flow uses in the configuration roots that were read since the last call. Reads all their files.
    pub fn check_roots(&mut self, found: &mut Diagnostics) {
        self.flows.check_roots(found);
    }

    fn load_known(
        &mut self,
        path: &Path,
        variant: Variant,
        config: Option<&Path>,
        found: &mut Diagnostics,
    ) -> Option<Machine> {
        if let Some(folder) = config
            && !folder.join("constants.yaml").is_file()
        {
            return Diagnostic::error(
                Code::FileUnreadable,
                "missing `constants.yaml` in the configuration root",
            )
            .about(folder.display().to_string())
            .help("use the directory that contains `constants.yaml`")
            .refuse(found);
        }
        let file = model_file(path);
        let is_folder = match std::fs::metadata(file) {
            Ok(kind) => kind.is_dir(),
            Err(error) => return unreadable(file, &error).refuse(found),
        };
        if is_folder && flow::is_flow(path) {
            return self
                .flows
                .load(path, None, variant, config, &mut self.sources, found);
        }
        if if is_folder {
            markdown::is_set(path)
        } else {
            markdown::is_document(file)
        } {
            return self.markdown.load(path, variant, &mut self.sources, found);
        }
        if is_folder {
            let errors = found.error_count();
            let active = flow::active_flow(path, &mut self.sources, found);
            return match active {
                Some(active) => {
                    self.flows
                        .load(&active, None, variant, config, &mut self.sources, found)
                }
                None if found.error_count() > errors => None,
                None => flow::misnamed_flow(path)
                    .unwrap_or_else(|| unknown_model(path))
                    .refuse(found),
            };
        }
        let other = || (!is_yaml(path)).then(|| foreign::by_start(path))?;
        if let Some(finding) = foreign::by_name(path).or_else(other) {
            return finding.refuse(found);
        }
        let root = read_yaml(path, DEFINITION_LIMIT, &mut self.sources, found)?;
        if let Some(finding) = foreign::by_content(path, &root) {
            return finding.refuse(found);
        }
        if root.is_null() {
            return Diagnostic::error(Code::EmptyFile, "file is empty")
                .at(Span::start_of(root.span.file), "no content")
                .help("add `flow: {name: …}` and `states: …` for a flow in one file")
                .refuse(found);
        }
        match root.get("kind").and_then(Node::text) {
            None if root.get("states").is_some() || root.get("flow").is_some() => {}
            Some("flow") => {}
            Some("interview") => {
                let named = self.named.as_deref().unwrap_or(&BesideAlone);
                return interview::load(path, &root, variant, named, &mut self.sources, found);
            }
            Some("cycle") => return cycle::load(path, &root, variant, &mut self.sources, found),
            Some("contract") => return contract::load(path, &root, variant, &self.sources, found),
            Some(kind) => {
                return Diagnostic::unknown(Code::UnknownKind, "kind of model", kind)
                    .at(
                        root.get("kind").map_or(root.span, |node| node.span),
                        "unknown kind",
                    )
                    .suggest(
                        nearest(kind, KINDS).filter(|near| *near == "flow" && kind != "flow"),
                        "use `flow`, `interview`, `contract` or `cycle`",
                    )
                    .refuse(found);
            }
            None => {
                return foreign::by_start(path)
                    .unwrap_or_else(|| unknown_model(path))
                    .refuse(found);
            }
        }
        self.flows
            .load(path, Some(&root), variant, config, &mut self.sources, found)
    }
}

fn unknown_model(path: &Path) -> Diagnostic {
    let inside: Vec<String> = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            flow::is_flow(path) || markdown::has_states_folder(path) || is_definition_file(path)
        })
        .map(|path| path.display().to_string())
        .collect();
    let finding = Diagnostic::error(
        Code::UnknownModel,
        format!("cannot find a model in `{}`", path.display()),
    )
    .about(path.display().to_string());
    match inside.iter().min() {
        Some(first) => finding.help(format!("use one of its models, such as `{first}`")),
        None => finding.help(
            "use a directory with `flow.yaml` or Markdown states, a YAML file with `states:`, or a Markdown document with transitions",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_of_a_definition_depend_on_its_dialect() {
        let shown = |definition: &str, marker: Option<&str>| -> Vec<String> {
            let companions = companions(Path::new(definition), marker.map(Path::new));
            companions
                .iter()
                .map(|path| path.display().to_string())
                .collect()
        };
        let beside = ["instructions", "schemas", "knowledge", "contract.yaml"]
            .map(|name| format!("tea/{name}"));
        assert_eq!(shown("tea/states", None), beside);
        assert_eq!(shown("tea", None), [""; 0]);
        assert_eq!(
            root_markers(Path::new("a/b"))[1],
            Path::new("a/constants.yaml")
        );
        assert!(shown("a/b", Some("a/constants.yaml")).contains(&"a/flows/_base".to_owned()));
    }
}
