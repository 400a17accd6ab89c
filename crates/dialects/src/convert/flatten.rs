//! Flattens nested states into the states of a flow.
//!
//! Only atomic states become places. Their own edges come first, followed by those of their ancestors. An edge to a
//! composite state leads to its initial state. An edge without an event makes its state a choice. The final state of a
//! composite state continues with the `Done` edges of that state.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use super::cycle_check::CycleCheck;
use super::flow_plan::{FlowPlan, RegionPlan, StatePlan, StateShape, TransitionPlan};
use super::names::{GivenNames, clean, slot_name};
use super::parallel_start::first_moves;
use super::region_ends::{REGION_ENDS, endless, help_to_join, never_ends, region_name};
use super::statechart::{ChartEdge, ChartTrigger, GuardTerm, NodeId, NodeKind, Statechart};
use super::{ForeignText, unusable};
use crate::dialect::condition::is_built_in_condition;
use crate::limits::{MAX_IMPORTED_EDGES, MAX_REPORTED_REGIONS};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};
use fsmsim_syntax::terminal::Joined;

/// Converts a statechart to a flow. Returns `None`, with findings, if this is impossible.
pub(super) fn flatten(chart: &Statechart, input: &mut ForeignText<'_>) -> Option<FlowPlan> {
    let mut flattener = Flattener {
        chart,
        input,
        names: BTreeMap::new(),
        entries: BTreeMap::new(),
        given: GivenNames::default(),
        memories: memories(chart),
        ways: 0,
        plan: FlowPlan {
            name: clean(&chart.name, "flow"),
            ..FlowPlan::default()
        },
    };
    flattener.plan.events.clone_from(&chart.events);
    flattener.plan.meanings.clone_from(&chart.meanings);
    for (name, value) in &chart.data {
        flattener
            .plan
            .slots
            .insert(slot_name(name, "slot"), value.clone());
    }
    flattener.check();
    if flattener.input.found.has_errors() {
        return None;
    }
    flattener.name_states();
    for node in chart.nodes.ids() {
        flattener.state(node);
        if flattener.ways > MAX_IMPORTED_EDGES {
            return Diagnostic::error(
                Code::TooDeep,
                format!("flow is too large: limit {MAX_IMPORTED_EDGES} transitions"),
            )
            .at(chart[node].span, "exceeds the limit")
            .help("split the machine; each state copies the transitions of its enclosing states")
            .refuse(flattener.input.found);
        }
    }
    flattener.break_cycles();
    flattener.end_regions();
    flattener.initial();
    Some(flattener.plan)
}

/// Maps composite states to their history states.
fn memories(chart: &Statechart) -> BTreeMap<NodeId, NodeId> {
    chart
        .nodes
        .pairs()
        .filter(|(_, node)| matches!(node.kind, NodeKind::Remembered(_)))
        .rev()
        .filter_map(|(id, node)| Some((node.parent?, id)))
        .collect()
}

struct Flattener<'c, 't> {
    chart: &'c Statechart,
    input: &'c mut ForeignText<'t>,
    /// The names that the flow uses for the states.
    names: BTreeMap<NodeId, String>,
    /// The names of choices that a dialogue passes through before it enters a place.
    entries: BTreeMap<NodeId, String>,
    given: GivenNames,
    /// Maps composite states to their history states.
    memories: BTreeMap<NodeId, NodeId>,
    /// The number of converted transitions.
    ways: usize,
    plan: FlowPlan,
}

