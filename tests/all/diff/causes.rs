//! A dialogue is listed under each edit that contributes to its differences.

use super::page_data;
use crate::support::Project;

const FLOW: &str = "flow: {name: f, policy: sales}\nconditions:\n  is_big: {slot: size, at_least: 10}\nstates:\n  greeting:\n    rules:\n      greeting: hello\n      price_question: [{when: is_big, then: praise}, tell]\n    transitions:\n      agreement: hall\n      rejection: street\n  hall:\n    rules: {greeting: again}\n    transitions: {rejection: street}\n  street: {}\n";

fn scenario(title: &str, turns: &[&str]) -> String {
    let turns: Vec<String> = turns.iter().map(|turn| format!("{{{turn}}}")).collect();
    format!(
        "scenario: {title}\nmodel: old.yaml\nturns: [{}]\n",
        turns.join(", ")
    )
}

/// A project with the flow before and after these edits.
fn project(edits: &[(&str, &str)]) -> Project {
    let mut new = FLOW.to_owned();
    for (line, instead) in edits {
        assert_eq!(new.matches(line).count(), 1, "{line}");
        new = new.replace(line, instead);
    }
    let scenarios = [
        scenario(
            "Both",
            &["intent: greeting", "intent: agreement", "intent: greeting"],
        ),
        scenario("The first", &["intent: greeting"]),
        scenario("The last", &["intent: agreement", "intent: greeting"]),
        scenario(
            "A big one",
            &[
                "intent: price_question, data: {size: 12}",
                "intent: agreement",
                "intent: greeting",
            ],
        ),
        scenario("Neither", &["intent: rejection"]),
    ];
    Project::new()
        .file("old.yaml", FLOW)
        .file("new.yaml", new)
        .file("scenarios/s.yaml", scenarios.join("---\n"))
}

