//! Reads a trace one dialogue at a time.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::traced_dialogue::{OURS, read_header};
use super::{
    MAX_TRACE_DIALOGUE_BYTES, TracedDialogue, TracedEnd, TracedHeader, broken_line, read_json,
};
use crate::limits::{MAX_FAULTS, MAX_TRACE_LINE_BYTES};
use fsmsim_syntax::diagnostic::{Code, Diagnostics, SourceMap};
use fsmsim_syntax::document::LineReader;

/// Reads a trace in the format of `fsmsim trace`. The format is JSON Lines: each dialogue has a header line, one line
/// per turn and an end line, or is a single object. Only one dialogue is in memory at a time; the reader retains only
/// the names of earlier dialogues.
pub struct TraceReader<R> {
    lines: LineReader<R>,
    /// The dialogue of the last header, and whether that header is usable.
    next: Option<(TracedDialogue, bool)>,
    /// A complete dialogue that was read from one line.
    whole: Option<TracedDialogue>,
    /// The names of the dialogues so far, with the line numbers of their headers.
    seen: BTreeMap<String, usize>,
    /// Whether reading has stopped.
    ended: bool,
    faults: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Header,
    Turn,
    End,
    /// All lines of a dialogue as one object.
    Dialogue,
}

/// The keys that identify the kind of a line.
#[derive(Deserialize)]
struct LineProbe {
    header: Option<IgnoredAny>,
    fsmsim_trace: Option<IgnoredAny>,
    turn: Option<IgnoredAny>,
    end: Option<IgnoredAny>,
}

impl<R: BufRead> TraceReader<R> {
    /// Creates a reader of a stream; `name` is its name in findings.
    pub fn new(input: R, name: &str) -> Self {
        let lines = LineReader::new(input, name, MAX_TRACE_LINE_BYTES);
        Self {
            lines,
            next: None,
            whole: None,
            seen: BTreeMap::new(),
            ended: false,
            faults: 0,
        }
    }

    /// The name of the stream in findings.
    pub fn name(&self) -> &str {
        self.lines.name()
    }

    /// The lines of the stream.
    pub fn lines(&mut self) -> &mut LineReader<R> {
        &mut self.lines
    }

