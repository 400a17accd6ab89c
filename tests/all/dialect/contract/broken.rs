//! Invalid contracts, and contracts that run under bad conditions.

use crate::support::{Invocation, Project};

/// The findings of a rejected contract.
fn refusal(contract: &str) -> String {
    Project::new()
        .file("c.yaml", contract)
        .fsmsim(["run", "c.yaml"])
        .refuses("")
}

#[test]
fn class_that_omits_a_required_key_is_rejected() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
modes: [chat]
frames: {root: {fields: {a: text}}}
intents: {ask: {say: show}}
classes:
  A: {}
  B: {intent: ask, requires: nothing, carryover: full, sets: {}, forbids: [], answers: x}
  C: {owner: root, requires: nothing, carryover: full, sets: {}, forbids: [], answers: x}
  D: {owner: root, intent: ask, carryover: full, sets: {}, forbids: [], answers: x}
  E: {owner: root, intent: ask, requires: nothing, sets: {}, forbids: [], answers: x}
  F: {owner: root, intent: ask, requires: nothing, carryover: full, forbids: [], answers: x}
  G: {owner: root, intent: ask, requires: nothing, carryover: full, sets: {}, answers: x}
  H: {owner: root, intent: ask, requires: nothing, carryover: full, sets: {}, forbids: []}
"
    ));
}

#[test]
fn undeclared_names_suggest_similar_names() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
initial: dat
modes: [chat, data]
frames:
  root: {carried: rot, fields: {domain: txt, kind: text}}
  item: {carried: object, fields: {ref: text}}
eligibility: item.eligble
answer: gate.mode
intents: {ask: {say: show}, more: {say: more}}
classes:
  T1:
    owner: roots
    intent: [aks, more]
    when: {frame: itme, active: true}
    requires: {frame: root.knd, filled: true}
    carryover: rootonly
    clears: [itm]
    forbids: [rot]
    sets: {root.kid: x, item.ref: {siad: x}, root.kind: {was: root.kin}}
    preserves: [item.rf, {field: item.ref, unles: x}, {unless: x}]
    executes: item.rfe
    answers: [x]
    mode: dta
    must: {a: {frame: root.kind, same_as: item.refs}, b: {frame: root}, c: {sadi: x}}
    exectues: x
outcomes:
  rows: {becomes: T2, mode: chatt, sets: {root.kinds: x}, anser: x}
"
    ));
}

#[test]
fn invalid_classes_frames_and_phrases_are_rejected() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
modes: [chat, chat]
frames:
  root: {carried: root, fields: {domain: text, size: number, flag: flag, status: [active, gone], items: list, by: reference}}
  item: {carried: object, fields: {ref: text, none: []}}
  a.b: {fields: {x: text}}
intents:
  ask: {say: ['show (', '', '.*', 'x*', 5]}
  more: {}
classes:
  Both: {owner: root, intent: ask, requires: nothing, carryover: full, sets: {root.domain: x}, forbids: [], answers: x, preserves: [root.domain]}
  Lost: {owner: root, intent: ask, requires: nothing, carryover: root_only, sets: {}, forbids: [], answers: x, preserves: [item.ref]}
  Forbidden: {owner: root, intent: ask, requires: nothing, carryover: full, sets: {}, forbids: [item], answers: x, preserves: [item.ref]}
  Dry: {owner: root, intent: ask, requires: {and: [{frame: item, active: true}, {frame: root.by, filled: true}]}, carryover: full, sets: {}, forbids: [], answers: x}
  Wrong: {owner: root, intent: ask, requires: nothing, carryover: full, sets: {root.size: x, root.flag: 1, root.status: lost, root.items: x, root.by: [1], root.domain: 5}, forbids: [], answers: x}
outcomes:
  bold: {answer: confirmed, sets: {root.status: blocked}}
"
    ));
}

#[test]
fn blocked_outcome_cannot_have_a_confirmed_answer() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
modes: [chat]
frames:
  gate: {fields: {cover: [full, blocked]}}
  reply: {fields: {mode: [confirmed, unsupported]}}
