//! Readers that need no files, and the selection of the reader.

use std::sync::{Arc, LazyLock};

use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::document::{Node, documents, parse_json, parse_markdown, parse_yaml};
use fsmsim_core::engine::Machine;
use fsmsim_adapters::llm::Cassette;
use fsmsim_core::machine::{Profile, Schema, Value};
use fsmsim_syntax::threads::Mutex;
use fsmsim::repl::{Repl, ReplReply};

use crate::commands::COMMANDS;
use crate::dialogue;
use crate::workspace::{Workspace, parts};

/// The table of the readers.
const TABLE: &str = include_str!("../readers.txt");

/// The models of the dialogues.
const MODELS: [&str; 8] = [
    "tea.yaml",
    "helper",
    "shop.yaml",
    "flows/bant_parallel.yaml",
    "flows/spin_selling",
    "flows/accounting.yaml",
    "states/student",
    "flows/support.yaml",
];

/// Maximum number of lines in one REPL dialogue.
const MAX_LINES: usize = 30;

/// Passes the input to the reader with a key. `None` if the key is unknown.
pub(crate) fn read(key: u8, input: &[u8]) -> Option<()> {
    match name_of(key)? {
        "yaml" => yaml(&String::from_utf8_lossy(input)),
        "json" => json(&String::from_utf8_lossy(input)),
        "markdown" => markdown(&String::from_utf8_lossy(input)),
        "schema" => schema(input),
        "condition" => condition(&String::from_utf8_lossy(input)),
        "repl" => repl(input),
        "cassette" => cassette(input),
        "play" => play(input),
        "known" => known(input),
        "mcp" => Workspace::of("mcp").piped(input, "mcp helper"),
        name => COMMANDS
            .iter()
            .find(|commands| commands.reader == name)?
            .run(input),
    }
    Some(())
}

/// The name of the reader with a key.
fn name_of(key: u8) -> Option<&'static str> {
    static READERS: LazyLock<Vec<(u8, &str)>> = LazyLock::new(|| {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        let named = lines.filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((*words.next()?.as_bytes().first()?, words.next()?))
        });
        named.collect()
    });
    READERS
        .iter()
        .find(|(known, _)| *known == key)
        .map(|(_, name)| *name)
}

fn yaml(text: &str) {
    let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
    let file = sources.add("a.yaml", text);
    for part in documents(text) {
        let node = text
            .get(part.clone())
            .and_then(|inside| parse_yaml(file, inside, part.start, &mut found));
        look(node.as_ref());
    }
    render(&found, &sources, true);
}

fn json(text: &str) {
    let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
    let file = sources.add("a.json", text);
    look(parse_json(file, text, 0, &mut found).as_ref());
    render(&found, &sources, false);
}

fn markdown(text: &str) {
    let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
    let file = sources.add("a.md", text);
    parse_markdown(file, text, &mut found);
    render(&found, &sources, true);
}

/// Serializes a tree to visit all of it.
fn look(node: Option<&Node>) {
    if let Some(node) = node {
        let _ = serde_json::to_string(&Value::from(node));
    }
}

/// A schema, and values that are validated against it.
fn schema(input: &[u8]) {
    let parts = parts(input);
    let read = |part: &&[u8]| serde_json::from_slice::<serde_json::Value>(part).ok();
    let Some(schema) = parts
        .first()
        .and_then(read)
        .and_then(|schema| Schema::new("a", schema).ok())
    else {
        return;
    };
    for part in parts.iter().skip(1) {
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let text = String::from_utf8_lossy(part);
        let file = sources.add("a.json", &*text);
        if let Some(value) = parse_json(file, &text, 0, &mut found) {
            schema.error(&Value::from(&value));
        }
    }
}

/// A condition in a small model, and commands that evaluate it.
fn condition(text: &str) {
    let inside = text
        .lines()
        .fold(String::new(), |inside, line| inside + "    " + line + "\n");
    let model = include_str!("../workspace/asked.yaml").replace("    CONDITION\n", &inside);
    let workspace = Workspace::of("condition");
    workspace.put(&["a.yaml"], model.as_bytes());
    let Some(machine) = load(&workspace.path("a.yaml"), Profile::Documented) else {
        return;
    };
    let Ok(mut repl) = Repl::new(&machine, "", false) else {
        return;
    };
    for line in [
        ":condition asked",
        "greeting budget=5",
        ":why",
        ":conditions as",
        "agreement",
        ":context",
    ] {
        repl.take(line);
    }
}

/// REPL lines in a dialogue of the model that the first byte selects.
fn repl(input: &[u8]) {
    let Some((machine, input)) = known_model(input) else {
        return;
    };
    let Ok(mut repl) = Repl::new(&machine, "", input.len() % 2 == 0) else {
        return;
    };
    for line in String::from_utf8_lossy(input).lines().take(MAX_LINES) {
        if matches!(repl.take(line), ReplReply::Quit) {
            break;
        }
        repl.prompt();
    }
    repl.finish(&mut Diagnostics::default());
}

fn cassette(input: &[u8]) {
    let workspace = Workspace::of("cassette");
    workspace.put(&["a.jsonl"], input);
    let mut found = Diagnostics::default();
    let _ = Cassette::read(&workspace.path("a.jsonl"), "a", &mut found);
    render(&found, &SourceMap::default(), false);
}

/// A model, and a dialogue of it.
fn play(input: &[u8]) {
    let parts = parts(input);
    let Some(model) = parts.first() else { return };
    // Any bytes encode a dialogue, even those of a model.
    let turns = parts.get(1).unwrap_or(model);
    let workspace = Workspace::of("play");
    workspace.put(&["a.yaml"], model);
    let profile = if turns.len() % 4 == 3 {
        Profile::Reference
    } else {
        Profile::Documented
    };
    if let Some(machine) = load(&workspace.path("a.yaml"), profile) {
        dialogue::keeps_the_laws(&machine, turns);
    }
}

/// A dialogue of the model that the first byte selects.
fn known(input: &[u8]) {
    if let Some((machine, turns)) = known_model(input) {
        dialogue::keeps_the_laws(&machine, turns);
    }
}

/// The model that the first byte selects, and the remaining bytes.
fn known_model(input: &[u8]) -> Option<(Arc<Machine>, &[u8])> {
    static LOADED: Mutex<[Option<Arc<Machine>>; MODELS.len()]> =
        Mutex::new([const { None }; MODELS.len()]);
    let (first, rest) = input.split_first()?;
    let number = usize::from(*first) % MODELS.len();
    let mut loaded = LOADED.lock();
    let entry = loaded.get_mut(number)?;
    if entry.is_none() {
        *entry = load(
            &Workspace::common().join(MODELS.get(number)?),
            Profile::Documented,
        );
    }
    Some((
        entry
            .clone()
            .expect("a model of the repository can be loaded"),
        rest,
    ))
}

fn load(path: &std::path::Path, profile: Profile) -> Option<Arc<Machine>> {
    let mut found = Diagnostics::default();
    let mut loader = Loader::default();
    let machine = loader.load(path, profile, None, &mut found);
    render(&found, &loader.sources, false);
    machine.filter(|_| !found.has_errors()).map(Arc::new)
}
