//! `fsmsim test --coverage --prove`: items that no dialogue covers do not count.

use serde_json::Value;

use crate::support::Project;

/// A shop with an alternative whose condition contradicts the way to its state.
const SHOP: &str = "\
flow: {name: shop, policy: plain, entry_points: {default: hall}}
intents: {buy: {description: Buy}, ask: {description: Ask}, leave: {description: Leave}}
slots: {budget: {type: number}}
states:
  hall:
    required_data: [budget]
    transitions:
      buy: {when: {slot: budget, at_least: 1000}, then: counter}
      leave: street
  counter:
    rules:
      ask:
        - {when: {and: [{slot: budget, less_than: 10}, {slot: budget, more_than: 20}]}, then: refuse}
        - answer
    transitions: {leave: street}
  street: {is_final: true}
";

const BUYER: &str = "\
scenario: A buyer
model: models/shop.yaml
turns:
  - {intent: buy, data: {budget: 5}, expect: {state: hall}}
  - {intent: buy, data: {budget: 2000}, expect: {state: counter}}
  - {intent: ask, expect: {action: answer}}
  - {intent: ask, data: {budget: 5}, expect: {action: answer}}
  - {intent: leave, expect: {state: street}}
";

fn project(model: &str) -> Project {
    Project::new()
        .file("models/shop.yaml", model)
        .file("scenarios/buyer.yaml", BUYER)
}

#[test]
fn unattainable_items_do_not_count() {
    let project = project(SHOP);
    let test = ["test", "--coverage", "--require", "alternatives=100%"];
    project
        .fsmsim(test)
        .fails(1, "TOO LOW models/shop.yaml: alternatives", "");
    let output = project.fsmsim(test).args(["--prove"]).succeeds("");
    let (_, proof) = output
        .split_once("unattainable in models/shop.yaml\n")
        .unwrap();
    assert!(proof.contains("alternative ask[1]"), "{output}");
    assert!(proof.contains("condition ask[1]=true"), "{output}");
    assert!(!proof.contains("condition ask[1]=false"), "{output}");
    assert!(
        proof.contains("\nproved: no dialogue reaches it, "),
        "{output}"
    );
    assert!(proof.ends_with(" searched; not counted\n"), "{output}");
}

#[test]
fn reports_mark_unattainable_items() {
    let project = project(SHOP);
    let reports = ["--report", "lcov=c.info", "--report", "json=c.json"];
    project
        .fsmsim(["test", "--prove"])
        .args(reports)
        .succeeds("");
    let lcov = project.read("c.info");
    let unattainable: Vec<&str> = lcov
        .lines()
        .filter(|line| line.starts_with("MCDC:"))
        .collect();
    assert_eq!(
        unattainable,
        [
            "MCDC:13,U2,t,0,0,ask[1] part 1",
            "MCDC:13,U2,f,0,0,ask[1] part 1",
            "MCDC:13,U2,t,0,1,ask[1] part 2",
            "MCDC:13,U2,f,0,1,ask[1] part 2",
        ]
    );
    let report: Value = serde_json::from_str(&project.read("c.json")).unwrap();
    let model = &report["coverage"]["models"]["models/shop.yaml"];
    let states = &model["proof"]["complete"];
    assert!(states.as_u64().unwrap() > 3, "{model}");
    let items = model["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["name"] == "ask[1]").unwrap();
    assert_eq!(&item["reach"]["unattainable"], states);
}

#[test]
fn open_search_proves_nothing() {
    // The search tries texts with one of the words only.
    let texts = SHOP
        .replace("budget: {type: number}", "budget: {type: text}")
        .replace("at_least: 1000", "contains: a")
        .replace("less_than: 10", "contains: b")
        .replace("more_than: 20", "contains: c");
    project(&texts)
        .file(
            "scenarios/buyer.yaml",
            "scenario: A buyer\nmodel: models/shop.yaml\nturns: [{intent: ask, expect: {state: hall}}]\n",
        )
        .fsmsim(["test", "--coverage", "--prove"])
        .succeeds(
            "no item is proved unattainable: not all values of the slot `budget` are tried\n",
        );
}

#[test]
fn bound_of_the_search_proves_nothing() {
    project(SHOP)
        .fsmsim(["test", "--coverage", "--prove=3"])
        .succeeds("no item is proved unattainable: the search reached the bound `states`\n");
}

#[test]
fn scenario_beyond_the_dialogues_is_reported() {
    let start = "scenario: Put\nmodel: models/shop.yaml\nstart: {state: cellar}\nturns: [{intent: leave, expect: {state: street}}]\n";
    let model = SHOP.replace(
        "  street:",
        "  cellar: {transitions: {leave: street}}\n  street:",
    );
    project(&model)
        .file("scenarios/put.yaml", start)
        .fsmsim(["test", "--coverage", "--prove"])
        .succeeds("no item is proved unattainable: a scenario covers the transition `leave`");
}

#[test]
fn proof_needs_coverage() {
    project(SHOP)
        .fsmsim(["test", "--prove"])
        .refuses("cannot use `--prove` if coverage is not measured");
}
