//! `fsmsim generate`: scenarios for what no scenario covers.

use crate::support::{Project, Run};

/// Unclear words lead to `help`, and `is_welcome` needs several turns for MC/DC.
const CLUB: &str = "\
flow: {name: club, policy: plain, entry_points: {default: door}}
intents:
  enter: {description: Wants to enter, examples: [Let me in, Open the door]}
  leave: {description: Wants to leave, examples: [Bye]}
  tell: {description: Answers, examples: [I am 20]}
conditions:
  is_welcome: {and: [{slot: age, at_least: 18}, {slot: invited}]}
slots: {age: {type: integer}, invited: {type: boolean}}
states:
  door:
    transitions:
      enter: {when: is_welcome, then: bar}
      leave: street
      unclear: help
  help: {transitions: {enter: door}}
  bar: {transitions: {leave: street}}
  street: {is_final: true}
  cellar: {transitions: {leave: street}}
";

fn club() -> Project {
    Project::new()
        .file("fsmsim.toml", "")
        .file("flows/club.yaml", CLUB)
}

fn generated(project: &Project, more: &[&str]) -> Run {
    project
        .fsmsim(["generate", "flows/club.yaml"])
        .args(more)
        .run()
}

#[test]
fn generated_scenarios_pass_and_leave_nothing_to_generate() {
    let project = club();
    let run = generated(
        &project,
        &["--cover", "mcdc,transitions", "--output", "scenarios"],
    );
    assert_eq!(run.code, 0, "{}", run.shown());
    let tested = project
        .fsmsim(["test", "--coverage", "--require", "mcdc=100%"])
        .args(["--require", "transitions=83%"])
        .run();
    assert_eq!(tested.code, 0, "{}", tested.shown());
    let again = generated(&project, &["--cover", "mcdc,transitions"]);
    assert!(
        again
            .stdout
            .starts_with("flows/club.yaml: 0 new scenarios\n"),
        "{}",
        again.shown()
    );
}

#[test]
fn report_names_scenarios_coverage_and_unattainable_items() {
    insta::assert_snapshot!(generated(&club(), &["--cover", "states,mcdc"]).shown());
}

#[test]
fn files_are_the_same_for_any_threads_and_never_replaced() {
    let project = club();
    for (folder, jobs) in [("one", "1"), ("two", "4"), ("two", "4")] {
        generated(&project, &["--output", folder, "--jobs", jobs]);
    }
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(project.path().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let (one, two) = (names("one"), names("two"));
    assert!(!one.is_empty());
    assert_eq!(two.len(), 2 * one.len(), "{two:?}");
    for name in one {
        let read = |folder: &str, name: &str| {
            std::fs::read_to_string(project.path().join(folder).join(name)).unwrap()
        };
        let text = read("one", &name);
        assert_eq!(text, read("two", &name));
        assert_eq!(text, read("two", &name.replace("_01.", "_02.")));
    }
}

#[test]
fn word_that_is_not_understood_is_said_and_not_named() {
    let project = club();
    let run = generated(
        &project,
        &["--cover", "transitions", "--output", "scenarios"],
    );
    assert_eq!(run.code, 0, "{}", run.shown());
    let tested = project.fsmsim(["test", "--coverage"]).run();
    assert_eq!(tested.code, 0, "{}", tested.shown());
    let entries = std::fs::read_dir(project.path().join("scenarios")).unwrap();
    let texts: String = entries
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(texts.contains("say: \"...\""), "{texts}");
    assert!(!texts.contains("intent: unclear"), "{texts}");
}

#[test]
fn bound_that_leaves_items_open_is_reported() {
    // The search stops before the visitor has knocked ninety times.
    let patient = CLUB
        .replace("slots:", "counters: {knocks: {limit: 100}}\nslots:")
        .replace(
            "enter: {when: is_welcome,",
            "enter: {when: {counter: knocks, at_least: 90},",
        )
        .replace(
            "leave: street\n      unclear",
            "leave: {then: door, counts: {knocks: 1}}\n      unclear",
        );
    let project = Project::new()
        .file("fsmsim.toml", "")
        .file("flows/club.yaml", &patient);
    let run = generated(&project, &["--states", "1"]);
    assert_eq!(run.code, 3, "{}", run.shown());
    assert!(
        run.stdout.contains("the search reached the bound `states`"),
        "{}",
        run.shown()
    );
}

#[test]
fn unknown_kind_is_refused_with_the_known_kinds() {
    let run = generated(&club(), &["--cover", "stats"]);
    assert_eq!(run.code, 2, "{}", run.shown());
    assert!(
        run.stderr.contains("states, transitions"),
        "{}",
        run.shown()
    );
}
