//! Labelled utterances in a table: a line with the names of the columns, then a line an utterance.

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};

use crate::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use crate::document::{Content, Key, Map, Node, Scalar};

/// A table of labelled utterances.
pub(super) struct LabelledTable;

/// The columns that hold one value each.
const COLUMNS: [&str; 7] = ["say", "intent", "state", "id", "lang", "tags", "also"];
/// The columns that hold several values, one behind the other.
const LISTS: [&str; 2] = ["tags", "also"];
/// Where a column of a slot belongs, by how its name begins.
const SLOTS: [(&str, &str); 2] = [("data.", "data"), ("known.", "known")];

/// A column.
struct TableColumn {
    /// The key of an utterance.
    key: &'static str,
    /// The slot, where it is of one.
    slot: Option<Box<str>>,
    span: Span,
}

impl LabelledTable {
    /// The rows, as maps. `None`, with findings, where it is no such table.
    pub(super) fn read(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Vec<Node>> {
        if text.trim().is_empty() {
            return Some(Vec::new());
        }
        let errors = found.error_count();
        let delimiter = delimiter(text);
        let mut reader = ReaderBuilder::new().delimiter(delimiter).trim(Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().cloned().unwrap_or_default();
        let columns = columns(&header, &TableLine { file, text, start: 0, delimiter }, found);
        for key in ["say", "intent"] {
            if found.error_count() == errors && !columns.iter().any(|column| column.key == key) {
                Diagnostic::error(Code::MissingKey, format!("the table has no column `{key}`"))
                    .at(Span::new(file, 0, text.lines().next().map_or(0, str::len)), "the names of the columns")
                    .help("begin the file with a line such as `say,intent,state,lang`")
                    .add_to(found);
            }
        }
        if found.error_count() > errors {
            return None;
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let at = |position: Option<&csv::Position>| {
                let start = position.map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
                TableLine { file, text, start: line_start(text, start), delimiter }
            };
            match record {
                Ok(record) => rows.push(row(&record, &columns, &at(record.position()))),
                Err(error) => {
                    let why = match error.kind() {
                        ErrorKind::UnequalLengths { expected_len, len, .. } => {
                            format!("the line has {len} values, and there are {expected_len} columns")
                        }
                        _ => format!("the line cannot be read: {error}"),
                    };
                    Diagnostic::error(Code::BadLabelled, why)
                        .at(at(error.position()).span(), "this line")
                        .help(
                            "give a value for each column; one with a comma or a quotation mark in it stands in quotes",
                        )
                        .add_to(found);
                }
            }
        }
        (found.error_count() == errors).then_some(rows)
    }
}

/// A line of the table.
struct TableLine<'t> {
    file: FileId,
    text: &'t str,
    start: usize,
    delimiter: u8,
}

impl TableLine<'_> {
    fn span(&self) -> Span {
        let length = self.text.get(self.start..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
        Span::new(self.file, self.start, self.start + length)
    }

    /// Where the values of the line stand, quotes included.
    fn spans(&self) -> Vec<Span> {
        let (mut spans, mut begin, mut quoted) = (Vec::new(), self.start, false);
        let bytes = self.text.as_bytes().get(self.start..).unwrap_or_default();
        let mut end = self.text.len();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' | b'\r' if !quoted => {
                    end = self.start + at;
                    break;
                }
                byte if *byte == self.delimiter && !quoted => {
                    spans.push(Span::new(self.file, begin, self.start + at));
                    begin = self.start + at + 1;
                }
                _ => {}
            }
        }
        spans.push(Span::new(self.file, begin, end));
        spans
    }
}

/// The columns by their names; findings about names that mean nothing, or come twice.
fn columns(header: &StringRecord, line: &TableLine<'_>, found: &mut Diagnostics) -> Vec<TableColumn> {
    let mut columns: Vec<TableColumn> = Vec::new();
    for (name, span) in header.iter().zip(line.spans()) {
        let slot = SLOTS.iter().find_map(|(begin, key)| Some((*key, name.strip_prefix(begin)?)));
        let column = match slot.filter(|(_, slot)| !slot.is_empty()) {
            Some((key, slot)) => TableColumn { key, slot: Some(slot.into()), span },
            None => match COLUMNS.iter().find(|known| **known == name) {
                Some(key) => TableColumn { key, slot: None, span },
                None => {
                    let help = match name {
                        "data" | "known" => format!("write a column for each slot: `{name}.SLOT`"),
                        "history" => {
                            "what was said before has no place in a table: use YAML or lines of JSON".to_owned()
                        }
                        _ => format!("columns: {}, data.SLOT, known.SLOT", COLUMNS.join(", ")),
                    };
                    Diagnostic::error(Code::UnknownKey, format!("a table of utterances has no column `{name}`"))
                        .at(span, "not known here")
                        .near(name, COLUMNS.into_iter().filter(|_| !["data", "known"].contains(&name)), help)
                        .add_to(found);
                    continue;
                }
            },
        };
        if columns.iter().any(|other| other.key == column.key && other.slot == column.slot) {
            Diagnostic::error(Code::DuplicateKey, format!("two columns are called `{name}`"))
                .at(span, "the second one")
                .help("name each column once")
                .add_to(found);
        }
        columns.push(column);
    }
    columns
}

/// A row as the map that it would be in YAML. An empty value is nothing; where there are columns of data, a row without any
/// says that nothing is told.
fn row(record: &StringRecord, columns: &[TableColumn], line: &TableLine<'_>) -> Node {
    let whole = line.span();
    let spans = line.spans();
    let mut map = Map::default();
    if columns.iter().any(|column| column.key == "data") {
        map.put("data", Some(Map::default().at(whole)));
    }
    for (number, (text, column)) in record.iter().zip(columns).enumerate() {
        let span = spans.get(number).copied().unwrap_or(whole);
        if text.is_empty() && column.key != "say" {
            continue;
        }
        let Some(slot) = &column.slot else {
            let text_of = |text: &str| Node::quoted(text, span);
            let value = if LISTS.contains(&column.key) {
                let words = text.split([' ', ',', ';', '|']).filter(|word| !word.is_empty()).map(text_of);
                Node { span, content: Content::List(words.collect()) }
            } else {
                text_of(text)
            };
            map.entries.push((Key { text: column.key.into(), span: column.span }, value));
            continue;
        };
        let value = Node { span, content: Content::Scalar(Scalar { text: text.into(), plain: true }) };
        if map.get(column.key).is_none() {
            map.put(column.key, Some(Map::default().at(whole)));
        }
        for (key, node) in &mut map.entries {
            if let (true, Content::Map(inner)) = (*key.text == *column.key, &mut node.content) {
                inner.entries.push((Key { text: slot.clone(), span: column.span }, value.clone()));
            }
        }
    }
    map.at(whole)
}

/// What stands between the values, as the first line shows.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |wanted: u8| header.bytes().filter(|byte| *byte == wanted).count();
    [b';', b'\t'].into_iter().find(|other| count(*other) > count(b',')).unwrap_or(b',')
}

/// Where a line begins at a byte; empty lines in front of it are passed over.
fn line_start(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_start_matches(['\n', '\r']).len()
}