answer: reply.mode
intents: {ask: {say: show}}
classes:
  T1: {owner: gate, intent: ask, requires: nothing, carryover: full, sets: {}, forbids: [], answers: confirmed}
  T9: {owner: gate, when: {outcome: x}, requires: nothing, carryover: full, sets: {gate.cover: blocked}, forbids: [], answers: [unsupported, confirmed]}
  T10: {owner: gate, when: {outcome: blocked}, requires: nothing, carryover: full, sets: {gate.cover: blocked}, forbids: [], answers: unsupported}
outcomes:
  blocked: {answer: confirmed, sets: {gate.cover: blocked}}
  taken: {answer: confirmed, becomes: T10}
"
    ));
}

#[test]
fn keys_of_the_wrong_type_are_rejected() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
contract: 5
initial: [x]
modes: 7
frames: [root]
eligibility: [x]
answer: {x: y}
intents: text
conditions: 5
classes: [T1]
outcomes: 3
"
    ));
}

#[test]
fn parts_of_the_wrong_type_are_rejected() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
contract: {name: [x], version: {}, colour: red}
modes: [chat, [data], {x: y}]
frames: {root: 5, item: {carried: [x], fields: [ref]}, gate: {fields: {cover: {x: y}, n: null}}, gone: {}}
intents: {ask: 5, more: {say: {x: y}}, less: {say: [[x]]}, about: {about: [x], say: more, sya: x}}
classes:
  A: 5
  B: {owner: [x], intent: {x: y}, when: 5, requires: [x], carryover: {x: y}, clears: 5, forbids: {x: y}, sets: {}, preserves: root, executes: [x], answers: {x: y}, mode: [x], action: [x], must: [x], must_not: 5}
  D: {owner: gate, intent: ask, requires: nothing, carryover: full, sets: [x], forbids: [], answers: x}
  C: {owner: gate, intent: ask, requires: nothing, carryover: full, sets: {gate.cover: {said: [x]}, gate.n: {among: x, of: [y]}, gate.m: {said: x, or: 5}}, forbids: [5], answers: x}
outcomes: {rows: 5, none: {sets: 5, becomes: [x], mode: {x: y}}}
"
    ));
}

#[test]
fn cyclic_and_unknown_conditions_are_rejected() {
    insta::assert_snapshot!(refusal(
        r"kind: contract
modes: [chat]
frames: {root: {fields: {a: text}}}
intents: {ask: {say: show}}
conditions:
  one: {not: two}
  two: {and: [three, {frame: root, active: true}]}
  three: one
  four: {was: roto.a, filled: true}
classes:
  T1: {owner: root, when: one, requires: nothing, carryover: full, sets: {}, forbids: [], answers: x}
  T2: {owner: root, when: five, requires: nothing, carryover: full, sets: {}, forbids: [], answers: x}
"
    ));
}

