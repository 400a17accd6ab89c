//! Decisions of `fsmsim review` about failed expectations.

use crate::review::{FLOW, causes, json, scenario};
use crate::support::{Project, git};

/// A scenario for each edit of [`edit`], with the expectation that the edit breaks.
fn scenarios() -> String {
    let agrees = scenario("Agrees", "{intent: agreement, expect: {state: street}}");
    let refuses = scenario("Refuses", "{intent: rejection, expect: {state: end}}");
    agrees + "---\n" + &refuses
}

/// Exchanges the targets of two transitions.
fn edit(project: &Project) {
    let edited = FLOW
        .replace("agreement: street", "agreement: end")
        .replace("rejection: end", "rejection: street");
    project.write("flow.yaml", edited);
}

fn project(scenarios: impl AsRef<[u8]>) -> Project {
    Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/door.yaml", scenarios)
}

#[test]
fn ids_of_causes_stay_the_same_after_a_decision() {
    let project = project(scenarios()).file("report.md", "# A report\n");
    let head = [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-q", "-m", "x"],
        &["update-ref", "refs/remotes/origin/main", "HEAD"],
        &[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/main",
        ],
    ];
    if !head.iter().all(|arguments| git(&project, arguments)) {
        eprintln!("skipped: git is not available");
        return;
    }
    edit(&project);
    assert!(git(&project, &["commit", "-q", "-a", "-m", "y"]));
    project.fsmsim(["test"]).fails(1, "2 failed", "");
    let before = causes(&project);
    let [(first, title, 1), (_, _, 1)] = before.as_slice() else {
        panic!("{before:?}")
    };
    assert!(title.starts_with("edited rule flow.yaml:"), "{title}");
    project
        .fsmsim(["review", "--accept", first])
        .fails(1, "accepted 1 expectation: ", "");
    // The edited scenario, an untracked scenario and a report decide no behavior.
    project.write("report.md", "# Another report\n");
    let new = scenario("New", "{intent: agreement, expect: {state: end}}");
    project.write("scenarios/new.yaml", new);
    assert_eq!(causes(&project), before[1..]);
    project.fsmsim(["test"]).fails(1, "2 passed, 1 failed", "");
    assert_eq!(causes(&project), before[1..]);
    // An edit of the project file does.
    project.write("fsmsim.toml", "");
    assert!(git(&project, &["add", "fsmsim.toml"]));
    assert_ne!(causes(&project), before[1..]);
}

#[test]
fn accepting_replaces_what_can_be_replaced_and_lists_the_rest() {
    let turn = "{intent: agreement, expect: {state: street}}";
    let text = scenario("Agrees", turn) + "always: {state: street}\n";
    let project = project(&text);
    project.fsmsim(["test"]).succeeds("1 passed");
    edit(&project);
    project.fsmsim(["test"]).fails(1, "1 failed", "");
    let refused =
        "cannot update the expectation at scenarios/door.yaml:4:17: it applies to every turn\n";
    let review = json(&project);
    assert_eq!(
        review["refused"],
        serde_json::json!([{
            "scenario": "scenarios/door.yaml::Agrees",
            "at": "scenarios/door.yaml:4:17",
            "reason": "it applies to every turn",
        }])
    );
    let run =
        project
            .fsmsim(["review", "--accept", "all"])
            .fails(1, "accepted 1 expectation: ", "");
    assert!(run.stdout.contains(refused), "{run}");
    assert!(!run.stdout.contains("--update-expectations"), "{run}");
    // Nothing is left to reject.
    assert!(!run.stdout.contains("--reject"), "{run}");
    let updated = text.replace("expect: {state: street}", "expect: {state: end}");
    assert_eq!(project.read("scenarios/door.yaml"), updated);
}

#[test]
fn rejected_expectation_is_offered_again_after_the_next_run() {
    let project = project(scenarios());
    edit(&project);
    project.fsmsim(["test"]).fails(1, "2 failed", "");
    let before = causes(&project);
    project
        .fsmsim(["review", "--reject", &before[0].0])
        .fails(1, "rejected 1 scenario: ", "");
    assert_eq!(causes(&project), before[1..]);
    assert_eq!(project.read("scenarios/door.yaml"), scenarios());
    // The scenario still counts as failed.
    project
        .fsmsim(["test", "--failed"])
        .fails(1, "2 failed", "");
    assert_eq!(causes(&project), before);
}

#[test]
fn paths_of_causes_start_at_the_working_directory() {
    let project = Project::new()
        .file("bots/shop/fsmsim.toml", "")
        .file("bots/shop/flow.yaml", FLOW)
        .file("bots/shop/scenarios/door.yaml", scenarios());
    let is_there = git(&project, &["init", "-q"]) && git(&project, &["add", "-A"]);
    if !is_there || !git(&project, &["commit", "-q", "-m", "x"]) {
        eprintln!("skipped: git is not available");
        return;
    }
    let edited = FLOW.replace("agreement: street", "agreement: end");
    project.write("bots/shop/flow.yaml", edited);
    let paths = "bots/shop/scenarios";
    let title = "edited rule bots/shop/flow.yaml:6";
    project.fsmsim(["test", paths]).fails(1, title, "");
    let run = project.fsmsim(["review", paths]).fails(1, title, "");
    assert!(
        run.stdout
            .contains("\n  bots/shop/scenarios/door.yaml::Agrees\n"),
        "{run}"
    );
    let (_, command) = run.stdout.split_once("`fsmsim review --accept ").unwrap();
    let (arguments, _) = command.split_once('`').unwrap();
    let (id, named) = arguments.split_once(' ').unwrap();
    assert_eq!(named, paths);
    let annotation =
        "file=bots/shop/flow.yaml,line=6,title=cause%3A edited rule bots/shop/flow.yaml%3A6";
    project
        .fsmsim(["test", "--report", "github", paths])
        .fails(1, annotation, "");
    project
        .fsmsim(["test"])
        .below("bots/shop")
        .fails(1, "edited rule flow.yaml:6", "");
    let accepted = format!("accepted 1 expectation: {title}");
    project
        .fsmsim(["review", "--accept", id, paths])
        .succeeds(&accepted);
}

