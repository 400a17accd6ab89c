//! Cases: one scenario for several values of its parameters.

use super::expectations::{FLOW, project};
use crate::support::{Invocation, Project};

fn test(scenario: &str) -> Invocation {
    project(scenario).fsmsim(["test"])
}

/// A scenario with these cases.
fn answers(cases: &str) -> String {
    format!(
        "scenario: Answers\nmodel: flow.yaml\ncases: {cases}\nturns:\n  - intent: \"{{{{intent}}}}\"\n    expect: {{state: \"{{{{state}}}}\"}}\n"
    )
}

const TWO: &str = "[{intent: agreement, state: hall}, {intent: rejection, state: street}]";

#[test]
fn each_case_is_a_separate_scenario() {
    test(&answers(TWO)).succeeds("scenarios/door.yaml: 2 passed\n\n2 passed in 2 turns\n");
    let run = test(&answers(
        "\n  - {intent: agreement, state: hall}\n  - {intent: rejection, state: hall}",
    ));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn scenario_id_selects_all_cases_or_one() {
    let project = project(&answers(TWO));
    let counted = |id: &str| {
        project
            .fsmsim(["test", id])
            .run()
            .stdout
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        counted("scenarios/door.yaml::Answers"),
        "scenarios/door.yaml: 2 passed"
    );
    assert_eq!(
        counted("scenarios/door.yaml::Answers[intent=agreement,state=hall]"),
        "scenarios/door.yaml: 1 passed"
    );
    assert_eq!(
        counted("scenarios/door.yaml::Answers[intent=agreement]"),
        ""
    );
}

#[test]
fn each_case_has_a_separate_snapshot() {
    let bare = answers("[{n: 5}, {n: -5}, {n: \"5\"}]")
        .replace(
            "\"{{intent}}\"\n",
            "agreement\n    data: {name: \"{{n}}\"}\n",
        )
        .replace("    expect: {state: \"{{state}}\"}\n", "");
    let project = project(&bare);
    project.fsmsim(["test", "--accept"]).run();
    let files = project.files();
    let snapshots: Vec<_> = files
        .iter()
        .filter(|file| file.starts_with("snapshots"))
        .collect();
    insta::assert_debug_snapshot!(snapshots);
    project
        .fsmsim(["test", "--check"])
        .succeeds("scenarios/door.yaml: 3 passed\n\n3 passed in 3 turns\n");
    project.write("scenarios/door.yaml", bare.replace("{n: -5}", "{n: -6}"));
    insta::assert_snapshot!(project.fsmsim(["test"]).run().shown());
    // Snapshots of an invalid scenario are not orphaned.
    project.write("scenarios/door.yaml", bare.replace("{n: -5}", "{m: -5}"));
    insta::assert_snapshot!(project.fsmsim(["test", "--prune"]).run().shown());
    assert_eq!(
        project
            .files()
            .iter()
            .filter(|file| file.split('.').next_back() == Some("snap"))
            .count(),
        3
    );
}

#[test]
fn combinations_are_in_the_order_of_the_lists() {
    let scenario = answers("{intent: [agreement, rejection], state: [hall, street]}").replace(
        "    expect: {state: \"{{state}}\"}\n",
        "    expect: {state: \"{{state}}\", action: sing}\n",
    ) + "start: {foreign: [sing]}\n";
    let stdout = test(&scenario).run().stdout;
    let cases: Vec<_> = stdout
        .lines()
        .filter_map(|line| Some(line.strip_prefix("FAILED ")?.split_once(' ')?.1))
        .collect();
    assert_eq!(
        cases,
        [
            "Answers[intent=agreement,state=hall]",
            "Answers[intent=agreement,state=street]",
            "Answers[intent=rejection,state=hall]",
            "Answers[intent=rejection,state=street]"
        ]
    );
}

#[test]
fn pairwise_cases_are_few() {
    let lists: Vec<String> = (0..8).map(|n| format!("p{n}: [1, 2, 3]")).collect();
    let said: String = (0..8).map(|n| format!("{{{{p{n}}}}}")).collect();
    let scenario = format!(
        "scenario: Pairs\nmodel: flow.yaml\ncases: {{pairwise: {{{}}}}}\nturns:\n  - {{intent: greeting, say: \"{said}\", expect: {{state: greeting}}}}\n",
        lists.join(", ")
    );
    let stdout = test(&scenario).run().stdout;
    let passed: usize = stdout
        .strip_prefix("scenarios/door.yaml: ")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((9..=27).contains(&passed), "{passed} of 6561");
}

#[test]
fn cases_are_read_from_a_csv_table() {
    let project = |table: &str| {
        let scenario = answers("./answers.csv");
        Project::new()
            .file("flow.yaml", FLOW)
            .file("scenarios/door.yaml", scenario)
            .file("scenarios/answers.csv", table)
    };
    for table in [
        "intent,state\nagreement,hall\nrejection,hall\n",
        "\u{feff}intent;state\r\nagreement;hall\r\n\r\n\"rejection\"; hall",
    ] {
        let run = project(table).fsmsim(["test"]).run();
        assert!(
            run.stdout.contains("FAILED scenarios/answers.csv:"),
            "{run}"
        );
        assert!(
            run.stdout
                .contains(" Answers[intent=rejection,state=hall]\n"),
            "{run}"
        );
    }
    let outputs: Vec<String> = [
        "",
        "intent,state\n",
        "intent,intent\na,b\n",
        "intent,state\nagreement\n",
        "intent,stat\nagreement,hall\n",
    ]
    .iter()
    .map(|table| project(table).fsmsim(["test"]).run().shown())
    .collect();
    insta::assert_snapshot!(outputs.join("\n=====\n"));
}

#[test]
fn invalid_cases_are_reported_with_their_location() {
    let outputs: Vec<String> = [
        "[]",
        "{}",
        "{intent: [], state: [hall]}",
        "{intent: agreement}",
        "[{intent: agreement, state: hall}, {intent: agreement, state: hall}]",
        "[{intent: agreement, stat: hall}]",
        "[{intent: agreement, state: hall}, {intent: rejection}]",
        "[{intent: agreement, state: hall, mood: good}]",
        "[{intent: agreement, state: hal}, {intent: rejection, state: hal}]",
        "[agreement]",
        "{pairwise: 5}",
        "./missing.csv",
        "/etc/passwd",
        "{intent: [agreement], state: [hall], \"a b\": [1]}",
    ]
    .iter()
    .map(|cases| format!("--- {cases}\n{}", test(&answers(cases)).run().shown()))
    .collect();
    insta::assert_snapshot!(outputs.join("\n"));
}

#[test]
fn unquoted_placeholder_in_a_case_is_reported() {
    let run = test(&answers(TWO).replace("\"{{state}}\"", "{{state}}"));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn number_of_cases_is_limited() {
    let list: Vec<String> = (0..400).map(|n| n.to_string()).collect();
    let list = list.join(", ");
    let run = test(&answers(&format!("{{intent: [{list}], state: [{list}]}}"))).run();
    assert!(
        run.stderr
            .contains("too many cases in the scenario: 160000"),
        "{run}"
    );
}

#[test]
fn placeholder_without_cases_is_reported() {
    let run = test(
        "scenario: A\nmodel: flow.yaml\nturns: [{intent: greeting, say: \"{{name}}, hello\"}]\n",
    );
    insta::assert_snapshot!(run.shown());
}

#[test]
fn expected_failure_applies_to_each_case() {
    let known = answers("[{intent: agreement, state: street}, {intent: rejection, state: street}]");
    let run = test(&(known + "    expected_failure: {state: not yet}\n"));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn long_scenario_supports_cases_and_shared_turns() {
    let turns =
        "  - {intent: greeting, say: \"{{say}}\", expect: {state: greeting}}\n".repeat(1500);
    let scenario = format!(
        "scenario: Long\nmodel: flow.yaml\ncases: [{{say: a}}, {{say: b}}]\nturns:\n{turns}  - {{use: ./in.yaml, with: {{who: \"{{{{say}}}}\"}}}}\n  - intent: greeting\nend: {{data: {{name: {{in: [a, b]}}}}}}\n"
    );
    let shared = "parameters: {who: ~}\nturns: [{intent: agreement}, {intent: info_provided, data: {name: \"{{who}}\"}}]\n";
    let project = project(&scenario).file("scenarios/in.yaml", shared);
    project
        .fsmsim(["test"])
        .succeeds("scenarios/door.yaml: 2 passed\n\n2 passed in 3006 turns\n");
    let run = project.fsmsim(["trace", "scenarios/door.yaml"]).run();
    assert_eq!(run.stdout.lines().count(), 2 * (1503 + 2), "{}", run.stderr);
    assert!(run.stdout.contains("\"dialogue\":\"Long[say=b]\""));
}

#[test]
fn diff_compares_models_for_each_case() {
    let project = project(&answers(TWO)).file(
        "other.yaml",
        FLOW.replace("rejection: street", "rejection: hall"),
    );
    let run = project
        .fsmsim([
            "diff",
            "flow.yaml",
            "other.yaml",
            "--scenarios",
            "scenarios",
        ])
        .run();
    assert!(
        run.stdout
            .contains("Answers[intent=rejection,state=street]"),
        "{run}"
    );
    assert!(
        run.stdout.contains("1 of 2 dialogues differs") || run.stdout.contains("1 of 2"),
        "{run}"
    );
}

#[test]
fn transcript_front_matter_supports_cases_never_and_skip() {
    let talk = "---\nmodel: flow.yaml\ncases: [{intent: agreement, state: hall}, {intent: rejection, state: street}]\nnever: [{class: finish}]\nmeta: {owner: Ann}\n---\n# At the door\n\n<!-- use: ./hello.yaml, with: {word: Hi} -->\n\n**User:** Well. `{intent: \"{{intent}}\"}`\n<!-- expect: {state: \"{{state}}\"}, expected_failure: the street is the end -->\n";
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/talk.md", talk)
        .file(
            "scenarios/hello.yaml",
            "parameters: {word: Hello}\nturns: [{intent: greeting, say: \"{{word}}!\"}]\n",
        );
    insta::assert_snapshot!(project.fsmsim(["test"]).run().shown());
    project.write(
        "scenarios/talk.md",
        talk.replace("meta:", "skip: not now\nmeta:"),
    );
    insta::assert_snapshot!(project.fsmsim(["test"]).run().shown());
}
