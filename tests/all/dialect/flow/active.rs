//! A tree of flows is a model where its settings name the active one.

use crate::support::Project;

fn tree(settings: &str) -> Project {
    let flow = "flow: {name: tea, entry_points: {default: hall}}\n";
    let states = "states:\n  hall: {transitions: {agreement: over}}\n  over: {is_final: true}\n";
    Project::new()
        .file("tree/constants.yaml", "limits: {max_gobacks: 2}\n")
        .file("tree/flows/tea/flow.yaml", flow)
        .file("tree/flows/tea/states.yaml", states)
        .file("tree/settings.yaml", settings)
}

#[test]
fn the_flow_that_the_settings_name_is_played() {
    let project = tree("flow: {active: tea}\n");
    let scenario = "scenario: Tea\nmodel: tree\nturns:\n  - {intent: agreement, expect: {state: over, final: true}}\n";
    project.write("s.yaml", scenario);
    let told = project.fsmsim(["test", "s.yaml"]).run();
    assert_eq!(told.code, 0, "{}{}", told.stdout, told.stderr);
}

#[test]
fn a_flow_that_is_not_there_or_lies_elsewhere_is_told_where_it_is_named() {
    for (settings, help) in [
        ("flow: {active: tee}\n", "did you mean `tea`?"),
        ("flow: {active: ../tea}\n", "settings.yaml:1:16"),
    ] {
        let told = tree(settings).fsmsim(["lint", "tree"]).run();
        assert!(
            told.code > 0 && told.stderr.contains(help) && told.stderr.contains("there is no flow"),
            "{}",
            told.stderr
        );
    }
    let told = tree("flow: {active: [tea]}\n")
        .fsmsim(["lint", "tree"])
        .run();
    assert!(
        told.code > 0 && told.stderr.contains("settings.yaml:1:16"),
        "{}",
        told.stderr
    );
    tree("{}\n")
        .fsmsim(["graph", "tree"])
        .refuses("is no dialogue definition");
    // All flows of a tree that names none are looked at.
    tree("{}\n")
        .fsmsim(["lint", "tree"])
        .succeeds("1 model: no errors");
}
