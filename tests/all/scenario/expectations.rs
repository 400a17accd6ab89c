//! `fsmsim test`: expectations, selection, exit codes.

use crate::support::{Project, Run};

/// A flow of three states, small enough to see through.
pub(crate) const FLOW: &str = "\
flow: {name: door}
states:
  greeting:
    goal: Someone is at the door
    transitions: {agreement: hall, rejection: street}
    rules: {greeting: greet_back}
  hall:
    required_data: [name]
    transitions: {data_complete: street}
  street: {is_final: true}
";

pub(crate) const GOOD: &str = "\
scenario: In and out
model: flow.yaml
tags: [smoke]
turns:
  - say: Hello
    intent: greeting
    expect: {state: greeting, action: greet_back, class: hold}
  - intent: agreement
    expect: {state: hall, class: move, missing: [name]}
  - intent: info_provided
    data: {name: Ann}
    expect: {state: street, class: finish, carryover: {added: [name]}}
end: {final: true, data: {name: Ann}}
";

pub(crate) fn project(scenario: &str) -> Project {
    Project::new().file("flow.yaml", FLOW).file("scenarios/door.yaml", scenario)
}

fn test(scenario: &str) -> Run {
    project(scenario).run(&["test"])
}

#[test]
fn what_is_expected_passes() {
    insta::assert_snapshot!(test(GOOD).shown());
}

