//! Labeled utterances in a table: a header with the names of the columns, then one line per utterance.

use super::table_line::{TableLine, TableLines, TableValue};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Key, Map, Node, Scalar};

/// A table of labeled utterances.
pub(super) struct DatasetTable;

/// Columns that have a single meaning for the whole utterance.
const COLUMNS: [&str; 7] = ["say", "intent", "state", "id", "lang", "tags", "also"];
/// Columns whose values are lists with separators.
const LISTS: [&str; 2] = ["tags", "also"];
/// The prefixes of slot columns, each with the key that contains the slots.
const SLOTS: [(&str, &str); 2] = [("data.", "data"), ("known.", "known")];

struct TableColumn {
    key: &'static str,
    /// The slot, if the column contains slot values.
    slot: Option<Box<str>>,
    span: Span,
}

impl TableColumn {
    fn key(&self, text: &str) -> Key {
        Key {
            text: text.into(),
            span: self.span,
        }
    }
}

impl DatasetTable {
    /// Reads the rows as maps. Returns `None`, with findings, if the table is invalid.
    pub(super) fn read(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Vec<Node>> {
        if text.trim().is_empty() {
            return Some(Vec::new());
        }
        let errors = found.error_count();
        let mut lines = TableLines::new(file, text);
        let header = match lines.next() {
            None => return Some(Vec::new()),
            Some(header) => found.take(header)?,
        };
        let columns = columns(&header, found);
        for key in ["say", "intent"] {
            if found.no_errors_since(errors) && !columns.iter().any(|column| column.key == key) {
                Diagnostic::error(
                    Code::MissingKey,
                    format!("missing column `{key}` in the table"),
                )
                .at(header.span, "column names")
                .help("start the file with a header such as `say,intent,state,lang`")
                .add_to(found);
            }
        }
        if found.error_count() > errors {
            return None;
        }
        let mut rows = Vec::new();
        for line in lines {
            match line {
                Ok(line) if line.values.len() == header.values.len() => {
                    rows.push(row(&line, &columns));
                }
                Ok(line) => {
                    let values = line.values.len();
                    let names = header.values.len();
                    let why = format!("expected {names} values in the row, found {values}");
                    Diagnostic::error(Code::BadDataset, why)
                        .at(line.span, "row")
                        .help(
                            "write one value per column, and quote a value that contains a comma or a quotation mark",
                        )
                        .add_to(found);
                }
                Err(finding) => found.push(*finding),
            }
        }
        found.no_errors_since(errors).then_some(rows)
    }
}

/// The columns by name. Adds findings for unknown and duplicate names.
fn columns(header: &TableLine<'_>, found: &mut Diagnostics) -> Vec<TableColumn> {
    let mut columns: Vec<TableColumn> = Vec::new();
    for TableValue { text, span } in &header.values {
        let name = text.trim();
        let span = *span;
        let slot = SLOTS
            .iter()
            .find_map(|(prefix, key)| Some((*key, name.strip_prefix(prefix)?)));
        let (key, slot) = match slot.filter(|(_, slot)| !slot.is_empty()) {
            Some((key, slot)) => (key, Some(slot.into())),
            None => match COLUMNS.iter().find(|known| **known == name) {
                Some(key) => (*key, None),
                None => {
                    let help = match name {
                        "data" | "known" => format!("use one column per slot: `{name}.SLOT`"),
                        "history" => {
                            "use YAML or JSON Lines for utterances with `history`".to_owned()
                        }
                        _ => format!("columns: {}, data.SLOT, known.SLOT", COLUMNS.join(", ")),
                    };
                    Diagnostic::error(
                        Code::UnknownKey,
                        format!("unknown column `{name}` in a table of utterances"),
                    )
                    .at(span, "unknown column")
                    .near(
                        name,
                        COLUMNS
                            .into_iter()
                            .filter(|_| !["data", "known"].contains(&name)),
                        help,
                    )
                    .add_to(found);
                    continue;
                }
            },
        };
        if columns
            .iter()
            .any(|other| other.key == key && other.slot == slot)
        {
            Diagnostic::error(Code::DuplicateKey, format!("duplicate column `{name}`"))
                .at(span, "second use")
                .help("name each column once")
                .add_to(found);
        }
        columns.push(TableColumn { key, slot, span });
    }
    columns
}

/// A row as the equivalent YAML map. Empty values are omitted. If the table has data columns, a row without data gets
/// an empty `data` map.
fn row(line: &TableLine<'_>, columns: &[TableColumn]) -> Node {
    let whole = line.span;
    let mut map = Map::default();
    if columns.iter().any(|column| column.key == "data") {
        map.put("data", Some(Map::default().at(whole)));
    }
    for (TableValue { text, span }, column) in line.values.iter().zip(columns) {
        // Utterances are kept verbatim, including spaces within quotation marks.
        let text = match column.key {
            "say" => text,
            _ => text.trim(),
        };
        if text.is_empty() && column.key != "say" {
            continue;
        }
        let span = *span;
        let Some(slot) = &column.slot else {
            let value = if LISTS.contains(&column.key) {
                let words = text.split([' ', ',', ';', '|']);
                let words = words.filter(|word| !word.is_empty());
                Node {
                    span,
                    content: Content::List(words.map(|word| Node::quoted(word, span)).collect()),
                }
            } else {
                Node::quoted(text, span)
            };
            map.entries.push((column.key(column.key), value));
            continue;
        };
        let value = Node {
            span,
            content: Content::Scalar(Scalar {
                text: text.into(),
                plain: true,
            }),
        };
        if map.get(column.key).is_none() {
            map.put(column.key, Some(Map::default().at(whole)));
        }
        for (key, node) in &mut map.entries {
            if let (true, Content::Map(inner)) = (*key.text == *column.key, &mut node.content) {
                inner.entries.push((column.key(slot), value.clone()));
            }
        }
    }
    map.at(whole)
}
