//! `start: {session: FILE}`: dialogues that continue from a saved session.

use fsmsim_core::engine::SavedSession;
use fsmsim_core::machine::Profile;
use fsmsim_syntax::diagnostic::Diagnostics;

use crate::support::{Invocation, Project};

/// A session as the running system saves it, after an objection in `spin_problem`.
const PRODUCTION: &str = r#"{
  "state": "handle_objection", "current_phase": null,
  "collected_data": {"company_size": 50, "persona": "busy"},
  "in_disambiguation": false, "disambiguation_context": null, "pre_disambiguation_state": null,
  "turns_since_last_disambiguation": 999,
  "intent_tracker": {
    "last_intent": "objection_price", "prev_intent": "info_provided", "last_state": "spin_problem",
    "current_streak": {"intent": "objection_price", "count": 1}, "turn_number": 7, "history_length": 7,
    "intent_totals": {"objection_price": 2, "info_provided": 4, "price_question": 1},
    "category_totals": {"objection": 2}, "category_streaks": {"objection": 1},
    "recent_intents": ["info_provided", "objection_price"]
  },
  "circular_flow": {"goback_count": 1, "goback_history": [["spin_problem", "spin_situation"]],
    "max_gobacks": 2, "allowed_gobacks": {}, "remaining": 1}
}"#;

fn play(session: &str, turns: &str) -> Invocation {
    let scenario = format!(
        "scenario: From production\nmodel: flows/spin_selling\nstart: {{session: ./saved.json, flags: {{circular_flow: true}}}}\nturns:\n{turns}"
    );
    Project::new()
        .with_flows()
        .file("scenarios/a.yaml", scenario)
        .file("scenarios/saved.json", session)
        .fsmsim(["test"])
}

#[test]
fn production_session_continues() {
    play(
        PRODUCTION,
        "  - intent: objection_think
    expect:
      state: {from: handle_objection, to: handle_objection}
      turn_number: 8
      counters: {go_backs: 1, go_backs_left: 1, objections_in_row: 2, objections_total: 3}
      data: {company_size: 50, persona: busy}
  - {intent: go_back, expect: {state: presentation, class: back, counters: {go_backs_left: 0}}}
",
    )
    .succeeds("");
}

#[test]
fn open_question_is_saved_and_restored() {
    let question = r#"{"options": [{"intent": "agreement", "label": "Да"}], "original_state": "spin_problem",
        "extracted_data": {"role": "boss"}, "attempt": 1}"#;
    let open = PRODUCTION
        .replace(
            "\"in_disambiguation\": false",
            "\"in_disambiguation\": true",
        )
        .replace(
            "\"disambiguation_context\": null",
            &format!("\"disambiguation_context\": {question}"),
        )
        .replace(
            "\"pre_disambiguation_state\": null",
            "\"pre_disambiguation_state\": \"spin_problem\"",
        );
    let machine = fsmsim_dialects::dialect::Loader::default()
        .load(
            "flows/spin_selling".as_ref(),
            Profile::Documented,
            None,
            &mut Diagnostics::default(),
        )
        .unwrap();
    let session = SavedSession::from_text(&open)
        .unwrap()
        .restore(&machine)
        .unwrap();
    let asked = session.clarification.asked.as_deref().unwrap();
    assert!(session.clarification.open);
    assert_eq!(asked.options.len(), 1);
    assert_eq!(
        asked.state.map(|state| session.state_name(state, &machine)),
        Some("spin_problem")
    );
    let saved = SavedSession::of(&session, &machine, machine.settings()).to_text();
    assert_eq!(
        SavedSession::from_text(&saved)
            .unwrap()
            .restore(&machine)
            .unwrap(),
        session
    );
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let written: serde_json::Value = serde_json::from_str(&open).unwrap();
    let keys = [
        "in_disambiguation",
        "disambiguation_context",
        "pre_disambiguation_state",
    ];
    assert!(keys.iter().all(|key| saved[key] == written[key]), "{saved}");
    let order: Vec<&String> = saved.as_object().unwrap().keys().take(7).collect();
    assert_eq!(&order[3..6], keys);
    // An empty or incomplete question is accepted.
    for half in [
        "{}",
        "{\"options\": null}",
        "{\"options\": 5, \"extracted_data\": []}",
    ] {
        let open = PRODUCTION.replace(
            "\"disambiguation_context\": null",
            &format!("\"disambiguation_context\": {half}"),
        );
        let session = SavedSession::from_text(&open)
            .unwrap()
            .restore(&machine)
            .unwrap();
        assert!(session.clarification.asked.unwrap().options.is_empty());
    }
}

