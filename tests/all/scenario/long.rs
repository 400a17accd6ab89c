//! Very long scenarios, which are read turn by turn. The result must not differ from reading them completely.

use crate::support::Project;

const FLOW: &str = "entry_points: {default: a}\nstates:\n  a: {goal: x, transitions: {agreement: b}}\n  b: {goal: y, transitions: {agreement: a}}\nflow: {policy: sales}\n";

/// A scenario with 2500 turns; `other` replaces some of them. The keys after `turns` must apply too.
fn scenario(title: &str, turns: &str, other: impl Fn(usize) -> Option<String>) -> String {
    let turn = |at: usize| {
        let turn = || {
            format!(
                "{{intent: agreement, expect: {{state: {}}}}}",
                ["b", "a"][at % 2]
            )
        };
        format!("  - {}\n", other(at).unwrap_or_else(turn))
    };
    let all: String = (0..2500).map(turn).collect();
    format!("turns:{turns}\n{all}end: {{state: a}}\nmodel: flow.yaml\nscenario: {title}\n")
}

/// Two projects: one whose turns are read one by one, and one whose anchor forces all turns into memory.
fn projects(other: impl Fn(usize) -> Option<String>) -> [Project; 2] {
    ["", " &all"].map(|turns| {
        Project::new()
            .file("flow.yaml", FLOW)
            .file("scenarios/a.yaml", scenario("Long", turns, &other))
    })
}

/// Runs both projects, checks that the outputs are equal, and returns the output.
fn alike(other: impl Fn(usize) -> Option<String>, arguments: &[&str]) -> String {
    let [streamed, loaded] = projects(other).map(|project| project.fsmsim(arguments).shown());
    assert_eq!(streamed, loaded.replace(" &all", ""), "{arguments:?}");
    streamed
}

#[test]
fn all_turns_are_run() {
    assert!(alike(|_| None, &["test"]).contains("1 passed in 2500 turns"));
    let trace = alike(|_| None, &["trace", "scenarios/a.yaml"]);
    assert_eq!(trace.matches("{\"turn\":").count(), 2500);
    assert!(
        trace.contains("\"turns\":2500}"),
        "{}",
        &trace[trace.len() - 200..]
    );
}

#[test]
fn failure_has_a_location() {
    let wrong = |at: usize| {
        [999, 1000, 1800, 2499]
            .contains(&at)
            .then(|| format!("{{intent: agreement, expect: {{class: goto_{at}}}}}"))
    };
    let shown = alike(wrong, &["test"]);
    for place in [
        "a.yaml:1001:",
        "a.yaml:1002:",
        "a.yaml:1802:",
        "a.yaml:2501:",
    ] {
        assert!(shown.contains(place), "{place} {shown}");
    }
    let shown = alike(
        |at| (at == 2499).then(|| "{intent: greeting}".to_owned()),
        &["test"],
    );
    assert!(
        shown.contains("end, scenarios/a.yaml:2502:14") && shown.contains("in 2500 turns"),
        "{shown}"
    );
    // An expectation in a turn that is read later is enough: no snapshot is required.
    let shown = alike(
        |at| (at != 1700).then(|| "{intent: greeting}".to_owned()),
        &["test"],
    );
    assert!(shown.contains("1 failed"), "{shown}");
}

#[test]
fn invalid_turn_is_reported_before_the_first_turn_runs() {
    for wrong in [
        "{intent: agrement}",
        "{intent: agreement, expect: {state: c}}",
        "{intend: agreement}",
        "5",
        "{intent: agreement, intent: agreement}",
    ] {
        for turn in [0, 1500, 2499] {
            let shown = alike(|at| (at == turn).then(|| wrong.to_owned()), &["test"]);
            let place = format!("scenarios/a.yaml:{}:", turn + 2);
            assert!(
                shown.starts_with("exit 2") && shown.contains(&place),
                "{shown}"
            );
            assert_eq!(shown.matches("error[").count(), 1, "{shown}");
        }
    }
    let shown = alike(
        |at| (at == 1500).then(|| "{intent: [}".to_owned()),
        &["test"],
    );
    assert!(
        shown.starts_with("exit 2") && shown.contains("scenarios/a.yaml:1502:"),
        "{shown}"
    );
}

#[test]
fn anchor_of_a_turn_is_defined_in_later_turns() {
    let other = |at: usize| match at {
        3 => Some("{intent: agreement, expect: &there {state: a}}".to_owned()),
        at if at > 3 && at % 2 == 1 => Some("{intent: agreement, expect: *there}".to_owned()),
        _ => None,
    };
    assert!(alike(other, &["test"]).contains("1 passed in 2500 turns"));
}

#[test]
fn every_trial_runs_all_turns() {
    let mock = "rules:\n  - {say: often, answer: {intent: agreement}}\n  - {say: often, rate: 0.5, fault: no_provider}\n";
    let [project, _] =
        projects(|at| (at == 2000).then(|| "{say: often, expect: {state: b}}".to_owned()));
    let text = project.read("scenarios/a.yaml").replace(
        "scenario: Long",
        "scenario: Long\nllm: mock.yaml\nrequire: 3 of 3",
    );
    project.write("scenarios/a.yaml", text);
    project.write("mock.yaml", mock);
    project.fsmsim(["test"]).succeeds("1 passed in 7500 turns");
}

#[test]
fn diff_compares_long_scenarios() {
    let [project, _] = projects(|_| None);
    let edited = project.read("scenarios/a.yaml");
    let edited = edited.lines().enumerate().map(|(at, line)| {
        if at == 2000 {
            "  - {intent: greeting}\n".to_owned()
        } else {
            format!("{line}\n")
        }
    });
    project.write("edited/a.yaml", edited.collect::<String>());
    let run = project
        .fsmsim(["diff", "scenarios", "edited"])
        .fails(1, "turn 2000", "");
    assert!(!run.stdout.contains("turn 1999 "), "{run}");
}
