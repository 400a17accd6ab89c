//! A scenario in its file: a document of a YAML file, a whole transcript, or a dialogue of a trace.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::scenario::TURNS;
use super::scenario_from_trace::{dialogues, is_trace, parse_recorded};
use super::transcript::{is_markdown, parse_transcript};
use crate::diagnostic::{Diagnostics, FileId, SourceMap, Span};
use crate::document::{LongList, Node, documents, parse_long_yaml};

/// A document of a scenario file.
#[derive(Clone, Debug)]
pub struct ScenarioSource {
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: PathBuf,
    /// Where the document lies in it, in bytes.
    pub range: Range<usize>,
}

/// A scenario as a tree.
#[derive(Debug)]
pub struct ScenarioDocument<'s> {
    /// The tree.
    pub node: Node,
    /// Its turns, where they are too many for it.
    pub turns: Option<LongList<'s>>,
    /// Whether it was recorded, so that it may hold any name.
    pub is_recorded: bool,
}

/// Turns that a tree holds at most. Those of longer scenarios are read turn by turn, each time that they are needed.
const MOST_TURNS: usize = 1000;

impl ScenarioSource {
    /// The documents of a file: of YAML each that is not empty, of markdown the file as it is, of a trace each dialogue.
    pub fn all(file: FileId, path: &Path, sources: &SourceMap) -> Vec<Self> {
        let Some(source) = sources.file(file) else { return Vec::new() };
        let text = source.text();
        let whole = 0..text.len();
        let ranges = if is_markdown(path) {
            vec![whole]
        } else if is_trace(path, text) {
            dialogues(text)
        } else {
            documents(text)
        };
        ranges.into_iter().map(|range| Self { file, path: path.to_path_buf(), range }).collect()
    }

    /// Where it begins.
    pub fn start(&self, sources: &SourceMap) -> Span {
        let text = self.text(sources);
        let start = self.range.start + text.len() - text.trim_start().len();
        Span::new(self.file, start, start)
    }

    /// The scenario as a tree. `None`, with findings, where the text cannot be read.
    pub fn document<'s>(&self, sources: &'s SourceMap, found: &mut Diagnostics) -> Option<ScenarioDocument<'s>> {
        let text = self.text(sources);
        let is_recorded = !is_markdown(&self.path) && is_trace(&self.path, text);
        let (node, turns) = if is_markdown(&self.path) {
            (parse_transcript(self.file, &self.path, text, found)?, None)
        } else if is_recorded {
            (parse_recorded(self.file, text, self.range.start, found)?, None)
        } else {
            parse_long_yaml((self.file, text, self.range.start), (TURNS, MOST_TURNS), found)?
        };
        Some(ScenarioDocument { node, turns, is_recorded })
    }

    fn text<'s>(&self, sources: &'s SourceMap) -> &'s str {
        let text = sources.file(self.file).map(|file| &**file.text());
        text.and_then(|text| text.get(self.range.clone())).unwrap_or_default()
    }
}
