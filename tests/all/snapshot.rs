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
    assert!(
        stdout.ends_with("1 passed in 2 turns; 1 snapshot accepted\n"),
        "{stdout}"
    );
    assert_eq!(project.read(SNAPSHOT), pending);
    assert_eq!(
        project.files(),
        ["flow.yaml", "scenarios/door.yaml", SNAPSHOT]
    );
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
        FLOW.replace(
            "{data_complete: street}",
            "{info_provided: greeting, data_complete: street}",
        ),
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
    for run in [
        project.fsmsim(["test", "--check"]),
        project.fsmsim(["test"]).env("CI", "true"),
    ] {
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
    let two = format!(
        "{PLAIN}---\n{}",
        PLAIN.replace("Входит и выходит", "Входит — и выходит!")
    );
    insta::assert_snapshot!(project(&two).fsmsim(["test", "--accept"]).shown());
}

#[test]
fn the_snapshot_of_a_scenario_outside_the_folder_of_scenarios_lies_below_root() {
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("deep/a.yaml", PLAIN);
    project.fsmsim(["test", "deep", "--accept"]).succeeds("");
    assert_eq!(
        project.files(),
        [
            "deep/a.yaml",
            "flow.yaml",
            "snapshots/_root/deep/a/входит-и-выходит.snap"
        ]
    );
}

#[test]
fn a_snapshot_that_cannot_be_written_loses_nothing() {
    let project = project(PLAIN).file("snapshots", "a file, where a folder is wanted");
    assert!(
        project
            .fsmsim(["test"])
            .fails(2, "", "")
            .stderr
            .starts_with("error[FS0303]")
    );
    assert_eq!(
        project.files(),
        ["flow.yaml", "scenarios/door.yaml", "snapshots"]
    );
}

#[test]
fn a_file_that_is_no_snapshot_is_told_and_kept() {
    let project = project(PLAIN).file(SNAPSHOT, "not a snapshot");
    insta::assert_snapshot!(project.fsmsim(["test", "--accept"]).shown());
    assert_eq!(project.read(SNAPSHOT), "not a snapshot");
}

#[test]
fn what_takes_just_one_difference_is_said_only_where_it_does() {
    let two = format!(
        "{PLAIN}---\n{}",
        PLAIN.replace("Входит и выходит", "It's another")
    );
    let project = project(&two);
    let another = "scenarios/door.yaml::It's another";
    let run = project
        .fsmsim(["test", another, "--profile", "documented"])
        .fails(1, "", "");
    let command = r"`fsmsim test --accept 'scenarios/door.yaml::It'\''s another' --profile documented` takes it";
    assert!(run.stdout.contains(command), "{run}");
    for run in [
        project.fsmsim(["test", "--check"]),
        project.fsmsim(["test"]).env("CI", "true"),
    ] {
        assert!(!run.fails(1, "", "").stdout.contains("--accept"));
    }
    project
        .fsmsim(["test", "--accept", "scenarios/door.yaml::It's another"])
        .succeeds("\n1 passed in 2 turns; 1 snapshot accepted\n");
    project
        .fsmsim(["test", "--check"])
        .fails(1, "1 passed, 1 failed", "");
    project
        .fsmsim(["test", "scenarios/door.yaml::Nobody"])
        .fails(2, "", "no scenario was found");
    project
        .fsmsim(["test", "scenarios/window.yaml::Nobody"])
        .refuses("`scenarios/window.yaml::Nobody` does not exist");
}

#[test]
fn a_difference_is_not_offered_where_an_expectation_failed() {
    let failing = PLAIN.replace(
        "intent: agreement",
        "{intent: agreement, expect: {state: street}}",
    );
    let project = project(PLAIN);
    project.fsmsim(["test", "--accept"]).succeeds("");
    project.write("scenarios/door.yaml", failing);
    project.write(
        "flow.yaml",
        FLOW.replace("agreement: hall", "agreement: greeting"),
    );
    let run = project
        .fsmsim(["test"])
        .fails(1, "the snapshot differs", "");
    assert!(!run.stdout.contains("--accept"), "{run}");
}

#[test]
fn turns_that_came_and_went_are_told_as_such() {
    let project = project(PLAIN);
    project.fsmsim(["test", "--accept"]).succeeds("");
    project.write(
        "scenarios/door.yaml",
        PLAIN.replace(
            "  - intent: agreement\n",
            "  - {say: Hm, intent: greeting}\n  - intent: agreement\n",
        ),
    );
    insta::assert_snapshot!(project.fsmsim(["test", "--check"]).shown());
}

#[test]
fn names_are_latin_where_the_project_wants_them_so() {
    let project = project(PLAIN);
    project.fsmsim(["test", "--accept"]).succeeds("");
    project.write("fsmsim.toml", "[snapshot]\nascii_names = true\n");
    let latin = "snapshots/door/vkhodit-i-vykhodit.snap";
    let stdout = project.fsmsim(["test", "--accept"]).succeeds("");
    assert!(
        stdout.ends_with(&format!(
            "; 1 snapshot accepted\nMOVED {SNAPSHOT} -> {latin}\n"
        )),
        "{stdout}"
    );
    assert_eq!(
        project.files(),
        ["flow.yaml", "fsmsim.toml", "scenarios/door.yaml", latin]
    );
}

