//! Choices, forks, joins and history inside the turn.
//!
//! A turn belongs to one branch. [`ActiveBranches`] holds the branches of a session, [`traverse`] carries a decision on
//! through the nodes it comes to, and [`NodeEvent`] tells what happened on the way.

use smallvec::SmallVec;
use strum::IntoStaticStr;

use super::session::fork_at;
use super::{ActiveBranches, Branch, Draft, OpenFork, Reason, Status, TurnContext, WatchEvent};
use crate::limits::MAX_REGION_DEPTH;
use crate::machine::{
    ActionId, BranchId, ConditionId, ControlNode, EdgeMark, Fork, History, Join, JoinCondition,
    StateId, Way,
};

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

/// What a traversal came to, to be committed with the decision.
#[derive(Debug)]
pub(crate) struct NodeTraversal {
    /// The nodes that were passed.
    pub path: SmallVec<[StateId; 4]>,
    /// Where it ended.
    pub to: StateId,
    /// The action that a join demands, whatever else was decided.
    pub action: Option<ActionId>,
    /// The branches wait for each other, and that is all there is to say.
    pub waits: bool,
    /// The turn ended in another branch than it began in.
    pub switched: bool,
    /// What the branches brought that came together.
    pub collected: Vec<Branch>,
    /// Why it stopped short, where it did.
    pub stopped: Option<Reason>,
    /// The mark of the turn.
    pub mark: Option<EdgeMark>,
    /// The branches afterwards.
    pub branches: ActiveBranches,
    /// What happened on the way.
    pub events: Vec<NodeEvent>,
}