#[test]
fn empty_contracts_are_rejected() {
    let texts = [
        "",
        "kind: contract\n",
        "5\n",
        "kind: contract\nmodes: []\nclasses: {}\n",
        "kind: contract\nmodes: [a\n",
    ];
    let all: Vec<String> = texts
        .iter()
        .map(|text| format!("--- {text:?}\n{}", refusal(text)))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn invalid_utf8_and_cyclic_aliases_are_rejected() {
    for bytes in [
        &b"kind: contract\nmodes: [\xff]\n"[..],
        b"kind: contract\nmodes: &a [*a]\nclasses: {}\n",
    ] {
        assert!(
            Project::new()
                .file("c.yaml", bytes)
                .fsmsim(["run", "c.yaml"])
                .refuses("")
                .starts_with("error[")
        );
    }
}

/// Two classes match each utterance, and the backend can return any outcome.
const SMALL: &str = "\
kind: contract
modes: [chat]
frames:
  root: {carried: root, fields: {domain: text, size: number}}
  reply: {fields: {mode: [confirmed, unsupported]}}
answer: reply.mode
intents: {ask: {say: 'show (?P<domain>\\w+)'}}
classes:
  A: {owner: root, intent: ask, requires: nothing, carryover: none, sets: {root.domain: {said: domain}, root.size: {outcome: size}}, forbids: [], executes: root.domain, answers: confirmed}
  B: {owner: root, intent: ask, requires: nothing, carryover: full, sets: {}, forbids: [], answers: confirmed}
  C: {owner: root, intent: ask, requires: {frame: root, active: true}, carryover: full, sets: {}, forbids: [], answers: confirmed}
outcomes:
  rows: {}
  odd: {answer: unsupported}
";

fn play(turns: &str) -> Invocation {
    let scenario = format!("scenario: A\nmodel: c.yaml\nturns:\n{turns}");
    Project::new()
        .file("c.yaml", SMALL)
        .file("a.yaml", scenario)
        .fsmsim(["test", "a.yaml"])
}

#[test]
fn turn_that_matches_several_classes_takes_the_first() {
    play(
        "  - say: show boats
    outcome: {status: rows, size: 5}
    expect: {contract_class: A, frames: {root: {domain: boats, size: 5}}, events: [{event: class_refused, classes: [C]}, {event: class_ambiguous, taken: A, also: [B]}], violations: []}
  - say: show boats
    outcome: rows
    expect: {contract_class: A, carryover: {depth: none, kept: [root.domain, reply.mode], dropped: [root.size]}, events: [{event: class_ambiguous, taken: A, also: [B, C]}]}
",
    ).succeeds("");
}

#[test]
fn backend_outcomes_can_violate_the_contract() {
    insta::assert_snapshot!(
        play(
            "  - {say: show boats, outcome: rows, expect: {violations: []}}
  - {say: show boats, outcome: unheard_of}
  - {say: show boats, outcome: {status: rows, size: five}}
  - {say: show boats, outcome: odd}
  - {say: show boats, answers: [{need: execute, answer: {size: 5}}]}
  - {say: show boats}
",
        )
        .shown()
    );
}

#[test]
fn outcomes_of_the_wrong_type_are_rejected() {
    insta::assert_snapshot!(
        play(
            "  - {say: show boats, outcome: [rows]}
  - {say: show boats, outcome: {stats: rows}}
  - {say: show boats, outcome: {status: [rows]}}
  - {say: show boats, expect: {frames: {rot: null, root: {domian: null, not: x}}}}
"
        )
        .shown()
    );
}

#[test]
fn invalid_backends_are_rejected() {
    let project = Project::accounting()
        .file("empty.yaml", "")
        .file("broken.yaml", "answers: [{return: {status: rows}\n")
        .file(
            "wrong.yaml",
            "answers: [5, {rout: x, return: 5}, {return: {status: [x]}}, {when: x}, {return: {}}]\n",
        )
        .file("other.yaml", "answer: []\n");
    let runs = [
        "gone.yaml",
        "empty.yaml",
        "broken.yaml",
        "wrong.yaml",
        "other.yaml",
        "[x]",
    ]
    .map(|name| {
        let start = format!("{{backend: {name}}}");
        project
            .fsmsim(["run", "flows/accounting.yaml", "--start", &start])
            .stdin("x\n")
            .refuses("")
    });
    insta::assert_snapshot!(runs.join("\n"));
}

#[test]
fn backend_without_answers_counts_as_down() {
    let scenario = "scenario: A
model: flows/accounting.yaml
start: {backend: none.yaml}
turns:
  - say: Покажи остатки
    expect: {contract_class: T10, state: address_data, events: [{event: class_replaced, from: T1, to: T10, outcome: down}], frames: {root: null, answer_context: {answer_mode: unsupported}}, violations: []}
";
    let project = Project::accounting()
        .file("none.yaml", "answers: []\n")
        .file("a.yaml", scenario);
    project.fsmsim(["test", "a.yaml"]).succeeds("");
}

#[test]
fn frames_are_restored_with_a_session_and_cleared_on_reset() {
    let scenario = "scenario: A
model: flows/accounting.yaml
start: {backend: fixtures/backends/accounting.yaml}
turns:
  - say: Покажи остатки по ООО Ромашка на март 2020
  - {say: выбери позицию Болт М8, before: [{op: snapshot}]}
  - say: кто поставщик
    before: [{op: snapshot}, {op: snapshot}]
    expect: {contract_class: T4, carryover: {depth: full}, frames: {selected_object: {focus_object_ref: Болт М8}}}
  - say: по ней
    before: [{op: snapshot}]
    expect: {contract_class: T5, frames: {address_navigation: {route: кто поставщик}}}
  - say: по ней
    before: [{op: reset}]
    expect: {contract_class: NOTHING_BEFORE, state: chat, frames: {root: null, selected_object: null, answer_context: {answer_refs: null}}, violations: []}
";
    Project::accounting()
        .file("a.yaml", scenario)
        .fsmsim(["test", "a.yaml"])
        .succeeds("");
}

#[test]
fn long_utterances_and_control_characters_are_accepted() {
    let long = "по ней ".repeat(200_000);
    let turns = [
        format!(
            "{{\"say\":\"Покажи остатки по ООО {}\"}}",
            "Ы".repeat(500_000)
        ),
        format!("{{\"say\":\"{long}\"}}"),
        "{\"say\":\"выбери позицию \\u001b[31mБолт\\u0000\\u202e\"}".to_owned(),
        "{\"say\":\"\"}".to_owned(),
        "{\"say\":\"кто поставщик\",\"data\":{\"action\":{\"x\":[1]}}}".to_owned(),
    ];
    let line = format!(
        "{{\"id\":\"d\",\"start\":{{\"backend\":\"fixtures/backends/accounting.yaml\"}},\"turns\":[{}]}}\n",
        turns.join(",")
    );
    let stdout = Project::accounting()
        .fsmsim(["trace", "flows/accounting.yaml", "--turns", "-"])
        .stdin(&line)
        .succeeds("");
    let records = crate::support::turns(&stdout);
    let seen: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record["contract_class"].as_str().unwrap(),
                record["violations"].to_string(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("T1", "[]".to_owned()),
            ("NOTHING_BEFORE", "[]".to_owned()),
            ("T3", "[]".to_owned()),
            ("NOT_UNDERSTOOD", "[]".to_owned()),
            ("T10", "[]".to_owned()),
        ]
    );
    assert!(
        !stdout.contains(['\u{1b}', '\u{0}']),
        "control characters are escaped in a trace"
    );
}

