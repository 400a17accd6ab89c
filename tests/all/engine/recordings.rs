//! Dialogues recorded from the running system, replayed through the binary under the profile `reference` and compared
//! turn by turn. The recordings are not part of the project: if `FSMSIM_CONFORMANCE` does not name their directory, the
//! test prints a note and is skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{Invocation, Project, recordings};

/// The turns of a recording as a dialogue of a turns file.
fn dialogue(recording: &Value) -> Value {
    let options = &recording["options"];
    let start = [
        ("state", "state"),
        ("collected_data", "data"),
        ("flags", "flags"),
        ("limits", "limits"),
        ("persona_limits", "persona_limits"),
        ("tenant", "tenant"),
        ("guard", "guard"),
    ];
    let mut start = renamed(options, &start);
    if let Some(sources) = options["sources"].as_object() {
        let switches: Map<String, Value> = sources
            .iter()
            .map(|(name, source)| (short(name).to_owned(), source["enabled"].clone()))
            .collect();
        start.insert("sources".to_owned(), switches.into());
    }
    if options
        .get("llm")
        .is_some_and(|model| !model.is_null() && *model != json!(false))
    {
        start.insert("model".to_owned(), json!("scripted"));
    }
    let given = recording["mode"] == "fields";
    let turns: Vec<Value> = items(&recording["turns"])
        .iter()
        .map(|turn| {
            let names = [
                ("intent", "intent"),
                ("user_message", "say"),
                ("extracted_data", "data"),
                ("confidence", "confidence"),
                ("secondary_intents", "also"),
                ("tone", "tone"),
                ("frustration_level", "frustration"),
                ("disambiguation_options", "options"),
                ("disambiguation_question", "question"),
                ("llm", "answer"),
                ("pre", "before"),
            ];
            let mut ours = renamed(&turn["in"], &names);
            if given {
                ours.insert(
                    "signals".to_owned(),
                    turn["in"].get("envelope").cloned().unwrap_or(json!({})),
                );
            }
            ours.into()
        })
        .collect();
    let signals = match recording["mode"].as_str() {
        Some("fields") => "given",
        Some("auto") => "derived",
        _ => "none",
    };
    json!({"id": recording["id"], "signals": signals, "start": start, "turns": turns})
}

fn renamed(from: &Value, names: &[(&str, &str)]) -> Map<String, Value> {
    names
        .iter()
        .filter_map(|(theirs, ours)| Some(((*ours).to_owned(), from.get(theirs)?.clone())))
        .collect()
}

fn short(source: &str) -> &str {
    source.strip_suffix("Source").unwrap_or(source)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The recorded fields of a turn, with our field names.
fn recorded(out: &Value) -> Value {
    let source = |key: &str| out[key].as_str().map(short);
    json!({
        "action": out["action"], "state": out["next_state"], "phase": out["phase"], "why": out["reason_codes"],
        "final": out["is_final"], "missing": out["missing_data"], "data": out["collected_data"],
        "optional_data": out["optional_missing"], "go_back_history": out["goback_history"],
        "go_backs": out["goback_count"], "go_backs_left": out["goback_remaining"],
        "objections_in_row": out["objection_consecutive"], "objections_total": out["objection_total"],
        "return_state": out["state_before_objection"], "rejected": out["rejected_count"],
        "by_action": source("winning_action_source"), "by_transition": source("winning_transition_source"),
    })
}

/// The same fields of a line of our trace.
fn replayed(line: &Value) -> Value {
    let counters = &line["counters"];
    json!({
        "action": line["action"], "state": line["state"]["to"], "phase": line["phase"]["to"], "why": line["why"],
        "final": line["final"], "missing": line["missing"], "data": line["data"],
        "optional_data": line["optional_data"], "go_back_history": pairs(&line["go_back_history"]),
        "go_backs": counters["go_backs"], "go_backs_left": counters["go_backs_left"],
        "objections_in_row": counters["objections_in_row"], "objections_total": counters["objections_total"],
        "return_state": line["return_state"], "rejected": items(&line["rejected"]).len(),
        "by_action": line["by"]["action"], "by_transition": line["by"]["transition"],
    })
}

/// Go-backs as pairs of states.
fn pairs(history: &Value) -> Vec<[&Value; 2]> {
    let steps = items(history).iter();
    steps.map(|step| [&step["from"], &step["to"]]).collect()
}

/// The traces of a run, by dialogue. Warnings about the recorded flows are ignored.
fn traces(run: Invocation, config: &Path) -> BTreeMap<String, Vec<Value>> {
    let run = run
        .args(["--profile", "reference", "--config"])
        .args([config])
        .ends(0, "", "");
    let mut traces: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut current = String::new();
    for line in run.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        match line["dialogue"].as_str() {
            Some(id) => id.clone_into(&mut current),
            None => traces.entry(current.clone()).or_default().push(line),
        }
    }
    traces
}

