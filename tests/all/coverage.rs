//! `fsmsim test --coverage`: to which states and classes of transitions the scenarios came.

use crate::support::Project;

const CONTRACT: &str = "\
kind: contract
modes: [talk, rest]
frames: {topic: {carried: root, fields: {name: text}}}
readings: {begin: {say: hello}, end: {say: bye}, strange: {}}
classes:
  Begin: {title: The beginning, owner: topic, reads: [begin], requires: nothing, carryover: none, sets: {topic.name: $reading}, forbids: [], answers: [hello], mode: talk}
  End: {title: The end, owner: topic, reads: [end], requires: {frame: topic, active: true}, carryover: none, sets: {}, forbids: [], answers: [bye], mode: rest}
";

fn project(turns: &str) -> Project {
    Project::new()
        .file("talk.yaml", CONTRACT)
        .file("scenarios/talk.yaml", format!("scenario: Talk\nmodel: talk.yaml\nturns:\n{turns}"))
}

#[test]
fn classes_and_states_are_counted() {
    let project = project("  - {say: hello, expect: {contract_class: Begin}}\n");
    insta::assert_snapshot!(project.fsmsim(["test", "--coverage"]).shown());
    let run =
        project.fsmsim(["test", "--coverage", "--require", "classes=100%", "--require", "states=50"]).fails(1, "", "");
    assert!(run.stdout.ends_with("SHORT talk.yaml: classes 1 of 2 (50%), 100% required\n"), "{}", run.stdout);
    project.fsmsim(["test", "--coverage", "--require", "classes=50%"]).warns("", "");
}

#[test]
fn what_is_covered_is_enough() {
    let turns = "  - {say: hello, expect: {contract_class: Begin}}\n  - {say: bye, expect: {contract_class: End, state: rest}}\n";
    project(turns).fsmsim(["test", "--coverage", "--require", "classes=100%", "--require", "states=100%"]).succeeds("");
}

#[test]
fn a_failed_scenario_stays_failed_and_a_strange_share_is_refused() {
    let project = project("  - {say: hello, expect: {contract_class: End}}\n");
    project.fsmsim(["test", "--coverage", "--require", "classes=0%"]).fails(1, "", "");
    for (share, told) in [
        ("class=5%", "`class` is not counted; did you mean classes?"),
        ("rules=5%", "`rules` is not counted; states and classes are"),
        ("classes", "write KIND=PERCENT"),
        ("classes=101%", "from 0 to 100"),
        ("classes=-1", "from 0 to 100"),
    ] {
        project.fsmsim(["test", "--coverage", "--require", share]).about(share).refuses(told);
    }
    project.fsmsim(["test", "--require", "classes=5%"]).refuses("");
}

#[test]
fn where_a_dialogue_was_put_is_not_covered_and_neither_is_what_failed() {
    let flow = "flow: {name: f}\nstates:\n  greeting: {transitions: {agreement: hall}}\n  hall: {transitions: {agreement: room}}\n  room: {transitions: {agreement: street}}\n  street: {is_final: true}\n";
    let put = "scenario: Put\nmodel: models/f.yaml\nstart: {state: hall}\nturns: [{intent: agreement, expect: {state: room}}]\n";
    let project = Project::new().file("models/f.yaml", flow).file("scenarios/a.yaml", put);
    project.fsmsim(["test", "--coverage"]).succeeds("\n  states  1 of 4; not greeting, hall, street\n");
    let moved = "scenario: Moved\nmodel: models/f.yaml\nturns: [{before: [{op: set_state, state: room}], intent: unclear, expect: {state: room}}]\n";
    project.write("scenarios/b.yaml", moved);
    project.fsmsim(["test", "--coverage"]).succeeds("\n  states  1 of 4; not greeting, hall, street\n");
    let failed = "scenario: Failed\nmodel: models/f.yaml\nturns: [{intent: agreement, expect: {state: room}}]\n";
    project.write("scenarios/c.yaml", failed);
    project.fsmsim(["test", "--coverage"]).fails(1, "\n  states  1 of 4; not greeting, hall, street\n", "");
}

#[test]
fn models_without_scenarios_are_in_the_table() {
    let flow = |name: &str| {
        format!("flow: {{name: {name}}}\nstates: {{greeting: {{transitions: {{agreement: hall}}}}, hall: {{}}}}\n")
    };
    let scenario = "scenario: One\nmodel: models/f.yaml\nturns: [{intent: agreement, expect: {state: hall}}]\n";
    let project = Project::new()
        .file("models/f.yaml", flow("f"))
        .file("models/g.yaml", flow("g"))
        .file("models/_part.yaml", flow("part"))
        .file("models/notes.yaml", "about: nothing\n")
        .file("scenarios/a.yaml", scenario);
    insta::assert_snapshot!(project.fsmsim(["test", "--coverage", "--require", "states=100%"]).shown());
    // Who asks for some of the scenarios asks for their models.
    project.fsmsim(["test", "scenarios", "--coverage", "--require", "states=100%"]).succeeds("");
}
