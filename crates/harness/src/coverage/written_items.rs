//! Finds what of a machine is counted: its states, and what they say.

use std::collections::BTreeSet;

use super::coverage_kind::CoverageKind;
use super::coverage_map::{CoverageMap, FoundItem, is_written};
use super::coverage_set::CoverageEvent;
use super::reach::{Outcomes, ProvenReach, Reach};
use super::written_conditions::{self, ConditionSites, add_outcomes};
use super::written_items;
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{
    ChainId, Clause, ConditionId, ControlNode, IntentId, RuleId, State, StateId, Target,
};
use fsmsim_syntax::diagnostic::Span;

/// Finds what of a machine is counted.
pub(super) fn collect(machine: &Machine, begun: &BTreeSet<StateId>, map: &mut CoverageMap) {
    let reachability = ProvenReach::of(machine, begun);
    let mut collector = Collector {
        machine,
        map,
        reachability: &reachability,
        sites: ConditionSites::default(),
    };
    for (id, state) in machine
        .declared_states()
        .filter(|(_, state)| !state.is_branch_end())
    {
        collector.state(id, state);
    }
    let Collector { sites, .. } = collector;
    written_conditions::collect(machine, &reachability, sites, map);
    super::named_items::collect(machine, &reachability, map);
    super::policy_items::collect(machine, map);
}

struct Collector<'c> {
    machine: &'c Machine,
    map: &'c mut CoverageMap,
    reachability: &'c ProvenReach<'c>,
    /// The conditions that belong to alternatives, and are counted there.
    sites: ConditionSites,
}

/// An alternative of a rule or a transition.
struct Alternative<'n> {
    clause: Clause,
    outcomes: Outcomes,
    reach: Reach,
    state: StateId,
    name: &'n str,
    /// It is not the only one, or has a condition.
    is_listed: bool,
}

