//! Recordings of another system, verified against the flows that they were recorded with.

use std::path::Path;

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::support::{Project, recordings, walk};

/// Where the fields of the recordings are.
const RECORDED: &str = include_str!("recorded_flow.yaml");

/// The recordings of a file by flow; those that bring their own flow each by itself.
fn by_flow(file: &Path) -> Vec<(String, Option<Value>, String)> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut flows: Vec<(String, Option<Value>, String)> = Vec::new();
    for line in text.lines() {
        let read: Value = serde_json::from_str(line).unwrap();
        if read.get("turns").is_none() || read["engine"] == "legacy" {
            continue;
        }
        let flow = read["flow"].as_str().unwrap();
        let own = read.get("flow_def").cloned();
        match flows.iter_mut().find(|(known, other, _)| known == flow && own.is_none() && other.is_none()) {
            Some((_, _, lines)) => *lines += &format!("{line}\n"),
            None => flows.push((flow.to_owned(), own, format!("{line}\n"))),
        }
    }
    flows
}

/// Verifies recordings of one flow; the closing object.
fn closing(flow: &str, own: Option<&Value>, lines: &str, config: &Path, more: &[&str]) -> Value {
    let project = Project::new().file("t.jsonl", lines).file("map.yaml", RECORDED);
    let folder = config.join("flows").join(flow);
    let mut model = if folder.is_dir() { folder } else { config.join(format!("flows/{flow}.yaml")) };
    if let Some(own) = own {
        let mut head = own.as_object().unwrap().clone();
        let states = head.remove("states");
        head.insert("name".to_owned(), json!(flow));
        project.write("flow.yaml", json!({"flow": head, "states": states}).to_string());
        model = project.path().join("flow.yaml");
    }
    let (model, config) = (model.to_str().unwrap(), config.to_str().unwrap());
    let fixed =
        ["verify", "t.jsonl", "--model", model, "--config", config, "--map", "map.yaml", "--format", "json"];
    let run = project.fsmsim(&fixed).args(more).run();
    let last = run.stdout.lines().last().unwrap_or_else(|| panic!("{flow}: {}", run.stderr));
    let mut closing: Value = serde_json::from_str(last).unwrap();
    closing["first"] = json!(run.stdout.lines().next());
    closing["code"] = json!(run.code);
    closing["stderr"] = json!(run.stderr);
    closing
}

#[test]
fn recordings_keep_to_their_flows_and_part_from_them_as_documented() {
    let Some(folder) = recordings() else { return };
    let config = folder.join("../reference/yaml_config").canonicalize().unwrap();
    let files = walk(&folder.join("flow")).into_iter().filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        path.extension().is_some_and(|extension| extension == "jsonl") && !name.starts_with("_vec_")
    });
    let flows: Vec<_> = files.flat_map(|file| by_flow(&file)).collect();
    for mode in ["structure", "replay"] {
        let more = ["--mode", mode, "--profile", "reference"];
        let closings: Vec<Value> = flows
            .par_iter()
            .map(|(flow, own, lines)| closing(flow, own.as_ref(), lines, &config, &more))
            .collect();
        let wrong: Vec<&Value> = closings.iter().filter(|closing| closing["code"] != 0).collect();
        assert!(wrong.is_empty(), "{mode}: {} of {}: {:#}", wrong.len(), closings.len(), wrong[0]);
        let turns: u64 = closings.iter().map(|closing| closing["turns"].as_u64().unwrap()).sum();
        assert!(turns > 20_000, "only {turns} turns were found");
        eprintln!("{mode}: {turns} recorded turns of {} flows", closings.len());
    }
    let documented = ["--mode", "replay", "--profile", "documented"];
    let bant = flows
        .iter()
        .find(|(flow, own, lines)| flow == "bant" && own.is_none() && lines.lines().count() == 40);
    let (flow, own, lines) = bant.unwrap();
    let closing = closing(flow, own.as_ref(), lines, &config, &documented);
    assert_eq!(closing["code"], 1, "{closing:#}");
    let counts = closing["counts"].as_object().unwrap();
    assert!(counts.contains_key("state") && counts.contains_key("action"), "{counts:?}");
}
