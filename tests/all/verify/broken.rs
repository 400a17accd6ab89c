//! Assistants that break their contract: a trace for each thing that a turn must or must not do (003, T1–T10). `verify` catches
//! it, and catches it no more where the rule is taken out of the contract.

use crate::support::{Project, home, text};

/// A trace, its class, the rule as a line of the class in the contract, and what `verify` finds by it.
const BROKEN: [(&str, &str, &str, &str); 18] = [
    ("t1_inherits_a_stale_object", "T1", "forbids: [selected_object]", "`selected_object` was carried over"),
    ("t2_changes_the_domain", "T2", "- root.domain_id", "`root.domain_id` is \"продажи\""),
    (
        "t2_forgets_the_organization",
        "T2",
        "- {field: root.organization_scope, unless: organization}",
        "`root.organization_scope` is",
    ),
    ("t2_downgrades_into_unknown", "T2", "downgrade_into_unknown:", "`downgrade_into_unknown`: it holds"),
    ("t3_takes_another_result_set", "T3", "keep_source_result_set:", "`keep_source_result_set`: it does not hold"),
    ("t3_looks_past_the_ceiling", "T3", "keep_temporal_ceiling:", "`keep_temporal_ceiling`: it does not hold"),
    ("t4_falls_into_chat", "T4", "fall_into_chat:", "`fall_into_chat`: it holds"),
    ("t4_falls_into_data_scope", "T4", "fall_into_data_scope:", "`fall_into_data_scope`: it holds"),
    ("t4_loses_the_object", "T4", "lose_the_object:", "`lose_the_object`: it holds"),
    ("t5_blurs_the_anchor", "T5", "blur_the_anchor:", "`blur_the_anchor`: it holds"),
    (
        "t6_forgets_the_organization",
        "T6",
        "- {field: root.organization_scope, unless: organization}",
        "`root.organization_scope` is",
    ),
    ("t6_forgets_the_date", "T6", "- {field: root.date_scope, unless: date}", "`root.date_scope` is"),
    ("t6_replays_the_object_route", "T6", "replay_object_route:", "`replay_object_route`: it holds"),
    ("t6_keeps_the_object", "T6", "forbids: [selected_object]", "`T6` must not carry it over"),
    ("t7_forgets_the_target", "T7", "resume_the_target:", "`resume_the_target`: it does not hold"),
    ("t8_replays_the_route", "T8", "replay_the_route:", "`replay_the_route`: it holds"),
    ("t9_invents_a_memory", "T9", "invent_memory:", "`invent_memory`: it holds"),
    ("t10_poses_as_a_fact", "T10", "pose_as_a_fact:", "`pose_as_a_fact`: it holds"),
];

/// The contract with a rule of a class taken out: the line, and what belongs to it.
fn without(contract: &str, class: &str, rule: &str) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (mut inside, mut below, mut taken) = (false, None, 0);
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
            taken += 1;
            // Every class says what it forbids, if only that it forbids nothing.
            if rule.starts_with("forbids") {
                lines.push("    forbids: []".to_owned());
            } else {
                below = Some(depth(line));
            }
            continue;
        }
        lines.push(line.to_owned());
    }
    assert_eq!(taken, 1, "`{rule}` stands once in `{class}`");
    lines.join("\n")
}

#[test]
fn each_thing_that_a_turn_must_not_do_is_caught_by_its_rule_alone() {
    let contract = text("flows/accounting.yaml");
    for (name, class, rule, finding) in BROKEN {
        let trace = text(format!("fixtures/traces/broken/{name}.jsonl"));
        let project = Project::new().file("model.yaml", &contract).file("trace.jsonl", trace);
        let verify = || project.fsmsim(["verify", "trace.jsonl", "--model", "model.yaml"]).run();
        let caught = verify();
        assert_eq!(caught.code, 1, "{name}: {}{}", caught.stdout, caught.stderr);
        assert!(caught.stdout.contains(finding), "{name}: {}", caught.stdout);
        project.write("model.yaml", without(&contract, class, rule));
        let missed = verify();
        assert!(missed.code < 2, "{name}: {}", missed.stderr);
        assert!(!missed.stdout.contains(finding), "{name}, without `{rule}`: {}", missed.stdout);
        if missed.code != 0 {}
    }
}

#[test]
fn every_broken_trace_is_named_here() {
    let folder = home("fixtures/traces/broken");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut named: Vec<&str> = BROKEN.iter().map(|(name, ..)| *name).collect();
    named.sort_unstable();
    assert_eq!(files, named);
}

#[test]
fn a_class_that_is_none_and_a_turn_without_one_are_told() {
    let trace = text("fixtures/traces/broken/t2_changes_the_domain.jsonl");
    let project = Project::new().file("model.yaml", text("flows/accounting.yaml"));
    let found = |class: &str| {
        project
            .write("trace.jsonl", trace.replace("\"contract_class\": \"T2\"", &format!("\"contract_class\": {class}")));
        project.fsmsim(["verify", "trace.jsonl", "--model", "model.yaml"]).run().stdout
    };
    assert!(found("\"T22\"").contains("did you mean `T2`?"));
    assert!(found("null").contains("every turn has a class"));
    assert!(found("\"T4\"").contains("`T2` takes such a turn"));
}
