//! Patterns in phrases, intents of utterances that no phrase matches, and fallback classes.

use crate::support::Project;

const CONTRACT: &str = r"kind: contract
modes: [chat, list]
frames:
  root: {carried: root, fields: {topic: text, year: text, found: text, kept: flag}}
patterns:
  year: '(?:\d{4}|(?:this|last) year)'
  books: '(?:books?|\p{L}ovels)'
  search: '{books} (?:about|on) (?P<topic>\w{2,})'
intents:
  find: {say: '{search}(?: of (?P<year>{year}))?$'}
  shift: {say: '^and of (?P<year>{year})$'}
  which: {say: '^and'}
  talk: {fallback: true, when: {frame: root, active: true}}
classes:
  REST: {owner: root, fallback: true, intent: [shift, which], requires: nothing, carryover: full, sets: {}, forbids: [], answers: []}
  FIND: {owner: root, intent: find, requires: nothing, carryover: none, forbids: [], answers: [], mode: list,
    sets: {root.topic: {said: topic}, root.year: {said: year}, root.found: first}}
  SHIFT: {owner: root, intent: shift, requires: {frame: root.topic, filled: true}, carryover: full, forbids: [], answers: [],
    preserves: [root.topic, {field: root.found, when: {frame: root.kept, is: true}}],
    sets: {root.year: {said: year}, root.found: again, root.kept: true}}
  TALK: {owner: root, intent: talk, requires: nothing, carryover: full, sets: {}, forbids: [], answers: [], mode: chat}
";

const SCENARIO: &str = "scenario: A
model: a.yaml
turns:
  - say: hm
    expect: {contract_class: unclassified, violations: [{fault: unclassified}]}
  - say: and of 1937
    expect: {contract_class: REST, state: chat, events: [{event: class_refused, classes: [SHIFT]}], violations: []}
  - say: Books about dragons of last year
    expect: {contract_class: FIND, frames: {root: {topic: dragons, year: last year, found: first}}}
  - say: and of 1937
    expect: {contract_class: SHIFT, frames: {root: {year: '1937', found: again, kept: true}}, events: []}
  - say: hm
    expect: {contract_class: TALK, state: chat, violations: []}
  - say: novel ships
    expect: {contract_class: TALK}
  - say: NOVELS on ships
    expect: {contract_class: FIND, frames: {root: {topic: ships, year: null, kept: null}}}
  - say: and of {1937}
    expect: {contract_class: REST, events: []}
";

#[test]
fn patterns_expand_and_other_turns_get_a_fallback_class() {
    Project::new()
        .file("a.yaml", CONTRACT)
        .file("s.yaml", SCENARIO)
        .fsmsim(["test", "s.yaml"])
        .succeeds("1 passed");
}

#[test]
fn verify_checks_conditionally_preserved_fields() {
    let project = Project::new().file("a.yaml", CONTRACT);
    let turns = r#"{"id":"d","turns":[{"say":"books on dragons"},{"say":"and of 1937"},{"say":"and of 1938"}]}"#;
    let trace = project
        .fsmsim(["trace", "a.yaml", "--turns", "-"])
        .stdin(turns)
        .succeeds("");
    let found: Vec<_> = crate::support::turns(&trace)
        .iter()
        .map(|turn| turn["frames"]["root"]["found"].clone())
        .collect();
    assert_eq!(found, ["first", "again", "again"]);
    let verify = |trace: &str| {
        project.write("t.jsonl", trace);
        project
            .fsmsim(["verify", "t.jsonl", "--model", "a.yaml"])
            .run()
    };
    assert_eq!(verify(&trace).code, 0);
    // The third turn must preserve the value. The second turn can change it, but only to the value that the class sets.
    let (before, last) = trace.split_at(trace.find("{\"turn\":3").unwrap());
    let run = verify(&format!(
        "{before}{}",
        last.replace("\"found\":\"again\"", "\"found\":\"other\"")
    ));
    assert!(
        run.code == 1 && run.stdout.contains("`root.found` is \"other\""),
        "{}",
        run.shown()
    );
    let without = CONTRACT.replace(
        "{field: root.found, when: {frame: root.kept, is: true}}",
        "root.year",
    );
    project.write("b.yaml", without);
    let refused = project
        .fsmsim(["lint", "b.yaml"])
        .fails(1, "", "sets a field that it preserves")
        .stderr;
    assert!(refused.contains("{field: …, when: …}"), "{refused}");
}

#[test]
fn invalid_patterns_are_reported_with_their_location() {
    let contract = r"kind: contract
modes: [chat]
frames: {root: {fields: {a: text}}}
patterns:
  mouth: '{year}'
  year: '\d{4'
  '5': x
  '': x
  list: [x]
  loop: '{loop}'
  d0: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
  d1: '{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}{d0}'
  d2: '{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}{d1}'
  d3: '{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}{d2}'
  empty: ''
intents:
  ask: {say: ['show {yaer}', 'a{empty}', '{empty}', '{', '\', '\p{', '{}', 'a{2}b', '\{year\}']}
  more: {fallback: 5}
classes:
  A: {owner: root, fallback: x, requires: nothing, carryover: full, sets: {}, forbids: [], answers: x}
  B: {owner: root, fallback: true, requires: nothing, carryover: full, sets: {}, forbids: [], answers: x, preserves: [{field: root.a, when: {frame: roots, active: true}}]}
";
    let refused = Project::new()
        .file("a.yaml", contract)
        .fsmsim(["lint", "a.yaml"])
        .run();
    insta::assert_snapshot!(refused.shown());
}
