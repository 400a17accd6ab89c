//! Turns that several scenarios share, in a separate file.

use std::path::{Path, PathBuf};

use super::super::cases::may_hold_placeholders;
use fsmsim_runtime::project::is_definition_root;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Fields, Key, Node, documents, is_yaml, parse_yaml};
use fsmsim_syntax::shapes;

/// The key by which a turn includes the turns of a file.
pub(crate) const USE: &str = "use";
/// The key for the parameters of shared turns.
const PARAMETERS: &str = "parameters";
/// The keys that a file of shared turns can have.
const KEYS: [&str; 3] = [TURNS, PARAMETERS, "description"];

/// Turns that several scenarios share.
#[derive(Debug)]
pub(crate) struct SharedTurns {
    pub path: PathBuf,
    /// The parameters and their defaults; `null` means that there is no default.
    pub parameters: Vec<(Key, Node)>,
    /// The turns as written.
    pub turns: Vec<Node>,
    pub span: Span,
    /// Whether the names of included files, or the keys of turns, depend on parameters.
    pub differ_by_parameter: bool,
}

impl SharedTurns {
    /// Reads the text of a file of shared turns. Returns `None`, with findings, if the file is invalid.
    pub(super) fn read(
        path: PathBuf,
        file: FileId,
        text: &str,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        let shown = path.display();
        let node = parse_yaml(file, text, 0, found)?;
        if let Some((key, _)) = node.map().and_then(|map| map.entry("scenario")) {
            return Diagnostic::error(
                Code::BadSharedTurns,
                format!("`{shown}` is a scenario, not shared turns"),
            )
            .at(key.span, "scenario title")
            .help("move the common turns to a separate file that has only `turns`")
            .refuse(found);
        }
        let mut fields = Fields::of(&node, &shapes::SHARED_TURNS_FILE, found)?;
        let turns = fields.list(TURNS);
        let parameters = fields.entries(PARAMETERS);
        fields.text("description");
        if node.get(TURNS).is_none_or(Node::is_null) {
            fields.missing(TURNS);
        }
        fields.finish();
        if let Some([]) = turns {
            Diagnostic::error(Code::BadSharedTurns, "the file has no shared turns")
                .at(node.get(TURNS).map_or(node.span, |node| node.span), "empty")
                .help("add a turn: `- intent: NAME`")
                .add_to(found);
        }
        let turns = turns?;
        found.no_errors_since(errors).then(|| Self {
            path,
            parameters: parameters.to_vec(),
            differ_by_parameter: differ_by_parameter(turns),
            turns: turns.to_vec(),
            span: node.span,
        })
    }
}

/// The content of a YAML file that is certainly not a scenario.
#[derive(Debug)]
pub(crate) enum OtherContent {
    /// Only keys of shared turns.
    Turns,
    /// The keys of a model.
    Model,
}

impl OtherContent {
    pub(crate) fn of(path: &Path, file: FileId, text: &str) -> Option<Self> {
        if !is_yaml(path) || text.starts_with("scenario") || text.contains("\nscenario") {
            return None;
        }
        let ranges = documents(text);
        let [range] = ranges.as_slice() else {
            return None;
        };
        let text = text.get(range.clone()).unwrap_or_default();
        let node = parse_yaml(file, text, range.start, &mut Diagnostics::default())?;
        let map = node.map()?;
        if map.get(TURNS).is_some() && map.keys().all(|key| KEYS.contains(&key)) {
            Some(Self::Turns)
        } else {
            is_definition_root(&node).then_some(Self::Model)
        }
    }
}

/// Whether the names of the files that these turns include, or the keys of turns, depend on parameters.
pub(crate) fn differ_by_parameter(turns: &[Node]) -> bool {
    turns.iter().flat_map(Node::entries).any(|(key, value)| {
        let file = value.text().filter(|_| &*key.text == USE);
        may_hold_placeholders(&key.text) || file.is_some_and(may_hold_placeholders)
    })
}

/// Whether the text of a document might contain a turn with `use`.
pub(crate) fn may_use(text: &str) -> bool {
    text.match_indices(USE).any(|(at, _)| {
        let rest = text.get(at + USE.len()..).unwrap_or_default();
        let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
        rest.trim_start_matches([' ', '\t']).starts_with(':')
    })
}

/// The key for turns.
pub(crate) const TURNS: &str = "turns";
