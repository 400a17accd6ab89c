//! A state, with its rules and transitions per intent.

use super::{
    ActionId, ChainId, ControlNode, History, Id, IntentId, PhaseId, RuleId, SlotId, SourceMask,
    StateId, Value,
};
use fsmsim_syntax::diagnostic::Span;

/// A state of the machine.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether the state is defined; otherwise, it is only named as a target.
    pub declared: bool,
    /// The control node, if the state is not a plain state.
    pub node: Option<Box<ControlNode>>,
    /// The state that contains this state.
    pub region: Option<StateId>,
    /// The aside that the state is part of: the state itself, or the innermost enclosing region that is an aside.
    pub aside: Option<StateId>,
    /// The kind of history that the state saves for its inner states.
    pub history: Option<History>,
    /// The phase of the state.
    pub phase: Option<PhaseId>,
    /// The phase that conditions see; differs from `phase` for states that only the constants map to a phase.
    pub seen_phase: Option<PhaseId>,
    /// Whether the dialogue ends here.
    pub is_final: bool,
    /// The dialogue also ends here if this slot is filled.
    pub final_if: Option<SlotId>,
    /// Whether entering this state exits all running branches.
    pub leaves_branches: bool,
    /// The action on entering the state; it overrides the decided action.
    pub enter_action: Option<ActionId>,
    /// The rule whose operations run on entering the state.
    pub entry: Option<RuleId>,
    /// Data to set on entering the state.
    pub set_flags: Box<[(SlotId, Value)]>,
    /// The action `transition_to_<state>`.
    pub arrival: Option<ActionId>,
    /// Data that the state must collect, in order.
    pub required: Box<[SlotId]>,
    /// Data that the state may collect, in order.
    pub optional: Box<[SlotId]>,
    /// The chain of actions for each intent.
    pub rules: ChainTable,
    /// The chain of target states for each intent.
    pub transitions: ChainTable,
    /// The target for going back.
    pub go_back: Target,
    /// The target for going back from the constants, used if the state defines none.
    pub allowed_go_back: Option<StateId>,
    /// The position of the state in the funnel, from the constants.
    pub funnel: Option<i64>,
    /// The target when all required data is present.
    pub data_complete: Target,
    /// The target for any other input.
    pub any: Target,
    /// The number of turns after which the fallback transition is forced; 0 means never.
    pub max_turns: i64,
    /// The maximum number of turns in the state, after which a simulated dialogue ends; 0 means no limit.
    pub simulation_visits: u32,
    /// The maximum number of consecutive turns that a simulated dialogue can spend in the state; 0 means no limit.
    pub simulation_consecutive: u32,
    /// The number of turns after which the assistant offers options.
    pub exhaust_threshold: i64,
    /// The target of the forced transition.
    pub fallback: Target,
    pub goal: Option<Box<str>>,
    /// The location of the definition.
    pub span: Option<Span>,
    /// The sources that can make proposals in this state.
    pub source_filter: SourceMask,
}

impl State {
    /// The targets that do not depend on the intent.
    pub fn targets(&self) -> [Target; 4] {
        [self.go_back, self.data_complete, self.any, self.fallback]
    }

    /// Whether the state only marks the end of a branch.
    pub fn is_branch_end(&self) -> bool {
        matches!(self.node.as_deref(), Some(ControlNode::BranchEnd))
    }

    /// Whether the state is the way back from an aside.
    pub fn is_resume(&self) -> bool {
        matches!(self.node.as_deref(), Some(ControlNode::Resume))
    }

    /// Whether the state is only a target: a dialogue never stays in it.
    pub fn is_target_only(&self) -> bool {
        self.is_branch_end() || self.is_resume()
    }
}

/// A target that does not depend on the intent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    #[default]
    None,
    /// Always this state.
    State(StateId, RuleId),
    /// The state depends on conditions.
    Chain(ChainId),
}

impl Target {
    /// Whether there is a target.
    #[inline]
    pub fn is_some(self) -> bool {
        self != Self::None
    }
}

/// Maps intents to chains.
#[derive(Clone, Debug, Default)]
pub struct ChainTable {
    /// The pairs, ordered by intent.
    pairs: Box<[(IntentId, ChainId)]>,
    /// The chains of all intents from `first` on, if the IDs are close together.
    dense: Box<[Option<ChainId>]>,
    first: usize,
}

/// A table is dense if it has fewer than this many entries per pair.
const SPARSE: usize = 8;

impl ChainTable {
    /// Creates a table from these pairs.
    pub fn new(mut pairs: Vec<(IntentId, ChainId)>) -> Self {
        pairs.sort_by_key(|(intent, _)| *intent);
        let first = pairs.first().map_or(0, |(intent, _)| intent.index());
        let last = pairs.last().map_or(0, |(intent, _)| intent.index());
        let mut dense = Vec::new();
        if last - first < pairs.len() * SPARSE {
            dense = vec![None; last - first + 1];
            for (intent, chain) in &pairs {
                if let Some(entry) = dense.get_mut(intent.index() - first) {
                    *entry = Some(*chain);
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
    fn table_returns_the_chain_of_each_intent_only() {
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
