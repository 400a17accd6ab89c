//! Any number of threads gives the same output in the same order, as soon as possible.

use std::io::{BufRead, BufReader, Write};

use crate::support::{Invocation, Project};

const FLOW: &str = "\
flow: {name: door, policy: sales}
states:
  greeting:
    transitions: {open: ajar, knock: greeting}
  ajar:
    transitions: {close: greeting}
  broken: {is_final: true}
";
/// The number of dialogues: enough for several threads.
const MANY: usize = 2_000;

fn project() -> Project {
    Project::new().file("flow.yaml", FLOW)
}

fn dialogue(number: usize) -> String {
    let intents = ["open", "knock", "close", "open"];
    let turns: Vec<String> = (0..number % 7)
        .map(|at| format!("{{\"intent\": \"{}\"}}", intents[(number + at) % 4]))
        .collect();
    format!(
        "{{\"id\": \"d{number}\", \"turns\": [{}]}}\n",
        turns.join(", ")
    )
}

fn dialogues() -> String {
    (0..MANY).map(dialogue).collect()
}

/// The output of a command. Checks that it is the same on one, two and seven threads.
fn shown(command: impl Fn() -> Invocation) -> String {
    let [one, two, seven] = ["1", "2", "7"].map(|jobs| command().args(["-j", jobs]).shown());
    assert!(
        one == two && one == seven,
        "{}\n{}\n{}",
        head(&one),
        head(&two),
        head(&seven)
    );
    one
}

