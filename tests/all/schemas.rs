//! The JSON Schemas of formats: our own files keep to them, mistakes do not, and the loaders know the same keys.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Atom, Content, Node, documents, parse_yaml};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Project, home, text, walk};

/// What begins the name of a key that nobody knows.
const STRANGE: &str = "zqzqzqzq";

/// The schemas that the program writes, by the names of their files.
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

    /// What is wrong with a value.
    fn faults(&self, kind: &str, value: &Value) -> Vec<String> {
        let faults = self.validators[kind].iter_errors(value);
        faults
            .map(|fault| {
                format!(
                    "{} {}",
                    fault.instance_path(),
                    fault.to_string().chars().take(300).collect::<String>()
                )
            })
            .collect()
    }
}

/// A tree as JSON, as the program reads it.
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

/// The documents of a YAML file; none where it is none.
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

/// What a file holds, by its path and its keys; nothing where there is no schema of it.
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
        "contract.yaml" => "set-contract",
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

/// The front matter of a markdown file with what it is the front matter of.
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

/// What a file holds, each document of it with its kind.
fn parts(path: &str, text: &str) -> Vec<(&'static str, Value)> {
    match Path::new(path)
        .extension()
        .and_then(|ending| ending.to_str())
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
            // Other lines are traces in excerpts, and those of others.
            let lines =
                lines.filter(|line| line.get("id").is_some() && line.get("turns").is_some());
            lines.map(|line| ("turns", line)).collect()
        }
        _ => Vec::new(),
    }
}

/// Files of ours: what is played, what the pages show, and what a new project begins with.
fn ours() -> Vec<(String, String)> {
    let folders = [
        "flows",
        "states",
        "scenarios",
        "fixtures/backends",
        "fixtures/llm",
        "fixtures/personas",
        "src/cli/init",
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
    for page in walk(&home("docs")).into_iter().chain([home("README.md")]) {
        let page = page
            .strip_prefix(home(""))
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        for block in text(&page)
            .split("\n```")
            .filter(|block| block.lines().next().unwrap().contains(" file="))
        {
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
fn the_folder_of_schemas_is_what_the_program_prints() {
    let written = written();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        for (name, text) in &written {
            std::fs::create_dir_all(home("schemas")).unwrap();
            std::fs::write(home("schemas").join(name), text).unwrap();
        }
    }
    let kept = walk(&home("schemas")).into_iter().map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, text(&path))
    });
    let kept: BTreeMap<String, String> = kept.collect();
    assert_eq!(
        kept.keys().collect::<Vec<_>>(),
        written.keys().collect::<Vec<_>>()
    );
    assert!(
        kept == written,
        "write them anew: fsmsim schema --out schemas"
    );
    let project = Project::new();
    for (name, text) in written {
        let kind = name.trim_end_matches(".schema.json");
        assert_eq!(project.fsmsim(["schema", kind]).succeeds(""), text);
    }
}

#[test]
fn every_file_of_ours_keeps_to_its_schema() {
    let schemas = Schemas::new();
    let (mut faults, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (path, text) in ours() {
        for (kind, value) in parts(&path, &text) {
            *counts.entry(kind).or_default() += 1;
            faults.extend(
                schemas
                    .faults(kind, &value)
                    .into_iter()
                    .map(|fault| format!("{path} ({kind}): {fault}")),
            );
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(counts.values().sum::<usize>() >= 400, "{counts:?}");
    assert!(counts.len() >= 18, "{counts:?}");
}

#[test]
fn every_line_of_our_traces_keeps_to_its_schema() {
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
            let faults = schemas.faults("trace", &serde_json::from_str(line).unwrap());
            assert!(faults.is_empty(), "{path}: {line}\n{}", faults.join("\n"));
            lines += 1;
        }
    }
    assert!(lines > 1000, "only {lines} lines");
}

#[test]
fn mistakes_that_need_no_model_are_seen_by_the_schemas() {
    let schemas = Schemas::new();
    let mut files = walk(&home("fixtures/mistakes"));
    files.sort();
    let mut told = String::new();
    for file in files {
        let path = file.strip_prefix(home("")).unwrap().to_str().unwrap();
        let parts = parts(path, &text(path));
        let faults: Vec<String> = parts
            .iter()
            .flat_map(|(kind, value)| schemas.faults(kind, value))
            .collect();
        let seen = if parts.is_empty() {
            "not read"
        } else if faults.is_empty() {
            "-"
        } else {
            "seen"
        };
        told += &format!(
            "{seen:8} {}\n",
            path.strip_prefix("fixtures/mistakes/").unwrap()
        );
    }
    insta::assert_snapshot!(told);
}

/// A closed map of a file: where it stands, what it is in the schema, and the keys that the schema knows.
#[derive(Clone, Debug)]
struct Site {
    pointer: String,
    shape: String,
    keys: BTreeSet<String>,
}

/// Finds the closed maps of a value.
struct Walker<'s> {
    root: &'s Value,
    sites: Vec<Site>,
}

