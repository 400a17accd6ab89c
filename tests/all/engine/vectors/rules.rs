//! Valid and broken rules of all shapes, run for one turn.
//!
//! The columns `bb_…` contain the results of the sources of a turn. The profile `reference` reproduces them. The column
//! `transition` contains the result of a rule resolver that supports composite conditions and that no source uses. The
//! profile `documented` reproduces it. The columns `plain`, `parser` and `taxonomy` contain the same for resolvers that
//! also use global rules and a taxonomy, which the engine does not have.

use std::collections::BTreeMap;

use fsmsim_core::engine::{
    Input, Machine, Merge, Session, SignalMode, SourceKind, Symbol, TurnOutcome, TurnRecord,
    TurnStep, turn,
};
use fsmsim_core::machine::{IntentId, Profile};
use fsmsim_dialects::dialect::Loader;
use serde_json::{Map, Value, json};

use super::{load, report, value, vectors};
use crate::support::Project;

/// Results of rules: each name is an action and a state.
const GIVEN: [&str; 7] = ["t1", "t2", "t3", "t9", "simple", "mid", "dflt"];

/// One state per rule.
fn states<'a>(rules: impl IntoIterator<Item = &'a Value>) -> BTreeMap<String, &'a Value> {
    rules
        .into_iter()
        .map(|rule| (format!("state of {rule}"), rule))
        .collect()
}

/// A flow in which each state has its rule for `x` and for a price question, and as the transition for `y`. The
/// definitions of the custom conditions are not recorded. The definitions here agree with every vector, and
/// `custom:none` and `custom:bad` are used if a condition must fail.
fn flow(states: &BTreeMap<String, &Value>) -> Value {
    let mut all: Map<String, Value> = GIVEN
        .iter()
        .map(|name| ((*name).to_owned(), json!({})))
        .collect();
    all.insert("greeting".to_owned(), json!({}));
    for (name, rule) in states {
        let state =
            json!({"rules": {"x": rule, "price_question": rule}, "transitions": {"y": rule}});
        all.insert(name.clone(), state);
    }
    json!({
        "flow": {"name": "rules", "policy": "sales"},
        "conditions": {
            "a": {"slot": "a"}, "b": {"slot": "b"}, "c": {"slot": "c"}, "d": {"slot": "d"},
            "ab": {"and": ["a", "b"]}, "nc": {"not": "c"}, "deep": {"or": ["custom:ab", "d"]},
        },
        "states": all,
    })
}

/// The machine of the rules, or `None` if the loader rejects it.
fn machine(states: &BTreeMap<String, &Value>, profile: Profile) -> Option<Machine> {
    let project = Project::new().file("rules.yaml", flow(states).to_string());
    load(
        &mut Loader::default(),
        &project.path().join("rules.yaml"),
        profile,
        None,
    )
    .ok()
}

/// Runs one turn with an intent in the state of the vector.
fn play(machine: &Machine, vector: &Value, intent: &str) -> (TurnRecord, TurnOutcome) {
    let mut settings = machine.settings().clone();
    settings.signals = SignalMode::None;
    let mut session = Session::new(machine);
    let state = machine
        .state_id(&format!("state of {}", vector["rule"]))
        .unwrap();
    session.move_to(state, None, machine);
    for (name, data) in vector["data"].as_object().unwrap() {
        session
            .slots
            .set_name(&Symbol::of(name, &machine.names.slots), value(data));
    }
    let id: IntentId = machine.names.intents.id(intent).unwrap();
    match turn(machine, &settings, &session, &Input::intent(id), &[]) {
        TurnStep::Done(done) => {
            let outcome = done.1.outcome.unwrap();
            (done.1, outcome)
        }
        TurnStep::Need(need) => panic!("{need:?}"),
    }
}

/// The result of the rule for an intent without another source, in the notation of the recording.
fn by_rule(machine: &Machine, vector: &Value) -> Value {
    let (record, outcome) = play(machine, vector, "x");
    let failed = record
        .errors
        .iter()
        .any(|(source, _)| *source == SourceKind::IntentProcessor);
    match outcome.by_action.and_then(|won| won.by) {
        Some(SourceKind::IntentProcessor) if !failed => {
            json!(machine.names.actions.name(outcome.action))
        }
        None if failed => json!("!"),
        None => Value::Null,
        Some(other) => json!(format!("{other:?}")),
    }
}

/// The result of the rule for a price question, which has an answer without a rule.
fn by_price(machine: &Machine, vector: &Value) -> Value {
    let (_, outcome) = play(machine, vector, "price_question");
    assert_eq!(
        outcome.by_action.and_then(|won| won.by),
        Some(SourceKind::PriceQuestion)
    );
    match machine.names.actions.name(outcome.action) {
        "answer_with_pricing" => Value::Null,
        action => json!(action),
    }
}

