//! Slot declarations: spurious and wrong values from a recognizer never become data.

use serde_json::json;

use crate::support::{Project, turns};

const MODEL: &str = "\
flow: {name: shop, entry_points: {default: hall}}
slots:
  size: {type: integer, at_least: 1, at_most: 100, description: How many}
  colour: {values: [Red, Green]}
  day: {type: text, format: date}
  gift: {type: boolean}
  extras: {type: list, values: [bow, card]}
  weight: {type: number}
  remark: {type: text}
states:
  hall: {optional_data: [free], transitions: {order: desk}}
  desk: {is_final: true}
intents: {order: {description: Orders something}}
";

fn traced(answer: &str) -> serde_json::Value {
    let scenario = "scenario: A\nmodel: shop.yaml\nllm: mock.yaml\nturns: [{say: so}]\n";
    let mock = format!("rules: [{{answer: {{intent: order, data: {answer}}}}}]\n");
    let project = Project::new()
        .file("shop.yaml", MODEL)
        .file("a.yaml", scenario)
        .file("mock.yaml", mock);
    turns(&project.fsmsim(["trace", "a.yaml"]).succeeds("")).remove(0)
}

#[test]
fn equivalent_values_are_normalized() {
    let said = "{size: '50', colour: green, day: '2026-01-31', gift: 'true', extras: bow, weight: '0.5', remark: 7, free: [1]}";
    let turn = traced(said);
    let data = json!({
        "free": [1], "size": 50, "colour": "Green", "day": "2026-01-31", "gift": true, "extras": ["bow"], "weight": 0.5,
        "remark": "7",
    });
    assert_eq!((&turn["data"], &turn["violations"]), (&data, &json!([])));
}

#[test]
fn spurious_and_wrong_values_are_recorded_as_faults() {
    let turn = traced(
        "{size: many, colour: blue, day: tomorrow, gift: perhaps, extras: [bow, ship], weight: [1], whim: 3, free: x}",
    );
    assert_eq!(turn["data"], json!({"free": "x"}));
    assert_eq!(turn["state"]["to"], "desk");
    let wrong = |slot: &str, value: serde_json::Value| json!({"fault": "wrong_value", "slot": slot, "value": value});
    assert_eq!(
        turn["violations"],
        json!([
            {"fault": "unknown_slot", "slot": "whim", "value": 3},
            wrong("size", json!("many")), wrong("colour", json!("blue")), wrong("day", json!("tomorrow")),
            wrong("gift", json!("perhaps")), wrong("extras", json!(["bow", "ship"])), wrong("weight", json!([1])),
        ])
    );
    assert_eq!(
        traced("{size: 0}")["violations"],
        json!([wrong("size", json!(0))])
    );
    // The record contains the original answer.
    assert_eq!(turn["answers"][0]["answer"]["data"]["whim"], 3);
}

#[test]
fn wrong_value_is_an_error_in_scenarios_and_a_fault_in_turns() {
    let scenario = "scenario: A\nmodel: shop.yaml\nstart: {data: {gift: maybe}}\nturns:\n  - {intent: order, data: {size: many, colour: red}}\n  - {before: [{op: set_data, data: {day: '31.01.2026'}}], intent: order}\n";
    let project = Project::new()
        .file("shop.yaml", MODEL)
        .file("scenarios/a.yaml", scenario);
    insta::assert_snapshot!(project.fsmsim(["test"]).fails(2, "", "").stderr);
    let line = "{\"id\":\"d\",\"turns\":[{\"intent\":\"order\",\"data\":{\"size\":\"many\",\"colour\":\"red\",\"whim\":1}}]}\n";
    project.write("t.jsonl", line);
    let turn = turns(
        &project
            .fsmsim(["trace", "shop.yaml", "--turns", "t.jsonl"])
            .succeeds(""),
    )
    .remove(0);
    assert_eq!(turn["data"], json!({"colour": "Red", "whim": 1}));
    assert_eq!(
        turn["violations"],
        json!([{"fault": "wrong_value", "slot": "size", "value": "many"}])
    );
    let typed = project
        .fsmsim(["run", "shop.yaml"])
        .stdin("order size=many\norder size='7'\n")
        .run();
    assert!(
        typed
            .shown()
            .contains("expected a whole number from 1 to 100 for `size`, found \"many\""),
        "{}",
        typed.shown()
    );
}

const PHRASES: &str = "\
flow: {name: shop, entry_points: {default: hall}}
slots:
  size: {type: integer, at_most: 100}
  colour: {values: [red, dark green]}
  day: {format: DD.MM.YYYY}
  who: {format: name}
states:
  hall: {transitions: {inform: hall}}
