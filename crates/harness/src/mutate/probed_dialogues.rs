//! Dialogues of a model that are played on its mutants. They find most differences faster than a search.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::killing_scenario::SeenFields;
use super::mutation_suite::MutationSuite;
use crate::coverage::Touched;
use crate::generate::Probes;
use crate::scenario::{KeyedTurn, ModelKey, OpenScenario, ScenarioDraft};
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
            ProbedDialogue::new(suite, (key, machine), place, turns)
        });
        Self {
            dialogues: played.into_iter().flatten().collect(),
            bound,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.dialogues.len()
    }

    /// The turns of a dialogue that differs on a mutant, of those that show one of these lines, or of those that show
    /// none.
    pub(super) fn differing(
        &self,
        suite: &MutationSuite<'_>,
        on: (&ModelKey, &Arc<Machine>),
        (file, lines): (&str, &RangeInclusive<u32>),
        shows: bool,
    ) -> Option<Vec<KeyedTurn>> {
        let dialogues = self.dialogues.iter();
        let wanted = dialogues.filter(|one| one.touched.has_lines(file, lines) == shows);
        let mut found = wanted.filter_map(|dialogue| {
            let mut seen = SeenFields::default();
            let passes = suite.passes(&dialogue.text, on, &mut seen);
            let at = dialogue.seen.difference(passes.map(|_| &seen))?;
            Some(dialogue.turns.iter().take(at + 1).cloned().collect())
        });
        found.next()
    }
}

impl ProbedDialogue {
    /// Plays a dialogue; `None` if it is invalid or ends earlier.
    fn new(
        suite: &MutationSuite<'_>,
        on: (&ModelKey, &Arc<Machine>),
        place: &str,
        turns: &[KeyedTurn],
    ) -> Option<Self> {
        let head = vec![
            ("scenario", Value::text("dialogue")),
            ("model", Value::text(place)),
        ];
        let draft = ScenarioDraft::of_turns(on.1, head, turns.to_vec());
        let text = suite.open(&draft.to_yaml().ok()?)?;
        let mut seen = SeenFields::default();
        suite.passes(&text, on, &mut seen)?;
        if seen.len() < turns.len() {
            return None;
        }
        let touched = suite.touched(&text, on)?;
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