#[test]
fn what_is_not_expected_fails_with_the_reason_and_the_place() {
    let run = test(&GOOD.replace("class: move, missing: [name]", "class: finish, missing: [name, phone]"));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn what_the_end_expects_is_checked_after_the_last_turn() {
    let run = test(&GOOD.replace("data: {name: Ann}}", "data: {name: Bob, phone: \"1\"}}"));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn a_slip_in_an_expectation_is_no_pass() {
    let run =
        test(&GOOD.replace("action: greet_back", "acton: greet_back").replace("class: move", "clas: move"));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn lists_and_maps_match_as_asked() {
    let turns = "\
scenario: Ways to expect
model: flow.yaml
turns:
  - intent: agreement
    data: {phone: 5, tags: [a, b, c]}
    expect:
      state: {from: greeting, to: {any: [hall, street]}}
      action: {not: greet_back}
      data: {phone: 5, tags: {contains: [c, a]}}
      carryover: {added: {any: [[phone, tags], []]}, dropped: []}
  - intent: agreement
    expect: {data: {tags: [a, b]}, carryover: {added: {contains: [name]}}, state: {not: hall}}
";
    insta::assert_snapshot!(test(turns).shown());
}

#[test]
fn a_scenario_that_cannot_be_read_does_not_hide_the_others() {
    let bad = "\
---
scenario: Bad
model: flow.yaml
turns:
  - intent: greeting
    tone_of_voice: loud
  - say: no intent
---
scenario: No model
turns: [{intent: greeting}]
---
scenario: Nowhere
model: nowhere.yaml
turns: [{intent: greeting}]
---
scenario: Nothing
model: flow.yaml
turns: []
---
[a, list]
";
    insta::assert_snapshot!(test(&format!("{GOOD}{bad}")).shown());
}

#[test]
fn a_document_that_is_not_yaml_leaves_its_neighbours_alone() {
    let run = test(&format!("scenario: [unclosed\n---\n{GOOD}"));
    insta::assert_snapshot!(run.shown());
}

#[test]
fn a_model_that_cannot_be_loaded_is_told_once() {
    let two = format!("{GOOD}---\n{}", GOOD.replace("In and out", "Again"));
    let run = Project::new()
        .file("flow.yaml", FLOW.replace("agreement: hall", "agreement: hal"))
        .file("scenarios/door.yaml", two)
        .run(&["test"]);
    insta::assert_snapshot!(run.shown());
}

#[test]
fn no_scenario_is_no_pass() {
    let empty = Project::new().file("scenarios/readme.txt", "nothing here");
    insta::assert_snapshot!(empty.run(&["test"]).shown());
    let missing = Project::new();
    assert_eq!(missing.run(&["test"]).code, 2);
    assert_eq!(project(GOOD).run(&["test", "--filter", "no such title"]).code, 2);
    assert_eq!(project(GOOD).run(&["test", "--tag", "no such tag"]).code, 2);
    assert_eq!(project("").run(&["test"]).code, 2);
    assert_eq!(project("# only a comment\n---\n---\n").run(&["test"]).code, 2);
}

#[test]
fn a_selection_runs_only_what_it_names() {
    let other = GOOD
        .replace("In and out", "Elsewhere")
        .replace("[smoke]", "[slow]")
        .replace("class: hold", "class: skip");
    let project = project(&format!("{GOOD}---\n{other}"));
    for arguments in [["test", "--tag", "smoke"], ["test", "--filter", "and out"]] {
        let run = project.run(&arguments);
        assert_eq!(run.code, 0, "{}", run.shown());
        assert!(run.stdout.contains("\n1 passed in 3 turns"), "{}", run.stdout);
    }
    let run = project.run(&["test", "--tag", "slow"]);
    assert!(run.code == 1 && run.stdout.contains("1 failed in 3 turns"), "{}", run.shown());
}

#[test]
fn a_file_that_is_no_scenario_is_told_in_one_sentence() {
    let run = Project::new().file("flow.yaml", FLOW).run(&["test", "."]);
    insta::assert_snapshot!(run.shown());
}

#[test]
fn the_number_of_threads_is_bounded() {
    assert_eq!(project(GOOD).run(&["test", "-j", "100000"]).code, 2);
    assert_eq!(project(GOOD).run(&["test", "-j", "0"]).code, 2);
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let many: String = (0..1200)
        .map(|number| {
            let class = if number % 7 == 0 { "skip" } else { "hold" };
            let text = GOOD.replace("In and out", &format!("Number {number}"));
            format!("---\n{}", text.replace("class: hold", &format!("class: {class}")))
        })
        .collect();
    let project = project(&many).file("scenarios/more.yaml", GOOD);
    let one = project.run(&["test", "-j", "1"]);
    let eight = project.run(&["test", "-j", "8"]);
    assert_eq!(one.code, 1);
    assert!(
        one.stdout.contains("1029 passed, 172 failed in 3603 turns; 1201 unsnapshotted"),
        "{}",
        one.stdout
    );
    assert_eq!((&one.stdout, &one.stderr), (&eight.stdout, &eight.stderr));
    let again = project.run(&["test", "-j", "8"]);
    assert_eq!((&again.stdout, &again.stderr), (&eight.stdout, &eight.stderr));
}

#[test]
fn colours_are_off_when_piped_and_on_when_asked_for() {
    let project = project(&GOOD.replace("class: hold", "class: skip"));
    assert!(!project.run(&["test"]).stdout.contains('\u{1b}'));
    assert!(project.run(&["--color", "always", "test"]).stdout.contains('\u{1b}'));
    let quiet =
        project.run_with(&["test", "--color", "auto"], "", &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]);
    assert!(!quiet.stdout.contains('\u{1b}'));
}

#[test]
fn control_sequences_of_a_scenario_do_not_reach_the_terminal() {
    let hostile =
        GOOD.replace("In and out", "\"In \\e[31mand\\a out\"").replace("class: hold", "class: \"\\e[2Jx\"");
    let run = project(&hostile).run(&["test", "--color", "never"]);
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{7}'), "{:?}", run.stdout);
    assert_eq!(run.code, 1);
}

#[test]
fn the_profile_of_the_command_line_beats_that_of_the_scenario() {
    let scenario = "\
scenario: After the end
model: flow.yaml
profile: documented
turns:
  - {intent: rejection, expect: {state: street, class: finish}}
  - {intent: greeting, expect: {action: final}}
";
    assert_eq!(test(scenario).code, 0);
    let run = project(scenario).run(&["test", "--profile", "reference"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    assert!(run.stdout.contains("flow.yaml@reference"), "{}", run.stdout);
    insta::assert_snapshot!(project(scenario).run(&["test", "--profile", "refrence"]).shown());
}

#[test]
fn scenario_files_that_are_no_text() {
    for content in [&b"\xff\xfe\x00scenario"[..], &[0; 64], b"scenario: \"\xd0\"\n"] {
        let run = Project::new().file("scenarios/bad.yaml", content).run(&["test"]);
        assert_eq!(run.code, 2, "{}", run.shown());
        assert!(run.stderr.contains("scenarios/bad.yaml"), "{}", run.stderr);
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let windows = format!("\u{feff}{}", GOOD.replace('\n', "\r\n"));
    let flow = format!("\u{feff}{}", FLOW.replace('\n', "\r\n"));
    let run = Project::new().file("flow.yaml", flow).file("scenarios/door.yaml", windows).run(&["test"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.shown());
}

/// What was played can be played again from its trace alone, whatever the dialect and whoever answered.
#[test]
fn every_trace_of_the_library_is_a_scenario_that_passes() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = Project::new();
    let fsmsim = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_fsmsim"))
            .args(arguments)
            .current_dir(root)
            .env_remove("CI")
            .output()
            .unwrap()
    };
    let mut dialogues = 0;
    for path in crate::support::walk(&root.join("scenarios")) {
        let trace = fsmsim(&["trace", path.to_str().unwrap()]);
        assert!(trace.status.success(), "{}", path.display());
        dialogues += trace
            .stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| line.starts_with(b"{\"fsmsim_trace\""))
            .count();
        project.write("trace.jsonl", &trace.stdout);
        let test = fsmsim(&["test", project.path().join("trace.jsonl").to_str().unwrap()]);
        assert!(test.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&test.stdout));
    }
    assert!(dialogues > 100, "{dialogues}");
}

#[test]
fn what_is_no_trace_is_told_line_by_line() {
    let project = Project::new()
        .file("turns.jsonl", "{\"id\":\"d1\",\"turns\":[]}\n")
        .file("broken.jsonl", "{\"fsmsim_trace\":1,\"dialogue\":\"d\",\"machine\":{\"source\":\"m\"}}\n{\"turn\":1}\n{\"turn\":2,\n")
        .file("empty.jsonl", "");
    insta::assert_snapshot!(project.run(&["test", "turns.jsonl", "broken.jsonl", "empty.jsonl"]).shown());
}
