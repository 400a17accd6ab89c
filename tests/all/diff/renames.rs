//! States that are renamed on the second side.

use crate::support::{Project, Run};

const OLD: &str = "flow: {name: f, policy: sales}\nstates:\n  greeting: {transitions: {agreement: need, rejection: bye}}\n  need: {transitions: {agreement: offer, rejection: bye, unclear: need}}\n  offer: {transitions: {agreement: bye, unclear: need}}\n  bye: {is_final: true}\n";
const SCENARIOS: &str = "scenario: All the way\nmodel: old.yaml\nturns: [{intent: agreement}, {intent: unclear}, {intent: agreement}, {intent: unclear}]\n---\n\
                         scenario: From there\nmodel: old.yaml\nstart: {state: need}\nturns: [{intent: rejection}]\n---\n\
                         scenario: Put there\nmodel: old.yaml\nturns: [{before: [{op: transition_to, next_state: need}], intent: agreement}]\n---\n\
                         scenario: Elsewhere\nmodel: old.yaml\nturns: [{intent: rejection}]\n";

fn renamed(old: &str) -> String {
    old.replace("need", "needs")
}

/// Two flows, and scenarios for the first flow.
fn project(new: &str) -> Project {
    Project::new()
        .file("old.yaml", OLD)
        .file("new.yaml", new)
        .file("scenarios/s.yaml", SCENARIOS)
}

fn compared(project: &Project, more: &[&str]) -> Run {
    project
        .fsmsim(["diff", "old.yaml", "new.yaml", "--causes"])
        .args(more)
        .run()
}

#[test]
fn rename_is_suggested_and_removes_the_difference() {
    let project = project(&renamed(OLD));
    insta::assert_snapshot!(compared(&project, &[]).shown());
    let json = compared(&project, &["--format", "json"]).stdout;
    assert!(
        json.contains(
            "\"renames\": [\n    {\n      \"from\": \"need\",\n      \"to\": \"needs\"\n    }\n  ],"
        ),
        "{json}"
    );
    let page = compared(&project, &["--report", "html"]).stdout;
    assert!(
        page.contains("[\"state need might have been renamed to needs: use --rename need=needs\"]"),
        "{page}"
    );
    let output = compared(&project, &["--rename", "need=needs"]);
    assert_eq!(
        output.shown(),
        "exit 0\n----- stdout\nold.yaml -> new.yaml\n4 dialogues without differences\n----- stderr\n"
    );
    // The reverse direction works too, and so do scenarios that use the new name.
    let back = project.fsmsim(["diff", "new.yaml", "old.yaml", "--rename", "needs=need"]);
    back.succeeds("4 dialogues without differences\n");
    project.write(
        "scenarios/s.yaml",
        renamed(&SCENARIOS.replace("old.yaml", "new.yaml")),
    );
    assert_eq!(compared(&project, &["--rename", "need=needs"]).code, 0);
}

