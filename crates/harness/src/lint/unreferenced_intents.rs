//! Finds intents that are used only once, have no description, and have a name similar to that of another intent.

use std::collections::{BTreeMap, BTreeSet};

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{ChainTable, IntentId};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, MAX_SEARCHED, Span, is_variant, most_similar};

/// Reports intents that are probably typos.
pub(super) fn check(machine: &Machine, found: &mut Vec<Diagnostic>) {
    let mut places: BTreeMap<IntentId, BTreeSet<Span>> = BTreeMap::new();
    for (_, state) in machine.declared_states() {
        for table in [&state.rules, &state.transitions] {
            note(table, machine, &mut places);
        }
    }
    let is_known = |id: IntentId| {
        let intent = &machine.intents[id];
        !intent.categories.is_empty()
            || !intent.traits.is_empty()
            || machine.description(id).is_given()
            || machine
                .policies
                .facts()
                .any(|policy| policy.knows_intent(id))
            || machine.phrases.iter().any(|phrases| phrases.intent == id)
    };
    let is_unreferenced =
        |id: IntentId| places.get(&id).is_some_and(|places| places.len() == 1) && !is_known(id);
    let others: Vec<&str> = machine
        .intents
        .ids()
        .filter(|id| !is_unreferenced(*id))
        .map(|id| machine.names.intents.name(id))
        .collect();
    let known: BTreeSet<&str> = others.iter().flat_map(|other| other.split('_')).collect();
    for (id, spans) in places
        .iter()
        .filter(|(id, _)| is_unreferenced(**id))
        .take(MAX_SEARCHED)
    {
        let name = machine.names.intents.name(*id);
        let (Some(near), Some(span)) = (most_similar(name, others.iter().copied()), spans.first())
        else {
            continue;
        };
        if is_variant(name, near, &known) {
            continue;
        }
        found.push(
            Diagnostic::warning(
                Code::UnreferencedIntent,
                format!("intent `{name}` is used only here"),
            )
            .at(*span, "only use")
            .help(format!(
                "a similar name exists: `{near}`. If the name is correct, describe it under `intents:`"
            ))
            .replacement(near),
        );
    }
}

/// Adds the locations at which a table uses intents.
fn note(table: &ChainTable, machine: &Machine, places: &mut BTreeMap<IntentId, BTreeSet<Span>>) {
    for (intent, chain) in table.iter() {
        let spans = machine
            .alternatives(chain)
            .iter()
            .map(|alternative| machine.rules[alternative.rule].span);
        places.entry(intent).or_default().extend(spans);
    }
}
