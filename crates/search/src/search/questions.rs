//! The questions that are asked of every model.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{SearchFinding, SearchQuestion, SearchVerdict};
use super::graph::components;
use super::searched_model::SearchedModel;
use super::sight::Effort;
use super::space::{Edge, Space};
use fsmsim_core::engine::policy::Point;
use fsmsim_core::engine::{Machine, Session};
use fsmsim_core::machine::{
    ChainId, ConsentKind, ControlNode, EffectId, EffectKind, OpKind, Payload, RuleId, State,
    StateId, Target,
};

/// Answers the questions of every model from the visited states.
pub fn questions(searched: &SearchedModel<'_>, space: &Space) -> Vec<SearchFinding> {
    let asked = QuestionScan { searched, space };
    let mut found = asked.unreachable();
    found.extend(asked.ends());
    found.extend(asked.endless(&found));
    found.extend(asked.turns());
    let problems: Vec<SearchQuestion> = found.iter().map(|finding| finding.question).collect();
    for question in SearchQuestion::of_every_model() {
        if !problems.iter().any(|problem| question.includes(*problem)) {
            found.push(SearchFinding::new(question, "", asked.absent(question)));
        }
    }
    found.sort_by_key(|finding| finding.question);
    found
}

struct QuestionScan<'a> {
    searched: &'a SearchedModel<'a>,
    space: &'a Space,
}

