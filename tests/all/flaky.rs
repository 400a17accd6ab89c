//! What does not always come out the same.

use serde_json::Value;

use crate::support::{Project, walk};

/// Reads `maybe` in two ways, and everything else in one.
const MOCK: &str = "\
seed: 7
rules:
  - {say: maybe, rate: 0.5, answer: {intent: agreement, confidence: 0.9}}
  - {say: maybe, answer: {intent: price_question, confidence: 0.8}}
  - {say: away, rate: 0.5, fault: time_out}
  - {say: '.', answer: {intent: greeting}}
";

fn project() -> Project {
    let scenario = |title: &str, say: &str, action: &str| {
        format!(
            "---\nscenario: {title}\nmodel: flows/spin_selling\nllm: m.yaml\nrequire: 1 of 4\nturns:\n  - {{say: hello}}\n  - {{say: {say}, expect: {{{action}}}}}\n"
        )
    };
    let text = [
        scenario("Surely", "hello", "state: greeting"),
        scenario("Perhaps", "maybe", "action: transition_to_spin_situation"),
        scenario("Now and then", "away", "state: greeting"),
    ];
    Project::new()
        .with_flows()
        .file("m.yaml", MOCK)
        .file("scenarios/a.yaml", text.concat())
}

fn report(project: &Project, name: &str, plays: &str) {
    let report = format!("json={name}");
    project
        .fsmsim([
            "test",
            "--check",
            "--repeat",
            plays,
            "--every-play",
            "--report",
            &report,
        ])
        .ends(0, "", "");
}

#[test]
fn a_run_tells_what_its_plays_differ_in() {
    let project = project();
    let run = project.fsmsim(["test", "--check", "--repeat", "20", "--every-play"]);
    insta::assert_snapshot!(run.shown());
    // Where the result is certain before, no more is played.
    let short = project
        .fsmsim(["test", "--check", "--repeat", "20", "--report", "json"])
        .succeeds("");
    let short: Value = serde_json::from_str(&short).unwrap();
    let plays = |title: usize| {
        short["scenarios"][title]["plays"]["plays"]
            .as_u64()
            .unwrap()
    };
    assert!(plays(0) == 5 && plays(1) < 20 && plays(2) < 20, "{short}");
}

#[test]
fn a_report_has_what_plays_came_to_by_state_and_by_intent() {
    let project = project();
    report(&project, "r.json", "20");
    let report: Value = serde_json::from_str(&project.read("r.json")).unwrap();
    let perhaps = &report["flakiness"]["scenarios"][1];
    assert_eq!(perhaps["id"], "scenarios/a.yaml::Perhaps");
    let (passed, failed) = (
        perhaps["passed"].as_u64().unwrap(),
        perhaps["failed"].as_u64().unwrap(),
    );
    assert_eq!(passed + failed, 20);
    let passing = &perhaps["passing"];
    let number = |name: &str| passing[name].as_f64().unwrap();
    assert!(
        number("low") < number("share") && number("share") < number("high"),
        "{passing}"
    );
    // Only the confidence differs in nothing that counts.
    let question = &perhaps["questions"][0];
    assert_eq!(
        (&question["turn"], &question["state"], &question["need"]),
        (&2.into(), &"greeting".into(), &"classify".into())
    );
    assert_eq!(question["answers"].as_array().unwrap().len(), 2);
    let intents = report["flakiness"]["intents"].as_array().unwrap();
    // Half of the answers were the more frequent one of the two: as uncertain as two answers can be.
    let agreement = intents
        .iter()
        .find(|one| one["name"] == "agreement")
        .unwrap();
    assert_eq!(
        (&agreement["answers"], &agreement["entropy"]),
        (&20.into(), &1.0.into()),
        "{agreement}"
    );
    // Nobody answered in some plays: they neither passed nor failed.
    let away = &report["flakiness"]["scenarios"][0];
    assert_eq!(away["id"], "scenarios/a.yaml::Now and then");
    assert!(
        away["passed"].as_u64().unwrap() < 20 && away["failed"] == 0,
        "{away}"
    );
}

