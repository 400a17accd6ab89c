//! Dialogues of a model that are played on its mutants. They find most differences faster than a search.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::killing_scenario::SeenFields;
use super::mutation_suite::{MutationSuite, OpenScenario};
use crate::coverage::Touched;
use crate::generate::{KeyedTurn, Probes};
use crate::scenario::{ModelKey, ScenarioDraft};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_syntax::threads::Threads;

/// A dialogue that the original plays.
struct ProbedDialogue {
    turns: Vec<KeyedTurn>,
    text: OpenScenario,
    seen: SeenFields,
    touched: Touched,
}

/// Dialogues that show each counted item of a model in several turns.
pub(super) struct ProbedDialogues {
    dialogues: Vec<ProbedDialogue>,
    /// Why the model has other dialogues.
    pub bound: Option<String>,
}

impl ProbedDialogues {
    /// Searches the dialogues of a model and plays them.
    pub(super) fn of(
        suite: &MutationSuite<'_>,
        (key, place): (&ModelKey, &str),
        machine: &Arc<Machine>,
        states: usize,
        threads: &Threads,
    ) -> Self {
        let Probes { dialogues, bound } = Probes::of(machine, states, threads);
        // Words can change a dialogue, so each one is also played without them.
        let plain: Vec<_> = dialogues.iter().map(|turns| without_words(turns)).collect();
        let all: Vec<Vec<KeyedTurn>> = dialogues.into_iter().chain(plain).collect();
        let played = threads.map(&all, |turns| {
            ProbedDialogue::new(suite, (key, place), machine, turns)
        });
        Self {
            dialogues: played.into_iter().flatten().collect(),
            bound,
        }
    }

    /// The number of dialogues that show one of these lines, or of all.
    pub(super) fn count(&self, lines: Option<(&str, &RangeInclusive<u32>)>) -> usize {
        self.showing(lines).count()
    }

    /// The turns of the shortest dialogue that differs on a mutant, among those that show one of these lines.
    pub(super) fn differing(
        &self,
        suite: &MutationSuite<'_>,
        key: &ModelKey,
        mutant: &Arc<Machine>,
        lines: Option<(&str, &RangeInclusive<u32>)>,
    ) -> Option<Vec<KeyedTurn>> {
        let found = self.showing(lines).filter_map(|dialogue| {
            let mut seen = SeenFields::default();
            let passes = suite.passes(&dialogue.text, key, mutant, &mut seen);
            let at = dialogue.seen.difference(passes.map(|_| &seen))?;
            Some((at, dialogue))
        });
        let (at, dialogue) = found.min_by_key(|(at, _)| *at)?;
        Some(dialogue.turns.iter().take(at + 1).cloned().collect())
    }

    fn showing<'s>(
        &'s self,
        lines: Option<(&'s str, &'s RangeInclusive<u32>)>,
    ) -> impl Iterator<Item = &'s ProbedDialogue> {
        self.dialogues.iter().filter(move |dialogue| {
            lines.is_none_or(|(file, lines)| dialogue.touched.has_lines(file, lines))
        })
    }
}

impl ProbedDialogue {
    /// Plays a dialogue; `None` if it is invalid or ends earlier.
    fn new(
        suite: &MutationSuite<'_>,
        (key, place): (&ModelKey, &str),
        machine: &Arc<Machine>,
        turns: &[KeyedTurn],
    ) -> Option<Self> {
        let head = vec![
            ("scenario", Value::text("dialogue")),
            ("model", Value::text(place)),
        ];
        let draft = ScenarioDraft::of_turns(machine, head, turns.to_vec());
        let path = suite.runner.project.scenarios.join("mutant.yaml");
        let text = suite.open(&draft.to_yaml().ok()?, &path)?;
        let mut seen = SeenFields::default();
        suite.passes(&text, key, machine, &mut seen)?;
        if seen.len() < turns.len() {
            return None;
        }
        let touched = suite.touched(&text, key, machine)?;
        Some(Self {
            turns: turns.to_vec(),
            text,
            seen,
            touched,
        })
    }
}

/// The turns without the words of those that have an intent.
fn without_words(turns: &[KeyedTurn]) -> Vec<KeyedTurn> {
    let turns = turns.iter().map(|turn| {
        let mut turn = turn.clone();
        if turn.iter().any(|(key, _)| key == "intent") {
            turn.retain(|(key, _)| key != "say");
        }
        turn
    });
    turns.collect()
}
