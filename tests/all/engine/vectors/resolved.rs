//! The flows as the running system stores them after loading.

use std::collections::{BTreeMap, BTreeSet};

use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::sales::Roles;
use fsmsim_core::machine::{IntentId, Profile, Traits};
use fsmsim_dialects::dialect::Loader;
use serde_json::Value;

use super::states::compare;
use super::{config, load, report, texts};
use crate::support::recordings;

/// The recorded flows by name, and the constants, or nothing if the recordings are absent.
fn resolved() -> Option<(BTreeMap<String, Value>, Value)> {
    let folder = recordings()?.join("flow/resolved");
    let mut flows = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        flows.insert(
            name,
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap(),
        );
    }
    let constants = flows.remove("_constants").unwrap();
    Some((flows, constants))
}

/// The intents of a category of the machine.
fn members<'a>(machine: &'a Machine, category: &str) -> BTreeSet<&'a str> {
    let category = machine.names.categories.id(category);
    let belongs = |intent: &IntentId| {
        category.is_some_and(|category| machine.intents[*intent].in_category(category))
    };
    machine
        .intents
        .ids()
        .filter(belongs)
        .map(|intent| machine.names.intents.name(intent))
        .collect()
}

/// The intents with a role.
fn with_role(machine: &Machine, role: Roles) -> BTreeSet<&str> {
    let sales = machine.sales().unwrap();
    let matching = machine
        .intents
        .ids()
        .filter(|intent| sales.intent(*intent).roles.contains(role));
    matching
        .map(|intent| machine.names.intents.name(intent))
        .collect()
}

/// The intents with a trait.
fn with_trait(machine: &Machine, traits: Traits) -> BTreeSet<&str> {
    let has = machine
        .intents
        .pairs()
        .filter(|(_, intent)| intent.has(traits));
    has.map(|(intent, _)| machine.names.intents.name(intent))
        .collect()
}

#[test]
fn resolved_flows_match_recorded_flows() {
    let (Some((flows, _)), Some(config)) = (resolved(), config()) else {
        return;
    };
    let mut loader = Loader::default();
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, flow) in &flows {
        let path = match name.strip_prefix("examples_") {
            Some(example) => config.join(format!("flows/examples/{example}.yaml")),
            None => config.join("flows").join(name),
        };
        let machine = load(&mut loader, &path, Profile::Reference, Some(&config)).unwrap();
        compared += compare(flow, &machine, &mut wrong);
    }
    assert_eq!(flows.len(), 23);
    report("parts of resolved flows", compared, &wrong);
}

#[test]
fn resolved_constants_match_recorded_constants() {
    let (Some((_, constants)), Some(config)) = (resolved(), config()) else {
        return;
    };
    let flow = config.join("flows/spin_selling");
    let machine = load(
        &mut Loader::default(),
        &flow,
        Profile::Reference,
        Some(&config),
    )
    .unwrap();
    let (mut compared, mut wrong) = (0, Vec::new());
    let mut check = |what: &str, expected: BTreeSet<&str>, got: BTreeSet<&str>| {
        compared += 1;
        if expected != got {
            wrong.push(format!("{what}: expected {expected:?}, got {got:?}"));
        }
    };
    let categories = constants["categories"].as_object().unwrap();
    let ours: BTreeSet<&str> = machine.names.categories.iter().collect();
    check(
        "names of categories",
        categories.keys().map(String::as_str).collect(),
        ours,
    );
    for (name, intents) in categories {
        check(
            name,
            texts(intents).into_iter().collect(),
            members(&machine, name),
        );
    }
    for (key, ours) in [
        ("objection", with_trait(&machine, Traits::OBJECTION)),
        ("positive_set", with_trait(&machine, Traits::POSITIVE)),
        (
            "return_triggers",
            with_role(&machine, Roles::RETURN_TRIGGER),
        ),
    ] {
        check(key, texts(&constants[key]).into_iter().collect(), ours);
    }
    // A question about the price is not a question about facts, even if the list contains it.
    let prices = members(&machine, "price_related");
    let facts = texts(&constants["fact"]["fact_intents"]);
    let facts = facts
        .into_iter()
        .filter(|intent| !prices.contains(intent))
        .collect();
    check("fact_intents", facts, with_role(&machine, Roles::FACT));
    for (from, to) in constants["allowed_gobacks"].as_object().unwrap() {
        let state = machine.names.states.id(from).map(|id| machine.state(id));
        let ours = state.and_then(|state| state.allowed_go_back);
        let ours = ours.map(|id| machine.names.states.name(id));
        check(
            from,
            to.as_str().into_iter().collect(),
            ours.into_iter().collect(),
        );
    }
    let conditions = constants["conditions"].as_object().unwrap();
    let own = |name: &&str| conditions.contains_key(*name);
    let ours = machine.names.conditions.iter().filter(own).collect();
    check(
        "conditions",
        conditions.keys().map(String::as_str).collect(),
        ours,
    );
    report("constants", compared, &wrong);
}
