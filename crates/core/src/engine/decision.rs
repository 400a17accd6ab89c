//! The decision of a turn, and the sources that made it.

use smallvec::SmallVec;
use strum::{IntoStaticStr, VariantArray};

use super::nodes::NodeTraversal;
use super::{Draft, Machine, Proposal, Reason, SourceKind, TurnContext};
use crate::machine::{ActionId, EdgeMark, Level, RuleId, StateId};

/// The decision of a turn.
#[derive(Debug)]
pub struct Decision {
    pub action: ActionId,
    /// The state after the turn.
    pub to: StateId,
    /// The winning proposal of an action; `None` if no action won.
    pub by_action: Option<Won>,
    /// The winning proposal of a transition; `None` if no transition won.
    pub by_transition: Option<Won>,
    /// Further reasons: why the turn went to a different state than proposed, or has its class.
    pub notes: SmallVec<[Reason; 2]>,
    /// How action and transition were merged.
    pub merge: Merge,
    /// Whether the turn failed.
    pub failed: bool,
    /// The mark of the edge.
    pub(super) mark: Option<EdgeMark>,
    /// The path through choices, forks and joins, if the machine has any.
    pub(super) traversal: Option<Box<NodeTraversal>>,
    /// The change to the return state.
    pub returns: Returns,
    /// The data and the counters after the turn, with the violations and effects, if operations run.
    pub(super) draft: Option<Box<Draft>>,
    /// The messages of the machine.
    pub(super) replies: Vec<Box<str>>,
}

/// The winning proposal of an action or a transition: its source, rule and reason.
#[derive(Clone, Copy, Debug)]
pub struct Won {
    /// The source; `None` if the engine decided.
    pub by: Option<SourceKind>,
    /// The rule, if the proposal has one.
    pub rule: Option<RuleId>,
    pub reason: Reason,
    /// The level of the proposal.
    pub level: Level,
    /// The rank within the level.
    pub rank: i64,
    /// The index of the proposal on the blackboard.
    pub(super) proposal: u32,
}

impl Won {
    pub(super) fn of(number: usize, proposal: &Proposal) -> Self {
        let Proposal {
            by,
            rule,
            reason,
            level,
            rank,
            ..
        } = *proposal;
        Self {
            by,
            rule,
            reason,
            level,
            rank,
            proposal: u32::try_from(number).unwrap_or(u32::MAX),
        }
    }
}

/// The change to the return state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// Unchanged.
    #[default]
    AsItIs,
    /// Set to this state.
    Keep(StateId),
    /// Cleared.
    Forget,
}

/// How action and transition were merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Merge {
    /// Nothing was proposed.
    NoProposals,
    ActionOnly,
    TransitionOnly,
    /// An action and a transition.
    Merged,
    /// An action that blocks any transition.
    Blocked,
    /// The turn failed.
    Failed,
}

impl Merge {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Decision {
    /// The default decision if nothing was proposed: stay and continue.
    pub(super) fn new(machine: &Machine, state: StateId) -> Self {
        Self {
            action: machine.well_known.continue_goal,
            to: state,
            by_action: None,
            by_transition: None,
            notes: SmallVec::new(),
            merge: Merge::NoProposals,
            failed: false,
            mark: None,
            traversal: None,
            returns: Returns::AsItIs,
            draft: None,
            replies: Vec::new(),
        }
    }

    /// The decision of a failed turn: the dialogue stays.
    pub(super) fn give_up(machine: &Machine, state: StateId, why: Reason) -> Self {
        let notes = SmallVec::from_slice(&[why]);
        Self {
            merge: Merge::Failed,
            failed: true,
            notes,
            ..Self::new(machine, state)
        }
    }

    /// Sets the arrival action of the new state, if no action won.
    pub(super) fn arrive(&mut self, turn: &TurnContext<'_>) {
        if self.by_action.is_none()
            && self.to != turn.state
            && let Some(arrival) = turn.machine.state(self.to).arrival
        {
            self.action = arrival;
        }
    }

    /// The final action of the turn: the entry action of the new state, if it has one.
    pub(super) fn final_action(&self, turn: &TurnContext<'_>) -> ActionId {
        turn.machine
            .state(self.to)
            .enter_action
            .filter(|_| self.to != turn.state)
            .unwrap_or(self.action)
    }

    /// All reasons: those of the action and the transition, then the notes.
    pub fn reasons(&self) -> impl Iterator<Item = Reason> {
        [self.by_action, self.by_transition]
            .into_iter()
            .flatten()
            .map(|won| won.reason)
            .chain(self.notes.iter().copied())
    }
}
