//! Traces of which nothing or only a part can be checked, and dialogues that ran with permitted violations.

use serde_json::{Value, json};

use crate::support::{Invocation, Project};

const FLOW: &str = "flow: {name: f, entry_points: {default: a}}\nstates:\n  a: {goal: g, transitions: {go: b}}\n  b: {is_final: true}\n";
const MAP: &str = "dialogue: id\nturns: turns\nturn: {input: {intent: meant}, state: to, final: over?, data: data?, carryover: carried?, missing: missing?}\n";
const EVENTS: &str = "dialogue: id\nevents: {path: log, kind: kind, turn: [user]}\nturn: {state: {path: move.-1.to?, carry_forward: true}}\n";

fn project(map: &str, trace: &str) -> Project {
    Project::new()
        .file("f.yaml", FLOW)
        .file("m.yaml", map)
        .file("t.jsonl", trace)
}

fn verify(project: &Project, more: &[&str]) -> Invocation {
    let verify = ["verify", "t.jsonl", "--model", "f.yaml"];
    project.fsmsim(verify).args(more)
}

fn mapped(map: &str, trace: &str) -> Invocation {
    verify(&project(map, trace), &["--map", "m.yaml"])
}

#[test]
fn trace_without_turns_is_an_error() {
    let own = "{\"fsmsim_trace\":3,\"dialogue\":\"a\"}\n{\"end\":\"a\",\"turns\":0}\n";
    let empty = "the trace contains no turn";
    for mode in ["structure", "replay"] {
        verify(&project(MAP, own), &["--mode", mode]).refuses(empty);
    }
    let json = verify(&project(MAP, own), &["--format", "json"]).fails(2, "", empty);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["conforms"], false);
    verify(&project(MAP, own), &["--format", "jsonl"]).fails(2, "\"turns\":0", empty);
    mapped(MAP, "{\"id\":\"d\",\"turns\":[]}\n").refuses(empty);
    mapped(EVENTS, "{\"id\":\"d\",\"log\":[]}\n").refuses(empty);
    // A dialogue without turns is allowed if another one has turns.
    let turn = "{\"id\":\"e\",\"turns\":[{\"meant\":\"go\",\"to\":\"b\"}]}\n";
    mapped(MAP, &format!("{{\"id\":\"d\",\"turns\":[]}}\n{turn}"))
        .succeeds("2 dialogues, 1 turn: conform to f.yaml");
}

#[test]
fn shards_without_turns_cannot_be_merged() {
    let trace = ["a", "b", "c", "d"].map(|id| format!("{{\"id\":\"{id}\",\"turns\":[]}}\n"));
    let project = project(MAP, &trace.concat());
    for shard in ["1/2", "2/2"] {
        let report = format!("json={}.json", &shard[..1]);
        let more = ["--map", "m.yaml", "--shard", shard, "--report", &report];
        verify(&project, &more).succeeds("");
    }
    project
        .fsmsim(["merge", "1.json", "2.json"])
        .refuses("no shard contains a turn, so nothing was checked");
}

#[test]
fn event_kind_that_no_event_has_is_a_mistake() {
    let trace = "{\"id\":\"d\",\"log\":[{\"kind\":\"user\"},{\"kind\":\"move\",\"to\":\"b\"}]}\n";
    mapped(EVENTS, trace).succeeds("1 dialogue, 1 turn: conforms to f.yaml");
    let with = |kinds: &str| mapped(&EVENTS.replace("[user]", kinds), trace);
    insta::assert_snapshot!(with("usr").shown());
    // The other kind selects turns, so only the finding shows the mistake.
    let run =
        with("[user, mvoe]").fails(2, "1 dialogue, 1 turn", "no line of the trace has `mvoe`");
    assert!(run.stderr.contains("exists: `move`"), "{run}");
    with("[user, button]").fails(2, "", "no line of the trace has `button`");
    with("[user, button?]").succeeds("1 dialogue, 1 turn: conforms to f.yaml");
}

#[test]
fn fields_of_a_wrong_type_are_counted_as_not_checked() {
    let turn = |over: Value, data: Value, carried: Value, missing: Value| {
        let turn = json!({"meant": "go", "to": "b", "over": over, "data": data, "carried": carried, "missing": missing});
        json!({"id": "d", "turns": [turn]}).to_string()
    };
    let wrong = turn(json!("no"), json!([]), json!({"kept": "x"}), json!([5]));
    let run = mapped(MAP, &wrong);
    assert_eq!(
        run.succeeds(""),
        "1 dialogue, 1 turn: conforms to f.yaml (structure); not checked: field `carryover` in 1 turn, \
         field `data` in 1 turn, field `final` in 1 turn, field `missing` in 1 turn\n"
    );
    let counted = json!({"carryover": 1, "data": 1, "final": 1, "missing": 1});
    let run = |format: &'static str| {
        let stdout = mapped(MAP, &wrong).args(["--format", format]).succeeds("");
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    assert_eq!(run("json")["not_checked_fields"], counted);
    assert_eq!(run("jsonl")["not_checked"], counted);
    // An empty value is not recorded, and correct types are checked.
    let empty = turn(Value::Null, Value::Null, json!({"kept": null}), Value::Null);
    mapped(MAP, &empty).succeeds("conforms to f.yaml (structure)\n");
    let right = turn(json!(false), json!({}), json!({}), json!([]));
    mapped(MAP, &right).fails(1, "wrong_final  1\n", "");
}

/// A set of three states. No state leads to `far`.
fn set() -> Project {
    let state = |name: &str, to: &str| {
        format!("# State: {name}\n\n## Goal\nTalk.\n\n## Transitions\n- `{to}`\n")
    };
    let states = [("init", "talk"), ("talk", "init"), ("far", "init")];
    states
        .into_iter()
        .fold(Project::new(), |project, (name, to)| {
            project.file(&format!("set/states/{name}.md"), state(name, to))
        })
}

#[test]
fn permitted_undeclared_transition_is_a_violation() {
    let project = set().file(
        "a.yaml",
        "scenario: A\nmodel: set\nstart: {permissive: true}\nturns: [{goto: talk}, {goto: far}, {goto: init}]\n",
    );
    let trace = project.fsmsim(["trace", "a.yaml"]).succeeds("");
    let verify = |trace: String, mode: &str| {
        project.write("t.jsonl", trace);
        project.fsmsim(["verify", "t.jsonl", "--model", "set", "--mode", mode])
    };
    let shown = ["structure", "replay"].map(|mode| verify(trace.clone(), mode).shown());
    insta::assert_snapshot!(shown.join("\n"));
    // The recorded reason is enough, and so is the header.
    for reported in [
        trace.replace(",\"start\":{\"permissive\":true}", ""),
        trace.replace("undeclared_transition_permitted", "navigated"),
    ] {
        assert_ne!(reported, trace);
        verify(reported, "structure").fails(1, "undeclared_transition_permitted  1\n", "");
    }
    // Without undeclared transitions, a dialogue with `permissive` conforms.
    project.write(
        "a.yaml",
        "scenario: A\nmodel: set\nstart: {permissive: true}\nturns: [{goto: talk}, {goto: init}]\n",
    );
    let trace = project.fsmsim(["trace", "a.yaml"]).succeeds("");
    for mode in ["structure", "replay"] {
        verify(trace.clone(), mode).succeeds("1 dialogue, 2 turns: conforms to set");
    }
}
