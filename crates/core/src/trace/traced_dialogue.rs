//! A dialogue of a trace: its header and its turns as written.

use serde::Deserialize;

use super::{JsonLine, TurnReport, check_version};
use crate::limits::MAX_TRACE_FINDINGS;
use crate::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Place, SourceMap, Span};
use fsmsim_syntax::document::{json_place, json_reason};

/// The header of a dialogue in a trace. Unknown keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TracedHeader {
    /// The name of the dialogue.
    pub dialogue: String,
    #[serde(default)]
    pub machine: TracedMachine,
    /// The source of the signals.
    #[serde(default)]
    pub signals: Option<String>,
    /// The start of the dialogue, as given.
    #[serde(default)]
    pub start: Option<Value>,
    /// The title and the file of the scenario, if the dialogue ran one.
    #[serde(skip)]
    pub scenario: Option<(String, String)>,
}

/// The machine of a traced dialogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TracedMachine {
    pub name: Option<String>,
    pub dialect: Option<String>,
    /// The path that the machine was loaded from.
    pub source: Option<String>,
    pub profile: Option<String>,
}

/// A dialogue of a trace. Its turns are parsed only when needed, because most turns are only compared as text.
#[derive(Clone, Debug, Default)]
pub struct TracedDialogue {
    pub header: TracedHeader,
    /// The line number of the header in its file, starting at 1.
    pub line: usize,
    /// The header as written, if it was read from a file.
    written: String,
    /// The lines of the turns, concatenated.
    text: String,
    turns: Vec<TurnText>,
}

/// The line of a turn.
#[derive(Clone, Debug)]
struct TurnText {
    /// The offset after the last byte of the line.
    end: usize,
    /// The line number in the file.
    line: usize,
}

impl TracedDialogue {
    /// Creates a dialogue without turns; `written` is the text of its header in `line`.
    pub fn new(header: TracedHeader, line: usize, written: &str) -> Self {
        Self {
            header,
            line,
            written: written.to_owned(),
            ..Self::default()
        }
    }

    /// The header as written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Adds a line of a turn from a file.
    pub(super) fn push(&mut self, text: &str, line: usize) {
        self.text.push_str(text);
        self.turns.push(TurnText {
            end: self.text.len(),
            line,
        });
    }

    /// Adds the line of a turn that was just run.
    pub fn push_played(&mut self, line: &JsonLine) {
        // A line is valid UTF-8, because it was written as text.
        self.text
            .push_str(str::from_utf8(line.as_bytes()).unwrap_or_default());
        self.turns.push(TurnText {
            end: self.text.len(),
            line: self.turns.len() + 2,
        });
    }

    /// The total length of the lines of the turns, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the header, the concatenated lines of the turns, and for each line the offset after its last byte and
    /// its line number.
    pub fn into_parts(self) -> (TracedHeader, String, Vec<(usize, usize)>) {
        let lines = self
            .turns
            .iter()
            .map(|turn| (turn.end, turn.line))
            .collect();
        (self.header, self.text, lines)
    }

    /// The number of the last line in the file.
    pub(super) fn last_line(&self) -> usize {
        self.turns.last().map_or(self.line, |turn| turn.line)
    }

    /// The number of turns.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether there are no turns.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Whether the turns of both dialogues are written identically, byte for byte.
    pub fn is_written_like(&self, other: &Self) -> bool {
        let ends = |dialogue: &Self| {
            dialogue
                .turns
                .iter()
                .map(|turn| turn.end)
                .collect::<Vec<_>>()
        };
        self.text == other.text && ends(self) == ends(other)
    }

    /// Parses the turns. Returns `None` and adds findings if a line is invalid; `name` is the file name in findings.
    pub fn turns(
        &self,
        name: &str,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<Vec<TurnReport>> {
        let mut turns = Vec::with_capacity(self.turns.len());
        let mut start = 0;
        for turn in &self.turns {
            // A file with more faults is not a trace, and each finding keeps its line in memory.
            if found.error_count() >= MAX_TRACE_FINDINGS {
                return None;
            }
            let text = self.text.get(start..turn.end).unwrap_or_default();
            start = turn.end;
            let read = read_json::<TurnReport>(text).and_then(|read| match read.lacks() {
                None => Ok(read),
                Some(missing) => Err((format!("missing {missing}"), 0)),
            });
            match read {
                Ok(read) => turns.push(read),
                Err((reason, at)) => {
                    found.push(broken_line(
                        &reason, at, text, turn.line, name, OURS, sources,
                    ));
                }
            }
        }
        (turns.len() == self.turns.len()).then_some(turns)
    }
}

/// Parses a line. The error contains the reason and the byte offset.
pub fn read_json<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, (String, usize)> {
    serde_json::from_str(text).map_err(|error| {
        let reason = if error.is_eof() {
            "the JSON is truncated".to_owned()
        } else {
            json_reason(&error)
        };
        (reason, json_place(text, &error))
    })
}

/// The version in a header.
#[derive(Deserialize)]
#[serde(expecting = "a trace header")]
struct Versioned {
    fsmsim_trace: i64,
}

/// Reads the first line of a dialogue.
///
/// # Errors
/// Returns the reason and the position in the line if it is invalid.
pub fn read_header(text: &str) -> Result<TracedHeader, (String, usize)> {
    let version = read_json::<Versioned>(text)?.fsmsim_trace;
    check_version(version).map_err(|reason| (reason, 0))?;
    read_json(text)
}

/// The last line of a dialogue in a trace. Unknown keys are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TracedEnd {
    /// The name of the dialogue.
    #[serde(rename = "end")]
    pub dialogue: String,
    /// The number of turns.
    pub turns: u64,
}

impl TracedEnd {
    /// Returns a finding if the last line of a dialogue with `turns` turns is missing or does not match; `None` if the
    /// dialogue is complete.
    pub fn check(end: Option<&Self>, dialogue: &str, turns: usize) -> Option<Diagnostic> {
        let title = match end {
            None => format!("the dialogue `{dialogue}` is truncated: missing end line"),
            Some(end) if end.dialogue != dialogue => {
                format!(
                    "the dialogue `{dialogue}` is truncated: found the end line of `{}`",
                    end.dialogue
                )
            }
            Some(end) if end.turns != turns as u64 => {
                format!(
                    "the dialogue `{dialogue}` is incomplete: its end line counts {} turns, found {turns}",
                    end.turns
                )
            }
            Some(_) => return None,
        };
        let help = "record the trace again; the recorded turns are used anyway";
        Some(Diagnostic::warning(Code::BrokenOff, title).help(help))
    }
}

/// The help text about our trace format.
pub(super) const OURS: &str = "record a trace with `fsmsim trace`: each dialogue has a header line, one line per turn and an end line";

/// The finding about an invalid line of a trace; `at` is the byte offset of the fault.
pub fn broken_line(
    reason: &str,
    at: usize,
    text: &str,
    line: usize,
    name: &str,
    help: &'static str,
    sources: &mut SourceMap,
) -> Diagnostic {
    let at = (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let span = Span::new(sources.add_piece(name, text, line), at, at + 1);
    // A dialogue may span several lines.
    let Place { line, column, .. } = sources.place(span);
    Diagnostic::error(
        Code::BadTrace,
        format!("cannot read line {line}, column {column}: {reason}"),
    )
    .at(span, "")
    .help(help)
}
