//! `fsmsim review`: pending snapshots, grouped by the cause of their difference.

use serde_json::Value;

use crate::support::{Project, Run, git};

pub(crate) const FLOW: &str = "\
states:
  greeting:
    goal: Someone is at the door
    rules: {question_features: answer_features}
    transitions:
      agreement: street
      rejection: end
  street: {goal: Walk, transitions: {agreement: end}}
  end: {goal: Leave, is_final: true}
entry_points: {default: greeting}
flow: {policy: sales}
";

pub(crate) fn scenario(title: &str, turn: &str) -> String {
    format!("scenario: {title}\nmodel: flow.yaml\nturns: [{turn}]\n")
}

/// A project with accepted snapshots: `agree` scenarios that agree, `ask` scenarios that ask, and one that no edit changes.
fn accepted(agree: usize, ask: usize) -> Project {
    let agrees = (0..agree).map(|n| {
        scenario(
            &format!("Agrees {n}"),
            &format!("{{intent: agreement, data: {{company_size: {n}}}}}"),
        )
    });
    let asks = (0..ask).map(|n| {
        scenario(
            &format!("Asks {n}"),
            &format!("{{intent: question_features, data: {{company_size: {n}}}}}"),
        )
    });
    let same = scenario("Stays the same", "{intent: rejection}");
    let scenarios = agrees
        .chain(asks)
        .chain([same])
        .collect::<Vec<_>>()
        .join("---\n");
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/door.yaml", scenarios);
    project.fsmsim(["test", "--accept"]).succeeds("accepted");
    project
}

/// The same, committed. `None` if git is not available.
fn committed(agree: usize, ask: usize) -> Option<Project> {
    let project = accepted(agree, ask);
    let is_there = git(&project, &["init", "-q"]) && git(&project, &["add", "-A"]);
    if !is_there || !git(&project, &["commit", "-q", "-m", "x"]) {
        eprintln!("skipped: git is not available");
        return None;
    }
    Some(project)
}

/// Two edits: the target of `agreement`, and the answer to `question_features`.
pub(crate) fn edit(project: &Project) {
    let edited = FLOW
        .replace("agreement: street", "agreement: end")
        .replace("answer_features", "explain_features");
    project.write("flow.yaml", edited);
}

pub(crate) fn json(project: &Project) -> Value {
    serde_json::from_str(&project.fsmsim(["review", "--format", "json"]).run().stdout).unwrap()
}

