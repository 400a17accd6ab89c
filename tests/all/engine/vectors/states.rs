//! Loaded machines and recorded flows in one comparable form.

use std::collections::BTreeMap;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{
    ChainId, ChainTable, Condition, Consequent, State, StateId, Target, Traits,
};
use serde_json::{Map, Value, json};

/// The number of turns after which options are offered, if the state does not set it.
const EXHAUST_THRESHOLD: u64 = 3;

/// The parts of a machine: the states in order, each state, and the global parts.
pub(super) fn loaded(machine: &Machine) -> BTreeMap<String, Value> {
    let name = |id: StateId| machine.names.states.name(id);
    let mut parts = BTreeMap::new();
    let mut order = Vec::new();
    for (id, state) in machine.declared_states() {
        order.push(name(id));
        parts.insert(format!("state {}", name(id)), loaded_state(machine, state));
    }
    let ordered: Vec<&str> = machine
        .names
        .phases
        .iter()
        .take(machine.ordered_phases)
        .collect();
    let mapping: Map<String, Value> = machine
        .phases
        .pairs()
        .filter_map(|(id, phase)| {
            Some((
                machine.names.phases.name(id).to_owned(),
                json!(name(phase.state?)),
            ))
        })
        .collect();
    let progress: Vec<&str> = machine
        .intents
        .pairs()
        .filter(|(_, intent)| intent.has(Traits::PROGRESS))
        .map(|(id, _)| machine.names.intents.name(id))
        .collect();
    let priorities: Vec<Value> = machine
        .priorities
        .entries
        .pairs()
        .map(|(id, entry)| json!([machine.priorities.name(id), entry.rank]))
        .collect();
    parts.insert("name".to_owned(), json!(machine.header.name));
    parts.insert("version".to_owned(), json!(machine.header.version));
    parts.insert("description".to_owned(), json!(machine.header.description));
    parts.insert("states".to_owned(), json!(order));
    parts.insert("phase order".to_owned(), json!(ordered));
    parts.insert("phase mapping".to_owned(), mapping.into());
    parts.insert("progress intents".to_owned(), json!(sorted(progress)));
    parts.insert("priorities".to_owned(), json!(priorities));
    parts.insert(
        "entry state".to_owned(),
        json!(
            machine
                .sales()
                .and_then(|sales| sales.states.entry)
                .map(name)
        ),
    );
    parts.insert(
        "after the phases".to_owned(),
        json!(machine.well_known.post_phases.map(name)),
    );
    parts.insert("start".to_owned(), json!(name(machine.initial)));
    parts
}

fn loaded_state(machine: &Machine, state: &State) -> Value {
    let slots = |slots: &[_]| {
        slots
            .iter()
            .map(|slot| machine.names.slots.name(*slot))
            .collect::<Vec<_>>()
    };
    let flags: Map<String, Value> = state
        .set_flags
        .iter()
        .map(|(slot, value)| (machine.names.slots.name(*slot).to_owned(), json!(value)))
        .collect();
    json!({
        "rules": loaded_table(machine, &state.rules),
        "transitions": loaded_table(machine, &state.transitions),
        "go_back": loaded_target(machine, state.go_back),
        "data_complete": loaded_target(machine, state.data_complete),
        "any": loaded_target(machine, state.any),
        "required": slots(&state.required),
        "optional": slots(&state.optional),
        "goal": state.goal,
        "phase": state.phase.map(|phase| machine.names.phases.name(phase)),
        "final": state.is_final,
        "max_turns": state.max_turns,
        "exhaust_threshold": state.exhaust_threshold,
        "fallback": loaded_target(machine, state.fallback),
        "enter_action": state.enter_action.map(|action| machine.names.actions.name(action)),
        "set_flags": flags,
    })
}

fn loaded_table(machine: &Machine, table: &ChainTable) -> Map<String, Value> {
    table
        .iter()
        .map(|(intent, chain)| {
            (
                machine.names.intents.name(intent).to_owned(),
                json!(loaded_chain(machine, chain)),
            )
        })
        .collect()
}

fn loaded_target(machine: &Machine, target: Target) -> Value {
    match target {
        Target::None => Value::Null,
        Target::State(state, _) => json!([[null, machine.names.states.name(state)]]),
        Target::Chain(chain) => json!(loaded_chain(machine, chain)),
    }
}

/// The alternatives as pairs of a condition and a name.
fn loaded_chain(machine: &Machine, chain: ChainId) -> Vec<Value> {
    let alternatives = machine.alternatives(chain).iter().map(|alternative| {
        let when = alternative
            .when
            .map(|condition| match &machine.conditions[condition] {
                Condition::Named(named) => machine.names.conditions.name(*named).to_owned(),
                Condition::Broken(why) => why.to_string(),
                other => format!("{other:?}"),
            });
        let then = match alternative.then {
            Consequent::Action(action) => machine.names.actions.name(action),
            Consequent::State(state) => machine.names.states.name(state),
        };
        json!([when, then])
    });
    alternatives.collect()
}