#[test]
fn trace_of_ten_thousand_turns_completes() {
    // Each answer extends a list, so most turns refer to earlier answers instead of adding one.
    let says = [
        "выбери позицию Болт",
        "это много или мало",
        "по ней",
        "мы это обсуждали?",
    ];
    let say = |turn: usize| match turn % 100 {
        0 => "Покажи остатки по ООО Ромашка",
        1 => "выбери позицию Болт",
        2 => "кто поставщик",
        rest if rest > 90 => says[rest % says.len()],
        _ => "что из этого важнее",
    };
    let turns: Vec<String> = (0..10_000)
        .map(|turn| format!("{{\"say\":\"{}\"}}", say(turn)))
        .collect();
    let line = format!(
        "{{\"id\":\"d\",\"start\":{{\"backend\":\"fixtures/backends/accounting.yaml\"}},\"turns\":[{}]}}\n",
        turns.join(",")
    );
    let stdout = Project::accounting()
        .fsmsim(["trace", "flows/accounting.yaml", "--turns", "-"])
        .stdin(&line)
        .succeeds("");
    let records = crate::support::turns(&stdout);
    assert_eq!(records.len(), 10_000);
    let last = records.last().unwrap();
    assert_eq!(
        (&last["contract_class"], &last["turn"]),
        (&"T9".into(), &10_000.into())
    );
}

/// The trace of a dialogue in which all turns but two append an answer.
fn collecting(turns: usize) -> String {
    let ask = std::iter::repeat_n("{\"say\":\"кто поставщик\"}", turns - 2);
    let begin = [
        "{\"say\":\"Покажи остатки по ООО Ромашка\"}",
        "{\"say\":\"выбери позицию Болт\"}",
    ];
    let turns: Vec<&str> = begin.into_iter().chain(ask).collect();
    let start = "{\"backend\":\"fixtures/backends/accounting.yaml\"}";
    let line = format!(
        "{{\"id\":\"d\",\"start\":{start},\"turns\":[{}]}}\n",
        turns.join(",")
    );
    Project::accounting()
        .fsmsim(["trace", "flows/accounting.yaml", "--turns", "-"])
        .stdin(&line)
        .succeeds("")
}