/// The target of the rule as a transition.
fn by_transition(machine: &Machine, vector: &Value) -> Value {
    let (_, outcome) = play(machine, vector, "y");
    assert_ne!(outcome.merge, Merge::Failed, "{vector}");
    match outcome.by_transition.and_then(|won| won.by) {
        Some(SourceKind::TransitionResolver) => json!(machine.names.states.name(outcome.state.to)),
        None => Value::Null,
        Some(other) => json!(format!("{other:?}")),
    }
}

#[test]
fn rules_in_a_turn_match_recorded_results() {
    let Some(vectors) = vectors("_vec_rules.jsonl") else {
        return;
    };
    let states = states(vectors.iter().map(|vector| &vector["rule"]));
    let machine = machine(&states, Profile::Reference).unwrap();
    let (mut compared, mut wrong) = (0, Vec::new());
    for vector in &vectors {
        // The exception names of the running system have no meaning here.
        let failed = vector["bb_intent"]
            .as_str()
            .is_some_and(|text| text.starts_with('!'));
        let by_intent = if failed {
            &json!("!")
        } else {
            &vector["bb_intent"]
        };
        for (column, expected, got) in [
            ("bb_intent", by_intent, by_rule(&machine, vector)),
            ("bb_price", &vector["bb_price"], by_price(&machine, vector)),
            (
                "bb_transition",
                &vector["bb_transition"],
                by_transition(&machine, vector),
            ),
        ] {
            compared += 1;
            if *expected != got {
                wrong.push(format!(
                    "{column} of {vector}: expected {expected}, got {got}"
                ));
            }
        }
    }
    report("rules in a turn", compared, &wrong);
}

/// Whether a condition is well formed and uses only known names.
fn is_condition(node: &Value) -> bool {
    if let Some(name) = node.as_str() {
        return ["a", "b", "c", "d", "custom:ab", "custom:nc", "custom:deep"].contains(&name);
    }
    let operands = ["and", "or"]
        .iter()
        .find_map(|word| node.get(word)?.as_array());
    match (operands, node.get("not")) {
        (Some(operands), _) => operands.len() >= 2 && operands.iter().all(is_condition),
        (None, Some(operand)) => is_condition(operand),
        (None, None) => false,
    }
}

/// Whether a rule conforms to the documented format.
fn is_sound(rule: &Value) -> bool {
    let alternative = |item: &Value| match item {
        Value::Null | Value::String(_) => true,
        item => item.get("then").is_some() && item.get("when").is_some_and(is_condition),
    };
    rule.as_array()
        .map_or_else(|| alternative(rule), |items| items.iter().all(alternative))
}

/// Whether a list contains null before its end. The resolver stops there, but no source does, and the documented format
/// has no such entry.
fn has_gap(rule: &Value) -> bool {
    rule.as_array()
        .is_some_and(|items| items.iter().rev().skip(1).any(Value::is_null))
}

#[test]
fn documented_rules_match_recorded_results() {
    let Some(vectors) = vectors("_vec_rules.jsonl") else {
        return;
    };
    let (sound, broken): (Vec<&Value>, Vec<&Value>) = vectors
        .iter()
        .map(|vector| &vector["rule"])
        .partition(|rule| is_sound(rule));
    let broken = states(broken);
    for (name, rule) in &broken {
        let alone = BTreeMap::from([(name.clone(), *rule)]);
        assert!(
            machine(&alone, Profile::Documented).is_none(),
            "{rule} is not rejected"
        );
    }
    let machine = machine(&states(sound), Profile::Documented).unwrap();
    let (mut compared, mut wrong) = (0, Vec::new());
    let (mut refused, mut gaps, mut custom) = (0, 0, 0);
    for vector in &vectors {
        let expected = &vector["transition"];
        if !is_sound(&vector["rule"]) {
            refused += 1;
            continue;
        }
        if has_gap(&vector["rule"]) {
            gaps += 1;
            continue;
        }
        // An empty list is valid: the resolver fails, but our rule has no result.
        let expected = if vector["rule"].as_array().is_some_and(Vec::is_empty) {
            &Value::Null
        } else {
            expected
        };
        // The resolver knows `custom:` only inside a composite condition. The documented format has no such
        // restriction.
        if expected == "!UnknownConditionError"
            && vector["rule"].to_string().contains("\"when\":\"custom:")
        {
            custom += 1;
            continue;
        }
        for got in [
            by_rule(&machine, vector),
            by_price(&machine, vector),
            by_transition(&machine, vector),
        ] {
            compared += 1;
            if *expected != got {
                wrong.push(format!("{vector}: expected {expected}, got {got}"));
            }
        }
    }
    report("rules by the document", compared, &wrong);
    eprintln!(
        "refused: {refused} ({} rules); skipped: {gaps} with gaps, {custom} with a lone `custom:`",
        broken.len()
    );
}
