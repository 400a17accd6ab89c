//! A directory of flows is a model if its settings name the active flow.

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
fn active_flow_in_the_settings_runs() {
    let project = tree("flow: {active: tea}\n");
    let scenario = "scenario: Tea\nmodel: tree\nturns:\n  - {intent: agreement, expect: {state: over, final: true}}\n";
    project.write("s.yaml", scenario);
    let run = project.fsmsim(["test", "s.yaml"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn invalid_active_flow_is_reported_with_its_location() {
    for (settings, help) in [
        ("flow: {active: tee}\n", "exists: `tea`"),
        ("flow: {active: ../tea}\n", "settings.yaml:1:16"),
    ] {
        let run = tree(settings).fsmsim(["lint", "tree"]).run();
        assert!(
            run.code > 0 && run.stderr.contains(help) && run.stderr.contains("unknown flow"),
            "{}",
            run.stderr
        );
    }
    let run = tree("flow: {active: [tea]}\n")
        .fsmsim(["lint", "tree"])
        .run();
    assert!(
        run.code > 0 && run.stderr.contains("settings.yaml:1:16"),
        "{}",
        run.stderr
    );
    tree("{}\n")
        .fsmsim(["graph", "tree"])
        .refuses("cannot find a model in");
    // `lint` checks all flows if the settings name no active flow.
    tree("{}\n")
        .fsmsim(["lint", "tree"])
        .succeeds("1 model: no errors");
}
