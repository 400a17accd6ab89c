//! A recorded dialogue as text, and its parser.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::DeserializeSeed;

use super::borrowed_json::BorrowedJson;
use super::carried_fields::CarriedFields;
use super::dialogue::{ObservedDialogue, ObservedTurn};
use super::map::TraceMap;
use super::trace_part::TracePart;
use super::turn_builder::TurnBuilder;
use fsmsim_core::trace::{TracedDialogue, broken_line, read_json};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The help for a line that is invalid in a trace.
pub(super) const THEIRS: &str = "use a trace that `fsmsim trace` wrote, or describe the fields of another format with `--map FILE`";

/// The help for a turn without a state.
const STATELESS: &str = "add the resulting `state` to each turn; for a subject, set its location in the answer under `map`";

/// The text of a dialogue, whose lines have not been parsed yet.
#[derive(Debug, Default)]
pub struct ObservedText {
    name: String,
    line: usize,
    /// The end of each line in bytes, and the line number in the file.
    lines: Vec<(usize, usize)>,
    text: String,
    /// The numbers of the lines that follow unreadable lines.
    gaps: Vec<usize>,
    /// The header, if it is on a separate line.
    header: String,
    /// The profile, signals and start, if the header is on a separate line.
    head: Option<[Option<BorrowedJson<'static>>; 3]>,
}

/// The destination of findings while a dialogue is parsed.
struct Opened<'f> {
    name: &'f str,
    found: &'f mut Diagnostics,
    sources: &'f mut SourceMap,
    whole: bool,
}

impl Opened<'_> {
    fn fault(&mut self, reason: &str, at: usize, text: &str, line: usize) {
        self.fault_with(THEIRS, reason, at, text, line);
    }

    fn fault_with(&mut self, help: &'static str, reason: &str, at: usize, text: &str, line: usize) {
        self.whole = false;
        self.found.push(broken_line(
            reason,
            at,
            text,
            line,
            self.name,
            help,
            self.sources,
        ));
    }

    /// Parses a line. With a map, only the needed parts are parsed, except in the first line, because messages list its
    /// other keys.
    fn parse<'t>(
        &mut self,
        text: &'t str,
        line: usize,
        map: Option<&TraceMap>,
    ) -> Option<BorrowedJson<'t>> {
        let projected = map.filter(|_| line > 1).and_then(|map| {
            let mut reader = serde_json::Deserializer::from_str(text);
            let tree = map.projection.deserialize(&mut reader).ok()?;
            reader.end().is_ok().then_some(tree)
        });
        match projected.map_or_else(|| read_json::<BorrowedJson<'_>>(text), Ok) {
            Ok(tree) => Some(tree),
            Err((reason, at)) => {
                self.fault(&reason, at, text, line);
                None
            }
        }
    }
}

impl ObservedText {
    /// Creates a dialogue that starts at this line and has no lines yet.
    pub(in crate::verify) fn new(name: String, line: usize) -> Self {
        Self {
            name,
            line,
            ..Self::default()
        }
    }

