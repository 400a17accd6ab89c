//! Traces of other systems, converted by a field map.

use crate::support::{Invocation, Project};

/// A trace of another system: one line per turn, with custom keys and names.
const FOREIGN: &str = r#"{"session":{"id":7},"mode":"auto","in":{"label":"intent/greeting"},"out":{"st":"greeting","ph":"none"}}
{"session":{"id":7},"in":{"label":"intent/agreement"},"out":{"st":"assess_budget","ph":"BUDGET","size.known":1}}
{"session":{"id":8},"mode":"none","in":{"label":"intent/rejection"},"out":{"st":"soft_close","ph":"none"}}
"#;
const MAP: &str = r"dialogue: session.id
signals: {path: mode, values: {auto: derived}}
turn:
  input: {intent: {path: in.label, remove_prefix: intent/}}
  state: out.st
  phase: {path: out.ph, values: {none: null, BUDGET: budget}}
  counters:
    size: out['size.known']
";

/// Verifies a trace with a map.
fn mapped(trace: impl AsRef<[u8]>, map: &str, more: &[&str]) -> Invocation {
    let project = Project::new()
        .with_flows()
        .file("t.jsonl", trace)
        .file("m.yaml", map);
    project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "flows/bant",
            "--map",
            "m.yaml",
        ])
        .args(more)
}

#[test]
fn map_converts_a_trace_of_turns() {
    let structure = mapped(FOREIGN, MAP, &[]);
    let replay = mapped(
        FOREIGN,
        &MAP.replace("  counters:\n    size: out['size.known']\n", ""),
        &["--mode", "replay"],
    );
    let wrong = mapped(
        FOREIGN.replace("BUDGET", "need"),
        MAP,
        &["--format", "json"],
    );
    insta::assert_snapshot!([structure, replay, wrong].map(Invocation::shown).join("\n"));
}

