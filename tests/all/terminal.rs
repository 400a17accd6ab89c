//! What reaches a terminal, and what becomes of a run when nobody reads.

use std::process::Stdio;

use crate::support::{Invocation, Project, Run};

/// A name that is an attack: it sets the title, clears the screen, reorders and hides text.
const EVIL: &str = "ev\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}il\u{200b}\u{2028}\u{e0041}";
/// The same as YAML and JSON write it.
const WRITTEN: &str =
    "ev\\u001b]0;title\\u0007\\u001b[2J\\u009b31m\\u202eil\\u200b\\u2028\\udb40\\udc41";

/// A project all of whose names are attacks.
fn hostile() -> Project {
    let yaml = |text: &str| {
        text.replace("EVIL", WRITTEN)
            .replace("\\udb40\\udc41", "\\U000E0041")
    };
    let flow = "name: \"EVIL\"
states:
  \"EVIL\":
    phase: \"EVIL\"
    goal: \"EVIL\"
    transitions: {price_question: \"EVIL 2\", \"EVIL\": \"EVIL 4\"}
    rules: {price_question: \"EVIL\"}
    required_data: [\"EVIL\"]
  \"EVIL 2\":
    goal: \"EVIL\"
    is_final: true
  \"EVIL 4\": {goal: x, transitions: {price_question: \"EVIL 2\"}}
entry_points: {default: \"EVIL\"}
phases: {order: [\"EVIL\"], mapping: {\"EVIL\": \"EVIL\"}}
";
    let scenario = "scenario: \"EVIL\"
model: flows/evil.yaml
tags: [\"EVIL\"]
turns:
  - say: \"EVIL\"
    intent: price_question
    data: {\"EVIL\": \"EVIL\"}
    expect: {state: \"EVIL\", action: \"EVIL\"}
---
scenario: \"EVIL 2\"
model: flows/evil.yaml
turns:
  - intent: \"EVIL 5\"
    \"EVIL\": 1
";
    let document = "| State | Event | Next |\n|---|---|---|\n| EVIL a | go | EVIL b |\n| EVIL b | go | EVIL c |\n";
    let contract = "kind: contract
name: \"EVIL\"
frames: {\"EVIL\": {fields: {\"EVIL\": {values: [\"EVIL\"]}}}}
classes: {\"EVIL\": {about: \"EVIL\", when: {said: \"EVIL\"}}}
";
    let turns = "{\"id\":\"EVIL\",\"turns\":[{\"intent\":\"price_question\",\"data\":{\"EVIL\":\"EVIL\"}}]}\n";
    Project::new()
        .file("flows/evil.yaml", yaml(flow))
        .file(
            "flows/broken.yaml",
            format!("{}\n# {EVIL}\n\"{EVIL}\": [\n", yaml(flow)),
        )
        .file("flows/contract.yaml", yaml(contract))
        .file(&format!("scenarios/{EVIL}.yaml"), yaml(scenario))
        .file("states/evil.md", document.replace("EVIL", EVIL))
        .file("turns.jsonl", turns.replace("EVIL", WRITTEN))
        .file(
            "broken.jsonl",
            format!("{{\"id\":\"{EVIL}\",\"turns\":[{{\"{EVIL}\":1}}]}}\n"),
        )
        .file(
            "chart.mmd",
            format!("stateDiagram-v2\n[*] --> {EVIL}\n{EVIL} --> b: {EVIL}\n"),
        )
        .file(
            "mock.yaml",
            yaml("rules: [{when: {said: \"EVIL\"}, \"EVIL\": 1}]\n"),
        )
}

/// Nothing in what was printed does anything but show itself.
#[track_caller]
fn shows_itself(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let acts = text.chars().find(|letter| {
            !matches!(letter, '\n' | '\t') && !fsmsim_syntax::terminal::is_printable(*letter)
        });
        assert_eq!(acts, None, "{text:?}");
    }
}

#[test]
fn no_command_lets_a_file_act_on_the_terminal() {
    let project = hostile();
    let trace = project
        .fsmsim(["trace", "flows/evil.yaml", "--turns", "turns.jsonl"])
        .run();
    assert_eq!(trace.code, 0, "{trace}");
    project.write("trace.jsonl", &trace.stdout);
    let scenario = format!("scenarios/{EVIL}.yaml");
    let typed = format!(
        "{EVIL}\n{EVIL} / {EVIL}\n/ price_question \"{EVIL}\"={EVIL}\n:state\n:why\n:{EVIL}\n:cond {EVIL}\n:help\n"
    );
    let commands: [&[&str]; 21] = [
        &["test"],
        &["test", "--check", "--coverage"],
        &["test", EVIL],
        &["test", "--tag", EVIL],
        &["trace", &scenario],
        &["trace", "flows/evil.yaml", "--turns", "turns.jsonl"],
        &[
            "trace",
            "flows/evil.yaml",
            "--turns",
            "turns.jsonl",
            "--format",
            "table",
        ],
        &["trace", "flows/evil.yaml", "--turns", "broken.jsonl"],
        &[
            "lint",
            "flows/evil.yaml",
            "flows/broken.yaml",
            "flows/contract.yaml",
            "states/evil.md",
        ],
        &[
            "lint",
            "flows/evil.yaml",
            "flows/broken.yaml",
            "--format",
            "json",
        ],
        &["lint", "states/evil.md", "--explain-reading"],
        &["diff", "trace.jsonl", "turns.jsonl"],
        &["diff", "flows/evil.yaml", "flows/broken.yaml"],
        &["verify", "trace.jsonl", "--model", "flows/contract.yaml"],
        &[
            "verify",
            "trace.jsonl",
            "--model",
            "flows/evil.yaml",
            "--format",
            "json",
        ],
        &["simulate", "flows/evil.yaml", "--runs", "3"],
        &["import", "mermaid", "chart.mmd"],
        &["export", "xstate", "flows/evil.yaml"],
        &["explain", EVIL],
        &["run", "flows/evil.yaml", "--llm", "mock:mock.yaml"],
        &["run", "flows/evil.yaml"],
    ];
    for command in commands {
        for colour in ["never", "auto"] {
            let run = project
                .fsmsim(command.iter().copied().chain(["--color", colour]))
                .stdin(&typed)
                .run();
            assert_ne!(run.stdout.len() + run.stderr.len(), 0, "{run}");
            shows_itself(&run);
        }
    }
}

#[test]
fn what_json_says_is_what_was_there() {
    let project = hostile();
    let trace = project
        .fsmsim(["trace", "flows/evil.yaml", "--turns", "turns.jsonl"])
        .succeeds("\"action\":");
    let header: serde_json::Value = serde_json::from_str(trace.lines().next().unwrap()).unwrap();
    assert_eq!(header["dialogue"], EVIL);
}

const FLOW: &str = "entry_points: {default: a}\nstates: {a: {goal: x, transitions: {agreement: b}}, b: {goal: y, is_final: true}}\n";
const FAILING: &str =
    "scenario: It fails\nmodel: flow.yaml\nturns: [{intent: agreement, expect: {state: a}}]\n";

/// The exit code where whoever reads the results goes away at once.
fn code_unread(run: Invocation) -> Option<i32> {
    let mut child = run.spawn();
    drop(child.stdout.take());
    drop(child.stderr.take());
    drop(child.stdin.take());
    child.wait().unwrap().code()
}

#[test]
fn a_closed_pipe_changes_no_verdict() {
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/a.yaml", FAILING);
    project.fsmsim(["test"]).fails(1, "It fails", "");
    assert_eq!(code_unread(project.fsmsim(["test"])), Some(1));
    let trace = project
        .fsmsim(["trace", "scenarios/a.yaml"])
        .succeeds("agreement");
    project.write("trace.jsonl", trace.replace("\"to\":\"b\"", "\"to\":\"a\""));
    for command in [
        ["verify", "trace.jsonl", "--model", "flow.yaml"].as_slice(),
        &["diff", "trace.jsonl", "flow.yaml"],
    ] {
        let code = project.fsmsim(command).run().code;
        assert_ne!(code, 0);
        assert_eq!(
            code_unread(project.fsmsim(command)),
            Some(code),
            "{command:?}"
        );
    }
    assert_eq!(
        code_unread(project.fsmsim(["trace", "scenarios/a.yaml"])),
        Some(0)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_takes_nothing_changes_no_exit_code() {
    let project = Project::new()
        .file("flow.yaml", "states: {a: {gaol: x}}\n")
        .file("scenarios/a.yaml", FAILING);
    for command in [
        ["lint", "flow.yaml"].as_slice(),
        &["test"],
        &["run", "nothing.yaml"],
        &["run", "flow.yaml"],
        &["nothing"],
    ] {
        let code = project
            .fsmsim(command)
            .stdin("nonsense nonsense\n")
            .run()
            .code;
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut child = project.fsmsim(command).stderr(Stdio::from(full)).spawn();
        drop(child.stdin.take());
        let ended = child.wait().unwrap().code();
        assert_ne!(ended, Some(101), "{command:?}");
        assert_eq!(ended, Some(code), "{command:?}");
    }
}
