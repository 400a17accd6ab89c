//! Plain flows have no behavior of the sales policy.

use crate::support::Project;

const TEA: &str = "\
flow: {name: tea, entry_points: {default: hall}}
states:
  hall: {transitions: {agree: over}}
  over: {is_final: true}
";

fn lint(project: &Project) -> String {
    project.fsmsim(["lint", "."]).run().stderr
}

#[test]
fn sales_key_in_a_plain_flow_is_an_error() {
    let constants =
        "constants: {sources: {StallGuard: {enabled: false}}, limits: {max_total_objections: 2}}\n";
    let project = Project::new().file("f.yaml", format!("{TEA}{constants}"));
    insta::assert_snapshot!(project.fsmsim(["lint", "f.yaml"]).shown());
    let sales = TEA.replace("name: tea", "name: tea, policy: sales");
    project.write("f.yaml", format!("{sales}{constants}"));
    project.fsmsim(["lint", "f.yaml"]).succeeds("no errors");
}

#[test]
fn unknown_policy_is_an_error() {
    let flow = TEA.replace("name: tea", "name: tea, policy: sale");
    let project = Project::new().file("f.yaml", flow);
    let run = project.fsmsim(["lint", "f.yaml"]).run();
    assert!(
        run.code > 0 && run.stderr.contains("`sales`"),
        "{}",
        run.stderr
    );
}

#[test]
fn configuration_root_gives_its_flows_the_sales_policy() {
    let own = "constants: {limits: {max_total_objections: 2}}\n";
    let project = Project::new()
        .file("root/constants.yaml", "limits: {max_gobacks: 1}\n")
        .file("root/f.yaml", format!("{TEA}{own}"));
    assert_eq!(lint(&project), "");
    let plain = TEA.replace("name: tea", "name: tea, policy: plain");
    project.write("root/f.yaml", format!("{plain}{own}"));
    assert!(lint(&project).contains("FS0140"));
}

#[test]
fn plain_flow_ignores_the_constants_of_a_root() {
    let flow = TEA
        .replace("name: tea", "name: tea, policy: plain")
        .replace("agree: over", "agree: over, objection_price: hall");
    let project = Project::new()
        .file("constants.yaml", "actions: {continue_goal: go_on}\n")
        .file("f.yaml", flow)
        .file(
            "s.yaml",
            "scenario: S\nmodel: f.yaml\nturns: [{intent: objection_price, expect: {action: continue_current_goal}}]\n",
        );
    project.fsmsim(["test", "s.yaml"]).succeeds("1 passed");
}

#[test]
fn state_with_a_reserved_name_is_an_error() {
    let flow = TEA
        .replace("agree: over", "agree: resume")
        .replace("  over:", "  resume: {}\n  over:");
    let project = Project::new().file("f.yaml", flow);
    let run = project.fsmsim(["lint", "f.yaml"]).run();
    assert!(
        run.code > 0
            && run
                .stderr
                .contains("error[FS0139]: state name `resume` is reserved"),
        "{}",
        run.stderr
    );
}

#[test]
fn utterance_that_is_not_recognized_triggers_unclear() {
    let flow = TEA
        .replace("agree: over", "agree: over, unclear: lost")
        .replace("  over:", "  lost: {transitions: {agree: over}}\n  over:");
    let project = Project::new().file("f.yaml", flow).file(
        "s.yaml",
        "scenario: S\nmodel: f.yaml\nturns: [{say: Mumble, expect: {state: lost}}]\n",
    );
    project.fsmsim(["test", "s.yaml"]).succeeds("1 passed");
}

#[test]
fn limit_refuses_to_go_back_once_more() {
    let flow = "\
flow:
  name: f
  entry_points: {default: one}
  phases: {order: [first, second], mapping: {first: one, second: two}}
constants: {limits: {max_gobacks: 1}}
states:
  one: {transitions: {next: two}}
  two: {transitions: {return: one, end: out}}
  out: {is_final: true}
";
    let turns = "
  - {intent: next}
  - {intent: return, expect: {state: one, class: back, counters: {go_backs: 1, go_backs_left: 0}}}
  - {intent: next}
  - {intent: return, expect: {state: two, class: blocked, action: go_back_limit_reached}}
";
    let project = Project::new().file("f.yaml", flow).file(
        "s.yaml",
        format!("scenario: S\nmodel: f.yaml\nturns:{turns}"),
    );
    project.fsmsim(["test", "s.yaml"]).succeeds("1 passed");
    project.write(
        "f.yaml",
        flow.replace("constants: {limits: {max_gobacks: 1}}\n", ""),
    );
    let free = turns.replace(
        "state: two, class: blocked, action: go_back_limit_reached",
        "state: one, class: back",
    );
    let free = free.replace(
        "counters: {go_backs: 1, go_backs_left: 0}",
        "counters: {go_backs: 1}",
    );
    project.write(
        "s.yaml",
        format!("scenario: S\nmodel: f.yaml\nturns:{free}"),
    );
    project.fsmsim(["test", "s.yaml"]).succeeds("1 passed");
}

#[test]
fn missing_state_of_a_flow_becomes_a_stub_if_permitted() {
    let flow = TEA.replace("agree: over", "agree: over, later: somewhere");
    let project = Project::new().file("f.yaml", flow);
    project.fsmsim(["lint", "f.yaml"]).ends(
        1,
        "1 error",
        "error[FS0101]: unknown state `somewhere`",
    );
    let run = project.fsmsim(["lint", "--permissive", "f.yaml"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("warning[FS0101]") && run.stderr.contains("a stub replaces the state"),
        "{}",
        run.stderr
    );
    let shown = project
        .fsmsim(["run", "f.yaml", "--permissive"])
        .stdin("later\n")
        .run();
    assert!(
        shown.stdout.contains("somewhere"),
        "{}{}",
        shown.stdout,
        shown.stderr
    );
}
