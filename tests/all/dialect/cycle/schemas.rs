//! Inputs and outputs of agent cycles, validated against the printed schemas.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Project, text};

const KINDS: [&str; 5] = [
    "observation",
    "memory-artifact",
    "capability",
    "action-result",
    "agent-state",
];
/// The fields of an agent state that come from the data of a record.
const STATE: [&str; 7] = [
    "messages",
    "task_id",
    "plan",
    "code_artifacts",
    "validation_report",
    "memory_scope",
    "is_validated",
];

fn printed(kind: &str) -> Value {
    serde_json::from_str(&Project::new().fsmsim(["schema", kind]).succeeds("")).unwrap()
}

fn validator(kind: &str) -> Validator {
    jsonschema::draft202012::new(&printed(kind)).unwrap()
}

#[track_caller]
fn fits(validator: &Validator, value: &Value) {
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|error| error.to_string())
        .collect();
    assert!(wrong.is_empty(), "{value:#}\n{}", wrong.join("\n"));
}

/// The records of all scenarios of agent cycles.
fn records() -> Vec<Value> {
    let project = Project::new()
        .with("flows/agent_cycle.yaml")
        .with("scenarios/cycle");
    let files = ["definition_of_done", "gates", "rogue_writes"]
        .map(|file| format!("scenarios/cycle/{file}.yaml"));
    let traces = files.map(|file| project.fsmsim(["trace", &file]).run().stdout);
    let lines = traces
        .iter()
        .flat_map(|trace| trace.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line.get("turn").is_some() && line.get("data").is_some())
        .collect()
}

/// The agent state in a record.
fn state_of(record: &Value) -> Value {
    let known = STATE
        .into_iter()
        .filter(|name| !record["data"][name].is_null());
    let mut state: serde_json::Map<String, Value> = known
        .map(|name| (name.to_owned(), record["data"][name].clone()))
        .collect();
    state.insert("current_phase".to_owned(), record["phase"]["to"].clone());
    Value::Object(state)
}

#[test]
fn schemas_are_valid_and_describe_their_fields() {
    for kind in KINDS {
        let schema = printed(kind);
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        assert_eq!(schema["$id"], format!("urn:fsmsim:cycle:{kind}"));
        assert_eq!(schema["additionalProperties"], false);
        assert!(
            ["title", "description"]
                .iter()
                .all(|key| schema[key].is_string())
        );
        for (name, field) in schema["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{kind}.{name}");
        }
    }
}

#[test]
fn schemas_are_listed_and_unknown_names_are_rejected() {
    let project = Project::new();
    let listed = project.fsmsim(["schema"]).succeeds("");
    let names: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.ends_with(&KINDS), "{listed}");
    insta::assert_snapshot!(
        listed.clone()
            + &project.fsmsim(["schema", "Action-Results"]).refuses("")
            + &project.fsmsim(["schema", "plan"]).refuses("")
    );
}

#[test]
fn records_of_cycle_scenarios_match_the_schemas() {
    let validators: BTreeMap<&str, Validator> = KINDS
        .into_iter()
        .map(|kind| (kind, validator(kind)))
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for record in records() {
        fits(&validators["agent-state"], &state_of(&record));
        *counts.entry("agent-state").or_default() += 1;
        for effect in record["effects"].as_array().unwrap() {
            let kind = match effect["effect"].as_str().unwrap() {
                "remember" | "share" => "memory-artifact",
                "take_observation" => "observation",
                _ => continue,
            };
            // A payload that a gate denied is not delivered.
            if effect["verdict"] == "allowed" {
                fits(&validators[kind], &effect["payload"]);
                *counts.entry(kind).or_default() += 1;
            }
        }
        for answer in record["answers"].as_array().into_iter().flatten() {
            let name = answer["effect"].as_str().unwrap_or_default();
            let executed = record["effects"]
                .as_array()
                .unwrap()
                .iter()
                .find(|effect| effect["effect"] == name);
            let Some(mut result) = answer["answer"]
                .as_object()
                .cloned()
                .filter(|answer| name == "act" && answer["status"] != "down")
            else {
                continue;
            };
            result.remove("status");
            let broken = executed.unwrap()["outcome"] == "breaks_schema";
            assert_eq!(
                validators["action-result"].is_valid(&Value::Object(result)),
                !broken,
                "{answer}"
            );
            *counts.entry("action-result").or_default() += 1;
        }
    }
    let minimum = [
        ("agent-state", 100),
        ("memory-artifact", 80),
        ("observation", 1),
        ("action-result", 10),
    ];
    assert!(
        minimum
            .iter()
            .all(|(kind, minimum)| counts[kind] >= *minimum),
        "{counts:?}"
    );
}

