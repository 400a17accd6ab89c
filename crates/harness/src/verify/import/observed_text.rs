//! A dialogue of a recorded trace as text, and what it says.

use serde::de::DeserializeSeed;

use super::borrowed_json::BorrowedJson;
use super::dialogue::{ObservedDialogue, ObservedTurn};
use super::event_fold::{FoldedTurn, Folding};
use super::map::TraceMap;
use super::staying_fields::StayingFields;
use fsmsim_core::trace::{TracedDialogue, broken_line, read_json};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// What a trace may be.
pub(super) const THEIRS: &str =
    "a trace is what `fsmsim trace` writes; of another one, `--map FILE` says where its fields are";

/// What a trace of ours says that can be held against a model.
const STATELESS: &str = "each turn of a trace has the `state` where it led; of a subject it has it where `map` says where the answer tells the `state`";

/// A dialogue as text: its lines one behind the other, not yet looked into.
#[derive(Debug, Default)]
pub struct ObservedText {
    name: String,
    line: usize,
    /// Behind the last byte of each line, and its number in the file.
    lines: Vec<(usize, usize)>,
    text: String,
    /// The numbers of lines before which others could not be read.
    gaps: Vec<usize>,
    /// The header, where it has a line of its own.
    header: String,
    /// Profile, signals and start, where they stand in a line of their own.
    head: Option<[Option<BorrowedJson<'static>>; 3]>,
}

/// Where findings about a dialogue go.
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

    /// The tree of a line; by a map only of what is looked at. The first line is read whole, since messages name what
    /// else is in it.
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
    /// A dialogue that begins in this line, without lines yet.
    pub(super) fn new(name: String, line: usize) -> Self {
        Self {
            name,
            line,
            ..Self::default()
        }
    }

