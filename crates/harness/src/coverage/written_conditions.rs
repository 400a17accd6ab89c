//! Finds the conditions of a machine, and their parts.

use std::collections::{BTreeMap, BTreeSet};

use super::coverage_kind::CoverageKind;
use super::coverage_map::{FoundItem, MapBuilder};
use super::coverage_set::CoverageEvent;
use super::reach::{Outcomes, Reach};
use fsmsim_core::engine::{ConditionVector, Machine, WatchEvent};
use fsmsim_core::machine::{Condition, ConditionId, Id, StateId};
use fsmsim_syntax::diagnostic::Span;

impl MapBuilder<'_> {
    /// Adds the parts of all conditions, and the results of all conditions that are not counted with an alternative.
    pub(super) fn conditions(&mut self) {
        let machine = self.machine;
        let mut counted = BTreeSet::new();
        for (condition, found, state) in std::mem::take(&mut self.sites) {
            counted.insert(condition);
            self.parts(condition, &found, Some(state));
        }
        // Conditions that are evaluated only before a turn are not watched.
        counted.extend(machine.phrases.iter().filter_map(|phrases| phrases.when));
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
            if !self.is_written(span) {
                continue;
            }
            let reach = if used.contains(&id.index()) {
                Reach::Possible
            } else {
                Reach::Never("no rule uses the condition".to_owned())
            };
            let name = machine.names.conditions.name(id).to_owned();
            self.add_condition(named.condition, &name, span, reach);
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
                .filter(|span| self.is_written(*span))
            else {
                continue;
            };
            // A reference to a named condition is counted at the definition of that condition.
            if !inner.contains(&id)
                && !counted.contains(&id)
                && !matches!(condition, Condition::Named(_))
            {
                let name = called.get(&id).map_or("condition", String::as_str);
                self.add_condition(id, name, span, Reach::Possible);
            }
        }
    }

    /// Adds the results of a condition: true and false. A result that is impossible is unreachable.
    pub(super) fn add_outcomes(
        &mut self,
        found: &FoundItem<'_>,
        outcomes: Outcomes,
        shown_by: &dyn Fn(bool) -> WatchEvent,
    ) {
        for (value, may) in [(true, outcomes.holds), (false, outcomes.fails)] {
            let never = || {
                Reach::Never(format!(
                    "the condition {} holds",
                    if value { "never" } else { "always" }
                ))
            };
            let reach = if may {
                found.reach.clone()
            } else {
                never().with(&found.reach)
            };
            self.add(FoundItem {
                name: format!("{}={value}", found.name),
                shown_by: &[CoverageEvent::Watched(shown_by(value))],
                way: found.way.clone(),
                reach,
                ..*found
            });
        }
    }

    /// Adds a condition that does not belong to an alternative: its results and its parts.
    fn add_condition(&mut self, id: ConditionId, name: &str, span: Span, reach: Reach) {
        let kind = CoverageKind::Conditions;
        let found = FoundItem::new(kind, name.to_owned(), Some(span), reach);
        let outcomes = self.reach.outcomes(id, None);
        self.add_outcomes(&found, outcomes, &|value| WatchEvent::Condition(id, value));
        self.parts(id, &found, None);
    }

    /// Adds the parts of a multi-part condition, in its state if it belongs to one.
    fn parts(&mut self, id: ConditionId, found: &FoundItem<'_>, state: Option<StateId>) {
        let parts = self.machine.condition_parts(id);
        if parts.is_empty() || !self.machine.is_written(id) {
            return;
        }
        let is_constant = |condition| {
            let outcomes = self.reach.outcomes(condition, state);
            !(outcomes.holds && outcomes.fails)
        };
        let of_whole = is_constant(id);
        let reach = parts.iter().map(|part| {
            if parts.len() > ConditionVector::MAX_PARTS {
                Reach::Unknown.with(&found.reach)
            } else if of_whole || is_constant(*part) {
                Reach::Never("its value never changes".to_owned()).with(&found.reach)
            } else {
                found.reach.clone()
            }
        });
        let reach: Vec<Reach> = reach.collect();
        self.add_decision(id, found, &reach);
    }
}

/// Names for unnamed conditions, derived from what uses them.
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
