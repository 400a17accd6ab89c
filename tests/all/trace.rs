//! `fsmsim trace`: turns files and scenarios as input, JSON Lines and tables as output.

use crate::support::{Invocation, Project};

const FLOW: &str = "\
flow: {name: sale, policy: sales}
phases:
  order: [situation, problem]
  mapping: {situation: ask, problem: dig}
states:
  greeting:
    transitions: {agreement: ask}
    rules: {greeting: greet_back, price_question: [{when: {slot: company_size, at_least: 10}, then: answer}, deflect]}
  ask:
    goal: Learn the size
    phase: situation
    required_data: [company_size]
    transitions: {data_complete: dig, objection_price: handle_objection, rejection: soft_close}
  dig:
    phase: problem
    transitions: {objection_price: handle_objection}
  handle_objection: {}
  soft_close: {is_final: true}
";

fn project() -> Project {
    Project::new().file("flow.yaml", FLOW)
}

/// The trace of these lines.
fn trace(lines: &str, more: &[&str]) -> Invocation {
    let arguments = [&["trace", "flow.yaml", "--turns", "-"], more].concat();
    project().fsmsim(&arguments).stdin(lines)
}

const SALE: &str = r#"{"id":"sale","turns":[{"say":"Привет","intent":"greeting"},{"intent":"agreement","confidence":0.9},{"intent":"info_provided","data":{"company_size":50,"note":"ok"}},{"intent":"objection_price","also":["price_question"],"frustration":2},{"before":[{"op":"set_data","data":{"note":null}}],"intent":"unclear"}]}
{"id":"две","profile":"reference","signals":"none","start":{"state":"ask","data":{"company_size":5}},"turns":[{"intent":"rejection"},{"intent":"nobody_knows_this_one","data":null}]}
"#;

#[test]
fn each_turn_is_a_line_after_the_header_of_its_dialogue() {
    insta::assert_snapshot!(trace(SALE, &[]).shown());
}

#[test]
fn undeclared_slots_are_limited_and_excess_is_reported() {
    let turn = |from: usize, to: usize| {
        let data: Vec<String> = (from..to)
            .map(|number| format!("\"x{number:04}\":{number}"))
            .collect();
        format!(
            "{{\"intent\":\"greeting\",\"data\":{{{}}}}}",
            data.join(",")
        )
    };
    let more = "{\"intent\":\"greeting\",\"data\":{\"x0001\":-1,\"company_size\":7,\"y\":1}}";
    let freed = "{\"before\":[{\"op\":\"set_data\",\"data\":{\"x0001\":null,\"z\":2,\"zz\":3}}],\"intent\":\"greeting\"}";
    let turns = [
        &turn(0, 999),
        &turn(999, 1003),
        more,
        "{\"intent\":\"greeting\"}",
        freed,
    ]
    .join(",");
    let stdout = trace(&format!("{{\"id\":\"a\",\"turns\":[{turns}]}}\n"), &[]).succeeds("");
    let records = crate::support::turns(&stdout);
    let violations: Vec<String> = records
        .iter()
        .map(|record| record["violations"].to_string())
        .collect();
    let excess = |names: &str| {
        format!("[{{\"fault\":\"too_many_slots\",\"slots\":[{names}],\"max\":1000}}]")
    };
    assert_eq!(
        violations,
        [
            "[]",
            &excess("\"x1000\",\"x1001\",\"x1002\""),
            &excess("\"y\""),
            "[]",
            &excess("\"zz\"")
        ]
    );
    let known: Vec<usize> = records
        .iter()
        .map(|record| record["data"].as_object().unwrap().len())
        .collect();
    assert_eq!(known, [999, 1000, 1001, 1001, 1001]);
    let last = &records[2];
    assert_eq!(
        (&last["data"]["x0001"], &last["data"]["company_size"]),
        (&(-1).into(), &7.into())
    );
    assert_eq!(last["carryover"]["changed"], serde_json::json!(["x0001"]));
    let project = project().file("t.jsonl", &stdout);
    for mode in ["structure", "replay"] {
        project
            .fsmsim(["verify", "t.jsonl", "--model", "flow.yaml", "--mode", mode])
            .succeeds("conforms to");
    }
    let data: Vec<String> = (0..1005).map(|number| format!("\"x{number}\":1")).collect();
    let full = format!(
        "{{\"id\":\"b\",\"start\":{{\"data\":{{{}}}}},\"turns\":[{more}]}}\n",
        data.join(",")
    );
    project.write("full.jsonl", trace(&full, &[]).succeeds("too_many_slots"));
    for mode in ["structure", "replay"] {
        project
            .fsmsim([
                "verify",
                "full.jsonl",
                "--model",
                "flow.yaml",
                "--mode",
                mode,
            ])
            .succeeds("conforms to");
    }
    // Excess slots fail a scenario unless it expects them, even if they are part of its start.
    let scenario = |start: usize, expect: &str| {
        let data: Vec<String> = (0..start).map(|number| format!("x{number}: 1")).collect();
        let foreign: Vec<String> = (0..start).map(|number| format!("x{number}")).collect();
        let start = format!(
            "start: {{data: {{{}}}, foreign: [{}]}}",
            data.join(", "),
            foreign.join(", ")
        );
        let text = format!(
            "scenario: A\nmodel: flow.yaml\n{start}\nturns: [{{intent: greeting{expect}}}]\n"
        );
        project.write("a.yaml", text);
        project.fsmsim(["test", "a.yaml"])
    };
    scenario(1000, ", expect: {state: greeting}").succeeds("1 passed");
    scenario(1001, ", expect: {state: greeting}").fails(1, "too_many_slots", "");
    scenario(
        1001,
        ", expect: {violations: [{fault: too_many_slots, max: 1000}]}",
    )
    .succeeds("1 passed");
}