impl Walker<'_> {
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut whole = schema.clone();
        if let Some(map) = whole.as_object_mut() {
            map.insert("$defs".to_owned(), self.root["$defs"].clone());
        }
        jsonschema::draft202012::is_valid(&whole, value)
    }

    fn walk(&mut self, schema: &Value, value: &Value, pointer: &str, shape: &str) {
        if let Some(name) = schema["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix("#/$defs/"))
        {
            return self.walk(&self.root["$defs"][name], value, pointer, name);
        }
        for one in schema["anyOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|one| one.get("required").is_none())
        {
            if self.fits(one, value) {
                self.walk(one, value, pointer, shape);
            }
        }
        match value {
            Value::Array(items) if schema["items"].is_object() => {
                for (at, item) in items.iter().enumerate() {
                    self.walk(&schema["items"], item, &format!("{pointer}/{at}"), shape);
                }
            }
            Value::Object(map) => {
                if schema["additionalProperties"] == false
                    && !self.sites.iter().any(|site| site.shape == shape)
                {
                    let keys = schema["properties"]
                        .as_object()
                        .into_iter()
                        .flat_map(|keys| keys.keys().cloned());
                    self.sites.push(Site {
                        pointer: pointer.to_owned(),
                        shape: shape.to_owned(),
                        keys: keys.collect(),
                    });
                }
                for (key, inner) in map {
                    let below = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                    let known = schema["properties"]
                        .get(key)
                        .filter(|known| known.is_object());
                    let schema = known.unwrap_or(&schema["additionalProperties"]);
                    if schema.is_object() {
                        self.walk(schema, inner, &below, shape);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The command that reads a file of a kind.
fn command<'p>(kind: &str, path: &'p str) -> Option<Vec<&'p str>> {
    Some(match kind {
        "flow" | "contract" | "interview" | "cycle" => match path.strip_suffix("/flow.yaml") {
            Some(folder) => vec!["lint", folder],
            None => vec!["lint", path],
        },
        "states" | "constants" | "mixins" | "priorities" => vec!["lint", "flows/spin_selling"],
        "scenario" => vec!["trace", path],
        "defaults" => vec!["test", path.strip_suffix("/_defaults.yaml")?],
        "persona" => vec![
            "simulate",
            "flows/bant",
            "--personas",
            "sample/people",
            "--persona",
            "buyer",
        ],
        "mock" => vec!["run", "flows/bant", "--llm", "mock:sample/mock.yaml"],
        "trace-map" => vec![
            "verify",
            "sample/trace.jsonl",
            "--model",
            "flows/bant",
            "--map",
            path,
        ],
        _ => return None,
    })
}

/// Files with what our own ones lack.
fn samples() -> Vec<(String, String)> {
    let files = [
        (
            "sample/people/buyer.yaml",
            "{persona: buyer, weights: [{intent: agreement, weight: 1}]}",
        ),
        (
            "sample/mock.yaml",
            "{rules: [{answer: {intent: agreement}}]}",
        ),
        (
            "sample/start.yaml",
            "{scenario: A, model: flows/bant, start: {tenant: {features: {}}, guard: {max_turns: 9}}, \
             turns: [{intent: greeting, before: [{op: transition_to, next_state: budget}], answers: [{need: classify}]}]}",
        ),
        (
            "sample/twin.yaml",
            "{scenario: A, model: flows/bant, start: {twin: {file: down}}, turns: [{intent: greeting}]}",
        ),
        (
            "sample/cycle.yaml",
            "{kind: cycle, cycle: {name: x}, nodes: {a: {phase: ANALYZE}}, sensors: {door: {category: system}}, limits: {turns: 9}}",
        ),
        (
            "sample/flows.yaml",
            "{flow: {name: tea}, states: {hello: {optional_data: [size], transitions: {greeting: [{when: {turn: {at_least: 2}}, then: bye}, \
             {when: {slot: size, later_than: {slot: hour}}, then: bye}]}, on_enter: {clears: [{slot: size, when: {turn: 1}}]}}, \
             bye: {is_final: true}}, constants: {intents: {intent_pattern_guard: {patterns: {x: {intents: [a]}}}}, \
             persona_limits: {default: {total: 5}}, sources: {StallGuard: {enabled: true}}, roles: {unclear: [unclear]}, \
             role_categories: {price: price}, actions: {go_back: back}, states: {closing: bye}, autonomous: {flow: tea}, \
             price_question_source: {actions: {}}, fact_question_source: {enabled: true}, thresholds: {soft_stall: 3}, \
             window: {stuck: [unclear]}, policy: {repeatable_intent_groups: {}}, context: {state_order: {}}, \
             greeting_state_safety: {enabled: false}, disambiguation: {thresholds: {high_confidence: 0.9}, options: {max_options: 3}}, \
             frustration: {max_level: 9}}, priorities: {overrides: []}}",
        ),
        (
            "sample/map.yaml",
            "{dialogue: id, events: {kind: type, turn: user}, turn: {state: state}}",
        ),
    ];
    files
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect()
}

/// Keys of a shape that its loader does not name in this place, and why.
const ELSEWHERE: [(&str, &[&str]); 6] = [
    // A turn that uses others is read by another reader.
    ("scenario_turn", &["use", "with"]),
    // What extends another interview is made whole before it is read.
    ("interview", &["extends", "without"]),
    // A description may stand anywhere in a node.
    ("branch", &["description"]),
    ("choice_way", &["description"]),
    ("join_condition", &["description"]),
    ("region", &["description"]),
];

/// Of these shapes the loader names at most the keys that go with what is written.
const PARTIAL: [&str; 4] = ["question", "tests", "operation_call", "count_by"];

#[test]
fn the_loaders_know_the_keys_of_the_schemas_and_no_others() {
    let schemas = Schemas::new();
    let project = Project::library();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (path, text) in ours().into_iter().chain(samples()) {
        if !project.path().join(&path).exists() && path.starts_with("sample/") {
            project.write(&path, &text);
        }
        let parts = parts(&path, &text);
        let [(kind, value)] = parts.as_slice() else {
            continue;
        };
        let is_here = ["flows/", "scenarios/", "fixtures/", "sample/"]
            .iter()
            .any(|folder| path.starts_with(folder));
        let Some(command) = command(kind, &path).filter(|_| is_here) else {
            continue;
        };
        let root = &schemas.texts[*kind];
        let mut walker = Walker {
            root,
            sites: Vec::new(),
        };
        walker.walk(root, value, "", kind);
        let sites: Vec<Site> = walker
            .sites
            .into_iter()
            .filter(|site| !known.contains_key(&site.shape))
            .collect();
        if sites.is_empty() {
            continue;
        }
        // All at once, then one by one what was hidden behind others.
        let all: Vec<&Site> = sites.iter().collect();
        let mut told = told(&project, &path, value, &all, &command);
        for site in &sites {
            if !told.contains_key(&site.shape) {
                told.extend(self::told(&project, &path, value, &[site], &command));
            }
        }
        for site in sites {
            let Some(names) = told.get(&site.shape) else {
                continue;
            };
            if let Some(names) = names {
                let elsewhere = ELSEWHERE
                    .iter()
                    .find(|(shape, _)| *shape == site.shape)
                    .map(|(_, keys)| *keys)
                    .unwrap_or_default();
                let expected: BTreeSet<String> = site
                    .keys
                    .iter()
                    .filter(|key| !elsewhere.contains(&key.as_str()))
                    .cloned()
                    .collect();
                let agree = if PARTIAL.contains(&&*site.shape) {
                    names.is_subset(&site.keys)
                } else {
                    *names == expected
                };
                if !agree {
                    let missing: Vec<_> = names.difference(&site.keys).collect();
                    let more: Vec<_> = expected.difference(names).collect();
                    wrong.push(format!(
                        "{} ({path}{}): the loader alone knows {missing:?}, the schema alone {more:?}",
                        site.shape, site.pointer
                    ));
                }
            }
            known.insert(
                site.shape,
                if names.is_some() {
                    "the same keys"
                } else {
                    "no others"
                }
                .to_owned(),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let shown: Vec<String> = known
        .iter()
        .map(|(shape, how)| format!("{shape}: {how}"))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

/// What is told of a key that nobody knows, in each of these maps: the keys that are known there, where they are named.
fn told(
    project: &Project,
    path: &str,
    value: &Value,
    sites: &[&Site],
    command: &[&str],
) -> BTreeMap<String, Option<BTreeSet<String>>> {
    let mut value = value.clone();
    for (at, site) in sites.iter().enumerate() {
        let map = value
            .pointer_mut(&site.pointer)
            .unwrap()
            .as_object_mut()
            .unwrap();
        map.insert(format!("{STRANGE}{at}"), json!(1));
    }
    let written = project.read(path);
    project.write(path, value.to_string());
    let run = project.fsmsim(command).run();
    project.write(path, written);
    let mut told = BTreeMap::new();
    for finding in run.stderr.split("\n\n").chain(run.stdout.split("\n\n")) {
        let site = sites.iter().enumerate().find(|(at, _)| {
            finding
                .lines()
                .next()
                .is_some_and(|line| line.contains(&format!("`{STRANGE}{at}`")))
        });
        let Some((_, site)) = site else { continue };
        let list = finding.split_once("known keys: ").map(|(_, list)| list);
        let names = list.map(|list| {
            list.lines()
                .next()
                .unwrap()
                .split(", ")
                .map(|name| name.trim().to_owned())
                .collect()
        });
        told.insert(site.shape.clone(), names);
    }
    told
}

/// The names of the keys of a map: of the whole file, or of a part of the schema.
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
fn the_project_file_has_the_keys_of_its_schema() {
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
        project.write("fsmsim.toml", format!("{table}\n{STRANGE} = 1\n"));
        let told = project.fsmsim(["list"]).run().stderr;
        let line = told.lines().next().unwrap();
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
fn readers_of_lines_and_front_matter_know_the_keys_of_the_schemas() {
    let schemas = Schemas::new();
    let state = "---\nKEY: 1\n---\n# init\n\n## Transitions\n\n- anything → `init`\n";
    let rest = "scenario: A\nmodel: flows/bant\nturns: [{use: ./shared/t.yaml}]\n";
    let rows = [
        (
            "turns",
            None,
            "t.jsonl",
            "{\"id\":\"a\",\"turns\":[{\"intent\":\"greeting\"}],\"KEY\":1}\n",
            vec!["trace", "flows/bant", "--turns", "t.jsonl"],
        ),
        (
            "state",
            None,
            "set/states/init.md",
            state,
            vec!["lint", "set"],
        ),
        (
            "system",
            None,
            "states/student/instructions/system.md",
            "---\nKEY: 1\n---\nBe kind.\n",
            vec!["lint", "states/student"],
        ),
        (
            "system",
            Some("reply_limit"),
            "states/student/instructions/system.md",
            "---\nlimits: [{KEY: 1}]\n---\nBe kind.\n",
            vec!["lint", "states/student"],
        ),
        (
            "defaults",
            None,
            "s/_defaults.yaml",
            "KEY: 1\n",
            vec!["trace", "s/a.yaml"],
        ),
        (
            "shared-turns",
            None,
            "s/shared/t.yaml",
            "turns: [{intent: greeting}]\nKEY: 1\n",
            vec!["trace", "s/a.yaml"],
        ),
        (
            "transcript",
            Some("speakers"),
            "s/talk.md",
            "---\nscenario: T\nmodel: flows/bant\nspeakers: {KEY: 1}\n---\n\nUser: hi\n",
            vec!["trace", "s/talk.md"],
        ),
        (
            "backend",
            None,
            "b.yaml",
            "answers: []\nKEY: 1\n",
            vec!["trace", "b/b.yaml"],
        ),
        (
            "backend",
            Some("backend_answer"),
            "b.yaml",
            "answers: [{KEY: 1, give: {status: rows}}]\n",
            vec!["trace", "b/b.yaml"],
        ),
    ];
    let mut wrong = Vec::new();
    for (kind, part, path, content, command) in rows {
        let project = Project::new()
            .with_flows()
            .with("states/student")
            .file("s/a.yaml", rest);
        project.write(
            "b/b.yaml",
            "scenario: B\nmodel: flows/bant\nstart: {backend: b.yaml}\nturns: [{intent: greeting}]\n",
        );
        project.write(path, content.replace("KEY", STRANGE));
        let run = project.fsmsim(command).run();
        assert!(format!("{run}").contains(STRANGE), "{kind} {part:?}\n{run}");
        // Of a backend only what is wrong is told, without the names that would be right.
        let Some((_, list)) = run.stderr.split_once("known keys: ") else {
            continue;
        };
        let names: BTreeSet<String> = list
            .lines()
            .next()
            .unwrap()
            .split(", ")
            .map(str::to_owned)
            .collect();
        let known = keys_of(&schemas.texts[kind], part);
        if names != known {
            wrong.push(format!(
                "{kind} {part:?}: the loader {names:?}, the schema {known:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
