//! Choices, forks, joins and history in a turn.
//!
//! A turn belongs to one branch. [`ActiveBranches`] contains the branches of a session, [`traverse`] continues a
//! decision through the nodes that it enters, and [`NodeEvent`] reports what happened.

use smallvec::SmallVec;
use strum::IntoStaticStr;

use super::session::fork_at;
use super::{ActiveBranches, Branch, Draft, OpenFork, Reason, Status, TurnContext, WatchEvent};
use crate::limits::MAX_REGION_DEPTH;
use crate::machine::{
    ActionId, BranchId, ChoiceBranch, ConditionId, ControlNode, EdgeMark, Fork, History, Join,
    JoinCondition, StateId,
};

/// An event at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeEvent {
    pub kind: EventKind,
    pub node: StateId,
    /// The affected branch.
    pub branch: Option<BranchId>,
    /// The origin: the state that led to the node, or the state of a dropped branch.
    pub from: Option<StateId>,
    /// The target state.
    pub to: Option<StateId>,
}

/// The kind of an event at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EventKind {
    /// A branch of a choice was taken.
    ChoiceTaken,
    /// The default branch of a choice was taken.
    ChoiceDefault,
    /// No branch of a choice applied.
    ChoiceStuck,
    /// Branches started.
    ForkStarted,
    /// The regions of a parallel state started.
    ParallelStarted,
    /// A branch started.
    BranchActivated,
    /// A branch was skipped.
    BranchSkipped,
    /// A branch changed its state.
    Transition,
    /// A branch completed.
    BranchCompleted,
    /// A branch was dropped, because the other branches were enough or the dialogue left the fork.
    BranchDropped,
    JoinWaiting,
    /// The branches joined.
    JoinComplete,
    /// The join stopped waiting.
    JoinTimeout,
    /// A parallel state was exited before its regions were complete.
    ParallelExited,
    /// The history of a region was saved.
    HistorySaved,
    /// A region was entered at its saved state.
    HistoryRestored,
}

