//! The flow dialect: states with rules and transitions by intent, inheritance, mixins and placeholders.
//!
//! docs/src/explanation/flows.md describes the format. The files of a flow are read, inheritance is resolved,
//! placeholders are filled, and the result is lowered to the machine. [`front`](self) defines the order of the steps.

mod categories;
mod constants;
mod disambiguation;
mod document;
mod everywhere;
mod front;
mod graph;
mod inherit;
mod issues;
mod known_keys;
mod layers;
mod lower;
mod meanings;
mod near_names;
mod never;
mod nodes;
mod placeholder;
mod places;
mod plain_policy;
mod priorities;
mod redirects;
mod replies;
mod root;
mod rules;
mod sales_policy;
mod state_lowering;
mod state_table;
mod unread;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::document::FlowDocument;
use self::front::compile;
use self::root::{ConfigRoot, read_optional};
use crate::dialect::stem_of;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Node, parse_yaml, read_yaml};

pub(super) use root::active_flow;
pub use root::{root_files, root_markers};
pub(super) use unread::misnamed_flow;

/// Whether a folder is a flow.
pub fn is_flow(folder: &Path) -> bool {
    folder.join("flow.yaml").is_file()
}

/// The built-in constants of the sales policy as a document.
pub fn built_in_constants(sources: &mut SourceMap) -> Node {
    constants_of(include_str!("defaults.yaml"), sources)
}

fn constants_of(text: &'static str, sources: &mut SourceMap) -> Node {
    let file = sources.add_invented("built-in constants", text);
    let node = parse_yaml(file, text, 0, &mut Diagnostics::default());
    node.unwrap_or_else(|| Node::null(Span::start_of(file)))
}

/// The input for compiling a flow.
struct FlowParts<'a> {
    document: FlowDocument<'a>,
    /// The separate file with the states of the flow, if there is one.
    own: Option<&'a Node>,
    root: &'a ConfigRoot,
    defaults: &'a Node,
    /// Whether the flow is a single file, which has no base states.
    single: bool,
    /// Whether the flow has the sales policy.
    is_sales: bool,
    variant: Variant,
    /// The path as given by the user.
    source: String,
    /// The default name of the flow.
    name: String,
    /// The start of the definition.
    span: Span,
}

impl<'a> FlowParts<'a> {
    /// The feature flags of the root and of the flow.
    fn feature_flags(&self) -> impl Iterator<Item = &'a Node> {
        self.root
            .settings
            .iter()
            .filter_map(|node| node.get("feature_flags"))
            .chain(self.document.feature_flags)
    }
}

/// Loads flows. Shared files are read once.
#[derive(Default)]
pub(super) struct FlowLoader {
    /// The configuration roots, each with the files from which it was read.
    roots: BTreeMap<PathBuf, (Arc<ConfigRoot>, Vec<FileId>)>,
    /// The roots whose mixins are not checked yet.
    unchecked: Vec<Arc<ConfigRoot>>,
    /// The built-in constants of plain flows, and those of the sales policy.
    defaults: [Option<Arc<Node>>; 2],
}

impl FlowLoader {
    /// Loads the flow at `path`: a folder with `flow.yaml`, or a single file that is already parsed. The machine can have
    /// errors that do not affect its paths.
    pub(super) fn load(
        &mut self,
        path: &Path,
        file: Option<&Node>,
        variant: Variant,
        config: Option<&Path>,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Machine> {
        let folder = config
            .map(Path::to_path_buf)
            .or_else(|| ConfigRoot::find(path));
        let has_root = folder.is_some();
        let (flow_file, own) = match file {
            Some(_) => (None, None),
            None => {
                let flow = path.join("flow.yaml");
                let flow = read_yaml(&flow, DEFINITION_LIMIT, sources, found);
                let own = read_optional(&path.join("states.yaml"), sources, found);
                (Some(flow?), own)
            }
        };
        let node = file.or(flow_file.as_ref())?;
        if node.is_null() {
            return Diagnostic::error(Code::EmptyFile, "flow file is empty")
                .at(Span::start_of(node.span.file), "no content")
                .help("add `flow: {name: …}`, and states here or in `states.yaml`")
                .refuse(found);
        }
        let document = FlowDocument::read(node, found);
        let is_sales = document
            .as_ref()
            .is_none_or(|document| sales_policy::is_sales(document, has_root));
        // A plain flow is complete without the files of a root, and has no profiles.
        let root = self.root(folder.filter(|_| is_sales), sources);
        found.extend(root.found.clone());
        if !is_sales {
            sales_policy::check_keys(node, own.as_ref(), found);
        }
        let defaults = self.defaults(is_sales, sources);
        let parts = FlowParts {
            document: document?,
            own: own.as_ref(),
            root: &root,
            defaults: &defaults,
            single: file.is_some(),
            is_sales,
            variant: if is_sales { variant } else { variant.plain() },
            source: path.display().to_string(),
            name: stem_of(path),
            span: Span::start_of(node.span.file),
        };
        let unread = unread::look(path, file.is_some(), has_root);
        let mut compiled = found.apart();
        let machine = compile(&parts, sources, &mut compiled);
        unread::report(unread, compiled, found);
        // Errors in the files of the root also prevent loading.
        machine.filter(|_| found.keep_paths())
    }

    /// Reports unused mixins of the roots that were read since the last call.
    pub(super) fn check_roots(&mut self, found: &mut Diagnostics) {
        for root in self.unchecked.drain(..) {
            near_names::root_mixins(&root, found);
        }
    }

    fn root(&mut self, folder: Option<PathBuf>, sources: &mut SourceMap) -> Arc<ConfigRoot> {
        let Some(folder) = folder else {
            return Arc::default();
        };
        if let Some((root, files)) = self.roots.get(&folder) {
            sources.use_again(files.iter().copied());
            return Arc::clone(root);
        }
        let before = sources.used().len();
        let root = Arc::new(ConfigRoot::read(&folder, sources));
        let files = sources.used().get(before..).unwrap_or_default().to_vec();
        self.unchecked.push(Arc::clone(&root));
        self.roots.insert(folder, (Arc::clone(&root), files));
        root
    }

    fn defaults(&mut self, is_sales: bool, sources: &mut SourceMap) -> Arc<Node> {
        let [plain, sales] = &mut self.defaults;
        let defaults = if is_sales {
            sales.get_or_insert_with(|| Arc::new(built_in_constants(sources)))
        } else {
            plain.get_or_insert_with(|| Arc::new(constants_of(include_str!("plain.yaml"), sources)))
        };
        Arc::clone(defaults)
    }
}