#[test]
fn invalid_maps_are_reported() {
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
fn path_without_a_match_is_reported_with_existing_keys() {
    let map = MAP
        .replace("in.label", "in.lable")
        .replace("path: mode", "path: made");
    insta::assert_snapshot!(mapped(FOREIGN, &map, &[]).shown());
    let optional = MAP.replace("path: mode", "path: made?");
    mapped(FOREIGN, &optional, &[]).succeeds("");
}

#[test]
fn unreadable_lines_are_reported_and_the_rest_is_checked() {
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
        (
            "no state",
            FOREIGN
                .replace("\"st\":\"soft_close\"", "\"st\":null")
                .into(),
        ),
        ("nothing", Vec::new()),
        ("blank", "\n \n".into()),
    ];
    let mut shown = String::new();
    for (name, trace) in traces {
        let run = mapped(trace, MAP, &[]).about(name).fails(2, "", "");
        shown += &format!("# {name}\n{}\n", run.shown());
    }
    let list = "dialogue: id\nturns: turns\nturn: {state: to}\n";
    for line in [
        r#"{"id":"a","turns":{}}"#,
        r#"{"id":"a"}"#,
        r#"{"id":"a","turns":[{"to":"greeting"},{"to":7}]}"#,
    ] {
        let run = mapped(line, list, &[]).about(line).fails(2, "", "");
        shown += &format!("# {line}\n{}\n", run.shown());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn long_line_is_read_and_dialogue_size_is_limited() {
    let long = "x".repeat(10 << 20);
    let line = format!(
        r#"{{"session":{{"id":1}},"mode":"none","in":{{"label":"greeting","x":"{long}"}},"out":{{"st":"greeting"}}}}"#
    );
    let map = MAP
        .replace("out.ph", "out.ph?")
        .replace("'size.known']", "'size.known']?");
    mapped(&line, &map, &[]).succeeds("");
    let endless = vec![line; 7].join("\n");
    let run = mapped(endless, &map, &[]).fails(2, "", "");
    let title = run.stderr.lines().next().unwrap_or_default();
    assert_eq!(
        title,
        "error[FS0500]: cannot read line 7, column 1: the dialogue `1` is too large: limit 64 MiB"
    );
}

#[test]
fn continuity_is_not_checked_across_an_unreadable_line() {
    let lines: Vec<&str> = FOREIGN.lines().collect();
    // The line in between, in which the dialogue entered `assess_budget`, is not valid UTF-8.
    let next = lines[1]
        .replace("\"st\":", "\"from\":\"assess_budget\",\"st\":")
        .replace("agreement", "unclear");
    let map = MAP.replace("state: out.st", "state: {from: out.from?, to: out.st}");
    let map = map.replace("  counters:\n    size: out['size.known']\n", "");
    let trace = [
        lines[0].as_bytes(),
        b"\n{\"session\":\xff\n",
        next.as_bytes(),
        b"\n",
        lines[2].as_bytes(),
    ]
    .concat();
    let run = mapped(&trace, &map, &[]).fails(
        2,
        "2 dialogues, 3 turns: conform to flows/bant",
        "is not UTF-8 text",
    );
    assert!(!run.stdout.contains("broken_continuity"), "{run}");
    let whole = [lines[0], &next, lines[2]].join("\n");
    mapped(whole, &map, &[]).fails(1, "broken_continuity  1\n", "");
}

/// A flow with properties of two slots.
const SHOP: &str = "\
flow: {name: shop, entry_points: {default: talk}}
slots: {size: {}, colour: {}}
states:
  talk: {required_data: [size], transitions: {buy: sold}}
  sold: {is_final: true}
properties:
  nothing_is_blue: {never: {slot: colour, is: blue}}
  nothing_is_huge: {never: {slot: size, at_least: 100}}
  size_stays: {always: {or: [{was: size, known: false}, {slot: size, same_as: size}]}}
";

/// Verifies turns of that flow with a map that contains only `size`.
fn verify_size_only(turns: &str, mode: &str) -> Invocation {
    let map = "dialogue: id\nturns: turns\nturn:\n  input: {intent: meant, data: in?}\n  state: to\n  \
               data: {size: size?}\n  missing: missing?\n  carryover: carryover?\n";
    let project = Project::new().file("shop.yaml", SHOP).file("m.yaml", map);
    let project = project.file(
        "t.jsonl",
        format!("{{\"id\": \"d\", \"turns\": [{turns}]}}\n"),
    );
    project.fsmsim([
        "verify",
        "t.jsonl",
        "--model",
        "shop.yaml",
        "--map",
        "m.yaml",
        "--mode",
        mode,
    ])
}

#[test]
fn data_that_the_map_omits_is_unknown() {
    let five = r#"{"meant": "tell", "in": {"size": 5, "colour": "blue"}, "to": "talk", "size": 5}"#;
    let later = r#"{"meant": "wait", "to": "talk", "missing": ["size"], "carryover": {"kept": ["size", "colour"]}}"#;
    // A slot that a turn omits is unknown: it is not removed, not missing, and its carryover is not checked.
    let conforms = "1 dialogue, 2 turns: conforms to shop.yaml (structure); not checked: \
                 `nothing_is_blue` in 2 turns, `nothing_is_huge` in 1 turn, `size_stays` in 1 turn\n";
    verify_size_only(&format!("{five}, {later}"), "structure").succeeds(conforms);
    let gone = r#"{"meant": "wait", "to": "talk", "size": null, "missing": []}"#;
    let report = "broken_property  1\nlost_data        1\nwrong_missing    1\n";
    verify_size_only(&format!("{five}, {gone}"), "structure").fails(1, report, "");
    // A replay compares the mapped fields.
    let turns = format!("{five}, {}", r#"{"meant": "buy", "to": "sold", "size": 6}"#);
    let report = "data  1\n\nd, turn 2: divergence in data  (t.jsonl:1)\n  trace  size: 6\n  model  size: 5, by ";
    verify_size_only(&turns, "replay").fails(1, report, "");
    verify_size_only(&turns.replace("\"size\": 6", "\"size\": 5"), "replay")
        .succeeds("1 dialogue, 2 turns: conforms to ");
}
