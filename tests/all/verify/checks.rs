//! Verification of traces as a check: several files, reports, saved scenarios and known violations.

use serde_json::Value;

use crate::support::{Invocation, Project};

const MAP: &str = "dialogue: id\nturn:\n  input: {intent: said, say: text?, data: data?}\n  state: to\n  data: data?\n";

/// A log with two dialogues: the second has two undeclared transitions and an unknown state.
const LOG: &str = r#"{"id":"a","said":"greeting","to":"greeting"}
{"id":"a","said":"agreement","to":"assess_budget"}
{"id":"b","said":"greeting","text":"Я Иван Петров","to":"greeting"}
{"id":"b","said":"info_provided","text":"+7 900 123-45-67","data":{"contact_info":"ivan@petrov.ru"},"to":"determine_timeline"}
{"id":"b","said":"agreement","to":"nowhere"}
"#;

fn project() -> Project {
    Project::new()
        .with_flows()
        .file("map.yaml", MAP)
        .file("logs/1.jsonl", LOG)
        .file(
            "logs/2.jsonl",
            LOG.lines()
                .take(2)
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        )
        .file("logs/old/3.jsonl", LOG.replace("\"b\"", "\"c\""))
}

fn verify(project: &Project, traces: &[&str], more: &[&str]) -> Invocation {
    let verify = project.fsmsim(["verify"]).args(traces);
    verify
        .args(["--model", "flows/bant", "--map", "map.yaml"])
        .args(more)
}

#[test]
fn several_traces_and_patterns_are_one_run() {
    let project = project();
    let shown = [
        verify(&project, &["logs/*.jsonl"], &[]),
        verify(
            &project,
            &["logs/2.jsonl", "logs/1.jsonl"],
            &["--limit", "1"],
        ),
        verify(&project, &["logs/**/*.jsonl"], &["--limit", "1"]),
        verify(&project, &["logs/*.jsonl"], &["--format", "jsonl"]),
        verify(&project, &["logs/*.txt"], &[]),
        verify(&project, &["logs/2.jsonl", "logs/4.jsonl"], &[]),
    ];
    insta::assert_snapshot!(shown.map(Invocation::shown).join("\n"));
}

#[test]
fn every_report_shows_the_violating_dialogues() {
    let project = project();
    for kind in ["junit", "markdown", "github", "gitlab"] {
        let report = format!("--report={kind}");
        let shown = verify(&project, &["logs/*.jsonl"], &[&report]).shown();
        insta::assert_snapshot!(format!("report_{kind}"), shown);
    }
    verify(&project, &["logs/*.jsonl"], &["--report=html=v.html"]).ends(1, "", "");
    let page = project.read("v.html");
    assert!(page.contains("1 of 3 dialogues did not pass"));
    assert!(page.contains("Я Иван Петров") && page.contains("determine_timeline"));
    let good = verify(&project, &["logs/2.jsonl"], &["--report=junit"]).succeeds("");
    assert!(good.contains(r#"tests="1" failures="0""#), "{good}");
}

#[test]
fn shards_of_several_traces_merge_into_all_reports() {
    let project = project();
    let kinds = ["json", "html", "junit", "markdown"];
    let reports = |name: &str| kinds.map(|kind| format!("--report={kind}={name}.{kind}"));
    let all = ["logs/**/*.jsonl"];
    let complete = reports("complete");
    let alone = verify(&project, &all, &complete.each_ref().map(|one| &**one)).run();
    for number in 1..=3 {
        let shard = format!("--shard={number}/3");
        let report = format!("--report=json=part{number}.json");
        verify(&project, &all, &[&shard, &report]).run();
    }
    let merge = project.fsmsim(["merge", "part1.json", "part2.json", "part3.json"]);
    let merged = merge.args(reports("merged")).ends(1, "", "");
    assert_eq!(merged.stdout, alone.stdout);
    for kind in kinds {
        let read = |name: &str| project.read(&format!("{name}.{kind}"));
        assert_eq!(read("complete"), read("merged"), "{kind}");
    }
}

#[test]
fn saved_scenarios_fail_and_have_no_personal_data() {
    let project = project();
    verify(&project, &["logs/1.jsonl"], &["--save", "found"]).ends(1, "", "saved found");
    let files: Vec<String> = project
        .files()
        .into_iter()
        .filter(|file| file.starts_with("found"))
        .collect();
    let texts: Vec<String> = files
        .iter()
        .map(|file| format!("# {file}\n{}", project.read(file)))
        .collect();
    let texts = texts.join("\n");
    for secret in ["Иван", "petrov", "900"] {
        assert!(!texts.contains(secret), "{texts}");
    }
    insta::assert_snapshot!(texts);
    for file in &files {
        project
            .fsmsim(["test", file])
            .about(file)
            .ends(1, "1 failed", "");
    }
}

#[test]
fn known_violations_do_not_fail() {
    let project = project();
    let known = ["--known", "known.jsonl"];
    let run = |traces: &[&str], more: &[&str]| verify(&project, traces, &[&known, more].concat());
    run(&["logs/1.jsonl"], &[]).ends(2, "", "cannot find `known.jsonl`");
    run(&["logs/1.jsonl"], &["--accept"]).ends(0, "", "");
    insta::assert_snapshot!(project.read("known.jsonl"));
    let shown = [
        run(&["logs/1.jsonl"], &[]),
        run(&["logs/2.jsonl"], &[]),
        run(&["logs/1.jsonl"], &["--format", "jsonl"]),
    ];
    insta::assert_snapshot!("known_runs", shown.map(Invocation::shown).join("\n"));
    // A new violation still fails.
    project.write("logs/1.jsonl", LOG.replace("nowhere", "somewhere"));
    run(&["logs/1.jsonl"], &[]).ends(1, "unknown_state", "");
    // The lines are sorted, so that the same violations are the same file.
    let before = project.read("known.jsonl");
    run(&["logs/old/3.jsonl"], &["--accept"]).ends(0, "", "");
    assert_eq!(project.read("known.jsonl"), before);
    run(&["logs/1.jsonl"], &["--accept"])
        .env("CI", "1")
        .ends(2, "", "if `CI` is set");
    project.write(
        "known.jsonl",
        "{\"kind\":\"x\"}\n\n[1]\n{\"kind\":\"a\",\"place\":\"b\",\"findings\":-1}\n",
    );
    insta::assert_snapshot!("invalid_known", run(&["logs/1.jsonl"], &[]).shown());
}

#[test]
fn shards_count_known_violations_together() {
    let project = project();
    let known = "--known=known.jsonl";
    verify(&project, &["logs/**/*.jsonl"], &[known, "--accept"]).succeeds("");
    for number in 1..=2 {
        let shard = format!("--shard={number}/2");
        let report = format!("--report=json=part{number}.json");
        verify(&project, &["logs/**/*.jsonl"], &[known, &shard, &report]).ends(0, "", "");
    }
    let merge = project.fsmsim(["merge", "part1.json", "part2.json", "--report=json"]);
    let merged: Value = serde_json::from_str(&merge.succeeds("")).unwrap();
    let sum: u64 = merged["known"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["findings"].as_u64())
        .sum();
    assert_eq!((sum, &merged["conforms"]), (4, &Value::Bool(true)));
}
