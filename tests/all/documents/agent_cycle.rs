//! The contracts and the cycle of the agent cycle's document.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::document;
use crate::support::{Project, turns};

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
