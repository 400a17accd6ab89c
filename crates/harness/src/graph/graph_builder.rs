//! Builds the diagram of a machine.

use std::collections::{BTreeMap, BTreeSet};

use super::graph_edge::{EdgeKind, EdgeLabel};
use super::graph_node::{GraphNode, GraphNodeKind};
use super::machine_graph::{GraphGroup, GroupKind, MachineGraph};
use super::shared_edges::{LooseEdge, take_shared};
use fsmsim_core::engine::{ConditionExplainer, Input, Machine, Session, StateGraph};
use fsmsim_core::machine::{
    ChainId, ConditionId, Consequent, ControlNode, EdgeMark, EffectKind, NextState, OpKind,
    OutcomeMark, PhaseId, RuleId, State, StateId, Target, Traits,
};

/// The condition shown for a transition that is taken if no earlier one applies.
const OTHERWISE: &str = "otherwise";

impl MachineGraph {
    /// Creates the diagram of a machine.
    pub fn of(machine: &Machine) -> Self {
        let session = Session::new(machine);
        let nothing = Input::default();
        let words = ConditionExplainer::new(machine, machine.settings(), &session, &nothing);
        let mut builder = GraphBuilder {
            machine,
            words,
            graph: Self {
                name: machine.header.name.clone(),
                dialect: machine.header.dialect,
                about: machine.header.description.clone(),
                ..Self::default()
            },
            places: BTreeMap::new(),
            edges: Vec::new(),
        };
        builder.nodes();
        builder.ways();
        let GraphBuilder {
            mut graph,
            mut edges,
            ..
        } = builder;
        graph.shared = take_shared(&graph, &mut edges);
        for edge in edges {
            graph.bundle(edge.from, edge.to, vec![edge.label]);
        }
        graph
    }
}

struct GraphBuilder<'m> {
    machine: &'m Machine,
    words: ConditionExplainer<'m>,
    graph: MachineGraph,
    places: BTreeMap<StateId, usize>,
    edges: Vec<LooseEdge>,
}

/// A transition without its end states: its trigger, its kind and its rule.
struct NamedTransition<'t>(&'t str, EdgeKind, Option<RuleId>);

