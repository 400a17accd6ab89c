//! `fsmsim generate`: scenarios for what no scenario covers.

use serde_json::Value;

use crate::support::Project;

const DOOR: &str = "\
flow: {name: door, policy: plain, entry_points: {default: closed}}
intents:
  enter: {description: Enter, examples: [open the door, let me in]}
  leave: {description: Leave, examples: [goodbye]}
slots: {key: {type: boolean}}
states:
  closed:
    optional_data: [key]
    transitions:
      enter: [{when: {slot: key, is: true}, then: opened}, closed]
  opened: {transitions: {leave: gone, enter: closed}}
  ghost: {transitions: {leave: closed}}
  gone: {is_final: true}
";

fn door() -> Project {
    Project::new().file("door.yaml", DOOR)
}

/// The result as JSON.
fn generated(project: &Project, more: &[&str]) -> Value {
    let command = ["generate", "door.yaml", "--format", "json"];
    let run = project.fsmsim(command).args(more).run();
    let report: Option<Value> = serde_json::from_str(&run.stdout).ok();
    let report = report.unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
    report["models"][0].clone()
}

fn scenarios(generation: &Value) -> &[Value] {
    generation["scenarios"].as_array().unwrap()
}

/// The texts of all files in a folder of the project, in the order of their names.
fn files(project: &Project, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(project.path().join(folder)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts = paths.iter().map(std::fs::read_to_string);
    texts.map(Result::unwrap).collect()
}

#[test]
fn empty_suite_gets_scenarios_for_all_attainable_items() {
    let generation = generated(&door(), &[]);
    for (kind, share) in generation["after"].as_object().unwrap() {
        assert_eq!(share["covered"], share["all"], "{kind}: {generation:#}");
    }
    assert_eq!(generation["before"]["states"]["covered"], 0);
    assert_eq!(generation["not_reproduced"], 0);
    let count = scenarios(&generation).len() as u64;
    let least = generation["lower_bound"]["scenarios"].as_u64().unwrap();
    assert!(least >= 1 && least <= count, "{generation:#}");
}

#[test]
fn generated_scenarios_pass_and_complete_the_suite() {
    let project = door();
    let save = ["generate", "door.yaml", "-o", "scenarios/generated"];
    let first = project.fsmsim(save).run();
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    let written = files(&project, "scenarios/generated");
    for required in ["states=100%", "transitions=100%", "conditions=100%"] {
        let test = ["test", "--coverage", "--prove", "--require", required];
        let run = project.fsmsim(test).run();
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    }
    let again = project.fsmsim(save).run();
    assert!(
        again.stdout.starts_with("door.yaml: nothing to generate\n"),
        "{}",
        again.stdout
    );
    assert_eq!(files(&project, "scenarios/generated"), written);
}

#[test]
fn generated_scenario_names_items_words_and_revision() {
    let run = door().fsmsim(["generate", "door.yaml"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn number_of_threads_does_not_change_the_files() {
    let texts = ["1", "2"].map(|jobs| {
        let project = door();
        let save = ["generate", "door.yaml", "-o", "out", "-j", jobs];
        assert_eq!(project.fsmsim(save).run().code, 0);
        files(&project, "out")
    });
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn limit_keeps_the_scenarios_that_cover_the_most() {
    let all = generated(&door(), &["--turns", "1"]);
    let some = generated(&door(), &["--turns", "1", "--max", "1"]);
    assert!(scenarios(&all).len() > 1, "{all:#}");
    assert_eq!(scenarios(&some).len(), 1, "{some:#}");
}

#[test]
fn bounded_search_names_its_bound() {
    let run = door()
        .fsmsim(["generate", "door.yaml", "--states", "2"])
        .run();
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    let line = "incomplete: the search reached the bound `states`\n";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    assert!(!run.stdout.contains("lower bound"), "{}", run.stdout);
}

#[test]
fn kind_that_no_search_decides_is_rejected() {
    let run = door()
        .fsmsim(["generate", "door.yaml", "--cover", "intents"])
        .run();
    assert_eq!(run.code, 2);
    let reason = "a search cannot decide which `intents` are attainable";
    assert!(run.stderr.contains(reason), "{}", run.stderr);
}

#[test]
fn model_without_items_of_the_kinds_is_exit_code_2() {
    let run = door()
        .fsmsim(["generate", "door.yaml", "--cover", "points"])
        .run();
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr
            .contains("the models have no items of these kinds"),
        "{}",
        run.stderr
    );
}

#[test]
fn trace_gives_scenarios_without_personal_data() {
    let project = Project::new()
        .file(
            "door.yaml",
            DOOR.replace(
                "slots: {key: {type: boolean}}",
                "slots: {key: {type: boolean}, visitor: {format: name}}",
            )
            .replace("optional_data: [key]", "optional_data: [key, visitor]"),
        )
        .file(
            "real.yaml",
            "\
scenario: Real
model: door.yaml
turns:
  - {say: it is Zoe Quark, intent: enter, data: {key: true, visitor: Zoe Quark}}
  - {say: Zoe says bye, intent: leave}
",
        );
    let trace = project.fsmsim(["trace", "real.yaml"]).run();
    assert_eq!(trace.code, 0, "{}", trace.stderr);
    project.write("real.jsonl", &trace.stdout);
    let generation = generated(&project, &["--from-traces", "real.jsonl"]);
    let scenarios = scenarios(&generation);
    assert_eq!(scenarios.len(), 1, "{generation:#}");
    let text = scenarios[0]["text"].as_str().unwrap();
    assert!(!text.contains("Zoe"), "{text}");
    assert!(text.contains("say: \"open the door\""), "{text}");
    assert!(text.contains("visitor: \"Ann Lee\""), "{text}");
}

#[test]
fn unreadable_trace_is_exit_code_2() {
    let project = door().file("wrong.jsonl", "{\"trace\": true}\n");
    let run = project
        .fsmsim(["generate", "door.yaml", "--from-traces", "wrong.jsonl"])
        .run();
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
}

#[test]
fn both_results_of_each_part_are_covered_with_mcdc() {
    let model = DOOR.replace(
        "{slot: key, is: true}",
        "{and: [{slot: key, is: true}, {slot: late, is: false}]}",
    );
    let model = model
        .replace("type: boolean}}", "type: boolean}, late: {type: boolean}}")
        .replace("optional_data: [key]", "optional_data: [key, late]");
    let project = Project::new().file("door.yaml", model);
    let generation = generated(&project, &["--cover", "mcdc"]);
    let share = &generation["after"]["mcdc"];
    assert_eq!(share["all"], 2, "{generation:#}");
    assert_eq!(share["covered"], 2, "{generation:#}");
}
