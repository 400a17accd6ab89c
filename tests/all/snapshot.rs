//! `fsmsim test`: what is kept of scenarios that expect nothing, and how it is accepted.

use crate::scenario::expectations::{FLOW, GOOD, project};
use crate::support::Project;

const PLAIN: &str = "\
scenario: Входит и выходит
model: flow.yaml
turns:
  - intent: agreement
  - {intent: info_provided, data: {name: Анна}}
";
const SNAPSHOT: &str = "snapshots/door/входит-и-выходит.snap";

#[test]
fn a_scenario_that_expects_nothing_fails_until_its_snapshot_is_accepted() {
    let project = project(PLAIN);
    insta::assert_snapshot!(project.run(&["test"]).shown());
    let pending = project.read(&format!("{SNAPSHOT}.new"));

    let accepted = project.run(&["test", "--accept"]);
    assert_eq!(accepted.code, 0, "{}", accepted.shown());
    assert!(accepted.stdout.ends_with("1 passed in 2 turns; 1 snapshot accepted\n"), "{}", accepted.stdout);
    assert_eq!(project.read(SNAPSHOT), pending);
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml", SNAPSHOT]);
    insta::assert_snapshot!("an_accepted_snapshot", project.read(SNAPSHOT));

    let again = project.run(&["test"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
}

#[test]
fn an_edit_of_the_flow_shows_as_a_difference_and_waits_for_a_decision() {
    let project = project(PLAIN);
    project.run(&["test", "--accept"]);
    let before = project.read(SNAPSHOT);
    project.write(
        "flow.yaml",
        FLOW.replace("{data_complete: street}", "{info_provided: greeting, data_complete: street}"),
    );
    insta::assert_snapshot!(project.run(&["test"]).shown());
    assert_eq!(project.read(SNAPSHOT), before);
    assert!(project.files().contains(&format!("{SNAPSHOT}.new")));

    // Mended, and what waited is out of date.
    project.write("flow.yaml", FLOW);
    assert_eq!(project.run(&["test"]).code, 0);
    assert!(!project.files().contains(&format!("{SNAPSHOT}.new")));
}

#[test]
fn nothing_is_written_with_check_nor_where_ci_is_set() {
    let project = project(PLAIN);
    for run in [project.run(&["test", "--check"]), project.run_with(&["test"], "", &[("CI", "true")])] {
        assert_eq!(run.code, 1, "{}", run.shown());
        assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
    }
    let refused = project.run_with(&["test", "--accept"], "", &[("CI", "1")]);
    insta::assert_snapshot!(refused.shown());
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
}

#[test]
fn a_failed_expectation_is_never_accepted() {
    let project = project(&GOOD.replace("class: finish", "class: hold"));
    let run = project.run(&["test", "--accept"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
}

#[test]
fn two_titles_that_would_share_a_snapshot_are_an_error() {
    let two = format!("{PLAIN}---\n{}", PLAIN.replace("Входит и выходит", "Входит — и выходит!"));
    insta::assert_snapshot!(project(&two).run(&["test", "--accept"]).shown());
}

#[test]
fn the_snapshot_of_a_scenario_outside_the_folder_of_scenarios_was_left_beside_it() {
    let project = Project::new().file("flow.yaml", FLOW).file("deep/a.yaml", PLAIN);
    assert_eq!(project.run(&["test", "deep", "--accept"]).code, 0);
    assert_eq!(project.files(), ["deep/a.yaml", "flow.yaml", "snapshots/deep/a/входит-и-выходит.snap"]);
}

#[test]
fn a_snapshot_that_cannot_be_written_loses_nothing() {
    let project = project(PLAIN).file("snapshots", "a file, where a folder is wanted");
    let run = project.run(&["test"]);
    assert_eq!(run.code, 2, "{}", run.shown());
    assert!(run.stderr.starts_with("error[FS0303]"), "{}", run.stderr);
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml", "snapshots"]);
}

#[test]
fn a_file_that_is_no_snapshot_is_told_and_kept() {
    let project = project(PLAIN).file(SNAPSHOT, "not a snapshot");
    let run = project.run(&["test", "--accept"]);
    insta::assert_snapshot!(run.shown());
    assert_eq!(project.read(SNAPSHOT), "not a snapshot");
}