/// The IDs and titles of the causes, with the numbers of their results.
pub(crate) fn causes(project: &Project) -> Vec<(String, String, usize)> {
    let review = json(project);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let cause = |entry: &Value| {
        let results = entry["results"].as_array().unwrap().len();
        (text(&entry["id"]), text(&entry["title"]), results)
    };
    review["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(cause)
        .collect()
}

fn pending(project: &Project) -> usize {
    project
        .files()
        .iter()
        .filter(|file| file.ends_with(".snap.new"))
        .count()
}

#[test]
fn many_changed_snapshots_with_two_causes_are_two_decisions() {
    let Some(project) = committed(201, 52) else {
        return;
    };
    project
        .fsmsim(["review"])
        .succeeds("no pending snapshots\n");
    edit(&project);
    project
        .fsmsim(["test"])
        .fails(1, "1 passed, 253 failed in 254 turns\n", "");
    assert_eq!(pending(&project), 253);
    let causes = causes(&project);
    let [(walk, walk_title, 201), (ask, ask_title, 52)] = causes.as_slice() else {
        panic!("{causes:?}")
    };
    assert_eq!(
        (&**walk_title, &**ask_title),
        ("edited rule flow.yaml:6", "edited rule flow.yaml:4")
    );
    let run = project
        .fsmsim(["review", "--accept", walk])
        .fails(1, "", "");
    assert!(
        run.stdout
            .starts_with("accepted 201 snapshots: edited rule flow.yaml:6\n52 pending snapshots"),
        "{run}"
    );
    project
        .fsmsim(["review", "--reject", ask])
        .succeeds("rejected 52 snapshots: edited rule flow.yaml:4\n");
    assert_eq!(pending(&project), 0);
    // Rejected snapshots still differ, accepted ones do not.
    project
        .fsmsim(["test", "--check"])
        .fails(1, "202 passed, 52 failed", "");
}

#[test]
fn review_lists_causes_and_commands() {
    let Some(project) = committed(2, 1) else {
        return;
    };
    edit(&project);
    insta::assert_snapshot!(
        "test_lists_failures_by_cause",
        project.fsmsim(["test"]).shown()
    );
    insta::assert_snapshot!(project.fsmsim(["review"]).shown());
    insta::assert_snapshot!(
        "quiet_test_lists_only_causes",
        project.fsmsim(["test", "-q"]).shown()
    );
    insta::assert_snapshot!(
        "verbose_test_shows_each_failure",
        project.fsmsim(["test", "-v"]).shown()
    );
    // An argument limits the review to the named scenarios.
    project
        .fsmsim(["review", "scenarios/door.yaml::Asks 0"])
        .fails(1, "1 pending snapshot from", "");
    project
        .fsmsim(["review", "--accept", "all"])
        .succeeds("accepted 2 snapshots: ");
    project.fsmsim(["test", "--check"]).succeeds("");
}

#[test]
fn causes_without_a_repository_are_the_changed_fields() {
    let project = accepted(3, 2);
    edit(&project);
    project.fsmsim(["test"]).fails(1, "", "");
    let causes = causes(&project);
    let titles: Vec<_> = causes
        .iter()
        .map(|(_, title, count)| (&**title, *count))
        .collect();
    let state = "state.to: expected street, got end";
    assert_eq!(
        titles,
        [
            (state, 3),
            ("action: expected answer_features, got explain_features", 2)
        ]
    );
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
}

#[test]
fn since_option_compares_with_another_revision() {
    let Some(project) = committed(2, 1) else {
        return;
    };
    edit(&project);
    assert!(git(&project, &["commit", "-q", "-a", "-m", "y"]));
    // By default, a clean checkout is compared with its parent.
    project
        .fsmsim(["test", "--since", "HEAD"])
        .fails(1, "1. 2 scenarios  state.to: expected ", "");
    project
        .fsmsim(["test"])
        .fails(1, "1. 2 scenarios  edited rule flow.yaml:6", "");
    project.fsmsim(["test", "--since", "HEAD~1"]).fails(
        1,
        "1. 2 scenarios  edited rule flow.yaml:6",
        "",
    );
    project.fsmsim(["review", "--since", "HEAD~1"]).fails(
        1,
        "1. 2 snapshots  edited rule flow.yaml:6",
        "",
    );
    for command in ["test", "review"] {
        project
            .fsmsim([command, "--since", "nothing"])
            .refuses("unknown revision `nothing`");
    }
}

#[test]
fn clean_checkout_is_compared_with_the_target_branch() {
    let Some(project) = committed(2, 1) else {
        return;
    };
    // A fetched branch, as a clone has it.
    assert!(git(
        &project,
        &["update-ref", "refs/remotes/origin/main", "HEAD"]
    ));
    edit(&project);
    assert!(git(&project, &["commit", "-q", "-a", "-m", "y"]));
    project.write("notes.txt", "Later.\n");
    assert!(git(&project, &["add", "notes.txt"]) && git(&project, &["commit", "-q", "-m", "z"]));
    let test = || project.fsmsim(["test"]);
    test().fails(1, "1. 2 scenarios  state.to: expected ", "");
    for (variable, value) in [
        ("GITHUB_BASE_REF", "main"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "origin/main"),
    ] {
        test()
            .env(variable, value)
            .fails(1, "1. 2 scenarios  edited rule flow.yaml:6", "");
    }
    // A branch that is not fetched is a note.
    test().env("GITHUB_BASE_REF", "gone").fails(
        1,
        "1. 2 scenarios  state.to: expected ",
        "note[FS0502]: cannot find the revision `origin/gone`",
    );
    // Without a pull request, the target is the default branch.
    let default = [
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ];
    assert!(git(&project, &default));
    test().fails(1, "1. 2 scenarios  edited rule flow.yaml:6", "");
    // An edited model is compared with the last commit.
    let edited = project.read("flow.yaml").replace("goal: Walk", "goal: Run");
    project.write("flow.yaml", edited);
    test().fails(1, "1. 2 scenarios  state.to: expected ", "");
}

#[test]
fn failure_unrelated_to_the_edit_is_a_separate_cause() {
    let Some(project) = committed(1, 0) else {
        return;
    };
    let wrong = "{intent: rejection, expect: {state: street}}, {intent: agreement}";
    project.write("scenarios/wrong.yaml", scenario("Wrong", wrong));
    edit(&project);
    let run = project
        .fsmsim(["test"])
        .fails(1, "edited rule flow.yaml:6", "");
    assert!(
        run.stdout
            .contains("2. FAILED Wrong  (scenarios/wrong.yaml:1, flow.yaml@documented)\n"),
        "{run}"
    );
}

#[test]
fn edits_of_neighboring_keys_are_separate_causes() {
    let Some(project) = committed(3, 2) else {
        return;
    };
    let old = "    transitions:\n      agreement: street\n      rejection: end\n";
    let new = "    transitions:\n      agreement: end\n      rejection: street\n";
    project.write("flow.yaml", FLOW.replace(old, new));
    project.fsmsim(["test"]).fails(1, "", "");
    let causes = causes(&project);
    assert_eq!(
        causes
            .iter()
            .map(|(_, _, count)| *count)
            .collect::<Vec<_>>(),
        [3, 1],
        "{causes:?}"
    );
}

/// Adds an expectation to the first scenario, after the edit.
fn expecting(project: &Project, expectation: &str) {
    edit(project);
    project.fsmsim(["test"]).fails(1, "", "");
    let text = project.read("scenarios/door.yaml");
    let turn = "{company_size: 0}}]";
    let expecting = text.replacen(turn, &format!("{{company_size: 0}}{expectation}"), 1);
    assert_ne!(expecting, text);
    project.write("scenarios/door.yaml", expecting);
}

#[test]
fn failed_expectation_is_accepted_with_its_snapshot() {
    let project = accepted(1, 1);
    expecting(&project, ", expect: {state: street}}] # why");
    let before = project.read("scenarios/door.yaml");
    // The offer shows both values, and writes nothing.
    insta::assert_snapshot!(project.fsmsim(["review"]).shown());
    assert_eq!(project.read("scenarios/door.yaml"), before);
    project
        .fsmsim(["review", "--accept", "all"])
        .succeeds("accepted 1 snapshot and 1 expectation: ");
    assert_eq!(
        project.read("scenarios/door.yaml"),
        before.replace(
            "expect: {state: street}}] # why",
            "expect: {state: end}}] # why"
        )
    );
    project.fsmsim(["test", "--check"]).succeeds("3 passed");
}

#[test]
fn failed_expectation_is_not_accepted() {
    let project = accepted(1, 1);
    expecting(&project, "}]\nalways: {state: street}");
    insta::assert_snapshot!(project.fsmsim(["review", "--accept", "all"]).shown());
    assert_eq!(pending(&project), 1);
}

#[test]
fn result_that_is_not_as_expected_can_be_rejected() {
    let project = accepted(1, 1);
    expecting(&project, "}]\nalways: {state: street}");
    let run = project
        .fsmsim(["review"])
        .fails(1, "to reject them, run ", "");
    let (_, id) = run
        .stdout
        .split_once("to reject them, run `fsmsim review --reject ")
        .unwrap();
    let id = id.split('`').next().unwrap();
    let run = project.fsmsim(["review", "--reject", id]).run();
    assert!(
        run.stdout
            .starts_with("rejected 1 snapshot: not as expected"),
        "{run}"
    );
    assert_eq!(pending(&project), 1);
    project
        .fsmsim(["review", "--reject", "all"])
        .succeeds("rejected 1 snapshot: ");
    assert_eq!(pending(&project), 0);
}

#[test]
fn scenario_without_snapshot_is_reviewed_after_a_failed_run() {
    let project = Project::new().file("flow.yaml", FLOW).file(
        "scenarios/door.yaml",
        scenario(
            "Agrees",
            "{intent: agreement, expect: {state: street, class: hold}}",
        ),
    );
    project
        .fsmsim(["review"])
        .succeeds("no pending snapshots\n");
    project.fsmsim(["test"]).fails(1, "1 failed", "");
    let run = project
        .fsmsim(["review", "--format", "json"])
        .fails(1, "", "");
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    let offer = &value["causes"][0]["results"][0]["expectations"][0];
    assert_eq!(offer["at"], "scenarios/door.yaml:3:60");
    assert_eq!(
        (&offer["old"], &offer["new"]),
        (&"hold".into(), &"move".into())
    );
    project
        .fsmsim(["review", "--accept", "all"])
        .env("CI", "1")
        .refuses("cannot accept or reject snapshots if `CI` is set");
    project
        .fsmsim(["review", "--accept", "all"])
        .succeeds("accepted 1 expectation: ");
    project.fsmsim(["test"]).succeeds("1 passed");
    project
        .fsmsim(["review"])
        .succeeds("no pending snapshots\n");
}

#[test]
fn field_of_expectation_and_snapshot_is_listed_once() {
    let project = accepted(1, 0);
    expecting(&project, ", expect: {state: street}}]");
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
    let run = project.fsmsim(["test", "--report", "json"]).run();
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let failures = report["scenarios"][0]["failures"].as_array().unwrap();
    let states: Vec<&Value> = failures
        .iter()
        .filter(|failure| failure["field"] == "state")
        .collect();
    assert_eq!(states.len(), 1, "{report}");
    assert_eq!(states[0]["accepted"], "{from: greeting, to: street}");
}

#[test]
fn outdated_pending_snapshot_is_rejected() {
    let project = accepted(1, 1);
    edit(&project);
    project.fsmsim(["test"]).fails(1, "", "");
    project.write("flow.yaml", FLOW);
    insta::assert_snapshot!(project.fsmsim(["review", "--accept", "all"]).shown());
    assert_eq!(json(&project)["out_of_date"].as_array().unwrap().len(), 2);
    // The snapshot of a deleted scenario is orphaned.
    project.write(
        "scenarios/door.yaml",
        scenario("Agrees 0", "{intent: agreement}"),
    );
    let orphan = "ORPHANED snapshots/door/asks-0.snap.new: run `fsmsim test --prune`";
    project.fsmsim(["review"]).fails(1, orphan, "");
}

#[test]
fn two_reviews_at_the_same_time_both_succeed() {
    for decision in ["--accept", "--reject"] {
        let project = accepted(40, 10);
        edit(&project);
        project.fsmsim(["test"]).fails(1, "", "");
        std::thread::scope(|scope| {
            let review = || project.fsmsim(["review", decision, "all"]).run();
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(review)).collect();
            for run in runs {
                let run = run.join().unwrap();
                assert_eq!(run.code, 0, "{run}");
            }
        });
        assert_eq!(pending(&project), 0);
    }
}

