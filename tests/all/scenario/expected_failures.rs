//! Expected failures: `expected_failure` of a scenario, a turn or a field.

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
fn expected_failure_is_counted_and_shown_and_passes() {
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
fn expected_failure_that_passes_fails_the_run() {
    test(&KNOWN.replace("{state: street, class", "{state: hall, class")).fails(
        1,
        "scenarios/door.yaml: 0 passed, 1 unexpected pass
  UNEXPECTED PASS The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)

1. UNEXPECTED PASS The hall is missed  (scenarios/door.yaml:1, flow.yaml@documented)
    turn 1, scenarios/door.yaml:6:31: `state` matches, but a failure is expected: the document leads to the street
",
        "",
    );
}

#[test]
fn expected_failure_of_a_turn_needs_one_failing_field() {
    let turn = |expect: &str| {
        format!(
            "scenario: A\nmodel: flow.yaml\nturns:\n  - intent: agreement\n    expect: {expect}\n    expected_failure: not yet\n"
        )
    };
    test(&turn("{state: street, class: finish}"))
        .succeeds("0 passed, 1 expected failure in 1 turn");
    let unexpected_pass =
        "turn 1, scenarios/door.yaml:6:23: nothing failed, but a failure is expected: not yet";
    test(&turn("{state: hall}")).fails(1, unexpected_pass, "");
}

#[test]
fn unexpected_failure_fails_next_to_an_expected_one() {
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
    // An expected failure of some fields does not cover the other fields of the turn.
    test(&KNOWN.replace("class: move", "class: finish")).fails(
        1,
        "class: expected \"finish\", got \"move\"\n",
        "",
    );
}

#[test]
fn expected_failure_of_a_scenario_covers_its_end() {
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
    let unexpected_pass = "\n1. UNEXPECTED PASS A  (scenarios/door.yaml:1, flow.yaml@documented)
    scenarios/door.yaml:3:19: nothing failed, but a failure is expected: asked for in spring
";
    test(&scenario("{final: false}")).fails(1, unexpected_pass, "");
}

#[test]
fn invalid_scenario_is_not_an_expected_failure() {
    let invalid = "scenario: A\nmodel: nowhere.yaml\nexpected_failure: no model\nturns: [{intent: agreement}]\n";
    test(invalid).ends(2, "0 passed, 1 invalid", "`nowhere.yaml`");
    let said = "scenario: A\nmodel: flow.yaml\nllm: mock.yaml\nexpected_failure: nobody\n\
                turns: [{say: Hello, expect: {state: hall}}]\n";
    let project = project(said).file("mock.yaml", "rules: [{fault: time_out}]\n");
    project
        .fsmsim(["test"])
        .unavailable("0 passed, 1 unavailable", "");
}

#[test]
fn transcript_supports_expected_failures() {
    let talk = "---\nmodel: flow.yaml\n---\n# A talk\n\n**User:** Yes. `{intent: agreement}`\n\
                <!-- expect: {state: street}, expected_failure: {state: it stops in the hall} -->\n";
    let project = project(KNOWN).file("scenarios/talk.md", talk);
    project
        .fsmsim(["test", "-v"])
        .succeeds("state: expected \"street\", got \"hall\" (known: it stops in the hall)");
}

#[test]
fn expected_failure_applies_to_every_trial() {
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
fn unexpected_pass_changes_no_snapshot() {
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
        .fails(1, "1 unexpected pass in 2 turns", "");
    assert!(!run.stdout.contains("accepted"), "{run}");
}

#[test]
fn reason_is_a_string_and_not_a_boolean() {
    let scenario = |key: &str, reason: &str| {
        format!(
            "scenario: A\nmodel: flow.yaml\n{key}: {reason}\nturns: [{{intent: agreement, expect: {{state: street}}}}]\n"
        )
    };
    for key in ["skip", "expected_failure"] {
        for reason in [
            "false", "no", "\"No\"", "off", "true", "0", "\" \"", "[later]",
        ] {
            let expected = format!("expected the reason as a string for `{key}`, found ");
            test(&scenario(key, reason))
                .about(reason)
                .fails(2, "1 invalid", &expected);
        }
    }
    test(&scenario("skip", "no hall yet")).ends(0, "1 skipped", "");
    test(&scenario("expected_failure", "no hall yet")).succeeds("1 expected failure");
    let turn = KNOWN.replace("nothing is missing there", "false");
    test(&turn).fails(2, "", "found `false`");
    insta::assert_snapshot!(test(&scenario("skip", "false")).shown());
}