#[test]
fn invalid_session_is_reported_with_a_location() {
    let turn = "  - {intent: unclear}\n";
    let output: Vec<String> = [
        "",
        "{\"state\": \"spin_problem\",\n \"collected_data\": [1]}",
        "{\"collected_data\": {}}",
        "{\"state\": \"spin_problm\"}",
    ]
    .into_iter()
    .map(|session| play(session, turn).fails(2, "", "").stderr)
    .collect();
    insta::assert_snapshot!(output.join("\n"));
}

#[test]
fn misspelled_keys_of_a_session_are_reported() {
    let turn = "  - {intent: unclear, expect: {turn_number: 8}}\n";
    let misspelled = [
        ("\"collected_data\"", "\"colected_data\""),
        (
            "\"current_streak\": {\"intent\"",
            "\"current_streak\": {\"intnet\"",
        ),
        ("\"goback_history\"", "\"gobak_history\""),
    ]
    .iter()
    .fold(PRODUCTION.to_owned(), |text, (key, other)| {
        text.replace(key, other)
    });
    insta::assert_snapshot!(play(&misspelled, turn).fails(2, "", "").stderr);
    // A snapshot of the bot can have further parts.
    let more = PRODUCTION.replacen(
        '{',
        "{\"context_window\": {\"state\": 1}, \"version\": 3,",
        1,
    );
    play(&more, turn).succeeds("1 passed");
}

#[test]
fn missing_session_file_is_reported_where_it_is_referenced() {
    let scenario = "scenario: A\nmodel: flows/bant\nstart: {session: nowhere.json}\nturns: [{intent: unclear}]\n";
    let run = Project::new()
        .with_flows()
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
        .run();
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn extreme_numbers_in_a_session_never_cause_a_panic() {
    let saved: serde_json::Value = serde_json::from_str(&complete_session()).unwrap();
    let mut pointers = Vec::new();
    numbers(&saved, &mut String::new(), &mut pointers);
    assert!(pointers.len() > 12, "{pointers:?}");
    for pointer in &pointers {
        for number in [
            "9223372036854775807",
            "4294967295",
            "2147483647",
            "18446744073709551615",
            "-9223372036854775808",
        ] {
            let mut broken = saved.clone();
            *broken.pointer_mut(pointer).unwrap() = serde_json::from_str(number).unwrap();
            let text = broken.to_string();
            let run = play(
                &text,
                "  - {intent: go_back}\n  - {intent: unclear}\n  - {intent: objection_think}\n",
            )
            .run();
            assert!(matches!(run.code, 0..=2), "{pointer} {number}\n{run}");
            assert!(
                !run.stderr.contains("panicked"),
                "{pointer} {number}\n{run}"
            );
        }
    }
    let many = PRODUCTION.replace("\"goback_count\": 1", "\"goback_count\": 4294967295");
    play(&many, "  - {intent: unclear}\n").fails(
        2,
        "",
        "a count in `goback_count` is greater than 1000000000",
    );
    let many = PRODUCTION.replace("\"goback_count\": 1", "\"goback_count\": 10001");
    play(&many, "  - {intent: unclear}\n").fails(2, "", "`goback_count` is greater than 10000");
}

/// A saved session with all fields that this program saves.
fn complete_session() -> String {
    let machine = fsmsim_dialects::dialect::Loader::default()
        .load(
            "flows/spin_selling".as_ref(),
            Profile::Documented,
            None,
            &mut Diagnostics::default(),
        )
        .unwrap();
    let session = SavedSession::from_text(PRODUCTION)
        .unwrap()
        .restore(&machine)
        .unwrap();
    SavedSession::of(&session, &machine, machine.settings()).to_text()
}

/// The JSON pointers of all numbers outside the data.
fn numbers(value: &serde_json::Value, at: &mut String, pointers: &mut Vec<String>) {
    let steps: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Number(_) => return pointers.push(at.clone()),
        serde_json::Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        serde_json::Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => return,
    };
    for (step, value) in steps
        .into_iter()
        .filter(|(step, _)| step != "collected_data")
    {
        let before = at.len();
        at.push('/');
        at.push_str(&step);
        numbers(value, at, pointers);
        at.truncate(before);
    }
}
