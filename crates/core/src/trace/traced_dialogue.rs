//! A dialogue of a trace: its header, and its turns as they are written.

use serde::Deserialize;

use super::{JsonLine, TurnReport, check_version};
use crate::limits::MAX_TRACE_FINDINGS;
use crate::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Place, SourceMap, Span};
use fsmsim_syntax::document::{json_place, json_reason};

/// The header of a dialogue, as a trace tells it. Keys that are not known are passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TracedHeader {
    /// The name of the dialogue.
    pub dialogue: String,
    #[serde(default)]
    pub machine: TracedMachine,
    /// Where its signals come from.
    #[serde(default)]
    pub signals: Option<String>,
    /// How it starts, as it was given.
    #[serde(default)]
    pub start: Option<Value>,
    /// Of a scenario that was played, its title and its file.
    #[serde(skip)]
    pub scenario: Option<(String, String)>,
}

/// A machine, as a trace names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TracedMachine {
    pub name: Option<String>,
    pub dialect: Option<String>,
    /// The path it was loaded from.
    pub source: Option<String>,
    pub profile: Option<String>,
}

/// A dialogue of a trace. Its turns stay text until somebody asks: most of them are only held against other text.
#[derive(Clone, Debug, Default)]
pub struct TracedDialogue {
    pub header: TracedHeader,
    /// The line of the header in its file, from 1.
    pub line: usize,
    /// The header as it is written, where it was read.
    written: String,
    /// The lines of the turns, one behind the other.
    text: String,
    turns: Vec<TurnText>,
}

/// The line of a turn.
#[derive(Clone, Debug)]
struct TurnText {
    /// Behind its last byte.
    end: usize,
    /// Its number in the file.
    line: usize,
}

impl TracedDialogue {
    /// A dialogue without turns yet, whose header is `written` in this line.
    pub fn new(header: TracedHeader, line: usize, written: &str) -> Self {
        Self {
            header,
            line,
            written: written.to_owned(),
            ..Self::default()
        }
    }

    /// The header as it is written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Adds the line of a turn that was read.
    pub(super) fn push(&mut self, text: &str, line: usize) {
        self.text.push_str(text);
        self.turns.push(TurnText {
            end: self.text.len(),
            line,
        });
    }

    /// Adds the line of a turn that was just played.
    pub fn push_played(&mut self, line: &JsonLine) {
        // What a line holds is text, since it was written as text.
        self.text
            .push_str(str::from_utf8(line.as_bytes()).unwrap_or_default());
        self.turns.push(TurnText {
            end: self.text.len(),
            line: self.turns.len() + 2,
        });
    }

    /// How long the lines of the turns are together, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The header; the lines of the turns, one behind the other; behind the last byte of each, and its number.
    pub fn into_parts(self) -> (TracedHeader, String, Vec<(usize, usize)>) {
        let lines = self
            .turns
            .iter()
            .map(|turn| (turn.end, turn.line))
            .collect();
        (self.header, self.text, lines)
    }

    /// The number of its last line in the file.
    pub(super) fn last_line(&self) -> usize {
        self.turns.last().map_or(self.line, |turn| turn.line)
    }

    /// How many turns there are.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether there are no turns.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Whether the turns of both are written alike, byte for byte.
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

    /// The turns. `None`, with findings, where some line is none; `name` is what findings call the file.
    pub fn turns(
        &self,
        name: &str,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<Vec<TurnReport>> {
        let mut turns = Vec::with_capacity(self.turns.len());
        let mut start = 0;
        for turn in &self.turns {
            // A file with so many faults is something else, and all its lines would be kept to show them.
            if found.error_count() >= MAX_TRACE_FINDINGS {
                return None;
            }
            let text = self.text.get(start..turn.end).unwrap_or_default();
            start = turn.end;
            let read = read_json::<TurnReport>(text).and_then(|read| match read.lacks() {
                None => Ok(read),
                Some(what) => Err((format!("it needs {what}"), 0)),
            });
            match read {
                Ok(read) => turns.push(read.with_rules()),
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

/// Reads a line. The reason and the place in bytes where it cannot be read.
pub fn read_json<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, (String, usize)> {
    serde_json::from_str(text).map_err(|error| {
        let reason = if error.is_eof() {
            "it breaks off".to_owned()
        } else {
            json_reason(&error)
        };
        (reason, json_place(text, &error))
    })
}

/// The version that a header names.
#[derive(Deserialize)]
struct Versioned {
    fsmsim_trace: i64,
}

pub(super) fn read_header(text: &str) -> Result<TracedHeader, (String, usize)> {
    let version = read_json::<Versioned>(text)?.fsmsim_trace;
    check_version(version).map_err(|reason| (reason, 0))?;
    read_json(text)
}

/// The last line of a dialogue, as a trace has it. Keys that are not known are passed over.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TracedEnd {
    /// The name of the dialogue.
    #[serde(rename = "end")]
    pub dialogue: String,
    /// How many turns it has.
    pub turns: u64,
}

impl TracedEnd {
    /// The finding about a dialogue with so many turns, whose last line says this, or is missing; nothing where the dialogue
    /// is whole.
    pub fn check(end: Option<&Self>, dialogue: &str, turns: usize) -> Option<Diagnostic> {
        let title = match end {
            None => format!("the dialogue `{dialogue}` breaks off: no line says that it is whole"),
            Some(end) if end.dialogue != dialogue => {
                format!(
                    "the dialogue `{dialogue}` breaks off: behind it stands the end of `{}`",
                    end.dialogue
                )
            }
            Some(end) if end.turns != turns as u64 => {
                format!(
                    "the dialogue `{dialogue}` is not whole: its end counts {} turns, and there are {turns}",
                    end.turns
                )
            }
            Some(_) => return None,
        };
        let help = "record the trace again; what is there is used as far as it goes";
        Some(Diagnostic::warning(Code::BrokenOff, title).help(help))
    }
}

/// What a trace is that we wrote.
pub(super) const OURS: &str = "a trace is what `fsmsim trace` writes: a header a dialogue, a JSON object a turn, and a line that ends it";

/// The finding about a line of a trace that cannot be read, with its place in bytes.
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
    // A dialogue may stand on several lines.
    let Place { line, column, .. } = sources.place(span);
    Diagnostic::error(
        Code::BadTrace,
        format!("line {line}, column {column} cannot be read: {reason}"),
    )
    .at(span, "")
    .help(help)
}
