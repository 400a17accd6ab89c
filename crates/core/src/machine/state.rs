//! A state and what it says about each intent.

use super::{
    ActionId, ChainId, ControlNode, History, Id, IntentId, PhaseId, RuleId, SlotId, SourceMask,
    StateId, Value,
};
use fsmsim_syntax::diagnostic::Span;

/// A state of the machine.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Defined, and not only named as the target of a transition.
    pub declared: bool,
    /// What happens when the dialogue comes to it, where it is more than a place.
    pub node: Option<Box<ControlNode>>,
    /// The state that it is inside of.
    pub region: Option<StateId>,
    /// What it remembers of the states inside it.
    pub history: Option<History>,
    /// The phase it belongs to.
    pub phase: Option<PhaseId>,
    /// The phase that conditions see; differs from `phase` for states that only the constants map to a phase.
    pub seen_phase: Option<PhaseId>,
    /// The dialogue ends here.
    pub is_final: bool,
    /// The dialogue ends here too once this slot holds something.
    pub final_if: Option<SlotId>,
    /// Whoever comes here leaves all running branches behind.
    pub leaves_branches: bool,
    /// The action of entering, in place of the decided one.
    pub enter_action: Option<ActionId>,
    /// What is done on entering are the operations of this rule.
    pub entry: Option<RuleId>,
    /// Data that is set on entering.
    pub set_flags: Box<[(SlotId, Value)]>,
    /// The action `transition_to_<state>`.
    pub arrival: Option<ActionId>,
    /// Data that the state must collect, in order.
    pub required: Box<[SlotId]>,
    /// Data that the state may collect, in order.
    pub optional: Box<[SlotId]>,
    /// Intent to action.
    pub rules: ChainTable,
    /// Intent to state.
    pub transitions: ChainTable,
    /// Where a step back leads.
    pub go_back: Target,
    /// Where a step back leads if the state says nothing, by the constants.
    pub allowed_go_back: Option<StateId>,
    /// Its place in the funnel, by the constants.
    pub funnel: Option<i64>,
    /// Where complete data leads.
    pub data_complete: Target,
    /// Where any other input leads.
    pub any: Target,
    /// Turns after which the state is left by force; 0 is never.
    pub max_turns: i64,
    /// Turns that a simulated dialogue may end in the state, in all; 0 is any number.
    pub simulation_visits: u32,
    /// Turns in a row that a simulated dialogue may end in the state; 0 is any number.
    pub simulation_consecutive: u32,
    /// Turns after which options are offered.
    pub exhaust_threshold: i64,
    /// Where the state is left to by force.
    pub fallback: Target,
    pub goal: Option<Box<str>>,
    /// Where it is defined.
    pub span: Option<Span>,
    /// The sources that may have something to say in this state.
    pub source_filter: SourceMask,
}

impl State {
    /// Where the state leads whatever is meant.
    pub fn targets(&self) -> [Target; 4] {
        [self.go_back, self.data_complete, self.any, self.fallback]
    }

    /// Whether it is no place, but what a branch comes to in the end.
    pub fn is_branch_end(&self) -> bool {
        matches!(self.node.as_deref(), Some(ControlNode::BranchEnd))
    }
}

/// A target that stands outside the intents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    #[default]
    None,
    /// Always this state.
    State(StateId, RuleId),
    /// Depends on conditions.
    Chain(ChainId),
}

impl Target {
    /// Whether there is one.
    #[inline]
    pub fn is_some(self) -> bool {
        self != Self::None
    }
}

/// Intents with their chains.
#[derive(Clone, Debug, Default)]
pub struct ChainTable {
    /// The pairs, ordered by intent.
    pairs: Box<[(IntentId, ChainId)]>,
    /// The chains of neighbouring intents from `first` on, where the pairs lie close together.
    dense: Box<[Option<ChainId>]>,
    first: usize,
}

/// A table is laid out dense where no more than this many places a pair stay empty.
const SPARSE: usize = 8;

impl ChainTable {
    /// A table of these pairs.
    pub fn new(mut pairs: Vec<(IntentId, ChainId)>) -> Self {
        pairs.sort_by_key(|(intent, _)| *intent);
        let first = pairs.first().map_or(0, |(intent, _)| intent.index());
        let last = pairs.last().map_or(0, |(intent, _)| intent.index());
        let mut dense = Vec::new();
        if last - first < pairs.len() * SPARSE {
            dense = vec![None; last - first + 1];
            for (intent, chain) in &pairs {
                if let Some(place) = dense.get_mut(intent.index() - first) {
                    *place = Some(*chain);
                }
            }
        }
        Self {
            pairs: pairs.into(),
            dense: dense.into(),
            first,
        }
    }

    #[inline]
    pub fn get(&self, intent: IntentId) -> Option<ChainId> {
        if !self.dense.is_empty() {
            return self
                .dense
                .get(intent.index().wrapping_sub(self.first))
                .copied()
                .flatten();
        }
        let at = self
            .pairs
            .binary_search_by_key(&intent, |(key, _)| *key)
            .ok()?;
        self.pairs.get(at).map(|(_, chain)| *chain)
    }

    /// All pairs, ordered by intent.
    pub fn iter(&self) -> impl Iterator<Item = (IntentId, ChainId)> {
        self.pairs.iter().copied()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_gives_each_intent_its_chain_and_no_other() {
        for step in [1, 100] {
            let pairs: Vec<_> = (5..25)
                .map(|n| (IntentId::from_index(n * step), ChainId::from_index(n)))
                .collect();
            let table = ChainTable::new(pairs.iter().rev().copied().collect());
            assert_eq!(table.dense.is_empty(), step > 1);
            assert_eq!(table.iter().collect::<Vec<_>>(), pairs);
            for (intent, chain) in pairs {
                assert_eq!(table.get(intent), Some(chain));
            }
            for other in [0, 4 * step, 25 * step, 1_000_000] {
                assert_eq!(table.get(IntentId::from_index(other)), None);
            }
        }
        assert_eq!(ChainTable::default().get(IntentId::from_index(0)), None);
    }
}
