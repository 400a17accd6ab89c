//! Cassettes of many dialogues. Only the positions of their lines are in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::cassette::CassetteReader;
use super::cassette_title::CassetteTitle;
use super::interaction::Interaction;
use super::line_span::{LineSpan, scan_lines};
use super::recording::read_span;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};
use fsmsim_syntax::document::unreadable;
use fsmsim_syntax::files::{InputFiles, ReadSandbox};
use fsmsim_syntax::threads::Mutex;

/// A cassette of many dialogues. Holds the byte ranges of each dialogue's lines and reads them on demand: a cassette
/// can have 16 GiB.
pub(super) struct DialogueCassette {
    file: Mutex<File>,
    dialogues: BTreeMap<Box<str>, Vec<LineSpan>>,
    /// The number of invalid recordings.
    pub bad: u64,
}

impl DialogueCassette {
    /// Finds the lines of a cassette. Each invalid line becomes a finding of this severity. Returns `None`, with
    /// findings, after an error.
    pub(super) fn open(
        path: &Path,
        title: &CassetteTitle,
        severity: Severity,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        InputFiles::add(path);
        let file = found
            .take(ReadSandbox::open(path).map_err(|error| Box::new(unreadable(path, &error))))?;
        let mut dialogues: BTreeMap<Box<str>, Vec<LineSpan>> = BTreeMap::new();
        let mut reader = CassetteReader::new(path, title, severity);
        let read = scan_lines(&mut BufReader::new(&file), &mut |number, span, line| {
            if let Some((_, Some(dialogue))) = reader.line(number, line, found) {
                dialogues.entry(dialogue).or_default().push(span);
            }
        });
        if let Err(error) = read {
            reader.refuse(1, &error.to_string(), found);
        }
        let is_usable = reader.finish(found) && found.no_errors_since(errors);
        is_usable.then_some(Self {
            file: Mutex::new(file),
            dialogues,
            bad: reader.bad,
        })
    }

    /// Another handle to the file.
    pub(super) fn file(&self) -> std::io::Result<File> {
        self.file.lock().try_clone()
    }

    /// The dialogues sorted by name, with the byte ranges of their recordings.
    pub(super) fn dialogues(&self) -> impl Iterator<Item = (&str, &[LineSpan])> {
        self.dialogues
            .iter()
            .map(|(name, spans)| (&**name, &**spans))
    }

    /// The personas in order of their first recording.
    pub(super) fn personas(&self) -> Vec<Box<str>> {
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, spans) in self.dialogues() {
            let at = spans.first().map_or(u64::MAX, |span| span.at);
            let known = first.entry(persona_of(name)).or_insert(at);
            *known = at.min(*known);
        }
        let mut personas: Vec<(&str, u64)> = first.into_iter().collect();
        personas.sort_by_key(|(_, at)| *at);
        personas
            .into_iter()
            .map(|(persona, _)| persona.into())
            .collect()
    }

    /// The recordings of a dialogue with their byte ranges. Omits recordings that can no longer be read.
    pub(super) fn of(&self, dialogue: &str) -> Vec<(LineSpan, Interaction)> {
        let mut file = self.file.lock();
        let mut line = Vec::new();
        let read = self
            .dialogues
            .get(dialogue)
            .into_iter()
            .flatten()
            .filter_map(|span| {
                read_span(&mut file, *span, &mut line).ok()?;
                Some((
                    *span,
                    Interaction::read(std::str::from_utf8(&line).ok()?).ok()?,
                ))
            });
        read.collect()
    }

    /// The number of dialogues of a persona.
    pub(super) fn dialogues_of(&self, persona: &str) -> usize {
        self.dialogues
            .keys()
            .filter(|name| persona_of(name) == persona)
            .count()
    }
}

/// The persona of a dialogue.
fn persona_of(dialogue: &str) -> &str {
    dialogue
        .rsplit_once(':')
        .map_or(dialogue, |(persona, _)| persona)
}
