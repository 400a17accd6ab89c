//! Small flows, and what loading makes of them.

use std::collections::BTreeSet;

use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};
use serde_json::{Value, json};

use super::states::compare;
use super::{config, load, report, texts, vectors};
use crate::support::Project;

/// The flow as it is recorded, but for what is meant to differ: where the running system changes a map that two states
/// share, each state has its own here.
fn expected(vector: &Value) -> Value {
    let mut flow = vector["ok"].clone();
    if ALIASING.contains(&vector["case"].as_str().unwrap()) {
        flow["states"]["s2"]["rules"] = json!({"a": "raw_a"});
    }
    flow
}

/// The cases in which a mixin of one state changes its sibling in the running system.
const ALIASING: [&str; 2] = [
    "aliasing leak: raw base + mixin in one sibling",
    "no leak in reverse order",
];

/// What the recorded messages complain of: the placeholder, or the last name.
fn complaints(vector: &Value) -> BTreeSet<String> {
    let name = |message: &str| match message
        .split_once("{{")
        .and_then(|(_, rest)| rest.split_once("}}"))
    {
        Some((name, _)) => format!("{{{{{name}}}}}"),
        None => message.rsplit('\'').nth(1).unwrap().to_owned(),
    };
    texts(&vector["validation_errors"])
        .into_iter()
        .map(name)
        .collect()
}

/// What our errors complain of: the last name in each.
fn refusals(found: &Diagnostics) -> BTreeSet<String> {
    let errors = found
        .items()
        .iter()
        .filter(|item| item.severity == Severity::Error);
    errors
        .map(|item| {
            item.title
                .rsplit('`')
                .nth(1)
                .unwrap_or(&item.title)
                .to_owned()
        })
        .collect()
}

#[test]
fn loader() {
    let (Some(vectors), Some(config)) = (vectors("_vec_loader.jsonl"), config()) else {
        return;
    };
    let constants = std::fs::read_to_string(config.join("constants.yaml")).unwrap();
    let (mut compared, mut wrong) = (0, Vec::new());
    for vector in &vectors {
        let project = Project::new().file("constants.yaml", &constants);
        for (path, content) in vector["files"].as_object().unwrap() {
            project.write(path, content.to_string());
        }
        let path = project.path().join("flows/f");
        let machine = load(
            &mut Loader::default(),
            &path,
            Profile::Reference,
            Some(project.path()),
        );
        let case = vector["case"].as_str().unwrap();
        let mut differences = Vec::new();
        match (vector.get("ok"), machine) {
            (Some(_), Ok(machine)) => {
                compared += compare(&expected(vector), &machine, &mut differences);
            }
            (Some(_), Err(found)) => differences.push(format!("refused: {:?}", refusals(&found))),
            (None, Ok(_)) => differences.push("not refused".to_owned()),
            (None, Err(found)) => {
                compared += 1;
                // The running system runs out of stack; here the circle is found and named.
                let expected = match vector["error"].as_str() {
                    Some("RecursionError") => BTreeSet::from([
                        "states extend each other in a circle: s1 -> s2 -> s1".to_owned(),
                    ]),
                    _ => complaints(vector),
                };
                let got = refusals(&found);
                if expected != got {
                    differences.push(format!("expected errors about {expected:?}, got {got:?}"));
                }
            }
        }
        wrong.extend(
            differences
                .into_iter()
                .map(|difference| format!("{case}: {difference}")),
        );
    }
    report("parts of flows in small", compared, &wrong);
    let cases: BTreeSet<&str> = vectors
        .iter()
        .map(|vector| vector["case"].as_str().unwrap())
        .collect();
    assert!(ALIASING.iter().all(|case| cases.contains(case)));
}
