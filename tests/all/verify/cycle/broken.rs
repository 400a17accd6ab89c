//! Small traces of a cycle: rules that no recording violates can be violated, and missing data is not checked. Our own
//! scenarios have no violation.

use serde_json::{Value, json};

use super::super::breach::Breach;
use crate::support::{Project, text};

/// The violations in a trace of these turns, each with its turn.
fn broken(turns: &[Value]) -> Vec<String> {
    let line = json!({"id": "d", "start": turns[0]["from"], "turns": turns});
    let project = Project::new().file("agent_cycle.yaml", text("flows/agent_cycle.yaml"));
    let map = "dialogue: id\nturns: turns\nstart: {state: start}\nturn:\n  input: {event: event, data: {report: report?}}\n  \
               state: {from: from, to: to}\n  data: {DATA}\n  counters: counters?\n  effects: effects?\n";
    let slots = [
        "is_validated",
        "plan_done",
        "status",
        "failed_by",
        "memory_scope",
        "task_id",
        "refused",
        "tests_passed",
        "tests_failed",
    ];
    let paths = slots.map(|slot| format!("{slot}: {slot}?")).join(", ");
    let project = project
        .file("map.yaml", map.replace("DATA", &paths))
        .file("t.jsonl", format!("{line}\n"));
    let verify = [
        "verify",
        "t.jsonl",
        "--model",
        "agent_cycle.yaml",
        "--map",
        "map.yaml",
        "--format",
        "json",
    ];
    let run = project.fsmsim(verify).run();
    assert_eq!(run.stderr, "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["first"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| Breach::of(finding).to_string())
        .collect()
}

/// A turn of a node with more keys.
fn turn(from: &str, to: &str, more: &Value) -> Value {
    let mut turn = json!({"event": "tick", "from": from, "to": to});
    turn.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    turn
}

const NOTHING: [&str; 0] = [];

#[test]
fn rules_that_no_recording_violates_are_checked() {
    let tested = |passed: Value, failed: Value| {
        let data =
            json!({"report": "DECISION: APPROVED", "tests_passed": passed, "tests_failed": failed});
        // A verdict rests on the tests of earlier turns.
        let tests = turn("validate", "validate", &data);
        broken(&[tests, turn("validate", "commit", &data)])
    };
    assert_eq!(tested(json!(["unit"]), json!([])), NOTHING);
    assert_eq!(tested(json!(["unit"]), json!(["unit"])), NOTHING);
    let untested = ["2 an_approval_rests_on_a_test"];
    assert_eq!(tested(json!([]), json!([])), untested);
    assert_eq!(tested(json!(["unit"]), json!(["lint"])), untested);
    assert_eq!(
        broken(&[turn("plan", "execute", &json!({"memory_scope": "private"}))]),
        NOTHING
    );
    let opened = json!({"memory_scope": "shared"});
    assert_eq!(
        broken(&[turn("plan", "execute", &opened)]),
        ["1 memory_is_private_unless_shared"]
    );
    assert_eq!(
        broken(&[turn("plan", "validate", &json!({}))]),
        ["1 undeclared_transition"]
    );
    let begun = |id: &str| turn("plan", "execute", &json!({"task_id": id}));
    assert_eq!(
        broken(&[
            begun("t1"),
            turn("execute", "validate", &json!({"task_id": "t2"}))
        ]),
        ["2 a_task_keeps_its_id"]
    );
}

#[test]
fn missing_data_is_not_checked() {
    // First only the states are known. Then one more value is known, and the others stay unknown.
    assert_eq!(
        broken(&[
            turn("validate", "commit", &json!({})),
            turn("commit", "committed", &json!({}))
        ]),
        NOTHING
    );
    assert_eq!(
        broken(&[turn("commit", "committed", &json!({"is_validated": true}))]),
        NOTHING
    );
    assert_eq!(
        broken(&[turn("commit", "committed", &json!({"plan_done": false}))]),
        ["1 a_committed_task_has_done_all_subtasks"]
    );
    assert_eq!(
        broken(&[turn("commit", "committed", &json!({"refused": "fly"}))]),
        ["1 a_refused_action_is_not_committed"]
    );
    assert_eq!(
        broken(&[turn("validate", "failed", &json!({"status": "completed"}))]),
        ["1 a_failed_task_is_failed"]
    );
    assert_eq!(
        broken(&[turn(
            "validate",
            "failed",
            &json!({"failed_by": "step_limit"})
        )]),
        ["1 a_task_fails_by_a_rule"]
    );
}

#[test]
fn shared_write_is_found_before_and_after_a_denied_one() {
    let share =
        |verdict: &str, word: &str| json!({"effect": "share", "verdict": verdict, word: "done"});
    let write = |effects: &[Value]| {
        let before = turn("plan", "execute", &json!({"is_validated": true}));
        broken(&[
            before,
            turn(
                "execute",
                "validate",
                &json!({"effects": effects, "is_validated": true}),
            ),
        ])
    };
    let outside = ["2 shared_memory_is_written_by_commit_alone"];
    assert_eq!(write(&[share("denied", "why")]), NOTHING);
    assert_eq!(
        write(&[share("allowed", "outcome"), share("denied", "why")]),
        outside
    );
    assert_eq!(
        write(&[share("denied", "why"), share("allowed", "outcome")]),
        outside
    );
    // A write without an outcome is not checked, and neither is an effect that is unknown to the model.
    assert_eq!(
        write(&[json!({"effect": "share", "verdict": "allowed"})]),
        NOTHING
    );
    assert_eq!(
        write(&[json!({"effect": "dream", "verdict": "allowed", "outcome": "done"})]),
        NOTHING
    );
    let before = turn("validate", "commit", &json!({"is_validated": false}));
    let early = turn(
        "commit",
        "committed",
        &json!({"effects": [share("allowed", "outcome")], "plan_done": true}),
    );
    assert_eq!(
        broken(&[before, early]),
        ["2 nothing_is_shared_before_it_is_validated"]
    );
}

#[test]
fn library_cycle_scenarios_have_no_violation() {
    let mut project = Project::new()
        .with("scenarios/cycle")
        .with("flows/agent_cycle.yaml");
    for file in ["definition_of_done", "gates", "rogue_writes"] {
        let trace = project
            .fsmsim(["trace", &format!("scenarios/cycle/{file}.yaml")])
            .succeeds("");
        project = project.file("t.jsonl", trace);
        for mode in ["structure", "replay"] {
            let run = project
                .fsmsim([
                    "verify",
                    "t.jsonl",
                    "--model",
                    "flows/agent_cycle.yaml",
                    "--mode",
                    mode,
                ])
                .run();
            assert_eq!(
                (run.code, &*run.stderr),
                (0, ""),
                "{file}, {mode}: {}",
                run.stdout
            );
        }
    }
}
