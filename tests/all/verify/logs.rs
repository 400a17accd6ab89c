//! Logs of other systems in their real forms: trace maps for common formats, forms of input, order, lost content, and the
//! commands that read logs.

use std::io::Write;

use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::support::{Invocation, Project};

const TEA: &str = "flow: {name: tea, entry_points: {default: init}}
intents: {order: {}, bye: {}, done: {}, again: {}}
slots: {name: {}}
states:
  init: {transitions: {order: brew, bye: parting}}
  brew: {transitions: {done: parting, again: init}}
  parting: {is_final: true}
";

/// The states of dialogues that conform, of one with an unknown state, and of one that leaves a final state.
const DIALOGUES: [(&str, &[&str]); 4] = [
    ("c1", &["brew", "init", "brew", "parting"]),
    ("c2", &["brew", "tea_time"]),
    ("c3", &["parting", "brew"]),
    ("c4", &["parting"]),
];

/// The rules that the dialogues violate.
const PLANTED: &str = "left_final_state       1
undeclared_transition  1
unknown_state          1
";

fn tea(log: impl AsRef<[u8]>) -> Project {
    Project::new().file("tea.yaml", TEA).file("log", log)
}

fn verify(log: impl AsRef<[u8]>, map: &str) -> Invocation {
    tea(log).fsmsim(["verify", "log", "--model", "tea.yaml", "--map", map])
}

/// The attributes of a span or an event.
fn attributes(pairs: &[(&str, &str)]) -> Value {
    let attribute =
        |(key, value): &(&str, &str)| json!({"key": key, "value": {"stringValue": value}});
    pairs.iter().map(attribute).collect()
}

/// A call of a model that names a state in the arguments of a tool call.
fn span(dialogue: &str, number: usize, state: &str) -> Value {
    let input =
        json!([{"role": "user", "parts": [{"type": "text", "content": format!("turn {number}")}]}]);
    let output = json!([{"role": "assistant", "parts": [
        {"type": "text", "content": "Well"},
        {"type": "tool_call", "id": "1", "name": "goto", "arguments": {"state": state}},
    ], "finish_reason": "tool_call"}]);
    json!({
        "traceId": dialogue, "spanId": format!("{dialogue}-{number}"), "name": "chat gpt", "kind": 3,
        "startTimeUnixNano": format!("17{number:03}00000000000000"),
        "attributes": attributes(&[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.conversation.id", dialogue),
            ("gen_ai.input.messages", &input.to_string()),
            ("gen_ai.output.messages", &output.to_string()),
        ]),
    })
}

