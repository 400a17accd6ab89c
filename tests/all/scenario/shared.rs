//! Shared turns, defaults of directories, and invariants of every turn.

use super::expectations::{FLOW, project};
use crate::support::{Invocation, Project};

pub(super) const ENTER: &str = "\
parameters: {who: ~, state: hall}
turns:
  - intent: agreement
    expect: {state: \"{{state}}\"}
  - intent: info_provided
    data: {name: \"{{who}}\"}
    expect: {state: street}
";

/// A project with a scenario of these turns, and a file of shared turns.
pub(super) fn sharing(turns: &str) -> Project {
    let scenario = format!("scenario: In\nmodel: flow.yaml\nturns:\n{turns}");
    project(&scenario).file("scenarios/enter.yaml", ENTER)
}

fn test(turns: &str) -> Invocation {
    sharing(turns).fsmsim(["test"])
}

#[test]
fn shared_turns_run_where_they_are_used() {
    let project = sharing(
        "  - intent: greeting\n  - {use: ./enter.yaml, with: {who: Ann}}\nend: {data: {name: Ann}}\n",
    );
    // The file of shared turns is in the same directory, but is not a scenario.
    project
        .fsmsim(["test"])
        .succeeds("scenarios/door.yaml: 1 passed\n\n1 passed in 3 turns\n");
    insta::assert_snapshot!(
        project
            .fsmsim(["test", "scenarios/enter.yaml"])
            .run()
            .shown()
    );
}

#[test]
fn unused_shared_turns_are_a_warning() {
    let project = sharing("  - {use: ./enter.yaml, with: {who: Ann}}\n")
        .file("scenarios/outer.yaml", "turns: [{use: ./inner.yaml}]\n")
        .file("scenarios/inner.yaml", "turns: [{intent: greeting}]\n");
    let run = project.fsmsim(["test"]).warns("1 passed", "FS0257");
    for file in ["outer", "inner"] {
        let title = format!("no scenario uses the shared turns `scenarios/{file}.yaml`");
        assert!(run.stderr.contains(&title), "{run}");
    }
    assert_eq!(run.stderr.matches("warning[FS0257]").count(), 2, "{run}");
    // A filter does not change which files are used. An invalid scenario might use any file.
    let run = project.fsmsim(["test", "-E", "title(~x)"]).run();
    assert_eq!(run.stderr.matches("warning[FS0257]").count(), 2, "{run}");
    project.write("scenarios/broken.yaml", "scenario: [\n");
    let run = project.fsmsim(["test"]).run();
    assert!(!run.stderr.contains("FS0257"), "{run}");
}

#[test]
fn failure_in_shared_turns_names_both_locations() {
    insta::assert_snapshot!(
        test("  - {use: ./enter.yaml, with: {who: Ann, state: street}}\n").shown()
    );
    let outer = "turns: [{use: ./enter.yaml, with: {who: Ann, state: street}}]\n";
    let project = sharing("  - use: scenarios/outer.yaml\n").file("scenarios/outer.yaml", outer);
    insta::assert_snapshot!(project.fsmsim(["test"]).run().shown());
}

#[test]
fn invalid_use_is_reported() {
    let outputs: Vec<String> = [
        "{use: ./entr.yaml}",
        "{use: ./enter.yaml}",
        "{use: ./enter.yaml, with: {who: Ann, stat: hall}}",
        "{use: ./enter.yaml, with: {who: Ann, state: hal}}",
        "{use: ./enter.yaml, with: {who: Ann}, expect: {state: hall}}",
        "{use: ./enter.yaml, wth: {who: Ann}}",
        "{use: ./door.yaml}",
        "{use: /etc/passwd}",
        "{use: [a]}",
        "{use: ./empty.yaml}",
        "{use: ./slips.yaml}",
    ]
    .iter()
    .map(|turn| {
        let project = sharing(&format!("  - {turn}\n"));
        let project = project.file("scenarios/empty.yaml", "turns: []\n");
        let slips =
            "parameters: {name: x, unused: y}\nturns: [{intent: greeting, say: \"{{nane}}\"}]\n";
        let project = project.file("scenarios/slips.yaml", slips);
        format!(
            "--- {turn}\n{}",
            project
                .fsmsim(["test", "scenarios/door.yaml"])
                .run()
                .shown()
        )
    })
    .collect();
    insta::assert_snapshot!(outputs.join("\n"));
}

#[test]
fn cycle_of_uses_is_reported_and_growth_is_limited() {
    let circle = sharing("  - use: ./a.yaml\n")
        .file("scenarios/a.yaml", "turns: [{use: ./b.yaml}]\n")
        .file(
            "scenarios/b.yaml",
            "turns: [{intent: greeting}, {use: ./a.yaml}]\n",
        );
    insta::assert_snapshot!(circle.fsmsim(["test"]).run().shown());
    let mut growing = sharing("  - use: ./f0.yaml\n");
    for n in 0..15 {
        let uses: Vec<String> = (0..10)
            .map(|_| format!("{{use: ./f{}.yaml}}", n + 1))
            .collect();
        growing = growing.file(
            &format!("scenarios/f{n}.yaml"),
            format!("turns: [{}]\n", uses.join(", ")),
        );
    }
    let run = growing
        .file("scenarios/f15.yaml", "turns: [{intent: greeting}]\n")
        .fsmsim(["test"])
        .run();
    assert!(
        run.stderr
            .contains("too many shared turns in the scenario: limit 100000"),
        "{run}"
    );
}

#[test]
fn used_file_can_depend_on_the_case() {
    let scenario = "scenario: In\nmodel: flow.yaml\ncases: [{way: yes}, {way: no}]\nturns:\n  - use: \"./{{way}}.yaml\"\n";
    let project = project(scenario)
        .file(
            "scenarios/yes.yaml",
            "turns: [{intent: agreement, expect: {state: hall}}]\n",
        )
        .file(
            "scenarios/no.yaml",
            "turns: [{intent: rejection, expect: {state: street}}]\n",
        );
    project
        .fsmsim(["test"])
        .succeeds("scenarios/door.yaml: 2 passed\n\n2 passed in 2 turns\n");
}

#[test]
fn nearest_defaults_of_a_directory_win() {
    let other = FLOW.replace("agreement: hall", "agreement: street");
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("flows/other.yaml", other)
        .file("scenarios/_defaults.yaml", "model: ./../flow.yaml\ntags: [all]\n")
        .file("scenarios/deep/_defaults.yaml", "tags: [deep, all]\nstart: {state: hall}\n")
        .file("scenarios/a.yaml", "scenario: A\nturns: [{intent: agreement, expect: {state: hall}}]\n")
        .file("scenarios/deep/b.yaml", "scenario: B\nturns: [{intent: greeting, expect: {state: {from: hall}}}]\n")
        .file(
            "scenarios/deep/c.yaml",
            "scenario: C\nmodel: flows/other.yaml\ntags: own\nstart: {}\nturns: [{intent: agreement, expect: {state: street}}]\n",
        )
        .file("scenarios/deep/d.md", "---\nscenario: D\n---\nUser: Hi `{intent: greeting, expect: {state: hall}}`\n");
    let tested = |arguments: &[&str]| {
        project
            .fsmsim(arguments)
            .run()
            .stdout
            .lines()
            .next_back()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(tested(&["test"]), "4 passed in 4 turns");
    assert_eq!(tested(&["test", "--tag", "all"]), "4 passed in 4 turns");
    assert_eq!(tested(&["test", "--tag", "deep"]), "3 passed in 3 turns");
    assert_eq!(tested(&["test", "--tag", "own"]), "1 passed in 1 turn");
    let trace = project.fsmsim(["trace", "scenarios/deep/b.yaml"]).run();
    assert!(trace.stdout.contains("\"source\":\"flow.yaml\""), "{trace}");
    insta::assert_snapshot!(
        project
            .fsmsim(["diff", "flow.yaml", "flow.yaml", "--scenarios", "scenarios"])
            .run()
            .shown()
    );
}

/// Regression: the transcript was skipped because none of its own keys marks it as a scenario.
#[test]
fn transcript_with_default_model_is_run() {
    let flow = "flow: {name: f}\nstates: {greeting: {transitions: {agreement: bye}}, bye: {is_final: true}}\n";
    let talk = "---\ntags: [short]\n---\n# A talk\n\n**User:** Yes.\n<!-- intent: agreement, expect: {state: bye} -->\n";
    let project = Project::new()
        .file("f.yaml", flow)
        .file("scenarios/deep/talk.md", talk)
        .file(
            "scenarios/deep/notes.md",
            "---\ntags: [short]\n---\n# Notes\n\nNobody speaks here.\n",
        );
    project
        .fsmsim(["test"])
        .ends(2, "", "no scenario was found");
    project.write("scenarios/_defaults.yaml", "model: f.yaml\n");
    project
        .fsmsim(["test"])
        .succeeds("scenarios/deep/talk.md: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn error_in_defaults_is_reported_once() {
    let good = "scenario: A\nturns: [{intent: greeting, expect: {state: greeting}}]\n";
    let outputs: Vec<String> = [
        "modl: flow.yaml",
        "model: flow.yaml\nprofile: documentd",
        "- a",
        "",
        "model: flow.yaml\nstart: {state: \"{{x}}\"}",
        "model: nowhere.yaml",
    ]
    .iter()
    .map(|defaults| {
        let project = Project::new()
            .file("flow.yaml", FLOW)
            .file("scenarios/_defaults.yaml", defaults)
            .file("scenarios/a.yaml", good)
            .file("scenarios/b.yaml", good.replace('A', "B"));
        format!("--- {defaults}\n{}", project.fsmsim(["test"]).run().shown())
    })
    .collect();
    insta::assert_snapshot!(outputs.join("\n"));
}

#[test]
fn always_and_never_are_checked_in_every_turn() {
    let invariant = |keys: &str| {
        let scenario = format!(
            "scenario: In\nmodel: flow.yaml\n{keys}\nturns:\n  - intent: greeting\n  - intent: agreement\n  - intent: info_provided\n    data: {{name: Ann}}\n"
        );
        project(&scenario).fsmsim(["test"])
    };
    // They count as expectations: no snapshot is required.
    invariant("always: {violations: []}\nnever: [{state: street, class: hold}]")
        .succeeds("scenarios/door.yaml: 1 passed\n\n1 passed in 3 turns\n");
    insta::assert_snapshot!(invariant("always: [{state: {not: hall}}, {class: {in: [hold, move, finish]}}]\nnever:\n  - {state: street, missing: []}").shown());
    insta::assert_snapshot!(
        invariant("always: []\nnever: [{}, {stat: hall}, {state: hal}]").shown()
    );
    insta::assert_snapshot!(
        invariant("never: {state: street}\nexpected_failure: the street is near").shown()
    );
}

#[test]
fn skipped_scenario_shows_its_reason() {
    let skipped = |keys: &str| {
        let scenario = format!(
            "scenario: Later\nmodel: nowhere.yaml\nskip: waits for the lift\nturns:\n  - {keys}\n"
        );
        project(&scenario).fsmsim(["test"])
    };
    skipped("{intent: sing, expect: {state: nowhere}}").succeeds(
        "scenarios/door.yaml: 0 passed, 1 skipped\n  SKIPPED Later  (scenarios/door.yaml:1): waits for the lift\n\n0 passed, 1 skipped in 0 turns\n",
    );
    insta::assert_snapshot!(
        skipped("{intnt: sing, expect: {stat: nowhere, action: {matches: '('}}}").shown()
    );
}

#[test]
fn skipped_scenario_accepts_the_same_turn_keys() {
    let known = |skip: &str| -> std::collections::BTreeSet<String> {
        let scenario = format!(
            "scenario: A\nmodel: flow.yaml\n{skip}turns: [{{intent: greeting, zzqqxxww: 1}}]\n"
        );
        let run = project(&scenario).fsmsim(["test"]).run();
        let list = run
            .stderr
            .split_once("use one of these keys: ")
            .map(|(_, list)| list.lines().next().unwrap())
            .unwrap();
        list.split(", ")
            .map(str::to_owned)
            .filter(|key| key != "use" && key != "with")
            .collect()
    };
    assert_eq!(known(""), known("skip: not now\n"));
}

#[test]
fn skipped_scenario_is_not_traced_and_keeps_its_snapshot() {
    let scenario = "scenario: A\nmodel: flow.yaml\nturns: [{intent: greeting}]\n";
    let project = project(scenario);
    project.fsmsim(["test", "--accept"]).run();
    project.write("scenarios/door.yaml", format!("skip: not now\n{scenario}"));
    let run = project.fsmsim(["test", "--check"]).run();
    assert!(run.code == 0 && !run.stdout.contains("ORPHANED"), "{run}");
    insta::assert_snapshot!(
        project
            .fsmsim(["trace", "scenarios/door.yaml"])
            .run()
            .shown()
    );
}

#[test]
fn foreign_names_of_project_folders_and_scenario_add_up() {
    let turns = ["of_project", "of_top", "of_folder", "of_scenario"]
        .map(|intent| format!("  - {{intent: {intent}, expect: {{state: {{from: greeting}}}}}}\n"))
        .concat();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", "foreign = [\"of_project\"]\n")
        .file(
            "scenarios/_defaults.yaml",
            "model: flows/bant\nstart: {state: qualify_need, foreign: of_top}\n",
        )
        .file(
            "scenarios/sales/_defaults.yaml",
            "start: {foreign: [of_folder]}\n",
        )
        .file(
            "scenarios/sales/a.yaml",
            format!("scenario: A\nstart: {{foreign: [of_scenario]}}\nturns:\n{turns}"),
        )
        .file(
            "scenarios/sales/b.yaml",
            format!("scenario: B\nstart: {{data: {{persona: busy}}}}\nturns:\n{turns}"),
        );
    project
        .fsmsim(["test", "scenarios/sales/a.yaml"])
        .succeeds("1 passed");
    let stderr = project
        .fsmsim(["test", "scenarios/sales/b.yaml"])
        .fails(2, "", "unknown intent `of_scenario`")
        .stderr;
    assert!(!stderr.contains("`of_folder`"), "{stderr}");
}

#[test]
fn unknown_name_is_reported_once_in_a_scenario() {
    let turns = "  - {intent: unheard_of}\n".repeat(3);
    let stderr = Project::new()
        .with_flows()
        .file(
            "scenarios/a.yaml",
            format!("scenario: A\nmodel: flows/bant\nturns:\n{turns}"),
        )
        .fsmsim(["test"])
        .fails(2, "", "scenarios/a.yaml:4:14")
        .stderr;
    assert_eq!(stderr.matches("unknown intent `unheard_of`").count(), 1);
}
