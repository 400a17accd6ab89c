//! Reads the entries of a log: JSON Lines, a JSON array, OTLP/JSON batches of spans, or a table in CSV.

use std::collections::VecDeque;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json_brackets::JsonBrackets;
use super::json_items::JsonItems;
use super::map::TraceMap;
use fsmsim_core::trace::MAX_TRACE_DIALOGUE_BYTES;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::LineReader;

/// The entries of a log, in the form that its first line shows.
pub(super) struct LogLines<R> {
    pub lines: LineReader<R>,
    form: Option<LogForm>,
    /// Entries that were read ahead.
    ahead: VecDeque<String>,
    /// The number of entries so far, if several can be on a line.
    entries: usize,
}

/// An entry of a log.
pub(super) struct LogEntry {
    /// The number of the line; of the entry, if several can be on a line.
    pub number: usize,
    pub text: String,
}

enum LogForm {
    Lines,
    Array(JsonItems),
    /// A table with these columns.
    Table(Vec<String>),
}

/// A batch of spans, or its part of a resource or of a scope.
#[derive(Deserialize)]
struct OtlpBatch<'t> {
    #[serde(borrow, default, alias = "resourceSpans", alias = "scopeSpans")]
    parts: Vec<OtlpBatch<'t>>,
    #[serde(borrow, default)]
    spans: Vec<&'t RawValue>,
}

impl OtlpBatch<'_> {
    fn add_to(&self, ahead: &mut VecDeque<String>) {
        self.parts.iter().for_each(|part| part.add_to(ahead));
        ahead.extend(self.spans.iter().map(|span| span.get().to_owned()));
    }
}

impl<R: BufRead> LogLines<R> {
    /// Reads a stream that is called `name` in findings.
    pub(super) fn new(input: R, name: &str) -> Self {
        Self {
            lines: LineReader::new(input, name, MAX_TRACE_DIALOGUE_BYTES),
            form: None,
            ahead: VecDeque::new(),
            entries: 0,
        }
    }

    /// The next entry. A dialogue may span several lines if its first line contains only an opening brace.
    pub(super) fn read(&mut self, map: &TraceMap) -> Checked<Option<LogEntry>> {
        loop {
            if let Some(text) = self.ahead.pop_front() {
                self.entries += 1;
                let number = self.entries;
                return Ok(Some(LogEntry { number, text }));
            }
            let Some((number, text)) = self.lines.read()? else {
                let rest = match &mut self.form {
                    Some(LogForm::Array(items)) => items.rest(),
                    _ => None,
                };
                let number = self.entries + 1;
                return Ok(rest.map(|text| LogEntry { number, text }));
            };
            let mut text = text.to_owned();
            let is_first = self.form.is_none();
            let form = self.form.get_or_insert_with(|| LogForm::of(&text));
            match form {
                LogForm::Array(items) => {
                    items.push(&text, &mut self.ahead);
                    if items.bytes() > MAX_TRACE_DIALOGUE_BYTES {
                        return too_large(self.lines.name(), number);
                    }
                    continue;
                }
                LogForm::Table(columns) => {
                    let mut is_open = has_open_quote(&text);
                    while is_open && let Some((_, more)) = self.lines.read()? {
                        if text.len() + more.len() > MAX_TRACE_DIALOGUE_BYTES {
                            return too_large(self.lines.name(), number);
                        }
                        is_open = !has_open_quote(more);
                        text.push('\n');
                        text.push_str(more);
                    }
                    if is_first {
                        *columns = cells(&text);
                        continue;
                    }
                    let text = row(columns, &text);
                    return Ok(Some(LogEntry { number, text }));
                }
                LogForm::Lines => {}
            }
            if (map.is_of_dialogues() || is_first) && text.trim() == "{" {
                let mut brackets = JsonBrackets::default();
                brackets.push(&text);
                while brackets.are_open()
                    && let Some((_, more)) = self.lines.read()?
                {
                    if text.len() + more.len() > MAX_TRACE_DIALOGUE_BYTES {
                        return too_large(self.lines.name(), number);
                    }
                    brackets.push(more);
                    text.push('\n');
                    text.push_str(more);
                }
            }
            // An invalid batch is reported as an entry.
            if is_batch(&text)
                && let Ok(batch) = serde_json::from_str::<OtlpBatch<'_>>(&text)
            {
                batch.add_to(&mut self.ahead);
                self.entries = self.entries.max(number - 1);
                continue;
            }
            let number = number.max(self.entries + 1);
            if self.entries > 0 {
                self.entries = number;
            }
            return Ok(Some(LogEntry { number, text }));
        }
    }
}

impl LogForm {
    /// The form of a log with this first line.
    fn of(line: &str) -> Self {
        match line.trim_start().as_bytes().first() {
            Some(b'[') => Self::Array(JsonItems::default()),
            Some(b'{') => Self::Lines,
            _ if line.contains(',') => Self::Table(Vec::new()),
            _ => Self::Lines,
        }
    }
}

fn too_large<T>(name: &str, number: usize) -> Checked<T> {
    Diagnostic::error(
        Code::FileTooLarge,
        format!(
            "the dialogue at line {number} of `{name}` is too large: limit {} MiB",
            MAX_TRACE_DIALOGUE_BYTES >> 20
        ),
    )
    .about(format!("{name}:{number}"))
    .help("split the dialogue")
    .fail()
}

/// Whether a line is a batch of spans.
fn is_batch(text: &str) -> bool {
    let inner = text.trim_start().strip_prefix('{').unwrap_or_default();
    inner.trim_start().starts_with("\"resourceSpans\"")
}

/// Whether a line of a table opens or closes a quoted cell that spans several lines.
fn has_open_quote(line: &str) -> bool {
    line.matches('"').count() % 2 == 1
}

/// The cells of a row.
fn cells(row: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(row.as_bytes());
    let record = reader.records().next();
    let record = record.and_then(Result::ok).unwrap_or_default();
    record.iter().map(str::to_owned).collect()
}

/// A row as JSON. Empty cells are missing.
fn row(columns: &[String], row: &str) -> String {
    let pairs = columns.iter().cloned().zip(cells(row));
    let pairs = pairs.filter(|(_, cell)| !cell.is_empty());
    let map: serde_json::Map<String, serde_json::Value> =
        pairs.map(|(key, cell)| (key, cell.into())).collect();
    serde_json::Value::Object(map).to_string()
}