/// The same call, with span events as in version 1.36 of the conventions and earlier.
fn span_with_events(dialogue: &str, number: usize, state: &str) -> Value {
    let mut span = span(dialogue, number, state);
    span["attributes"] = attributes(&[
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.conversation.id", dialogue),
    ]);
    let said = json!({"role": "user", "content": format!("turn {number}")}).to_string();
    let arguments = json!({"state": state}).to_string();
    let call = json!({"id": "1", "type": "function", "function": {"name": "goto", "arguments": arguments}});
    let choice = json!({"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}});
    let event = |name: &str, content: &str| json!({"name": name, "attributes": attributes(&[("gen_ai.system", "openai"), ("gen_ai.event.content", content)])});
    span["events"] = json!([
        event("gen_ai.user.message", &said),
        event("gen_ai.choice", &choice.to_string())
    ]);
    span
}

/// All turns, the dialogues one after the other.
fn turns(turn: fn(&str, usize, &str) -> Value) -> Vec<Value> {
    let dialogues = DIALOGUES.iter().flat_map(|(dialogue, states)| {
        let states = states.iter().zip(1..);
        states.map(move |(state, number)| turn(dialogue, number, state))
    });
    dialogues.collect()
}

/// Batches of the file exporter of the collector, with several resources and scopes, and spans that are not turns.
fn batches(spans: &[Value]) -> String {
    let other = json!({"spanId": "x", "name": "GET /", "startTimeUnixNano": "1", "attributes": []});
    let tool = json!({"spanId": "y", "name": "execute_tool goto", "startTimeUnixNano": "2", "attributes": attributes(
        &[("gen_ai.operation.name", "execute_tool"), ("gen_ai.conversation.id", "c1")])});
    let resource = json!({"attributes": attributes(&[("service.name", "bot")])});
    let lines = spans.chunks(3).map(|spans| {
        let scopes: Vec<Value> = spans
            .iter()
            .map(|span| json!({"scope": {"name": "genai"}, "spans": [span, other]}))
            .collect();
        let http = json!({"resource": resource, "scopeSpans": [{"scope": {}, "spans": [tool]}]});
        json!({"resourceSpans": [{"resource": resource, "scopeSpans": scopes}, http]}).to_string()
            + "\n"
    });
    lines.collect()
}

fn newest_first(mut turns: Vec<Value>) -> Vec<Value> {
    turns.reverse();
    turns
}

/// The dialogues are interleaved, and each has another order.
fn shuffled(mut turns: Vec<Value>) -> Vec<Value> {
    turns.sort_by_key(|turn| turn.to_string().bytes().map(u64::from).sum::<u64>() * 7 % 11);
    turns
}

fn twice(mut turns: Vec<Value>) -> Vec<Value> {
    turns.extend_from_within(2..5);
    turns
}

#[test]
fn spans_are_verified_in_any_order() {
    for turn in [span, span_with_events] {
        for order in [|turns| turns, newest_first, shuffled, twice] {
            let log = batches(&order(turns(turn)));
            verify(log, "otel").fails(1, PLANTED, "");
        }
    }
    let summary = verify(batches(&turns(span)), "otel").shown();
    assert!(
        summary.contains("2 of 4 dialogues, 9 turns: violate tea.yaml"),
        "{summary}"
    );
}

#[test]
fn span_with_lost_content_is_not_checked() {
    let mut spans = turns(span);
    // Without its second turn, `c1` has no declared transition from its first turn to its third.
    spans[1]["droppedAttributesCount"] = json!(2);
    spans[1]["attributes"].as_array_mut().unwrap().truncate(2);
    let run = verify(batches(&spans), "otel").fails(1, PLANTED, "");
    assert!(
        run.stdout.contains("2 of 4 dialogues, 8 turns: violate"),
        "{run}"
    );
    assert!(
        run.stdout.contains("not checked: lost content in 1 turn"),
        "{run}"
    );
    // Without content, nothing is known.
    for span in &mut spans {
        span["attributes"].as_array_mut().unwrap().truncate(2);
    }
    verify(batches(&spans), "otel").fails(2, "", "the trace contains no turn");
}

#[test]
fn turns_with_equal_times_are_not_checked_as_transitions() {
    let mut spans = turns(span);
    spans.truncate(4);
    for at in [1, 2] {
        spans[at]["startTimeUnixNano"] = json!("1700200000000000000");
    }
    let conforms = "1 dialogue, 4 turns: conforms to tea.yaml (structure); not checked: unknown order in 2 turns";
    verify(batches(&newest_first(spans.clone())), "otel").succeeds(conforms);
    spans[1]
        .as_object_mut()
        .unwrap()
        .remove("startTimeUnixNano");
    verify(batches(&spans), "otel").succeeds("not checked: unknown order in 4 turns");
}

/// A chat with tool calls.
fn chat(states: &[&str]) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "You make tea."})];
    for state in states {
        let arguments = json!({"state": state}).to_string();
        messages.push(json!({"role": "user", "content": "Hi"}));
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "goto", "arguments": arguments}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": "1", "content": "ok"}));
        messages.push(json!({"role": "assistant", "content": "Well"}));
    }
    json!({"messages": messages})
}

fn chats() -> String {
    let chats = DIALOGUES
        .iter()
        .map(|(_, states)| chat(states).to_string() + "\n");
    chats.collect()
}

