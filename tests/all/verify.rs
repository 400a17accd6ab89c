//! `fsmsim verify`: a recorded trace against a model.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::support::{Project, Run, recordings, walk};

/// A project with the models and scenarios that come with the program.
fn shop() -> Project {
    let project = Project::new().with_flows();
    for folder in ["states", "scenarios", "fixtures"] {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for path in walk(&home) {
            let inner = Path::new(folder).join(path.strip_prefix(&home).unwrap());
            project.write(inner.to_str().unwrap(), std::fs::read(&path).unwrap());
        }
    }
    project
}

/// A dialogue of a sale as the model plays it.
fn sale(project: &Project) -> String {
    let turns = json!({"id": "sale", "turns": [
        {"intent": "greeting"},
        {"intent": "agreement"},
        {"intent": "info_provided", "data": {"company_size": 50}},
        {"intent": "objection_price"},
        {"intent": "info_provided", "data": {"pain_point": "потери"}},
        {"intent": "demo_request"},
        {"intent": "contact_provided", "data": {"contact_info": "a@b.ru"}},
    ]});
    project.write("turns.jsonl", turns.to_string());
    let run = project.run(&["trace", "flows/bant", "--turns", "turns.jsonl"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.stdout
}

/// The trace with one turn changed.
fn edited(trace: &str, turn: usize, edit: impl Fn(&mut Value)) -> String {
    let lines = trace.lines().enumerate().map(|(number, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if number == turn {
            edit(&mut line);
        }
        format!("{line}\n")
    });
    lines.collect()
}

/// A trace of one of the models of the library, verified.
fn verify(project: &Project, trace: &str, more: &[&str]) -> Run {
    project.write("t.jsonl", trace);
    project.run(&[&["verify", "t.jsonl", "--model", "flows/bant"], more].concat())
}

#[test]
fn every_scenario_keeps_to_its_model_in_both_modes() {
    let project = shop();
    let files: Vec<String> =
        project.files().into_iter().filter(|path| path.starts_with("scenarios/")).collect();
    let mut looked_at = 0;
    for (number, file) in files.iter().enumerate() {
        let run = project.run(&["trace", file]);
        assert_eq!(run.code, 0, "{file}: {}", run.stderr);
        let mut models: BTreeMap<String, String> = BTreeMap::new();
        let mut current = String::new();
        // What a scenario expects to be wrong is wrong.
        let faulty = |line: &Value| line["faults"].as_array().is_some_and(|faults| !faults.is_empty());
        for dialogue in run.stdout.split("{\"fsmsim_trace\"").skip(1) {
            let dialogue = format!("{{\"fsmsim_trace\"{dialogue}");
            if dialogue.lines().any(|line| faulty(&serde_json::from_str(line).unwrap())) {
                continue;
            }
            for line in dialogue.lines() {
                let read: Value = serde_json::from_str(line).unwrap();
                if let Some(source) = read["machine"]["source"].as_str() {
                    source.clone_into(&mut current);
                }
                *models.entry(current.clone()).or_default() += &format!("{line}\n");
            }
        }
        for (model, trace) in models {
            let path = format!("t{number}.jsonl");
            project.write(&path, trace);
            for mode in ["structure", "replay"] {
                let run = project.run(&["verify", &path, "--model", &model, "--mode", mode]);
                assert_eq!(run.code, 0, "{file} {model}: {}", run.shown());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 50, "only {looked_at}");
}

#[test]
fn what_a_good_trace_comes_to() {
    let project = shop();
    let good = sale(&project);
    let shown = ["text", "json"].map(|format| {
        ["structure", "replay"]
            .map(|mode| verify(&project, &good, &["--mode", mode, "--format", format]).shown())
            .join("\n")
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn every_rule_tells_what_breaks_it() {
    let project = shop();
    let good = sale(&project);
    let profile = |trace: &str, profile: &str| verify(&project, trace, &["--profile", profile]);
    let set = |key: &'static str, value: Value| move |turn: &mut Value| turn[key] = value.clone();
    let moved = |to: &'static str| {
        move |turn: &mut Value| {
            turn["state"]["to"] = json!(to);
            turn["phase"]["to"] = json!(null);
        }
    };
    let within = |key: &'static str, inner: &'static str, value: Value| {
        move |turn: &mut Value| turn[key][inner] = value.clone()
    };
    let broken = [
        ("unknown_state", edited(&good, 2, moved("asess_budget"))),
        ("unknown_state", edited(&good, 2, moved("no_such_place_at_all"))),
        (
            "undeclared_transition",
            edited(&good, 2, |turn| {
                turn["state"]["to"] = json!("determine_timeline");
            }),
        ),
        ("broken_continuity", edited(&good, 3, within("state", "from", json!("greeting")))),
        ("phase_out_of_step", edited(&good, 2, within("phase", "to", json!("need")))),
        ("phase_out_of_step", edited(&good, 2, within("phase", "to", json!(null)))),
        ("phase_out_of_step", edited(&good, 2, within("phase", "from", json!("budget")))),
        ("wrong_final", edited(&good, 2, set("final", json!(true)))),
        ("wrong_class", edited(&good, 2, set("class", json!("skip")))),
        ("wrong_class", edited(&good, 4, set("class", json!("advance")))),
        ("wrong_class", edited(&good, 4, set("class", json!("digres")))),
        ("wrong_missing", edited(&good, 2, set("missing", json!(["need"])))),
        (
            "lost_data",
            edited(&good, 4, |turn| {
                turn["data"].as_object_mut().unwrap().remove("company_size");
                turn["carryover"]["kept"] = json!([]);
                turn["carryover"]["dropped"] = json!(["company_size"]);
            }),
        ),
        ("illegal_carryover", edited(&good, 3, within("carryover", "added", json!([])))),
        ("illegal_carryover", edited(&good, 4, within("carryover", "changed", json!(["company_size"])))),
        ("counter_out_of_bounds", edited(&good, 3, within("counters", "go_backs", json!(-1)))),
        ("counter_out_of_bounds", edited(&good, 3, within("counters", "go_backs", json!(3)))),
        ("counter_out_of_bounds", edited(&good, 3, within("counters", "go_backs_left", json!(1)))),
        ("counter_out_of_bounds", edited(&good, 5, within("counters", "objections_total", json!(0)))),
        ("counter_out_of_bounds", edited(&good, 3, within("counters", "objections_in_row", json!(4)))),
        ("counter_out_of_bounds", edited(&good, 3, within("counters", "luck", json!("much")))),
        ("counter_out_of_bounds", edited(&good, 3, set("turn_number", json!(7)))),
    ];
    let mut shown = String::new();
    for (rule, trace) in &broken {
        let run = profile(trace, "documented");
        assert_eq!(run.code, 1, "{rule}: {}", run.shown());
        let named = run.stdout.lines().any(|line| line.split("  ").next() == Some(rule));
        assert!(named, "{rule}: {}", run.shown());
        shown += &format!("{}\n", run.shown());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_final_state_is_not_left() {
    let project = shop();
    let turns = json!({"id": "over", "start": {"state": "success"}, "turns": [{"intent": "greeting"}]});
    project.write("turns.jsonl", turns.to_string());
    let run = project.run(&["trace", "flows/bant", "--turns", "turns.jsonl"]);
    let left = edited(&run.stdout, 1, |turn| {
        turn["state"]["to"] = json!("soft_close");
        turn["final"] = json!(false);
    });
    let documented = verify(&project, &left, &[]);
    assert!(documented.stdout.starts_with("left_final_state"), "{}", documented.shown());
    // In the running system a final state answers as any other.
    let reference = verify(&project, &left, &["--profile", "reference"]);
    assert!(!reference.stdout.contains("left_final_state"), "{}", reference.shown());
}

#[test]
fn effects_need_consent_and_a_declaration() {
    let project = shop();
    let run = project.run(&["trace", "scenarios/student/rules.yaml"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let last = lines.iter().rposition(|line| line.starts_with("{\"fsmsim_trace\"")).unwrap();
    let good = lines[last..].join("\n");
    let check = |trace: &str| {
        project.write("t.jsonl", trace);
        project.run(&["verify", "t.jsonl", "--model", "states/student"])
    };
    assert_eq!(check(&good).code, 0, "{}", check(&good).shown());
    let refused = good.replace("\"consent\":{\"read\":true", "\"consent\":{\"read\":false");
    assert_ne!(refused, good);
    let strange = good.replace("\"keys\":[\"week\"", "\"keys\":[\"diary\"");
    assert_ne!(strange, good);
    let moved = edited(&good, 5, |turn| turn["state"]["to"] = json!("plan_save"));
    insta::assert_snapshot!([refused, strange, moved].map(|trace| check(&trace).shown()).join("\n"));
}

#[test]
fn a_replay_tells_the_first_divergence_of_a_dialogue() {
    let project = shop();
    let good = sale(&project);
    let other = edited(&good, 2, |turn| {
        turn["action"] = json!("smile");
        turn["why"] = json!(["somebody_said_so"]);
    });
    let turned = edited(&good, 5, |turn| turn["data"]["company_size"] = json!(51));
    let rejected = edited(&good, 2, |turn| turn["by"]["transition"] = json!("TransitionResolverSource"));
    let both = format!("{other}{}", turned.replace("\"sale\"", "\"second\""));
    let replay = ["--mode", "replay"];
    assert_eq!(verify(&project, &rejected, &replay).code, 0, "names of sources may have their suffix");
    let shown =
        [&replay[..], &["--mode", "replay", "--format", "json"], &["--mode", "replay", "--limit", "1"]]
            .map(|more| verify(&project, &both, more).shown());
    insta::assert_snapshot!(shown.join("\n"));
}

/// A trace of another system: a line a turn, other names, other words.
const FOREIGN: &str = r#"{"session":{"id":7},"mode":"auto","in":{"label":"intent/greeting"},"out":{"st":"greeting","ph":"none"}}
{"session":{"id":7},"in":{"label":"intent/agreement"},"out":{"st":"assess_budget","ph":"BUDGET","size.known":1}}
{"session":{"id":8},"mode":"none","in":{"label":"intent/rejection"},"out":{"st":"soft_close","ph":"none"}}
"#;
const MAP: &str = r"dialogue: session.id
signals: {path: mode, values: {auto: derived}}
turn:
  input: {intent: {path: in.label, prefix: intent/}}
  state: out.st
  phase: {path: out.ph, values: {none: null, BUDGET: budget}}
  counters: {size: [out, size.known]}
";

/// A trace verified with a map.
fn mapped(trace: impl AsRef<[u8]>, map: &str, more: &[&str]) -> Run {
    let project = Project::new().with_flows().file("t.jsonl", trace).file("m.yaml", map);
    project.run(&[&["verify", "t.jsonl", "--model", "flows/bant", "--map", "m.yaml"], more].concat())
}

#[test]
fn a_trace_of_turns_is_read_by_a_map() {
    let structure = mapped(FOREIGN, MAP, &[]);
    let replay =
        mapped(FOREIGN, &MAP.replace("  counters: {size: [out, size.known]}\n", ""), &["--mode", "replay"]);
    let wrong = mapped(FOREIGN.replace("BUDGET", "need"), MAP, &["--format", "json"]);
    insta::assert_snapshot!([structure, replay, wrong].map(|run| run.shown()).join("\n"));
}

#[test]
fn every_mistake_of_a_map_is_told() {
    let maps = [
        "dialogue: session.id\nturns: list\nturn: {state: out.state, phaze: out.ph, input: {intend: in.label}, why: [[x]]}\nstart: {sate: a.b}\nsignal: x\n",
        "dialogue: a..b\nturn: {action: {path: x, value: {}}}\n",
        "turn: []\n",
        "- x\n",
        "dialogue: [\n",
        "",
    ];
    let shown = maps.map(|map| mapped(FOREIGN, map, &[]).shown());
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_path_that_no_line_has_is_told_with_what_is_there() {
    let map = MAP.replace("in.label", "in.lable").replace("path: mode", "path: made");
    insta::assert_snapshot!(mapped(FOREIGN, &map, &[]).shown());
    let optional = MAP.replace("path: mode", "path: made?");
    assert_eq!(mapped(FOREIGN, &optional, &[]).code, 0);
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_looked_at() {
    let lines: Vec<&str> = FOREIGN.lines().collect();
    let twice = format!("{FOREIGN}{}\n", lines[0]);
    let mut torn = FOREIGN.as_bytes().to_vec();
    torn.truncate(torn.len() - 20);
    let mut bytes = FOREIGN.as_bytes().to_vec();
    bytes.extend(b"{\"session\":{\"id\":\"\xff\"}}\n");
    let traces: [(&str, Vec<u8>); 7] = [
        ("a dialogue twice", twice.into()),
        ("a torn line", torn),
        ("no text", bytes),
        ("no dialogue", "{\"a\":1}\n[]\n\"x\"\n".into()),
        ("no state", FOREIGN.replace("\"st\":\"soft_close\"", "\"st\":null").into()),
        ("nothing", Vec::new()),
        ("blank", "\n \n".into()),
    ];
    let mut shown = String::new();
    for (name, trace) in traces {
        let run = mapped(trace, MAP, &[]);
        assert_eq!(run.code, 2, "{name}: {}", run.shown());
        shown += &format!("# {name}\n{}\n", run.shown());
    }
    let list = "dialogue: id\nturns: turns\nturn: {state: to}\n";
    for line in
        [r#"{"id":"a","turns":{}}"#, r#"{"id":"a"}"#, r#"{"id":"a","turns":[{"to":"greeting"},{"to":7}]}"#]
    {
        let run = mapped(line, list, &[]);
        assert_eq!(run.code, 2, "{line}: {}", run.shown());
        shown += &format!("# {line}\n{}\n", run.shown());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let project = shop();
    let good = sale(&project);
    project.write("t.jsonl", &good);
    project.write("unread.jsonl", edited(&good, 1, |turn| turn["input"] = json!({})));
    project.write("profile.jsonl", good.replace("\"documented\"", "\"documnted\""));
    project.write(
        "start.jsonl",
        good.replacen("\"seed\":0", "\"seed\":0,\"start\":{\"state\":\"gretting\"}", 1),
    );
    project.write("empty.jsonl", "");
    project.write("bytes.jsonl", b"\xff\xfe\n");
    let calls: [&[&str]; 9] = [
        &["missing.jsonl", "--model", "flows/bant"],
        &["t.jsonl", "--model", "flows/nobody"],
        &["t.jsonl", "--model", "flows/bant@strict"],
        &["t.jsonl", "--model", "flows/bant", "--map", "missing.yaml"],
        &["empty.jsonl", "--model", "flows/bant"],
        &["bytes.jsonl", "--model", "flows/bant"],
        &["profile.jsonl", "--model", "flows/bant"],
        &["start.jsonl", "--model", "flows/bant"],
        &["unread.jsonl", "--model", "flows/bant", "--mode", "replay"],
    ];
    let mut shown = String::new();
    for call in calls {
        let run = project.run(&[&["verify"], call].concat());
        assert_eq!(run.code, 2, "{call:?}: {}", run.shown());
        shown += &format!("# {}\n{}\n", call.join(" "), run.shown());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_long_line_is_read_and_a_dialogue_without_end_is_not() {
    let long = "x".repeat(10 << 20);
    let line = format!(
        r#"{{"session":{{"id":1}},"mode":"none","in":{{"label":"greeting","x":"{long}"}},"out":{{"st":"greeting"}}}}"#
    );
    let map = MAP.replace("out.ph", "out.ph?").replace("[out, size.known]", "[out, size.known?]");
    let run = mapped(&line, &map, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let endless = vec![line; 7].join("\n");
    let run = mapped(endless, &map, &[]);
    let title = run.stderr.lines().next().unwrap_or_default();
    assert_eq!(
        (run.code, title),
        (2, "error[FS0500]: line 7, column 1 cannot be read: the dialogue `1` has more than 64 MiB")
    );
}

#[test]
fn a_trace_comes_from_standard_input_too() {
    let project = shop();
    let good = sale(&project);
    let run = project.run_with(&["verify", "-", "--model", "flows/bant"], &good, &[]);
    assert_eq!(run.stdout, "1 dialogue, 7 turns: keeps to flows/bant (profile documented, structure)\n");
}

/// Where the fields of the recordings are.
const RECORDED: &str = include_str!("maps/recorded_flow.yaml");

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
    let run = project.run(&[&fixed, more].concat());
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
