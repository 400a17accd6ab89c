//! A dialogue is listed under each edit that contributes to its differences.

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
    // The HTML report links the dialogue to both causes.
    let page = project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--report", "html"])
        .fails(1, "", "")
        .stdout;
    assert!(
        page.contains("<a href=\"#cause2\">cause 2</a>, <a href=\"#cause1\">1</a>"),
        "{page}"
    );
}

#[test]
fn edit_that_cannot_be_reverted_is_identified_by_its_rule() {
    // Without the other edit, the target of the transition does not exist.
    let edits = [
        ("agreement: hall", "agreement: room"),
        ("  hall:", "  room:"),
        ("greeting: again", "greeting: once_more"),
    ];
    let run = project(&edits)
        .fsmsim(["diff", "old.yaml", "new.yaml", "--causes"])
        .run();
    insta::assert_snapshot!(run.shown());
}

#[test]
fn many_edits_are_identified_by_their_rules_only() {
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
