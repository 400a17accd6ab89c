//! Checks of the graph of choices, forks and joins: cycles, and branches that never join.

use super::state_lowering::NodeSite;
use fsmsim_core::machine::{
    BranchId, Consequent, ControlNode, Fork, IdVec, Join, MachineBuilder, Quorum, StateId, Target,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// Checks the control nodes of a flow. All states must be complete.
pub(super) fn check(sites: &[NodeSite<'_>], builder: &MachineBuilder, found: &mut Diagnostics) {
    let graph = Graph { sites, builder };
    graph.cycles(found);
    graph.regions(found);
    for site in sites {
        match graph.node(site.state) {
            Some(ControlNode::Fork(fork)) => graph.fork(site, fork, found),
            Some(ControlNode::Join(join)) => graph.join(site, join, found),
            _ => {}
        }
    }
}

struct Graph<'g> {
    sites: &'g [NodeSite<'g>],
    builder: &'g MachineBuilder,
}

impl Graph<'_> {
    fn name(&self, state: StateId) -> &str {
        self.builder.names.states.name(state)
    }

    fn node(&self, state: StateId) -> Option<&ControlNode> {
        self.builder.states[state].node.as_deref()
    }

    /// The states that a node can enter within the same turn.
    fn successors_in_turn(&self, state: StateId) -> Vec<StateId> {
        match self.node(state) {
            Some(ControlNode::Choice { ways, default }) => {
                ways.iter().map(|way| way.next).chain(*default).collect()
            }
            Some(ControlNode::Fork(fork)) => {
                // If every branch can be skipped, the join can follow immediately.
                let passed = fork
                    .branches
                    .iter()
                    .all(|branch| branch.when.is_some())
                    .then_some(fork.join_at);
                fork.branches
                    .iter()
                    .map(|branch| branch.start)
                    .chain(passed)
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reports a cycle of nodes within one turn at its first node.
    fn cycles(&self, found: &mut Diagnostics) {
        let mut done = IdVec::<StateId, bool>::filled(self.builder.states.len(), false);
        for site in self.sites {
            // The nodes of a path, each with its remaining successors.
            let mut path = vec![(site.state, self.successors_in_turn(site.state))];
            while let Some((state, open)) = path.last_mut() {
                let state = *state;
                let Some(next) = open.pop() else {
                    done[state] = true;
                    path.pop();
                    continue;
                };
                if let Some(start) = path.iter().position(|(on_path, _)| *on_path == next) {
                    let cycle: Vec<&str> = path
                        .iter()
                        .skip(start)
                        .map(|(state, _)| self.name(*state))
                        .chain([self.name(next)])
                        .collect();
                    let first = self
                        .sites
                        .iter()
                        .find(|other| other.state == next)
                        .unwrap_or(site);
                    Diagnostic::error(
                        Code::NodeCycle,
                        format!("cycle of choices and forks: {}", cycle.join(" → ")),
                    )
                    .at(first.span, "in the cycle")
                    .help("change one target to an ordinary state")
                    .add_to(found);
                    return;
                }
                if !done[next] && self.builder.states[next].node.is_some() {
                    path.push((next, self.successors_in_turn(next)));
                }
            }
        }
    }

    /// Reports regions that contain themselves.
    fn regions(&self, found: &mut Diagnostics) {
        for (id, state) in self.builder.states.pairs() {
            let inside = |state: &StateId| self.builder.states[*state].region;
            if std::iter::successors(state.region, inside)
                .take(self.builder.states.len())
                .any(|region| region == id)
            {
                return Diagnostic::error(
                    Code::NodeCycle,
                    format!("region `{}` contains itself", self.name(id)),
                )
                .at_each(state.span, "region")
                .help("set `region` to an enclosing state")
                .add_to(found);
            }
        }
    }

    fn fork(&self, site: &NodeSite<'_>, fork: &Fork, found: &mut Diagnostics) {
        let join = match self.node(fork.join_at) {
            Some(ControlNode::Join(join)) => Some(join),
            _ => None,
        };
        if join.is_none() && !fork.parallel {
            let title = format!(
                "expected a join for `join_at`, found `{}`",
                self.name(fork.join_at)
            );
            found.push(
                bad(title, site.span, "starts the branches").help("set `type: join` in that state"),
            );
        }
        let expects = |branch: BranchId| {
            join.is_none_or(|join| join.expects.is_empty() || join.expects.contains(&branch))
        };
        for plan in &fork.branches {
            let span = site.span_of(plan.id);
            let name = self.builder.names.branches.name(plan.id);
            if !self.completes(plan.start, fork.join_at) {
                let title = format!("branch `{name}` of `{}` can never complete", site.name);
                let start = self.name(plan.start);
                found.push(bad(title, span, format!("starts in `{start}`")).help(
                    "add a transition in the branch to `_branch_complete`, to the join, or to a final state",
                ));
            }
            if !expects(plan.id) {
                let join = self.name(fork.join_at);
                Diagnostic::warning(
                    Code::BadBranches,
                    format!("join `{join}` does not wait for the branch `{name}`"),
                )
                .at(span, "canceled when other branches finish")
                .help(format!("add `{name}` to `expects_branches` of the join"))
                .add_to(found);
            }
        }
        if let Some(Quorum::AtLeast(least)) = fork.condition.map(|condition| condition.quorum)
            && least as usize > fork.branches.len()
        {
            let title = format!("fork waits for {least} of {} branches", fork.branches.len());
            found.push(bad(title, site.span, "too many").help("lower `n_of_m`"));
        }
    }

    /// Reports branches that a join waits for, although no fork starts them for this join.
    fn join(&self, site: &NodeSite<'_>, join: &Join, found: &mut Diagnostics) {
        let started: Vec<BranchId> = self
            .sites
            .iter()
            .filter_map(|other| match self.node(other.state) {
                Some(ControlNode::Fork(fork)) if fork.join_at == site.state => Some(fork),
                _ => None,
            })
            .flat_map(|fork| &fork.branches)
            .map(|plan| plan.id)
            .collect();
        for branch in &join.expects {
            if !started.contains(branch) {
                let name = self.builder.names.branches.name(*branch);
                let span = site.span_of(*branch);
                let title = format!(
                    "join `{}` waits for the branch `{name}`, which no fork starts",
                    site.name
                );
                bad(title, span, "never started")
                    .help("start the branch in a fork with this `join_at`")
                    .add_to(found);
            }
        }
    }

    /// Whether a branch that starts in a state can end.
    fn completes(&self, start: StateId, join: StateId) -> bool {
        let mut seen = IdVec::<StateId, bool>::filled(self.builder.states.len(), false);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let here = &self.builder.states[state];
            if state == join || here.is_final || here.is_branch_end() {
                return true;
            }
            if !std::mem::replace(&mut seen[state], true) {
                open.extend(self.successors(state));
            }
        }
        false
    }

    /// The targets of all transitions of a state.
    fn successors(&self, state: StateId) -> Vec<StateId> {
        let here = &self.builder.states[state];
        let mut next = self.successors_in_turn(state);
        if let Some(ControlNode::Fork(fork)) = here.node.as_deref() {
            next.push(fork.join_at);
        }
        let mut chains: Vec<_> = here.transitions.iter().map(|(_, chain)| chain).collect();
        for target in [here.go_back, here.data_complete, here.any, here.fallback] {
            match target {
                Target::None => {}
                Target::State(to, _) => next.push(to),
                Target::Chain(chain) => chains.push(chain),
            }
        }
        for chain in chains {
            next.extend(
                self.builder
                    .alternatives(chain)
                    .iter()
                    .filter_map(|alternative| match alternative.then {
                        Consequent::State(to) => Some(to),
                        Consequent::Action(_) => None,
                    }),
            );
        }
        next
    }
}

fn bad(title: String, span: Span, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::BadBranches, title).at(span, label)
}
