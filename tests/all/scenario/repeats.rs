//! Scenarios that are played several times, since whoever is asked does not always say the same.

use crate::support::{Invocation, Project};

/// Says yes in about half of all dialogues, and is away in some.
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
fn a_share_of_the_plays_must_pass() {
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
fn repeating_scales_the_share_and_without_one_all_must_pass() {
    play(&["--repeat", "40"], &maybe("require: 1 of 4")).succeeds("");
    play(&["--repeat", "40"], &maybe("require: 4 of 4")).fails(1, "", "");
    play(&["--repeat", "40"], &maybe("")).fails(1, "40 of 40 plays must pass;", "");
}

#[test]
fn what_asks_nobody_is_played_once() {
    let scripted = "scenario: Scripted\nrequire: 2 of 3\nturns: [{say: maybe, intent: agreement, expect: {state: spin_situation}}]\n";
    play(&["--repeat", "1000"], scripted).succeeds("1 passed in 1 turn");
}

#[test]
fn plays_that_cannot_be_read_neither_pass_nor_fail() {
    let away = |require: &str, state: &str| {
        format!(
            "scenario: Away\nrequire: {require}\nturns: [{{say: away, expect: {{state: {state}}}}}]\n"
        )
    };
    play(&[], &away("1 of 10", "spin_situation")).succeeds("");
    play(&[], &away("10 of 10", "spin_situation")).unavailable("no answer came in time", "");
    // So many plays fell short that those that could not be read make no difference.
    play(&[], &away("10 of 10", "success")).fails(1, "", "");
}

#[test]
fn a_scenario_that_failed_before_nobody_answered_has_failed() {
    let turns = "turns:\n- {say: never, expect: {state: success}}\n- {say: nobody knows this}\n";
    play(&[], &format!("scenario: Both\n{turns}")).fails(1, "", "");
}

#[test]
fn where_plays_may_differ_something_must_be_expected() {
    play(
        &[],
        "scenario: Free\nrequire: 1 of 3\nturns: [{say: never}]\n",
    )
    .fails(2, "", "is played several times and expects nothing");
}

#[test]
fn what_asks_nobody_needs_to_expect_nothing_however_often_others_are_played() {
    let scripted = "scenario: Scripted\nend: {final: false}\nturns: [{intent: greeting}]\n";
    play(&["--repeat", "3"], scripted).succeeds("in 1 turn");
    // Its snapshot is held against what it does.
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
fn requirements_that_mean_nothing() {
    let told: Vec<String> = ["0 of 3", "4 of 3", "2/3", "all", "1 of 9999999", "{}"]
        .into_iter()
        .map(|require| {
            let stderr = play(&[], &maybe(&format!("require: {require}")))
                .fails(2, "", "")
                .stderr;
            stderr.lines().next().unwrap_or_default().to_owned()
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    play(&["--repeat", "0"], &maybe("")).refuses("");
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_threads() {
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
