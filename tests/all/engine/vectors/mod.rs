//! Unit vectors recorded from the running system. They are not part of the project: if `FSMSIM_CONFORMANCE` does not
//! name their directory, each test prints a note and is skipped.

mod conditions;
mod contacts;
mod dag;
mod loader;
mod resolved;
mod rules;
mod states;
mod tracker;

use std::path::{Path, PathBuf};

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::parse_json;

use crate::support::recordings;

/// The lines of a file of vectors, or nothing if the directory is absent.
fn vectors(file: &str) -> Option<Vec<serde_json::Value>> {
    let path = recordings()?.join("flow").join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// The configuration root that the running system was recorded with, or nothing if the recordings are absent.
fn config() -> Option<PathBuf> {
    Some(
        recordings()?
            .join("../reference/yaml_config")
            .canonicalize()
            .unwrap(),
    )
}

/// Loads a definition, or returns the findings.
fn load(
    loader: &mut Loader,
    path: &Path,
    profile: Profile,
    config: Option<&Path>,
) -> Result<Machine, Diagnostics> {
    let mut found = Diagnostics::default();
    loader.load(path, profile, config, &mut found).ok_or(found)
}

/// A recorded value as a value of the engine.
fn value(json: &serde_json::Value) -> fsmsim_core::machine::Value {
    let text = json.to_string();
    let mut sources = SourceMap::default();
    let file = sources.add("vector", text.as_str());
    let node = parse_json(file, &text, 0, &mut Diagnostics::default()).unwrap();
    (&node).into()
}

/// The strings of a recorded list.
fn texts(json: &serde_json::Value) -> Vec<&str> {
    json.as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap())
        .collect()
}

/// Fails with the number of differences and the first five of them. Otherwise prints how many values agree.
fn report(what: &str, compared: usize, wrong: &[String]) {
    let shown = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        wrong.is_empty(),
        "{what}: {} of {compared} differ, among them\n{shown}",
        wrong.len()
    );
    assert!(compared > 0, "{what}: nothing was compared");
    eprintln!("{what}: {compared} agree");
}