impl QuestionScan<'_> {
    /// The verdict if a problem was not found.
    fn absent(&self, question: SearchQuestion) -> SearchVerdict {
        let is_about_reach = matches!(
            question,
            SearchQuestion::UnreachableState
                | SearchQuestion::UnreachableFinalState
                | SearchQuestion::UnreachableTransition
                | SearchQuestion::UnaskedPoint
        );
        match (self.space.bound, self.searched.loose.first()) {
            // A bound cannot change that these were reached.
            _ if is_about_reach => SearchVerdict::Proved,
            (Some(bound), _) => SearchVerdict::WithinBound(bound),
            (None, Some(reason)) => SearchVerdict::WithinValues(reason.clone()),
            (None, None) => SearchVerdict::Proved,
        }
    }

    /// The verdict about something that was not reached.
    fn unreached(&self) -> SearchVerdict {
        match (self.space.bound, self.searched.loose.first()) {
            (Some(bound), _) => SearchVerdict::WithinBound(bound),
            (None, Some(reason)) => SearchVerdict::WithinValues(reason.clone()),
            (None, None) => SearchVerdict::Found,
        }
    }

    /// States and transitions that no dialogue reaches.
    fn unreachable(&self) -> Vec<SearchFinding> {
        let machine = self.searched.machine;
        let mut reached: BTreeSet<StateId> = self.space.places.iter().copied().collect();
        let mut taken: BTreeSet<RuleId> = BTreeSet::new();
        for state in self.space.numbers() {
            for edge in self.space.edges(state) {
                taken.extend(&self.space.sight(edge).rules);
            }
        }
        let way = |rule: &RuleId| taken.contains(rule);
        let mut found = Vec::new();
        for (id, state) in machine.declared_states() {
            let is_node = state.is_target_only() || state.node.is_some();
            // A dialogue is in a region while it is in one of its states.
            let is_region = machine.states.iter().any(|inner| inner.region == Some(id));
            if is_node || is_region {
                reached.insert(id);
            } else if !reached.contains(&id) {
                let is_unasked =
                    |point: &&Point| point.first == id && !reached.contains(&point.again);
                let point = machine.policies.points().iter().find(is_unasked);
                let name = machine.names.states.name(id);
                let (question, name) = match point {
                    Some(point) => (SearchQuestion::UnaskedPoint, &*point.id),
                    None if state.is_final => (SearchQuestion::UnreachableFinalState, name),
                    None => (SearchQuestion::UnreachableState, name),
                };
                found.push(SearchFinding::new(question, name, self.unreached()));
            }
        }
        for (id, state) in machine
            .declared_states()
            .filter(|(id, _)| reached.contains(id))
        {
            let mut rules: BTreeMap<RuleId, String> = BTreeMap::new();
            let mut add = |chain: ChainId, name: &str| {
                let acts = self.searched.projection.reads.actions;
                let alternatives = machine.alternatives(chain).iter();
                // Without observed actions, the search does not distinguish answers.
                for alternative in alternatives.filter(|way| acts || way.then.state().is_some()) {
                    let from = machine.names.states.name(id);
                    let to = match alternative.then.state() {
                        Some(to) => machine.names.states.name(to),
                        None => alternative
                            .then
                            .action()
                            .map_or("", |action| machine.names.actions.name(action)),
                    };
                    rules.insert(alternative.rule, format!("{from}: {name} → {to}"));
                }
            };
            for (intent, chain) in state.rules.iter().chain(state.transitions.iter()) {
                if !machine.is_trigger(intent) {
                    add(chain, machine.names.intents.name(intent));
                }
            }
            for (name, target) in [("data_complete", state.data_complete), ("any", state.any)] {
                if let Target::Chain(chain) = target {
                    add(chain, name);
                }
            }
            // Search stops at final states.
            let is_left = !state.is_final;
            for (rule, name) in rules.into_iter().filter(|(rule, _)| is_left && !way(rule)) {
                let finding = SearchFinding::new(
                    SearchQuestion::UnreachableTransition,
                    name,
                    self.unreached(),
                );
                found.push(SearchFinding {
                    rule: Some(rule),
                    ..finding
                });
            }
        }
        found
    }

    /// For each state, whether the dialogue has ended.
    fn finals(&self) -> Vec<bool> {
        let machine = self.searched.machine;
        let mut session = Session::new(machine);
        let is_final = |number: u32| {
            let place = self
                .space
                .places
                .get(number as usize)
                .copied()
                .unwrap_or(machine.initial);
            let state = machine.state(place);
            if state.final_if.is_some() {
                self.searched
                    .projection
                    .restore(&self.space.key(number), &mut session, machine);
                session.is_final(machine)
            } else {
                state.is_final
            }
        };
        self.space.numbers().map(is_final).collect()
    }

    /// Dead ends, endless questions and traps: bottom components without a final state. States that are not expanded
    /// can lead anywhere, so nothing that reaches them is a trap.
    fn ends(&self) -> Vec<SearchFinding> {
        let machine = self.searched.machine;
        let finals = self.finals();
        let ends = finals.contains(&true)
            || machine
                .states
                .iter()
                .any(|state| state.is_final || state.final_if.is_some());
        let count = self.space.len();
        let component = components(count, |state, open| {
            open.extend(self.space.edges(state).iter().map(|edge| edge.to));
        });
        let of = |state: u32| component.get(state as usize).copied().unwrap_or(0) as usize;
        let mut is_bottom = vec![true; count];
        // A component has a larger number than the components that it leads to, so in ascending order all successors of
        // a component are known.
        let mut by_component: Vec<u32> = self.space.numbers().collect();
        by_component.sort_by_key(|state| of(*state));
        let mut can_end = vec![false; count];
        for state in by_component {
            let next = self.space.edges(state).iter();
            let ends = finals.get(state as usize) == Some(&true)
                || !self.space.is_expanded(state)
                || next
                    .map(|edge| of(edge.to))
                    .any(|to| can_end.get(to) == Some(&true));
            if let Some(entry) = can_end.get_mut(of(state)) {
                *entry |= ends;
            }
        }
        let mut members: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for state in self.space.numbers() {
            let is_end = finals.get(state as usize) == Some(&true);
            let leaves = self
                .space
                .edges(state)
                .iter()
                .any(|edge| of(edge.to) != of(state));
            let is_left = is_end || leaves || !self.space.is_expanded(state);
            if let Some(bottom) = is_bottom.get_mut(of(state)) {
                *bottom &= !is_left;
            }
            members.entry(of(state)).or_default().push(state);
        }
        members.retain(|component, _| is_bottom.get(*component) == Some(&true));
        let mut seen: BTreeSet<BTreeSet<StateId>> = BTreeSet::new();
        let mut all: Vec<(u32, BTreeSet<StateId>)> = members
            .into_values()
            .filter_map(|members| {
                let places = members
                    .iter()
                    .filter_map(|state| self.space.places.get(*state as usize).copied());
                Some((*members.first()?, places.collect()))
            })
            .collect();
        all.sort_by_key(|(first, _)| *first);
        let mut found = Vec::new();
        for (first, places) in all {
            if !seen.insert(places.clone()) {
                continue;
            }
            let question = match places.len() {
                1 => SearchQuestion::DeadEnd,
                // Without final states, a dialogue can go on for ever.
                _ if !ends => continue,
                _ => SearchQuestion::Trap,
            };
            let is_whole = first == 0 && !ends;
            if is_whole {
                continue;
            }
            let names: Vec<&str> = places
                .iter()
                .map(|place| machine.names.states.name(*place))
                .collect();
            // The first state of these places from which no dialogue ends; without final states, the first of the bottom.
            let is_lost = |state: &u32| {
                let place = self.space.places.get(*state as usize);
                can_end.get(of(*state)) == Some(&false)
                    && place.is_some_and(|place| places.contains(place))
            };
            let lost = self.space.numbers().find(is_lost).filter(|_| ends);
            let witness = self
                .space
                .witness(self.searched, lost.unwrap_or(first), None);
            let verdict = self.unleft();
            found.push(SearchFinding::new(question, names.join(", "), verdict).shown(witness));
        }
        found
    }

    /// The verdict about states that no turn leaves. A value that is not tried could leave them.
    fn unleft(&self) -> SearchVerdict {
        match self.searched.loose.first() {
            Some(reason) => SearchVerdict::WithinValues(reason.clone()),
            None => SearchVerdict::Found,
        }
    }

    /// Questions that are asked for ever although the user cooperates: states that no sequence of cooperative turns
    /// leaves. The turns of other inputs, such as words that are not understood, can leave them.
    fn endless(&self, known: &[SearchFinding]) -> Vec<SearchFinding> {
        let (machine, space) = (self.searched.machine, self.space);
        let states = machine.declared_states().map(|(id, _)| id);
        let open: BTreeSet<StateId> = states.filter(|id| self.is_open(*id)).collect();
        let place = |state: u32| {
            let place = space.places.get(state as usize);
            place.copied().unwrap_or(machine.initial)
        };
        let turns = |state: u32| {
            let least = if open.contains(&place(state)) {
                Effort::Understood
            } else {
                Effort::Cooperative
            };
            let edges = space.edges(state).iter();
            edges.filter(move |edge| space.sight(edge).effort >= least)
        };
        let component = components(space.len(), |state, next| {
            next.extend(turns(state).map(|edge| edge.to));
        });
        let of = |state: u32| component.get(state as usize).copied().unwrap_or(0) as usize;
        let finals = self.finals();
        let mut can_leave = vec![false; space.len()];
        let mut by_component: Vec<u32> = space.numbers().collect();
        by_component.sort_by_key(|state| of(*state));
        for state in by_component {
            let leaves = finals.get(state as usize) == Some(&true)
                || !space.is_expanded(state)
                || turns(state).any(|edge| {
                    place(edge.to) != place(state) || can_leave.get(of(edge.to)) == Some(&true)
                });
            if let Some(entry) = can_leave.get_mut(of(state)) {
                *entry |= leaves;
            }
        }
        // Without final states, a dialogue that stays in its first state is complete.
        let mut seen: BTreeSet<StateId> = BTreeSet::new();
        seen.extend((!finals.contains(&true)).then_some(machine.initial));
        let mut found = Vec::new();
        for first in space.numbers() {
            let is_lost = can_leave.get(of(first)) == Some(&false);
            let is_stuck = is_lost && turns(first).next().is_some();
            let subject = machine.names.states.name(place(first));
            if !is_stuck
                || known.iter().any(|known| known.subject == subject)
                || !seen.insert(place(first))
            {
                continue;
            }
            let mut witness = space.witness(self.searched, first, None);
            let start = witness.steps.len();
            let mut walk = vec![first];
            let mut repeats = None;
            while let Some((at, edge)) = walk
                .last()
                .and_then(|at| Some((*at, turns(*at).next()?)))
                .filter(|_| repeats.is_none())
            {
                witness.steps.push(space.step(self.searched, at, edge));
                let earlier = walk.iter().position(|known| *known == edge.to);
                repeats = earlier.map(|earlier| start + earlier);
                walk.push(edge.to);
            }
            let finding =
                SearchFinding::new(SearchQuestion::EndlessQuestion, subject, self.unleft());
            found.push(SearchFinding {
                repeats,
                ..finding.shown(witness)
            });
        }
        found
    }

    /// Whether any understood input can take a transition of a state. Then a user cooperates also with other data and
    /// intents than those that the state asks for.
    fn is_open(&self, id: StateId) -> bool {
        let machine = self.searched.machine;
        let policies = &machine.policies;
        let (inputs, state) = (policies.inputs(), machine.state(id));
        let lead = policies.lead(machine, &self.searched.settings, id);
        let is_fork = |state: &State| matches!(state.node.as_deref(), Some(ControlNode::Fork(_)));
        let mut states = machine.states.iter();
        state.targets().iter().any(|target| target.is_some())
            || state.aside.is_some()
            || lead.anywhere
            || lead.aside
            || lead.decides.is_some()
            || !policies.lead_from(machine, id).is_empty()
            || inputs.navigation
            || inputs.classes
            || inputs.tasks
            || inputs.is_whole
            || policies.inquiry().is_some()
            || states.any(is_fork)
    }

    /// Problems of single turns.
    fn turns(&self) -> Vec<SearchFinding> {
        let machine = self.searched.machine;
        let has_consent = machine.policies.guidance().is_some();
        let bypasses = bypasses(machine);
        let mut first: BTreeMap<(SearchQuestion, String), (u32, Edge)> = BTreeMap::new();
        let mut session = Session::new(machine);
        for state in self.space.numbers() {
            for edge in self.space.edges(state) {
                let sight = self.space.sight(edge);
                let mut add = |question, subject: &str| {
                    let key = (question, subject.to_owned());
                    first.entry(key).or_insert((state, *edge));
                };
                if let Some(action) = sight.action.filter(|_| sight.unfilled) {
                    add(
                        SearchQuestion::MissingSlot,
                        machine.names.actions.name(action),
                    );
                }
                for counter in &sight.exceeded {
                    add(
                        SearchQuestion::ExceededLimit,
                        machine.names.counters.name(*counter),
                    );
                }
                for breach in &sight.breaches {
                    add(SearchQuestion::ContractViolation, breach);
                }
                if let Some(classes) = &sight.ambiguous {
                    add(SearchQuestion::ContradictoryRules, classes);
                }
                for effect in &sight.unvalidated {
                    let name = machine.names.effects.name(*effect);
                    add(SearchQuestion::UnvalidatedKnowledge, name);
                }
                let is_bypass = |effect: &&EffectId| bypasses.contains(*effect);
                for effect in sight.effects.iter().filter(is_bypass) {
                    add(
                        SearchQuestion::BypassedGate,
                        machine.names.effects.name(*effect),
                    );
                }
                for property in &sight.broken {
                    if let Some(property) = machine.properties.get(*property) {
                        add(SearchQuestion::Property, &property.name);
                    }
                }
                for effect in sight.effects.iter().filter(|_| has_consent) {
                    let kind = match machine.effects[*effect].kind {
                        EffectKind::Read => ConsentKind::Read,
                        EffectKind::Write => ConsentKind::Write,
                        _ => continue,
                    };
                    self.searched.projection.restore(
                        &self.space.key(edge.to),
                        &mut session,
                        machine,
                    );
                    if session.policies.consent(kind) != Some(true) {
                        add(
                            SearchQuestion::NoConsent,
                            machine.names.effects.name(*effect),
                        );
                    }
                }
            }
        }
        let finding =
            |((question, subject), (state, edge)): ((SearchQuestion, String), (u32, Edge))| {
                let witness = self.space.witness(self.searched, state, Some(&edge));
                SearchFinding::new(question, subject, SearchVerdict::Found).shown(witness)
            };
        first.into_iter().map(finding).collect()
    }
}