#[test]
fn files_of_one_name_and_titles_that_are_devices_share_no_snapshot() {
    let transcript =
        "---\nmodel: flow.yaml\nscenario: AUX\n---\n**User:** Yes `{intent: agreement}`\n";
    let aux = PLAIN.replace("Входит и выходит", "AUX");
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/x/a.yaml", &aux)
        .file("scenarios/x/a.yml", &aux)
        .file("scenarios/x/a.md", transcript)
        .file("x/a.yaml", &aux);
    project
        .fsmsim(["test", "scenarios", "x", "--accept"])
        .succeeds("4 snapshots accepted");
    let snapshots: Vec<String> = project
        .files()
        .into_iter()
        .filter(|file| file.starts_with("snapshots/"))
        .collect();
    insta::assert_snapshot!(snapshots.join("\n"));
    project
        .fsmsim(["test", "scenarios", "x", "--check"])
        .succeeds("\n4 passed in 7 turns\n");
}

#[test]
fn the_snapshot_of_a_scenario_that_is_gone_is_an_orphan() {
    let project = project(PLAIN).file(
        "scenarios/b/c.yaml",
        PLAIN.replace("agreement", "rejection"),
    );
    project.fsmsim(["test", "--accept"]).succeeds("");
    std::fs::remove_file(project.path().join("scenarios/b/c.yaml")).unwrap();
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    for run in [
        project.fsmsim(["test", "--check"]),
        project.fsmsim(["test"]).env("CI", "True"),
    ] {
        let run = run.fails(
            1,
            "; 1 snapshot orphaned\nORPHANED snapshots/b/c/входит-и-выходит.snap\n",
            "",
        );
        assert_eq!(run.stderr, "");
    }
    for no in ["0", "false", "FALSE", ""] {
        project
            .fsmsim(["test"])
            .env("CI", no)
            .warns("ORPHANED", "--prune");
    }
    // Whatever is selected; but only where somebody looks.
    project
        .fsmsim(["test", "--check", "-E", "title(~Входит)"])
        .fails(1, "ORPHANED", "");
    project
        .fsmsim(["test", "--check", "scenarios/b"])
        .fails(2, "", "no scenario was found");
    project
        .fsmsim(["test", "--check", "scenarios/door.yaml"])
        .succeeds("\n1 passed in 2 turns\n");
    project
        .fsmsim(["test", "--prune"])
        .env("CI", "1")
        .refuses("snapshots are not removed where `CI` is set");
    project
        .fsmsim(["test", "--prune"])
        .succeeds("\nREMOVED snapshots/b/c/входит-и-выходит.snap\n");
    assert_eq!(
        project.files(),
        ["flow.yaml", "scenarios/door.yaml", SNAPSHOT]
    );
    assert!(!project.path().join("snapshots/b").exists());
}

#[test]
fn what_belongs_to_a_file_that_cannot_be_read_or_is_not_wanted_is_no_orphan() {
    let project = project(PLAIN).file("scenarios/door/inner.yaml", PLAIN);
    project.fsmsim(["test", "--accept"]).succeeds("");
    project
        .fsmsim(["test", "--check", "-E", "title(~Nobody)"])
        .fails(2, "", "no scenario was found");
    project
        .fsmsim(["test", "--check", "scenarios/door"])
        .succeeds("\n1 passed in 2 turns\n");
    project.write("scenarios/door.yaml", "scenario: [");
    let run = project.fsmsim(["test", "--prune"]).fails(
        2,
        "UNUSABLE scenarios/door.yaml:1 (no title)\n",
        "",
    );
    assert!(!run.stdout.contains("REMOVED"), "{run}");
    assert!(project.files().contains(&SNAPSHOT.to_owned()));
}

#[test]
fn a_renamed_scenario_is_known_again_and_takes_its_snapshot_along() {
    let expecting = PLAIN.replace(
        "intent: agreement",
        "{intent: agreement, expect: {state: hall}}",
    );
    let project = project(&expecting);
    project.fsmsim(["test", "--accept"]).succeeds("");
    std::fs::remove_file(project.path().join("scenarios/door.yaml")).unwrap();
    project.write(
        "scenarios/gate.yaml",
        expecting.replace("Входит и выходит", "Another's title"),
    );
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    project
        .fsmsim(["test", "--accept", "-E", "title(=Another's title)"])
        .succeeds(&format!(
            "; 1 snapshot accepted\nMOVED {SNAPSHOT} -> snapshots/gate/another-s-title.snap\n"
        ));
    assert_eq!(
        project.files(),
        [
            "flow.yaml",
            "scenarios/gate.yaml",
            "snapshots/gate/another-s-title.snap"
        ]
    );
}

#[test]
fn a_difference_that_somebody_committed_fails_where_nothing_is_written() {
    let project = project(GOOD).file(
        "snapshots/door/in-and-out.snap.new",
        "---\nsource: x\n---\n- turn: 1\n",
    );
    let told = "turns; 1 snapshot pending\nPENDING snapshots/door/in-and-out.snap.new\n";
    project.fsmsim(["test", "--check"]).fails(1, told, "");
    project.fsmsim(["test"]).env("CI", "yes").fails(1, told, "");
    project.fsmsim(["test"]).succeeds("");
}

#[test]
fn scenarios_without_a_snapshot_are_listed_and_forbidden() {
    let project = project(GOOD);
    let told = "; 1 without a snapshot\nNO SNAPSHOT scenarios/door.yaml:1 In and out\n";
    project
        .fsmsim(["test", "--require-snapshots"])
        .fails(1, told, "");
    project
        .fsmsim(["test", "--accept", "--require-snapshots"])
        .succeeds("");
    project
        .fsmsim(["test", "--check", "--require-snapshots"])
        .succeeds("\n1 passed in 3 turns\n");
}

#[cfg(unix)]
#[test]
fn a_folder_of_snapshots_that_cannot_be_read_is_no_pass() {
    let project = project(GOOD).file("snapshots/x", "");
    std::os::unix::fs::symlink("door", project.path().join("snapshots/door")).unwrap();
    insta::assert_snapshot!(project.fsmsim(["test", "--check"]).shown());
}
