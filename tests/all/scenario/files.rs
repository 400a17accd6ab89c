//! `fsmsim test`: which files are run, and that none is lost.

use crate::scenario::expectations::{FLOW, GOOD, project};
use crate::support::Project;

#[test]
fn a_file_that_cannot_be_used_is_counted_and_listed() {
    let project = project(GOOD)
        .file("scenarios/empty.yaml", "")
        .file("scenarios/idle.yaml", "# nothing yet\n---\n")
        .file("scenarios/odd.yaml", b"scenario: \xff")
        .file("scenarios/other.yaml", "name: something else\n");
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
}

#[test]
fn a_file_runs_once_however_it_is_spelt() {
    let project = project(GOOD);
    let all = [
        "test",
        "scenarios",
        "./scenarios/door.yaml",
        "scenarios/../scenarios",
        "scenarios/door.yaml::In and out",
    ];
    project
        .fsmsim(all)
        .succeeds("scenarios/door.yaml: 1 passed\n\n1 passed in 3 turns");
}

#[test]
fn the_case_of_an_ending_loses_no_file() {
    let project = project(GOOD).file(
        "scenarios/loud.YAML",
        GOOD.replace("class: finish", "class: hold"),
    );
    project
        .fsmsim(["test"])
        .fails(1, "FAILED scenarios/loud.YAML:1 In and out\n", "");
}

#[test]
fn front_matter_with_a_misspelt_key_is_told() {
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file(
            "scenarios/talk.md",
            "---\nmodle: flow.yaml\n---\n**User:** Yes `{intent: agreement}`\n",
        )
        .file(
            "scenarios/prose.md",
            "---\nmodle: flow.yaml\n---\nNobody speaks here.\n",
        )
        .file(
            "scenarios/page.md",
            "---\nlayout: page\n---\n**User:** Yes\n",
        );
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_those_in_a_circle_or_to_nowhere_are_told() {
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("elsewhere/door.yaml", GOOD)
        .file("scenarios/in/x.txt", "");
    let link =
        |to: &str, at: &str| std::os::unix::fs::symlink(to, project.path().join(at)).unwrap();
    link("../elsewhere", "scenarios/linked");
    link("..", "scenarios/in/again");
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    link("nowhere", "scenarios/in/gone.yaml");
    link("self", "scenarios/in/self");
    link("nowhere", "scenarios/in/notes.txt");
    insta::assert_snapshot!("links_that_lead_nowhere", project.fsmsim(["test"]).shown());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_no_pass() {
    use std::os::unix::fs::PermissionsExt;
    let project = project(GOOD).file("scenarios/locked/door.yaml", GOOD);
    let locked = project.path().join("scenarios/locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o0)).unwrap();
    // Whoever may read everything reads this too.
    if locked.read_dir().is_err() {
        project.fsmsim(["test"]).fails(
            2,
            "UNUSABLE scenarios/locked\n",
            "`scenarios/locked` cannot be read",
        );
    }
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o700)).unwrap();
}