#[test]
fn record_size_does_not_grow_with_the_dialogue() {
    let trace = collecting(3000);
    let lines: Vec<&str> = trace
        .lines()
        .filter(|line| line.starts_with("{\"turn\":"))
        .collect();
    let (early, late) = (lines[50].len(), lines[2999].len());
    assert!(late < early + 50, "{early} bytes, then {late}");
    let records = crate::support::turns(&trace);
    let list =
        |turn: usize| records[turn - 1]["frames"]["answer_context"]["answer_refs"].to_string();
    assert_eq!(list(1), r#"{"appended":["ответ-1"],"length":1}"#);
    assert_eq!(list(2), r#"{"appended":[],"length":1}"#);
    assert_eq!(list(3000), r#"{"appended":["ответ-3000"],"length":2999}"#);
    // Readers of the trace can still reconstruct the complete list.
    let project = Project::accounting().file("t.jsonl", &trace);
    for mode in ["structure", "replay"] {
        project
            .fsmsim([
                "verify",
                "t.jsonl",
                "--model",
                "flows/accounting.yaml",
                "--mode",
                mode,
            ])
            .succeeds("conforms");
    }
    project.fsmsim(["test", "t.jsonl"]).succeeds("1 passed");
}

#[test]
fn verify_finds_a_wrong_list_in_a_trace() {
    let trace = collecting(8);
    let project = Project::accounting();
    let found = |old: &str, new: &str, mode: &str| {
        assert!(trace.contains(old), "{old}");
        project.write("t.jsonl", trace.replacen(old, new, 1));
        project
            .fsmsim([
                "verify",
                "t.jsonl",
                "--model",
                "flows/accounting.yaml",
                "--mode",
                mode,
            ])
            .run()
    };
    // The length is larger than possible, so the content of the list is unknown and is not checked.
    let longer = (
        "\"appended\":[\"ответ-5\"],\"length\":4",
        "\"appended\":[\"ответ-5\"],\"length\":9",
    );
    assert_eq!(found(longer.0, longer.1, "structure").code, 0);
    let run = found(longer.0, longer.1, "replay");
    assert!(
        run.code == 1 && run.stdout.contains("turn 5: divergence in frames"),
        "{}",
        run.shown()
    );
    let other = ("\"appended\":[\"ответ-5\"]", "\"appended\":[\"ответ-7\"]");
    assert_eq!(found(other.0, other.1, "replay").code, 1);
    // The record reports an unchanged list, but the list grew.
    let kept = (
        "\"appended\":[\"ответ-5\"],\"length\":4",
        "\"appended\":[],\"length\":3",
    );
    let run = found(kept.0, kept.1, "structure");
    assert!(
        run.code == 1 && run.stdout.contains("illegal_carryover"),
        "{}",
        run.shown()
    );
    for malformed in [
        "{\"appended\":7,\"length\":4}",
        "{\"appended\":[],\"length\":-1}",
        "{}",
    ] {
        let run = found(
            "{\"appended\":[\"ответ-5\"],\"length\":4}",
            malformed,
            "structure",
        );
        assert_eq!(run.code, 1, "{malformed} {}", run.shown());
    }
}

#[test]
fn scenarios_compare_the_complete_list() {
    let project = Project::accounting();
    let turns = "- {say: Покажи остатки по ООО Ромашка, expect: {contract_class: T1}}
- {say: выбери позицию Болт}
- {say: кто поставщик, expect: {frames: {answer_context: {answer_refs: [ответ-1, ответ-3]}}}}
- {say: кто поставщик, expect: {frames: {answer_context: {answer_refs: {contains: [ответ-1, ответ-4]}}}}}
";
    let start = "start: {backend: fixtures/backends/accounting.yaml}";
    project.write(
        "a.yaml",
        format!("scenario: A\nmodel: flows/accounting.yaml\n{start}\nturns:\n{turns}"),
    );
    project.fsmsim(["test", "a.yaml"]).succeeds("1 passed");
    project.write(
        "a.yaml",
        project
            .read("a.yaml")
            .replace("[ответ-1, ответ-3]", "[ответ-3]"),
    );
    project
        .fsmsim(["test", "a.yaml"])
        .fails(1, "frames.answer_context.answer_refs", "");
}
