//! A recorded dialogue as a scenario that users can edit.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::scenario_from_trace::parse_recorded;
use crate::snapshot::FlowStyle;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{EVENTS, Value};
use fsmsim_runtime::script::FOREIGN;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The keys of a scenario in output order. The turns come last.
const HEAD: [&str; 5] = ["scenario", "model", "profile", "signals", "start"];

/// A recorded dialogue as a YAML scenario that expects the recorded results. `model` is the path of the machine. Names
/// that the machine does not define are listed as foreign. Returns `None`, with findings, if the trace cannot be read.
pub fn scenario_yaml(
    trace: &str,
    model: &str,
    machine: &Machine,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<String> {
    let file = sources.add("trace", trace);
    let tree = Value::from(&parse_recorded(file, trace, 0, found)?);
    let turns: Vec<&Value> = tree.get("turns").and_then(Value::list)?.iter().collect();
    let mut text = front(&head_of(&tree, &turns, model, machine));
    text.push_str(turns_key(turns.is_empty()));
    for turn in turns {
        let mut begin = "- ";
        let Value::Map(pairs) = turn else { continue };
        for (key, value) in pairs.iter() {
            match value {
                Value::Map(expected) if &**key == "expect" => {
                    let _ = writeln!(text, "{begin}{key}:");
                    for (field, value) in expected.iter() {
                        let _ = writeln!(text, "    {field}: {}", FlowStyle(value));
                    }
                }
                value => {
                    let _ = writeln!(text, "{begin}{key}: {}", FlowStyle(value));
                }
            }
            begin = "  ";
        }
    }
    Some(text)
}

/// The lines with the keys before the turns.
pub(super) fn front(head: &[(&str, Value)]) -> String {
    let mut text = String::new();
    for (key, value) in head {
        let _ = writeln!(text, "{key}: {}", FlowStyle(value));
    }
    text
}

/// The line with the key of the turns.
pub(super) fn turns_key(are_none: bool) -> &'static str {
    if are_none { "turns: []\n" } else { "turns:\n" }
}

/// The keys before the turns of a dialogue, including the path of the model.
pub(super) fn head_of(
    tree: &Value,
    turns: &[&Value],
    model: &str,
    machine: &Machine,
) -> Vec<(&'static str, Value)> {
    let foreign: BTreeSet<&str> = turns
        .iter()
        .flat_map(|turn| foreign_names(turn, machine))
        .collect();
    let value_of = |key| match key {
        "model" => Some(Value::text(model)),
        "start" => start(tree.get(key), &foreign),
        _ => tree.get(key).cloned(),
    };
    let known = HEAD
        .into_iter()
        .filter_map(|key| Some((key, value_of(key)?)));
    known.filter(|(_, value)| !value.is_null()).collect()
}

/// The names in an input that the machine does not define.
fn foreign_names<'t>(turn: &'t Value, machine: &Machine) -> Vec<&'t str> {
    let names = &machine.names;
    let text = |key: &str| turn.get(key).and_then(Value::as_text);
    let also = turn.get("also").into_iter().flat_map(Value::texts);
    let intents = text("intent").into_iter().chain(also);
    // The data of an event is under the event's name.
    let payload = EVENTS
        .iter()
        .chain(&["data"])
        .filter_map(|key| match turn.get(key) {
            Some(Value::Map(pairs)) => Some(pairs.iter().map(|(slot, _)| &**slot)),
            _ => None,
        });
    let intents = intents.filter(|name| names.intents.id(name).is_none());
    let slots = payload
        .flatten()
        .filter(|name| names.slots.id(name).is_none());
    let states = text("goto")
        .into_iter()
        .filter(|name| names.states.id(name).is_none());
    intents.chain(slots).chain(states).collect()
}

/// The start of the dialogue, with the names that the model does not define.
pub(crate) fn start(given: Option<&Value>, foreign: &BTreeSet<&str>) -> Option<Value> {
    if foreign.is_empty() {
        return given.cloned();
    }
    let given = match given {
        Some(Value::Map(pairs)) => pairs.to_vec(),
        _ => Vec::new(),
    };
    let known = given
        .iter()
        .filter(|(key, _)| &**key == FOREIGN)
        .flat_map(|(_, names)| names.texts());
    let all: BTreeSet<&str> = foreign.iter().copied().chain(known).collect();
    let rest = given.iter().filter(|(key, _)| &**key != FOREIGN).cloned();
    let all = Value::List(all.into_iter().map(Value::text).collect());
    Some(Value::Map(rest.chain([(FOREIGN.into(), all)]).collect()))
}