/// The traces of recordings that use the same model.
fn trace_one_model(
    model: &Path,
    config: &Path,
    recordings: &[&Value],
) -> BTreeMap<String, Vec<Value>> {
    let lines: String = recordings
        .iter()
        .map(|recording| format!("{}\n", dialogue(recording)))
        .collect();
    let project = Project::new().file("turns.jsonl", lines);
    traces(
        project.fsmsim(["trace", model.to_str().unwrap(), "--turns", "turns.jsonl"]),
        config,
    )
}

/// Collects every string in a value that could be a name.
fn names_in(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(name) => {
            names.insert(name.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| names_in(item, names)),
        Value::Object(map) => map.iter().for_each(|(key, item)| {
            names.insert(key.clone());
            names_in(item, names);
        }),
        _ => {}
    }
}

/// The traces of recordings with their own flows, run as scenarios: one run loads the root of all these flows once.
fn trace_own_flows(config: &Path, recordings: &[&Value]) -> BTreeMap<String, Vec<Value>> {
    let project = Project::new();
    let scenarios = recordings.iter().enumerate().map(|(number, recording)| {
        let model = format!("flow{number}.yaml");
        let mut head = recording["flow_def"].as_object().unwrap().clone();
        let states = head.remove("states");
        head.insert("name".to_owned(), recording["flow"].clone());
        project.write(&model, json!({"flow": head, "states": states}).to_string());
        let mut scenario = dialogue(recording);
        // Scenarios must declare foreign names, and recordings contain arbitrary names.
        let mut names = BTreeSet::new();
        names_in(&scenario["turns"], &mut names);
        scenario["start"]["foreign"] = json!(names);
        scenario["model"] = model.into();
        scenario["scenario"] = scenario.as_object_mut().unwrap().remove("id").unwrap();
        format!("---\n{scenario}\n")
    });
    project.write("recordings.yaml", scenarios.collect::<String>());
    traces(project.fsmsim(["trace", "recordings.yaml"]), config)
}

/// Runs the recordings of a file. Returns the number of turns and the differences.
fn compare(file: &Path, config: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(file).unwrap();
    let all: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let dialogues = all
        .iter()
        .filter(|recording| recording.get("turns").is_some() && recording["engine"] != "legacy");
    let (own, of_models): (Vec<&Value>, Vec<&Value>) =
        dialogues.partition(|recording| recording.get("flow_def").is_some());
    let mut by_flow: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for recording in &of_models {
        by_flow
            .entry(recording["flow"].as_str().unwrap())
            .or_default()
            .push(recording);
    }
    let mut traces: BTreeMap<String, Vec<Value>> = own
        .par_chunks(50)
        .flat_map_iter(|recordings| trace_own_flows(config, recordings))
        .collect();
    for (flow, recordings) in by_flow {
        let folder = config.join("flows").join(flow);
        let model = if folder.is_dir() {
            folder
        } else {
            config.join(format!("flows/{flow}.yaml"))
        };
        traces.extend(trace_one_model(&model, config, &recordings));
    }
    let (mut turns, mut wrong) = (0, Vec::new());
    for recording in own.iter().chain(&of_models) {
        let id = recording["id"].as_str().unwrap();
        let trace = traces.get(id).map_or(&[][..], Vec::as_slice);
        for (number, turn) in items(&recording["turns"]).iter().enumerate() {
            turns += 1;
            let (expected, got) = (
                recorded(&turn["out"]),
                trace.get(number).map(replayed).unwrap_or_default(),
            );
            if expected != got {
                wrong.push(format!(
                    "{id} turn {}:\n  expected {expected}\n  got      {got}",
                    number + 1
                ));
            }
        }
    }
    (turns, wrong)
}

#[test]
fn every_recorded_turn_replays_identically() {
    let Some(folder) = recordings() else { return };
    let config = folder
        .join("../reference/yaml_config")
        .canonicalize()
        .unwrap();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("flow"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .filter(|path| {
            !path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("_vec_")
        })
        .collect();
    files.sort();
    let compared: Vec<_> = files
        .par_iter()
        .map(|file| compare(file, &config))
        .collect();
    let turns: usize = compared.iter().map(|(turns, _)| turns).sum();
    let wrong: Vec<String> = compared.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(turns > 20_000, "only {turns} turns were found");
    let shown = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        wrong.is_empty(),
        "{} of {turns} turns differ, among them\n{shown}",
        wrong.len()
    );
    eprintln!("{turns} recorded turns of {} files agree", files.len());
}
