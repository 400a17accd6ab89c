//! Finds names in conditions that the definition does not contain. These are probably typos.

use std::collections::BTreeSet;

use super::declared::state_names;
use super::library;
use fsmsim_core::machine::{
    Id, IntentDescription, IntentId, MachineBuilder, Op, SlotId, Switches, Traits,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Node};
use fsmsim_syntax::shapes::NamedKind;

/// A name in a condition.
pub(super) struct NamedSubject {
    pub name: Box<str>,
    pub span: Span,
    pub kind: NamedKind,
    /// Whether an unknown name is an error, because the condition decides a property.
    pub is_strict: bool,
    /// Whether no other part of the definition contains the name.
    pub is_new: bool,
}

/// The built-in conditions of a flow with the sales policy, and the slots and intents that its sources use.
pub(super) type FlowNames<'n> = (Option<Switches>, &'n (Vec<SlotId>, Vec<IntentId>));

/// Reports unknown names in conditions. Only a flow names all its slots and intents; elsewhere, only properties are
/// checked for them.
pub(super) fn find(
    asked: &[NamedSubject],
    flow: Option<FlowNames<'_>>,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) {
    if asked.is_empty() {
        return;
    }
    // Names that occur in built-in conditions count as known.
    let mut built_in = Vec::new();
    let (mut slots, mut intents) = match flow {
        Some((switches, others)) => {
            if let Some(switches) = switches {
                let names = library::names(switches);
                for (_, expression, _) in names.filter_map(|name| library::find(name, switches)) {
                    collect(expression, &mut built_in);
                }
            }
            (
                known_slots(builder, &others.0),
                known_intents(builder, &others.1),
            )
        }
        None => (
            builder.names.slots.iter().collect(),
            builder.names.intents.iter().collect(),
        ),
    };
    for asked in &built_in {
        match asked.kind {
            NamedKind::Slot => _ = slots.insert(&asked.name),
            NamedKind::Intent => _ = intents.insert(&asked.name),
            _ => {}
        }
    }
    slots.extend(builder.frames.iter().map(|frame| &*frame.name));
    let states: BTreeSet<&str> = state_names(builder).collect();
    let phases: BTreeSet<&str> = builder
        .states
        .iter()
        .filter(|state| state.declared)
        .filter_map(|state| state.seen_phase)
        .map(|id| builder.names.phases.name(id))
        .collect();
    let mut reported = BTreeSet::new();
    for asked in asked {
        let name = &*asked.name;
        let (known, otherwise) = match asked.kind {
            NamedKind::State => (&states, "use a state of the model"),
            NamedKind::Phase => (&phases, "use a phase of the model"),
            NamedKind::Intent => (&intents, "add it to a category or a state"),
            NamedKind::Slot => (&slots, "add it to the `optional_data` of a state"),
            _ => continue,
        };
        let is_of_input = matches!(asked.kind, NamedKind::Intent | NamedKind::Slot);
        let is_known = if flow.is_none() && is_of_input {
            !asked.is_new
        } else {
            known.contains(name)
        };
        if is_known || !reported.insert((asked.kind, name, asked.is_strict)) {
            continue;
        }
        let title = if asked.kind == NamedKind::Slot {
            format!("slot `{name}` is not collected by any state")
        } else {
            format!("unknown {} `{name}`", asked.kind.noun())
        };
        let known = known.iter().copied().filter(|known| *known != name);
        Diagnostic::error_if(asked.is_strict, Code::UnknownReference, title)
            .at(asked.span, "used only here")
            .near(name, known, otherwise)
            .add_to(found);
    }
}

/// Adds the names that an expression refers to.
pub(super) fn collect(node: &Node, asked: &mut Vec<NamedSubject>) {
    let Content::Map(map) = &node.content else {
        asked.extend(names(std::slice::from_ref(node), NamedKind::Condition));
        return;
    };
    for (key, value) in &map.entries {
        let items = value.items();
        let kind = match &*key.text {
            "and" | "or" | "not" => {
                for item in items {
                    collect(item, asked);
                }
                continue;
            }
            "slot" | "said" | "was" => NamedKind::Slot,
            "intent" | "streak" | "total" => NamedKind::Intent,
            "state" | "from" => NamedKind::State,
            "phase" => NamedKind::Phase,
            // A comparison with another slot.
            _ => {
                let slots = ["slot", "was"].into_iter().filter_map(|key| value.get(key));
                asked.extend(slots.flat_map(|slot| names(slot.items(), NamedKind::Slot)));
                continue;
            }
        };
        let tests = ["is", "in"].into_iter().filter_map(|test| value.get(test));
        let names = names(items, kind).chain(tests.flat_map(|test| names(test.items(), kind)));
        let is_counted = matches!(&*key.text, "streak" | "total");
        asked.extend(names.filter(|asked| !is_counted || *asked.name != *"current"));
    }
}

fn names(items: &[Node], kind: NamedKind) -> impl Iterator<Item = NamedSubject> {
    items
        .iter()
        .filter_map(move |node| Some(NamedSubject::new(node.text()?, node.span, kind)))
}

impl NamedSubject {
    pub(super) fn new(name: &str, span: Span, kind: NamedKind) -> Self {
        Self {
            name: name.into(),
            span,
            kind,
            is_strict: false,
            is_new: false,
        }
    }
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
    let named = builder
        .phrases
        .iter()
        .flat_map(|phrases| phrases.patterns.iter())
        .flat_map(|phrase| phrase.pattern.capture_names())
        .flatten();
    slots.extend(named.filter_map(|name| builder.names.slots.id(name)));
    slots.extend(others);
    slots.extend(builder.well_known.contact.iter().flatten());
    slots
        .into_iter()
        .map(|slot| builder.names.slots.name(slot))
        .collect()
}

fn known_intents<'b>(builder: &'b MachineBuilder, others: &[IntentId]) -> BTreeSet<&'b str> {
    let mut intents: Vec<IntentId> = builder
        .states
        .iter()
        .flat_map(|state| state.rules.iter().chain(state.transitions.iter()))
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
        // A flow gives this trait to any name under `progress_intents`.
        let traits = intent.traits.difference(Traits::PROGRESS);
        if described || !intent.categories.is_empty() || !traits.is_empty() {
            intents.push(id);
        }
    }
    intents
        .into_iter()
        .map(|intent| builder.names.intents.name(intent))
        .collect()
}