#[test]
fn chats_with_tool_calls_are_verified() {
    let run = verify(chats(), "openai-chat").fails(1, PLANTED, "");
    assert!(run.stdout.contains("line 2, turn 2"), "{run}");
    let pretty: Vec<Value> = chats().lines().map(|line| line.parse().unwrap()).collect();
    verify(format!("{:#}", json!(pretty)), "openai-chat").fails(1, PLANTED, "");
    verify(format!("{:#}\n", chat(&["brew"])), "openai-chat")
        .succeeds("1 dialogue, 1 turn: conforms");
}

/// A trace of Langfuse, as its user interface exports it.
fn langfuse(dialogue: &str, number: usize, state: &str) -> Value {
    json!({
        "id": format!("{dialogue}-{number}"), "sessionId": dialogue, "name": "turn",
        "timestamp": format!("2026-03-0{number}T10:00:00.5{number}Z"),
        "input": {"messages": [{"role": "user", "content": "Hi"}]},
        "output": {"role": "assistant", "content": "Well"},
        "metadata": {"state": state},
    })
}

#[test]
fn exports_of_langfuse_are_verified() {
    for order in [|turns| turns, newest_first, shuffled, twice] {
        let log = json!(order(turns(langfuse)));
        verify(log.to_string(), "langfuse").fails(1, PLANTED, "");
        verify(format!("{log:#}"), "langfuse").fails(1, PLANTED, "");
    }
    let rows = turns(langfuse).into_iter().map(|row| {
        let cell = |key: &str| row[key].to_string().replace('"', "\"\"");
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        format!(
            "{},{},{},\"{}\",\"{}\"\n",
            text("id"),
            text("sessionId"),
            text("timestamp"),
            cell("output"),
            cell("metadata")
        )
    });
    let table = format!(
        "id,sessionId,timestamp,output,metadata\n{}",
        rows.collect::<String>()
    );
    verify(&table, "langfuse").fails(1, PLANTED, "");
    let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(table.as_bytes()).unwrap();
    verify(packed.finish().unwrap(), "langfuse").fails(1, PLANTED, "");
}

#[test]
fn trackers_of_rasa_are_verified() {
    let tracker = |(dialogue, states): &(&str, &[&str])| {
        let events = states.iter().flat_map(|state| {
            [
                json!({"event": "user", "timestamp": 1.5, "text": "Hi", "parse_data": {"intent": {"name": "order"}, "entities": []}}),
                json!({"event": "action", "timestamp": 2.0, "name": state}),
                json!({"event": "bot", "timestamp": 2.0, "text": "Well"}),
                json!({"event": "action", "timestamp": 2.5, "name": "action_listen"}),
            ]
        });
        json!({"sender_id": dialogue, "events": events.collect::<Vec<_>>()}).to_string() + "\n"
    };
    let trackers: String = DIALOGUES.iter().map(tracker).collect();
    verify(trackers, "rasa").fails(1, PLANTED, "");
}

#[test]
fn preset_is_printed_and_can_be_edited() {
    let project = tea(chats());
    let map = project
        .fsmsim(["explain", "map:openai-chat"])
        .succeeds("dialogue: {path: id?");
    project.write("m.yaml", map);
    project
        .fsmsim(["verify", "log", "--model", "tea.yaml", "--map", "m.yaml"])
        .fails(1, PLANTED, "");
    project
        .fsmsim(["explain", "map:otl"])
        .refuses("unknown trace map `otl`");
    project
        .fsmsim(["verify", "log", "--model", "tea.yaml", "--map", "otl"])
        .refuses("a similar trace map exists: `otel`");
}

