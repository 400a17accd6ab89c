//! States that are more than a place: they choose a way, start branches, or wait for them (docs/flows.md, "Choices,
//! forks, joins").

use strum::{IntoStaticStr, VariantArray};

use super::{ActionId, BranchId, ConditionId, RuleId, StateId};

/// What a state does when the dialogue comes to it.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlNode {
    /// Takes the first way whose condition holds.
    Choice {
        /// The ways, in order.
        ways: Box<[Way]>,
        /// The way where none holds.
        default: Option<StateId>,
    },
    /// Starts branches; of a parallel state they are its regions.
    Fork(Fork),
    /// Waits for branches.
    Join(Join),
    /// The end of a branch: no place, but a target.
    BranchEnd,
}

impl ControlNode {
    /// Where it leads in the turn that comes to it.
    pub fn leads(&self) -> Vec<StateId> {
        match self {
            Self::Choice { ways, default } => {
                ways.iter().map(|way| way.next).chain(*default).collect()
            }
            Self::Fork(fork) => fork
                .branches
                .iter()
                .map(|branch| branch.start)
                .chain([fork.join_at])
                .collect(),
            Self::Join(_) | Self::BranchEnd => Vec::new(),
        }
    }
}

/// A way out of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// When it is taken.
    pub when: ConditionId,
    /// Where it leads.
    pub next: StateId,
    /// Where it is written.
    pub rule: RuleId,
}

/// The start of branches that run side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    /// The branches, in order.
    pub branches: Box<[BranchPlan]>,
    /// Where they come together.
    pub join_at: StateId,
    /// The condition of coming together that the fork itself names.
    pub condition: Option<JoinCondition>,
    /// Leaves all branches at once, where it holds after a turn.
    pub exit_when: Option<ConditionId>,
    /// Which branch a turn belongs to.
    pub routing: Routing,
    /// Whether the branches are the regions of a parallel state.
    pub parallel: bool,
}

/// A branch of a fork as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPlan {
    /// Its name.
    pub id: BranchId,
    pub start: StateId,
    /// It is skipped unless this holds.
    pub when: Option<ConditionId>,
    /// Intents that belong to it, whatever the routing says.
    pub handles: Box<[super::id::IntentId]>,
    /// Its priority, for routing by priority; the highest goes first.
    pub priority: i64,
}

/// Which of several active branches a turn belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Routing {
    /// One after the other.
    #[default]
    RoundRobin,
    /// The one with the highest priority.
    Priority,
    FirstMatch,
}

/// The end of branches.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The branches it waits for; empty means all of the fork that leads to it.
    pub expects: Box<[BranchId]>,
    /// When they have come together.
    pub condition: Option<JoinCondition>,
    /// The action of coming together.
    pub action: Option<ActionId>,
}

/// When branches have come together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinCondition {
    /// How many of them must have come.
    pub quorum: Quorum,
    /// Turns since the fork after which nobody is waited for.
    pub timeout: Option<u32>,
}

/// How many of the expected branches must have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quorum {
    /// All.
    #[default]
    All,
    /// At least one.
    Any,
    /// More than half.
    Majority,
    /// At least so many.
    AtLeast(u32),
}

impl Quorum {
    /// The quorums with a name of their own.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::All, "all_complete"),
        (Self::Any, "any_complete"),
        (Self::Majority, "majority"),
    ];

    /// Whether `came` of `expected` branches are enough. A majority is strictly more than half; under the profile
    /// `reference` half is one (`strict` is `false` then).
    pub fn is_met(self, came: usize, expected: usize, strict: bool) -> bool {
        match self {
            Self::All => came >= expected,
            Self::Any => came > 0,
            Self::Majority if strict => came * 2 > expected,
            Self::Majority => came * 2 >= expected,
            Self::AtLeast(least) => came >= least as usize,
        }
    }
}

/// What a state remembers of the states inside it when the dialogue leaves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum History {
    /// The state directly inside.
    Shallow,
    /// The innermost state.
    Deep,
}