#[test]
fn several_runs_are_told_together() {
    let project = project();
    report(&project, "a.json", "4");
    report(&project, "b.json", "9");
    let told = project
        .fsmsim(["flaky", "a.json", "b.json"])
        .succeeds("in 2 runs");
    insta::assert_snapshot!(told);
    // In whatever order they are named.
    assert_eq!(
        project.fsmsim(["flaky", "b.json", "a.json"]).succeeds(""),
        told
    );
    let json = project
        .fsmsim(["flaky", "a.json", "b.json", "--format", "json"])
        .succeeds("");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["fsmsim_flakiness"], &json["runs"]),
        (&1.into(), &2.into())
    );
    assert_eq!(json["scenarios"][2]["plays"], 13);
    let schema =
        serde_json::from_str(&project.fsmsim(["schema", "flakiness"]).succeeds("")).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let faults: Vec<String> = schema
        .iter_errors(&json)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    project
        .fsmsim(["flaky", "a.json", "--report", "html=f.html"])
        .succeeds("in 1 run");
    let page = project.read("f.html");
    assert!(page.contains("a.yaml::Perhaps") && page.contains("By intent"));
    let run = project
        .fsmsim([
            "test",
            "--check",
            "--repeat",
            "9",
            "--every-play",
            "--report",
            "html",
        ])
        .succeeds("");
    assert!(run.contains("Not always the same") && run.contains("\"flakiness\":{"));
}

#[test]
fn runs_without_repeats_are_compared_by_their_verdicts() {
    let scenario = |state: &str| {
        format!(
            "scenario: A\nmodel: flows/bant\nturns: [{{intent: greeting, expect: {{state: {state}}}}}]\n"
        )
    };
    let project = Project::new()
        .with_flows()
        .file("scenarios/a.yaml", scenario("greeting"));
    project
        .fsmsim(["test", "--report", "json=a.json"])
        .succeeds("");
    project.write("scenarios/a.yaml", scenario("success"));
    project
        .fsmsim(["test", "--report", "json=b.json"])
        .fails(1, "", "");
    project
        .fsmsim(["flaky", "a.json", "b.json"])
        .succeeds("1 of 2 plays passed");
    for twice in ["a.json", "./a.json"] {
        project
            .fsmsim(["flaky", "a.json", twice])
            .refuses("the report is named twice");
    }
    // Two runs may do the same, to the byte.
    project.write("twin.json", project.read("a.json"));
    project
        .fsmsim(["flaky", "a.json", "twin.json"])
        .succeeds("1 scenario always did the same");
    let constants = walk(project.path())
        .into_iter()
        .find(|path| path.ends_with("flows/bant/states.yaml"))
        .unwrap();
    std::fs::write(
        &constants,
        std::fs::read_to_string(&constants).unwrap() + "\n# edited\n",
    )
    .unwrap();
    project
        .fsmsim(["test", "--report", "json=c.json"])
        .fails(1, "", "");
    project
        .fsmsim(["flaky", "a.json", "c.json"])
        .warns("", "different versions of `flows/bant`");
}

#[test]
fn what_is_no_report_of_scenarios_is_refused() {
    let project = project().file("none.json", "{}").file("list.json", "[1]");
    project
        .fsmsim(["flaky", "none.json"])
        .refuses("the file is no report of a run");
    project
        .fsmsim(["flaky", "list.json"])
        .refuses("the file is no report of a run");
    project.fsmsim(["flaky", "away.json"]).refuses("FS0001");
    project
        .fsmsim([
            "test",
            "--check",
            "--shard",
            "1/2",
            "--report",
            "json=s.json",
        ])
        .ends(0, "", "");
    project
        .fsmsim(["flaky", "s.json"])
        .refuses("the report is of a share of a run");
    project
        .fsmsim([
            "simulate",
            "flows/bant",
            "--dialogues",
            "2",
            "--report",
            "json=m.json",
        ])
        .ends(0, "", "");
    project
        .fsmsim(["flaky", "m.json"])
        .refuses("the report is of `simulate`");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = project();
    report(&project, "a.json", "9");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = project
        .fsmsim(["flaky", "a.json"])
        .stdout(writer.into())
        .run();
    assert_eq!((run.code, &*run.stderr), (0, ""), "{run}");
}
