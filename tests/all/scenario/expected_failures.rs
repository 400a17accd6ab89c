//! Failures that are known: `expected_failure`, of a scenario, of a turn, of a field.

use super::expectations::project;
use crate::support::Invocation;

fn test(scenario: &str) -> Invocation {
    project(scenario).fsmsim(["test"])
}

const KNOWN: &str = "\
scenario: The hall is missed
model: flow.yaml
turns:
  - intent: agreement
    expect: {state: street, class: move, missing: []}
    expected_failure: {state: the document leads to the street, missing: nothing is missing there}
  - intent: info_provided
    data: {name: Ann}
    expect: {state: street}
";

#[test]
fn a_failure_that_is_known_is_counted_and_shown_and_fails_no_run() {
    let head =
        "  EXPECTED FAILURE The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)\n";
    test(KNOWN).succeeds(&format!(
        "scenarios/door.yaml: 0 passed, 1 expected failure\n{head}\n0 passed, 1 expected failure in 2 turns\n"
    ));
    test(KNOWN).args(["-v"]).succeeds(&format!(
        "{head}    turn 1, scenarios/door.yaml:5:21: intent_transition_agreement (flow.yaml:5)
      state: expected \"street\", got \"hall\" (known: the document leads to the street)
      missing: expected [], got [\"name\"] (known: nothing is missing there)
"
    ));
}

#[test]
fn a_known_failure_that_passes_is_stale_and_fails_the_run() {
    test(&KNOWN.replace("{state: street, class", "{state: hall, class")).fails(
        1,
        "scenarios/door.yaml: 0 passed, 1 stale
  STALE The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)

1. STALE The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)
    turn 1, scenarios/door.yaml:6:31: `state` is as expected, though a failure is expected: the document leads to the street
",
        "",
    );
}

#[test]
fn a_turn_that_is_known_to_fail_must_fall_short_of_something_whatever_it_is() {
    let turn = |expect: &str| {
        format!(
            "scenario: A\nmodel: flow.yaml\nturns:\n  - intent: agreement\n    expect: {expect}\n    expected_failure: not yet\n"
        )
    };
    test(&turn("{state: street, class: finish}"))
        .succeeds("0 passed, 1 expected failure in 1 turn");
    let stale =
        "turn 1, scenarios/door.yaml:6:23: nothing fails, though a failure is expected: not yet";
    test(&turn("{state: hall}")).fails(1, stale, "");
}

#[test]
fn what_is_not_known_fails_beside_what_is() {
    let run = test(&KNOWN.replace(
        "    expect: {state: street}\n",
        "    expect: {state: hall}\n",
    ));
    run.fails(
        1,
        "scenarios/door.yaml: 0 passed, 1 failed
  FAILED The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)

1. FAILED The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)
    turn 2, scenarios/door.yaml:9:21: data_complete (flow.yaml:9)
      state: expected \"hall\", got \"street\"
    turn 1, scenarios/door.yaml:5:21: intent_transition_agreement (flow.yaml:5)
      state: expected \"street\", got \"hall\" (known: the document leads to the street)
",
        "",
    );
    // The turn itself does not excuse fields that it does not name.
    test(&KNOWN.replace("class: move", "class: finish")).fails(
        1,
        "class: expected \"finish\", got \"move\"\n",
        "",
    );
}

#[test]
fn a_whole_scenario_may_be_known_to_fail_also_in_its_end() {
    let scenario = |end: &str| {
        format!(
            "scenario: A\nmodel: flow.yaml\nexpected_failure: asked for in spring\n\
             turns: [{{intent: agreement, expect: {{state: hall}}}}]\nend: {end}\n"
        )
    };
    test(&scenario("{final: true}")).args(["-v"]).succeeds(
        "  EXPECTED FAILURE A  (scenarios/door.yaml:1, flow.yaml@documented)
    end, scenarios/door.yaml:5:14: intent_transition_agreement (flow.yaml:5)
      final: expected true, got false (known: asked for in spring)
",
    );
    let stale = "\n1. STALE A  (scenarios/door.yaml:1, flow.yaml@documented)
    scenarios/door.yaml:3:19: nothing fails, though a failure is expected: asked for in spring
";
    test(&scenario("{final: false}")).fails(1, stale, "");
}

#[test]
fn a_scenario_that_cannot_be_played_is_no_expected_failure() {
    let unusable = "scenario: A\nmodel: nowhere.yaml\nexpected_failure: no model\nturns: [{intent: agreement}]\n";
    test(unusable).ends(2, "0 passed, 1 unusable", "`nowhere.yaml` does not exist");
    let said = "scenario: A\nmodel: flow.yaml\nllm: mock.yaml\nexpected_failure: nobody\n\
                turns: [{say: Hello, expect: {state: hall}}]\n";
    let project = project(said).file("mock.yaml", "rules: [{fault: time_out}]\n");
    project
        .fsmsim(["test"])
        .unavailable("0 passed, 1 unavailable", "");
}

#[test]
fn a_transcript_knows_its_failures_too() {
    let talk = "---\nmodel: flow.yaml\n---\n# A talk\n\n**User:** Yes. `{intent: agreement}`\n\
                <!-- expect: {state: street}, expected_failure: {state: it stops in the hall} -->\n";
    let project = project(KNOWN).file("scenarios/talk.md", talk);
    project
        .fsmsim(["test", "-v"])
        .succeeds("state: expected \"street\", got \"hall\" (known: it stops in the hall)");
}

#[test]
fn what_is_known_of_one_play_is_known_of_all() {
    let turns =
        "turns: [{say: Yes, expect: {state: street}, expected_failure: {state: not yet}}]\n";
    let scenario =
        format!("scenario: A\nmodel: flow.yaml\nllm: mock.yaml\nrequire: 2 of 3\n{turns}");
    let project = project(&scenario).file("mock.yaml", "rules: [{answer: {intent: agreement}}]\n");
    project
        .fsmsim(["test"])
        .succeeds("0 passed, 1 expected failure");
}

#[test]
fn a_stale_scenario_changes_no_snapshot() {
    let project = project(KNOWN);
    project
        .fsmsim(["test", "--accept"])
        .succeeds("0 passed, 1 expected failure in 2 turns; 1 snapshot accepted");
    project.write(
        "scenarios/door.yaml",
        KNOWN.replace("{state: street, class", "{state: hall, class"),
    );
    let run = project
        .fsmsim(["test", "--accept"])
        .fails(1, "1 stale in 2 turns", "");
    assert!(!run.stdout.contains("accepted"), "{run}");
}
