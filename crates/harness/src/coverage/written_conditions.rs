//! Finds the conditions of a machine that are written, and their parts.

use std::collections::{BTreeMap, BTreeSet};

use super::coverage_kind::CoverageKind;
use super::coverage_map::{CoverageMap, FoundItem, is_written};
use super::coverage_set::CoverageEvent;
use super::reach::{Outcomes, ProvenReach, Reach};
use fsmsim_core::engine::{ConditionVector, Machine, WatchEvent};
use fsmsim_core::machine::{Condition, ConditionId, Id, StateId};
use fsmsim_syntax::diagnostic::Span;

/// Where conditions of alternatives and ways are asked.
#[derive(Default)]
pub(super) struct ConditionSites {
    sites: Vec<AskedCondition>,
}

struct AskedCondition {
    condition: ConditionId,
    found: FoundItem<'static>,
    state: StateId,
}

impl ConditionSites {
    /// Notes where a condition is asked.
    pub(super) fn add(
        &mut self,
        condition: ConditionId,
        found: FoundItem<'static>,
        state: StateId,
    ) {
        self.sites.push(AskedCondition {
            condition,
            found,
            state,
        });
    }
}

/// Counts what written conditions come to, but for those of alternatives, which are counted there; and the parts of all.
pub(super) fn collect(
    machine: &Machine,
    reachability: &ProvenReach<'_>,
    sites: ConditionSites,
    map: &mut CoverageMap,
) {
    let mut counted: BTreeSet<ConditionId> =
        sites.sites.iter().map(|site| site.condition).collect();
    for AskedCondition {
        condition,
        found,
        state,
    } in sites.sites
    {
        let finder = Finder {
            machine,
            reachability,
            state: Some(state),
        };
        finder.parts(condition, &found, map);
    }
    // What is only looked at before a turn, nobody watches.
    counted.extend(machine.phrases.iter().filter_map(|reading| reading.when));
    let finder = Finder {
        machine,
        reachability,
        state: None,
    };
    let used: BTreeSet<usize> = machine
        .conditions
        .iter()
        .filter_map(|condition| match condition {
            Condition::Named(named) => Some(named.index()),
            _ => None,
        })
        .chain(
            machine
                .priorities
                .entries
                .iter()
                .filter_map(|entry| entry.condition.flatten().map(Id::index)),
        )
        .collect();
    for (id, named) in machine.named_conditions.pairs() {
        let Some(span) = named.span.filter(|_| machine.is_written(named.condition)) else {
            continue;
        };
        counted.insert(named.condition);
        if !is_written(machine, span) {
            continue;
        }
        let reach = if used.contains(&id.index()) {
            Reach::Possible
        } else {
            Reach::Never("no rule uses the condition".to_owned())
        };
        let name = machine.names.conditions.name(id).to_owned();
        finder.whole(named.condition, &name, span, &reach, map);
    }
    let called = names(machine);
    let written = machine
        .conditions
        .pairs()
        .filter(|(id, _)| machine.is_written(*id));
    let inner: BTreeSet<ConditionId> = written
        .flat_map(|(_, condition)| parts_of(condition))
        .collect();
    for (id, condition) in machine.conditions.pairs() {
        let Some(span) = machine
            .condition_span(id)
            .filter(|span| is_written(machine, *span))
        else {
            continue;
        };
        // A name alone is counted where it is defined.
        if !inner.contains(&id)
            && !counted.contains(&id)
            && !matches!(condition, Condition::Named(_))
        {
            finder.whole(
                id,
                called.get(&id).map_or("condition", String::as_str),
                span,
                &Reach::Possible,
                map,
            );
        }
    }
}

/// Counts what a condition comes to: true, and false. What cannot be is never reached.
pub(super) fn add_outcomes(
    machine: &Machine,
    found: &FoundItem<'_>,
    outcomes: Outcomes,
    shown_by: &dyn Fn(bool) -> WatchEvent,
    map: &mut CoverageMap,
) {
    for (came, may) in [(true, outcomes.holds), (false, outcomes.fails)] {
        let never = || {
            Reach::Never(format!(
                "the condition {} holds",
                if came { "never" } else { "always" }
            ))
        };
        let reach = if may {
            found.reach.clone()
        } else {
            never().with(&found.reach)
        };
        let (name, shown_by) = (
            format!("{}={came}", found.name),
            [CoverageEvent::Watched(shown_by(came))],
        );
        map.add(
            machine,
            FoundItem {
                name,
                shown_by: &shown_by,
                way: found.way.clone(),
                reach,
                ..*found
            },
        );
    }
}

/// What conditions are called that have no name of their own: by what asks them.
fn names(machine: &Machine) -> BTreeMap<ConditionId, String> {
    let policies = machine.policies.facts();
    let own = policies.flat_map(|policy| policy.condition_names(machine));
    let mut names: BTreeMap<ConditionId, String> = own.collect();
    for property in &machine.properties {
        names.insert(property.condition, format!("property {}", property.name));
    }
    for (id, phase) in machine.phases.pairs() {
        names.extend(
            phase
                .skip
                .iter()
                .map(|skip| (*skip, format!("skip {}", machine.names.phases.name(id)))),
        );
    }
    for outcome in &machine.outcomes {
        names.extend(
            outcome
                .when
                .map(|when| (when, format!("outcome {}", outcome.name))),
        );
    }
    names
}

/// The nodes directly below a node.
fn parts_of(condition: &Condition) -> Vec<ConditionId> {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.to_vec(),
        Condition::Not(part) => vec![*part],
        _ => Vec::new(),
    }
}

struct Finder<'m> {
    machine: &'m Machine,
    reachability: &'m ProvenReach<'m>,
    state: Option<StateId>,
}

impl Finder<'_> {
    fn found(name: String, span: Option<Span>, way: String, reach: Reach) -> FoundItem<'static> {
        FoundItem {
            kind: CoverageKind::Conditions,
            name,
            span,
            way,
            shown_by: &[],
            reach,
        }
    }

    /// A condition that stands by itself: what it comes to, and its parts.
    fn whole(&self, id: ConditionId, name: &str, span: Span, reach: &Reach, map: &mut CoverageMap) {
        let outcomes = self.reachability.outcomes(id, self.state);
        let found = Self::found(name.to_owned(), Some(span), String::new(), reach.clone());
        add_outcomes(
            self.machine,
            &found,
            outcomes,
            &|came| WatchEvent::Condition(id, came),
            map,
        );
        self.parts(id, &found, map);
    }

    /// The parts of a condition that has several.
    fn parts(&self, id: ConditionId, found: &FoundItem<'_>, map: &mut CoverageMap) {
        let parts = self.machine.condition_parts(id);
        if parts.is_empty() || !self.machine.is_written(id) {
            return;
        }
        let whole = self.reachability.outcomes(id, self.state);
        let is_constant = |outcomes: Outcomes| !(outcomes.holds && outcomes.fails);
        let reach = parts.iter().map(|part| {
            if parts.len() > ConditionVector::MOST_PARTS {
                Reach::Unknown.with(&found.reach)
            } else if is_constant(whole)
                || is_constant(self.reachability.outcomes(*part, self.state))
            {
                Reach::Never("it always comes to the same".to_owned()).with(&found.reach)
            } else {
                found.reach.clone()
            }
        });
        let reach: Vec<Reach> = reach.collect();
        map.add_decision(self.machine, id, found, &reach);
    }
}