#[test]
fn table_format_is_human_readable() {
    insta::assert_snapshot!(trace(SALE, &["--format", "table"]).shown());
}

#[test]
fn scenario_is_traced_like_a_dialogue() {
    insta::assert_snapshot!(project()
        .file("s.yaml", "scenario: Two steps\nmodel: flow.yaml\nturns: [{intent: agreement, expect: {state: dig}}, {intent: rejection}]\n")
        .fsmsim(["trace", "s.yaml", "--format", "table"]).shown());
}

#[test]
fn dialogues_before_an_unreadable_line_are_written() {
    let lines = "{\"id\":\"a\",\"turns\":[{\"intent\":\"agreement\"}]}\n\n{\"id\":\"b\",\"turns\":[{\"intent\":\"agreement\"}]\n{\"id\":\"c\",\"turns\":[]}\n";
    insta::assert_snapshot!(trace(lines, &[]).shown());
}

/// The findings of a line that follows a valid line.
fn refused(line: &str) -> String {
    let run = trace(
        &format!("{{\"id\":\"good\",\"turns\":[{{\"intent\":\"agreement\"}}]}}\n{line}\n"),
        &[],
    )
    .fails(2, "", "");
    assert_eq!(run.stdout.lines().count(), 3, "{run}");
    run.stderr
}

#[test]
fn invalid_lines_are_reported_with_their_location() {
    let errors: Vec<String> = [
        r#"{"id":"good","turns":[{"intent":"agreement"}]}"#,
        r#"{"id":"b"}"#,
        r#"{"turns":[]}"#,
        r#"{"id":7,"turns":{}}"#,
        r#"{"id":"b","trns":[],"turns":[{"intent":"agreement"}]}"#,
        r#"{"id":"b","start":{"state":"grreting"},"turns":[]}"#,
        r#"{"id":"b","start":{"flags":{"circular":true},"limits":{"max_go_backs":1},"sources":{"Stall":false}},"turns":[]}"#,
        r#"{"id":"b","signals":"guessed","profile":"real","turns":[]}"#,
        r#"{"id":"b","turns":[{"say":"no intent"},{"goto":"ask"},{}]}"#,
        r#"{"id":"b","turns":[{"intent":["a"],"data":[1],"signals":{"is_stuk":true}}]}"#,
        r#"{"id":"b","turns":[{"before":[{"op":"snapshoot"},{"op":"set_state"}],"intent":"agreement"}]}"#,
        r#"["a"]"#,
        "null",
        "{",
        "\u{0}",
    ]
    .iter()
    .map(|line| format!("{}\n{}", line.escape_debug(), refused(line)))
    .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn too_long_and_non_utf8_lines_are_reported_with_their_number() {
    let project = project();
    let good = "{\"id\":\"a\",\"turns\":[{\"intent\":\"agreement\"}]}\n";
    project.write(
        "long.jsonl",
        format!("{good}{{\"id\":\"{}\"}}\n", "x".repeat(5 << 20)),
    );
    project.write(
        "bytes.jsonl",
        [good.as_bytes(), b"{\"id\":\"\xff\"}\n"].concat(),
    );
    for (file, prefix) in [
        ("long.jsonl", "error[FS0002]: line 2 of"),
        ("bytes.jsonl", "error[FS0003]: line 2 of"),
    ] {
        let run = project
            .fsmsim(["trace", "flow.yaml", "--turns", file])
            .fails(2, "", "");
        assert_eq!(run.stdout.lines().count(), 3, "{run}");
        assert!(
            run.stderr.starts_with(prefix) && run.stderr.contains(&format!("{file}:2")),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn empty_input_gives_empty_output() {
    assert_eq!(trace("", &[]).succeeds(""), "");
}

#[test]
fn dialogue_without_turns_gives_its_header_and_end() {
    let run = trace("{\"id\":\"a\",\"turns\":[]}\n", &[]).ends(0, "", "");
    assert_eq!(run.stdout.lines().count(), 2, "{run}");
    assert!(
        run.stdout.ends_with("\n{\"end\":\"a\",\"turns\":0}\n"),
        "{run}"
    );
}

#[test]
fn profile_option_overrides_the_profile_in_the_path() {
    let header = |model: &str, more: &[&str]| {
        let arguments = [&["trace", model, "--turns", "-"], more].concat();
        let run = project()
            .fsmsim(&arguments)
            .stdin("{\"id\":\"a\",\"turns\":[]}\n")
            .run();
        (run.code, run.stdout)
    };
    for (model, more, profile) in [
        ("flow.yaml", &[][..], "documented"),
        ("flow.yaml@reference", &[], "reference"),
        ("flow.yaml", &["--profile", "reference"], "reference"),
        (
            "flow.yaml@documented",
            &["--profile", "reference"],
            "reference",
        ),
    ] {
        let (code, line) = header(model, more);
        assert_eq!(code, 0);
        assert!(
            line.contains(&format!("\"profile\":\"{profile}\"")),
            "{line}"
        );
    }
}

#[test]
fn closed_stdout_is_not_an_error() {
    use std::io::Read;

    let project = project();
    let line =
        |number| format!("{{\"id\":\"{number}\",\"turns\":[{{\"intent\":\"agreement\"}}]}}\n");
    project.write("turns.jsonl", (0..20_000).map(line).collect::<String>());
    let mut child = project
        .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
        .spawn();
    let mut some = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
