//! A file of labeled utterances.

use std::path::Path;

use super::dataset_reader::DatasetReader;
use super::dataset_table::DatasetTable;
use super::dataset_utterance::DatasetUtterance;
use crate::limits::MAX_DATASET_FILE;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{Node, parse_json_or, parse_yaml, read_file};

/// The extensions of files with labeled utterances.
const EXTENSIONS: [&str; 5] = ["yaml", "yml", "json", "jsonl", "csv"];

/// How to write a line of a JSON Lines file.
const LINE_HELP: &str =
    "write one utterance per line as a JSON object: `{\"say\": …, \"intent\": …}`";

/// How to write a YAML file.
const LIST_HELP: &str = "write a list: `- {say: …, intent: …}`";

/// A file of labeled utterances.
#[derive(Clone, Debug, Default)]
pub struct DatasetFile {
    /// The utterances, in the order of the file.
    pub utterances: Vec<DatasetUtterance>,
}

impl DatasetFile {
    /// Reads a file in the format that its extension indicates: a YAML list, JSON Lines, or a table with a header.
    /// Returns `None`, with findings, if the file has any error.
    pub fn read(
        path: &Path,
        machine: &Machine,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        if !EXTENSIONS.contains(&&*extension) {
            return Diagnostic::error(
                Code::BadDataset,
                format!("unsupported dataset format: `{}`", path.display()),
            )
            .about(path.display().to_string())
            .near(
                &extension,
                EXTENSIONS,
                "use a list in `.yaml`, JSON Lines in `.jsonl`, or a table in `.csv`",
            )
            .refuse(found);
        }
        let file = read_file(path, MAX_DATASET_FILE, sources, found)?;
        let text = sources.text(file);
        let nodes = match &*extension {
            "csv" => DatasetTable::read(file, &text, found),
            "jsonl" => Some(lines(file, &text, found)),
            _ => list(file, &text, extension == "json", found),
        }?;
        let mut reader = DatasetReader::new(machine, sources);
        let mut utterances = Vec::with_capacity(nodes.len());
        for node in &nodes {
            utterances.extend(reader.utterance(node, found));
        }
        if nodes.is_empty() && found.no_errors_since(errors) {
            let form = match &*extension {
                "csv" => {
                    "start with a header such as `say,intent,state,lang`, and write one utterance per line"
                }
                "jsonl" => LINE_HELP,
                _ => LIST_HELP,
            };
            return Diagnostic::error(
                Code::EmptyFile,
                format!("`{}` contains no utterances", path.display()),
            )
            .about(path.display().to_string())
            .help(format!(
                "{form}; docs/src/reference/formats/dataset.md shows all formats"
            ))
            .refuse(found);
        }
        found.no_errors_since(errors).then_some(Self { utterances })
    }
}

/// The items of a list. The list can be under the key `utterances`.
fn list(file: FileId, text: &str, is_json: bool, found: &mut Diagnostics) -> Option<Vec<Node>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let node = if is_json {
        parse_json_or(
            file,
            text,
            0,
            "write one list: `[{\"say\": …, \"intent\": …}]`",
            found,
        )?
    } else {
        parse_yaml(file, text, 0, found)?
    };
    match node.content {
        fsmsim_syntax::document::Content::List(items) => Some(items),
        _ if node.is_null() => Some(Vec::new()),
        _ => Diagnostic::error(
            Code::WrongType,
            format!("expected a list of utterances, found {}", node.kind()),
        )
        .at(node.span, "not a list")
        .help(LIST_HELP)
        .refuse(found),
    }
}

/// The objects in a JSON Lines file.
fn lines(file: FileId, text: &str, found: &mut Diagnostics) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start;
        let content = line.trim_end_matches(['\n', '\r']);
        start += line.len();
        if content.trim().is_empty() {
            continue;
        }
        let Some(node) = parse_json_or(file, content, begin, LINE_HELP, found) else {
            continue;
        };
        if node.map().is_some() {
            nodes.push(node);
        } else {
            let span = Span::new(file, begin, begin + content.len());
            Diagnostic::error(
                Code::BadLine,
                format!("expected a JSON object, found {}", node.kind()),
            )
            .at(span, "")
            .help(LINE_HELP)
            .add_to(found);
        }
    }
    nodes
}
