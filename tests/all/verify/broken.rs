//! Assistants that violate their contract: one dialogue per rule of a turn. `verify` reports the violation only because of
//! that rule: without the rule in the contract, there is no finding.
//!
//! The contract is `fixtures/traces/assistant.yaml`, and the dialogues are in `assistant.jsonl` next to it. The traces
//! without the rule are in `broken`. After a change, update them with `INSTA_UPDATE=always`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Project, home, text};

/// Dialogue, class, rule (a line of the class in the contract) and the finding of `verify`.
const BROKEN: [(&str, &str, &str, &str); 18] = [
    (
        "t1_inherits_a_stale_object",
        "T1",
        "forbids: [object]",
        "`object` was carried over",
    ),
    (
        "t2_changes_the_domain",
        "T2",
        "- root.domain",
        "`root.domain` changed to \"sales\"",
    ),
    (
        "t2_forgets_the_organization",
        "T2",
        "- {field: root.organization, unless: organization}",
        "`root.organization` changed to null",
    ),
    (
        "t2_downgrades_into_unknown",
        "T2",
        "downgrade_into_unknown:",
        "`downgrade_into_unknown` holds",
    ),
    (
        "t3_takes_another_result_set",
        "T3",
        "keep_source_result_set:",
        "`keep_source_result_set` does not hold",
    ),
    (
        "t3_looks_past_the_ceiling",
        "T3",
        "keep_temporal_ceiling:",
        "`keep_temporal_ceiling` does not hold",
    ),
    (
        "t4_falls_into_chat",
        "T4",
        "fall_into_chat:",
        "`fall_into_chat` holds",
    ),
    (
        "t4_falls_into_data_scope",
        "T4",
        "fall_into_data_scope:",
        "`fall_into_data_scope` holds",
    ),
    (
        "t4_loses_the_object",
        "T4",
        "lose_the_object:",
        "`lose_the_object` holds",
    ),
    (
        "t5_blurs_the_anchor",
        "T5",
        "blur_the_anchor:",
        "`blur_the_anchor` holds",
    ),
    (
        "t6_forgets_the_organization",
        "T6",
        "- {field: root.organization, unless: organization}",
        "`root.organization` changed to null",
    ),
    (
        "t6_forgets_the_date",
        "T6",
        "- {field: root.date, unless: date}",
        "`root.date` changed to null",
    ),
    (
        "t6_replays_the_object_route",
        "T6",
        "replay_object_route:",
        "`replay_object_route` holds",
    ),
    (
        "t6_keeps_the_object",
        "T6",
        "forbids: [object]",
        "`object` was carried over",
    ),
    (
        "t7_forgets_the_target",
        "T7",
        "resume_the_target:",
        "`resume_the_target` does not hold",
    ),
    (
        "t8_replays_the_route",
        "T8",
        "replay_the_route:",
        "`replay_the_route` holds",
    ),
    (
        "t9_invents_a_memory",
        "T9",
        "invent_memory:",
        "`invent_memory` holds",
    ),
    (
        "t10_poses_as_a_fact",
        "T10",
        "pose_as_a_fact:",
        "`pose_as_a_fact` holds",
    ),
];

/// The contract without a rule of a class, that is, without its line and the lines below it.
fn without(contract: &str, class: &str, rule: &str) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (mut inside, mut below, mut removed) = (false, None, 0);
    let mut lines = Vec::new();
    for line in contract.lines() {
        if depth(line) == 2 && line.trim_end().ends_with(':') {
            inside = line.trim() == format!("{class}:");
        }
        if below.is_some_and(|outer| !line.trim().is_empty() && depth(line) > outer) {
            continue;
        }
        below = None;
        if inside && line.trim().starts_with(rule) {
            removed += 1;
            // The `forbids` key is required.
            if rule.starts_with("forbids") {
                lines.push("    forbids: []".to_owned());
            } else {
                below = Some(depth(line));
            }
            continue;
        }
        lines.push(line.to_owned());
    }
    assert_eq!(removed, 1, "`{rule}` occurs once in `{class}`");
    lines.join("\n")
}

/// The dialogues by their ids.
fn dialogues() -> BTreeMap<String, String> {
    let name = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    text("fixtures/traces/assistant.jsonl")
        .lines()
        .map(|line| (name(line), line.to_owned()))
        .collect()
}

#[test]
fn each_violation_is_found_only_by_its_rule() {
    let contract = text("fixtures/traces/assistant.yaml");
    let dialogues = dialogues();
    for (name, class, rule, finding) in BROKEN {
        let project = Project::new().file("assistant.yaml", without(&contract, class, rule));
        project.write("turns.jsonl", &dialogues[name]);
        let traced = project
            .fsmsim(["trace", "assistant.yaml", "--turns", "turns.jsonl"])
            .succeeds("");
        let path = home("fixtures/traces/broken").join(format!("{name}.jsonl"));
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(&path, &traced).unwrap();
        }
        let trace = std::fs::read_to_string(&path).unwrap();
        assert_eq!(trace, traced, "{name}, without `{rule}`");
        project.write("trace.jsonl", trace);
        let verify = |mode| {
            project.fsmsim([
                "verify",
                "trace.jsonl",
                "--model",
                "assistant.yaml",
                "--mode",
                mode,
            ])
        };
        verify("replay").about(name).succeeds("");
        verify("structure").about(name).succeeds("");
        project.write("assistant.yaml", &contract);
        let caught = verify("structure")
            .args(["--format", "json"])
            .fails(1, "", "")
            .stdout;
        let caught: Value = serde_json::from_str(&caught).unwrap();
        assert!(
            caught["findings"] == 1 && caught["first"][0]["found"] == finding,
            "{name}: {caught}"
        );
        // A replay with the complete contract differs in the same turn.
        let replayed = verify("replay")
            .args(["--format", "json"])
            .fails(1, "", "")
            .stdout;
        let replayed: Value = serde_json::from_str(&replayed).unwrap();
        assert_eq!(
            replayed["first"][0]["turn"], caught["first"][0]["turn"],
            "{name}"
        );
    }
}

#[test]
fn every_trace_with_a_violation_is_listed() {
    let folder = home("fixtures/traces/broken");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    files.sort();
    let mut named: Vec<&str> = BROKEN.iter().map(|(name, ..)| *name).collect();
    named.sort_unstable();
    assert_eq!(files, named);
    assert_eq!(dialogues().into_keys().collect::<Vec<_>>(), named);
}

#[test]
fn unknown_class_and_turn_without_a_class_are_reported() {
    let trace = text("fixtures/traces/broken/t2_changes_the_domain.jsonl");
    let project = Project::new().file("model.yaml", text("fixtures/traces/assistant.yaml"));
    let found = |class: &str| {
        let edited = trace.replace(
            "\"contract_class\":\"T2\"",
            &format!("\"contract_class\":{class}"),
        );
        assert_ne!(edited, trace);
        project.write("trace.jsonl", edited);
        project
            .fsmsim(["verify", "trace.jsonl", "--model", "model.yaml"])
            .run()
            .stdout
    };
    assert!(found("\"T22\"").contains("exists: `T2`"));
    assert!(found("null").contains("every turn must have a class"));
    assert!(found("\"T4\"").contains("`T2` matches this turn"));
}