/// The effects without gates that change data of the same names as an effect of the same kind with gates.
fn bypasses(machine: &Machine) -> BTreeSet<EffectId> {
    let mut touched: BTreeMap<EffectId, BTreeSet<&str>> = BTreeMap::new();
    for op in machine.all_ops() {
        if let OpKind::Effect(used) = &op.kind {
            let names = touched.entry(used.effect).or_default();
            match &used.payload {
                Payload::Names(slots) => {
                    names.extend(slots.iter().map(|slot| machine.names.slots.name(*slot)));
                }
                Payload::Known(schema) => names.extend([&*machine.schemas[*schema].name]),
                Payload::Values(values) => names.extend(values.iter().map(|(name, _)| &**name)),
            }
        }
    }
    let changes = |effect: EffectId| {
        let kind = machine.effects[effect].kind;
        Some(kind).filter(|kind| matches!(kind, EffectKind::Write | EffectKind::Remember))
    };
    let is_gated = |effect: EffectId| !machine.effects[effect].gates.is_empty();
    let is_bypass = |effect: EffectId, names: &BTreeSet<&str>| {
        let mut others = touched.iter();
        changes(effect).is_some()
            && !is_gated(effect)
            && others.any(|(other, others)| {
                is_gated(*other) && changes(effect) == changes(*other) && !names.is_disjoint(others)
            })
    };
    let found = touched.iter();
    found
        .filter(|(effect, names)| is_bypass(**effect, names))
        .map(|(effect, _)| *effect)
        .collect()
}
