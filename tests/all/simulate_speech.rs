//! `fsmsim simulate`: what users say, and how many dialogues misreading spoils.

use serde_json::{Value, json};

use crate::support::{Invocation, Project};

const FLOW: &str = "\
flow: {name: shop}
slots: {count: {type: integer, at_least: 1}, city: {type: text}}
states:
  greeting: {transitions: {wants_boat: ask, leaves: street}}
  ask:
    required_data: [count]
    transitions: {data_complete: deal, leaves: street}
  deal: {transitions: {accepts: sold, leaves: street}}
  sold: {is_final: true}
  street: {is_final: true}
intents:
  wants_boat: {examples: [I want to buy a boat, Do you sell boats, I am looking for a boat]}
  tells_count: {examples: [We need 4 of them, Make it 12 pieces]}
  accepts: {examples: [That is a fair deal, Agreed, I take it]}
  leaves: {examples: [I have to go now, Not today, Maybe another time]}
";

const BUYER: &str = "\
persona: buyer
weights:
  - {intent: wants_boat, weight: 4, in: [greeting]}
  - {intent: accepts, weight: 4}
  - {intent: leaves, weight: 1}
data: {count: 7}
answers_with: tells_count
max_turns: 12
";

fn project(flow: &str) -> Project {
    Project::new()
        .file("shop.yaml", flow)
        .file("fixtures/personas/buyer.yaml", BUYER)
}

fn simulate(project: &Project, more: &[&str]) -> Invocation {
    let arguments = ["simulate", "shop.yaml", "--seed", "3"];
    project.fsmsim(arguments).args(more)
}

const BUYERS: [&str; 4] = ["--persona", "buyer", "--dialogues", "100"];

#[test]
fn user_says_examples_with_its_own_values() {
    let project = project(FLOW);
    let shown = simulate(&project, &["--show", "buyer:1"]).succeeds("");
    insta::assert_snapshot!(shown);
    // An example of the flow contains another number.
    let all: String = (1..=20)
        .map(|number| simulate(&project, &["--show", &format!("buyer:{number}")]).succeeds(""))
        .collect();
    assert!(
        all.contains("We need 7 of them") && all.contains("Make it 7 pieces"),
        "{all}"
    );
    assert!(!all.contains("12 pieces"), "{all}");
}

#[test]
fn sentences_do_not_change_the_drawn_intents() {
    let without: String = FLOW
        .lines()
        .take_while(|line| !line.starts_with("intents:"))
        .map(|line| format!("{line}\n"))
        .collect();
    let intents = "intents: {tells_count: {description: Names a number}}\n";
    let ends = |flow: &str| simulate(&project(flow), &BUYERS).succeeds("shop");
    assert_eq!(ends(FLOW), ends(&format!("{without}{intents}")));
}

#[test]
fn recognized_sentences_lead_to_the_same_ends() {
    let project = project(FLOW);
    let recognized = |jobs: &str| {
        simulate(&project, &BUYERS)
            .args(["--recognize", "-j", jobs, "--format", "json"])
            .succeeds("")
    };
    let report = recognized("1");
    assert_eq!(report, recognized("4"));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["recognized"], json!(true));
    let said = simulate(&project, &BUYERS).args(["--format", "json"]);
    let intended: Value = serde_json::from_str(&said.succeeds("")).unwrap();
    assert_eq!(
        report["personas"][0]["finished"],
        intended["personas"][0]["finished"]
    );
}

#[test]
fn misread_intents_are_counted_with_the_dialogues_they_spoil() {
    // Both intents have the same example, so one of them is always misread.
    let flow = FLOW
        .replace(
            "[That is a fair deal, Agreed, I take it]",
            "[That is a deal]",
        )
        .replace("[I have to go now, ", "[That is a deal, ");
    let project = project(&flow);
    let run = simulate(&project, &BUYERS).args(["--recognize"]).run();
    insta::assert_snapshot!(run.shown());
}

#[test]
fn missing_values_are_misread_sentences() {
    // The flow asks for two free texts, so no reader takes them.
    let flow = FLOW
        .replace(
            "required_data: [count]",
            "required_data: [city, street_name]",
        )
        .replace(
            "tells_count: {examples: [We need 4 of them, Make it 12 pieces]}",
            "tells_count: {examples: [It is in the north, Please send it there]}",
        );
    let project = project(&flow).file(
        "fixtures/personas/buyer.yaml",
        BUYER.replace("{count: 7}", "{city: Bonn, street_name: Am Markt}"),
    );
    let report = simulate(&project, &BUYERS)
        .args(["--recognize", "--report", "json"])
        .succeeds("");
    let report: Value = serde_json::from_str(&report).unwrap();
    let misread = report["personas"][0]["misread"].as_array().unwrap();
    let lost = misread
        .iter()
        .find(|one| one["intent"] == "tells_count")
        .unwrap();
    assert_eq!(lost["predicted"], json!("tells_count"), "{lost}");
    assert!(lost["dialogues"].as_u64().unwrap() > 0, "{lost}");
}

#[test]
fn shards_of_recognized_users_add_up() {
    let project = project(FLOW);
    let shard = |name: &str, shard: &str| {
        let file = format!("json={name}");
        simulate(&project, &BUYERS)
            .args(["--recognize", "--shard", shard, "--report", &file])
            .succeeds("");
    };
    shard("a.json", "1/2");
    shard("b.json", "2/2");
    let merged = project
        .fsmsim(["merge", "a.json", "b.json", "--report", "json"])
        .succeeds("");
    let whole = simulate(&project, &BUYERS)
        .args(["--recognize", "--format", "json"])
        .succeeds("");
    let personas = |report: &str| -> Value {
        let report: Value = serde_json::from_str(report).unwrap();
        report["personas"].clone()
    };
    assert_eq!(personas(&merged), personas(&whole));
}

#[test]
fn recognition_needs_examples() {
    let flow = FLOW.split("intents:").next().unwrap();
    let error = simulate(&project(flow), &BUYERS)
        .args(["--recognize"])
        .refuses("cannot recognize users: the model has no examples");
    assert!(error.contains("examples: ["), "{error}");
    simulate(&project(FLOW), &BUYERS)
        .args(["--recognize", "--llm", "examples"])
        .refuses("cannot be used with");
}

#[test]
fn provider_that_cannot_play_a_user_is_refused() {
    let project = project(FLOW)
        .file("reads.yaml", "rules: [{answer: {intent: leaves}}]\n")
        .file(
            "plays.yaml",
            "rules: [{need: play_user, answer: {say: Not today, leaves: true}}, {answer: {intent: leaves}}]\n",
        );
    let simulate = |llm: &'static str| simulate(&project, &BUYERS).args(["--llm", llm]);
    insta::assert_snapshot!(simulate("examples").shown());
    simulate("mock:reads.yaml").refuses("no provider can play a user");
    simulate("examples,mock:reads.yaml").refuses("no provider can play a user");
    simulate("mock:plays.yaml").succeeds("shop");
    simulate("mock:reads.yaml,mock:plays.yaml").succeeds("shop");
}
