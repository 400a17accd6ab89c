//! Finds phases, intents and slots: what is known by name, wherever it is written first.

use std::collections::BTreeMap;

use super::coverage_kind::CoverageKind;
use super::coverage_map::{CoverageMap, FoundItem};
use super::coverage_set::CoverageEvent;
use super::reach::{ProvenReach, Reach};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::ItemMark;
use fsmsim_core::machine::{IntentId, PhaseId, SlotId, State};
use fsmsim_syntax::diagnostic::Span;

/// What is known by name: where it is written first, and whether a dialogue can come to it.
type Named<I> = BTreeMap<I, (Option<Span>, Reach)>;

/// Counts phases, intents and slots.
pub(super) fn collect(machine: &Machine, reachability: &ProvenReach<'_>, map: &mut CoverageMap) {
    let (mut phases, mut intents, mut slots) = (Named::new(), Named::new(), Named::new());
    for (id, state) in machine.declared_states() {
        let (span, reach) = (state.span, reachability.state(id));
        if let Some(phase) = state.phase {
            note(&mut phases, phase, span, reach.clone());
        }
        for (intent, rule) in said(machine, state) {
            // Anything may be said anywhere, whether or not a state that knows it can be reached.
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
        note(
            &mut slots,
            field.slot,
            Some(machine.rules[frame.rule].span),
            Reach::Possible,
        );
    }
    let names = &machine.names;
    let phases = phases
        .into_iter()
        .map(|(id, of): (PhaseId, _)| (names.phases.name(id), CoverageEvent::Phase(id), of));
    add_all(machine, CoverageKind::Phases, phases, map);
    let intents = intents
        .into_iter()
        .map(|(id, of): (IntentId, _)| (names.intents.name(id), CoverageEvent::Intent(id), of));
    add_all(machine, CoverageKind::Intents, intents, map);
    let slots = slots
        .into_iter()
        .map(|(id, of): (SlotId, _)| (names.slots.name(id), CoverageEvent::Slot(id), of));
    add_all(machine, CoverageKind::Slots, slots, map);
}

/// The intents of which a state says something, and where.
fn said(machine: &Machine, state: &State) -> Vec<(IntentId, Option<Span>)> {
    let tables = state.rules.iter().chain(state.transitions.iter());
    tables
        .map(|(intent, chain)| {
            (
                intent,
                machine
                    .clauses(chain)
                    .first()
                    .map(|clause| machine.rules[clause.rule].span),
            )
        })
        .collect()
}

fn note<I: Ord>(named: &mut Named<I>, id: I, span: Option<Span>, reach: Reach) {
    let known = named.entry(id).or_insert((span, reach.clone()));
    known.0 = known.0.or(span);
    known.1 = std::mem::take(&mut known.1).or(reach);
}

fn add_all<'m>(
    machine: &Machine,
    kind: CoverageKind,
    named: impl Iterator<Item = (&'m str, CoverageEvent, (Option<Span>, Reach))>,
    map: &mut CoverageMap,
) {
    for (name, seen, (span, reach)) in named {
        let item = FoundItem {
            kind,
            name: name.to_owned(),
            span,
            way: String::new(),
            shown_by: &[seen],
            reach,
        };
        map.add(machine, item);
    }
}