#[test]
fn dialogue_is_listed_under_each_edit_that_affects_it() {
    let edits = [
        ("greeting: hello", "greeting: good_day"),
        ("greeting: again", "greeting: once_more"),
        ("at_least: 10", "at_least: 20"),
    ];
    let project = project(&edits);
    insta::assert_snapshot!(project.fsmsim(["diff", "old.yaml", "new.yaml"]).shown());
    let json = project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--format", "json"])
        .fails(1, "", "")
        .stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let of = |at: usize| {
        (
            &value["differences"][at]["cause"],
            &value["differences"][at]["more_causes"],
        )
    };
    assert_eq!(
        (of(0).0.as_u64(), of(0).1.to_string()),
        (Some(2), "[1]".to_owned()),
        "{json}"
    );
    let counts: Vec<_> = value["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| cause["dialogues"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [3, 2, 1]);
    // The HTML report links the dialogue to both causes, and has the diagram of the model.
    let page = project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--report", "html"])
        .fails(1, "", "")
        .stdout;
    let dialogue = &page_data(&page)["dialogues"][0];
    assert_eq!(
        (dialogue["causes"].to_string(), dialogue["model"].as_str()),
        ("[2,1]".to_owned(), Some("new.yaml"))
    );
    assert!(
        page.contains("<template class=\"graph-of\" data-model=\"new.yaml\">"),
        "{page}"
    );
}

#[test]
fn edited_lines_of_a_cause_are_shown() {
    let project = project(&[("greeting: hello", "greeting: good_day")]);
    let diff = |more: &[&str]| project.fsmsim(["diff", "old.yaml", "new.yaml"]).args(more);
    let cause =
        "1. 2 dialogues  edited rule old.yaml:7\n   - greeting: hello\n   + greeting: good_day\n";
    diff(&[]).fails(1, cause, "");
    let json = diff(&["--format", "json"]).fails(1, "", "").stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let edit = serde_json::json!({
        "at": "new.yaml:7",
        "was_at": "old.yaml:7",
        "mixin": null,
        "removed": ["greeting: hello"],
        "added": ["greeting: good_day"],
    });
    assert_eq!(value["causes"][0]["edits"], serde_json::json!([edit]));
    let page = diff(&["--report", "html"]).fails(1, "", "").stdout;
    assert_eq!(
        page_data(&page)["causes"][0]["edits"],
        value["causes"][0]["edits"]
    );
}

/// The titles of the causes of an edited flow, with the numbers of their dialogues.
fn causes(edits: &[(&str, &str)]) -> Vec<(String, u64)> {
    let json = project(edits)
        .fsmsim(["diff", "old.yaml", "new.yaml", "--format", "json"])
        .fails(1, "", "")
        .stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let cause = |cause: &serde_json::Value| {
        let title = cause["title"].as_str().unwrap().to_owned();
        (title, cause["dialogues"].as_u64().unwrap())
    };
    value["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(cause)
        .collect()
}

#[test]
fn edits_that_need_each_other_are_one_cause() {
    // Without the other edit, the target of the transition does not exist.
    let edits = [
        ("agreement: hall", "agreement: room"),
        ("  hall:", "  room:"),
        ("greeting: again", "greeting: once_more"),
    ];
    let title = "edited rule old.yaml:10 together with edited rule old.yaml:12";
    assert_eq!(causes(&edits), [(title.to_owned(), 3)]);
}

#[test]
fn edit_without_effect_is_not_a_cause() {
    // The quotes change the line of a rule that decides turns, but not the rule.
    let edits = [
        ("greeting: hello", "greeting: good_day"),
        ("greeting: again", "greeting: \"again\""),
        ("rejection: street}", "rejection: \"street\"}"),
    ];
    assert_eq!(causes(&edits), [("edited rule old.yaml:7".to_owned(), 2)]);
}

#[test]
fn edits_that_act_only_together_are_one_cause() {
    // For a size of 12, the condition holds as long as one of its limits allows it.
    let flow = FLOW.replace(
        "is_big: {slot: size, at_least: 10}",
        "is_big:\n    or:\n      - {slot: size, at_least: 10}\n      - {slot: street, filled: true}\n      - {slot: size, at_least: 11}",
    );
    let new = flow
        .replace("at_least: 10", "at_least: 20")
        .replace("at_least: 11", "at_least: 21");
    let project = project(&[]).file("old.yaml", flow).file("new.yaml", new);
    let title = "edited line old.yaml:5 together with edited line old.yaml:7";
    project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--causes"])
        .fails(1, &format!("1. 1 dialogue  {title}\n"), "");
}

#[test]
fn each_edit_that_alone_makes_the_difference_is_a_cause() {
    let edits = [
        ("at_least: 10", "at_least: 20"),
        ("[{when: is_big, then: praise}, tell]", "[tell]"),
    ];
    let expected = ["edited line old.yaml:3", "edited rule old.yaml:8"];
    assert_eq!(causes(&edits), expected.map(|title| (title.to_owned(), 1)));
}

#[test]
fn line_ends_are_not_edits() {
    let project = project(&[("greeting: hello", "greeting: good_day")]);
    let new = project.read("new.yaml").replace('\n', "\r\n");
    project.write("new.yaml", new);
    let run = project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--causes"])
        .fails(1, "1. 2 dialogues  edited rule old.yaml:7\n", "");
    assert!(!run.stdout.contains("\n2. "), "{run}");
}

#[test]
fn weightiest_difference_of_a_dialogue_is_shown() {
    // The reply to the greeting differs first, but the state matters more.
    let edits = [
        ("greeting: hello", "greeting: good_day"),
        ("agreement: hall", "agreement: street"),
    ];
    let run = project(&edits)
        .fsmsim(["diff", "old.yaml", "new.yaml"])
        .fails(1, "", "");
    assert!(
        run.stdout
            .contains("DIFFERS Both\n  turn 2, state: hall -> street"),
        "{run}"
    );
}

#[test]
fn many_edits_are_reverted_in_groups() {
    let states = |word: &str| {
        (0..40)
            .map(|number| {
                format!(
                    "  s{number}:\n    rules: {{greeting: {word}{number}}}\n    transitions: {{agreement: s{}}}\n",
                    (number + 1) % 40
                )
            })
            .collect::<String>()
    };
    let flow = |word: &str| {
        format!(
            "flow: {{name: f, entry_points: {{default: s0}}}}\nstates:\n{}",
            states(word)
        )
    };
    let turns = ["intent: greeting", "intent: agreement"].repeat(10);
    let project = Project::new()
        .file("old.yaml", flow("a"))
        .file("new.yaml", flow("b"))
        .file("scenarios/s.yaml", scenario("All the way", &turns));
    let run = project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--causes"])
        .fails(1, "counted under each of its causes: 10 in total\n", "");
    assert_eq!(
        run.stdout.matches("1 dialogue  edited rule").count(),
        10,
        "{run}"
    );
}
