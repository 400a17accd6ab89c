//! What was decided in a turn, and who decided it.

use smallvec::SmallVec;
use strum::{IntoStaticStr, VariantArray};

use super::nodes::NodeTraversal;
use super::{Draft, Machine, Proposal, Reason, SourceKind, TurnContext};
use crate::machine::{ActionId, EdgeMark, Level, RuleId, StateId};

/// What was decided in a turn.
#[derive(Debug)]
pub struct Decision {
    pub action: ActionId,
    /// The state after the turn.
    pub to: StateId,
    /// Who decided the action; nobody, where no action won.
    pub by_action: Option<Won>,
    /// Who decided the transition; nobody, where none won.
    pub by_transition: Option<Won>,
    /// What else there is to say of the turn: why it went elsewhere than was proposed, and what it is taken as.
    pub notes: SmallVec<[Reason; 2]>,
    /// How action and transition came together.
    pub merge: Merge,
    /// The turn was given up.
    pub failed: bool,
    /// The mark of the edge that was taken.
    pub(super) mark: Option<EdgeMark>,
    /// What happened at choices, forks and joins, where the machine has any.
    pub(super) traversal: Option<Box<NodeTraversal>>,
    /// What becomes of the state that is kept to return to.
    pub returns: Returns,
    /// The data and the counters after the turn, where something is done to them, and what is done besides.
    pub(super) draft: Option<Box<Draft>>,
    /// What the machine says by itself.
    pub(super) replies: Vec<Box<str>>,
}

/// Who decided an action or a transition, by which rule, and why.
#[derive(Clone, Copy, Debug)]
pub struct Won {
    /// The source; nobody, where the engine itself decided.
    pub by: Option<SourceKind>,
    /// The rule that it comes from.
    pub rule: Option<RuleId>,
    /// Why.
    pub reason: Reason,
    /// How urgent it was.
    pub level: Level,
    /// Its rank within the level.
    pub rank: i64,
    /// The number of the proposal on the blackboard.
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

/// What becomes of the state that is kept to return to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// It stays as it is.
    #[default]
    AsItIs,
    /// This one is kept.
    Keep(StateId),
    /// None is kept.
    Forget,
}

/// How action and transition came together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Merge {
    /// Nothing was proposed.
    NoProposals,
    ActionOnly,
    TransitionOnly,
    /// Both.
    Merged,
    /// An action that leaves no room for a transition.
    Blocked,
    /// The turn was given up.
    Failed,
}

impl Merge {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Decision {
    /// The decision to stay in a state and go on, where nothing was proposed.
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

    /// A turn that is given up: the dialogue stays where it is.
    pub(super) fn give_up(machine: &Machine, state: StateId, why: Reason) -> Self {
        let notes = SmallVec::from_slice(&[why]);
        Self {
            merge: Merge::Failed,
            failed: true,
            notes,
            ..Self::new(machine, state)
        }
    }

    /// Takes the action of arriving in another state, where no action won.
    pub(super) fn arrive(&mut self, turn: &TurnContext<'_>) {
        if self.by_action.is_none()
            && self.to != turn.state
            && let Some(arrival) = turn.machine.state(self.to).arrival
        {
            self.action = arrival;
        }
    }

    /// The action of the turn: the one of entering, where another state is entered that has one.
    pub(super) fn final_action(&self, turn: &TurnContext<'_>) -> ActionId {
        let entering = turn
            .machine
            .state(self.to)
            .enter_action
            .filter(|_| self.to != turn.state);
        entering.unwrap_or(self.action)
    }

    /// All reasons: of the action, then of the transition, then the notes.
    pub fn reasons(&self) -> impl Iterator<Item = Reason> {
        let won = [self.by_action, self.by_transition]
            .into_iter()
            .flatten()
            .map(|won| won.reason);
        won.chain(self.notes.iter().copied())
    }
}
