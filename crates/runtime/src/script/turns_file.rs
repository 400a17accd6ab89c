//! A turns file: a dialogue a line, as JSON.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::scripted_dialogue::DialogueName;
use crate::limits::MAX_TURNS_LINE;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, FileId, SourceMap};
use fsmsim_syntax::document::{InputStream, LineReader, Node, parse_json};

/// A turns file, read line by line.
pub struct TurnsFile {
    lines: LineReader<InputStream>,
}

/// A line of a turns file, not yet looked into.
#[derive(Debug)]
pub struct TurnsLine {
    sources: SourceMap,
    file: FileId,
    len: usize,
}

/// The names of the dialogues so far.
#[derive(Debug, Default)]
pub struct DialogueNames {
    taken: FxHashSet<Box<str>>,
}

impl TurnsFile {
    /// The turns file at `path`; `-` is standard input.
    pub fn open(path: &Path) -> Checked<Self> {
        let (input, name) = InputStream::open(path)?;
        Ok(Self {
            lines: LineReader::new(input, &name, MAX_TURNS_LINE),
        })
    }

    /// The next line; nothing behind the last one.
    pub fn read(&mut self) -> Checked<Option<TurnsLine>> {
        let name = self.lines.name().to_owned();
        let Some((number, text)) = self.lines.read()? else {
            return Ok(None);
        };
        let mut sources = SourceMap::default();
        let file = sources.add_piece(name, text, number);
        Ok(Some(TurnsLine {
            sources,
            file,
            len: text.len(),
        }))
    }

    /// Whether the next line may be long in coming.
    pub fn is_dry(&self) -> bool {
        self.lines.input().is_dry()
    }
}

impl TurnsLine {
    /// Its tree. `None`, with findings, where it cannot be read.
    pub fn parse(&self, found: &mut Diagnostics) -> Option<Node> {
        parse_json(self.file, self.sources.file(self.file)?.text(), 0, found)
    }

    /// How long it is, in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its text, for findings about it.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}

impl DialogueNames {
    /// Takes the name of a dialogue.
    pub fn take(&mut self, dialogue: &DialogueName) -> Checked {
        if self.taken.insert(dialogue.text.clone()) {
            return Ok(());
        }
        Diagnostic::error(
            Code::DuplicateDialogue,
            format!("there is already a dialogue `{}`", dialogue.text),
        )
        .at(dialogue.span, "again here")
        .help("give each dialogue its own id")
        .fail()
    }
}
