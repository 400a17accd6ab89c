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
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    let pending = project.read(&format!("{SNAPSHOT}.new"));

    let stdout = project.fsmsim(["test", "--accept"]).succeeds("");
    assert!(stdout.ends_with("1 passed in 2 turns; 1 snapshot accepted\n"), "{stdout}");
    assert_eq!(project.read(SNAPSHOT), pending);
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml", SNAPSHOT]);
    insta::assert_snapshot!("an_accepted_snapshot", project.read(SNAPSHOT));

    project.fsmsim(["test"]).succeeds("");
}

#[test]
fn an_edit_of_the_flow_shows_as_a_difference_and_waits_for_a_decision() {
    let project = project(PLAIN);
    project.fsmsim(["test", "--accept"]).ends(0, "", "");
    let before = project.read(SNAPSHOT);
    project.write(
        "flow.yaml",
        FLOW.replace("{data_complete: street}", "{info_provided: greeting, data_complete: street}"),
    );
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    assert_eq!(project.read(SNAPSHOT), before);
    assert!(project.files().contains(&format!("{SNAPSHOT}.new")));

    // Mended, and what waited is out of date.
    project.write("flow.yaml", FLOW);
    project.fsmsim(["test"]).succeeds("");
    assert!(!project.files().contains(&format!("{SNAPSHOT}.new")));
}

#[test]
fn nothing_is_written_with_check_nor_where_ci_is_set() {
    let project = project(PLAIN);
    for run in [project.fsmsim(["test", "--check"]), project.fsmsim(["test"]).env("CI", "true")] {
        run.fails(1, "", "");
        assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
    }
    insta::assert_snapshot!(project.fsmsim(["test", "--accept"]).env("CI", "1").shown());
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
}

#[test]
fn a_failed_expectation_is_never_accepted() {
    let project = project(&GOOD.replace("class: finish", "class: hold"));
    project.fsmsim(["test", "--accept"]).fails(1, "", "");
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
}

#[test]
fn two_titles_that_would_share_a_snapshot_are_an_error() {
    let two = format!("{PLAIN}---\n{}", PLAIN.replace("Входит и выходит", "Входит — и выходит!"));
    insta::assert_snapshot!(project(&two).fsmsim(["test", "--accept"]).shown());
}

#[test]
fn the_snapshot_of_a_scenario_outside_the_folder_of_scenarios_was_left_beside_it() {
    let project = Project::new().file("flow.yaml", FLOW).file("deep/a.yaml", PLAIN);
    project.fsmsim(["test", "deep", "--accept"]).succeeds("");
    assert_eq!(project.files(), ["deep/a.yaml", "flow.yaml", "snapshots/deep/a/входит-и-выходит.snap"]);
}

#[test]
fn a_snapshot_that_cannot_be_written_loses_nothing() {
    let project = project(PLAIN).file("snapshots", "a file, where a folder is wanted");
    assert!(project.fsmsim(["test"]).fails(2, "", "").stderr.starts_with("error[FS0303]"));
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml", "snapshots"]);
}

#[test]
fn a_file_that_is_no_snapshot_is_told_and_kept() {
    let project = project(PLAIN).file(SNAPSHOT, "not a snapshot");
    insta::assert_snapshot!(project.fsmsim(["test", "--accept"]).shown());
    assert_eq!(project.read(SNAPSHOT), "not a snapshot");
}
