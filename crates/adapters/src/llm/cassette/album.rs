//! A cassette of many dialogues, of which only where their lines stand is in the memory.

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
use fsmsim_syntax::files::ReadFence;
use fsmsim_syntax::threads::Mutex;

/// A cassette of many dialogues. Where the lines of each stand is known, and they are read when they are wanted.
pub(super) struct Album {
    file: Mutex<File>,
    dialogues: BTreeMap<Box<str>, Vec<LineSpan>>,
    /// Recordings that cannot be used.
    pub(super) bad: u64,
}

impl Album {
    /// Reads where the lines of a cassette stand. A line that cannot be used is a finding of this severity. `None`, with findings,
    /// where there is an error.
    pub(super) fn open(
        path: &Path,
        title: &CassetteTitle,
        severity: Severity,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        let file = found
            .take(ReadFence::open(path).map_err(|error| Box::new(unreadable(path, &error))))?;
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

    /// Another hold of the file.
    pub(super) fn file(&self) -> std::io::Result<File> {
        self.file.lock().try_clone()
    }

    /// The dialogues in the order of their names, with where their recordings stand.
    pub(super) fn dialogues(&self) -> impl Iterator<Item = (&str, &[LineSpan])> {
        self.dialogues
            .iter()
            .map(|(name, spans)| (&**name, &**spans))
    }

    /// The personas in the order in which they come first.
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

    /// The recordings of a dialogue, each with where it stands. What cannot be read any more is not there.
    pub(super) fn of(&self, dialogue: &str) -> Vec<(LineSpan, Interaction)> {
        let mut file = self.file.lock();
        let mut line = Vec::new();
        let spans = self.dialogues.get(dialogue).into_iter().flatten();
        let read = spans.filter_map(|span| {
            read_span(&mut file, *span, &mut line).ok()?;
            Some((
                *span,
                Interaction::read(std::str::from_utf8(&line).ok()?).ok()?,
            ))
        });
        read.collect()
    }

    /// How many dialogues of a persona there are.
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