    /// Reads the next dialogue. Returns `None` after the last one, or reports findings and returns `None` if the rest
    /// cannot be read. [`TracedDialogue::turns`] parses the lines of the turns.
    pub fn read(
        &mut self,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<TracedDialogue> {
        if let Some(whole) = self.whole.take() {
            return Some(whole);
        }
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
                    // Reading can continue after a line that is not UTF-8, but not after other faults.
                    self.ended = finding.code != Code::NotUtf8 || self.faults >= MAX_FAULTS;
                    found.push(*finding);
                    continue;
                }
            };
            let mut fault = |found: &mut Diagnostics, reason: &str, at| {
                found.push(broken_line(reason, at, text, line, &name, OURS, sources));
            };
            let kind = LineKind::of(text);
            if kind == LineKind::End
                && let Some((dialogue, usable)) = self.next.take()
            {
                match read_json::<TracedEnd>(text) {
                    Ok(end) if usable => check_end(&dialogue, Some((&end, line)), &name, found),
                    Ok(_) => {}
                    Err((reason, at)) => fault(found, &reason, at),
                }
                if usable {
                    return Some(dialogue);
                }
                continue;
            }
            if !matches!(kind, LineKind::Header | LineKind::Dialogue) {
                let reason = match &mut self.next {
                    Some((dialogue, _))
                        if dialogue.bytes() + text.len() > MAX_TRACE_DIALOGUE_BYTES =>
                    {
                        format!(
                            "the dialogue is too large: limit {} MiB",
                            MAX_TRACE_DIALOGUE_BYTES >> 20
                        )
                    }
                    Some((dialogue, _)) => {
                        dialogue.push(text, line);
                        continue;
                    }
                    None => {
                        "missing header before this line (`{\"fsmsim_trace\":3,\"dialogue\":…}`)"
                            .to_owned()
                    }
                };
                fault(found, &reason, 0);
                self.ended = true;
                self.next = None;
                break;
            }
            let whole =
                (kind == LineKind::Dialogue).then(|| read_json::<CompleteDialogue<'_>>(text));
            let read = match &whole {
                Some(Ok(whole)) => whole.header(text),
                Some(Err(fault)) => Err(fault.clone()),
                None => read_header(text),
            };
            let header = read.and_then(|header| unseen(header, &self.seen));
            let usable = header.is_ok();
            // Turns after an unusable header belong to no dialogue and are ignored.
            let header = header.unwrap_or_else(|(reason, at)| {
                self.faults += 1;
                self.ended = self.faults >= MAX_FAULTS;
                fault(found, &reason, at);
                TracedHeader::default()
            });
            if usable {
                self.seen.insert(header.dialogue.clone(), line);
            }
            let Some(whole) = whole else {
                let dialogue = TracedDialogue::new(header, line, text);
                if let Some((before, true)) = self.next.replace((dialogue, usable)) {
                    check_end(&before, None, &name, found);
                    return Some(before);
                }
                continue;
            };
            let before = self
                .next
                .take()
                .filter(|(_, usable)| *usable)
                .map(|(before, _)| before);
            if let Some(before) = &before {
                check_end(before, None, &name, found);
            }
            if let Ok(whole) = whole
                && usable
            {
                let dialogue = whole.dialogue(header, line);
                match whole.end() {
                    Ok(end) => {
                        check_end(&dialogue, end.as_ref().map(|end| (end, line)), &name, found);
                    }
                    Err(reason) => fault(found, &reason, 0),
                }
                self.whole = Some(dialogue);
            }
            if let Some(dialogue) = before.or_else(|| self.whole.take()) {
                return Some(dialogue);
            }
        }
        if self.lines.waits {
            self.ended = false;
            return None;
        }
        let (last, _) = self.next.take().filter(|(_, usable)| *usable)?;
        check_end(&last, None, self.lines.name(), found);
        Some(last)
    }
}

impl LineKind {
    /// The kind of a line. Checks the usual prefixes first, without parsing. An unknown line is treated as a turn, so
    /// that it is reported as an invalid turn.
    fn of(text: &str) -> Self {
        if text.starts_with("{\"turn\":") {
            return Self::Turn;
        }
        if text.starts_with("{\"fsmsim_trace\":") {
            return Self::Header;
        }
        if text.starts_with("{\"header\":") {
            return Self::Dialogue;
        }
        match read_json::<LineProbe>(text) {
            Ok(LineProbe {
                header: Some(_),
                fsmsim_trace: None,
                turn: None,
                ..
            }) => Self::Dialogue,
            Ok(LineProbe {
                fsmsim_trace: Some(_),
                ..
            }) => Self::Header,
            Ok(LineProbe {
                turn: None,
                end: Some(_),
                ..
            }) => Self::End,
            _ => Self::Turn,
        }
    }
}

/// Reports a dialogue that is incomplete; `end` is its last line with its number, if it has one.
fn check_end(
    dialogue: &TracedDialogue,
    end: Option<(&TracedEnd, usize)>,
    name: &str,
    found: &mut Diagnostics,
) {
    let line = end.map_or_else(|| dialogue.last_line(), |(_, line)| line);
    let end = end.map(|(end, _)| end);
    if let Some(finding) = TracedEnd::check(end, &dialogue.header.dialogue, dialogue.len()) {
        found.push(finding.about(format!("{name}:{line}")));
    }
}

/// Returns the header if no earlier dialogue has the same name; otherwise, an error.
fn unseen(
    header: TracedHeader,
    seen: &BTreeMap<String, usize>,
) -> Result<TracedHeader, (String, usize)> {
    match seen.get(&header.dialogue) {
        Some(first) => Err((
            format!(
                "the dialogue `{}` is already defined in line {first}",
                header.dialogue
            ),
            0,
        )),
        None => Ok(header),
    }
}