fn head(text: &str) -> String {
    text.lines()
        .take(30)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn turns_file_is_traced_in_order() {
    let complete = dialogues();
    let broken = |line: &str| {
        format!(
            "{}{line}\n{}",
            &complete[..complete.len() / 2],
            &complete[complete.len() / 2..]
        )
    };
    let cut = complete[..complete.len() / 2].rfind('\n').unwrap() + 1;
    let broken = |line: &str| broken(line).replacen(&complete[cut..complete.len() / 2], "", 1);
    let long = format!(
        "{{\"id\":\"long\",\"turns\":[{}{{}}]}}",
        "{\"intent\":\"knock\"},".repeat(2)
    );
    for (lines, more, end) in [
        (complete.clone(), &[][..], "exit 0"),
        (complete.clone(), &["--format", "table"], "exit 0"),
        (
            broken("{\"id\":\"x\",\"turns\":[{\"intent\":1,\"tone\":[]}]}"),
            &[],
            "exit 2",
        ),
        (
            broken("{\"id\":\"d5\",\"turns\":[]}"),
            &["--format", "table"],
            "exit 2",
        ),
        (
            broken("{\"id\":\"x\",\"profile\":\"refernce\",\"turns\":[]}"),
            &[],
            "exit 2",
        ),
        (broken("{"), &[], "exit 2"),
        (broken(&long), &[], "exit 2"),
        (
            format!("{{\"id\":\"r\",\"profile\":\"reference\",\"turns\":[]}}\n{complete}"),
            &[],
            "exit 0",
        ),
    ] {
        let project = project().file("turns.jsonl", lines);
        let shown = shown(|| {
            project
                .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
                .args(more)
        });
        assert!(shown.starts_with(end), "{}", head(&shown));
        assert!(
            shown.contains("d999") || end == "exit 2",
            "{}",
            head(&shown)
        );
    }
}

#[test]
fn slow_line_is_answered_before_the_next_line() {
    let project = project();
    for jobs in ["1", "3"] {
        let mut child = project
            .fsmsim(["trace", "flow.yaml", "--turns", "-", "-j", jobs])
            .spawn();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        for number in 1..5 {
            input.write_all(dialogue(number).as_bytes()).unwrap();
            let answers: Vec<String> = output
                .by_ref()
                .take(number + 2)
                .map(Result::unwrap)
                .collect();
            assert!(
                answers[0].contains(&format!("\"dialogue\":\"d{number}\"")),
                "{answers:?}"
            );
        }
        drop(input);
        assert!(output.next().is_none());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn very_long_line_is_traced() {
    let long = format!(
        "{{\"id\":\"long\",\"turns\":[{}{{\"intent\":\"knock\"}}]}}\n",
        "{\"intent\":\"open\"},".repeat(80_000)
    );
    let lines = format!("{}{long}{}", dialogue(1), dialogue(2));
    let project = project().file("turns.jsonl", lines);
    let [one, two] = ["1", "2"].map(|jobs| {
        project
            .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl", "-j", jobs])
            .succeeds("\"d2\"")
    });
    // A line before and a line after the turns of each dialogue.
    assert_eq!(one.lines().count(), 2 * 3 + 1 + 80_001 + 2);
    assert!(one == two);
}

/// The trace of all dialogues.
fn traced(project: &Project) -> String {
    project.write("turns.jsonl", dialogues());
    project
        .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
        .succeeds("")
}

#[test]
fn trace_is_verified_in_order() {
    let project = project();
    let trace = traced(&project);
    let other = trace.replace("\"to\":\"ajar\"}", "\"to\":\"broken\"}");
    let torn = trace.replacen("\"turn\":4,", "\"turn\":x,", 25);
    for (name, text) in [
        ("same.jsonl", &trace),
        ("other.jsonl", &other),
        ("torn.jsonl", &torn),
    ] {
        project.write(name, text);
        for more in [
            &["--mode", "replay"][..],
            &["--mode", "replay", "--format", "json"],
            &["--format", "json"],
        ] {
            let shown = shown(|| {
                project
                    .fsmsim(["verify", name, "--model", "flow.yaml"])
                    .args(more)
            });
            assert_eq!(
                shown.starts_with("exit 0"),
                name == "same.jsonl",
                "{}",
                head(&shown)
            );
        }
    }
}

#[test]
fn mapped_trace_is_verified_in_order() {
    let line = |number: usize| {
        let extra = if number > 500 { ",\"late\":\"x\"" } else { "" };
        format!("{{\"id\":{number},\"in\":\"open\",\"out\":\"ajar\"{extra}}}\n")
    };
    let map =
        "dialogue: id\nturn: {input: {intent: in}, state: out, action: never, replies: late}\n";
    let lines: String = (0..MANY).map(line).collect();
    let project = project().file("t.jsonl", lines).file("m.yaml", map);
    let output = shown(|| {
        project.fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "flow.yaml",
            "--map",
            "m.yaml",
        ])
    });
    assert!(
        output.contains("no line of the trace has `never`") && !output.contains("`late`"),
        "{}",
        head(&output)
    );
    assert!(
        output.contains("use a key of the first line: id, in, out"),
        "{}",
        head(&output)
    );
}

#[test]
fn two_traces_are_compared_in_order() {
    let project = project();
    let trace = traced(&project);
    project.write("a.jsonl", &trace);
    project.write(
        "b.jsonl",
        trace.replace("\"to\":\"ajar\"}", "\"to\":\"broken\"}"),
    );
    project.write(
        "torn.jsonl",
        trace.replacen("\"turn\":4,", "\"turn\":x,", 25),
    );
    for (other, end) in [
        ("a.jsonl", "exit 0"),
        ("b.jsonl", "exit 1"),
        ("torn.jsonl", "exit 2"),
    ] {
        let shown = shown(|| project.fsmsim(["diff", "a.jsonl", other]));
        assert!(shown.starts_with(end), "{}", head(&shown));
    }
}

/// Forty files: some with several scenarios, some that fail, and one that is invalid.
fn scenarios() -> Project {
    let mut project = project();
    for number in 0..40 {
        let scenario = |part: usize| {
            let state = if number % 11 == 3 { "greeting" } else { "ajar" };
            format!(
                "scenario: Number {number} {part}\nmodel: flow.yaml\nturns: [{{intent: open, expect: {{state: {state}}}}}]\n"
            )
        };
        let text: Vec<String> = (0..=number % 3).map(scenario).collect();
        let text = if number == 17 {
            "scenario: [\n".to_owned()
        } else {
            text.join("---\n")
        };
        project = project.file(&format!("scenarios/s{number:02}.yaml"), text);
    }
    project.file("scenarios/t.yaml", b"scenario: \xff\n")
}

#[test]
fn scenario_files_are_tested_in_order() {
    let project = scenarios();
    for more in [
        &["--check"][..],
        &["--check", "--coverage"],
        &["--check", "-E", "title(~1 1)"],
    ] {
        let shown = shown(|| project.fsmsim(["test"]).args(more));
        assert!(
            shown.starts_with("exit 2")
                && shown.contains("is not UTF-8 text")
                && !shown.contains("FS01"),
            "{shown}"
        );
    }
}

#[test]
fn scenarios_and_models_are_compared_in_order() {
    let project = scenarios().file("other.yaml", FLOW.replace("open: ajar", "open: broken"));
    let output = shown(|| project.fsmsim(["diff", "scenarios", "scenarios"]));
    assert!(output.starts_with("exit 2"), "{output}");
    let output = shown(|| {
        project.fsmsim([
            "diff",
            "flow.yaml",
            "other.yaml",
            "--scenarios",
            "scenarios",
        ])
    });
    assert!(
        output.starts_with("exit 2") && output.contains("Number 38 0"),
        "{output}"
    );
}
