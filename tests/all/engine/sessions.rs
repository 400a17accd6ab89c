//! `start: {session: FILE}`: dialogues that go on from a saved session.

use fsmsim::diagnostic::Diagnostics;
use fsmsim::engine::SavedSession;
use fsmsim::machine::Profile;

use crate::support::{Invocation, Project};

/// As the running system saves a dialogue: an objection came up in `spin_problem`.
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
fn a_dialogue_from_production_goes_on() {
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
fn a_question_that_is_open_is_saved_and_restored() {
    let question = r#"{"options": [{"intent": "agreement", "label": "Да"}], "original_state": "spin_problem",
        "extracted_data": {"role": "boss"}, "attempt": 1}"#;
    let open = PRODUCTION
        .replace("\"in_disambiguation\": false", "\"in_disambiguation\": true")
        .replace("\"disambiguation_context\": null", &format!("\"disambiguation_context\": {question}"))
        .replace("\"pre_disambiguation_state\": null", "\"pre_disambiguation_state\": \"spin_problem\"");
    let machine = fsmsim::dialect::Loader::default()
        .load("flows/spin_selling".as_ref(), Profile::Documented, None, &mut Diagnostics::default())
        .unwrap();
    let session = SavedSession::from_text(&open).unwrap().restore(&machine).unwrap();
    let asked = session.clarification.asked.as_deref().unwrap();
    assert!(session.clarification.open);
    assert_eq!(asked.options.len(), 1);
    assert_eq!(asked.state.map(|state| session.state_name(state, &machine)), Some("spin_problem"));
    let saved = SavedSession::of(&session, &machine, machine.settings()).to_text();
    assert_eq!(SavedSession::from_text(&saved).unwrap().restore(&machine).unwrap(), session);
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let written: serde_json::Value = serde_json::from_str(&open).unwrap();
    let keys = ["in_disambiguation", "disambiguation_context", "pre_disambiguation_state"];
    assert!(keys.iter().all(|key| saved[key] == written[key]), "{saved}");
    let order: Vec<&String> = saved.as_object().unwrap().keys().take(7).collect();
    assert_eq!(&order[3..6], keys);
    // What is no question, or only half of one, is read all the same.
    for half in ["{}", "{\"options\": null}", "{\"options\": 5, \"extracted_data\": []}"] {
        let open =
            PRODUCTION.replace("\"disambiguation_context\": null", &format!("\"disambiguation_context\": {half}"));
        let session = SavedSession::from_text(&open).unwrap().restore(&machine).unwrap();
        assert!(session.clarification.asked.unwrap().options.is_empty());
    }
}

#[test]
fn a_session_that_cannot_be_used_is_told_with_its_place() {
    let turn = "  - {intent: unclear}\n";
    let told: Vec<String> = [
        "",
        "{\"state\": \"spin_problem\",\n \"collected_data\": [1]}",
        "{\"collected_data\": {}}",
        "{\"state\": \"spin_problm\"}",
    ]
    .into_iter()
    .map(|session| play(session, turn).fails(2, "", "").stderr)
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_session_that_is_not_there_is_told_where_it_is_named() {
    let scenario = "scenario: A\nmodel: flows/bant\nstart: {session: nowhere.json}\nturns: [{intent: unclear}]\n";
    let run = Project::new().with_flows().file("scenarios/a.yaml", scenario).fsmsim(["test"]).run();
    insta::assert_snapshot!(run.stderr);
}
