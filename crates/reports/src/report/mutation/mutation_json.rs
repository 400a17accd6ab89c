//! Mutants in the mutation testing report schema, which viewers and dashboards of mutation testing read.

use std::collections::BTreeMap;
use std::path::Path;

use fsmsim_harness::mutate::{LineColumn, MutantResult, MutatedModel};
use fsmsim_syntax::document::is_yaml;
use serde_json::{Map, Value as Json, json};

/// The report as one JSON object. `config` has the counts and the proposed scenarios, for which the schema has no keys.
pub(super) fn json(models: &[MutatedModel], from_root: &dyn Fn(&str) -> String) -> Json {
    let mut files: BTreeMap<String, (&str, Vec<Json>)> = BTreeMap::new();
    let mut tests: BTreeMap<&str, BTreeMap<&str, Json>> = BTreeMap::new();
    let mut scenarios = Map::new();
    for model in models {
        for (path, text) in &model.files {
            let file = from_root(path);
            let (_, all) = files.entry(file).or_insert((&**text, Vec::new()));
            let mutants = model.mutants.iter();
            let here = mutants.filter(|result| result.file() == *path);
            all.extend(here.map(|result| mutant_json(model, result)));
        }
        for result in &model.mutants {
            let scenario = result.scenario.iter();
            scenarios.extend(scenario.map(|text| (id(model, result), Json::from(text.as_str()))));
            for address in result.covered_by.iter().chain(&result.killed_by) {
                let address = address.as_str();
                let (file, title) = address.split_once("::").unwrap_or((address, address));
                let test = json!({"id": address, "name": title});
                tests.entry(file).or_default().insert(address, test);
            }
        }
    }
    let files = files.into_iter().map(|(file, (source, mutants))| {
        let language = if is_yaml(Path::new(&file)) {
            "yaml"
        } else {
            "markdown"
        };
        let content = json!({"language": language, "source": source, "mutants": mutants});
        (file, content)
    });
    let tests = tests.into_iter().map(|(file, tests)| {
        let tests: Vec<Json> = tests.into_values().collect();
        (file.to_owned(), json!({"tests": tests}))
    });
    json!({
        "schemaVersion": "2",
        "thresholds": {"high": 80, "low": 60},
        "framework": {"name": "fsmsim", "version": env!("CARGO_PKG_VERSION")},
        "files": files.collect::<Map<String, Json>>(),
        "testFiles": tests.collect::<Map<String, Json>>(),
        "config": {
            "models": models.iter().map(model_json).collect::<Vec<_>>(),
            "scenarios": scenarios,
        },
    })
}

/// An ID that is unique in the run.
fn id(model: &MutatedModel, result: &MutantResult) -> String {
    format!("{}:{}", model.model, result.number)
}

fn mutant_json(model: &MutatedModel, result: &MutantResult) -> Json {
    let place = |(line, column): LineColumn| json!({"line": line, "column": column});
    let (start, end) = result.place;
    let mut json = json!({
        "id": id(model, result),
        "mutatorName": result.mutant.operator.name(),
        "replacement": result.mutant.replacement,
        "location": {"start": place(start), "end": place(end)},
        "status": result.status.name(),
        "coveredBy": result.covered_by,
        "killedBy": result.killed_by.iter().collect::<Vec<_>>(),
    });
    if let (Some(reason), Some(json)) = (&result.reason, json.as_object_mut()) {
        json.insert("statusReason".to_owned(), Json::from(reason.as_str()));
    }
    json
}

fn model_json(model: &MutatedModel) -> Json {
    let counts = model.counts();
    json!({
        "model": model.model,
        "scenarios": model.scenarios,
        "left_out": model.left_out,
        "mutants": counts,
        "score_by_expectations": counts.score_of_expectations().percent(),
        "score": counts.score().percent(),
    })
}
