//! `fsmsim test`: snapshots of scenarios without expectations, and how to accept them.

use crate::scenario::expectations::{FLOW, GOOD, project};
use crate::support::{Project, git};

const PLAIN: &str = "\
scenario: Входит и выходит
model: flow.yaml
turns:
  - intent: agreement
  - {intent: info_provided, data: {name: Анна}}
";
const SNAPSHOT: &str = "snapshots/door/входит-и-выходит.snap";

#[test]
fn scenario_without_expectations_fails_until_accepted() {
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
fn edit_of_the_flow_makes_the_snapshot_pending() {
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

    // After the flow is fixed, the pending snapshot is removed.
    project.write("flow.yaml", FLOW);
    project.fsmsim(["test"]).succeeds("");
    assert!(!project.files().contains(&format!("{SNAPSHOT}.new")));
}

/// The flow, with this reply after `agreement`.
fn flow_that_says(reply: &str) -> String {
    format!("{FLOW}replies:\n  transition_to_hall: {reply}\n")
}

/// A reply of several lines.
const LONG: &str =
    "\"Good morning!\\nYour table for two is booked for Friday at seven.\\n\\nGoodbye\"";

#[test]
fn changed_long_reply_differs_by_lines_and_words_in_each_report() {
    let project = project(PLAIN);
    project.write("flow.yaml", flow_that_says(LONG));
    project.fsmsim(["test", "--accept"]).succeeds("");
    insta::assert_snapshot!("a_snapshot_with_a_long_reply", project.read(SNAPSHOT));
    project.write("flow.yaml", flow_that_says(&LONG.replace("two", "three")));
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    let lines = [
        "-   Your table for [-two-] is booked for Friday at seven.",
        "+   Your table for {+three+} is booked for Friday at seven.",
    ];
    let review = project.fsmsim(["review"]).fails(1, "", "").stdout;
    assert!(lines.iter().all(|line| review.contains(line)), "{review}");
    for kind in ["json", "junit", "tap", "github", "markdown", "html"] {
        let report = format!("--report={kind}=out");
        project
            .fsmsim(["test", "--check", &report])
            .fails(1, "", "");
        let report = project.read("out");
        for line in lines {
            assert!(report.contains(line), "{kind}: {line}\n{report}");
        }
    }
}

#[test]
fn changed_short_reply_differs() {
    let project = project(PLAIN);
    project.write("flow.yaml", flow_that_says("Come in!"));
    project.fsmsim(["test", "--accept"]).succeeds("");
    project.write("flow.yaml", flow_that_says("Go away!"));
    let lines = "      - - \"Come in!\"\n      + - \"Go away!\"\n";
    project.fsmsim(["test", "--check"]).fails(1, lines, "");
}

#[test]
fn field_that_a_snapshot_lacks_was_empty() {
    let project = project(PLAIN);
    project.write("flow.yaml", flow_that_says("Come in!"));
    project.fsmsim(["test", "--accept"]).succeeds("");
    let accepted = project.read(SNAPSHOT);
    let without = accepted.replace("  replies:\n    - \"Come in!\"\n", "");
    assert_ne!(accepted, without);
    project.write(SNAPSHOT, without);
    let lines = "      + replies:\n      + - \"Come in!\"\n";
    project.fsmsim(["test", "--check"]).fails(1, lines, "");
}

#[test]
fn changed_start_value_differs() {
    let scenario = "scenario: Входит и выходит\nmodel: flow.yaml\nstart: {data: {name: Anna}}\nturns: [{intent: agreement}]\n";
    let project = project(scenario);
    project.fsmsim(["test", "--accept"]).succeeds("");
    project.write("scenarios/door.yaml", scenario.replace("Anna", "Olga"));
    let lines =
        "      - carryover: {kept: {name: Anna}}\n      + carryover: {kept: {name: Olga}}\n";
    project.fsmsim(["test", "--check"]).fails(1, lines, "");
}

#[test]
fn reply_that_is_not_a_yaml_block_stays_on_one_line() {
    let project = project(PLAIN);
    project.write("flow.yaml", flow_that_says("\"  One\\nTwo\\n\""));
    project.fsmsim(["test", "--accept"]).succeeds("");
    let snapshot = project.read(SNAPSHOT);
    assert!(
        snapshot.contains("    - \"  One\\nTwo\\n\"\n"),
        "{snapshot}"
    );
    project.fsmsim(["test", "--check"]).succeeds("");
}

#[test]
fn check_and_ci_write_nothing() {
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
fn failed_expectation_is_never_accepted() {
    let project = project(&GOOD.replace("class: finish", "class: hold"));
    project.fsmsim(["test", "--accept"]).fails(1, "", "");
    assert_eq!(project.files(), ["flow.yaml", "scenarios/door.yaml"]);
}

#[test]
fn titles_with_the_same_snapshot_path_are_rejected() {
    let two = format!(
        "{PLAIN}---\n{}",
        PLAIN.replace("Входит и выходит", "Входит — и выходит!")
    );
    insta::assert_snapshot!(project(&two).fsmsim(["test", "--accept"]).shown());
}

#[test]
fn snapshot_of_a_scenario_elsewhere_is_stored_below_root() {
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
fn unwritable_snapshot_loses_nothing() {
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
fn invalid_snapshot_file_is_reported_and_not_overwritten() {
    let project = project(PLAIN).file(SNAPSHOT, "not a snapshot");
    insta::assert_snapshot!(project.fsmsim(["test", "--accept"]).shown());
    assert_eq!(project.read(SNAPSHOT), "not a snapshot");
}

#[test]
fn accept_command_for_one_scenario_is_shown_if_allowed() {
    let two = format!(
        "{PLAIN}---\n{}",
        PLAIN.replace("Входит и выходит", "It's another")
    );
    let project = project(&two);
    let another = "scenarios/door.yaml::It's another";
    let run = project
        .fsmsim(["test", another, "--profile", "documented"])
        .fails(1, "", "");
    let command = r"to accept it, run `fsmsim test --accept 'scenarios/door.yaml::It'\''s another' --profile documented`";
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
        .refuses("cannot find `scenarios/window.yaml::Nobody`");
}

#[test]
fn accept_command_is_not_shown_after_a_failed_expectation() {
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
fn added_and_removed_turns_are_shown() {
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
fn snapshot_names_are_latin_if_configured() {
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
fn files_with_one_name_and_device_titles_share_no_snapshot() {
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
fn snapshot_of_a_deleted_scenario_is_orphaned() {
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
    // A filter does not hide orphans, but paths do.
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
        .refuses("cannot remove snapshots if `CI` is set");
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
fn snapshots_of_unreadable_or_unselected_files_are_kept() {
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
        "INVALID scenarios/door.yaml:1 (no title)\n",
        "",
    );
    assert!(!run.stdout.contains("REMOVED"), "{run}");
    assert!(project.files().contains(&SNAPSHOT.to_owned()));
}

#[test]
fn renamed_scenario_keeps_its_snapshot() {
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
fn committed_pending_snapshot_fails_with_check_and_in_ci() {
    let pending = "snapshots/door/in-and-out.snap.new";
    let project = project(GOOD).file(pending, "---\nsource: x\n---\n- turn: 1\n");
    let orphan = "snapshots/door/deleted.snap.new";
    project.write(orphan, "---\nsource: x\n---\n- turn: 1\n");
    // Without a commit, these are outdated files of an earlier local run.
    project.fsmsim(["test", "--check"]).succeeds("1 passed");
    assert!(git(&project, &["init", "-q"]));
    project.fsmsim(["test", "--check"]).succeeds("1 passed");
    std::fs::remove_file(project.path().join(orphan)).unwrap();
    assert!(git(&project, &["add", "--force", pending]));
    let summary = "turns; 1 snapshot pending\nPENDING snapshots/door/in-and-out.snap.new\n";
    project.fsmsim(["test", "--check"]).fails(1, summary, "");
    project
        .fsmsim(["test"])
        .env("CI", "yes")
        .fails(1, summary, "");
    project.fsmsim(["test"]).succeeds("");
}

#[test]
fn pending_snapshot_that_still_differs_fails_with_check() {
    let project = project(GOOD);
    project.fsmsim(["test", "--accept"]).succeeds("");
    let snapshot = project.read("snapshots/door/in-and-out.snap");
    project.write(
        "snapshots/door/in-and-out.snap",
        snapshot.replacen("turn: 1", "turn: 7", 1),
    );
    project.fsmsim(["test"]).fails(1, "1 failed", "");
    let line = "PENDING snapshots/door/in-and-out.snap.new\n";
    project.fsmsim(["test", "--check"]).fails(1, line, "");
}

#[test]
fn require_snapshots_lists_scenarios_without_a_snapshot() {
    let project = project(GOOD);
    let summary = "; 1 without a snapshot\nNO SNAPSHOT scenarios/door.yaml:1 In and out\n";
    project
        .fsmsim(["test", "--require-snapshots"])
        .fails(1, summary, "");
    project
        .fsmsim(["test", "--accept", "--require-snapshots"])
        .succeeds("");
    project
        .fsmsim(["test", "--check", "--require-snapshots"])
        .succeeds("\n1 passed in 3 turns\n");
}

#[cfg(unix)]
#[test]
fn unreadable_snapshots_folder_fails() {
    let project = project(GOOD).file("snapshots/x", "");
    std::os::unix::fs::symlink("door", project.path().join("snapshots/door")).unwrap();
    insta::assert_snapshot!(project.fsmsim(["test", "--check"]).shown());
}

#[test]
fn cause_names_the_field_of_a_contract_that_differs() {
    let contract = "\
kind: contract
contract: {name: shop}
modes: [chat]
frames: {root: {carried: root, fields: {kind: text, topic: text, seen: list}}}
intents: {find: {say: 'find (?P<topic>\\w+)'}}
classes:
  FIND: {owner: root, intent: find, requires: nothing, carryover: full, forbids: [], answers: [], mode: chat, sets: {root.topic: {said: topic}, root.kind: a}}
";
    let scenario = |title: &str| {
        format!(
            "scenario: {title}\nmodel: shop.yaml\nturns: [{{say: find boats}}, {{say: find ships}}]\n"
        )
    };
    let project = Project::new().file("shop.yaml", contract).file(
        "scenarios/s.yaml",
        [scenario("One"), scenario("Two")].join("---\n"),
    );
    project.fsmsim(["test", "--accept"]).run();
    project.write(
        "shop.yaml",
        contract.replace("root.kind: a", "root.kind: b"),
    );
    let quiet = project.fsmsim(["test", "-q"]).fails(1, "", "").stdout;
    let title = "1. 2 scenarios  carryover.added.root.kind: expected a, got b";
    assert!(quiet.contains(title), "{quiet}");
    // Of a list, the items that differ.
    project.write(
        "shop.yaml",
        contract.replace("carryover: full", "carryover: none"),
    );
    let quiet = project.fsmsim(["test", "-q"]).fails(1, "", "").stdout;
    assert!(!quiet.contains("carryover: expected {"), "{quiet}");
}
