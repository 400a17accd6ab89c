//! Reads recorded traces, dialogue by dialogue: our own, or with a map those of another system.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::de::DeserializeSeed;

use super::borrowed_json::BorrowedJson;
use super::dialogue::{ObservedDialogue, ObservedTurn};
use super::find_first::find_first;
use super::map::TraceMap;
use crate::diagnostic::{Code, Diagnostics, SourceMap};
use crate::document::LineReader;

use crate::trace::{DIALOGUE_LIMIT, RecordField, TraceReader, TracedDialogue, broken_line, read_json};

/// Lines that cannot be read, after which the rest of a trace is not read: it is something else.
const MAX_FAULTS: usize = 20;

/// Reads a trace that was recorded somewhere. Only one dialogue is in memory at a time, besides the names of those before
/// it.
pub struct ObservedReader<R> {
    lines: LineSource<R>,
}

enum LineSource<R> {
    Ours(Box<TraceReader<R>>),
    Theirs(Box<ForeignLines<R>>),
}

/// A dialogue as text: its lines one behind the other, not yet looked into.
#[derive(Debug)]
pub struct ObservedText {
    name: String,
    line: usize,
    /// Behind the last byte of each line, and its number in the file.
    lines: Vec<(usize, usize)>,
    text: String,
    /// The header, where it has a line of its own.
    header: String,
    /// Profile, signals and start, where they stand in a line of their own.
    head: Option<[Option<BorrowedJson<'static>>; 3]>,
}

/// The lines of another system.
struct ForeignLines<R> {
    lines: LineReader<R>,
    map: TraceMap,
    /// The dialogues so far, with the lines where they begin.
    seen: BTreeMap<String, usize>,
    /// The dialogue whose first line was read last.
    next: Option<ObservedText>,
    ended: bool,
    faults: usize,
}

impl<R: BufRead> ObservedReader<R> {
    /// A reader of a stream that findings call `name`; without a map it is a trace of ours.
    pub fn new(input: R, name: &str, map: Option<TraceMap>) -> Self {
        let lines = match map {
            None => LineSource::Ours(Box::new(TraceReader::new(input, name))),
            Some(map) => LineSource::Theirs(Box::new(ForeignLines {
                lines: LineReader::new(input, name, DIALOGUE_LIMIT),
                map,
                seen: BTreeMap::new(),
                next: None,
                ended: false,
                faults: 0,
            })),
        };
        Self { lines }
    }

    /// What findings call the stream.
    pub fn name(&self) -> &str {
        match &self.lines {
            LineSource::Ours(reader) => reader.name(),
            LineSource::Theirs(foreign) => foreign.lines.name(),
        }
    }

    /// The next dialogue; `None` behind the last one, and, with findings, where the trace cannot be read on.
    pub fn read(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<ObservedText> {
        match &mut self.lines {
            LineSource::Ours(reader) => reader.read(found, sources).map(ObservedText::of),
            LineSource::Theirs(foreign) => foreign.read(found, sources),
        }
    }

    /// What a dialogue says. `None`, with findings, where it cannot be read.
    pub fn open<'t>(
        &self,
        text: &'t ObservedText,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<ObservedDialogue<'t>> {
        let map = match &self.lines {
            LineSource::Ours(_) => None,
            LineSource::Theirs(foreign) => Some(&foreign.map),
        };
        let mut opened = Opened { name: self.name(), found, sources, whole: true };
        let dialogue = text.open(map, &mut opened);
        opened.whole.then_some(dialogue)
    }

    /// Reports the paths of the map that no line had.
    pub fn check(&self, found: &mut Diagnostics) {
        if let LineSource::Theirs(foreign) = &self.lines {
            foreign.map.check(found);
        }
    }
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
        self.whole = false;
        self.found.push(broken_line(reason, at, text, line, self.name, THEIRS, self.sources));
    }

    /// The tree of a line; by a map only of what is looked at. The first line is read whole, since messages name what
    /// else is in it.
    fn parse<'t>(&mut self, text: &'t str, line: usize, map: Option<&TraceMap>) -> Option<BorrowedJson<'t>> {
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
    fn of(dialogue: TracedDialogue) -> Self {
        let (line, written) = (dialogue.line, dialogue.written().to_owned());
        let (header, text, lines) = dialogue.into_parts();
        let told = |text: Option<String>| text.map(|text| BorrowedJson::Text(text.into()));
        let start = header.start.filter(|start| !start.is_null());
        let head = [told(header.machine.profile), told(header.signals), start.as_ref().map(BorrowedJson::from)];
        Self { name: header.dialogue, line, lines, text, header: written, head: Some(head) }
    }

    /// The lines with their numbers.
    fn lines(&self) -> impl Iterator<Item = (&str, usize)> {
        let starts = std::iter::once(0).chain(self.lines.iter().map(|(end, _)| *end));
        let lines = starts.zip(&self.lines);
        lines.map(|(start, (end, line))| (self.text.get(start..*end).unwrap_or_default(), *line))
    }

    /// The line of this number, for findings about it.
    pub fn line(&self, number: usize) -> &str {
        self.lines().find(|(_, line)| *line == number).map_or(&*self.header, |(text, _)| text)
    }

