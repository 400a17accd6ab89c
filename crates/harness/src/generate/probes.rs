//! Dialogues that show every counted item of a model, to compare the model with its mutants.

use std::sync::Arc;

use strum::VariantArray;

use super::dialogue_graph::DialogueGraph;
use super::draft::{DialogueDraft, ExampleWords};
use super::goals::Goals;
use crate::coverage::{CoverageKind, CoverageMap, ModelCoverage, reached_bound};
use crate::limits::{MAX_GENERATED_TURNS, TURNS_OF_PROBED_ITEM};
use crate::scenario::KeyedTurn;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::threads::Threads;

/// Dialogues of a model.
pub(crate) struct Probes {
    /// The turns of each dialogue.
    pub dialogues: Vec<Vec<KeyedTurn>>,
    /// Why the model has other dialogues.
    pub bound: Option<String>,
}

impl Probes {
    /// Searches dialogues in up to this number of states. They show each item in several turns.
    pub(crate) fn of(machine: &Arc<Machine>, states: usize, threads: &Threads) -> Self {
        let map = CoverageMap::of(machine);
        let report = ModelCoverage::new(machine).report(str::to_owned);
        let kinds = CoverageKind::VARIANTS.iter().copied();
        let kinds: Vec<CoverageKind> = kinds.filter(|kind| kind.is_searched()).collect();
        let mut goals = Goals::new(&map, &report, &kinds);
        let (graph, _) = DialogueGraph::new(machine, &mut goals, &report, states, threads);
        let plans = graph.plans(goals.len(), MAX_GENERATED_TURNS, TURNS_OF_PROBED_ITEM);
        let mut words = ExampleWords::default();
        let drafts = plans.iter().filter_map(|plan| {
            let draft = DialogueDraft::planned(&plan.turns, machine, &mut words)?;
            Some(draft.turns.into_iter().map(|turn| turn.keys).collect())
        });
        Self {
            dialogues: drafts.collect(),
            bound: reached_bound(&graph.space),
        }
    }
}