/// Goes on from the state `to` that was decided for.
/// `draft` is what operations made of the data so far; those of the ways that are taken add to it.
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
        collected: Vec::new(),
        stopped: None,
        mark: None,
        branches: turn.session.branches.clone(),
        events: Vec::new(),
    };
    let mut going = Traversal { turn, walk, draft };
    // The order matters. The data of the turn belongs to the branch that the turn began in, so it is collected before any
    // branch ends. A move that leaves the fork for good drops its branches before nodes are passed, or a join behind it would
    // wait for them. Branches are settled before their turns are counted: a fork that times out closes with the states in
    // which its branches really are. Example: the branch `address` ends, the join waits for `payment`, so the turn goes on in
    // `payment`, which now counts one more turn.
    going.collect();
    going.leave_for_good();
    going.pass_nodes();
    going.settle_branch();
    going.turn_over();
    going.history();
    (going.walk, going.draft)
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
        let turn = self
            .draft
            .as_ref()
            .map_or(*self.turn, |draft| draft.seen_by(self.turn));
        turn.holds(condition)
    }

    fn tell(
        &mut self,
        kind: EventKind,
        node: StateId,
        branch: Option<BranchId>,
        to: Option<StateId>,
    ) {
        self.walk.events.push(NodeEvent {
            kind,
            node,
            branch,
            to,
        });
    }

    /// What the turn brought belongs to the branch of the turn.
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

    /// A dialogue that ends, or is handed over, leaves its branches behind.
    fn leave_for_good(&mut self) {
        let to = self.walk.to;
        let machine = self.turn.machine;
        let ends =
            self.turn.session.would_be_final(to, machine) || machine.state(to).leaves_branches;
        if ends && to != self.turn.state && self.walk.branches.is_open() {
            for branch in self.walk.branches.leave() {
                self.tell(EventKind::BranchDropped, branch.fork, Some(branch.id), None);
            }
        }
    }

    /// Passes nodes until the walk comes to a place. Circles of nodes are refused when a flow is loaded; a join that
    /// leads back into its own fork ends the turn all the same.
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
                Some(ControlNode::Join(_)) | None => false,
            };
            if !more {
                return;
            }
        }
    }

    fn choose(&mut self, at: StateId, ways: &[Way], default: Option<StateId>) -> bool {
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
            self.tell(EventKind::ChoiceStuck, at, None, None);
            self.walk.stopped = Some(Reason::ChoiceStuck);
            return false;
        };
        self.tell(kind, at, None, Some(next));
        self.walk.path.push(at);
        self.walk.mark.get_or_insert(EdgeMark::Choice);
        self.walk.to = next;
        true
    }

    /// Starts the branches of a fork and walks on in the first.
    fn start(&mut self, at: StateId, fork: &Fork) -> bool {
        let kind = if fork.parallel {
            EventKind::ParallelStarted
        } else {
            EventKind::ForkStarted
        };
        self.tell(kind, at, None, Some(fork.join_at));
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
        // The user was asked about the first branch, so the next turn is the first one's.
        branches.routed = 0;
        let first = branches.branches.len();
        for plan in &fork.branches {
            let branch = Branch::new(plan, at, plan.when.is_none_or(|when| self.holds(when)));
            let kind = if branch.state.is_some() {
                EventKind::BranchActivated
            } else {
                EventKind::BranchSkipped
            };
            self.tell(kind, at, Some(branch.id), branch.state);
            self.walk.branches.branches.push(branch);
        }
        let branches = &mut self.walk.branches;
        let begun = (first..branches.branches.len()).find(|at| {
            branches
                .branches
                .get(*at)
                .is_some_and(|branch| branch.state.is_some())
        });
        branches.current = begun;
        match begun.and_then(|at| branches.branches.get(at)?.state) {
            Some(state) => {
                self.walk.to = state;
                true
            }
            None => self.come_together(),
        }
    }

    /// Whether a join is where the branch of the turn belongs.
    fn waits_for_current(&self, join: StateId) -> bool {
        let fork = self
            .walk
            .branches
            .current()
            .and_then(|branch| fork_at(branch.fork, self.turn.machine));
        fork.is_some_and(|fork| fork.join_at == join)
    }

    /// The branch of the turn has come to its end.
    fn complete(&mut self) -> bool {
        let state = self.turn.state;
        let Some(branch) = self.walk.branches.current_mut() else {
            return false;
        };
        branch.status = Status::Completed;
        branch.return_state = None;
        branch.state.get_or_insert(state);
        let (fork, id) = (branch.fork, branch.id);
        self.tell(EventKind::BranchCompleted, fork, Some(id), None);
        self.come_together()
    }

    /// Brings the branches of the innermost fork together where enough have come; otherwise the next branch goes on.
    fn come_together(&mut self) -> bool {
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
        self.tell(EventKind::JoinWaiting, fork.join_at, None, None);
        self.walk.waits = true;
        self.walk.switched = true;
        let branches = &mut self.walk.branches;
        branches.current = branches.route(None, self.turn.machine);
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

    /// Whether enough branches of a fork have come.
    fn is_ready(&self, at: StateId, fork: &Fork) -> bool {
        let join = self.join_of(fork);
        let expected = |branch: &&Branch| {
            join.is_none_or(|join| join.expects.is_empty() || join.expects.contains(&branch.id))
        };
        let all: Vec<&Branch> = self.walk.branches.of(at).filter(expected).collect();
        let came = all.iter().filter(|branch| branch.status.is_over()).count();
        condition_of(fork, join).quorum.is_met(
            came,
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

    /// Closes a fork: its branches are gathered, and the dialogue goes on where they come together.
    fn close(&mut self, open: OpenFork, fork: &Fork, kind: EventKind) {
        let branches = &mut self.walk.branches;
        // A fork that is closed from outside takes the forks inside it along.
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
        if let Some(parent) = branches.current_mut() {
            parent.status = Status::Active;
        }
        for branch in gathered.iter().filter(|branch| !branch.status.is_over()) {
            self.tell(EventKind::BranchDropped, branch.fork, Some(branch.id), None);
        }
        self.tell(kind, fork.join_at, None, Some(fork.join_at));
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

    /// The branch of the turn is where the walk ended.
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
                self.tell(EventKind::Transition, self.turn.state, Some(id), Some(to));
            }
        }
    }

    /// A turn has passed: parallel states may be left, and joins stop waiting.
    fn turn_over(&mut self) {
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

    /// Keeps where regions were left, and enters a region where it was left.
    fn history(&mut self) {
        let (from, machine) = (self.turn.state, self.turn.machine);
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
                self.tell(EventKind::HistorySaved, region, None, Some(kept));
            }
            inner = region;
        }
        if machine.state(to).history.is_some()
            && !self.is_inside(from, to)
            && let Some(left) = self.walk.branches.recall(to)
        {
            self.tell(EventKind::HistoryRestored, to, None, Some(left));
            self.walk.path.push(to);
            self.walk.to = left;
            self.settle_branch();
        }
    }

    /// Whether a state is a region or lies inside it.
    fn is_inside(&self, state: StateId, region: StateId) -> bool {
        let regions =
            std::iter::successors(Some(state), |state| self.turn.machine.state(*state).region);
        regions.take(MAX_REGION_DEPTH).any(|state| state == region)
    }
}

/// When a fork's branches have come together: what the join says, else what the fork says, else all of them.
fn condition_of(fork: &Fork, join: Option<&Join>) -> JoinCondition {
    join.and_then(|join| join.condition)
        .or(fork.condition)
        .unwrap_or_default()
}