#[test]
fn hostile_values_do_not_match_the_schemas() {
    let valid = [
        (
            "observation",
            json!({"observation_id": "o1", "source": "ci", "category": "environment", "signal": "red", "confidence": 1, "task_id": "t1", "timestamp": "2026-01-01T10:00:00", "metadata": {}}),
        ),
        (
            "memory-artifact",
            json!({"id": "a1", "content": "x", "source_agent": "worker", "task_id": "t1", "type": "episodic", "scope": "private", "is_validated": false, "metadata": {}}),
        ),
        (
            "capability",
            json!({"name": "deploy", "inputs": ["target"], "effects": ["deployed"], "rollback_supported": false, "risk_level": "high"}),
        ),
        (
            "action-result",
            json!({"action_id": "x", "success": true, "measurable_effect": "deployed", "logs": "", "duration_ms": 0}),
        ),
        (
            "agent-state",
            json!({"messages": [], "task_id": "t1", "current_phase": "PLAN", "plan": [], "code_artifacts": {}, "validation_report": "", "memory_scope": "private", "is_validated": false}),
        ),
    ];
    let wrong = [
        ("observation", "category", json!("dreams")),
        ("observation", "confidence", json!(1.01)),
        ("observation", "confidence", json!("sure")),
        ("observation", "metadata", json!([])),
        ("memory-artifact", "type", json!("gossip")),
        ("memory-artifact", "scope", json!("everywhere")),
        ("memory-artifact", "is_validated", json!("true")),
        ("memory-artifact", "content", json!(null)),
        ("capability", "name", json!("write_shared_memory")),
        ("capability", "inputs", json!(["a", "a"])),
        ("capability", "risk_level", json!("huge")),
        ("action-result", "success", json!("yes")),
        ("action-result", "duration_ms", json!(-1)),
        ("action-result", "duration_ms", json!(0.5)),
        ("agent-state", "current_phase", json!("REFLECT")),
        ("agent-state", "memory_scope", json!("shared")),
        ("agent-state", "plan", json!(["", 1])),
        ("agent-state", "messages", json!("all")),
    ];
    for (kind, value) in &valid {
        let validator = validator(kind);
        fits(&validator, value);
        for hostile in [json!(null), json!([value]), json!("x"), json!({})] {
            assert!(!validator.is_valid(&hostile), "{kind}: {hostile}");
        }
        let with = |name: &str, part: Value| {
            let mut value = value.clone();
            value[name] = part;
            value
        };
        assert!(
            !validator.is_valid(&with("anything", json!(1))),
            "{kind} is not closed"
        );
        for (_, name, part) in wrong.iter().filter(|(of, ..)| of == kind) {
            assert!(
                !validator.is_valid(&with(name, part.clone())),
                "{kind}: {name}: {part}"
            );
        }
    }
}

#[test]
fn invalid_capability_is_reported_with_its_location() {
    let flow = text("flows/agent_cycle.yaml");
    let lint = |from: &str, to: &str| {
        assert!(flow.contains(from), "{from}");
        Project::new()
            .file("a.yaml", flow.replacen(from, to, 1))
            .fsmsim(["lint", "a.yaml"])
            .run()
            .shown()
    };
    insta::assert_snapshot!(
        lint("inputs: [path, text]", "inputs: [path, path]")
            + &lint("effects: [deployed]", "effects: ['']")
    );
}

#[cfg(feature = "sqlite")]
#[test]
fn audit_explains_how_an_answer_violates_its_schema() {
    let backend = "answers: [{effect: act, return: {status: done, success: true, measurable_effect: [all, of, it]}}]";
    let project = Project::new()
        .with("flows/agent_cycle.yaml")
        .file("backend.yaml", backend);
    let lines = "submit task_id=t1 description=x\ntick analysis=y\ntick plan=z\n\
                 tick done=false action={capability: write_file, inputs: {path: a, text: b}}\n";
    let arguments = [
        "run",
        "flows/agent_cycle.yaml",
        "--start",
        "{backend: backend.yaml}",
        "--memory",
        "memory.sqlite",
    ];
    project
        .fsmsim(arguments)
        .stdin(lines)
        .ends(0, "breaks_schema", "");
    let memory = rusqlite::Connection::open(project.path().join("memory.sqlite")).unwrap();
    let select = "SELECT entry FROM audit WHERE json_extract(entry, '$.kind') = 'action_failed'";
    let entry: String = memory.query_row(select, [], |row| row.get(0)).unwrap();
    let entry: Value = serde_json::from_str(&entry).unwrap();
    let why = "/measurable_effect: [\"all\",\"of\",\"it\"] is not of type \"string\"";
    let what =
        json!({"capability": "write_file", "outcome": "breaks_schema", "tests": false, "why": why});
    assert_eq!(entry["what"], what);
    project
        .fsmsim(["verify", "--audit", "memory.sqlite"])
        .ends(0, "", "");
}

#[cfg(feature = "sqlite")]
#[test]
fn only_a_valid_agent_state_is_exported() {
    let project = Project::new().with("flows/agent_cycle.yaml");
    let lines = "submit task_id=t1 description=\"Add a page\"\ntick analysis=\"A page is missing\"\ntick plan=\"write it\"\n";
    project
        .fsmsim(["run", "flows/agent_cycle.yaml", "--session", "one"])
        .stdin(lines)
        .ends(0, "", "");
    let state = project
        .fsmsim(["sessions", "export", "one", "--as", "agent-state"])
        .succeeds("");
    fits(
        &validator("agent-state"),
        &serde_json::from_str(&state).unwrap(),
    );
    insta::assert_snapshot!(state);
    let start = "{state: plan, data: {task_id: 5}}";
    project
        .fsmsim([
            "run",
            "flows/agent_cycle.yaml",
            "--session",
            "two",
            "--start",
            start,
        ])
        .stdin("tick plan=x\n")
        .run();
    insta::assert_snapshot!(
        project
            .fsmsim(["sessions", "export", "two", "--as", "agent-state"])
            .refuses("FS0240")
    );
    let project = project.with("flows/grant_interview.yaml");
    project
        .fsmsim(["run", "flows/grant_interview.yaml", "--session", "three"])
        .stdin("hello\n")
        .run();
    project
        .fsmsim(["sessions", "export", "three", "--as", "agent-state"])
        .refuses("is not an agent cycle");
}