    /// What the dialogue says; `map` tells where, unless the trace is ours. `None`, with findings, where it cannot be read;
    /// `name` is what they call the trace.
    pub fn open<'t>(
        &'t self,
        map: Option<&TraceMap>,
        name: &str,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<ObservedDialogue<'t>> {
        let mut opened = Opened {
            name,
            found,
            sources,
            whole: true,
        };
        let dialogue = self.observe(map, &mut opened);
        opened.whole.then_some(dialogue)
    }

    /// What the dialogue says of itself in its header, without turns; nothing where it has no header of its own.
    pub fn head(&self) -> Option<ObservedDialogue<'_>> {
        let [profile, signals, start] = self.head.clone()?;
        Some(ObservedDialogue {
            name: &self.name,
            line: self.line,
            profile,
            signals,
            start,
            turns: Vec::new(),
        })
    }

    /// How many lines it has beside its header.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// How long its lines are together, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The number of its last line.
    pub fn last_line(&self) -> usize {
        self.lines.last().map_or(self.line, |(_, line)| *line)
    }

    pub(super) fn of(dialogue: TracedDialogue) -> Self {
        let (line, written) = (dialogue.line, dialogue.written().to_owned());
        let (header, text, lines) = dialogue.into_parts();
        let told = |text: Option<String>| text.map(|text| BorrowedJson::Text(text.into()));
        let start = header.start.filter(|start| !start.is_null());
        let head = [
            told(header.machine.profile),
            told(header.signals),
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

    /// Adds a line; others before it, perhaps of this dialogue, could not be read where it is behind a gap.
    pub(super) fn push(&mut self, text: &str, line: usize, is_behind_gap: bool) {
        self.text.push_str(text);
        self.lines.push((self.text.len(), line));
        self.gaps.extend(is_behind_gap.then_some(line));
    }

    /// The lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (&str, usize)> {
        let starts = std::iter::once(0).chain(self.lines.iter().map(|(end, _)| *end));
        let lines = starts.zip(&self.lines);
        lines.map(|(start, (end, line))| (self.text.get(start..*end).unwrap_or_default(), *line))
    }

    /// The line of this number, for findings about it.
    pub fn line(&self, number: usize) -> &str {
        self.lines()
            .find(|(_, line)| *line == number)
            .map_or(&*self.header, |(text, _)| text)
    }

    fn observe<'t>(
        &'t self,
        map: Option<&TraceMap>,
        opened: &mut Opened<'_>,
    ) -> ObservedDialogue<'t> {
        let mut turns = Vec::with_capacity(self.lines.len());
        let mut head = self.head.clone();
        let mut staying = StayingFields::default();
        let mut folding = map.and_then(|map| Some(map.events.as_ref()?.begin()));
        for (text, line) in self.lines() {
            let Some(tree) = opened.parse(text, line, map) else {
                break;
            };
            let Some(map) = map else {
                match ObservedTurn::of_ours(tree, line) {
                    Ok(turn) => turns.push(turn),
                    Err(reason) => opened.fault_with(STATELESS, &reason, 0, text, line),
                }
                continue;
            };
            head.get_or_insert_with(|| map.head(&tree, line));
            let is_behind_gap = self.gaps.contains(&line);
            let Some(path) = map.list() else {
                let pushed = match &mut folding {
                    Some(folding) => folding.push(tree, line, is_behind_gap),
                    None => map
                        .observe(&tree, line, self.number_of(line), &mut staying)
                        .map(|mut turn| {
                            turn.after_gap = is_behind_gap;
                            turns.push(turn);
                        }),
                };
                if let Err(reason) = pushed {
                    opened.fault(&reason, 0, text, line);
                }
                continue;
            };
            let what = if folding.is_some() { "event" } else { "turn" };
            let Some(list) = path.find(&tree, line) else {
                opened.fault(&format!("it has no `{}`", path.text), 0, text, line);
                continue;
            };
            let Some(items) = list.list() else {
                let reason = format!(
                    "`{}` is a list of {what}s, and this is {}",
                    path.text,
                    list.kind()
                );
                opened.fault(&reason, 0, text, line);
                continue;
            };
            for (number, item) in (1_u32..).zip(items) {
                let pushed = match &mut folding {
                    Some(folding) => folding.push(item.clone(), line, false),
                    None => map
                        .observe(item, line, number, &mut staying)
                        .map(|turn| turns.push(turn)),
                };
                if let Err(reason) = pushed {
                    // The first fault of a line is told: a line may be long, and is kept to show it.
                    opened.fault(&format!("{what} {number}: {reason}"), 0, text, line);
                    break;
                }
            }
        }
        if let Some((map, folding)) = map.zip(folding).filter(|_| opened.whole) {
            let folded = self.folded(map, folding, &mut staying);
            turns = folded.unwrap_or_else(|(reason, line)| {
                opened.fault(&reason, 0, self.line(line), line);
                Vec::new()
            });
        }
        let [profile, signals, start] = head.unwrap_or_default();
        ObservedDialogue {
            name: &self.name,
            line: self.line,
            profile,
            signals,
            start,
            turns,
        }
    }

    /// The turns that events make; else why there are none, and the line.
    fn folded<'t>(
        &'t self,
        map: &TraceMap,
        folding: Folding<'_, 't>,
        staying: &mut StayingFields<'t>,
    ) -> Result<Vec<ObservedTurn<'t>>, (String, usize)> {
        let (before, folded) = folding.finish();
        if !before.is_null() {
            map.observe_before(&before, self.line, staying)
                .map_err(|reason| (reason, self.line))?;
        }
        let turns = (1_u32..).zip(folded).map(
            |(
                number,
                FoldedTurn {
                    line,
                    after_gap,
                    events,
                },
            )| {
                let turn = map.observe(&events, line, number, staying);
                let mut turn = turn.map_err(|reason| (format!("turn {number}: {reason}"), line))?;
                turn.after_gap = after_gap;
                Ok(turn)
            },
        );
        turns.collect()
    }

    /// The number of the turn of a line, where a line is a turn.
    fn number_of(&self, line: usize) -> u32 {
        let at = self.lines.partition_point(|(_, known)| *known < line);
        u32::try_from(at + 1).unwrap_or(u32::MAX)
    }
}
