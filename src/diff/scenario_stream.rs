//! Scenarios that are played one after the other.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::diff_outcome::NamedFiles;
use super::titles::Titles;
use super::trace_scenario::trace_scenario;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::document::read_file;
use crate::scenario::{FILE_LIMIT, Runner, ScenarioSource, ScenarioText, scenario_files};
use crate::trace::TracedDialogue;

/// Scenarios that are played one after the other.
pub struct ScenarioStream<'r> {
    runner: &'r Runner<'r>,
    pub(super) folder: PathBuf,
    files: VecDeque<PathBuf>,
    waiting: VecDeque<ScenarioSource>,
    titles: Titles,
    /// What they name.
    pub(super) named: NamedFiles,
    /// How many could not be played.
    pub(super) unplayable: usize,
    /// In some turn nobody read what was said.
    pub(super) unread: bool,
}

impl<'r> ScenarioStream<'r> {
    /// The scenarios of a file or folder.
    pub(super) fn new(path: &Path, runner: &'r Runner<'r>, found: &mut Diagnostics) -> Self {
        Self {
            runner,
            folder: path.to_path_buf(),
            files: scenario_files(&[path.to_path_buf()], found).into(),
            waiting: VecDeque::new(),
            titles: Titles::default(),
            named: NamedFiles::default(),
            unplayable: 0,
            unread: false,
        }
    }

    /// The next dialogue; nothing behind the last one.
    pub(super) fn next(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<TracedDialogue> {
        loop {
            let Some(source) = self.waiting.pop_front() else {
                let path = self.files.pop_front()?;
                if let Some(file) = read_file(&path, FILE_LIMIT, sources, found) {
                    self.waiting = ScenarioSource::all(file, &path, sources).into();
                }
                continue;
            };
            match self.play(&source, found, sources) {
                Some(dialogue) => return Some(dialogue),
                None => self.unplayable += 1,
            }
        }
    }

    fn play(
        &mut self,
        source: &ScenarioSource,
        found: &mut Diagnostics,
        sources: &SourceMap,
    ) -> Option<TracedDialogue> {
        let node = source.node(sources, found)?;
        let scenario = ScenarioText::read(&node, found)?;
        self.named.mocks.extend(self.runner.mock_of(&scenario, &source.path));
        let prepared = self.runner.prepare(&scenario, &source.path, found);
        let prepared = prepared.map_err(|model| self.named.models.extend(model)).ok()?;
        let file = source.path.strip_prefix(&self.folder).unwrap_or(&source.path);
        let name = self.titles.name(scenario.title, file);
        let traced = trace_scenario(&prepared, &name, None, found);
        self.unread |= traced.unread;
        Some(traced.dialogue)
    }
}
