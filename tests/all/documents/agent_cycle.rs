//! The contracts and the cycle of the agent cycle's document.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::document;
use crate::support::{Project, text, turns};

/// An observation with all fields of the document.
const OBSERVATION: &str = "observation_id: 6f9619ff-8b86-4d01-b42d-00cf4fc964ff, source: ci, category: environment, signal: red, \
                           confidence: 0.9, task_id: t1, timestamp: \"2026-01-31T18:00:00Z\", metadata: {branch: main}";

fn project() -> Project {
    Project::new().with("flows/agent_cycle.yaml")
}

/// A dialogue with one turn, as input of `trace`.
fn dialogue(turn: &Value) -> String {
    json!({"id": "t", "turns": [turn]}).to_string()
}

/// Runs a scenario of the cycle with these turns.
#[track_caller]
fn plays(turns: &str) {
    let scenario =
        format!("scenario: From the document\nmodel: flows/agent_cycle.yaml\nturns:\n{turns}");
    project()
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
        .succeeds("1 passed");
}

#[test]
fn observation_has_the_fields_of_the_document() {
    let taken = "{effect: take_observation, outcome: done, payload: {signal: red, timestamp: \"2026-01-31T18:00:00Z\"}}";
    plays(&format!(
        "  - {{observe: {{{OBSERVATION}}}, expect: {{data: {{observations: [red]}}, effects: [{taken}]}}}}\n"
    ));
    // The time of the turn is the default.
    let without = OBSERVATION.replace(" timestamp: \"2026-01-31T18:00:00Z\",", "");
    plays(&format!(
        "  - {{observe: {{{without}}}, at: \"2026-01-31T18:00:00Z\", expect: {{effects: [{taken}]}}}}\n"
    ));
}

#[test]
fn unknown_key_of_an_observation_is_reported_everywhere() {
    let denied = "{effect: take_observation, verdict: denied, why: {contains: [weather]}}";
    plays(&format!(
        "  - {{observe: {{{OBSERVATION}, weather: hot}}, expect: {{state: waiting, effects: [{denied}]}}}}\n"
    ));
    let line = "observe source=ci category=environment signal=red confidence=1 weather=hot";
    let event = json!({"observe": {"source": "ci", "category": "environment", "signal": "red", "confidence": 1, "weather": "hot"}});
    let typed = project()
        .fsmsim(["run", "flows/agent_cycle.yaml", "--format", "jsonl"])
        .stdin(format!("{line}\n{event}\n"))
        .succeeds("");
    let traced = project()
        .fsmsim(["trace", "flows/agent_cycle.yaml", "--turns", "-"])
        .stdin(dialogue(&event))
        .succeeds("");
    let seen = [turns(&typed), turns(&traced)].concat();
    assert_eq!(seen.len(), 3);
    for turn in seen {
        let effect = &turn["effects"][0];
        assert_eq!(effect["verdict"], "denied", "{turn}");
        assert!(
            effect["why"].as_str().unwrap().contains("weather"),
            "{turn}"
        );
        assert_eq!(turn["data"]["observations"], Value::Null);
    }
}

#[test]
fn time_of_an_observation_is_the_time_of_its_turn() {
    let event = |time: &str| {
        let data = json!({"source": "ci", "category": "environment", "signal": "red", "confidence": 1, "timestamp": time});
        project()
            .fsmsim(["trace", "flows/agent_cycle.yaml", "--turns", "-"])
            .stdin(dialogue(&json!({"observe": data})))
    };
    let trace = event("2026-01-31T18:00:00+03:00").succeeds("");
    let seen = turns(&trace);
    assert_eq!(seen[0]["input"]["at"], "2026-01-31T18:00:00+03:00");
    assert_eq!(
        seen[0]["effects"][0]["payload"]["timestamp"],
        "2026-01-31T18:00:00+03:00"
    );
    let run = event("yesterday").run();
    assert!(run.stderr.contains("invalid time `yesterday`"), "{run}");
}

