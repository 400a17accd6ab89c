//! Control nodes: states that choose a branch, start branches or wait for them (docs/src/explanation/flows.md).

use strum::{IntoStaticStr, VariantArray};

use super::{ActionId, BranchId, ConditionId, RuleId, StateId};

/// The behavior of a state when the dialogue enters it.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlNode {
    /// Takes the first branch whose condition holds.
    Choice {
        /// The branches, in order.
        ways: Box<[ChoiceBranch]>,
        /// The target if no condition holds.
        default: Option<StateId>,
    },
    /// Starts branches; for a parallel state they are its regions.
    Fork(Fork),
    /// Waits for branches.
    Join(Join),
    /// The end of a branch: a target that the dialogue cannot stay in.
    BranchEnd,
    /// The way back from an aside: it leads to the return state.
    Resume,
}

/// The name of the target that leads back from an aside.
pub const RESUME: &str = "resume";

impl ControlNode {
    /// The target states in the turn that enters the node.
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
            Self::Join(_) | Self::BranchEnd | Self::Resume => Vec::new(),
        }
    }
}

/// A branch of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceBranch {
    /// The condition.
    pub when: ConditionId,
    /// The target.
    pub next: StateId,
    /// The location of the branch.
    pub rule: RuleId,
}

/// The start of parallel branches.
#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    /// The branches, in order.
    pub branches: Box<[BranchPlan]>,
    /// The state where they join.
    pub join_at: StateId,
    /// The join condition that the fork defines.
    pub condition: Option<JoinCondition>,
    /// Exits all branches if this condition holds after a turn.
    pub exit_when: Option<ConditionId>,
    /// How turns are assigned to branches.
    pub routing: Routing,
    /// Whether the branches are the regions of a parallel state.
    pub parallel: bool,
}

/// A branch of a fork, as defined.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPlan {
    pub id: BranchId,
    pub start: StateId,
    /// The branch is skipped unless this condition holds.
    pub when: Option<ConditionId>,
    /// Intents that are always assigned to this branch, regardless of the routing.
    pub handles: Box<[super::id::IntentId]>,
    /// The priority, for routing by priority; the highest comes first.
    pub priority: i64,
}

/// How a turn is assigned to one of several active branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Routing {
    /// The branches in turn.
    #[default]
    RoundRobin,
    /// The branch with the highest priority.
    Priority,
    FirstMatch,
}

/// The join of branches.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The branches that the join waits for; if empty, all branches of the fork that targets it.
    pub expects: Box<[BranchId]>,
    /// The join condition.
    pub condition: Option<JoinCondition>,
    /// The action when the branches join.
    pub action: Option<ActionId>,
}

/// The condition for branches to join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinCondition {
    /// The number of branches that must have arrived.
    pub quorum: Quorum,
    /// The number of turns since the fork after which the join stops waiting.
    pub timeout: Option<u32>,
}

/// The number of expected branches that must have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quorum {
    /// All.
    #[default]
    All,
    /// At least one.
    Any,
    /// More than half.
    Majority,
    /// At least this number.
    AtLeast(u32),
}

impl Quorum {
    /// The quorums that have a name.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::All, "all_complete"),
        (Self::Any, "any_complete"),
        (Self::Majority, "majority"),
    ];

    /// Whether `arrived` of `expected` branches are enough. A majority is strictly more than half; in the profile
    /// `reference` half is enough (`strict` is `false`).
    pub fn is_met(self, arrived: usize, expected: usize, strict: bool) -> bool {
        match self {
            Self::All => arrived >= expected,
            Self::Any => arrived > 0,
            Self::Majority if strict => arrived * 2 > expected,
            Self::Majority => arrived * 2 >= expected,
            Self::AtLeast(least) => arrived >= least as usize,
        }
    }
}

/// The states that a history saves when the dialogue leaves the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum History {
    /// The direct child state.
    Shallow,
    /// The innermost state.
    Deep,
}
