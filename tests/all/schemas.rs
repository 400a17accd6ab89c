//! The JSON Schemas of the formats: our files conform to them, mistakes do not, and the examples of formats work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Atom, Content, Node, documents, parse_yaml};
use fsmsim_syntax::shapes::{self, Format};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Project, home, text, walk};

/// An unknown key.
const UNKNOWN_KEY: &str = "zqzqzqzq";

/// The schemas that the program writes, by file name.
fn written() -> BTreeMap<String, String> {
    let project = Project::new();
    project.fsmsim(["schema", "--out", "schemas"]).succeeds("");
    let named = project
        .files()
        .into_iter()
        .map(|path| (path.replace("schemas/", ""), project.read(&path)));
    named.collect()
}

struct Schemas {
    texts: BTreeMap<String, Value>,
    validators: BTreeMap<String, Validator>,
}

impl Schemas {
    fn new() -> Self {
        let kind = |name: String| name.trim_end_matches(".schema.json").to_owned();
        let texts: BTreeMap<String, Value> = written()
            .into_iter()
            .map(|(name, text)| (kind(name), serde_json::from_str(&text).unwrap()))
            .collect();
        let validator = |schema: &Value| jsonschema::draft202012::new(schema).unwrap();
        let validators = texts
            .iter()
            .map(|(kind, schema)| (kind.clone(), validator(schema)))
            .collect();
        Self { texts, validators }
    }

    /// The errors in a value.
    fn errors(&self, kind: &str, value: &Value) -> Vec<String> {
        let errors = self.validators[kind].iter_errors(value);
        errors
            .map(|error| {
                format!(
                    "{} {}",
                    error.instance_path(),
                    error.to_string().chars().take(300).collect::<String>()
                )
            })
            .collect()
    }
}

/// A node as JSON, as the program reads it.
fn json(node: &Node) -> Value {
    match &node.content {
        Content::Map(map) => map
            .entries
            .iter()
            .map(|(key, value)| (key.text.to_string(), json(value)))
            .collect(),
        Content::List(items) => items.iter().map(json).collect(),
        Content::Scalar(scalar) => match scalar.atom() {
            Atom::Null => Value::Null,
            Atom::Bool(value) => json!(value),
            Atom::Int(value) => json!(value),
            Atom::Float(value) => json!(value),
            Atom::Text(text) => json!(text),
        },
    }
}

/// The documents of a YAML file. `None` if the file is invalid.
fn yaml(text: &str) -> Option<Vec<Value>> {
    let mut found = Diagnostics::default();
    let file = SourceMap::default().add("file", text);
    let nodes: Vec<Value> = documents(text)
        .into_iter()
        .filter_map(|range| parse_yaml(file, &text[range.clone()], range.start, &mut found))
        .map(|node| json(&node))
        .collect();
    (!found.has_errors()).then_some(nodes)
}

/// The kind of a document, by its path and its keys. `None` if it has no schema.
fn kind(path: &str, value: &Value) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap();
    let has = |key: &str| value.get(key).is_some();
    let says = |kind: &str| value.get("kind").and_then(Value::as_str) == Some(kind);
    let named = ["states", "mixins", "priorities", "constants", "settings"];
    if let Some(kind) = named
        .into_iter()
        .find(|kind| name == format!("{kind}.yaml"))
    {
        return Some(kind);
    }
    Some(match name {
        "_defaults.yaml" => "defaults",
        "contract.yaml" => "state-set-contract",
        "flow.yaml" => "flow",
        _ if path.contains("/conditions/") => "conditions",
        _ if says("contract") => "contract",
        _ if says("interview") => "interview",
        _ if says("cycle") => "cycle",
        _ if has("scenario") => "scenario",
        _ if has("persona") => "persona",
        _ if has("rules") || has("queue") => "mock",
        _ if has("answers") => "backend",
        _ if has("states") || has("flow") => "flow",
        _ if has("dialogue") && has("turn") => "trace-map",
        _ if has("turns") => "shared-turns",
        _ => return None,
    })
}

/// The front matter of a Markdown file, with its kind.
fn front(path: &str, text: &str) -> Option<(&'static str, Value)> {
    let (front, _) = text.strip_prefix("---\n")?.split_once("\n---")?;
    let value = yaml(front)?.into_iter().next()?;
    let kind = match path {
        _ if path.ends_with("instructions/system.md") => "system",
        _ if path.contains("/instructions/") || path.contains("/knowledge/") => return None,
        _ if path.contains("/states/") => "state",
        _ if path.starts_with("scenarios/") || value.get("model").is_some() => "transcript",
        _ => "document",
    };
    Some((kind, value))
}