/// The loop of correction in the document: a failed validation leads to a new plan.
#[test]
fn failed_validation_leads_to_a_new_plan() {
    let tested = "{need: effect, effect: act, answer: {status: done, success: true, measurable_effect: tests passed}}";
    plays(&format!(
        "  - {{event: submit, data: {{task_id: t1, description: Add a page}}, expect: {{phase: ANALYZE}}}}
  - {{tick: {{analysis: A page is missing}}, expect: {{phase: PLAN}}}}
  - {{tick: {{plan: [write it]}}, expect: {{phase: EXECUTE}}}}
  - {{tick: {{result: written}}, expect: {{phase: VALIDATE}}}}
  - {{tick: {{report: 'DECISION: FAILED'}}, expect: {{phase: PLAN, class: replan}}}}
  - {{tick: {{plan: [write it again]}}, expect: {{phase: EXECUTE}}}}
  - {{tick: {{result: written}}, expect: {{phase: VALIDATE}}}}
  - {{tick: {{action: {{capability: run_tests}}}}, answers: [{tested}], expect: {{phase: VALIDATE}}}}
  - {{tick: {{report: 'DECISION: APPROVED'}}, expect: {{phase: COMMIT, counters: {{shared_writes: 0}}}}}}
  - {{tick: true, expect: {{state: committed, counters: {{shared_writes: 2}}}}}}
"
    ));
}

/// An answer to a test: whether it passed.
fn tested(passed: bool) -> String {
    format!("[{{need: effect, effect: act, answer: {{status: done, success: {passed}}}}}]")
}

/// Runs the tests of VALIDATE, each with its result. Then the verdict leads to the state.
#[track_caller]
fn validates(runs: &[(&str, bool)], state: &str) {
    let flow = text("flows/agent_cycle.yaml").replace(
        "capabilities:\n",
        "capabilities:\n  lint: {about: Check the style, tests: true}\n",
    );
    let mut scenario = "scenario: From the document
model: flows/agent_cycle.yaml
start: {state: validate, data: {task_id: t1, plan: [write it], plan_done: true, results: [written]}}
turns:
"
    .to_owned();
    for (capability, passed) in runs {
        let answers = tested(*passed);
        scenario += &format!(
            "  - {{tick: {{action: {{capability: {capability}}}}}, answers: {answers}}}\n"
        );
    }
    scenario +=
        &format!("  - {{tick: {{report: 'DECISION: APPROVED'}}, expect: {{state: {state}}}}}\n");
    Project::new()
        .file("flows/agent_cycle.yaml", flow)
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
        .succeeds("1 passed");
}

/// Validation blocks errors: the last run of each test counts.
#[test]
fn last_run_of_each_test_decides_the_validation() {
    validates(&[("run_tests", true)], "commit");
    validates(&[("run_tests", true), ("run_tests", false)], "plan");
    validates(&[("run_tests", false), ("run_tests", true)], "commit");
    validates(&[("run_tests", false), ("lint", true)], "plan");
    let lint_last = [("run_tests", false), ("run_tests", true), ("lint", true)];
    validates(&lint_last, "commit");
}

/// The reviewer runs the tests: a test of the worker does not count.
#[test]
fn test_before_the_validation_does_not_count() {
    let passed = tested(true);
    plays(&format!(
        "  - {{event: submit, data: {{task_id: t1, description: Add a page}}}}
  - {{tick: {{analysis: A page is missing}}}}
  - {{tick: {{plan: [write it]}}}}
  - {{tick: {{result: written, action: {{capability: run_tests}}}}, answers: {passed}, expect: {{state: validate}}}}
  - {{tick: {{report: 'DECISION: APPROVED'}}, expect: {{state: plan, class: replan}}}}
"
    ));
}

