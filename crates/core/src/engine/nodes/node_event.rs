//! What happened at the nodes of a turn (docs/flows.md, "Choices, forks, joins").

use strum::IntoStaticStr;

use crate::machine::{BranchId, StateId};

/// Something that happened at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeEvent {
    /// What happened.
    pub kind: EventKind,
    /// The node at which it happened.
    pub node: StateId,
    /// The branch to which it happened.
    pub branch: Option<BranchId>,
    /// Where it led.
    pub to: Option<StateId>,
}

/// What happened at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EventKind {
    /// A way of a choice was taken.
    ChoiceTaken,
    /// The default way of a choice was taken.
    ChoiceDefault,
    /// A choice had no way.
    ChoiceStuck,
    /// Branches were started.
    ForkStarted,
    /// The regions of a parallel state were started.
    ParallelStarted,
    /// A branch began.
    BranchActivated,
    /// A branch was not started.
    BranchSkipped,
    /// A branch moved.
    Transition,
    /// A branch came to its end.
    BranchCompleted,
    /// A branch was given up, since the others sufficed or the dialogue left.
    BranchDropped,
    JoinWaiting,
    /// The branches came together.
    JoinComplete,
    /// Nobody was waited for any longer.
    JoinTimeout,
    /// A parallel state was left before its regions were done.
    ParallelExited,
    /// Where a region was left was kept.
    HistorySaved,
    /// A region was entered where it had been left.
    HistoryRestored,
}

impl EventKind {
    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