impl<'c> Flattener<'c, '_> {
    /// Reports parts of the chart that no flow can represent.
    fn check(&mut self) {
        let chart = self.chart;
        for (id, node) in chart.nodes.pairs() {
            let refused = |title: String, label: &str, help: &str| {
                unusable(title, node.span, label).help(help)
            };
            let found = &mut *self.input.found;
            let name = chart.shown(id);
            if let Some(initial) = node.initial
                && (initial == id || !chart.is_inside(initial, id))
            {
                let inner = &chart[initial].name;
                found.push(refused(
                    format!("initial state `{inner}` is outside {name}"),
                    "not a substate",
                    "use one of its substates as the initial state",
                ));
            }
            if node.children.is_empty() {
                if id == Statechart::ROOT || chart.is_parallel(id) {
                    let title = format!("{name} has no states");
                    found.push(refused(title, "empty", "add states"));
                }
                continue;
            }
            if !chart.is_parallel(id) {
                continue;
            }
            let help = help_to_join(self.input.format);
            let found = &mut *self.input.found;
            if node.on(&ChartTrigger::Done).next().is_none() {
                let regions = node.children.iter().take(MAX_REPORTED_REGIONS);
                let regions = regions.map(|region| region_name(chart, *region));
                let title = format!("regions of {name} never join: {}", regions.joined(", "));
                found.push(refused(title, "parallel state", help));
                continue;
            }
            for region in node
                .children
                .iter()
                .filter(|region| !chart.has_end(**region))
            {
                found.push(never_ends(chart, *region, &name, "no final state"));
            }
        }
    }

    /// Whether the flow contains a state. Only atomic and parallel states are converted.
    fn is_written(&self, node: NodeId) -> bool {
        self.chart.is_parallel(node)
            || node != Statechart::ROOT && self.chart[node].children.is_empty()
    }

    /// Whether a state ends a parallel region. Such a state does not become a place.
    fn ends_region(&self, node: NodeId) -> bool {
        let Some(region) = self.chart[node].parent else {
            return false;
        };
        let around = &self.chart[region];
        self.chart[node].kind == NodeKind::Final
            && around
                .parent
                .is_some_and(|outer| self.chart.is_parallel(outer))
            && around.on(&ChartTrigger::Done).next().is_none()
    }

    fn name_states(&mut self) {
        for id in self.chart.nodes.ids() {
            if !self.is_written(id) {
                continue;
            }
            if self.ends_region(id) {
                self.names.insert(id, REGION_ENDS.to_owned());
                continue;
            }
            let path = if id == Statechart::ROOT {
                self.chart.name.clone()
            } else {
                self.chart.path(id)
            };
            let wanted = clean(&path, "state");
            let name = self.given.give(&wanted);
            if name != path {
                let what = format!("the name `{path}`: the state is renamed to `{name}`");
                self.input.leave(self.chart[id].span, what);
            }
            self.names.insert(id, name);
        }
        for id in self.chart.nodes.ids() {
            let (immediate, stays) = self.immediate(id);
            if let Some(name) = self
                .names
                .get(&id)
                .filter(|_| stays && !immediate.is_empty())
            {
                let choice = self.given.give(&format!("{name}_choice"));
                self.entries.insert(id, choice);
            }
        }
    }

    /// The edges without an event that leave a state on entry, and whether the dialogue can stay in the state.
    fn immediate(&self, node: NodeId) -> (Vec<&'c ChartEdge>, bool) {
        let chart = self.chart;
        let state = &chart[node];
        if !state.children.is_empty()
            || self.ends_region(node)
            || matches!(state.kind, NodeKind::Remembered(_))
        {
            return (Vec::new(), true);
        }
        let mut edges: Vec<&ChartEdge> = Vec::new();
        if state.kind == NodeKind::Final
            && let Some(parent) = state.parent
        {
            edges.extend(chart[parent].on(&ChartTrigger::Done));
        }
        for around in self.within_region(node) {
            edges.extend(chart[around].on(&ChartTrigger::Always));
        }
        edges.retain(|edge| edge.target.is_some());
        let is_unguarded = cut_after_unguarded(&mut edges);
        (edges, !is_unguarded)
    }

    /// The state and its ancestors within its parallel region.
    fn within_region(&self, node: NodeId) -> Vec<NodeId> {
        let mut inside = Vec::new();
        for around in self.chart.outward(node) {
            if around != node && self.chart.is_parallel(around) {
                break;
            }
            inside.push(around);
        }
        inside
    }

    /// The name of the flow state that a transition to `target` enters.
    fn entered_name(&self, target: NodeId) -> String {
        let mut node = target;
        // A chart is a tree, so the loop ends.
        while !self.is_written(node) {
            let state = &self.chart[node];
            match state.initial.or_else(|| state.children.first().copied()) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.entries
            .get(&node)
            .or_else(|| self.names.get(&node))
            .cloned()
            .unwrap_or_default()
    }

    fn state(&mut self, id: NodeId) {
        let Some(name) = self
            .names
            .get(&id)
            .filter(|name| *name != REGION_ENDS)
            .cloned()
        else {
            return;
        };
        let chart = self.chart;
        let node = &chart[id];
        let mut state = StatePlan {
            goal: node.goal.clone(),
            ..StatePlan::default()
        };
        state.region = self.remembers(id);
        match node.kind {
            NodeKind::Parallel => {
                state.shape = self.regions(id, &name);
                self.plan.states.insert(name, state);
                return;
            }
            NodeKind::Remembered(history) => {
                state.history = Some(history);
                let default = node
                    .on(&ChartTrigger::Always)
                    .find_map(|edge| edge.target)
                    .or(node.parent);
                self.remembered(id, default, &mut state, &name);
                self.plan.states.insert(name, state);
                return;
            }
            NodeKind::Final => state.is_final = node.parent == Some(Statechart::ROOT),
            NodeKind::Place => {}
        }
        let (immediate, stays) = self.immediate(id);
        if !immediate.is_empty() {
            let mut ways: Vec<TransitionPlan> =
                immediate.iter().map(|edge| self.way(edge, id)).collect();
            if stays {
                ways.push(TransitionPlan::to(&name));
            }
            let shape = StateShape::Choice(ways);
            match self.entries.get(&id).cloned() {
                Some(entry) => self.add_node(entry, shape),
                None => {
                    state.shape = shape;
                    self.plan.states.insert(name, state);
                    return;
                }
            }
        }
        if !state.is_final {
            state.moves = self.moves(id, &name);
        }
        self.plan.states.insert(name, state);
    }

    /// Adds a control node.
    fn add_node(&mut self, name: String, shape: StateShape) {
        let state = StatePlan {
            shape,
            ..StatePlan::default()
        };
        self.plan.states.insert(name, state);
    }

    /// The name of the history state of the nearest ancestor that has one.
    fn remembers(&self, id: NodeId) -> Option<String> {
        let own = matches!(self.chart[id].kind, NodeKind::Remembered(_));
        let mut around = self.chart.outward(id).skip(if own { 2 } else { 1 });
        around.find_map(|around| self.names.get(self.memories.get(&around)?).cloned())
    }

    /// Gives a history state the transitions of its default state, for dialogues without history.
    fn remembered(
        &mut self,
        id: NodeId,
        default: Option<NodeId>,
        state: &mut StatePlan,
        name: &str,
    ) {
        let span = self.chart[id].span;
        let Some(mut default_state) = default else {
            return;
        };
        while let Some(inner) = self.chart[default_state].initial {
            default_state = inner;
        }
        let shown = self.entered_name(default_state);
        state.moves = self.moves(default_state, name);
        let what = format!(
            "the default `{shown}` of the history state `{name}`: without history, `{name}` replaces it"
        );
        self.input.leave(span, what);
    }

    /// The transitions of an atomic state by event. `name` is the name of the state in the flow.
    fn moves(&mut self, id: NodeId, name: &str) -> IndexMap<String, Vec<TransitionPlan>> {
        let chart = self.chart;
        // An edge of an enclosing parallel state leaves all regions. In a flow, only the end of the dialogue leaves
        // them all.
        let within = self.within_region(id);
        let around: Vec<NodeId> = chart.outward(id).collect();
        let mut known = IndexSet::new();
        let mut by_trigger: FxHashMap<(NodeId, &ChartTrigger), Vec<&ChartEdge>> =
            FxHashMap::default();
        for (node, edge) in around
            .iter()
            .flat_map(|node| chart[*node].edges.iter().map(move |edge| (*node, edge)))
        {
            by_trigger
                .entry((node, &edge.trigger))
                .or_default()
                .push(edge);
            if let ChartTrigger::Event(event) = &edge.trigger {
                known.insert((event, &edge.trigger));
            }
        }
        let mut moves = IndexMap::new();
        let mut any = Vec::new();
        for trigger in known.into_iter().map(Some).chain([None]) {
            let mut edges: Vec<&ChartEdge> = Vec::new();
            for node in &around {
                let mut here = trigger
                    .and_then(|(_, exact)| by_trigger.get(&(*node, exact)))
                    .or_else(|| by_trigger.get(&(*node, &ChartTrigger::Any)))
                    .cloned()
                    .unwrap_or_default();
                if !within.contains(node) {
                    here.retain(|edge| self.leads_out(edge));
                }
                edges.extend(here);
                if edges.iter().any(|edge| edge.guard.is_empty()) {
                    break;
                }
            }
            cut_after_unguarded(&mut edges);
            let ways: Vec<TransitionPlan> = edges
                .into_iter()
                .map(|edge| self.way_from(edge, id, name))
                .collect();
            self.ways += ways.len();
            match trigger {
                Some((event, _)) => {
                    moves.insert(self.intent(event, id), ways);
                }
                None => any = ways,
            }
        }
        moves.retain(|_, ways| !ways.is_empty());
        if !any.is_empty() {
            // If a state has edges for an event and no guard is true, the dialogue stays, even if `any` has edges.
            for ways in moves
                .values_mut()
                .filter(|ways| ways.iter().all(|way| !way.when.is_empty()))
            {
                ways.push(TransitionPlan::to(name));
            }
            moves.insert("any".to_owned(), any);
        }
        moves
    }

    /// Whether an edge of a parallel state or its ancestors ends the dialogue. Otherwise reports the edge as omitted.
    fn leads_out(&mut self, edge: &ChartEdge) -> bool {
        let Some(target) = edge.target else {
            return false;
        };
        let ends = self.chart.ends_all(target);
        if !ends {
            let shown = self.entered_name(target);
            self.input.leave(
                edge.span,
                format!("the transition to `{shown}`, which leaves all regions"),
            );
        }
        ends
    }

    /// The name of the intent for an event.
    fn intent(&mut self, event: &str, at: NodeId) -> String {
        let name = clean(event, "event");
        if name != event {
            let span = self.chart[at]
                .edges
                .iter()
                .find(|edge| edge.trigger == ChartTrigger::Event(event.to_owned()))
                .map_or(self.chart[at].span, |edge| edge.span);
            self.input.leave(
                span,
                format!("the name `{event}`: the intent is renamed to `{name}`"),
            );
        }
        name
    }

    fn way(&mut self, edge: &ChartEdge, from: NodeId) -> TransitionPlan {
        let name = self.names.get(&from).cloned().unwrap_or_default();
        self.way_from(edge, from, &name)
    }

    /// Converts an edge to a transition from the state `from`, which the flow calls `name`.
    fn way_from(&mut self, edge: &ChartEdge, from: NodeId, name: &str) -> TransitionPlan {
        let then = edge
            .target
            .map_or_else(|| name.to_owned(), |target| self.target(target, from, edge));
        TransitionPlan {
            when: edge
                .guard
                .iter()
                .map(|term| self.condition(term, edge.span))
                .collect(),
            then,
        }
    }

    /// The name of the target of an edge. A dialogue enters all regions of a parallel state together.
    fn target(&mut self, target: NodeId, from: NodeId, edge: &ChartEdge) -> String {
        let is_parallel = |node: &NodeId| self.chart.is_parallel(*node);
        let region_of = |node: NodeId| self.within_region(node).last().copied();
        let inner = self
            .chart
            .outward(target)
            .skip(1)
            .filter(is_parallel)
            .last();
        if let Some(parallel) = inner
            && !self.chart.is_inside(from, parallel)
        {
            let shown = self.entered_name(parallel);
            let what = format!(
                "the transition into a region of `{shown}`: all regions start in their initial states"
            );
            self.input.leave(edge.span, what);
            return shown;
        }
        let shown = self.entered_name(target);
        let leaves = region_of(from) != region_of(target)
            && self
                .chart
                .outward(from)
                .skip(1)
                .any(|node| is_parallel(&node));
        let inside = region_of(from).is_some_and(|region| self.chart.is_inside(target, region));
        if leaves && !self.chart.ends_all(target) && !inside {
            self.input.leave(
                edge.span,
                format!(
                    "leaving all regions: the transition to `{shown}` leaves only its own region"
                ),
            );
        }
        shown
    }

    /// Converts a guard to a condition that tests a slot of the same name.
    fn condition(&mut self, term: &GuardTerm, span: Span) -> GuardTerm {
        let slot = slot_name(&term.name, "guard");
        if slot != term.name {
            let what = format!(
                "the name `{}`: the transition applies if the slot `{slot}` is true",
                term.name
            );
            self.input.leave(span, what);
        }
        let name = if is_built_in_condition(&slot) {
            format!("guard_{slot}")
        } else {
            slot.clone()
        };
        self.plan
            .slots
            .entry(slot.clone())
            .or_insert_with(|| "false".to_owned());
        self.plan.conditions.entry(name.clone()).or_insert(slot);
        GuardTerm {
            name,
            holds: term.holds,
        }
    }

    /// Converts a parallel state to its regions and the state that joins them.
    fn regions(&mut self, id: NodeId, name: &str) -> StateShape {
        let chart = self.chart;
        let node = &chart[id];
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        let mut regions = Vec::new();
        for region in &node.children {
            let mut handles: Vec<String> = Vec::new();
            for edge in chart
                .within(*region)
                .into_iter()
                .flat_map(|inner| &chart[inner].edges)
            {
                let ChartTrigger::Event(event) = &edge.trigger else {
                    continue;
                };
                let intent = clean(event, "event");
                let here = clean(&chart[*region].name, "region");
                match taken.get(&intent) {
                    Some(owner) if *owner != here => {
                        let what = format!(
                            "`{event}` in the region `{here}`: only the region `{owner}` handles the event"
                        );
                        self.input.leave(edge.span, what);
                    }
                    Some(_) => {}
                    None => {
                        taken.insert(intent.clone(), here);
                        handles.push(intent);
                    }
                }
            }
            let name = clean(&chart[*region].name, "region");
            regions.push(RegionPlan {
                name,
                initial: self.entered_name(*region),
                handles,
            });
        }
        let done: Vec<&ChartEdge> = node.on(&ChartTrigger::Done).collect();
        let mut ways: Vec<TransitionPlan> = done
            .iter()
            .map(|edge| self.way_from(edge, id, name))
            .collect();
        let join_at = match ways.as_slice() {
            [TransitionPlan { when, then }, ..] if when.is_empty() => then.clone(),
            _ => {
                let choice = self.given.give(&format!("{name}_done"));
                match ways.iter().position(|way| way.when.is_empty()) {
                    Some(last) => ways.truncate(last + 1),
                    None => {
                        let place = self.given.give(&format!("{name}_over"));
                        ways.push(TransitionPlan::to(&place));
                        self.plan.states.insert(place, StatePlan::default());
                    }
                }
                let shape = StateShape::Choice(ways);
                self.add_node(choice.clone(), shape);
                choice
            }
        };
        StateShape::Parallel { regions, join_at }
    }

    /// Sets the initial state, which must be a place. If a dialogue would start in a control node, adds an initial
    /// state before it.
    fn initial(&mut self) {
        let mut first = self.entered_name(Statechart::ROOT);
        // A choice without conditions is never the current state, so the flow starts in its target.
        for _ in 0..self.plan.states.len() {
            let shape = self.plan.states.get(&first).map(|state| &state.shape);
            let Some(StateShape::Choice(ways)) = shape else {
                break;
            };
            let [only] = ways.as_slice() else { break };
            first.clone_from(&only.then);
        }
        let is_place = self
            .plan
            .states
            .get(&first)
            .is_none_or(|state| matches!(state.shape, StateShape::Place));
        if !is_place {
            let begin = self.given.give("start");
            let moves = first_moves(&mut self.plan, &first, &mut self.given);
            let what = format!(
                "entering `{first}` before the first turn: the dialogue starts in `{begin}`, and its first intent enters `{first}`"
            );
            self.input.leave(self.chart[Statechart::ROOT].span, what);
            self.plan.states.shift_insert(
                0,
                begin.clone(),
                StatePlan {
                    moves,
                    ..StatePlan::default()
                },
            );
            first = begin;
        }
        self.plan.initial = first;
    }

    /// Removes branches to break cycles of choices. A cycle without guards is an error.
    fn break_cycles(&mut self) {
        let cycles = CycleCheck::of(&self.plan.states);
        for (from, to) in &cycles.opened {
            let what = format!(
                "the branch from `{from}` to `{to}`, which could return to `{from}` in the same turn"
            );
            self.input.leave(self.span_of(from), what);
            if let Some(StateShape::Choice(ways)) =
                self.plan.states.get_mut(from).map(|state| &mut state.shape)
            {
                ways.retain(|way| way.when.is_empty() || way.then != *to);
            }
        }
        if let Some(name) = cycles.closed {
            let title = format!("`{name}` is in a cycle of transitions without events");
            unusable(title, self.span_of(&name), "endless cycle")
                .help("add an event to one transition in the cycle")
                .add_to(self.input.found);
        }
    }

    /// Reports the regions whose end is unreachable from their initial state.
    fn end_regions(&mut self) {
        for (name, number) in endless(&self.plan) {
            let parallel = self.named(&name);
            let region = self.chart[parallel].children.get(number);
            let region = *region.unwrap_or(&parallel);
            never_ends(
                self.chart,
                region,
                &format!("`{name}`"),
                "end is unreachable",
            )
            .add_to(self.input.found);
        }
    }

    /// The state with this name, or the state whose entry choice has this name.
    fn named(&self, name: &str) -> NodeId {
        let mut known = self.names.iter().chain(&self.entries);
        known
            .find(|(_, known)| *known == name)
            .map_or(Statechart::ROOT, |(id, _)| *id)
    }

    fn span_of(&self, name: &str) -> Span {
        self.chart[self.named(name)].span
    }
}

/// Removes the edges after the first edge without a guard, which is always taken. Returns whether such an edge exists.
fn cut_after_unguarded(edges: &mut Vec<&ChartEdge>) -> bool {
    let unguarded = edges.iter().position(|edge| edge.guard.is_empty());
    edges.truncate(unguarded.map_or(edges.len(), |at| at + 1));
    unguarded.is_some()
}
