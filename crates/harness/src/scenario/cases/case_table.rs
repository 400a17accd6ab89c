//! Cases in a CSV file: a header with the parameter names, then one line per case.

use std::sync::Arc;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Node, Scalar};

pub(crate) struct CaseTable;

impl CaseTable {
    /// Reads cases from a table. Returns `None`, with findings, if the table is invalid.
    pub(super) fn read(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Vec<CaseRow>> {
        let errors = found.error_count();
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter(text))
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        let names = reader.headers().cloned().unwrap_or_default();
        let names: Vec<Arc<str>> = names.iter().map(Arc::from).collect();
        let header = Span::new(file, 0, text.lines().next().map_or(0, str::len));
        for (number, name) in names.iter().enumerate() {
            let wrong = if name.is_empty() {
                "missing column name".to_owned()
            } else if names.iter().take(number).any(|other| other == name) {
                format!("duplicate column `{name}`")
            } else {
                continue;
            };
            Diagnostic::error(Code::BadCases, wrong)
                .at(header, "parameter names")
                .help("start the file with a line that names each column once")
                .add_to(found);
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            match record {
                Ok(record) => rows.push(row(&record, &names, file, text)),
                Err(error) => {
                    let at = error.position().map_or(0, csv::Position::byte);
                    let why = match error.kind() {
                        ErrorKind::UnequalLengths {
                            expected_len, len, ..
                        } => {
                            format!("expected {expected_len} values in the row, found {len}")
                        }
                        _ => format!("cannot read the row: {error}"),
                    };
                    Diagnostic::error(Code::BadCases, why)
                        .at(line_at(file, text, at), "row")
                        .help("write one value per column, and quote a value that contains a comma or a semicolon")
                        .add_to(found);
                }
            }
        }
        found.no_errors_since(errors).then_some(rows)
    }
}

/// The separator between values, detected from the first line.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |wanted: char| header.chars().filter(|c| *c == wanted).count();
    if count(';') > count(',') { b';' } else { b',' }
}

/// Reads each cell like an unquoted YAML scalar, so that an empty cell is null.
fn row(record: &StringRecord, names: &[Arc<str>], file: FileId, text: &str) -> CaseRow {
    let span = line_at(file, text, record.position().map_or(0, csv::Position::byte));
    let value = |text: &str| Node {
        span,
        content: Content::Scalar(Scalar {
            text: text.into(),
            plain: true,
        }),
    };
    let pairs = names
        .iter()
        .zip(record)
        .map(|(name, text)| (Arc::clone(name), Arc::new(value(text))));
    CaseRow {
        pairs: pairs.collect(),
        span,
    }
}

/// The line that starts at byte `at`, after any empty lines.
fn line_at(file: FileId, text: &str, at: u64) -> Span {
    let at = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
    let rest = text.get(at..).unwrap_or_default();
    let start = at + rest.len() - rest.trim_start_matches(['\n', '\r']).len();
    let length = text
        .get(start..)
        .and_then(|rest| rest.lines().next())
        .map_or(0, str::len);
    Span::new(file, start, start + length)
}

/// The values of a case, and where they are defined.
pub(super) struct CaseRow {
    pub pairs: Vec<(Arc<str>, Arc<Node>)>,
    pub span: Span,
}
