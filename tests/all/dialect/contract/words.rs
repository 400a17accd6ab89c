//! Features of contracts that need several turns: fallback classes, counters that are reset, and gates of a route
//! before it is executed.

use crate::support::Project;

const DESK: &str = "\
kind: contract
contract: {name: desk}
modes: [chat, list, over]
counters: {asked: {limit: 2}}
slots: {guest.rank: {initial: plain}}
frames:
  guest: {carried: root, fields: {name: text, rank: [plain, known]}}
  book: {carried: object, fields: {title: text}}
  route: {fields: {name: text}}
intents:
  take: {say: 'take (?P<title>\\w+)'}
  who: {say: 'who (?P<name>\\w+)'}
  whose: {say: 'who wrote'}
  again: {say: 'again'}
  timeout: {}
conditions:
  is_known: {or: [{not: {payload: route, is: shelf}}, {payload: data.guest.rank, is: known}]}
effects:
  execute: {gates: [{when: is_known, or: stranger, says: who are you}]}
classes:
  WHO:
    {owner: guest, intent: who, when: {said: name, is: ann}, requires: nothing, carryover: full, forbids: [], answers: [], mode: chat,
     sets: {guest.name: {said: name}, guest.rank: known}, counts: {asked: {to: 0}}}
  TAKE:
    {owner: book, intent: take, when: {counter: asked, less_than: {limit: asked}}, requires: nothing, carryover: full, forbids: [], answers: [], mode: list,
     sets: {route.name: shelf, book.title: {said: title}}, executes: route.name, counts: {asked: 1}}
  FULL:
    {owner: book, intent: take, when: {counter: asked, at_least: {limit: asked}}, requires: nothing, carryover: full, forbids: [], answers: [], sets: {}}
  WRITER:
    {owner: book, intent: whose, requires: {frame: book.title, filled: true}, carryover: full, forbids: [], answers: [], mode: chat, sets: {}}
  LATE:
    {owner: guest, intent: timeout, requires: nothing, carryover: full, forbids: [], answers: [], mode: over, sets: {guest.name: $reading}}
  REST:
    {owner: guest, fallback: true, requires: nothing, carryover: full, forbids: [], answers: [], sets: {}, action: ask}
outcomes:
  rows: {}
  stranger: {mode: chat, counts: {asked: {to: 1, when: {counter: asked, more_than: 1}}}}
";

const TURNS: &str = "\
scenario: Desk
model: ./desk.yaml
turns:
  - {say: take dune, expect: {contract_class: TAKE, state: chat, effects: [{verdict: denied, why: who are you}], counters: {asked: 1}}}
  - {say: take dune, expect: {contract_class: TAKE, counters: {asked: 1}}}
  - {say: who ann, expect: {contract_class: WHO, counters: {asked: 0}}}
  - {say: take dune, outcome: rows, expect: {contract_class: TAKE, state: list, effects: [{verdict: allowed}], counters: {asked: 1}}}
  - {say: take emma, outcome: rows, expect: {contract_class: TAKE, counters: {asked: 2}}}
  - {say: take ulysses, expect: {contract_class: FULL, effects: [], events: [], counters: {asked: 2}}}
  - {say: who wrote it, expect: {contract_class: WRITER, events: []}}
  - {say: again, expect: {contract_class: REST, action: ask, events: []}}
  - {timeout: {minutes: 5}, expect: {contract_class: LATE, state: over, frames: {guest: {name: timeout, rank: known}}}}
";

fn desk() -> Project {
    Project::new().file("desk.yaml", DESK).file("s.yaml", TURNS)
}

#[test]
fn fallback_class_and_counter_reset_work() {
    desk()
        .fsmsim(["lint", "--deny-warnings", "desk.yaml"])
        .succeeds("");
    desk()
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 9 turns\n");
    let early = "scenario: A\nmodel: ./desk.yaml\nturns:\n  - {say: who wrote it, expect: {contract_class: REST}}\n";
    Project::new()
        .file("desk.yaml", DESK)
        .file("s.yaml", early)
        .fsmsim(["test", "s.yaml"])
        .succeeds("");
}

#[test]
fn verify_checks_counters_events_and_initial_values() {
    let project = desk();
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    let verify = |trace: &str, code: i32, expected: &str| {
        project.write("t.jsonl", trace);
        let run = project
            .fsmsim([
                "verify",
                "t.jsonl",
                "--model",
                "desk.yaml",
                "--mode",
                "structure",
            ])
            .run();
        assert!(
            run.code == code && run.stdout.contains(expected),
            "{}{}",
            run.stdout,
            run.stderr
        );
    };
    verify(&trace, 0, "1 dialogue, 9 turns: conforms to desk.yaml");
    // The trace itself shows that the limit was already reached.
    verify(
        &trace.replace("\"contract_class\":\"FULL\"", "\"contract_class\":\"TAKE\""),
        1,
        "`FULL` matches this turn",
    );
    verify(
        &trace.replace(
            "{\"timeout\":{\"minutes\":5}}",
            "{\"tick\":{\"minutes\":5}}",
        ),
        1,
        "forbidden_class",
    );
    verify(
        &trace.replace("\"name\":\"timeout\"", "\"name\":\"ann\""),
        1,
        "`LATE` sets the field to \"timeout\"",
    );
    // Initial values are known before the first turn, too.
    verify(
        &trace.replacen(
            "\"contract_class\":\"TAKE\"",
            "\"contract_class\":\"REST\"",
            1,
        ),
        1,
        "turn 1: forbidden_class",
    );
}

#[test]
fn gate_with_an_unknown_field_is_rejected() {
    let contract = DESK.replace("data.guest.rank", "data.guest.rnak");
    let project = Project::new().file("desk.yaml", contract);
    let stderr = project
        .fsmsim(["lint", "desk.yaml"])
        .fails(1, "", "")
        .stderr;
    assert!(
        stderr.contains("unknown field `rnak` in the frame `guest`")
            && stderr.contains("guest.rank"),
        "{stderr}"
    );
}

#[test]
fn invalid_counter_operations_are_rejected() {
    for (counts, expected) in [
        ("{to: 0, by: 1}", "unknown key `by` in an operation"),
        ("{to: soon}", "desk.yaml:23:80"),
        ("{when: {said: name}}", "missing `by` in an operation"),
    ] {
        let project = Project::new().file(
            "desk.yaml",
            DESK.replace("{asked: {to: 0}}", &format!("{{asked: {counts}}}")),
        );
        let run = project
            .fsmsim(["lint", "desk.yaml"])
            .about(counts)
            .fails(1, "", "");
        assert!(run.stderr.contains(expected), "{counts}: {}", run.stderr);
    }
}

#[test]
fn utterance_can_start_with_the_name_of_an_intent() {
    let stdin = "take dune\nwho ann\nwho name=ann\nagain\n";
    let shown = desk()
        .fsmsim(["run", "desk.yaml"])
        .stdin(stdin)
        .run()
        .stdout;
    let classes: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.trim().strip_prefix("turn of    "))
        .collect();
    let classes: Vec<&str> = classes
        .iter()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(classes, ["TAKE", "WHO", "WHO", "REST"], "{shown}");
}