#[test]
fn decision_is_rejected_in_ci_or_for_an_unknown_cause() {
    let project = accepted(1, 1);
    edit(&project);
    project.fsmsim(["test"]).fails(1, "", "");
    for decision in ["--accept", "--reject"] {
        project
            .fsmsim(["review", decision, "all"])
            .env("CI", "true")
            .refuses("snapshots if `CI` is set");
        project
            .fsmsim(["review", decision, "12345678"])
            .refuses("unknown cause `12345678`");
    }
    let run: Run = project
        .fsmsim(["review"])
        .env("CI", "1")
        .fails(1, "2 pending snapshots", "");
    assert!(!run.stdout.contains("--accept"), "{run}");
    project
        .fsmsim(["review", "--accept", "all", "--reject", "all"])
        .refuses("`all` is both accepted and rejected");
    project
        .fsmsim(["review", "nowhere"])
        .refuses("cannot find `nowhere`");
    assert_eq!(pending(&project), 2);
}

#[test]
fn merged_shards_have_the_causes_of_the_complete_run() {
    use fsmsim_reports::report::RunReport;
    let Some(project) = committed(40, 20) else {
        return;
    };
    edit(&project);
    let report = |shard: &[&str]| {
        let run = project
            .fsmsim(["test", "--check", "--report", "json"].iter().chain(shard))
            .run();
        RunReport::from_json(&run.stdout).unwrap()
    };
    let complete = report(&[]);
    assert_eq!(
        complete
            .causes
            .iter()
            .map(|cause| cause.scenarios.len())
            .collect::<Vec<_>>(),
        [40, 20]
    );
    let parts = ["1/3", "2/3", "3/3"].map(|shard| (shard.to_owned(), report(&["--shard", shard])));
    assert_eq!(
        RunReport::merged(parts.into()).unwrap().to_json(),
        complete.to_json()
    );
}

