//! Turns files in JSON Lines format: one dialogue per line.

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

/// An unparsed line of a turns file.
#[derive(Debug)]
pub struct TurnsLine {
    sources: SourceMap,
    file: FileId,
    len: usize,
}

/// The names of the dialogues read so far.
#[derive(Debug, Default)]
pub struct DialogueNames {
    taken: FxHashSet<Box<str>>,
}

impl TurnsFile {
    /// Opens the turns file at `path`. `-` is standard input.
    pub fn open(path: &Path) -> Checked<Self> {
        let (input, name) = InputStream::open(path)?;
        Ok(Self {
            lines: LineReader::new(input, &name, MAX_TURNS_LINE),
        })
    }

    /// The next line, or `None` at the end of the file.
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

    /// Whether reading the next line might block.
    pub fn is_dry(&self) -> bool {
        self.lines.input().is_dry()
    }
}

impl TurnsLine {
    /// Parses the line as JSON. Returns `None`, with findings, if it is invalid.
    pub fn parse(&self, found: &mut Diagnostics) -> Option<Node> {
        parse_json(self.file, self.sources.file(self.file)?.text(), 0, found)
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The source text, for findings about the line.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}

impl DialogueNames {
    /// Records the name of a dialogue.
    ///
    /// # Errors
    /// Returns an error if another dialogue has this name.
    pub fn take(&mut self, dialogue: &DialogueName) -> Checked {
        if self.taken.insert(dialogue.text.clone()) {
            return Ok(());
        }
        Diagnostic::error(
            Code::DuplicateDialogue,
            format!("dialogue `{}` is defined twice", dialogue.text),
        )
        .at(dialogue.span, "second definition")
        .help("give each dialogue a unique `id`")
        .fail()
    }
}