/// The same parts of a recorded flow.
pub(super) fn recorded(flow: &Value, machine: &Machine) -> BTreeMap<String, Value> {
    let states = flow["states"].as_object().unwrap();
    let mut parts = BTreeMap::new();
    for (name, state) in states {
        let state = recorded_state(state, &flow["state_to_phase"][name], machine);
        parts.insert(format!("state {name}"), state);
    }
    let phases = &flow["phases"];
    let keys = |map: &Value| {
        map.as_object()
            .map_or_else(Vec::new, |map| map.keys().cloned().collect())
    };
    let priorities: Vec<Value> = flow["priorities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| json!([entry["name"], entry["priority"]]))
        .collect();
    let declared = |state: &Value| {
        state
            .as_str()
            .filter(|name| states.contains_key(*name))
            .map(str::to_owned)
    };
    let after = match phases.get("post_phases_state") {
        _ if phases.is_null() => None,
        Some(state) => declared(state),
        None => declared(&json!("presentation")),
    };
    parts.insert("name".to_owned(), flow["name"].clone());
    parts.insert("version".to_owned(), flow["version"].clone());
    parts.insert("description".to_owned(), flow["description"].clone());
    parts.insert(
        "states".to_owned(),
        json!(states.keys().collect::<Vec<_>>()),
    );
    parts.insert("phase order".to_owned(), or(&phases["order"], json!([])));
    parts.insert(
        "phase mapping".to_owned(),
        or(&phases["mapping"], json!({})),
    );
    parts.insert(
        "progress intents".to_owned(),
        json!(sorted(keys(&phases["progress_intents"]))),
    );
    parts.insert("priorities".to_owned(), json!(priorities));
    parts.insert(
        "entry state".to_owned(),
        json!(declared(&flow["variables"]["entry_state"])),
    );
    parts.insert("after the phases".to_owned(), json!(after));
    // Every dialogue starts there, regardless of the entry points.
    parts.insert("start".to_owned(), json!("greeting"));
    parts
}

fn recorded_state(state: &Value, phase: &Value, machine: &Machine) -> Value {
    let transitions = recorded_table(&state["transitions"], machine);
    let target = |name: &str| transitions.get(name).cloned().unwrap_or(Value::Null);
    let enter = &state["on_enter"];
    json!({
        "rules": recorded_table(&state["rules"], machine),
        "go_back": target("go_back"), "data_complete": target("data_complete"), "any": target("any"),
        "transitions": transitions,
        "required": or(&state["required_data"], json!([])),
        "optional": or(&state["optional_data"], json!([])),
        "goal": state["goal"],
        "phase": phase,
        "final": or(&state["is_final"], json!(false)),
        "max_turns": or(&state["max_turns_in_state"], json!(0)),
        "exhaust_threshold": or(&state["phase_exhaust_threshold"], json!(EXHAUST_THRESHOLD)),
        "fallback": state.get("max_turns_fallback").map(|value| recorded_rule(value, machine)),
        "enter_action": if enter.is_string() { enter } else { &enter["action"] },
        "set_flags": or(&enter["set_flags"], json!({})),
    })
}

fn recorded_table(section: &Value, machine: &Machine) -> Map<String, Value> {
    let rules = section.as_object().into_iter().flatten();
    rules
        .map(|(intent, rule)| (intent.clone(), recorded_rule(rule, machine)))
        .collect()
}

/// A rule as pairs of a condition and a name. An unknown condition becomes the reason why the alternative never holds.
fn recorded_rule(rule: &Value, machine: &Machine) -> Value {
    let alternative = |item: &Value| match item["when"].as_str() {
        None => json!([null, item]),
        Some(when) if machine.names.conditions.id(when).is_some() => json!([when, item["then"]]),
        Some(when) => json!([format!("unknown condition `{when}`"), item["then"]]),
    };
    match rule.as_array() {
        Some(items) => items.iter().map(alternative).collect(),
        None => json!([alternative(rule)]),
    }
}

fn or(value: &Value, default: Value) -> Value {
    if value.is_null() {
        default
    } else {
        value.clone()
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

/// Adds the parts that differ to `wrong`, and returns the number of compared parts.
pub(super) fn compare(flow: &Value, machine: &Machine, wrong: &mut Vec<String>) -> usize {
    let (expected, got) = (recorded(flow, machine), loaded(machine));
    for part in expected
        .keys()
        .chain(got.keys().filter(|part| !expected.contains_key(*part)))
    {
        if expected.get(part) != got.get(part) {
            let name = &flow["name"];
            let none = Value::Null;
            let (expected, got) = (
                expected.get(part).unwrap_or(&none),
                got.get(part).unwrap_or(&none),
            );
            let difference = difference(expected, got);
            wrong.push(format!("{name}, {part}: {difference}"));
        }
    }
    expected.len()
}

/// The first values that differ in two trees.
fn difference(expected: &Value, got: &Value) -> String {
    if let (Value::Object(left), Value::Object(right)) = (expected, got) {
        let differs = |key: &&String| left.get(*key) != right.get(*key);
        if let Some(key) = left.keys().chain(right.keys()).find(differs) {
            let none = Value::Null;
            let (left, right) = (
                left.get(key).unwrap_or(&none),
                right.get(key).unwrap_or(&none),
            );
            return format!("{key}: {}", difference(left, right));
        }
    }
    format!("expected {expected}, got {got}")
}