impl GraphBuilder<'_> {
    fn nodes(&mut self) {
        let machine = self.machine;
        let states: Vec<(StateId, &State)> = machine
            .declared_states()
            .filter(|(_, state)| !state.is_branch_end())
            .collect();
        let phases: Vec<PhaseId> = states
            .iter()
            .filter_map(|(_, state)| state.phase)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        // A choice, fork or join without a phase is placed before the first phase to which it leads.
        let before = |id: StateId, state: &State| {
            let leads = state
                .node
                .as_ref()
                .map(|node| node.leads())
                .unwrap_or_default();
            let first = leads
                .iter()
                .filter_map(|next| machine.state(*next).phase)
                .min();
            let position = |first: PhaseId| phases.iter().position(|phase| *phase == first);
            if state.phase.is_some() {
                None
            } else if id == machine.initial && !phases.is_empty() {
                Some(0)
            } else {
                first.and_then(position)
            }
        };
        let mut groups = Vec::new();
        let mut group_of = BTreeMap::new();
        for (position, phase) in phases.iter().enumerate() {
            let hinges: Vec<StateId> = states
                .iter()
                .filter(|(id, state)| before(*id, state) == Some(position))
                .map(|(id, _)| *id)
                .collect();
            if !hinges.is_empty() {
                group_of.extend(hinges.into_iter().map(|id| (id, groups.len())));
                groups.push(GraphGroup {
                    name: String::new(),
                    kind: GroupKind::Before,
                });
            }
            let own = states
                .iter()
                .filter(|(_, state)| state.phase == Some(*phase));
            group_of.extend(own.map(|(id, _)| (*id, groups.len())));
            groups.push(GraphGroup {
                name: machine.names.phases.name(*phase).to_owned(),
                kind: GroupKind::Phase,
            });
        }
        let other = groups.len();
        let (reached, anywhere) = StateGraph::of(machine).led_to(machine, []);
        for (id, state) in states {
            let group = group_of.get(&id).copied().unwrap_or(other);
            self.places.insert(id, self.graph.nodes.len());
            self.graph.nodes.push(GraphNode {
                name: machine.names.states.name(id).to_owned(),
                kind: kind_of(state),
                group,
                initial: id == machine.initial,
                is_final: state.is_final,
                aside: state.aside.is_some(),
                unreached: !anywhere && reached.lookup(id) == Some(&false),
                required: state
                    .required
                    .iter()
                    .map(|slot| machine.names.slots.name(*slot).to_owned())
                    .collect(),
                goal: state.goal.as_deref().unwrap_or_default().to_owned(),
                at: state
                    .span
                    .map(|span| machine.files.place(span))
                    .map(|at| at.line_place()),
                inside: state
                    .region
                    .map(|region| machine.names.states.name(region).to_owned()),
                members: Vec::new(),
            });
        }
        if self.graph.nodes.iter().any(|node| node.group == other) {
            groups.push(GraphGroup {
                name: String::new(),
                kind: GroupKind::Other,
            });
        }
        self.graph.groups = groups;
    }

    fn ways(&mut self) {
        let machine = self.machine;
        for (id, state) in machine.declared_states() {
            let from = self.edges.len();
            self.node(id, state);
            let has_complete = state.data_complete.is_some();
            for (intent, chain) in state.transitions.iter().chain(state.rules.iter()) {
                let trigger = machine.names.intents.name(intent);
                if has_complete && trigger == "data_complete"
                    || state.any.is_some() && trigger == "any"
                {
                    continue;
                }
                let intent = machine.intent(intent);
                let kind = match intent {
                    _ if intent.has(Traits::GO_BACK) => EdgeKind::Back,
                    _ if intent.has(Traits::OBJECTION) => EdgeKind::Digress,
                    _ => EdgeKind::Move,
                };
                self.chain(id, chain, trigger, kind);
            }
            self.target(id, state.data_complete, "data_complete", EdgeKind::Move);
            self.target(id, state.any, "any", EdgeKind::Move);
            self.target(id, state.go_back, "go_back", EdgeKind::Back);
            if let Some(back) = state.allowed_go_back.filter(|_| !state.go_back.is_some()) {
                let way = NamedTransition("go_back", EdgeKind::Back, None);
                self.edge(id, back, String::new(), way);
            }
            self.target(
                id,
                state.fallback,
                &format!("after {} turns", state.max_turns),
                EdgeKind::Degrade,
            );
            for way in machine
                .policies
                .lead_from(machine, id)
                .into_iter()
                .filter(|_| !state.is_final)
            {
                // A branch without a rule is the fallback if no other branch applies.
                let kind = if way.rule.is_some() {
                    EdgeKind::Move
                } else {
                    EdgeKind::Degrade
                };
                let named = NamedTransition(&way.called, kind, way.rule);
                self.edge(id, way.target, String::new(), named);
            }
            if let Some(entry) = state.entry {
                self.outcomes(id, entry);
            }
            self.settle(from);
        }
    }

    /// Adds the branches of a choice or a fork.
    fn node(&mut self, id: StateId, state: &State) {
        match state.node.as_deref() {
            Some(ControlNode::Choice { ways, default }) => {
                for way in ways {
                    let condition = self.when(way.when);
                    let named = NamedTransition("", EdgeKind::Choice, Some(way.rule));
                    self.edge(id, way.next, condition, named);
                }
                if let Some(default) = default {
                    let named = NamedTransition("", EdgeKind::Choice, None);
                    self.edge(id, *default, OTHERWISE.to_owned(), named);
                }
            }
            Some(ControlNode::Fork(fork)) => {
                for branch in &fork.branches {
                    let condition = branch.when.map(|when| self.when(when)).unwrap_or_default();
                    let trigger = self.machine.names.branches.name(branch.id);
                    let named = NamedTransition(trigger, EdgeKind::Fork, None);
                    self.edge(id, branch.start, condition, named);
                }
                if let Some(exit) = fork.exit_when {
                    let condition = self.when(exit);
                    let named = NamedTransition("exit", EdgeKind::Join, None);
                    self.edge(id, fork.join_at, condition, named);
                }
            }
            Some(ControlNode::Join(_) | ControlNode::BranchEnd | ControlNode::Resume) | None => {}
        }
    }

    fn target(&mut self, from: StateId, target: Target, trigger: &str, kind: EdgeKind) {
        match target {
            Target::None => {}
            Target::State(to, rule) => {
                self.edge(
                    from,
                    to,
                    String::new(),
                    NamedTransition(trigger, kind, Some(rule)),
                );
            }
            Target::Chain(chain) => self.chain(from, chain, trigger, kind),
        }
    }

    fn chain(&mut self, from: StateId, chain: ChainId, trigger: &str, kind: EdgeKind) {
        for (number, alternative) in self.machine.alternatives(chain).iter().enumerate() {
            self.outcomes(from, alternative.rule);
            let Consequent::State(to) = alternative.then else {
                continue;
            };
            let condition = match alternative.when {
                Some(when) => self.when(when),
                None if number > 0 => OTHERWISE.to_owned(),
                None => String::new(),
            };
            let way = NamedTransition(trigger, kind, Some(alternative.rule));
            self.edge(from, to, condition, way);
        }
    }

    fn when(&self, condition: ConditionId) -> String {
        self.words.in_words(condition)
    }

    /// Adds the transitions that the outcomes of effects cause.
    fn outcomes(&mut self, from: StateId, rule: RuleId) {
        let machine = self.machine;
        for op in machine.ops(rule) {
            let OpKind::Effect(used) = &op.kind else {
                continue;
            };
            let kind = &machine.effects[used.effect];
            let used_kind = kind.kind;
            for outcome in used
                .outcomes
                .iter()
                .chain(&kind.outcomes)
                .map(|outcome| &machine.outcomes[*outcome])
            {
                let Some(to) = outcome.leads.state() else {
                    continue;
                };
                let kind = match (outcome.leads, outcome.mark) {
                    (NextState::Digress(_), _) => EdgeKind::Digress,
                    (_, OutcomeMark::Degrade) => EdgeKind::Degrade,
                    _ => EdgeKind::Move,
                };
                let condition = outcome.when.map(|when| self.when(when)).unwrap_or_default();
                let way = NamedTransition(&outcome.name, kind, Some(outcome.rule));
                let count = self.edges.len();
                self.edge(from, to, condition, way);
                // A dialect adds these transitions to every state that uses the user's data.
                let is_built_in = matches!(used_kind, EffectKind::Read | EffectKind::Write)
                    && matches!(outcome.leads, NextState::Digress(_));
                for edge in self.edges.iter_mut().skip(count) {
                    edge.label.is_built_in = is_built_in;
                }
            }
        }
    }

    fn edge(
        &mut self,
        from: StateId,
        to: StateId,
        condition: String,
        NamedTransition(trigger, kind, rule): NamedTransition<'_>,
    ) {
        let kind = match kind {
            EdgeKind::Move if self.machine.state(to).is_resume() => EdgeKind::Back,
            EdgeKind::Move if self.machine.digresses(from, to) => EdgeKind::Digress,
            kind => kind,
        };
        let marked = rule.and_then(|rule| self.machine.rules[rule].mark);
        let at = rule
            .map(|rule| self.machine.place_of(rule))
            .filter(|at| !at.path.is_empty());
        let label = EdgeLabel {
            trigger: trigger.to_owned(),
            condition,
            kind: marked.map_or(kind, kind_of_mark),
            at: at.map(|at| at.line_place()),
            is_built_in: false,
        };
        let ends = if self.machine.state(to).is_branch_end() {
            self.joins(from)
        } else {
            vec![to]
        };
        for to in ends {
            if let (Some(from), Some(to)) = (self.places.get(&from), self.places.get(&to)) {
                self.edges.push(LooseEdge {
                    from: *from,
                    to: *to,
                    label: label.clone(),
                });
            }
        }
    }

    /// The joins of all forks for which this state is in a branch.
    fn joins(&self, state: StateId) -> Vec<StateId> {
        let machine = self.machine;
        let forks =
            machine
                .declared_states()
                .filter_map(|(_, state)| match state.node.as_deref() {
                    Some(ControlNode::Fork(fork)) => Some(fork),
                    _ => None,
                });
        let mut joins: Vec<StateId> = Vec::new();
        for fork in forks {
            let mut seen = BTreeSet::from([fork.join_at]);
            let mut open: Vec<StateId> = fork.branches.iter().map(|branch| branch.start).collect();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(self.next(next));
                }
            }
            if fork.join_at != state && seen.contains(&state) && !joins.contains(&fork.join_at) {
                joins.push(fork.join_at);
            }
        }
        joins
    }

    /// The states that follow a state in its branch.
    fn next(&self, state: StateId) -> Vec<StateId> {
        let machine = self.machine;
        let state = machine.state(state);
        if state.is_final {
            return Vec::new();
        }
        let nodes = state.node.iter().flat_map(|node| node.leads());
        let chains = state.transitions.iter();
        nodes
            .chain(chains.flat_map(|(_, chain)| machine.chain_states(chain)))
            .collect()
    }

    /// Removes duplicate transitions from a state, keeping the first.
    fn settle(&mut self, from: usize) {
        let mut known = BTreeSet::new();
        let mut at = 0;
        self.edges.retain(|edge| {
            at += 1;
            at <= from
                || known.insert((
                    edge.to,
                    edge.label.trigger.clone(),
                    edge.label.condition.clone(),
                ))
        });
    }
}

fn kind_of(state: &State) -> GraphNodeKind {
    match state.node.as_deref() {
        None | Some(ControlNode::BranchEnd | ControlNode::Resume) => GraphNodeKind::Simple,
        Some(ControlNode::Choice { .. }) => GraphNodeKind::Choice,
        Some(ControlNode::Fork(fork)) if fork.parallel => GraphNodeKind::Parallel,
        Some(ControlNode::Fork(_)) => GraphNodeKind::Fork,
        Some(ControlNode::Join(_)) => GraphNodeKind::Join,
    }
}

fn kind_of_mark(mark: EdgeMark) -> EdgeKind {
    match mark {
        EdgeMark::Back => EdgeKind::Back,
        EdgeMark::Replan => EdgeKind::Replan,
        EdgeMark::Fork => EdgeKind::Fork,
        EdgeMark::Join => EdgeKind::Join,
        EdgeMark::Choice => EdgeKind::Choice,
    }
}
