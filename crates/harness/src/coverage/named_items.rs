//! Finds the items that are identified by name: phases, intents and slots (at their first location), policy items, and
//! gates.

use std::collections::BTreeMap;

use super::coverage_kind::CoverageKind;
use super::coverage_map::{FoundItem, MapBuilder};
use super::coverage_set::CoverageEvent;
use super::reach::Reach;
use fsmsim_core::engine::policy::ItemMark;
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{EffectId, IntentId, OpKind, State};
use fsmsim_syntax::diagnostic::Span;

/// Items by ID, each with its first location and whether it is reachable.
type Named<I> = BTreeMap<I, (Option<Span>, Reach)>;

impl MapBuilder<'_> {
    /// Adds phases, intents and slots.
    pub(super) fn named(&mut self) {
        let machine = self.machine;
        let mut phases = Named::new();
        let mut intents = Named::new();
        let mut slots = Named::new();
        for (id, state) in machine.declared_states() {
            let span = state.span;
            if let Some(phase) = state.phase {
                note(&mut phases, phase, span, self.reach.state(id));
            }
            for (intent, rule) in handled_intents(machine, state) {
                // Any intent can occur in any state, even if the state that handles it is unreachable.
                note(&mut intents, intent, rule, Reach::Possible);
            }
            for slot in state.required.iter().chain(&state.optional) {
                note(&mut slots, *slot, span, Reach::Possible);
            }
        }
        for item in machine.policies.coverage_items(machine) {
            if let ItemMark::Intent(intent) = item.mark {
                note(&mut intents, intent, item.span, Reach::Possible);
            }
        }
        for (frame, field) in machine.frames.fields() {
            let span = Some(self.span(frame.rule));
            note(&mut slots, field.slot, span, Reach::Possible);
        }
        let names = &machine.names;
        let mut add = |kind, name: &str, shown_by, (span, reach)| {
            self.add(FoundItem {
                shown_by: &[shown_by],
                ..FoundItem::new(kind, name.to_owned(), span, reach)
            });
        };
        for (id, of) in phases {
            let name = names.phases.name(id);
            add(CoverageKind::Phases, name, CoverageEvent::Phase(id), of);
        }
        for (id, of) in intents {
            let name = names.intents.name(id);
            add(CoverageKind::Intents, name, CoverageEvent::Intent(id), of);
        }
        for (id, of) in slots {
            let name = names.slots.name(id);
            add(CoverageKind::Slots, name, CoverageEvent::Slot(id), of);
        }
    }

    /// Adds policy items and gates.
    pub(super) fn add_policy_items(&mut self) {
        let machine = self.machine;
        let mut add = |kind, name, span, shown_by| {
            self.add(FoundItem {
                shown_by: &[shown_by],
                ..FoundItem::new(kind, name, span, Reach::Possible)
            });
        };
        let items = machine.policies.coverage_items(machine);
        // Intents of policies are counted together with the intents of states.
        for item in items.filter(|item| !matches!(item.mark, ItemMark::Intent(_))) {
            if let Ok(kind) = item.kind.parse() {
                add(kind, item.name, item.span, CoverageEvent::of(item.mark));
            }
        }
        for (id, effect) in machine.effects.pairs() {
            let name = machine.names.effects.name(id);
            for (gate, number) in effect.gates.iter().zip(0..) {
                // A gate is located at its condition, or else at the first use of the effect.
                let span = machine
                    .condition_span(gate.holds)
                    .or_else(|| first_use(machine, id));
                for (passes, did) in [(true, "passes"), (false, "stops")] {
                    let seen = CoverageEvent::Watched(WatchEvent::Gate(id, number, passes));
                    let name = format!("{name}[{}] {did}", number + 1);
                    add(CoverageKind::Gates, name, span, seen);
                }
            }
        }
    }
}

/// The intents that a state handles, with their locations. Triggers are not intents.
fn handled_intents(machine: &Machine, state: &State) -> Vec<(IntentId, Option<Span>)> {
    let tables = state.rules.iter().chain(state.transitions.iter());
    tables
        .filter(|(intent, _)| !machine.is_trigger(*intent))
        .map(|(intent, chain)| {
            (
                intent,
                machine
                    .alternatives(chain)
                    .first()
                    .map(|alternative| machine.rules[alternative.rule].span),
            )
        })
        .collect()
}

fn note<I: Ord>(named: &mut Named<I>, id: I, span: Option<Span>, reach: Reach) {
    let known = named.entry(id).or_insert((span, reach.clone()));
    known.0 = known.0.or(span);
    known.1 = std::mem::take(&mut known.1).or(reach);
}

/// The first use of an effect.
fn first_use(machine: &Machine, effect: EffectId) -> Option<Span> {
    let uses = machine
        .all_ops()
        .iter()
        .filter(|op| matches!(&op.kind, OpKind::Effect(used) if used.effect == effect));
    uses.map(|op| machine.rules[op.rule].span).next()
}