intents:
  inform:
    description: Says something
    say: ['we are (?P<size>.+)', 'paint it (?P<colour>.+)', 'born (?P<day>.+)', 'call for (?P<who>.+)']
";

#[test]
fn groups_of_phrases_are_read_as_values_of_their_slots() {
    let says = [
        ("we are twenty-five", "size", json!(25)),
        ("We are 60", "size", json!(60)),
        ("paint it dark grean, please", "colour", json!("dark green")),
        ("born on 5 May 1978", "day", json!("05.05.1978")),
        ("born 31.12.1999", "day", json!("31.12.1999")),
        ("call for Ann Lee", "who", json!("Ann Lee")),
    ];
    let turns_of = |says: &[&str]| {
        let lines: String = says
            .iter()
            .map(|say| format!("  - {{say: \"{say}\"}}\n"))
            .collect();
        let project = Project::new().file("shop.yaml", PHRASES).file(
            "a.yaml",
            format!("scenario: A\nmodel: shop.yaml\nturns:\n{lines}"),
        );
        turns(&project.fsmsim(["trace", "a.yaml"]).succeeds(""))
    };
    for (say, slot, value) in says {
        let turn = turns_of(&[say]).remove(0);
        assert_eq!(turn["data"], json!({ slot: value }), "{say}");
        assert_eq!(turn["violations"], json!([]), "{say}");
    }
    // Nothing is invented: a group without exactly one value is a wrong value.
    for (say, slot, text) in [
        ("we are many", "size", "many"),
        ("we are 40 here, 30 there", "size", "40 here, 30 there"),
        ("we are 500", "size", "500"),
        ("born 3/4/1999", "day", "3/4/1999"),
        ("born tomorrow", "day", "tomorrow"),
    ] {
        let turn = turns_of(&[say]).remove(0);
        assert_eq!(turn["data"], json!({}), "{say}");
        let wrong = json!([{"fault": "wrong_value", "slot": slot, "value": text}]);
        assert_eq!(turn["violations"], wrong, "{say}");
    }
}

const TYPED: &str = "\
flow: {name: shop, entry_points: {default: hall}}
slots:
  size: {type: integer, description: The number of people}
  mail: {format: email}
states:
  hall: {required_data: [size], transitions: {data_complete: desk}}
  desk: {is_final: true}
intents:
  inform: {description: Answers, examples: [We are ten people, There are five of us, There are twenty people here]}
  complain: {description: Complains, examples: [That is awful, I want my money back, Nothing works]}
";

#[test]
fn examples_fill_slots_and_never_invent_values() {
    let turn = |say: &str| {
        let project = Project::new().file("shop.yaml", TYPED).file(
            "a.yaml",
            format!("scenario: A\nmodel: shop.yaml\nturns: [{{say: \"{say}\"}}]\n"),
        );
        turns(&project.fsmsim(["trace", "a.yaml"]).succeeds("")).remove(0)
    };
    let read = turn("There are fifty-seven of us, write to ann@example.com");
    assert_eq!(read["data"], json!({"size": 57, "mail": "ann@example.com"}));
    assert_eq!(read["state"]["to"], "desk");
    let answer = &read["answers"][0]["answer"];
    assert_eq!(
        answer["from"],
        json!({"size": "fifty-seven", "mail": "ann@example.com"})
    );
    for say in [
        "There are 40 people in one office and 30 people in another",
        "There are several of us",
        "We are a company of 3 branches",
        "There are people here for 5 years",
    ] {
        let read = turn(say);
        assert_eq!(read["data"], json!({}), "{say}");
        assert_eq!(read["state"]["to"], "hall", "{say}");
    }
}

#[test]
fn invalid_declarations_are_reported_with_their_location() {
    let model = "\
flow: {name: shop, entry_points: {default: hall}}
slots:
  a: {type: integr}
  b: {type: text, format: dat}
  c: {type: text, at_least: 1}
  d: {type: integer, values: [1, two]}
  e: {values: []}
  f: {type: number, at_least: 5, at_most: 1}
  g: {type: boolean, initial: perhaps}
  h: {typ: text}
  i: {values: {small: 1}}
  j: {type: integer, format: date}
  k: {at_least: .nan, at_most: .inf}
  l: {values: [small, large, Small, small]}
  m: {values: [1, 2, 1]}
  n: {description: 5}
states:
  hall: {transitions: {order: hall}}
intents: {order: {description: Orders, confused_with: {ordr: is no order}}}
";
    insta::assert_snapshot!(
        Project::new()
            .file("f.yaml", model)
            .fsmsim(["lint", "f.yaml"])
            .run()
            .stderr
    );
}
