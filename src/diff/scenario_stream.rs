//! Scenarios that are played one behind the other, some at a time.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::diff_outcome::NamedFiles;
use super::scenario_documents::ScenarioDocuments;
use super::titles::Titles;
use super::trace_scenario::{TracedScenario, trace_scenario};
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::scenario::{Runner, ScenarioSource, ScenarioText, scenario_files};
use crate::threads::Threads;
use crate::trace::TracedDialogue;

/// Scenarios that are played one behind the other.
pub struct ScenarioStream<'r> {
    runner: &'r Runner<'r>,
    threads: &'r Threads,
    pub(super) folder: PathBuf,
    documents: ScenarioDocuments,
    played: VecDeque<PlayedDocument>,
    titles: Titles,
    /// What they name.
    pub(super) named: NamedFiles,
    /// How many could not be played.
    pub(super) unplayable: usize,
    /// In some turn nobody read what was said.
    pub(super) unread: bool,
}

/// What came of a document, or of a file that cannot be read.
#[derive(Default)]
struct PlayedDocument {
    found: Diagnostics,
    named: NamedFiles,
    /// The document, which perhaps could not be played.
    source: Option<ScenarioSource>,
    /// The title, and what was played.
    traced: Option<(String, TracedScenario)>,
}

impl<'r> ScenarioStream<'r> {
    /// The scenarios of a file or folder.
    pub(super) fn new(path: &Path, runner: &'r Runner<'r>, threads: &'r Threads, found: &mut Diagnostics) -> Self {
        Self {
            runner,
            threads,
            folder: path.to_path_buf(),
            documents: ScenarioDocuments::of(scenario_files(&[path.to_path_buf()], found)),
            played: VecDeque::new(),
            titles: Titles::default(),
            named: NamedFiles::default(),
            unplayable: 0,
            unread: false,
        }
    }

    /// The next dialogue; nothing behind the last one.
    pub(super) fn next(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<TracedDialogue> {
        loop {
            if self.played.is_empty() {
                let documents = self.documents.next(sources);
                self.played = self.threads.map(&documents, |document| play(self.runner, document, sources)).into();
            }
            let PlayedDocument { found: told, named, source, traced } = self.played.pop_front()?;
            found.extend(told);
            self.named.extend(named);
            let Some(source) = source else { continue };
            let Some((title, mut traced)) = traced else {
                self.unplayable += 1;
                continue;
            };
            let file = source.path.strip_prefix(&self.folder).unwrap_or(&source.path);
            traced.dialogue.header.dialogue = self.titles.name(&title, file);
            // A file that is one side by itself has the other for its counterpart, whatever they are called.
            let file = if *file == *self.folder { String::new() } else { file.display().to_string() };
            traced.dialogue.header.scenario = Some((title, file));
            self.unread |= traced.unread;
            return Some(traced.dialogue);
        }
    }
}

/// Plays a document.
fn play(runner: &Runner<'_>, document: &Result<ScenarioSource, Diagnostics>, sources: &SourceMap) -> PlayedDocument {
    let source = match document {
        Ok(source) => source,
        Err(found) => return PlayedDocument { found: found.clone(), ..PlayedDocument::default() },
    };
    let mut played = PlayedDocument { source: Some(source.clone()), ..PlayedDocument::default() };
    let PlayedDocument { found, named, .. } = &mut played;
    played.traced = source.document(sources, found).and_then(|document| {
        let scenario = ScenarioText::read(&document, found)?;
        named.mocks.extend(runner.mock_of(&scenario, &source.path));
        let prepared = runner.prepare(&scenario, &source.path, found);
        let prepared = prepared.map_err(|model| named.models.extend(model)).ok()?;
        Some((scenario.title.to_owned(), trace_scenario(&prepared, scenario.title, None, found)))
    });
    played
}