#[test]
fn other_edits_of_a_renamed_state_are_differences() {
    let new = renamed(OLD).replace("rejection: bye, unclear", "rejection: offer, unclear");
    insta::assert_snapshot!(compared(&project(&new), &["--rename", "need=needs"]).shown());
    // If the transitions of a state changed as well, no rename is suggested.
    assert!(!compared(&project(&new), &[]).stdout.contains("--rename"));
    // Neighboring states that are both renamed are distinguished by their other neighbors.
    let both = renamed(OLD).replace("offer", "proposal");
    let output = compared(&project(&both), &[]).stdout;
    let offers: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("--rename"))
        .collect();
    assert_eq!(
        offers,
        [
            "state need might have been renamed to needs: use --rename need=needs",
            "state offer might have been renamed to proposal: use --rename offer=proposal"
        ]
    );
    let one = compared(&project(&both), &["--rename", "need=needs"]).stdout;
    assert!(
        one.ends_with(
            "\nstate offer might have been renamed to proposal: use --rename offer=proposal\n"
        ),
        "{one}"
    );
    assert_eq!(
        compared(
            &project(&both),
            &["--rename", "need=needs", "--rename", "offer=proposal"]
        )
        .code,
        0
    );
    // Two states can swap their names.
    let swapped = OLD
        .replace("need", "x")
        .replace("offer", "need")
        .replace('x', "offer");
    let project = project(&swapped);
    project.write("scenarios/s.yaml", SCENARIOS.split("---").next().unwrap());
    assert_eq!(
        compared(
            &project,
            &["--rename", "need=offer", "--rename", "offer=need"]
        )
        .code,
        0
    );
    assert_eq!(compared(&project, &[]).code, 1);
    // States that cannot be distinguished are not suggested.
    let twins = "flow: {name: f}\nstates: {greeting: {transitions: {agreement: [{when: {slot: a}, then: a}, b]}}, a: {}, b: {}}\n";
    let twins = twins.replace("[{when: {slot: a}, then: a}, b]", "a, rejection: a");
    let project = Project::new().file("old.yaml", &twins).file(
        "new.yaml",
        twins
            .replace("a: {}, b: {}", "c: {}, d: {}")
            .replace(": a", ": c"),
    );
    project.write(
        "scenarios/s.yaml",
        "scenario: A\nmodel: old.yaml\nturns: [{intent: agreement}]\n",
    );
    let output = compared(&project, &[]).stdout;
    assert!(
        output.contains("state a might have been renamed to c")
            && !output.contains("state b might"),
        "{output}"
    );
}

#[test]
fn unknown_name_in_rename_suggests_a_similar_name() {
    let project = project(&renamed(OLD));
    let output = [
        &["--rename", "ned=needs"][..],
        &["--rename", "need=neds"],
        &["--rename", "needs=need"],
        &["--rename", "need"],
        &["--rename", "=needs"],
        &["--rename", "need=needs", "--rename", "need=offer"],
        &["--rename", "need=needs", "--rename", "offer=needs"],
    ]
    .map(|more| {
        let run = compared(&project, more);
        assert_eq!((run.code, &*run.stdout), (2, ""), "{run}");
        format!("$ {}\n{}", more.join(" "), run.stderr)
    });
    insta::assert_snapshot!(output.join("\n"));
}

#[test]
fn rename_applies_to_traces() {
    let project = project(&renamed(OLD));
    let trace = project.fsmsim(["trace", "scenarios/s.yaml"]).succeeds("");
    project.write("a.jsonl", &trace);
    project.write(
        "b.jsonl",
        trace
            .replace("\"need\"", "\"needs\"")
            .replace("transition_to_need\"", "transition_to_needs\""),
    );
    let compare = |more: &[&str]| {
        project
            .fsmsim(["diff", "a.jsonl", "b.jsonl", "--causes"])
            .args(more)
    };
    compare(&[]).fails(1, "3 of 4 dialogues differ", "");
    compare(&["--rename", "need=needs"]).succeeds("4 dialogues without differences\n");
    compare(&["--rename", "nee=needs"]).fails(
        2,
        "",
        "unknown state `nee` on the first side of `--rename nee=needs`\n |\n = help: a similar state exists: `need`",
    );
}

#[test]
fn rename_onto_an_existing_state_is_an_error() {
    // In the new flow, `need` is removed, and `offer` stays.
    let new = OLD.replace(
        "greeting: {transitions: {agreement: need",
        "greeting: {transitions: {agreement: offer",
    );
    let new = new.replace(
        "  need: {transitions: {agreement: offer, rejection: bye, unclear: need}}\n",
        "",
    );
    let new = new.replace("unclear: need", "unclear: offer");
    let project = project(&new);
    let merged = "`--rename need=offer` merges `need` with the state `offer` of the first side";
    let run = compared(&project, &["--rename", "need=offer"]);
    assert!(run.code == 2 && run.stderr.contains(merged), "{run}");
}