#[test]
fn rules_of_a_snapshot_start_at_the_working_directory() {
    let asks = scenario("Asks", "{intent: question_features}");
    let project = Project::new()
        .file("bots/shop/fsmsim.toml", "")
        .file("bots/shop/flow.yaml", FLOW)
        .file("bots/shop/scenarios/door.yaml", asks);
    let accept = project.fsmsim(["test", "--accept"]);
    accept.below("bots/shop").succeeds("1 snapshot accepted");
    let edited = FLOW.replace("answer_features", "explain_features");
    project.write("bots/shop/flow.yaml", edited);
    let paths = "bots/shop/scenarios";
    let next = "next: run `fsmsim review bots/shop/scenarios` to accept or reject each change\n";
    let tested = project.fsmsim(["test", paths]).fails(1, next, "");
    let reviewed = project.fsmsim(["review", paths]).fails(1, "", "");
    for run in [tested, reviewed] {
        let lines = run.stdout.lines().map(str::trim);
        let rules: Vec<&str> = lines.filter(|line| line.starts_with("rule: ")).collect();
        assert_eq!(rules, ["rule: bots/shop/flow.yaml:4"], "{run}");
    }
}

#[test]
fn cause_is_the_edit_that_changes_the_failed_turn() {
    let flow = "\
flow: {name: f, policy: plain, entry_points: {default: a}}
states:
  a: {transitions: {go: b}}
  b: {transitions: {go: c}, on_enter: {says: [One]}}
  c: {is_final: true, on_enter: {says: [Two]}}
";
    let turns = "{intent: go}, {intent: go, expect: {replies: [Two]}}";
    let project = project(scenario("Two", turns)).file("flow.yaml", flow);
    let is_there = git(&project, &["init", "-q"]) && git(&project, &["add", "-A"]);
    if !is_there || !git(&project, &["commit", "-q", "-m", "x"]) {
        eprintln!("skipped: git is not available");
        return;
    }
    let edited = flow.replace("One", "Uno").replace("Two", "Dos");
    project.write("flow.yaml", edited);
    project
        .fsmsim(["test"])
        .fails(1, "1. 1 scenario  edited rule flow.yaml:5  ", "");
}

#[test]
fn result_with_two_causes_is_accepted_with_the_last_of_them() {
    let flow = "\
flow: {name: hotel, policy: plain}
states:
  greeting: {rules: {price: name_price}, transitions: {book: details}}
  details: {transitions: {agreement: booked}}
  booked: {is_final: true}
  goodbye: {is_final: true}
replies: {name_price: It costs 10.}
";
    let asks = "{intent: price, expect: {replies: [It costs 10.]}}";
    let books =
        format!("{asks}, {{intent: book}}, {{intent: agreement, expect: {{state: booked}}}}");
    let scenarios = scenario("Asks", asks) + "---\n" + &scenario("Books", &books);
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("scenarios/hotel.yaml", scenarios);
    let commands = ["init -q", "add -A", "commit -q -m x"];
    let run = |line: &&str| git(&project, &line.split(' ').collect::<Vec<_>>());
    if !commands.iter().all(run) {
        eprintln!("skipped: git is not available");
        return;
    }
    let edited = flow
        .replace("agreement: booked", "agreement: goodbye")
        .replace("costs 10", "costs 12");
    project.write("flow.yaml", edited);
    project.fsmsim(["test"]).fails(1, "2 failed", "");
    let before = causes(&project);
    let [(price, _, 2), (target, _, 1)] = before.as_slice() else {
        panic!("{before:?}")
    };
    let accept = |ids: &[&String]| {
        let ids = ids.iter().flat_map(|id| ["--accept", id]);
        let arguments: Vec<&str> = std::iter::once("review").chain(ids).collect();
        project.fsmsim(arguments).run()
    };
    let one = accept(&[price]);
    let kept = format!("; also accept {target}");
    assert!(
        one.code == 1 && one.stdout.contains("kept 1 scenario: ") && one.stdout.contains(&kept),
        "{one}"
    );
    let file = project.read("scenarios/hotel.yaml");
    assert!(
        file.contains("costs 12") && file.contains("state: booked"),
        "{file}"
    );
    assert_eq!(file.matches("costs 10").count(), 1, "{file}");
    let ids: Vec<String> = causes(&project).into_iter().map(|(id, ..)| id).collect();
    let both = accept(&ids.iter().collect::<Vec<_>>());
    assert_eq!(both.code, 0, "{both}");
    let file = project.read("scenarios/hotel.yaml");
    assert!(
        file.contains("state: goodbye") && !file.contains("costs 10"),
        "{file}"
    );
}
