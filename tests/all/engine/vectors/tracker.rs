//! Counts of intents and categories after a sequence of intents. Our tracker does not store the state of each intent.
//! It stores only the last ten intents, but the recordings contain only the last five.

use fsmsim_core::engine::{Machine, Operation, Session, Symbol};
use fsmsim_core::machine::{IntentId, Profile};
use fsmsim_dialects::dialect::Loader;
use serde_json::{Map, Value, json};

use super::{config, load, report, texts, vectors};

/// The recorded fields of a tracker, from our session. Recordings omit counts of 0.
fn kept(session: &Session, intents: &[IntentId], machine: &Machine) -> Value {
    let tracker = &session.tracker;
    let name = |intent: IntentId| session.intent_name(intent, machine);
    let (mut totals, mut streaks) = (Map::new(), Map::new());
    for intent in intents {
        totals.insert(name(*intent).to_owned(), json!(tracker.total(*intent)));
        // Only the last intent has a streak.
        if tracker.streak(*intent) != 0 {
            streaks.insert(name(*intent).to_owned(), json!(tracker.streak(*intent)));
        }
    }
    let counts = |count: &dyn Fn(_) -> u32| {
        let categories = machine
            .names
            .categories
            .iter()
            .map(|name| (name, machine.names.categories.id(name)));
        let counts = categories.map(|(name, category)| (name.to_owned(), json!(count(category))));
        counts
            .filter(|(_, count)| *count != 0)
            .collect::<Map<String, Value>>()
    };
    let recent: Vec<IntentId> = tracker.recent().collect();
    let mut latest: Vec<&str> = recent.iter().take(5).map(|intent| name(*intent)).collect();
    latest.reverse();
    json!({
        "intent_totals": totals, "streaks": streaks, "turn_number": tracker.turn(),
        "category_totals": counts(&|category| tracker.category_total(category)),
        "category_streaks": counts(&|category| tracker.category_streak(category)),
        "last_intent": recent.first().map(|intent| name(*intent)),
        "prev_intent": recent.get(1).map(|intent| name(*intent)),
        "recent_intents": latest,
    })
}

/// The same fields of a recording.
fn recorded(vector: &Value) -> Value {
    let kept = &vector["to_dict"];
    let streak = &kept["current_streak"];
    let mut streaks = Map::new();
    if let Some(intent) = streak["intent"].as_str() {
        streaks.insert(intent.to_owned(), streak["count"].clone());
    }
    // Recordings can contain counters that are 0.
    let counts = |key: &str| {
        let counts = kept[key].as_object().unwrap().clone();
        counts
            .into_iter()
            .filter(|(_, count)| *count != 0)
            .collect::<Map<String, Value>>()
    };
    json!({
        "intent_totals": counts("intent_totals"), "streaks": streaks, "turn_number": kept["turn_number"],
        "category_totals": counts("category_totals"), "category_streaks": counts("category_streaks"),
        "last_intent": kept["last_intent"], "prev_intent": kept["prev_intent"],
        "recent_intents": kept["recent_intents"],
    })
}

/// The values after saving and restoring: the last two intents, the turn, the number of stored intents, the current
/// streak, and the total number of objections.
fn restored(session: &mut Session, last: Option<IntentId>, machine: &Machine) -> Value {
    session.operate(&Operation::Snapshot, machine, machine.settings());
    let tracker = &session.tracker;
    let recent: Vec<IntentId> = tracker.recent().collect();
    let name = |at: usize| {
        recent
            .get(at)
            .map(|intent| machine.names.intents.name(*intent))
    };
    json!([
        name(0),
        name(1),
        tracker.turn(),
        recent.len(),
        last.map_or(0, |intent| tracker.streak(intent)),
        tracker.category_total(machine.well_known.objections),
    ])
}

#[test]
fn tracker_matches_recorded_values() {
    let (Some(vectors), Some(config)) = (vectors("_vec_tracker.jsonl"), config()) else {
        return;
    };
    let flow = config.join("flows/spin_selling");
    let machine = load(
        &mut Loader::default(),
        &flow,
        Profile::Reference,
        Some(&config),
    )
    .unwrap();
    let mut wrong = Vec::new();
    for vector in &vectors {
        let mut session = Session::new(&machine);
        let intents: Vec<IntentId> = texts(&vector["intents"])
            .into_iter()
            .map(|name| session.intent_id(&Symbol::of(name, &machine.names.intents), &machine))
            .collect();
        for intent in &intents {
            session.tracker.record(*intent, &machine);
        }
        let got = kept(&session, &intents, &machine);
        let expected = recorded(vector);
        if got != expected {
            wrong.push(format!(
                "{}:\n  expected {expected}\n  got      {got}",
                vector["intents"]
            ));
        }
        let got = restored(&mut session, intents.last().copied(), &machine);
        if got != vector["restored"] {
            wrong.push(format!(
                "{} restored: expected {}, got {got}",
                vector["intents"], vector["restored"]
            ));
        }
    }
    report("tracker", vectors.len(), &wrong);
}
