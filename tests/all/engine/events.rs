//! Events: inputs of a dialogue other than utterances of the user.

use crate::support::Project;

const ORDER: &str = "\
flow: {name: order, entry_points: {default: start}}
events: [paid]
slots: {sum: {}, minutes: {}}
conditions:
  happens: {expression: {category: event}}
  long_ago: {expression: {said: minutes, at_least: 30}}
states:
  start:
    transitions:
      open: {then: waiting, sets: {channel: {said: channel}}}
  waiting:
    optional_data: [sum]
    rules:
      tick: [{when: long_ago, then: remind}, stay_quiet]
      observe: note_it
      hello: [{when: happens, then: never}, greet]
    transitions:
      tick: [{when: long_ago, then: asleep}]
      paid: done
      approve: done
  asleep: {is_final: true, transitions: {timeout: gone, edit: waiting, hello: waiting}}
  done: {is_final: true}
  gone: {is_final: true}
";

const TURNS: &str = "\
scenario: An order
model: ./order.yaml
start: {foreign: [sum]}
turns:
  - {open: {channel: phone}, at: '2026-01-31T18:00:00Z', expect: {state: waiting, data: {channel: phone}}}
  - {intent: hello, say: Hello, expect: {action: greet}}
  - {tick: {minutes: 5}, expect: {state: waiting, action: stay_quiet}}
  - {observe: true, expect: {action: note_it}}
  - {tick: {minutes: 45}, expect: {state: asleep, action: remind, class: finish}}
  - {intent: hello, expect: {state: asleep}}
  - {edit: true, at: '2026-01-31T19:00:00+03:00', expect: {state: waiting, final: false}}
  - {event: paid, data: {sum: 5}, expect: {state: done, data: {sum: 5}}}
  - {approve: true, expect: {state: done}}
  - {before: [{op: set_state, state: asleep}], timeout: true, expect: {state: gone}}
";

fn order() -> Project {
    Project::new()
        .file("order.yaml", ORDER)
        .file("s.yaml", TURNS)
}

#[test]
fn events_trigger_transitions_even_from_final_states() {
    order()
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 10 turns\n");
}

#[test]
fn events_keep_their_notation_in_a_trace() {
    let project = order();
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    let inputs: Vec<String> = trace
        .lines()
        .filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line.get("input").map(ToString::to_string)
        })
        .collect();
    insta::assert_snapshot!(inputs.join("\n"));
    project.write("t.jsonl", &trace);
    for mode in ["structure", "replay"] {
        let verified = project
            .fsmsim(["verify", "t.jsonl", "--model", "order.yaml", "--mode", mode])
            .run();
        assert_eq!(
            (verified.code, &*verified.stderr),
            (0, ""),
            "{}",
            verified.stdout
        );
    }
    let left = trace.replace(
        "\"input\":{\"edit\":true,\"at\":\"2026-01-31T19:00:00+03:00\"}",
        "\"input\":{\"intent\":\"hello\"}",
    );
    assert_ne!(left, trace);
    project.write("t.jsonl", left);
    let found = project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "order.yaml",
            "--mode",
            "structure",
        ])
        .run();
    assert!(
        found.stdout.contains("left_final_state"),
        "{}",
        found.stdout
    );
    project
        .fsmsim(["lint", "order.yaml"])
        .succeeds("1 model: no errors, no warnings\n");
}

#[test]
fn invalid_events_are_reported() {
    let turns = "\
scenario: Wrong
model: ./order.yaml
turns:
  - {event: payed}
  - {tick: 5}
  - {tick: true, observe: true}
  - {intent: hello, open: true}
  - {at: yesterday, open: true}
";
    let project = order().file("s.yaml", turns);
    insta::assert_snapshot!(project.fsmsim(["test", "s.yaml"]).run().stderr);
    project.write("order.yaml", ORDER.replace("      observe: note_it\n", ""));
    project.write(
        "s.yaml",
        "scenario: Unknown\nmodel: ./order.yaml\nturns: [{observe: true}]\n",
    );
    insta::assert_snapshot!(project.fsmsim(["test", "s.yaml"]).run().stderr);
}

#[test]
fn utterances_are_never_recognized_as_events() {
    let intents = "intents: {tick: {examples: [knock knock]}, hello: {examples: [good morning]}}\n";
    let scenario = "scenario: Said\nmodel: ./order.yaml\nstart: {state: waiting}\nturns:\n";
    let project = order()
        .file("order.yaml", format!("{ORDER}{intents}"))
        .file(
            "s.yaml",
            format!("{scenario}  - {{say: Good morning, expect: {{action: greet}}}}\n"),
        );
    project
        .fsmsim(["test", "s.yaml", "--llm", "examples"])
        .succeeds("1 passed in 1 turn");
    project.write("s.yaml", format!("{scenario}  - {{say: Knock knock}}\n"));
    let run = project
        .fsmsim(["test", "s.yaml", "--llm", "examples"])
        .run();
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
}
