//! Flaky scenarios.

use serde_json::Value;

use crate::support::{Project, walk};

/// Recognizes `maybe` as one of two intents, times out for half of `away`, and recognizes everything else as one intent.
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

fn report(project: &Project, name: &str, trials: &str) {
    let report = format!("json={name}");
    project
        .fsmsim([
            "test",
            "--check",
            "--repeat",
            trials,
            "--no-early-stop",
            "--report",
            &report,
        ])
        .ends(0, "", "");
}

#[test]
fn repeated_run_reports_varying_results() {
    let project = project();
    let run = project.fsmsim(["test", "--check", "--repeat", "20", "--no-early-stop"]);
    insta::assert_snapshot!(run.shown());
    // If the result is already decided, the run stops early.
    let short = project
        .fsmsim(["test", "--check", "--repeat", "20", "--report", "json"])
        .succeeds("");
    let short: Value = serde_json::from_str(&short).unwrap();
    let trials = |title: usize| {
        short["scenarios"][title]["trials"]["trials"]
            .as_u64()
            .unwrap()
    };
    assert!(
        trials(0) == 5 && trials(1) < 20 && trials(2) < 20,
        "{short}"
    );
}

#[test]
fn report_groups_varying_answers_by_state_and_intent() {
    let project = project();
    report(&project, "r.json", "20");
    let report: Value = serde_json::from_str(&project.read("r.json")).unwrap();
    let varying = &report["flakiness"]["scenarios"][1];
    assert_eq!(varying["id"], "scenarios/a.yaml::Perhaps");
    let (passed, failed) = (
        varying["passed"].as_u64().unwrap(),
        varying["failed"].as_u64().unwrap(),
    );
    assert_eq!(passed + failed, 20);
    let passing = &varying["passing"];
    let number = |name: &str| passing[name].as_f64().unwrap();
    assert!(
        number("low") < number("share") && number("share") < number("high"),
        "{passing}"
    );
    // Answers that differ only in confidence count as equal.
    let question = &varying["questions"][0];
    assert_eq!(
        (&question["turn"], &question["state"], &question["need"]),
        (&2.into(), &"greeting".into(), &"classify".into())
    );
    assert_eq!(question["answers"].as_array().unwrap().len(), 2);
    let intents = report["flakiness"]["intents"].as_array().unwrap();
    // Both answers are equally frequent, so the entropy has its maximum: 1 bit.
    let agreement = intents
        .iter()
        .find(|one| one["name"] == "agreement")
        .unwrap();
    assert_eq!(
        (&agreement["answers"], &agreement["entropy"]),
        (&20.into(), &1.0.into()),
        "{agreement}"
    );
    // Trials with a timeout do not count as passed or failed.
    let away = &report["flakiness"]["scenarios"][0];
    assert_eq!(away["id"], "scenarios/a.yaml::Now and then");
    assert!(
        away["passed"].as_u64().unwrap() < 20 && away["failed"] == 0,
        "{away}"
    );
}

#[test]
fn several_reports_are_combined() {
    let project = project();
    report(&project, "a.json", "4");
    report(&project, "b.json", "9");
    let output = project
        .fsmsim(["flaky", "a.json", "b.json"])
        .succeeds("in 2 runs");
    insta::assert_snapshot!(output);
    // The order of the reports does not matter.
    assert_eq!(
        project.fsmsim(["flaky", "b.json", "a.json"]).succeeds(""),
        output
    );
    let json = project
        .fsmsim(["flaky", "a.json", "b.json", "--format", "json"])
        .succeeds("");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["fsmsim_flakiness"], &json["runs"]),
        (&2.into(), &2.into())
    );
    assert_eq!(json["scenarios"][2]["trials"], 13);
    let schema =
        serde_json::from_str(&project.fsmsim(["schema", "flakiness"]).succeeds("")).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<String> = schema
        .iter_errors(&json)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
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
            "--no-early-stop",
            "--report",
            "html",
        ])
        .succeeds("");
    assert!(run.contains("Flaky scenarios") && run.contains("\"flakiness\":{"));
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
        .succeeds("1 of 2 trials passed");
    for twice in ["a.json", "./a.json"] {
        project
            .fsmsim(["flaky", "a.json", twice])
            .refuses("the report is given twice");
    }
    // Reports of two runs can be identical.
    project.write("twin.json", project.read("a.json"));
    project
        .fsmsim(["flaky", "a.json", "twin.json"])
        .succeeds("1 scenario with the same results in 2 runs");
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
fn invalid_or_partial_reports_are_rejected() {
    let project = project().file("none.json", "{}").file("list.json", "[1]");
    project
        .fsmsim(["flaky", "none.json"])
        .refuses("error[FS0313]: invalid run report");
    project
        .fsmsim(["flaky", "list.json"])
        .refuses("invalid run report");
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
    project.fsmsim(["flaky", "s.json"]).refuses("found a shard");
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
        .refuses("found one of `fsmsim simulate`");
}

#[test]
fn closed_stdout_is_not_an_error() {
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
