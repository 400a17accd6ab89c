//! `fsmsim mutate`: changes of models that scenarios notice, or do not notice.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Project, git};

/// A door whose last turn no scenario plays, and a state that no dialogue reaches.
const DOOR: &str = "\
flow: {name: door, policy: plain, entry_points: {default: closed}}
intents:
  open: {description: Open, examples: [open the door]}
  leave: {description: Leave, examples: [goodbye]}
states:
  closed: {transitions: {open: opened}}
  opened: {transitions: {leave: gone}}
  ghost: {transitions: {leave: closed}}
  gone: {is_final: true}
";

const OPENED: &str = "\
scenario: The door opens
model: door.yaml
turns: [{intent: open, expect: {state: opened}}]
";

fn door(scenario: &str) -> Project {
    Project::new()
        .file("door.yaml", DOOR)
        .file("scenarios/door.yaml", scenario)
}

/// The report in the mutation testing schema.
fn mutated(project: &Project, more: &[&str]) -> Value {
    let command = ["mutate", "door.yaml", "--report", "json"];
    let run = project.fsmsim(command).args(more).run();
    let report = serde_json::from_str(&run.stdout);
    report.unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

fn mutants(report: &Value) -> &[Value] {
    report["files"]["door.yaml"]["mutants"].as_array().unwrap()
}

/// The mutants of a line with this status.
fn with_status<'r>(report: &'r Value, line: u64, status: &str) -> Vec<&'r Value> {
    let mutants = mutants(report).iter();
    let is_wanted =
        |mutant: &&Value| mutant["location"]["start"]["line"] == line && mutant["status"] == status;
    mutants.filter(is_wanted).collect()
}

fn scores(report: &Value) -> (u64, u64) {
    let model = &report["config"]["models"][0];
    let score = |key: &str| model[key].as_u64().unwrap();
    (score("score_by_expectations"), score("score"))
}

#[test]
fn report_follows_the_mutation_testing_schema() {
    let report = mutated(&door(OPENED), &[]);
    assert_eq!(report["schemaVersion"], "2");
    assert_eq!(report["files"]["door.yaml"]["language"], "yaml");
    assert_eq!(report["files"]["door.yaml"]["source"], DOOR);
    let known = [
        "Killed",
        "Survived",
        "NoCoverage",
        "CompileError",
        "Ignored",
    ];
    let mut ids = BTreeSet::new();
    for mutant in mutants(&report) {
        assert!(ids.insert(mutant["id"].as_str().unwrap()), "{mutant:#}");
        let status = mutant["status"].as_str().unwrap();
        assert!(known.contains(&status), "{mutant:#}");
        assert_eq!(
            mutant["killedBy"] != Value::Array(Vec::new()),
            status == "Killed"
        );
        assert_eq!(
            mutant["statusReason"].is_string(),
            status != "Killed",
            "{mutant:#}"
        );
        let location = &mutant["location"];
        for place in [&location["start"], &location["end"]] {
            assert!(place["line"].as_u64() >= Some(1) && place["column"].as_u64() >= Some(1));
        }
    }
    let test = &report["testFiles"]["scenarios/door.yaml"]["tests"][0];
    assert_eq!(test["id"], "scenarios/door.yaml::The door opens");
}

#[test]
fn change_of_a_covered_transition_is_killed() {
    let report = mutated(&door(OPENED), &[]);
    let killed = with_status(&report, 6, "Killed");
    assert!(!killed.is_empty(), "{report:#}");
    let scenario = "scenarios/door.yaml::The door opens";
    assert!(
        killed
            .iter()
            .all(|mutant| mutant["killedBy"][0] == scenario)
    );
}

#[test]
fn unreached_state_has_mutants_that_are_proved_equivalent() {
    let report = mutated(&door(OPENED), &[]);
    let ignored = with_status(&report, 8, "Ignored");
    let reasons = ignored.iter().map(|mutant| mutant["statusReason"].as_str());
    let mut reasons = reasons.map(Option::unwrap);
    let is_proved =
        |reason: &str| reason.starts_with("proved equivalent: all dialogues are equal (");
    assert!(reasons.any(is_proved), "{report:#}");
    assert!(report["config"]["models"][0]["mutants"]["equivalent"].as_u64() > Some(0));
}