    fn open<'t>(&'t self, map: Option<&TraceMap>, opened: &mut Opened<'_>) -> ObservedDialogue<'t> {
        let mut turns = Vec::with_capacity(self.lines.len());
        let mut head = self.head.clone();
        for (text, line) in self.lines() {
            let Some(tree) = opened.parse(text, line, map) else { break };
            if let Some(map) = map {
                head.get_or_insert_with(|| map.head(&tree));
            }
            let mut push = |turn: Result<ObservedTurn<'t>, String>| match turn {
                Ok(turn) => turns.push(turn),
                Err(reason) => opened.fault(&reason, 0, text, line),
            };
            match map.map(|map| (map, &map.turns)) {
                None => push(ours(tree, line)),
                Some((map, None)) => push(map.observe(&tree, line, self.number_of(line))),
                Some((map, Some(path))) => match path.find(&tree).map(|list| (list, list.items())) {
                    Some((_, Some(items))) => {
                        for (number, item) in (1_u32..).zip(items) {
                            let turn = map.observe(item, line, number);
                            push(turn.map_err(|reason| format!("turn {number}: {reason}")));
                        }
                    }
                    Some((other, None)) => {
                        let reason = format!("`{}` is a list of turns, and this is {}", path.text, other.kind());
                        opened.fault(&reason, 0, text, line);
                    }
                    None => opened.fault(&format!("it has no `{}`", path.text), 0, text, line),
                },
            }
        }
        let [profile, signals, start] = head.unwrap_or_default();
        ObservedDialogue { name: &self.name, line: self.line, profile, signals, start, turns }
    }

    /// The number of the turn of a line, where a line is a turn.
    fn number_of(&self, line: usize) -> u32 {
        let at = self.lines.partition_point(|(_, known)| *known < line);
        u32::try_from(at + 1).unwrap_or(u32::MAX)
    }
}

/// A turn of our own trace.
fn ours(tree: BorrowedJson<'_>, line: usize) -> Result<ObservedTurn<'_>, String> {
    let BorrowedJson::Map(pairs) = tree else {
        return Err(format!("a turn is a map, and this is {}", tree.kind()));
    };
    let mut turn = ObservedTurn::new(line, 0);
    turn.input = BorrowedJson::Map(Vec::new());
    for (key, value) in pairs {
        match (&*key, RecordField::from_name(&key)) {
            (_, Some(RecordField::Turn)) => {
                let number = value.integer().and_then(|number| u32::try_from(number).ok());
                turn.number = number.unwrap_or_default();
            }
            (_, Some(field)) => turn.set(field, value),
            // So it was called in version 1.
            ("reply", None) if turn.field(RecordField::Replies).is_none() => turn.set(RecordField::Replies, value),
            ("input", None) if !value.is_null() => turn.input = value,
            ("answers", None) => turn.answers = value,
            _ => {}
        }
    }
    if turn.number == 0 {
        return Err("it needs `turn`, a number from 1".to_owned());
    }
    turn.checked()
}

impl<R: BufRead> ForeignLines<R> {
    fn read(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<ObservedText> {
        while !self.ended {
            let name = self.lines.name().to_owned();
            let (line, text) = match self.lines.read() {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(finding) => {
                    self.faults += 1;
                    // What follows a line that is no text may be read; what follows another fault may not.
                    self.ended = finding.code != Code::NotUtf8 || self.faults >= MAX_FAULTS;
                    found.push(*finding);
                    continue;
                }
            };
            let mut refuse = |reason: &str, at: usize| {
                self.faults += 1;
                self.ended = self.faults >= MAX_FAULTS;
                found.push(broken_line(reason, at, text, line, &name, THEIRS, sources));
            };
            let path = &self.map.dialogue;
            let Some(id) = find_first(text, &path.steps) else {
                match read_json::<serde::de::IgnoredAny>(text) {
                    Ok(_) => refuse(&format!("it has no `{}`, the name of its dialogue", path.text), 0),
                    Err((reason, at)) => refuse(&reason, at),
                }
                continue;
            };
            if self.map.turns.is_none()
                && let Some(next) = self.next.as_mut().filter(|next| next.name == id)
            {
                if next.text.len() + text.len() > DIALOGUE_LIMIT {
                    refuse(&format!("the dialogue `{id}` has more than {} MiB", DIALOGUE_LIMIT >> 20), 0);
                    self.ended = true;
                    self.next = None;
                } else {
                    next.push(text, line);
                }
                continue;
            }
            if let Some(first) = self.seen.get(&id) {
                refuse(&format!("the dialogue `{id}` is there already, from line {first} on"), 0);
                continue;
            }
            self.seen.insert(id.clone(), line);
            let (lines, header) = (Vec::new(), String::new());
            let mut next = ObservedText { name: id, line, lines, text: String::new(), header, head: None };
            next.push(text, line);
            if let Some(before) = self.next.replace(next) {
                return Some(before);
            }
        }
        self.next.take()
    }
}

impl ObservedText {
    fn push(&mut self, text: &str, line: usize) {
        self.text.push_str(text);
        self.lines.push((self.text.len(), line));
    }
}

/// What a trace may be.
const THEIRS: &str = "a trace is what `fsmsim trace` writes; of another one, `--map FILE` says where its fields are";
