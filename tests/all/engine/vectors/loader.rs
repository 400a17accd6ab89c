//! Small flows, and the results of loading them.

use std::collections::BTreeSet;

use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};
use serde_json::{Value, json};

use super::states::compare;
use super::{config, load, report, texts, vectors};
use crate::support::Project;

/// The recorded flow, except for one intended difference: the running system changes a map that two states share. Here
/// each state has its own map.
fn expected(vector: &Value) -> Value {
    let mut flow = vector["ok"].clone();
    if ALIASING.contains(&vector["case"].as_str().unwrap()) {
        flow["states"]["s2"]["rules"] = json!({"a": "raw_a"});
    }
    flow
}

/// The cases in which a mixin of one state changes a sibling state in the running system.
const ALIASING: [&str; 2] = [
    "aliasing leak: raw base + mixin in one sibling",
    "no leak in reverse order",
];

/// The subjects of the recorded messages: the placeholder, or the last name.
fn recorded_subjects(vector: &Value) -> BTreeSet<String> {
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

/// The subjects of our errors: the last name in each.
fn error_subjects(found: &Diagnostics) -> BTreeSet<String> {
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
fn loading_matches_recorded_results() {
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
            (Some(_), Err(found)) => {
                differences.push(format!("refused: {:?}", error_subjects(&found)));
            }
            (None, Ok(_)) => differences.push("not refused".to_owned()),
            (None, Err(found)) => {
                compared += 1;
                // The running system overflows its stack. Our loader finds the cycle and names it.
                let expected = match vector["error"].as_str() {
                    Some("RecursionError") => {
                        BTreeSet::from(["cycle of parent states: s1 -> s2 -> s1".to_owned()])
                    }
                    _ => recorded_subjects(vector),
                };
                let got = error_subjects(&found);
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
