//! A state and what it says about each intent.

use super::id::{ActionId, ChainId, IntentId, PhaseId, SlotId, StateId};
use super::source::SourceMask;
use super::value::Value;
use crate::diagnostic::Span;

/// A state of the machine.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Defined, and not only named as the target of a transition.
    pub declared: bool,
    /// What kind of node it is.
    pub kind: StateKind,
    /// The phase it belongs to.
    pub phase: Option<PhaseId>,
    /// The phase that conditions see; differs from `phase` for states that only the constants map to a phase.
    pub seen_phase: Option<PhaseId>,
    /// The dialogue ends here.
    pub is_final: bool,
    /// The action of entering, in place of the decided one.
    pub enter_action: Option<ActionId>,
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
    /// Turns after which options are offered.
    pub exhaust_threshold: i64,
    /// Where the state is left to by force.
    pub fallback: Target,
    /// What the state is for.
    pub goal: Option<Box<str>>,
    /// Where it is defined.
    pub span: Option<Span>,
    /// The sources that may have something to say in this state.
    pub interest: SourceMask,
}

/// What kind of node a state is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StateKind {
    /// An ordinary state.
    #[default]
    Simple,
    /// Chooses one way by conditions.
    Choice,
    /// Starts branches.
    Fork,
    /// Waits for branches.
    Join,
    /// Holds regions.
    Parallel,
}

/// A target that stands outside the intents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// None.
    #[default]
    None,
    /// Always this state.
    State(StateId, super::id::RuleId),
    /// Depends on conditions.
    Chain(ChainId),
}

impl Target {
    /// Whether there is one.
    #[must_use]
    pub fn is_some(self) -> bool {
        self != Self::None
    }
}

/// Intents with their chains, ordered by intent.
#[derive(Clone, Debug, Default)]
pub struct ChainTable(Box<[(IntentId, ChainId)]>);

/// Tables up to this size are scanned, larger ones searched by halving.
const SCANNED: usize = 8;

impl ChainTable {
    /// A table of these pairs.
    #[must_use]
    pub fn new(mut pairs: Vec<(IntentId, ChainId)>) -> Self {
        pairs.sort_by_key(|(intent, _)| *intent);
        Self(pairs.into())
    }

    /// The chain of an intent.
    #[must_use]
    pub fn get(&self, intent: IntentId) -> Option<ChainId> {
        if self.0.len() <= SCANNED {
            return self.0.iter().find(|(key, _)| *key == intent).map(|(_, chain)| *chain);
        }
        let at = self.0.binary_search_by_key(&intent, |(key, _)| *key).ok()?;
        self.0.get(at).map(|(_, chain)| *chain)
    }

    /// All pairs, ordered by intent.
    pub fn iter(&self) -> impl Iterator<Item = (IntentId, ChainId)> {
        self.0.iter().copied()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