/// The documents of a file, with their kinds.
fn parts(path: &str, text: &str) -> Vec<(&'static str, Value)> {
    match Path::new(path)
        .extension()
        .and_then(|extension| extension.to_str())
    {
        Some("yaml" | "yml") => {
            let documents = yaml(text).unwrap_or_default().into_iter();
            documents
                .filter_map(|value| Some((kind(path, &value)?, value)))
                .collect()
        }
        Some("toml") => toml::from_str(text)
            .map(|value| ("config", value))
            .into_iter()
            .collect(),
        Some("md") => front(path, text).into_iter().collect(),
        Some("jsonl") => {
            let lines = text
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            // Other lines are excerpts of traces, or third-party traces.
            let lines =
                lines.filter(|line| line.get("id").is_some() && line.get("turns").is_some());
            lines.map(|line| ("turns", line)).collect()
        }
        _ => Vec::new(),
    }
}

/// Our files: models, scenarios and fixtures, the examples of the pages, and the templates of a new project.
fn ours() -> Vec<(String, String)> {
    let folders = [
        "flows",
        "states",
        "scenarios",
        "fixtures/backends",
        "fixtures/llm",
        "fixtures/personas",
        "crates/runtime/templates",
        "crates/runtime/src/simulate/built_in",
    ];
    let mut files: Vec<(String, String)> = Vec::new();
    for path in folders.into_iter().flat_map(|folder| walk(&home(folder))) {
        let path = path
            .strip_prefix(home(""))
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        files.push((path.clone(), text(&path)));
    }
    let is_text = |path: &PathBuf| path.extension() != Some("png".as_ref());
    let pages = walk(&home("docs")).into_iter().filter(is_text);
    for page in pages.chain([home("README.md")]) {
        let page = page
            .strip_prefix(home(""))
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        for block in text(&page).split("\n```").filter(|block| {
            let info = block.lines().next().unwrap();
            info.contains(" file=") && !info.starts_with("diff ")
        }) {
            let (info, content) = block.split_once('\n').unwrap();
            files.push((
                format!("{page}/{}", info.split_once("file=").unwrap().1),
                content.to_owned(),
            ));
        }
    }
    files.sort();
    files
}

#[test]
fn schemas_folder_matches_the_program() {
    let written = written();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        for (name, text) in &written {
            std::fs::create_dir_all(home("schemas")).unwrap();
            std::fs::write(home("schemas").join(name), text).unwrap();
        }
    }
    let saved = walk(&home("schemas")).into_iter().map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, text(&path))
    });
    let saved: BTreeMap<String, String> = saved.collect();
    assert_eq!(
        saved.keys().collect::<Vec<_>>(),
        written.keys().collect::<Vec<_>>()
    );
    assert!(
        saved == written,
        "regenerate them: fsmsim schema --out schemas"
    );
    let project = Project::new();
    for (name, text) in written {
        let kind = name.trim_end_matches(".schema.json");
        assert_eq!(project.fsmsim(["schema", kind]).succeeds(""), text);
    }
}

