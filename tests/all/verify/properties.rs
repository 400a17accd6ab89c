//! Properties of several turns: `leads_to` and `reachable`.

use std::fmt::Write as _;

use serde_json::json;

use crate::support::{Invocation, Project};

const SHOP: &str = "\
flow: {name: shop, entry_points: {default: talk}}
slots: {order: {}, paid: {}}
states:
  talk: {transitions: {complain: angry, buy: sold, bye: over}}
  angry: {transitions: {answer: talk, bye: over}}
  sold: {transitions: {bye: over}}
  over: {is_final: true, transitions: {timeout: talk}}
";
const ANSWERED: &str = "properties:\n  a_complaint_is_answered: {after: {state: angry}, leads_to: {intent: answer}, within: 2}\n";
const PAID: &str =
    "properties:\n  an_order_is_paid: {after: {slot: order}, leads_to: {slot: paid}}\n";
const SOLD: &str = "properties:\n  a_sale_can_be_closed: {reachable: {state: sold}}\n";

/// A project with a model and a trace of dialogues with these turns.
fn played(model: &str, dialogues: &[&str]) -> Project {
    let lines = (1..)
        .zip(dialogues)
        .map(|(number, turns)| format!("{{\"id\": \"d{number}\", \"turns\": [{turns}]}}\n"));
    let project = Project::new()
        .file("shop.yaml", model)
        .file("turns.jsonl", lines.collect::<String>());
    let trace = project
        .fsmsim(["trace", "shop.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    project.file("t.jsonl", trace)
}

fn verify(project: &Project, mode: &str) -> Invocation {
    project.fsmsim(["verify", "t.jsonl", "--model", "shop.yaml", "--mode", mode])
}

/// Checks the output of `verify` in both modes, which differs only in the name of the mode.
fn check(project: &Project, code: i32, expected: &str) {
    for mode in ["structure", "replay"] {
        let run = verify(project, mode).run();
        assert_eq!(
            (run.code, &*run.stdout, &*run.stderr),
            (code, &*expected.replace("MODE", mode), ""),
            "{mode}"
        );
    }
}

const COMPLAIN: &str = r#"{"intent": "complain"}"#;
const ANSWER: &str = r#"{"intent": "answer"}"#;
const WAIT: &str = r#"{"intent": "wait"}"#;
const ORDER: &str = r#"{"intent": "order", "data": {"order": "tea"}}"#;
const PAY: &str = r#"{"intent": "pay", "data": {"paid": true}}"#;
const BYE: &str = r#"{"intent": "bye"}"#;

fn turns(turns: &[&str]) -> String {
    turns.join(", ")
}

#[test]
fn missed_deadline_of_leads_to_is_a_violation() {
    let model = format!("{SHOP}{ANSWERED}");
    let in_time = turns(&[COMPLAIN, WAIT, ANSWER, WAIT, COMPLAIN, ANSWER]);
    check(
        &played(&model, &[&in_time]),
        0,
        "1 dialogue, 6 turns: conforms to shop.yaml (MODE)\n",
    );
    // Reported once per obligation.
    let late = turns(&[
        WAIT, COMPLAIN, WAIT, WAIT, WAIT, ANSWER, COMPLAIN, WAIT, WAIT,
    ]);
    check(
        &played(&model, &[&in_time, &late]),
        1,
        "broken_property  2

d2, turn 4: broken_property  (t.jsonl:13)
  trace  `a_complaint_is_answered` has been pending since turn 2
  model  the condition of `leads_to` holds within 2 turns  (shop.yaml:9)

d2, turn 9: broken_property  (t.jsonl:18)
  trace  `a_complaint_is_answered` has been pending since turn 7
  model  the condition of `leads_to` holds within 2 turns  (shop.yaml:9)

1 of 2 dialogues, 15 turns: violates shop.yaml (MODE)
",
    );
}

#[test]
fn pending_obligation_at_the_end_is_a_violation() {
    let model = format!("{SHOP}{PAID}");
    let unpaid = turns(&[ORDER, WAIT, BYE]);
    check(
        &played(&model, &[&unpaid]),
        1,
        "broken_property  1

d1, turn 3: broken_property  (t.jsonl:4)
  trace  `an_order_is_paid` has been pending since turn 1
  model  the condition of `leads_to` holds before the dialogue ends  (shop.yaml:9)

1 of 1 dialogue, 3 turns: violates shop.yaml (MODE)
",
    );
    // A deadline that passes in the final turn is reported once.
    let late = played(
        &format!("{SHOP}{ANSWERED}"),
        &[&turns(&[COMPLAIN, WAIT, BYE])],
    );
    verify(&late, "structure").fails(1, "broken_property  1\n\nd1, turn 3: ", "");
    // An event can reopen a dialogue that has ended.
    let reopened = turns(&[ORDER, BYE, r#"{"timeout": true}"#, PAY, BYE]);
    let in_one_turn = r#"{"intent": "order", "data": {"order": "tea", "paid": true}}"#;
    let conforms = "2 dialogues, 6 turns: conform to shop.yaml (MODE)\n";
    check(&played(&model, &[&reopened, in_one_turn]), 0, conforms);
}

#[test]
fn truncated_dialogue_leaves_its_obligation_pending() {
    let project = played(
        &format!("{SHOP}{PAID}"),
        &[&turns(&[ORDER, WAIT]), ORDER, &turns(&[ORDER, PAY])],
    );
    check(
        &project,
        0,
        "3 dialogues, 5 turns: conform to shop.yaml (MODE); pending: `an_order_is_paid` in 2 dialogues\n",
    );
    let run = verify(&project, "structure")
        .args(["--format", "json"])
        .succeeds("\"conforms\": true,");
    let report: serde_json::Value = serde_json::from_str(&run).unwrap();
    assert_eq!(
        report["pending"],
        serde_json::json!({"an_order_is_paid": 2}),
        "{run}"
    );
    assert_eq!(report["not_checked"], serde_json::json!({}), "{run}");
}

#[test]
fn reachable_needs_one_matching_turn_of_any_dialogue() {
    let model = format!("{SHOP}{SOLD}");
    check(
        &played(&model, &[WAIT, &turns(&[COMPLAIN, BYE])]),
        1,
        "broken_property  1

all dialogues: broken_property  (t.jsonl)
  trace  `a_sale_can_be_closed` holds in no turn of 2 dialogues
  model  it holds in at least one turn  (shop.yaml:9)

2 dialogues, 3 turns: violate shop.yaml (MODE)
",
    );
    let project = played(&model, &[WAIT]);
    let run =
        verify(&project, "replay")
            .args(["--format", "json"])
            .fails(1, "\"conforms\": false,", "");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let finding = serde_json::json!({
        "dialogue": null, "turn": null, "file": "t.jsonl", "line": null, "rule": "broken_property", "field": null,
        "found": "`a_sale_can_be_closed` holds in no turn of 1 dialogue", "model": "it holds in at least one turn",
        "place": "shop.yaml:9", "also": [], "not_compared": 0,
    });
    assert_eq!(report["first"], serde_json::json!([finding]));
    let sold = played(&model, &[WAIT, r#"{"intent": "buy"}"#, WAIT]);
    check(
        &sold,
        0,
        "3 dialogues, 3 turns: conform to shop.yaml (MODE)\n",
    );
}

#[test]
fn properties_without_data_are_reported_as_not_checked() {
    let properties = "\
properties:
  somebody_waits_long: {reachable: {turn: {at_least: 3}}}
  a_second_turn_is_answered: {after: {turn: {at_least: 2}}, leads_to: {intent: answer}}
  nobody_promises: {never: {reply: {contains: guarantee}}}
";
    let project = played(
        &format!("{SHOP}{properties}"),
        &[&turns(&[WAIT, ANSWER]), &turns(&[WAIT, WAIT, BYE])],
    );
    verify(&project, "structure").ends(
        0,
        "2 dialogues, 5 turns: conform to shop.yaml (structure); not checked: `somebody_waits_long` in 5 \
         turns, `a_second_turn_is_answered` in 4 turns, `nobody_promises` in 5 turns\n",
        "",
    );
    // A replay knows all values.
    verify(&project, "replay").fails(
        1,
        "broken_property  1

d2, turn 3: broken_property  (t.jsonl:8)
  trace  `a_second_turn_is_answered` has been pending since turn 2
  model  the condition of `leads_to` holds before the dialogue ends  (shop.yaml:10)

1 of 2 dialogues, 5 turns: violates shop.yaml (replay)
",
        "",
    );
}

#[test]
fn trace_of_states_is_checked_for_properties_of_states() {
    let properties = "\
properties:
  complaints_calm_down: {after: {state: angry}, leads_to: {state: talk}, within: 1}
  a_sale_can_be_closed: {reachable: {state: sold}}
  somebody_orders: {reachable: {slot: order}}
  nothing_costs_nothing: {never: {and: [{state: sold}, {not: {slot: order}}]}}
  the_end_is_the_end: {never: {and: [{from: over}, {not: {state: over}}]}}
";
    let line = |id: &str, states: &[&str]| {
        let turns: Vec<_> = states
            .iter()
            .map(|state| json!({"st": state, "in": {}}))
            .collect();
        json!({"id": id, "turns": turns}).to_string()
    };
    let trace = [
        line("a", &["talk", "angry", "talk", "over"]),
        line("b", &["angry", "angry", "over"]),
    ]
    .join("\n");
    let map = "dialogue: id\nturns: turns\nturn: {state: st, input: in}\n";
    let project = Project::new()
        .file("shop.yaml", format!("{SHOP}{properties}"))
        .file("t.jsonl", trace)
        .file("m.yaml", map);
    verify(&project, "structure")
        .args(["--map", "m.yaml"])
        .fails(
            1,
            "broken_property  2

b, turn 2: broken_property  (t.jsonl:2)
  trace  `complaints_calm_down` has been pending since turn 1
  model  the condition of `leads_to` holds within 1 turn  (shop.yaml:9)

all dialogues: broken_property  (t.jsonl)
  trace  `a_sale_can_be_closed` holds in no turn of 2 dialogues
  model  it holds in at least one turn  (shop.yaml:10)

1 of 2 dialogues, 7 turns: violates shop.yaml (structure); not checked: `somebody_orders` in 7 turns
",
            "",
        );
}

#[test]
fn properties_of_skipped_turns_are_not_checked() {
    let properties = "\
properties:
  a_sale_can_be_closed: {reachable: {state: sold}}
  an_order_is_paid: {after: {slot: order}, leads_to: {slot: paid}}
";
    let project = played(
        &format!("{SHOP}{properties}"),
        &[&turns(&[ORDER, WAIT, WAIT, BYE]), WAIT],
    );
    let trace = project.read("t.jsonl");
    project.write(
        "t.jsonl",
        trace.replacen(
            "\"turn\":2,\"turn_number\":2",
            "\"turn\":2,\"turn_number\":9",
            1,
        ),
    );
    let run = verify(&project, "replay")
        .fails(1, "turn_number  1\n", "")
        .stdout;
    let summary = "\n1 of 2 dialogues, 5 turns: diverges from shop.yaml (replay); 2 turns not compared; \
                   not checked: `a_sale_can_be_closed` in 3 turns, `an_order_is_paid` in 3 turns\n";
    assert!(run.ends_with(summary), "{run}");
    // An invalid dialogue might contain a matching turn.
    let project = played(&format!("{SHOP}{SOLD}"), &[WAIT, WAIT]);
    let trace = project
        .read("t.jsonl")
        .replacen("\"documented\"", "\"nobody\"", 1);
    project.write("t.jsonl", trace);
    let run = verify(&project, "structure").fails(2, "", "").stdout;
    let summary = "1 dialogue, 1 turn: conforms to shop.yaml (structure); not checked: \
                   `a_sale_can_be_closed`; 1 input error\n";
    assert_eq!(run, summary);
}

#[test]
fn state_set_and_contract_support_properties() {
    let contract = "\
kind: contract
initial: init
modes: [init]
frames: {topic: {carried: root, fields: {name: text, told: flag}}}
intents: {ask: {say: what}, name: {say: tea}}
classes:
  Q: {owner: topic, intent: [ask], requires: nothing, carryover: full, sets: {}, forbids: [], answers: []}
  N: {owner: topic, intent: [name], requires: nothing, carryover: full, sets: {topic.name: tea}, forbids: [], answers: []}
properties:
  a_topic_comes_up: {after: {intent: ask}, leads_to: {frame: topic, active: true}, within: 1}
  something_is_told: {reachable: {slot: topic.told}}
";
    let project = Project::new()
        .file("tea/states/init.md", "# State: init\n\n## Transitions\n\n- thirsty → `brew`\n")
        .file("tea/states/brew.md", "# State: brew\n\n## Transitions\n\n- empty → `init`\n- sour → `away`\n")
        .file("tea/states/away.md", "---\nfinal: true\n---\n\n# State: away\n")
        .file(
            "tea/contract.yaml",
            "properties:\n  tea_ends: {after: {state: brew}, leads_to: {state: init}, within: 1}\n  \
             tea_is_thrown_away: {reachable: {state: away}}\n",
        )
        .file("c.yaml", contract)
        .file("tea.jsonl", "{\"id\": \"t\", \"turns\": [{\"say\": \"Hi\", \"goto\": \"brew\"}, {\"say\": \"More\", \"reply\": \"So\"}]}\n")
        .file(
            "c.jsonl",
            "{\"id\": \"c\", \"turns\": [{\"say\": \"what\"}, {\"say\": \"what\"}, {\"say\": \"tea\"}]}\n",
        );
    let verified = |model: &str, turns: &str| {
        let trace = project
            .fsmsim(["trace", model, "--turns", turns])
            .succeeds("");
        project.write("t.jsonl", trace);
        let modes = ["structure", "replay"];
        modes
            .map(|mode| {
                project
                    .fsmsim(["verify", "t.jsonl", "--model", model, "--mode", mode])
                    .shown()
            })
            .join("\n")
    };
    insta::assert_snapshot!(
        [verified("tea", "tea.jsonl"), verified("c.yaml", "c.jsonl")].join("\n")
    );
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let properties = "\
properties:
  a_complaint_is_answered: {after: {state: angry}, leads_to: {intent: answer}, within: 2}
  an_order_is_paid: {after: {slot: order}, leads_to: {slot: paid}}
  a_sale_can_be_closed: {reachable: {state: sold}}
  somebody_waits: {reachable: {intent: wait}}
intents: {wait: {description: To wait}}
";
    let kinds = [COMPLAIN, WAIT, ANSWER, ORDER, WAIT, BYE, PAY];
    // An arbitrary but deterministic mixture.
    let mixed = |number: usize| {
        let turns = (0..=number % 9)
            .map(|turn| kinds[(number * 31 + turn * (number % 5 + 1)) % kinds.len()]);
        turns.collect::<Vec<_>>().join(", ")
    };
    let dialogues: Vec<String> = (0..600).map(mixed).collect();
    let dialogues: Vec<&str> = dialogues.iter().map(String::as_str).collect();
    let project = played(&format!("{SHOP}{properties}"), &dialogues);
    for (mode, format) in [
        ("structure", "text"),
        ("structure", "json"),
        ("replay", "text"),
        ("replay", "json"),
    ] {
        let run = |jobs: &str| {
            let run =
                verify(&project, mode).args(["--format", format, "--limit", "9999", "-j", jobs]);
            run.fails(1, "", "").stdout
        };
        let alone = run("1");
        let mut counted = String::new();
        for what in [
            "within 2 turns",
            "before the dialogue ends",
            "no turn of 600 dialogues",
        ] {
            write!(counted, "{} ", alone.matches(what).count()).unwrap();
        }
        assert!(
            counted.ends_with(" 1 ") && !counted.starts_with("0 ") && !counted.contains(" 0 "),
            "{counted}"
        );
        for jobs in ["2", "3", "7"] {
            assert!(run(jobs) == alone, "{mode} {format} -j {jobs}");
        }
    }
}

#[test]
fn properties_of_several_turns_do_not_fail_a_scenario() {
    let scenario = "scenario: S\nmodel: ./shop.yaml\nturns:\n  - {intent: complain}\n  - {intent: bye, expect: {state: over}}\n";
    let properties = format!(
        "{ANSWERED}{}{}",
        PAID.replace("properties:\n", ""),
        SOLD.replace("properties:\n", "")
    );
    let project = Project::new()
        .file("shop.yaml", format!("{SHOP}{properties}"))
        .file("s.yaml", scenario);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
}

#[test]
fn invalid_properties_are_reported_with_their_location() {
    let properties = "\
properties:
  a: {after: {slot: order}, lead_to: {slot: paid}}
  b: {leads_to: {slot: paid}, within: 2}
  c: {after: {slot: order}, leads_to: {slot: paid}, within: 0}
  d: {after: {slot: order}, leads_to: {slot: paid}, within: -3}
  e: {after: {slot: order}, leads_to: {slot: paid}, within: soon}
  f: {after: {slot: order}, leads_to: {slot: paid}, within: 5000000000}
  g: {reachable: {state: sold}, within: 3}
  h: {reachable: {state: sold}, never: {state: over}}
  i: {always: {slot: paid}, after: {slot: order}}
  j: {after: {slot: order}, leads_to: nonsense}
  k: {after: {form: order}, leads_to: {slot: paid}}
  l: {reachable: {state: slod}}
  m: {after: [], leads_to: , within: ~}
  n: [leads_to]
";
    let project = Project::new().file("shop.yaml", format!("{SHOP}{properties}"));
    insta::assert_snapshot!(
        project
            .fsmsim(["lint", "shop.yaml"])
            .fails(1, "", "")
            .stderr
    );
}
