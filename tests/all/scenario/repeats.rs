//! Scenarios with several trials, for recognizers whose answers vary.

use crate::support::{Invocation, Project};

/// A mock whose answer to `maybe` varies, and that sometimes times out.
const MOCK: &str = "\
seed: 7
rules:
  - {say: maybe, rate: 0.5, answer: {intent: agreement}}
  - {say: maybe, answer: {intent: unclear}}
  - {say: away, rate: 0.5, fault: time_out}
  - {say: away, answer: {intent: agreement}}
  - {say: never, answer: {intent: unclear}}
";

fn play(arguments: &[&str], scenario: &str) -> Invocation {
    let scenario = format!("model: flows/spin_selling\nllm: m.yaml\n{scenario}");
    let project = Project::new()
        .with_flows()
        .file("m.yaml", MOCK)
        .file("scenarios/a.yaml", scenario);
    project.fsmsim(["test", "--check"]).args(arguments)
}

fn maybe(require: &str) -> String {
    let turns = "turns: [{say: maybe, expect: {state: spin_situation}}]";
    format!("scenario: Maybe\n{require}\n{turns}\n")
}

#[test]
fn required_number_of_trials_must_pass() {
    let codes: Vec<i32> = (1..=20)
        .map(|passes| {
            play(&[], &maybe(&format!("require: {passes} of 20")))
                .run()
                .code
        })
        .collect();
    let passing = codes.iter().take_while(|code| **code == 0).count();
    assert!((5..=15).contains(&passing), "{codes:?}");
    assert!(codes[passing..].iter().all(|code| *code == 1), "{codes:?}");
}

#[test]
fn repeat_option_scales_the_required_trials() {
    play(&["--repeat", "40"], &maybe("require: 1 of 4")).succeeds("");
    play(&["--repeat", "40"], &maybe("require: 4 of 4")).fails(1, "", "");
    play(&["--repeat", "40"], &maybe("")).fails(1, "40 of 40 trials must pass;", "");
}

#[test]
fn deterministic_scenario_runs_once() {
    let scripted = "scenario: Scripted\nrequire: 2 of 3\nturns: [{say: maybe, intent: agreement, expect: {state: spin_situation}}]\n";
    play(&["--repeat", "1000"], scripted).succeeds("1 passed in 1 turn");
}

#[test]
fn trials_without_an_answer_neither_pass_nor_fail() {
    let away = |require: &str, state: &str| {
        format!(
            "scenario: Away\nrequire: {require}\nturns: [{{say: away, expect: {{state: {state}}}}}]\n"
        )
    };
    play(&[], &away("1 of 10", "spin_situation")).succeeds("");
    play(&[], &away("10 of 10", "spin_situation"))
        .unavailable("no answer within the time limit", "");
    // Enough trials failed, so the unanswered trials cannot change the result.
    play(&[], &away("10 of 10", "success")).fails(1, "", "");
}

#[test]
fn failure_before_an_unanswered_turn_is_a_failure() {
    let turns = "turns:\n- {say: never, expect: {state: success}}\n- {say: nobody knows this}\n";
    play(&[], &format!("scenario: Both\n{turns}")).fails(1, "", "");
}

#[test]
fn scenario_with_varying_trials_needs_an_expectation() {
    play(
        &[],
        "scenario: Free\nrequire: 1 of 3\nturns: [{say: never}]\n",
    )
    .fails(2, "", "runs several trials but has no expectations");
}

#[test]
fn deterministic_scenario_needs_no_expectation_with_repeat() {
    let scripted = "scenario: Scripted\nend: {final: false}\nturns: [{intent: greeting}]\n";
    play(&["--repeat", "3"], scripted).succeeds("in 1 turn");
    // It is compared with its snapshot.
    let project = Project::new().with_flows().file("m.yaml", MOCK);
    project.write(
        "scenarios/a.yaml",
        "model: flows/spin_selling\nllm: m.yaml\nscenario: Scripted\nturns: [{intent: greeting}]\n",
    );
    project.fsmsim(["test", "--accept"]).run();
    project
        .fsmsim(["test", "--repeat", "3"])
        .succeeds("1 passed");
    let snapshot = "snapshots/a/scripted.snap";
    project.write(
        snapshot,
        project.read(snapshot).replace("greeting", "gretting"),
    );
    project.fsmsim(["test", "--repeat", "3"]).fails(1, "", "");
}

#[test]
fn invalid_requirements_are_reported() {
    let errors: Vec<String> = ["0 of 3", "4 of 3", "2/3", "all", "1 of 9999999", "{}"]
        .into_iter()
        .map(|require| {
            let stderr = play(&[], &maybe(&format!("require: {require}")))
                .fails(2, "", "")
                .stderr;
            stderr.lines().next().unwrap_or_default().to_owned()
        })
        .collect();
    insta::assert_snapshot!(errors.join("\n"));
    play(&["--repeat", "0"], &maybe("")).refuses("");
}

#[test]
fn equal_seeds_give_equal_output_for_any_thread_count() {
    let scenarios: String = (0..40)
        .map(|number| {
            format!(
                "---\nmodel: flows/spin_selling\nllm: m.yaml\n{}",
                maybe("require: 2 of 4").replace("Maybe", &format!("Maybe {number}"))
            )
        })
        .collect();
    let project = Project::new()
        .with_flows()
        .file("m.yaml", MOCK)
        .file("scenarios/a.yaml", scenarios);
    let run = |jobs: &str| project.fsmsim(["test", "--check", "-j", jobs]).shown();
    let one = run("1");
    assert!(one.contains("passed") && one.contains("failed"), "{one}");
    assert_eq!(one, run("8"));
}