#[test]
fn proposed_scenarios_kill_what_survived() {
    let project = door(OPENED);
    let before = mutated(&project, &["--save", "scenarios/mutants"]);
    let proposed = before["config"]["scenarios"].as_object().unwrap();
    assert!(!proposed.is_empty(), "{before:#}");
    let statuses = ["Survived", "NoCoverage"];
    let open = statuses
        .map(|status| with_status(&before, 7, status))
        .concat();
    assert!(!open.is_empty(), "{before:#}");
    assert_eq!(project.fsmsim(["test"]).run().code, 0);
    let after = mutated(&project, &[]);
    let open = after["config"]["scenarios"].as_object().unwrap();
    assert!(open.is_empty(), "{after:#}");
    assert!(scores(&after) > scores(&before), "{:?}", scores(&after));
}

#[test]
fn snapshots_and_expectations_have_two_scores() {
    let project = door("scenario: In\nmodel: door.yaml\nturns: [{intent: open}]\n");
    assert_eq!(project.fsmsim(["test", "--accept"]).run().code, 0);
    let (by_expectations, score) = scores(&mutated(&project, &[]));
    assert!(
        by_expectations == 0 && score > 0,
        "{by_expectations} {score}"
    );
    let (_, without) = scores(&mutated(&project, &["--no-snapshots"]));
    assert_eq!(without, 0);
}

#[test]
fn result_depends_on_neither_threads_nor_stored_results() {
    let project = door(OPENED);
    let alone = mutated(&project, &["-j", "1"]);
    let stored = project.read(".fsmsim/mutants.jsonl");
    assert_eq!(mutated(&project, &["-j", "1"]), alone);
    assert_eq!(project.read(".fsmsim/mutants.jsonl"), stored);
    std::fs::remove_file(project.path().join(".fsmsim/mutants.jsonl")).unwrap();
    assert_eq!(mutated(&project, &["-j", "4"]), alone);
    assert_eq!(project.read("door.yaml"), DOOR);
}

#[test]
fn shards_divide_the_mutants_of_a_model() {
    let project = door(OPENED);
    let ids = |more: &[&str]| -> BTreeSet<String> {
        let report = mutated(&project, more);
        let mutants = report["files"]["door.yaml"]["mutants"].as_array();
        let ids = mutants
            .into_iter()
            .flatten()
            .map(|mutant| mutant["id"].to_string());
        ids.collect()
    };
    let [first, second] = ["1/2", "2/2"].map(|shard| ids(&["--shard", shard]));
    assert!(first.is_disjoint(&second));
    assert_eq!(&first | &second, ids(&[]));
}

#[test]
fn only_changed_lines_are_mutated() {
    let project = door(OPENED);
    let is_there = git(&project, &["init", "-q"]) && git(&project, &["add", "-A"]);
    if !is_there || !git(&project, &["commit", "-q", "-m", "x"]) {
        return;
    }
    let run = project.fsmsim(["mutate", "--changed", "HEAD"]).run();
    let text = "no model differs from `HEAD`\n";
    assert!(
        run.code == 0 && run.stderr.ends_with(text),
        "{}",
        run.stderr
    );
    project.write("door.yaml", DOOR.replace("leave: gone", "leave: closed"));
    let report = mutated(&project, &["--changed", "HEAD"]);
    let lines = mutants(&report).iter();
    let lines = lines.map(|mutant| mutant["location"]["start"]["line"].as_u64());
    assert_eq!(lines.collect::<BTreeSet<_>>(), BTreeSet::from([Some(7)]));
}

#[test]
fn required_score_decides_the_exit_code() {
    let project = door(OPENED);
    let code = |share: &str| {
        let command = ["mutate", "door.yaml", "--require", share];
        project.fsmsim(command).run().code
    };
    assert_eq!([code("100%"), code("1%"), code("101%")], [1, 0, 2]);
}

#[test]
fn model_without_passing_scenarios_is_refused() {
    let project = door(&OPENED.replace("state: opened", "state: gone"));
    let run = project.fsmsim(["mutate", "door.yaml"]).run();
    assert_eq!(run.code, 2);
    let title = "error[FS0207]: no scenario of the models passes\n";
    assert!(run.stderr.contains(title), "{}", run.stderr);
}

#[test]
fn text_lists_survivors_with_their_scenarios() {
    let run = door(OPENED).fsmsim(["mutate", "door.yaml"]).run();
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn page_and_comment_show_what_survived() {
    let project = door(OPENED);
    let written = |kind: &str| {
        let command = ["mutate", "door.yaml", "--report", kind];
        project.fsmsim(command).run().stdout
    };
    let page = written("html");
    assert!(page.contains("This scenario kills the mutant:"), "{page}");
    assert!(written("markdown").starts_with("### fsmsim mutate: "));
    let comment = written("github");
    assert!(
        comment.contains("::warning file=door.yaml,line=7"),
        "{comment}"
    );
}
