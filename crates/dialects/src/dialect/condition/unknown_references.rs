//! Finds slots and intents that only conditions refer to. These are probably typos.

use std::collections::BTreeSet;

use regex::Regex;

use super::library;
use fsmsim_core::machine::{Id, IntentDescription, IntentId, MachineBuilder, Op, SlotId, Switches};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Node};

/// The name of a slot or an intent in a question.
pub(super) struct NamedSubject {
    name: Box<str>,
    span: Span,
    is_slot: bool,
}

/// Warns about names in conditions that occur nowhere else.
pub(super) fn find(
    asked: &[NamedSubject],
    switches: Switches,
    others: &(Vec<SlotId>, Vec<IntentId>),
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) {
    if asked.is_empty() {
        return;
    }
    // Names that occur in built-in conditions count as known.
    let mut built_in = Vec::new();
    let conditions = library::names(switches).filter_map(|name| library::find(name, switches));
    for (_, expression, _) in conditions {
        collect(expression, &mut built_in);
    }
    let mut slots = known_slots(builder, &others.0);
    let mut intents = known_intents(builder, &others.1);
    for asked in &built_in {
        let known = if asked.is_slot {
            &mut slots
        } else {
            &mut intents
        };
        known.insert(&asked.name);
    }
    let mut reported = BTreeSet::new();
    for asked in asked {
        let (name, is_slot) = (&*asked.name, asked.is_slot);
        let known = if is_slot { &slots } else { &intents };
        if known.contains(name) || !reported.insert((is_slot, name)) {
            continue;
        }
        let (title, otherwise) = if is_slot {
            (
                format!("slot `{name}` is not collected by any state"),
                "add it to the `optional_data` of a state",
            )
        } else {
            (
                format!("unknown intent `{name}`"),
                "add it to a category or a state",
            )
        };
        Diagnostic::warning(Code::UnknownReference, title)
            .at(asked.span, "used only here")
            .near(name, known.iter().copied(), otherwise)
            .add_to(found);
    }
}

/// Adds the slots and intents that an expression refers to.
pub(super) fn collect(node: &Node, asked: &mut Vec<NamedSubject>) {
    let Content::Map(map) = &node.content else {
        return;
    };
    for (key, value) in &map.entries {
        let items = value.items();
        match &*key.text {
            "and" | "or" | "not" => items.iter().for_each(|item| collect(item, asked)),
            "slot" => asked.extend(names(items, true)),
            "intent" => asked.extend(names(items, false)),
            "streak" | "total" => {
                asked.extend(names(items, false).filter(|asked| *asked.name != *"current"));
            }
            _ => {}
        }
    }
}

fn names(items: &[Node], is_slot: bool) -> impl Iterator<Item = NamedSubject> {
    items.iter().filter_map(move |node| {
        Some(NamedSubject {
            name: node.text()?.into(),
            span: node.span,
            is_slot,
        })
    })
}

fn known_slots<'b>(builder: &'b MachineBuilder, others: &[SlotId]) -> BTreeSet<&'b str> {
    let mut slots: Vec<SlotId> = Vec::new();
    for state in &builder.states {
        slots.extend(state.required.iter().chain(&state.optional));
        slots.extend(state.set_flags.iter().map(|(slot, _)| slot));
    }
    slots.extend(builder.initial_data.iter().map(|(slot, _)| slot));
    let declared = builder.slots.pairs().filter(|(_, slot)| slot.is_declared);
    slots.extend(declared.map(|(id, _)| id));
    slots.extend(builder.all_ops().iter().filter_map(Op::slot));
    slots.extend(builder.frames.fields().map(|(_, field)| field.slot));
    // Phrases fill the slots that are named in their patterns.
    let patterns = builder
        .phrases
        .iter()
        .flat_map(|phrases| phrases.patterns.iter());
    let named = patterns.flat_map(Regex::capture_names).flatten();
    slots.extend(named.filter_map(|name| builder.names.slots.id(name)));
    slots.extend(others);
    slots.extend(builder.well_known.contact.iter().flatten());
    let slots = slots.into_iter();
    slots.map(|slot| builder.names.slots.name(slot)).collect()
}

fn known_intents<'b>(builder: &'b MachineBuilder, others: &[IntentId]) -> BTreeSet<&'b str> {
    let tables = builder
        .states
        .iter()
        .flat_map(|state| state.rules.iter().chain(state.transitions.iter()));
    let mut intents: Vec<IntentId> = tables
        .map(|(intent, _)| intent)
        .chain(builder.phrases.iter().map(|phrases| phrases.intent))
        .chain(others.iter().copied())
        .collect();
    for id in (0..builder.intents.len()).map(IntentId::from_index) {
        let intent = &builder.intents[id];
        let described = builder
            .descriptions
            .lookup(id)
            .is_some_and(IntentDescription::is_given);
        if described || !intent.categories.is_empty() || !intent.traits.is_empty() {
            intents.push(id);
        }
    }
    let intents = intents.into_iter();
    intents
        .map(|intent| builder.names.intents.name(intent))
        .collect()
}
