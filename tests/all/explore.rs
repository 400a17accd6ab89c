//! `fsmsim explore`: every dialogue of a model.

use serde_json::Value;

use crate::support::{Project, home};

/// A shop with one of each problem: `ghost` is unreachable, the dialogue goes round in `cellar` and `attic`, and the
/// user can ask for help for ever.
const SHOP: &str = "\
flow: {name: shop, policy: plain, entry_points: {default: hall}}
intents:
  order: {description: Order, examples: [a pizza please]}
  help: {description: Help}
  pay: {description: Pay}
states:
  hall: {transitions: {order: counter, help: desk}}
  counter: {required_data: [dish], transitions: {data_complete: kitchen, help: cellar}}
  kitchen: {transitions: {pay: over}}
  desk: {transitions: {order: counter}}
  cellar: {transitions: {help: attic}}
  attic: {transitions: {order: cellar}}
  ghost: {transitions: {pay: over}}
  over: {is_final: true}
slots: {dish: {type: text}}
properties:
  no_kitchen: {never: {state: kitchen}}
  counter_leads_on: {after: {state: counter}, leads_to: {state: kitchen}, within: 2}
  desk_leads_to_the_end: {after: {state: desk}, leads_to: {state: over}}
  can_pay: {reachable: {state: over}}
";

/// A flow without problems.
const DOOR: &str = "\
flow: {name: door, policy: plain, entry_points: {default: closed}}
intents: {open: {description: Open}, leave: {description: Leave}}
states:
  closed: {transitions: {open: opened}}
  opened: {transitions: {leave: gone}}
  gone: {is_final: true}
properties:
  opens_first: {never: {and: [{from: closed}, {state: gone}]}}
";

fn answers(project: &Project, more: &[&str], code: i32) -> Vec<Value> {
    let run = project
        .fsmsim(["explore", "shop.yaml", "--format", "json"])
        .args(more)
        .run();
    assert_eq!(run.code, code, "{}{}", run.stdout, run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["answers"].as_array().unwrap().clone()
}

/// The verdict about a subject, and the number of turns of its witness.
fn verdict(answers: &[Value], question: &str, subject: &str) -> (String, Option<usize>) {
    let is_wanted =
        |answer: &&Value| answer["question"] == question && answer["subject"] == subject;
    let answer = answers
        .iter()
        .find(is_wanted)
        .unwrap_or_else(|| panic!("{question} {subject}"));
    assert_eq!(answer["played"], true, "{answer}");
    let turns = answer["witness"].as_array().map(Vec::len);
    (answer["verdict"].as_str().unwrap().to_owned(), turns)
}

#[test]
fn problems_are_found_with_the_shortest_dialogue() {
    let project = Project::new().file("shop.yaml", SHOP);
    let answers = answers(&project, &[], 1);
    let found = |question, subject| verdict(&answers, question, subject);
    assert_eq!(found("unreachable_state", "ghost"), ("found".into(), None));
    assert_eq!(found("trap", "cellar, attic"), ("found".into(), Some(2)));
    assert_eq!(found("property", "no_kitchen"), ("found".into(), Some(2)));
    assert_eq!(found("property", "can_pay"), ("proved".into(), None));
    assert_eq!(
        found("property", "counter_leads_on"),
        ("found".into(), Some(4))
    );
    assert_eq!(found("dead_end", ""), ("proved".into(), None));
}

/// Two states can lead to the same state, with and without an obligation, and an obligation can last in a cycle.
/// Search by fingerprints of states misses both.
#[test]
fn obligation_that_lasts_in_a_cycle_is_found() {
    let project = Project::new().file("shop.yaml", SHOP);
    let answers = answers(&project, &["--property", "desk_leads_to_the_end"], 1);
    let is_property = |answer: &&Value| answer["question"] == "property";
    let property = answers.iter().find(is_property).unwrap();
    assert_eq!(property["verdict"], "found", "{property}");
    assert!(property["repeats_from"].is_u64(), "{property}");
    assert_eq!(property["played"], true);
}

#[test]
fn model_without_problems_is_proved() {
    let project = Project::new().file("shop.yaml", DOOR);
    let answers = answers(&project, &[], 0);
    let is_proved = |answer: &Value| answer["verdict"] == "proved";
    assert!(answers.iter().all(is_proved), "{answers:#?}");
}

#[test]
fn bound_leaves_the_result_open() {
    let project = Project::new().file("shop.yaml", DOOR);
    let answers = answers(&project, &["--depth", "1"], 3);
    let state = answers
        .iter()
        .find(|answer| answer["question"] == "unreachable_final_state")
        .unwrap();
    assert_eq!(
        (&state["verdict"], &state["within"]),
        (&"not_found".into(), &"depth".into())
    );
}

#[test]
fn output_is_the_same_for_any_number_of_threads() {
    let project = Project::new().file("shop.yaml", SHOP);
    let explored = |jobs| {
        project
            .fsmsim(["explore", "shop.yaml", "-j", jobs])
            .run()
            .stdout
    };
    assert_eq!(explored("1"), explored("2"));
}

#[test]
fn unknown_property_suggests_a_similar_name() {
    let project = Project::new().file("shop.yaml", SHOP);
    let refused = project
        .fsmsim(["explore", "shop.yaml", "--property", "no_kitchn"])
        .run();
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .stderr
            .contains("a similar property exists: `no_kitchen`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn saved_dialogue_reproduces_the_problem() {
    let project = Project::new().file("shop.yaml", SHOP);
    project
        .fsmsim([
            "explore",
            "shop.yaml",
            "--property",
            "no_kitchen",
            "--save",
            "found",
        ])
        .run();
    let saved = project
        .files()
        .into_iter()
        .find(|file| file.contains("property"))
        .unwrap();
    let tested = project.fsmsim(["test", &saved]).run();
    assert_eq!(tested.code, 1, "{}{}", tested.stdout, tested.stderr);
}

/// The common workload of model checkers, cut at 20 turns. Complete, it has 4,758,408 states within 600 turns.
#[test]
fn common_workload_has_the_known_number_of_states() {
    let workload = std::fs::read_to_string(home("fixtures/explore/workload.yaml")).unwrap();
    let project = Project::new().file("shop.yaml", workload);
    let answers = answers(&project, &["--depth", "20", "--property", "bounded"], 1);
    let property = answers
        .iter()
        .find(|answer| answer["subject"] == "bounded")
        .unwrap();
    assert_eq!(property["verdict"], "not_found");
    assert_eq!(
        (&property["states"], &property["transitions"]),
        (&99_268.into(), &837_858.into())
    );
}