impl EventKind {
    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The result of a traversal, to be committed with the decision.
#[derive(Debug)]
pub(crate) struct NodeTraversal {
    /// The traversed nodes.
    pub path: SmallVec<[StateId; 4]>,
    /// The state at the end of the traversal.
    pub to: StateId,
    /// The action of a join, which overrides any other action.
    pub action: Option<ActionId>,
    /// Whether branches only wait for each other.
    pub waits: bool,
    /// Whether the turn ended in a different branch than it started in.
    pub switched: bool,
    /// Whether the dialogue goes back to its return state.
    pub resumed: bool,
    /// The joined branches with their data.
    pub collected: Vec<Branch>,
    /// The reason for stopping early, if any.
    pub stopped: Option<Reason>,
    /// The mark of the turn.
    pub mark: Option<EdgeMark>,
    /// The branches after the turn.
    pub branches: ActiveBranches,
    /// The events of the traversal.
    pub events: Vec<NodeEvent>,
}

/// Continues from the decided state `to`. `draft` contains the data that operations changed so far; the operations of
/// taken branches add to it.
pub(crate) fn traverse(
    turn: &TurnContext<'_>,
    to: StateId,
    draft: Option<Box<Draft>>,
) -> (NodeTraversal, Option<Box<Draft>>) {
    let walk = NodeTraversal {
        path: SmallVec::new(),
        to,
        action: None,
        waits: false,
        switched: false,
        resumed: false,
        collected: Vec::new(),
        stopped: None,
        mark: None,
        branches: turn.session.branches.clone(),
        events: Vec::new(),
    };
    let mut traversal = Traversal { turn, walk, draft };
    // The order matters. The data of the turn belongs to the branch in which it started, so it is collected before
    // any branch ends. A transition that exits the fork permanently drops its branches before nodes are traversed;
    // otherwise a later join would wait for them. Branches are settled before their turns are counted: a fork that
    // times out closes with the real states of its branches. Example: the branch `address` ends and the join waits
    // for `payment`. The turn continues in `payment`, which now counts one more turn.
    traversal.collect();
    traversal.exit_fork();
    traversal.pass_nodes();
    traversal.settle_branch();
    traversal.count_turn();
    traversal.history();
    (traversal.walk, traversal.draft)
}

struct Traversal<'w, 'v> {
    turn: &'w TurnContext<'v>,
    walk: NodeTraversal,
    draft: Option<Box<Draft>>,
}

impl<'v> Traversal<'_, 'v> {
    fn node(&self, state: StateId) -> Option<&'v ControlNode> {
        self.turn.machine.state(state).node.as_deref()
    }

    fn holds(&self, condition: ConditionId) -> bool {
        self.draft
            .as_ref()
            .map_or(*self.turn, |draft| draft.seen_by(self.turn))
            .holds(condition)
    }

    fn report(
        &mut self,
        kind: EventKind,
        node: StateId,
        branch: Option<BranchId>,
        to: Option<StateId>,
    ) {
        let here = self.turn.state;
        // A branch moves from its own state, even through nodes.
        let passed = self.walk.path.last();
        let passed = passed.filter(|_| kind != EventKind::Transition);
        self.walk.events.push(NodeEvent {
            kind,
            node,
            branch,
            from: Some(passed.copied().unwrap_or(here)),
            to,
        });
    }

    /// Reports a branch that ends without being completed.
    fn report_dropped(&mut self, branch: &Branch) {
        self.walk.events.push(NodeEvent {
            kind: EventKind::BranchDropped,
            node: branch.fork,
            branch: Some(branch.id),
            from: branch.state,
            to: None,
        });
    }

    /// Adds the data of the turn to its branch.
    fn collect(&mut self) {
        if let Some(branch) = self.walk.branches.current_mut() {
            for (name, value) in self
                .turn
                .input
                .data
                .values()
                .iter()
                .filter(|(_, value)| value.filled())
            {
                branch.collect(name, value);
            }
        }
    }

    /// Drops the branches if the dialogue ends or is handed over.
    fn exit_fork(&mut self) {
        let to = self.walk.to;
        let machine = self.turn.machine;
        let ends =
            self.turn.session.would_be_final(to, machine) || machine.state(to).leaves_branches;
        if ends && to != self.turn.state && self.walk.branches.is_open() {
            for branch in self.walk.branches.leave() {
                self.report_dropped(&branch);
            }
        }
    }

    /// Traverses nodes until a plain state is reached. Cycles of nodes are rejected when a flow is loaded; a join
    /// that targets its own fork still ends the turn.
    fn pass_nodes(&mut self) {
        for _ in 0..=self.turn.machine.states.len() {
            let at = self.walk.to;
            let more = match self.node(at) {
                Some(ControlNode::Choice { ways, default }) => self.choose(at, ways, *default),
                Some(ControlNode::Fork(fork)) => self.start(at, fork),
                Some(ControlNode::Join(_)) if self.waits_for_current(at) => self.complete(),
                Some(ControlNode::BranchEnd) if self.walk.branches.current().is_some() => {
                    self.complete()
                }
                Some(ControlNode::BranchEnd) => {
                    self.walk.to = self.turn.state;
                    self.walk.stopped = Some(Reason::NoBranch);
                    false
                }
                Some(ControlNode::Resume) => self.resume(),
                Some(ControlNode::Join(_)) | None => false,
            };
            if !more {
                return;
            }
        }
    }

    /// Goes back to the return state.
    fn resume(&mut self) -> bool {
        let back = self.turn.session.return_state();
        let back = back.filter(|state| self.turn.machine.is_declared(*state));
        self.walk.resumed = back.is_some();
        self.walk.to = back.unwrap_or(self.turn.state);
        if back.is_none() {
            self.walk.stopped = Some(Reason::NoReturnState);
        }
        self.walk.resumed
    }

    fn choose(&mut self, at: StateId, ways: &[ChoiceBranch], default: Option<StateId>) -> bool {
        let taken = ways.iter().find(|way| {
            let holds = self.holds(way.when);
            if let Some(watch) = self.turn.watch {
                watch.note(WatchEvent::When(way.rule, holds));
            }
            holds
        });
        if let (Some(watch), Some(way)) = (self.turn.watch, taken) {
            watch.note(WatchEvent::Taken(way.rule));
        }
        if let Some(ops) = taken
            .map(|way| self.turn.machine.ops(way.rule))
            .filter(|ops| !ops.is_empty())
        {
            let turn = self.turn;
            self.draft
                .get_or_insert_with(|| Box::new(Draft::of(turn)))
                .apply_move(turn, ops);
        }
        let taken = taken.map(|way| (EventKind::ChoiceTaken, way.next));
        let Some((kind, next)) = taken.or(default.map(|next| (EventKind::ChoiceDefault, next)))
        else {
            self.report(EventKind::ChoiceStuck, at, None, None);
            self.walk.stopped = Some(Reason::ChoiceStuck);
            return false;
        };
        self.report(kind, at, None, Some(next));
        self.walk.path.push(at);
        self.walk.mark.get_or_insert(EdgeMark::Choice);
        self.walk.to = next;
        true
    }

    /// Starts the branches of a fork and continues in the first.
    fn start(&mut self, at: StateId, fork: &Fork) -> bool {
        let kind = if fork.parallel {
            EventKind::ParallelStarted
        } else {
            EventKind::ForkStarted
        };
        self.report(kind, at, None, Some(fork.join_at));
        self.walk.path.push(at);
        self.walk.mark = Some(EdgeMark::Fork);
        let branches = &mut self.walk.branches;
        let parent = branches.current_mut().map(|branch| {
            branch.status = Status::Waiting;
            branch.state = Some(at);
            branch.id
        });
        branches.forks.push(OpenFork {
            state: at,
            parent,
            turns: 0,
        });
        // The question to the user was about the first branch, so the next turn belongs to it.
        branches.routed = 0;
        let first = branches.branches.len();
        branches.served = first.checked_sub(1);
        for plan in &fork.branches {
            let branch = Branch::new(plan, at, plan.when.is_none_or(|when| self.holds(when)));
            let kind = if branch.state.is_some() {
                EventKind::BranchActivated
            } else {
                EventKind::BranchSkipped
            };
            self.report(kind, at, Some(branch.id), branch.state);
            self.walk.branches.branches.push(branch);
        }
        let branches = &mut self.walk.branches;
        let started_at = (first..branches.branches.len()).find(|at| {
            branches
                .branches
                .get(*at)
                .is_some_and(|branch| branch.state.is_some())
        });
        branches.current = started_at;
        match started_at.and_then(|at| branches.branches.get(at)?.state) {
            Some(state) => {
                self.walk.to = state;
                true
            }
            None => self.join_branches(),
        }
    }

    /// Whether the current branch ends at this join.
    fn waits_for_current(&self, join: StateId) -> bool {
        let fork = self
            .walk
            .branches
            .current()
            .and_then(|branch| fork_at(branch.fork, self.turn.machine));
        fork.is_some_and(|fork| fork.join_at == join)
    }

    /// Completes the current branch.
    fn complete(&mut self) -> bool {
        let state = self.turn.state;
        let Some(branch) = self.walk.branches.current_mut() else {
            return false;
        };
        branch.status = Status::Completed;
        branch.returns.clear();
        branch.state.get_or_insert(state);
        let fork = branch.fork;
        let id = branch.id;
        self.report(EventKind::BranchCompleted, fork, Some(id), None);
        self.join_branches()
    }

    /// Joins the branches of the innermost fork if enough have arrived; otherwise continues in the next branch.
    fn join_branches(&mut self) -> bool {
        let Some(open) = self.walk.branches.forks.last().copied() else {
            return false;
        };
        let Some(fork) = fork_at(open.state, self.turn.machine) else {
            return false;
        };
        if self.is_ready(open.state, fork) {
            self.close(open, fork, EventKind::JoinComplete);
            return true;
        }
        self.report(EventKind::JoinWaiting, fork.join_at, None, None);
        self.walk.waits = true;
        self.walk.switched = true;
        let in_turn = self.turn.settings.switches.round_robin;
        let branches = &mut self.walk.branches;
        branches.current = branches.route(None, self.turn.machine, in_turn);
        match branches.current().and_then(|branch| branch.state) {
            Some(state) => {
                self.walk.to = state;
                self.node(state).is_some()
            }
            None => {
                self.walk.to = fork.join_at;
                false
            }
        }
    }

    /// Whether enough branches of a fork have arrived.
    fn is_ready(&self, at: StateId, fork: &Fork) -> bool {
        let join = self.join_of(fork);
        let expected = |branch: &&Branch| {
            join.is_none_or(|join| join.expects.is_empty() || join.expects.contains(&branch.id))
        };
        let all: Vec<&Branch> = self.walk.branches.of(at).filter(expected).collect();
        let arrived = all.iter().filter(|branch| branch.status.is_over()).count();
        condition_of(fork, join).quorum.is_met(
            arrived,
            all.len(),
            self.turn.settings.switches.majority,
        )
    }

    fn join_of(&self, fork: &Fork) -> Option<&'v Join> {
        match self.node(fork.join_at) {
            Some(ControlNode::Join(join)) => Some(join),
            _ => None,
        }
    }

    /// Closes a fork: its completed branches are collected, and the dialogue continues at the join.
    fn close(&mut self, open: OpenFork, fork: &Fork, kind: EventKind) {
        let branches = &mut self.walk.branches;
        // A fork that is closed from outside also closes the forks inside it.
        let depth = branches
            .forks
            .iter()
            .position(|known| known.state == open.state)
            .unwrap_or(0);
        let closed: Vec<StateId> = branches
            .forks
            .drain(depth..)
            .map(|fork| fork.state)
            .collect();
        let (gathered, rest): (Vec<Branch>, Vec<Branch>) = std::mem::take(&mut branches.branches)
            .into_iter()
            .partition(|branch| closed.contains(&branch.fork));
        branches.branches = rest;
        branches.current = branches
            .branches
            .iter()
            .position(|branch| Some(branch.id) == open.parent);
        // The turns of the inner branches were turns of their parent.
        branches.served = branches.current;
        if let Some(parent) = branches.current_mut() {
            parent.status = Status::Active;
        }
        for branch in gathered.iter().filter(|branch| !branch.status.is_over()) {
            self.report_dropped(branch);
        }
        self.report(kind, fork.join_at, None, Some(fork.join_at));
        self.walk.collected.extend(
            gathered
                .into_iter()
                .filter(|branch| branch.status == Status::Completed),
        );
        self.walk.mark = Some(EdgeMark::Join);
        self.walk.waits = false;
        self.walk.switched = true;
        self.walk.action = self.join_of(fork).and_then(|join| join.action);
        self.walk.to = fork.join_at;
    }

    /// Sets the state of the current branch to the state at the end of the traversal.
    fn settle_branch(&mut self) {
        let to = self.walk.to;
        let switched = self.walk.switched;
        if let Some(branch) = self.walk.branches.current_mut()
            && branch.status == Status::Active
            && branch.state != Some(to)
        {
            branch.state = Some(to);
            let id = branch.id;
            if !switched {
                self.report(EventKind::Transition, self.turn.state, Some(id), Some(to));
            }
        }
    }

    /// Counts the turn. After it, parallel states can exit, and joins can stop waiting.
    fn count_turn(&mut self) {
        let started = self.walk.mark == Some(EdgeMark::Fork);
        let forks = self.walk.branches.forks.clone();
        for (depth, open) in forks.iter().enumerate() {
            let Some(fork) = fork_at(open.state, self.turn.machine) else {
                continue;
            };
            let fresh = started && depth + 1 == forks.len();
            let turns = if fresh { 0 } else { open.turns + 1 };
            if let Some(open) = self.walk.branches.forks.get_mut(depth) {
                open.turns = turns;
            }
            let exits = fork.exit_when.is_some_and(|when| self.holds(when));
            let late = condition_of(fork, self.join_of(fork))
                .timeout
                .is_some_and(|limit| !fresh && turns >= limit);
            if exits || late {
                let kind = if exits {
                    EventKind::ParallelExited
                } else {
                    EventKind::JoinTimeout
                };
                self.close(*open, fork, kind);
                self.pass_nodes();
                self.settle_branch();
                return;
            }
        }
    }

    /// Saves the history of exited regions, and restores the history of an entered region.
    fn history(&mut self) {
        let from = self.turn.state;
        let machine = self.turn.machine;
        let to = self.walk.to;
        if self.walk.switched || from == to {
            return;
        }
        let ends = machine.state(to).is_final;
        let mut inner = from;
        for _ in 0..MAX_REGION_DEPTH {
            let Some(region) = machine.state(inner).region else {
                break;
            };
            let kept = match machine.state(region).history {
                Some(History::Shallow) => Some(inner),
                Some(History::Deep) => Some(from),
                None => None,
            };
            if let Some(kept) = kept.filter(|_| !ends && !self.is_inside(to, region)) {
                self.walk.branches.remember(region, kept);
                self.report(EventKind::HistorySaved, region, None, Some(kept));
            }
            inner = region;
        }
        if machine.state(to).history.is_some()
            && !self.is_inside(from, to)
            && let Some(left) = self.walk.branches.recall(to)
        {
            self.report(EventKind::HistoryRestored, to, None, Some(left));
            self.walk.path.push(to);
            self.walk.to = left;
            self.settle_branch();
        }
    }

    /// Whether a state is the region, or is inside it.
    fn is_inside(&self, state: StateId, region: StateId) -> bool {
        std::iter::successors(Some(state), |state| self.turn.machine.state(*state).region)
            .take(MAX_REGION_DEPTH)
            .any(|state| state == region)
    }
}

/// The join condition of a fork: from the join, otherwise from the fork, otherwise all branches.
fn condition_of(fork: &Fork, join: Option<&Join>) -> JoinCondition {
    join.and_then(|join| join.condition)
        .or(fork.condition)
        .unwrap_or_default()
}
