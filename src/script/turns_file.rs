//! A turns file: a dialogue a line, as JSON.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::Path;

use super::scripted_dialogue::ScriptedDialogue;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::{LineReader, Node, open_input, parse_json};

/// The longest line, in bytes.
const MAX_LINE: usize = 4 << 20;

/// A turns file, read dialogue by dialogue.
pub struct TurnsFile {
    name: String,
    lines: LineReader<Box<dyn BufRead>>,
    /// The line that was read last.
    line: Option<Node>,
    sources: SourceMap,
    ids: BTreeSet<String>,
}

impl TurnsFile {
    /// The turns file at `path`; `-` is standard input.
    ///
    /// # Errors
    /// The finding about a file that cannot be read.
    pub fn open(path: &Path) -> Result<Self, Box<Diagnostic>> {
        let (input, name) = open_input(path)?;
        let lines = LineReader::new(input, &name, MAX_LINE);
        Ok(Self { name, lines, line: None, sources: SourceMap::default(), ids: BTreeSet::new() })
    }

    /// The next dialogue; nothing behind the last one, and, with findings, where a line cannot be used.
    pub fn next_dialogue(&mut self, found: &mut Diagnostics) -> Option<ScriptedDialogue<'_>> {
        let errors_before = found.error_count();
        self.sources = SourceMap::default();
        let (number, text) = match self.lines.read() {
            Ok(line) => line?,
            Err(finding) => return finding.refuse(found),
        };
        let file = self.sources.add_piece(&self.name, text, number);
        let text = self.sources.file(file).map(|file| file.text().clone()).unwrap_or_default();
        self.line = parse_json(file, &text, 0, found);
        let node = self.line.as_ref()?;
        let dialogue = ScriptedDialogue::read(node, found)?;
        if found.error_count() > errors_before {
            return None;
        }
        if !self.ids.insert(dialogue.id.to_owned()) {
            let span = node.get("id").map_or(node.span, |node| node.span);
            return Diagnostic::error(
                Code::DuplicateDialogue,
                format!("there is already a dialogue `{}`", dialogue.id),
            )
            .at(span, "again here")
            .help("give each dialogue its own id")
            .refuse(found);
        }
        Some(dialogue)
    }

    /// The line that was read last, for findings about it.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}
