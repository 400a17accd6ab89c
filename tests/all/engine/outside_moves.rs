//! Transitions that are forced between turns: `before: [{op: transition_to, …}]`.

use crate::support::Project;

const MOVES: &str = "\
scenario: Moves from outside
model: flows/spin_selling
start: {foreign: [ask_problem_questions, nowhere, elsewhere, wave, own]}
turns:
  - before:
      - {op: transition_to, next_state: spin_problem, action: ask_problem_questions, source: orchestrator}
      - {op: transition_to, next_state: spin_implication, source: policy_override}
      - {op: transition_to, next_state: nowhere, source: \"te\\u001bst\"}
      - {op: transition_to, next_state: elsewhere, action: wave, phase: own, validate: false}
      - {op: reset}
    intent: unclear
  - intent: unclear
";

fn moves() -> Project {
    Project::new().with_flows().file("s.yaml", MOVES)
}

#[test]
fn record_contains_each_forced_move_and_its_source() {
    let project = moves();
    let trace = project.fsmsim(["trace", "s.yaml"]).succeeds("");
    let records: Vec<serde_json::Value> = trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let event = |number: usize| records[1]["events"][number].to_string();
    assert_eq!(
        event(0),
        r#"{"event":"transition_to","from":"greeting","to":"spin_problem","phase":"problem","action":"ask_problem_questions","source":"orchestrator"}"#
    );
    assert_eq!(
        event(1),
        r#"{"event":"transition_to","from":"spin_problem","to":"spin_implication","phase":"implication","action":null,"source":"policy_override"}"#
    );
    assert_eq!(
        event(2),
        r#"{"event":"transition_refused","from":"spin_implication","to":"nowhere","source":"te\u001bst"}"#
    );
    assert_eq!(
        event(3),
        r#"{"event":"transition_to","from":"spin_implication","to":"elsewhere","phase":"own","action":"wave","source":"unknown"}"#
    );
    assert_eq!(
        records[1]["input"]["before"][1]["source"],
        "policy_override"
    );
    assert!(records[1]["input"]["before"][3].get("source").is_none());
    assert_eq!(records[2]["events"], serde_json::json!([]));
}

#[test]
fn trace_with_forced_moves_replays() {
    let project = moves();
    let trace = project.fsmsim(["trace", "s.yaml"]).succeeds("");
    project.write("t.jsonl", &trace);
    let verified = project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "flows/spin_selling",
            "--mode",
            "replay",
        ])
        .run();
    assert_eq!(
        (verified.code, &*verified.stderr),
        (0, ""),
        "{}",
        verified.stdout
    );
    project
        .fsmsim(["diff", "t.jsonl", "s.yaml"])
        .ends(0, "", "");
}

#[test]
fn invalid_source_of_a_forced_move_is_reported() {
    let turns = "scenario: x\nmodel: flows/spin_selling\nturns:\n  \
        - {before: [{op: transition_to, next_state: close, source: [a]}], intent: unclear}\n  \
        - {before: [{op: transition_to, next_state: close, sorce: a}], intent: unclear}\n";
    let project = Project::new().with_flows().file("s.yaml", turns);
    insta::assert_snapshot!(project.fsmsim(["test", "s.yaml"]).shown());
}