#[test]
fn our_files_conform_to_their_schemas() {
    let schemas = Schemas::new();
    let (mut errors, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (path, text) in ours() {
        for (kind, value) in parts(&path, &text) {
            *counts.entry(kind).or_default() += 1;
            errors.extend(
                schemas
                    .errors(kind, &value)
                    .into_iter()
                    .map(|error| format!("{path} ({kind}): {error}")),
            );
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert!(counts.values().sum::<usize>() >= 400, "{counts:?}");
    assert!(counts.len() >= 18, "{counts:?}");
}

#[test]
fn our_traces_conform_to_the_trace_schema() {
    let schemas = Schemas::new();
    let project = Project::library();
    let mut lines = 0;
    for path in project
        .scenario_files()
        .into_iter()
        .filter(|path| !path.contains("/coverage/"))
    {
        let trace = project.fsmsim(["trace", &path]).run().stdout;
        for line in trace.lines() {
            let errors = schemas.errors("trace", &serde_json::from_str(line).unwrap());
            assert!(errors.is_empty(), "{path}: {line}\n{}", errors.join("\n"));
            lines += 1;
        }
    }
    assert!(lines > 1000, "only {lines} lines");
}

#[test]
fn schemas_find_mistakes_that_need_no_model() {
    let schemas = Schemas::new();
    let mut files = walk(&home("fixtures/mistakes"));
    files.sort();
    let mut results = String::new();
    for file in files {
        let path = file.strip_prefix(home("")).unwrap().to_str().unwrap();
        let parts = parts(path, &text(path));
        let errors: Vec<String> = parts
            .iter()
            .flat_map(|(kind, value)| schemas.errors(kind, value))
            .collect();
        let seen = if parts.is_empty() {
            "not read"
        } else if errors.is_empty() {
            "-"
        } else {
            "seen"
        };
        results += &format!(
            "{seen:8} {}\n",
            path.strip_prefix("fixtures/mistakes/").unwrap()
        );
    }
    insta::assert_snapshot!(results);
}

/// The names of the keys of a map: of the file, or of a definition in the schema.
fn keys_of(schema: &Value, part: Option<&str>) -> BTreeSet<String> {
    let map = part.map_or(schema, |part| &schema["$defs"][part]);
    map["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn project_file_accepts_the_keys_of_its_schema() {
    let schemas = Schemas::new();
    let tables = [
        (None, ""),
        (Some("project_paths"), "[paths]"),
        (Some("snapshot_settings"), "[snapshot]"),
        (Some("llm_settings"), "[llm]"),
        (Some("cassette_settings"), "[llm.cassette]"),
        (Some("cycle_settings"), "[cycle]"),
        (Some("chain_link"), "[[llm.chain]]"),
    ];
    let project = Project::new();
    for (part, table) in tables {
        project.write("fsmsim.toml", format!("{table}\n{UNKNOWN_KEY} = 1\n"));
        let stderr = project.fsmsim(["list"]).run().stderr;
        let line = stderr.lines().next().unwrap();
        let names: BTreeSet<String> = line
            .split_once(", expected")
            .unwrap()
            .1
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        assert_eq!(names, keys_of(&schemas.texts["config"], part), "{table}");
    }
}

#[test]
fn record_fields_are_the_keys_of_an_expectation() {
    let declared: BTreeSet<&str> = shapes::EXPECTATION.key_names().collect();
    let read: BTreeSet<&str> = RecordField::expected_names().collect();
    assert_eq!(declared, read);
}

/// A project of the examples of all formats.
fn examples() -> Project {
    let project = Project::new();
    for Format {
        example: (path, text),
        ..
    } in shapes::FORMATS
    {
        project.write(path, text);
    }
    project
}

#[test]
fn examples_of_formats_conform_to_their_schemas() {
    let schemas = Schemas::new();
    let mut errors = Vec::new();
    for Format { name, example, .. } in shapes::FORMATS {
        let (path, text) = *example;
        let extension = Path::new(path).extension().unwrap().to_str().unwrap();
        let values: Vec<Value> = match extension {
            "yaml" => yaml(text).unwrap(),
            "toml" => vec![toml::from_str(text).unwrap()],
            "json" => vec![serde_json::from_str(text).unwrap()],
            "jsonl" => text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
            _ => {
                let (front, _) = text
                    .strip_prefix("---\n")
                    .unwrap()
                    .split_once("\n---")
                    .unwrap();
                yaml(front).unwrap()
            }
        };
        assert!(!values.is_empty(), "{name}");
        let found = values.iter().flat_map(|value| schemas.errors(name, value));
        errors.extend(found.map(|error| format!("{path} ({name}): {error}")));
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn examples_of_formats_are_a_project_that_works() {
    let project = examples()
        .file("shop/flows/bakery/flow.yaml", "flow: {name: bakery, extends: _base}\n")
        .file("states/tea/states/goodbye.md", "---\nfinal: true\n---\n# State: goodbye\n\n## Goal\nSay goodbye.\n")
        .file("logs.jsonl", "{\"chat\": \"c1\", \"messages\": [{\"intent\": \"order\", \"state\": \"paying\"}]}\n")
        .file("scenarios/shared.yaml", "scenario: Shared turns\nturns:\n  - {use: shared/order.yaml, with: {size: large}}\n  - {intent: thanks, expect: {state: done}}\n")
        .file("scenarios/search.yaml", "scenario: A search\nmodel: flows/library.yaml\nstart: {backend: fixtures/backends/library.yaml}\nturns: [{say: books about dragons, expect: {contract_class: FIND, state: catalog}}]\n");
    let models = ["flows", "states/tea", "elevator.md", "shop/flows/bakery"];
    project
        .fsmsim(["lint", "--deny-warnings"])
        .args(models)
        .succeeds("7 models: no errors, no warnings");
    project
        .fsmsim(["test", "--accept"])
        .succeeds("4 passed in 7 turns; 4 snapshots accepted");
    for (arguments, shown) in [
        (
            "trace flows/pizza.yaml --turns calls.jsonl",
            "\"final\":true",
        ),
        (
            "verify trace.jsonl --model flows/pizza.yaml",
            "1 dialogue, 1 turn: conforms",
        ),
        (
            "verify logs.jsonl --map chats.yaml --model flows/pizza.yaml",
            "1 dialogue, 1 turn: conforms",
        ),
        (
            "simulate flows/pizza.yaml --persona hungry --dialogues 2",
            "hungry   100.0%",
        ),
        ("eval flows/pizza.yaml datasets/pizza.yaml", "3 of 3"),
        ("eval flows/pizza.yaml datasets/pizza.jsonl", "1 of 1"),
    ] {
        project.fsmsim(arguments.split(' ')).succeeds(shown);
    }
}
