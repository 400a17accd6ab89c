//! Lints of what a recognizer learns from: examples of intents, and slots that text must fill.

use crate::support::{Project, Run};

/// A flow with these intents, each used in its only state, which has these keys.
fn flow(intents: &str, keys: &str) -> Project {
    let names = intents.lines().filter(|line| line.starts_with("  "));
    let names = names.filter_map(|line| line.trim().split(':').next());
    let complete = (!keys.is_empty()).then_some("data_complete");
    let transitions: Vec<String> = names
        .chain(complete)
        .map(|name| format!("{name}: bye"))
        .collect();
    let transitions = transitions.join(", ");
    let flow = format!(
        "flow: {{name: f}}\nstates:\n  greeting: {{{keys}transitions: {{{transitions}}}}}\n  bye: {{is_final: true}}\n{intents}"
    );
    Project::new().file("f.yaml", flow)
}

fn lint(project: &Project) -> Run {
    project.fsmsim(["lint", "f.yaml"]).run()
}

fn codes(project: &Project) -> Vec<String> {
    let run = project
        .fsmsim(["lint", "f.yaml", "--format", "jsonl"])
        .run();
    let code = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    run.stdout
        .lines()
        .map(|line| code(line)["code"].as_str().unwrap().to_owned())
        .collect()
}

const DISTINCT: &str = "\
intents:
  buy: {examples: [I want to buy a boat, Do you have a boat for me, I am looking for a boat]}
  sell: {examples: [My garage is too small for two cars, Take this old car away, What do you pay for a used car]}
  hire: {examples: [We need a gardener on Fridays, Who can mow the lawn, A gardener would help us]}
  lend: {examples: [Lend me your ladder until Sunday, I would bring the ladder back, May I take a ladder home]}
";

#[test]
fn distinct_examples_have_no_finding() {
    assert_eq!(codes(&flow(DISTINCT, "")), Vec::<String>::new());
}

#[test]
fn misplaced_example_is_reported_at_its_location() {
    // The example is about a ladder, but is in the list of the gardener.
    let intents = DISTINCT.replace(
        "A gardener would help us]",
        "A gardener would help us, I would bring your ladder back on Sunday]",
    );
    let project = flow(&intents, "");
    insta::assert_snapshot!(lint(&project).shown());
    // A declared similarity is intended.
    let intents = intents.replace(
        "back on Sunday]",
        "back on Sunday], confused_with: {lend: is about a person}",
    );
    assert_eq!(codes(&flow(&intents, "")), Vec::<String>::new());
}

#[test]
fn intents_with_the_same_examples_are_reported_once() {
    let intents = "\
intents:
  buy: {examples: [How much is the boat, What does the boat cost, Name the price of the boat]}
  sell: {examples: [How much is this boat, What does this boat cost, Name the price of this boat]}
  hire: {examples: [We need a gardener on Fridays, Who can mow the lawn, A gardener would help us]}
";
    insta::assert_snapshot!(lint(&flow(intents, "")).shown());
}

#[test]
fn intent_without_examples_in_a_common_language_is_reported() {
    let intents = "\
intents:
  buy: {examples: [I want to buy a boat, Хочу купить лодку]}
  sell: {examples: [Take this old car away, Заберите старую машину]}
  hire: {examples: [Who can mow the lawn]}
  lend: {examples: ['4711', '4712']}
";
    insta::assert_snapshot!(lint(&flow(intents, "")).shown());
    // One intent with another language is not a common language.
    let intents = "\
intents:
  buy: {examples: [I want to buy a boat, Хочу купить лодку]}
  sell: {examples: [Take this old car away]}
  hire: {examples: [Who can mow the lawn]}
";
    assert_eq!(codes(&flow(intents, "")), Vec::<String>::new());
}

#[test]
fn slots_that_text_cannot_fill_are_reported() {
    let state = "required_data: [name, address, count, tags], ";
    let slots = "slots: {count: {type: integer}, tags: {type: list}}\n";
    let project = flow(&format!("{slots}{DISTINCT}"), state);
    insta::assert_snapshot!(lint(&project).shown());
    // Without examples, no text is recognized.
    assert_eq!(codes(&flow(slots, state)), Vec::<String>::new());
    let slots = "slots: {address: {values: [north, south]}, count: {type: integer}, tags: {type: list, values: [new, old]}}\n";
    let project = flow(&format!("{slots}{DISTINCT}"), state);
    assert_eq!(codes(&project), Vec::<String>::new());
}

#[test]
fn unknown_similar_intent_of_a_contract_is_reported() {
    let contract = "\
kind: contract
modes: {talk: {}, over: {final: true}}
frames: {root: {carried: root, fields: {topic: text}}}
intents: {find: {say: 'find (?P<topic>\\w+)', confused_with: {by: ends the dialogue}}, bye: {say: bye}}
classes:
  FIND: {owner: root, intent: find, requires: nothing, carryover: none, forbids: [], answers: [], sets: {root.topic: {said: topic}}, mode: talk}
  BYE: {owner: root, intent: bye, requires: nothing, carryover: none, forbids: [], answers: [], sets: {}, mode: over}
";
    let project = Project::new().file("f.yaml", contract);
    let run = lint(&project);
    assert!(run.stderr.contains("unknown intent `by`"), "{run}");
}