#[cfg(target_os = "linux")]
mod at_a_terminal {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::OwnedFd;
    use std::process::Stdio;
    use std::time::Duration;

    use nix::pty::openpty;

    use super::{accepted, edit, pending};
    use crate::support::Project;

    /// The end of the prompt for a key.
    const ASKS: &str = "q quit > ";

    /// Runs a review at a terminal and presses each key when the prompt appears. Returns the output and the exit code.
    fn pressing(project: &Project, keys: &str, editor: &str) -> (String, i32) {
        let terminal = openpty(None, None).unwrap();
        let mut ours = File::from(terminal.master);
        let theirs: OwnedFd = terminal.slave;
        let of_terminal = || Stdio::from(theirs.try_clone().unwrap());
        let run = project
            .fsmsim(["review", "--color", "never"])
            .env("VISUAL", editor)
            .at(of_terminal);
        let mut child = run.stdout(of_terminal()).spawn();
        drop(theirs);
        let (mut shown, mut keys, mut asked) = (Vec::new(), keys.chars(), 0);
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = ours.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
            let asks = String::from_utf8_lossy(&shown).matches(ASKS).count();
            while asked < asks {
                asked += 1;
                // Ctrl-C is a key only after the program has set the terminal to raw mode.
                std::thread::sleep(Duration::from_millis(100));
                let Some(key) = keys.next() else { break };
                write!(ours, "{key}").unwrap();
            }
        }
        let code = child.wait().unwrap().code().unwrap();
        assert_eq!(keys.next(), None, "not all keys were asked for");
        (
            String::from_utf8(shown).unwrap().replace("\r\n", "\n"),
            code,
        )
    }

    fn with_pending_snapshots() -> Project {
        let project = accepted(3, 2);
        edit(&project);
        project.fsmsim(["test"]).fails(1, "", "");
        project
    }

    #[test]
    fn each_decision_is_applied_immediately() {
        let project = with_pending_snapshots();
        // Of the first cause: one accepted, one skipped, one rejected. Of the second cause: all accepted.
        let (shown, code) = pressing(&project, "asrA", "");
        insta::assert_snapshot!(format!("{shown}? {code}"));
        assert_eq!(pending(&project), 1);
        let (shown, code) = pressing(&project, "a", "");
        assert!(
            shown.ends_with("  accepted 1 snapshot\nno snapshot is pending\n"),
            "{shown}"
        );
        assert_eq!((code, pending(&project)), (0, 0));
        project
            .fsmsim(["test", "--check"])
            .fails(1, "5 passed, 1 failed", "");
    }

    #[test]
    fn quitting_keeps_the_remaining_snapshots_pending() {
        for key in ["q", "\u{3}", "\u{4}", "\u{1b}"] {
            let project = with_pending_snapshots();
            let (shown, code) = pressing(&project, &format!("a{key}"), "");
            assert!(
                shown.ends_with("\n4 snapshots still pending\n"),
                "{key:?} {shown}"
            );
            assert_eq!((code, pending(&project)), (1, 4), "{key:?}");
        }
    }

    #[test]
    fn review_shows_the_dialogue_and_opens_the_flow() {
        let project = with_pending_snapshots();
        let (shown, _) = pressing(&project, "dvo?Sq", "echo opened");
        assert!(shown.contains("    turn 1: greeting -> end"), "{shown}");
        assert!(shown.contains("opened +6 flow.yaml\n"), "{shown}");
        assert!(
            shown.contains("  a  accept: save the new result as the snapshot, and in the expectations that failed\n"),
            "{shown}"
        );
        assert_eq!(pending(&project), 5);
        let (shown, code) = pressing(&project, "o", "sed -i s/Walk/Stroll/ -s");
        assert!(
            shown.contains("the file has changed: run `fsmsim test`"),
            "{shown}"
        );
        assert_eq!((code, pending(&project)), (1, 5));
    }
}
