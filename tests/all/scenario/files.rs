//! `fsmsim test`: which files are run, and that no file is silently skipped.

use crate::scenario::expectations::{FLOW, GOOD, project};
use crate::support::Project;

#[test]
fn invalid_file_is_counted_and_listed() {
    let project = project(GOOD)
        .file("scenarios/empty.yaml", "")
        .file("scenarios/idle.yaml", "# nothing yet\n---\n")
        .file("scenarios/odd.yaml", b"scenario: \xff")
        .file("scenarios/other.yaml", "name: something else\n");
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
}

#[test]
fn scenario_with_another_extension_is_a_warning() {
    let json = r#"{"scenario": "A", "model": "flow.yaml", "turns": [{"intent": "greeting"}]}"#;
    let project = project(GOOD)
        .file("scenarios/a.ymal", GOOD)
        .file("scenarios/b.yaml.txt", GOOD)
        .file("scenarios/c.json", json)
        .file("scenarios/d.json", format!("[{json}]"))
        .file("scenarios/twin.json", r#"{"week": 3}"#)
        .file("scenarios/notes.txt", "Scenarios of the door\n")
        .file("scenarios/door.yaml~", GOOD);
    let run = project.fsmsim(["test"]).warns("1 passed", "FS0257");
    for file in ["a.ymal", "b.yaml.txt", "c.json", "d.json"] {
        let title = format!("unsupported extension of the scenario file `scenarios/{file}`");
        assert!(run.stderr.contains(&title), "{run}");
    }
    assert_eq!(run.stderr.matches("warning[").count(), 4, "{run}");
}

#[test]
fn file_runs_once_under_all_its_paths() {
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
fn uppercase_extension_is_recognized() {
    let project = project(GOOD).file(
        "scenarios/loud.YAML",
        GOOD.replace("class: finish", "class: hold"),
    );
    project
        .fsmsim(["test"])
        .fails(1, "FAILED scenarios/loud.YAML:1 In and out\n", "");
}

#[test]
fn front_matter_with_a_misspelled_key_is_reported() {
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
fn symlinks_are_followed_and_bad_ones_reported() {
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
fn unreadable_directory_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let project = project(GOOD).file("scenarios/locked/door.yaml", GOOD);
    let locked = project.path().join("scenarios/locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o0)).unwrap();
    // Root can read the directory in spite of its permissions.
    if locked.read_dir().is_err() {
        project.fsmsim(["test"]).fails(
            2,
            "INVALID scenarios/locked\n",
            "cannot read `scenarios/locked`",
        );
    }
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o700)).unwrap();
}
