//! Runs scenarios in order, in batches.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use super::diff_outcome::NamedFiles;
use super::scenario_documents::ScenarioDocuments;
use super::scenario_set::ScenarioSet;
use super::titles::Titles;
use super::trace_scenario::{PlayedBy, TracedScenario};
use crate::scenario::{Runner, ScenarioSource, ScenarioText, scenario_files};
use fsmsim_core::trace::TracedDialogue;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::Threads;

/// Scenarios that are run in order.
pub struct ScenarioStream<'r> {
    pub(super) runner: &'r Runner<'r>,
    threads: &'r Threads,
    pub(super) folder: PathBuf,
    /// Path prefixes of the files, each with the prefix to display.
    pub(super) names: Vec<(String, String)>,
    documents: ScenarioDocuments<'r>,
    played: VecDeque<PlayedDocument>,
    titles: Titles,
    /// The files that the scenarios name.
    pub(super) named: NamedFiles,
    /// The number of scenarios that could not be run.
    pub(super) unplayable: usize,
    /// No recognizer could read the utterance of at least one turn.
    pub(super) unread: bool,
}

/// The result of a document, or of a file that cannot be read.
#[derive(Default)]
struct PlayedDocument {
    found: Diagnostics,
    named: NamedFiles,
    /// The document, even if it could not be run.
    source: Option<ScenarioSource>,
    traced: Option<TracedScenario>,
}

impl<'r> ScenarioStream<'r> {
    /// The scenarios in a file or folder.
    pub(super) fn new(
        scenarios: &ScenarioSet,
        runner: &'r Runner<'r>,
        threads: &'r Threads,
        found: &mut Diagnostics,
    ) -> Self {
        let path = &scenarios.path;
        Self {
            runner,
            threads,
            folder: path.clone(),
            names: scenarios.names(),
            documents: ScenarioDocuments::of(
                scenario_files(std::slice::from_ref(path), found),
                runner.project,
            ),
            played: VecDeque::new(),
            titles: Titles::default(),
            named: NamedFiles::default(),
            unplayable: 0,
            unread: false,
        }
    }

    /// The next dialogue. Returns `None` at the end.
    pub(super) fn next(
        &mut self,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<(TracedDialogue, PlayedBy)> {
        loop {
            if self.played.is_empty() {
                let documents = self.documents.next(sources);
                // A dialogue that differs runs again while the next documents are read.
                let sources = Arc::new(sources.clone());
                self.played = self
                    .threads
                    .map(&documents, |document| play(self.runner, document, &sources))
                    .into();
            }
            let PlayedDocument {
                found: diagnostics,
                named,
                source,
                traced,
            } = self.played.pop_front()?;
            found.extend(diagnostics);
            self.named.extend(named);
            let Some(source) = source else { continue };
            let Some(TracedScenario {
                mut dialogue,
                by,
                unread,
            }) = traced
            else {
                self.unplayable += 1;
                continue;
            };
            let file = source
                .path
                .strip_prefix(&self.folder)
                .unwrap_or(&source.path);
            let name = self.titles.name(&dialogue.header.dialogue, file);
            let title = std::mem::replace(&mut dialogue.header.dialogue, name);
            // If a side is a single file, its counterpart is the other side's file, regardless of the names.
            let file = if *file == *self.folder {
                String::new()
            } else {
                file.display().to_string()
            };
            dialogue.header.scenario = Some((title, file));
            self.unread |= unread;
            return Some((dialogue, by));
        }
    }
}

/// Runs the scenario in a document.
fn play(
    runner: &Runner<'_>,
    document: &Result<ScenarioSource, Diagnostics>,
    sources: &Arc<SourceMap>,
) -> PlayedDocument {
    let source = match document {
        Ok(source) => source,
        Err(found) => {
            return PlayedDocument {
                found: found.clone(),
                ..PlayedDocument::default()
            };
        }
    };
    let mut played = PlayedDocument {
        source: Some(source.clone()),
        ..PlayedDocument::default()
    };
    let PlayedDocument { found, named, .. } = &mut played;
    let mut is_skipped = false;
    played.traced = source.document(sources, found).and_then(|document| {
        let scenario = ScenarioText::read(&document, found)?;
        if scenario.skip.is_some() {
            is_skipped = true;
            return None;
        }
        if document.is_broken {
            return None;
        }
        named.mocks.extend(runner.mock_of(&scenario));
        let prepared = runner
            .prepare(&scenario, found)
            .map_err(|model| named.models.extend(model))
            .ok()?;
        let mut traced = TracedScenario::of(&prepared, found);
        traced.by.source = Some((source.clone(), Arc::clone(sources)));
        Some(traced)
    });
    played.found = source.name_case(played.found);
    if is_skipped {
        played.source = None;
    }
    played
}