    /// Parses the dialogue. `map` locates the fields, unless this is a trace of this program. Returns `None`, with
    /// findings, if the dialogue cannot be read. `name` is the name of the trace in findings.
    pub fn open<'t>(
        &'t self,
        map: Option<&TraceMap>,
        name: &str,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<ObservedDialogue<'t>> {
        let mut carried = CarriedFields::default();
        self.open_next(map, name, (0, &mut carried), found, sources)
    }

    /// Parses further lines of a dialogue, as [`open`](Self::open) does. `earlier` has the number of earlier turns, and
    /// the fields that are carried forward.
    pub(in crate::verify) fn open_next<'t>(
        &'t self,
        map: Option<&TraceMap>,
        name: &str,
        earlier: (u32, &mut CarriedFields<'t>),
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<ObservedDialogue<'t>> {
        let mut opened = Opened {
            name,
            found,
            sources,
            whole: true,
        };
        let dialogue = self.observe(map, earlier, &mut opened);
        opened.whole.then_some(dialogue)
    }

    /// The header of the dialogue, without turns; `None` if there is no header.
    pub fn head(&self) -> Option<ObservedDialogue<'_>> {
        let [profile, signals, start] = self.head.clone()?;
        Some(ObservedDialogue {
            name: &self.name,
            line: self.line,
            profile,
            signals,
            start,
            turns: Vec::new(),
            not_checked: BTreeMap::new(),
        })
    }

    /// The number of lines, not counting the header.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The total size of the lines, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The number of the last line.
    pub fn last_line(&self) -> usize {
        self.lines.last().map_or(self.line, |(_, line)| *line)
    }

    pub(in crate::verify) fn of(dialogue: TracedDialogue) -> Self {
        let line = dialogue.line;
        let written = dialogue.written().to_owned();
        let (header, text, lines) = dialogue.into_parts();
        let text_value = |text: Option<String>| text.map(|text| BorrowedJson::Text(text.into()));
        let start = header.start.filter(|start| !start.is_null());
        let head = [
            text_value(header.machine.profile),
            text_value(header.signals),
            start.as_ref().map(BorrowedJson::from),
        ];
        Self {
            name: header.dialogue,
            line,
            lines,
            text,
            gaps: Vec::new(),
            header: written,
            head: Some(head),
        }
    }

    /// Adds a line. `is_after_gap` states whether unreadable lines before it might belong to this dialogue.
    pub(in crate::verify) fn push(&mut self, text: &str, line: usize, is_after_gap: bool) {
        self.text.push_str(text);
        self.lines.push((self.text.len(), line));
        self.gaps.extend(is_after_gap.then_some(line));
    }

    /// The lines, with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (&str, usize)> {
        let starts = [0]
            .into_iter()
            .chain(self.lines.iter().map(|(end, _)| *end));
        let lines = starts.zip(&self.lines);
        lines.map(|(start, (end, line))| (self.text.get(start..*end).unwrap_or_default(), *line))
    }

    /// The line with this number, for findings.
    pub fn line(&self, number: usize) -> &str {
        self.lines()
            .find(|(_, line)| *line == number)
            .map_or(&*self.header, |(text, _)| text)
    }

    fn observe<'t>(
        &'t self,
        map: Option<&TraceMap>,
        earlier: (u32, &mut CarriedFields<'t>),
        opened: &mut Opened<'_>,
    ) -> ObservedDialogue<'t> {
        let mut dialogue = ObservedDialogue {
            name: &self.name,
            line: self.line,
            profile: None,
            signals: None,
            start: None,
            turns: Vec::new(),
            not_checked: BTreeMap::new(),
        };
        let mut head = self.head.clone();
        match map {
            Some(map) => self.observe_mapped((map, earlier), &mut dialogue, &mut head, opened),
            None => {
                dialogue.turns.reserve(self.lines.len());
                for (text, line) in self.lines() {
                    let Some(tree) = opened.parse(text, line, None) else {
                        break;
                    };
                    match ObservedTurn::from_own_trace(tree, line) {
                        Ok(turn) => dialogue.turns.push(turn),
                        Err(reason) => opened.fault_with(STATELESS, &reason, 0, text, line),
                    }
                }
            }
        }
        [dialogue.profile, dialogue.signals, dialogue.start] = head.unwrap_or_default();
        dialogue
    }

    /// Adds the turns of an external trace to a dialogue.
    fn observe_mapped<'t>(
        &'t self,
        (map, earlier): (&TraceMap, (u32, &mut CarriedFields<'t>)),
        dialogue: &mut ObservedDialogue<'t>,
        head: &mut Option<[Option<BorrowedJson<'t>>; 3]>,
        opened: &mut Opened<'_>,
    ) {
        let mut builder = TurnBuilder::new(map, self.lines.len(), earlier);
        let what = map.part_name();
        let mut unsorted = Vec::new();
        for (text, line) in self.lines() {
            let Some(tree) = opened.parse(text, line, Some(map)) else {
                break;
            };
            head.get_or_insert_with(|| map.head(&tree, line));
            let Some(path) = map.list() else {
                let after_gap = self.gaps.contains(&line);
                if map.sorts() {
                    unsorted.push(TracePart {
                        value: tree,
                        line,
                        after_gap,
                    });
                } else if let Err(reason) = builder.push(Cow::Owned(tree), line, after_gap) {
                    opened.fault(&reason, 0, text, line);
                }
                continue;
            };
            let Some(list) = path.find(&tree, line) else {
                opened.fault(&format!("missing `{}`", path.text()), 0, text, line);
                continue;
            };
            let Some(items) = list.list() else {
                let reason = format!(
                    "expected a list of {what}s for `{}`, found {}",
                    path.text(),
                    list.kind()
                );
                opened.fault(&reason, 0, text, line);
                continue;
            };
            if map.sorts() {
                unsorted.extend(items.iter().map(|item| TracePart {
                    value: item.clone(),
                    line,
                    after_gap: false,
                }));
                continue;
            }
            for (number, item) in (1_u32..).zip(items) {
                if let Err(reason) = builder.push(Cow::Borrowed(item), line, false) {
                    // Only the first fault in a line is reported, because lines can be long and each finding stores the
                    // line.
                    opened.fault(&format!("{what} {number}: {reason}"), 0, text, line);
                    break;
                }
            }
        }
        for part in builder.sorted(unsorted) {
            let line = part.line;
            if let Err(reason) = builder.push(Cow::Owned(part.value), line, part.after_gap) {
                opened.fault(&reason, 0, self.line(line), line);
                break;
            }
        }
        if !opened.whole {
            return;
        }
        match builder.finish(self.line) {
            Ok((turns, not_checked)) => {
                dialogue.turns = turns;
                dialogue.not_checked = not_checked;
            }
            Err((reason, line)) => opened.fault(&reason, 0, self.line(line), line),
        }
    }
}