impl Collector<'_> {
    fn state(&mut self, id: StateId, state: &State) {
        let name = self.machine.names.states.name(id).to_owned();
        let reach = self.reachability.state(id);
        if reach != Reach::Possible {
            self.map.note_unreached(id);
        }
        let (kind, span) = (CoverageKind::States, state.span);
        self.map.add(
            self.machine,
            FoundItem {
                kind,
                name,
                span,
                way: String::new(),
                shown_by: &[CoverageEvent::State(id)],
                reach,
            },
        );
        for (table, kind) in [
            (&state.rules, CoverageKind::Rules),
            (&state.transitions, CoverageKind::Transitions),
        ] {
            for (intent, chain) in table.iter() {
                let name = self.machine.names.intents.name(intent).to_owned();
                self.chain(id, kind, &name, chain, Some(intent));
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
                    let reach = self.reachability.inside(id, None);
                    self.edge(
                        id,
                        name.to_owned(),
                        rule,
                        &[CoverageEvent::Rule(rule)],
                        reach,
                    );
                }
                Target::Chain(chain) => {
                    self.chain(id, CoverageKind::Transitions, name, chain, None);
                }
            }
        }
        if let Some(ControlNode::Choice { ways, .. }) = state.node.as_deref() {
            for (way, number) in ways.iter().zip(1..) {
                let to = self.machine.names.states.name(way.next);
                let name = format!("{}[{number}]", self.machine.names.states.name(id));
                let outcomes = self.reachability.outcomes(way.when, None);
                let mut reach = self.reachability.state(id);
                if !outcomes.holds {
                    reach = Reach::Never("its condition never holds".to_owned()).with(&reach);
                }
                let taken = [CoverageEvent::Watched(WatchEvent::Taken(way.rule))];
                self.edge(
                    id,
                    format!("{} -> {to}", self.machine.names.states.name(id)),
                    way.rule,
                    &taken,
                    reach,
                );
                let site = self.reachability.state(id);
                self.site(way.rule, way.when, &name, id, outcomes, &site);
            }
        }
        for declared in self.machine.moves(id) {
            let name = format!("-> {}", self.machine.names.states.name(declared.target));
            let reach = self.reachability.state(id);
            self.edge(
                id,
                name,
                declared.rule,
                &[CoverageEvent::Rule(declared.rule)],
                reach,
            );
        }
    }

    /// Whether a rule was written as such, and is not what the state as a whole stands for.
    fn is_rule(&self, state: StateId, rule: RuleId) -> bool {
        let span = self.span(rule);
        is_written(self.machine, span) && self.machine.state(state).span != Some(span)
    }

    fn edge(
        &mut self,
        state: StateId,
        name: String,
        rule: RuleId,
        shown_by: &[CoverageEvent],
        reach: Reach,
    ) {
        if !self.is_rule(state, rule) {
            return;
        }
        let span = Some(self.machine.rules[rule].span);
        let way = self.way(state, rule);
        let kind = CoverageKind::Transitions;
        self.map.add(
            self.machine,
            FoundItem {
                kind,
                name,
                span,
                way,
                shown_by,
                reach,
            },
        );
    }

    /// A rule or a transition, and its alternatives.
    fn chain(
        &mut self,
        state: StateId,
        kind: CoverageKind,
        name: &str,
        chain: ChainId,
        intent: Option<IntentId>,
    ) {
        let clauses = self.machine.clauses(chain);
        let Some(first) = clauses
            .first()
            .filter(|first| self.is_rule(state, first.rule))
        else {
            return;
        };
        let inside = self.reachability.inside(state, intent);
        let is_listed = clauses.len() > 1 || first.when.is_some();
        let mut whole: Option<Reach> = None;
        for ((clause, (outcomes, reach)), number) in clauses
            .iter()
            .zip(self.reachability.chain(chain, state))
            .zip(1..)
        {
            let reach = reach.with(&inside);
            let taken = if outcomes.holds {
                reach.clone()
            } else {
                Reach::Never("its condition never holds".to_owned()).with(&reach)
            };
            whole = Some(match whole {
                Some(known) => known.or(taken.clone()),
                None => taken.clone(),
            });
            let name = if clause.when.is_none() {
                format!("{name}[default]")
            } else {
                format!("{name}[{number}]")
            };
            let alternative = Alternative {
                clause: *clause,
                outcomes,
                reach,
                state,
                name: &name,
                is_listed,
            };
            self.alternative(&alternative, taken);
        }
        let rules: Vec<CoverageEvent> = clauses
            .iter()
            .map(|clause| CoverageEvent::Rule(clause.rule))
            .collect();
        let span = Some(self.machine.rules[first.rule].span);
        let way = self.way(state, first.rule);
        let reach = whole.unwrap_or_default();
        self.map.add(
            self.machine,
            FoundItem {
                kind,
                name: name.to_owned(),
                span,
                way,
                shown_by: &rules,
                reach,
            },
        );
    }

    fn alternative(&mut self, alternative: &Alternative<'_>, taken: Reach) {
        let Alternative {
            clause,
            outcomes,
            ref reach,
            state,
            name,
            is_listed,
        } = *alternative;
        if !is_listed {
            return;
        }
        let item = FoundItem {
            kind: CoverageKind::Clauses,
            name: name.to_owned(),
            span: Some(self.span(clause.rule)),
            way: self.way(state, clause.rule),
            shown_by: &[CoverageEvent::Rule(clause.rule)],
            reach: taken,
        };
        self.map.add(self.machine, item);
        if let Some(when) = clause.when {
            self.site(clause.rule, when, name, state, outcomes, reach);
        }
    }

    /// Where the condition of an alternative or a way is asked.
    fn site(
        &mut self,
        rule: RuleId,
        when: ConditionId,
        name: &str,
        state: StateId,
        outcomes: Outcomes,
        reach: &Reach,
    ) {
        let way = self.way(state, rule);
        let span = self.span(rule);
        if !self.is_rule(state, rule) {
            return;
        }
        let (kind, name, reach) = (CoverageKind::Conditions, name.to_owned(), reach.clone());
        let found = FoundItem {
            kind,
            name,
            span: Some(span),
            way,
            shown_by: &[],
            reach,
        };
        add_outcomes(
            self.machine,
            &found,
            outcomes,
            &|came| WatchEvent::When(rule, came),
            self.map,
        );
        self.sites.add(when, found, state);
    }

    fn span(&self, rule: RuleId) -> Span {
        self.machine.rules[rule].span
    }

    /// How a rule comes to a state.
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

impl CoverageMap {
    /// What of a machine is counted.
    pub fn of(machine: &Machine) -> Self {
        Self::begun_in(machine, &BTreeSet::new())
    }

    /// The same, where dialogues begin in these states, too.
    pub(super) fn begun_in(machine: &Machine, begun: &BTreeSet<StateId>) -> Self {
        let mut map = Self::default();
        written_items::collect(machine, begun, &mut map);
        map
    }
}
