//! Recordings of another system, verified against their flows. There are hundreds of flows, so most of the test calls the
//! library. One flow is also verified by the command.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsmsim_core::machine::Profile;
use fsmsim_harness::verify::import::{ObservedReader, TraceMap};
use fsmsim_harness::verify::{Judgement, KnownViolations, Mode, OpenTrace, Verifier};
use fsmsim_runtime::project::{ModelCache, Project as Settings};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};
use fsmsim_syntax::document::{InputStream, parse_yaml};
use fsmsim_syntax::threads::{Mutex, Threads};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::support::{Project, recordings, walk};

/// The field map of the recordings.
const RECORDED: &str = include_str!("recorded_flow.yaml");

/// Recordings of one flow.
struct Recorded {
    flow: String,
    /// The definition of the flow, if the recording contains it.
    own: Option<Value>,
    lines: String,
}

/// Groups the recordings of a file by flow. A recording with its own flow is a separate group.
fn by_flow(file: &Path) -> Vec<Recorded> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut flows: Vec<Recorded> = Vec::new();
    for line in text.lines() {
        let read: Value = serde_json::from_str(line).unwrap();
        if read.get("turns").is_none() || read["engine"] == "legacy" {
            continue;
        }
        let flow = read["flow"].as_str().unwrap();
        let own = read.get("flow_def").cloned();
        match flows
            .iter_mut()
            .find(|known| known.flow == flow && own.is_none() && known.own.is_none())
        {
            Some(known) => known.lines += &format!("{line}\n"),
            None => flows.push(Recorded {
                flow: flow.to_owned(),
                own,
                lines: format!("{line}\n"),
            }),
        }
    }
    flows
}

impl Recorded {
    /// The path of the model. The recording's own flow is written into `project`.
    fn model(&self, config: &Path, project: &Project) -> PathBuf {
        let Some(own) = &self.own else {
            let folder = config.join("flows").join(&self.flow);
            return if folder.is_dir() {
                folder
            } else {
                folder.with_extension("yaml")
            };
        };
        let mut head = own.as_object().unwrap().clone();
        let states = head.remove("states");
        head.insert("name".to_owned(), json!(self.flow));
        project.write(
            "flow.yaml",
            json!({"flow": head, "states": states}).to_string(),
        );
        project.path().join("flow.yaml")
    }
}

/// Verifies recordings of one flow. Returns the number of turns and the problems.
fn verified(
    recorded: &Recorded,
    mode: Mode,
    config: &Path,
    models: &Mutex<ModelCache>,
) -> (u64, Vec<String>) {
    let project = Project::new();
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add("map.yaml", RECORDED);
    let map = parse_yaml(file, RECORDED, 0, &mut diagnostics).unwrap();
    let input = InputStream::of(Cursor::new(recorded.lines.clone()), false);
    let reader = ObservedReader::new(
        input,
        "t.jsonl",
        TraceMap::read(&map, &mut diagnostics).map(Arc::new),
    );
    let path = "t.jsonl".into();
    let verifier = Verifier {
        project: &Settings::default(),
        models,
        model: &recorded.model(config, &project),
        profile: Some(Profile::Reference),
        usual: Profile::Reference,
        mode,
        name: "t.jsonl",
        is_part: false,
        known: KnownViolations::default(),
        shard: None,
    };
    let (mut messages, mut wrong) = (String::new(), Vec::new());
    let mut report =
        |found: &Diagnostics, sources: &SourceMap| messages += &render(found, sources, false);
    let mut judged = |judgment: Judgement<'_>| {
        let findings = match judgment {
            Judgement::OfDialogue { verdict, .. } => {
                verdict.map(|verdict| verdict.findings).unwrap_or_default()
            }
            Judgement::Pause => Vec::new(),
            Judgement::OfAll(findings) => findings,
        };
        wrong.extend(findings.iter().map(|finding| format!("{finding:?}")));
        Ok(())
    };
    let verification = verifier
        .run(
            std::iter::once(Ok(OpenTrace { path, reader })),
            &Threads::new(1).unwrap(),
            &sources,
            &mut report,
            &mut judged,
        )
        .unwrap();
    if verification.invalid > 0 || verification.findings() > 0 {
        wrong.push(format!("{}: {verification:?} {messages}", recorded.flow));
    }
    (verification.turns, wrong)
}

#[test]
fn recordings_conform_to_their_reference_flows() {
    let Some(folder) = recordings() else { return };
    let config = folder
        .join("../reference/yaml_config")
        .canonicalize()
        .unwrap();
    let files = walk(&folder.join("flow")).into_iter().filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
            && !name.starts_with("_vec_")
    });
    let flows: Vec<Recorded> = files.flat_map(|file| by_flow(&file)).collect();
    // Each thread caches the configuration files that it has read.
    for mode in [Mode::Structure, Mode::Replay] {
        let results: Vec<(u64, Vec<String>)> = flows
            .par_iter()
            .map_init(
                || Mutex::new(ModelCache::new(&Settings::default(), Some(config.clone()))),
                |models, flow| verified(flow, mode, &config, models),
            )
            .collect();
        let wrong: Vec<&String> = results.iter().flat_map(|(_, wrong)| wrong).collect();
        assert!(
            wrong.is_empty(),
            "{}: {} findings, first {}",
            mode.name(),
            wrong.len(),
            wrong[0]
        );
        let turns: u64 = results.iter().map(|(turns, _)| turns).sum();
        assert!(turns > 20_000, "only {turns} turns were found");
        eprintln!(
            "{}: {turns} recorded turns of {} flows",
            mode.name(),
            flows.len()
        );
    }
    let bant = |known: &&Recorded| {
        known.flow == "bant" && known.own.is_none() && known.lines.lines().count() == 40
    };
    verify_with_command(flows.iter().find(bant).unwrap(), &config);
}

/// Verifies with the command. The `reference` profile conforms to the recordings, the `documented` profile does not.
fn verify_with_command(recorded: &Recorded, config: &Path) {
    let project = Project::new()
        .file("t.jsonl", &recorded.lines)
        .file("map.yaml", RECORDED);
    let model = recorded.model(config, &project);
    let (model, config) = (model.to_str().unwrap(), config.to_str().unwrap());
    let of = |profile: &str| {
        let run = project.fsmsim([
            "verify", "t.jsonl", "--model", model, "--config", config, "--map", "map.yaml",
        ]);
        run.args(&["--format", "json", "--mode", "replay", "--profile", profile])
    };
    of("reference").succeeds("");
    let run = of("documented").fails(1, "", "");
    let closing: BTreeMap<String, Value> = serde_json::from_str(&run.stdout).unwrap();
    let counts = closing["counts"].as_object().unwrap();
    assert!(
        counts.contains_key("state") && counts.contains_key("action"),
        "{counts:?}"
    );
}
