//! Finds the counted items of a machine: its states, and their rules and transitions.

use std::collections::BTreeSet;

use super::coverage_kind::CoverageKind;
use super::coverage_map::{CoverageMap, FoundItem, MapBuilder};
use super::coverage_set::CoverageEvent;
use super::reach::{Outcomes, ProvenReach, Reach};
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{
    Alternative, ChainId, ConditionId, ControlNode, IntentId, RuleId, State, StateId, Target,
};

impl CoverageMap {
    /// The counted items of a machine.
    pub fn of(machine: &Machine) -> Self {
        Self::begun_in(machine, &BTreeSet::new())
    }

    /// The counted items of a machine, if dialogues also start in these states.
    pub(super) fn begun_in(machine: &Machine, begun: &BTreeSet<StateId>) -> Self {
        let mut builder = MapBuilder {
            machine,
            reach: ProvenReach::of(machine, begun),
            map: Self::default(),
            sites: Vec::new(),
        };
        for (id, state) in machine
            .declared_states()
            .filter(|(_, state)| !state.is_target_only())
        {
            builder.state(id, state);
        }
        builder.conditions();
        builder.named();
        builder.add_policy_items();
        builder.map
    }
}

impl MapBuilder<'_> {
    fn state(&mut self, id: StateId, state: &State) {
        let machine = self.machine;
        let name = machine.names.states.name(id);
        let reach = self.reach.state(id);
        if reach != Reach::Possible {
            self.map.unreached.insert(id);
        }
        self.add(FoundItem {
            shown_by: &[CoverageEvent::State(id)],
            ..FoundItem::new(
                CoverageKind::States,
                name.to_owned(),
                state.span,
                reach.clone(),
            )
        });
        for (table, kind) in [
            (&state.rules, CoverageKind::Rules),
            (&state.transitions, CoverageKind::Transitions),
        ] {
            for (intent, chain) in table.iter() {
                let name = machine.names.intents.name(intent);
                self.chain(id, kind, name, chain, Some(intent));
            }
        }
        let targets = [
            ("go_back", state.go_back),
            ("data_complete", state.data_complete),
            ("any", state.any),
            ("fallback", state.fallback),
        ];
        for (name, target) in targets {
            match target {
                Target::None => {}
                Target::State(_, rule) => {
                    let event = CoverageEvent::Rule(rule);
                    let reach = self.reach.inside(id, None);
                    self.edge(id, name.to_owned(), rule, event, reach);
                }
                Target::Chain(chain) => {
                    self.chain(id, CoverageKind::Transitions, name, chain, None);
                }
            }
        }
        if let Some(ControlNode::Choice { ways, .. }) = state.node.as_deref() {
            for (way, number) in ways.iter().zip(1..) {
                let to = machine.names.states.name(way.next);
                let outcomes = self.reach.outcomes(way.when, None);
                let taken = CoverageEvent::Watched(WatchEvent::Taken(way.rule));
                let may = may_hold(outcomes, &reach);
                self.edge(id, format!("{name} -> {to}"), way.rule, taken, may);
                let name = format!("{name}[{number}]");
                self.site(way.rule, way.when, &name, id, outcomes, &reach);
            }
        }
        for declared in machine.moves(id) {
            let name = format!("-> {}", machine.names.states.name(declared.target));
            let event = CoverageEvent::Rule(declared.rule);
            self.edge(id, name, declared.rule, event, reach.clone());
        }
    }

    /// Whether a rule has its own definition, separate from that of the state.
    fn is_rule(&self, state: StateId, rule: RuleId) -> bool {
        let span = self.span(rule);
        self.is_written(span) && self.machine.state(state).span != Some(span)
    }

    fn edge(
        &mut self,
        state: StateId,
        name: String,
        rule: RuleId,
        shown_by: CoverageEvent,
        reach: Reach,
    ) {
        if !self.is_rule(state, rule) {
            return;
        }
        let span = Some(self.span(rule));
        self.add(FoundItem {
            way: self.way(state, rule),
            shown_by: &[shown_by],
            ..FoundItem::new(CoverageKind::Transitions, name, span, reach)
        });
    }

    /// Adds a rule or a transition, and its alternatives.
    fn chain(
        &mut self,
        state: StateId,
        kind: CoverageKind,
        name: &str,
        chain: ChainId,
        intent: Option<IntentId>,
    ) {
        let alternatives = self.machine.alternatives(chain);
        let Some(first) = alternatives
            .first()
            .filter(|first| self.is_rule(state, first.rule))
        else {
            return;
        };
        let inside = self.reach.inside(state, intent);
        // Alternatives are listed if there are several, or if the only one has a condition.
        let are_listed = alternatives.len() > 1 || first.when.is_some();
        let mut whole: Option<Reach> = None;
        for ((alternative, (outcomes, reach)), number) in alternatives
            .iter()
            .zip(self.reach.chain(chain, state))
            .zip(1..)
        {
            let reach = reach.with(&inside);
            let taken = may_hold(outcomes, &reach);
            whole = Some(match whole {
                Some(known) => known.or(taken.clone()),
                None => taken.clone(),
            });
            let name = if alternative.when.is_none() {
                format!("{name}[default]")
            } else {
                format!("{name}[{number}]")
            };
            if are_listed {
                self.alternative(state, *alternative, &name, outcomes, &reach, taken);
            }
        }
        let rules: Vec<CoverageEvent> = alternatives
            .iter()
            .map(|alternative| CoverageEvent::Rule(alternative.rule))
            .collect();
        let span = Some(self.span(first.rule));
        let reach = whole.unwrap_or_default();
        self.add(FoundItem {
            way: self.way(state, first.rule),
            shown_by: &rules,
            ..FoundItem::new(kind, name.to_owned(), span, reach)
        });
    }

    fn alternative(
        &mut self,
        state: StateId,
        alternative: Alternative,
        name: &str,
        outcomes: Outcomes,
        reach: &Reach,
        taken: Reach,
    ) {
        let kind = CoverageKind::Alternatives;
        let span = Some(self.span(alternative.rule));
        self.add(FoundItem {
            way: self.way(state, alternative.rule),
            shown_by: &[CoverageEvent::Rule(alternative.rule)],
            ..FoundItem::new(kind, name.to_owned(), span, taken)
        });
        if let Some(when) = alternative.when {
            self.site(alternative.rule, when, name, state, outcomes, reach);
        }
    }

    /// Adds the condition of an alternative or a branch.
    fn site(
        &mut self,
        rule: RuleId,
        when: ConditionId,
        name: &str,
        state: StateId,
        outcomes: Outcomes,
        reach: &Reach,
    ) {
        if !self.is_rule(state, rule) {
            return;
        }
        let kind = CoverageKind::Conditions;
        let span = Some(self.span(rule));
        let found = FoundItem {
            way: self.way(state, rule),
            ..FoundItem::new(kind, name.to_owned(), span, reach.clone())
        };
        self.add_outcomes(&found, outcomes, &|value| WatchEvent::When(rule, value));
        self.sites.push((when, found, state));
    }

    /// The path of a rule to a state: the mixin or parent that defines the rule.
    fn way(&self, state: StateId, rule: RuleId) -> String {
        let name = self.machine.names.states.name(state);
        let origin = self.machine.origin_of(rule);
        let mut way = name.to_owned();
        if let Some(mixin) = &origin.mixin {
            way.push_str(", through the mixin ");
            way.push_str(mixin);
        }
        if !origin.state.is_empty() && *origin.state != *name {
            way.push_str(", from ");
            way.push_str(&origin.state);
        }
        way
    }
}

/// The reachability of an item that has a condition: unreachable if the condition never holds, otherwise `reach`.
fn may_hold(outcomes: Outcomes, reach: &Reach) -> Reach {
    if outcomes.holds {
        reach.clone()
    } else {
        Reach::Never("its condition never holds".to_owned()).with(reach)
    }
}