/// A complete dialogue on one line: an object with the header, the turns and the end. Unknown keys are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct CompleteDialogue<'t> {
    #[serde(borrow)]
    header: &'t RawValue,
    #[serde(borrow, default)]
    turns: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    end: Option<&'t RawValue>,
}

impl CompleteDialogue<'_> {
    /// The header. If it is invalid, returns the reason and the location in `line`.
    pub(super) fn header(&self, line: &str) -> Result<TracedHeader, (String, usize)> {
        let text = self.header.get();
        let start = (text.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
        read_header(text).map_err(|(reason, at)| (reason, start + at))
    }

    /// The dialogue; `line` is its line number.
    pub(super) fn dialogue(&self, header: TracedHeader, line: usize) -> TracedDialogue {
        let mut dialogue = TracedDialogue::new(header, line, self.header.get());
        for turn in &self.turns {
            dialogue.push(turn.get(), line);
        }
        dialogue
    }

    /// The end line, if there is one. If it is invalid, returns the reason.
    pub(super) fn end(&self) -> Result<Option<TracedEnd>, String> {
        self.end
            .map(|end| read_json(end.get()))
            .transpose()
            .map_err(|(reason, _)| reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        r#"{"fsmsim_trace":3,"dialogue":"a","later":{"x":1},"machine":{"name":"m","more":1}}"#;

    fn all(text: &str) -> (Vec<TracedDialogue>, Vec<String>) {
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let mut reader = TraceReader::new(text.as_bytes(), "t.jsonl");
        let mut dialogues = Vec::new();
        while let Some(dialogue) = reader.read(&mut found, &mut sources) {
            dialogue.turns("t.jsonl", &mut found, &mut sources);
            dialogues.push(dialogue);
        }
        (
            dialogues,
            found
                .items()
                .iter()
                .map(|item| item.title.clone())
                .collect(),
        )
    }

    #[test]
    fn unknown_keys_are_ignored_and_missing_ones_are_empty() {
        let text = format!(
            "{HEADER}\n{{\"new\":[1],\"turn\":1,\"state\":{{\"to\":\"b\"}},\"by\":null}}\n{{\"end\":\"b\",\"turns\":1}}\n\n{HEADER}\n{{\"end\":\"a\",\"turns\":0}}"
        );
        let (dialogues, found) = all(&text.replacen("\"a\"", "\"b\"", 1));
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            dialogues
                .iter()
                .map(TracedDialogue::len)
                .collect::<Vec<_>>(),
            [1, 0]
        );
        let header = &dialogues[0].header;
        assert_eq!(
            (header.dialogue.as_str(), header.machine.name.as_deref()),
            ("b", Some("m"))
        );
        let turns = dialogues[0]
            .turns("", &mut Diagnostics::default(), &mut SourceMap::default())
            .unwrap();
        assert_eq!(
            (turns[0].state(), turns[0].turn, turns[0].data.len()),
            ("b", 1, 0)
        );
    }

    #[test]
    fn every_fault_has_a_location() {
        let titles = [
            "{\"turn\":1}\n".to_owned(),
            format!("{HEADER}\n{{\"turn\":1,\"state\":{{\"to\":\"b\"}}}}\n{{\"turn\":2,\"sta"),
            format!(
                "{HEADER}\n{{\"state\":{{\"to\":\"b\"}}}}\n{{\"turn\":2}}\n[]\n{{\"turn\":-1}}"
            ),
            format!("{HEADER}\n{HEADER}\n"),
            HEADER.replace(":3,", ":2,"),
            HEADER.replace(":3,", ":\"x\","),
            "{\"fsmsim_trace\":3}".to_owned(),
            "\u{0}".to_owned(),
        ]
        .map(|text| all(&text).1.join("\n"));
        insta::assert_snapshot!(titles.join("\n\n"));
    }
}
