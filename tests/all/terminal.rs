//! Output at a terminal, and runs whose output is not read.

use std::process::Stdio;

use crate::support::{Invocation, Project, Run};

/// A hostile name: it sets the title, clears the screen, reorders and hides text.
const EVIL: &str = "ev\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}il\u{200b}\u{2028}\u{e0041}";
/// The same name in the notation of YAML and JSON.
const WRITTEN: &str =
    "ev\\u001b]0;title\\u0007\\u001b[2J\\u009b31m\\u202eil\\u200b\\u2028\\udb40\\udc41";

/// A project in which all names are hostile.
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

/// Checks that the output contains only printable characters, newlines and tabs.
#[track_caller]
fn assert_printable(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let unprintable = text.chars().find(|character| {
            !matches!(character, '\n' | '\t') && !fsmsim_syntax::terminal::is_printable(*character)
        });
        assert_eq!(unprintable, None, "{text:?}");
    }
}

#[test]
fn no_command_prints_control_sequences_of_a_file() {
    let project = hostile();
    let trace = project
        .fsmsim(["trace", "flows/evil.yaml", "--turns", "turns.jsonl"])
        .run();
    assert_eq!(trace.code, 0, "{trace}");
    project.write("trace.jsonl", &trace.stdout);
    let scenario = format!("scenarios/{EVIL}.yaml");
    let typed = format!(
        "{EVIL}\n{EVIL} / {EVIL}\n/ price_question \"{EVIL}\"={EVIL}\n:state\n:why\n:{EVIL}\n:condition {EVIL}\n:help\n"
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
        &["lint", "states/evil.md", "--explain-extraction"],
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
        for color in ["never", "auto"] {
            let run = project
                .fsmsim(command.iter().copied().chain(["--color", color]))
                .stdin(&typed)
                .run();
            assert_ne!(run.stdout.len() + run.stderr.len(), 0, "{run}");
            assert_printable(&run);
        }
    }
}

#[test]
fn json_output_keeps_hostile_names() {
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

/// The exit code if the reader closes the output immediately.
fn code_unread(run: Invocation) -> Option<i32> {
    let mut child = run.spawn();
    drop(child.stdout.take());
    drop(child.stderr.take());
    drop(child.stdin.take());
    child.wait().unwrap().code()
}

#[test]
fn closed_pipe_does_not_change_the_exit_code() {
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
fn full_standard_error_does_not_change_the_exit_code() {
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

#[cfg(unix)]
mod at_a_terminal {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::OwnedFd;
    use std::process::Stdio;

    use nix::pty::{Winsize, openpty};

    use super::{FLOW, Invocation, Project};

    /// The output at a terminal of 80 columns, without colors. Lines of standard input are not echoed.
    fn shown(run: Invocation, input: &str) -> String {
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let terminal = openpty(Some(&size), None).unwrap();
        let mut ours = File::from(terminal.master);
        let theirs: OwnedFd = terminal.slave;
        let of_terminal = || Stdio::from(theirs.try_clone().unwrap());
        let run = run.env("NO_COLOR", "1").stderr(of_terminal());
        let mut child = run.stdout(of_terminal()).spawn();
        drop(theirs);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let (mut shown, mut part) = (Vec::new(), [0; 4096]);
        // The last read fails when the program has closed its end.
        while let Ok(count @ 1..) = ours.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
        }
        child.wait().unwrap();
        String::from_utf8(shown).unwrap().replace("\r\n", "\n")
    }

    #[test]
    fn error_names_the_command_that_explains_it() {
        let project = Project::new().file("flow.yaml", "states: {a: {gaol: x}}\n");
        let lint = shown(project.fsmsim(["lint", "flow.yaml"]), "");
        assert!(
            lint.ends_with("next: `fsmsim explain FS0117` explains the first error\n"),
            "{lint}"
        );
        let run = shown(project.fsmsim(["run", "nothing.yaml"]), "");
        assert!(
            run.ends_with("next: `fsmsim explain FS0001` explains the first error\n"),
            "{run}"
        );
        project.write("flow.yaml", FLOW);
        let lint = shown(project.fsmsim(["lint", "flow.yaml"]), "");
        assert!(!lint.contains("next:"), "{lint}");
    }

    #[test]
    fn turns_and_help_wrap_at_80_columns_between_words() {
        let project = Project::new().with_flows();
        let typed =
            "Сколько стоит? / price_question\n:why\n:help all\n/ pric\n:why-not close\n:states\n";
        let run = project.fsmsim(["run", "flows/spin_selling"]);
        let lines = shown(run, typed);
        for line in lines.lines() {
            // The prompt, the line that was typed and errors of piped input are not wrapped.
            let is_wrapped = !line.contains(" > ") && !line.starts_with("error: ");
            assert!(line.chars().count() <= 80 || !is_wrapped, "{line}");
        }
        let says = "  says       Про цену обязательно скажу. Сначала пара вопросов: сколько человек\n             в вашей компании?\n";
        assert!(lines.contains(says), "{lines}");
        let why = "price_question. Answered deflect_and_continue: PriceQuestion has\n";
        assert!(lines.contains(why), "{lines}");
    }
}