#[test]
fn commit_shares_only_what_was_validated() {
    let start = "state: commit, data: {task_id: t1, plan: [b], plan_done: true, results: [a], is_validated: true, validation_report: good}";
    for (content, effect) in [
        ("new", "verdict: denied"),
        ("a", "outcome: done, payload: {validation_report: good}"),
    ] {
        let scenario = format!(
            "scenario: From the document
model: flows/agent_cycle.yaml
start: {{{start}}}
turns:
  - tick: {{write: {{type: semantic, scope: shared, content: {content}}}}}
    expect: {{state: committed, effects: [{{outcome: done}}, {{outcome: done}}, {{{effect}}}]}}
"
        );
        project()
            .file("scenarios/a.yaml", scenario)
            .fsmsim(["test"])
            .succeeds("1 passed");
    }
}

#[test]
fn observation_keeps_the_task_that_it_names() {
    let fields = "source: ci, category: environment, signal: red, confidence: 1";
    let taken = |id: &str| {
        format!(
            "expect: {{effects: [{{effect: take_observation, outcome: done, payload: {{task_id: {id}}}}}]}}"
        )
    };
    let (named, own) = (taken("t9"), taken("t1"));
    plays(&format!(
        "  - {{observe: {{{fields}, task_id: t9}}, {named}}}
  - {{event: submit, data: {{task_id: t1, description: Add a page}}}}
  - {{observe: {{{fields}, task_id: t9}}, {named}}}
  - {{observe: {{{fields}}}, {own}}}
  - {{observe: {{{fields}, task_id: [5]}}, expect: {{effects: [{{verdict: denied}}], data: {{task_id: t1}}}}}}
"
    ));
}

#[test]
fn schemas_have_each_field_of_the_document() {
    let Some(text) = document("### 4.3 Контракт Observation") else {
        return;
    };
    let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut open = None;
    for line in text.lines() {
        if let Some(class) = line.strip_prefix("class ") {
            open = class.split('(').next();
        } else if line.starts_with("```") {
            open = None;
        } else if let Some((class, (field, _))) = open.zip(line.trim().split_once(": ")) {
            classes.entry(class).or_default().push(field);
        }
    }
    for (class, schema) in [
        ("Observation", "observation"),
        ("AgentState", "agent-state"),
        ("MemoryArtifact", "memory-artifact"),
        ("Capability", "capability"),
        ("ActionResult", "action-result"),
    ] {
        let printed = Project::new().fsmsim(["schema", schema]).succeeds("");
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let fields = &classes[class];
        assert!(fields.len() > 4, "{class}: {fields:?}");
        for field in fields {
            assert!(
                printed["properties"].get(field).is_some(),
                "{class}.{field}"
            );
        }
    }
}

#[test]
fn memory_that_takes_no_write_is_observed() {
    let observed = "data: {observations: [memory_error]}, effects: {contains: [{effect: take_observation, outcome: done, \
                    payload: {source: memory_error, category: system}}]}";
    plays(&format!(
        "  - {{event: submit, data: {{task_id: t1, description: d}}}}
  - tick: {{analysis: A}}
    answers: [{{need: effect, effect: remember, answer: down}}]
    expect: {{state: analyze, class: blocked, {observed}}}
  - {{tick: {{analysis: A}}, expect: {{state: plan, data: {{observations: [memory_error]}}}}}}
"
    ));
    let scenario = format!(
        "scenario: Shared\nmodel: flows/agent_cycle.yaml
start: {{state: commit, data: {{task_id: t1, plan_done: true, is_validated: true, status: committing, validation_report: good, results: [a], plan: [b]}}}}
turns:
  - tick: true
    answers: [{{need: effect, effect: share, index: 0, answer: down}}]
    expect: {{state: commit, {observed}}}
  - {{tick: true, expect: {{state: committed, counters: {{shared_writes: 2}}}}}}
"
    );
    project()
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
        .succeeds("1 passed");
}

#[test]
fn unknown_gate_is_reported_whether_it_is_disabled_or_not() {
    for value in ["true", "false"] {
        let cycle =
            text("flows/agent_cycle.yaml") + &format!("\ngates: {{nothing_such: {value}}}\n");
        let run = Project::new()
            .file("cycle.yaml", cycle)
            .fsmsim(["lint", "cycle.yaml"])
            .fails(1, "", "unknown gate `nothing_such`");
        assert!(!run.stderr.contains("is disabled"), "{run}");
    }
}