#[test]
fn wrong_locations_are_reported_with_the_new_spelling() {
    let maps = [
        "dialogue: /session/id\nturn: {state: a..b}\n",
        "dialogue: id\nturn: {state: {path: to, stays: true}, action: 'a[b]'}\n",
    ];
    let shown = maps.map(|map| {
        let project = tea("{}").file("m.yaml", map);
        project
            .fsmsim(["verify", "log", "--model", "tea.yaml", "--map", "m.yaml"])
            .shown()
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn missing_location_is_reported_with_the_keys_that_are_there() {
    let map = "dialogue: id\nturn: {state: \"list[?@.key == 'state'].value.text\", action: \"list[?@.kye == 'a'].value\"}\n";
    let line = r#"{"id":1,"list":[{"key":"state","value":{"txt":"brew"}}]}"#;
    let project = tea(line).file("m.yaml", map);
    insta::assert_snapshot!(
        project
            .fsmsim(["verify", "log", "--model", "tea.yaml", "--map", "m.yaml"])
            .shown()
    );
}

#[test]
fn log_becomes_a_trace_chats_rows_and_scenarios() {
    let project = tea(batches(&newest_first(turns(span))));
    let formats = ["jsonl", "chat", "transcript", "csv"].map(|format| {
        let run = project.fsmsim(["trace", "log", "--map", "otel", "--format", format]);
        format!("# {format}\n{}", run.succeeds(""))
    });
    insta::assert_snapshot!(formats.join("\n"));
    project
        .fsmsim(["trace", "log", "--map", "otel", "--format", "scenario"])
        .refuses("missing `--model`");
    project
        .fsmsim(["trace", "log", "--map", "otel", "--format", "table"])
        .refuses("cannot use this format with `--map`");
    project
        .fsmsim(["trace", "log", "--format", "scenario"])
        .refuses("cannot use `--format scenario` without `--map`");
}

/// Turns with intents and data.
const FLAT: &str = r#"{"id":"a","intent":"order","say":"Bob orders tea","name":"Bob","to":"brew"}
{"id":"a","intent":"done","to":"parting"}
{"id":"b","intent":"bye","to":"parting"}
"#;
const FLAT_MAP: &str = "dialogue: id
turn:
  input: {intent: intent, say: say?, data: {name: name?}}
  state: to
";

fn flat() -> Project {
    tea(FLAT).file("m.yaml", FLAT_MAP)
}

#[test]
fn log_becomes_scenarios_that_pass() {
    let project = flat();
    let trace = [
        "trace", "log", "--map", "m.yaml", "--model", "tea.yaml", "--format", "scenario",
    ];
    let scenarios = project.fsmsim(trace).succeeds("");
    project.write("scenarios/log.yaml", &scenarios);
    project
        .fsmsim(["test", "scenarios/log.yaml"])
        .succeeds("2 passed");
    let redacted = project.fsmsim(trace).args(["--redact"]).succeeds("");
    assert!(!redacted.contains("Bob"), "{redacted}");
    insta::assert_snapshot!(format!("{scenarios}\n# redacted\n{redacted}"));
}

#[test]
fn log_is_continued_drawn_and_generalized() {
    let project = flat();
    let run = ["run", "tea.yaml", "--from", "log::a@1", "--map", "m.yaml"];
    project.fsmsim(run).stdin(":state\n").succeeds("brew");
    let graph = [
        "graph", "tea.yaml", "--trace", "log", "--map", "m.yaml", "--format", "text",
    ];
    project.fsmsim(graph).succeeds("");
    let generate = [
        "generate",
        "tea.yaml",
        "--from-traces",
        "log",
        "--map",
        "m.yaml",
    ];
    project.fsmsim(generate).succeeds("intent: order");
}

#[test]
fn logs_are_compared_in_the_fields_that_both_have() {
    let project = flat();
    let without_says = FLAT.replace(r#","say":"Bob orders tea","name":"Bob""#, "");
    project.write("same", without_says.replace("\"bye\"", "\"bye\",\"x\":1"));
    project.write(
        "other",
        FLAT.replace(r#""bye","to":"parting""#, r#""bye","to":"init""#),
    );
    let diff = |other: &str| project.fsmsim(["diff", "log", other, "--map", "m.yaml"]);
    diff("same").succeeds("");
    diff("other").fails(1, "parting", "");
}
