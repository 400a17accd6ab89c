//! `test` and `verify` interpret a contract in the same way. A turn gets the first class that fits, with any matching
//! intent.

use crate::support::Project;

const SHOP: &str = "\
kind: contract
contract: {name: shop}
modes: [chat, list]
frames:
  root: {carried: root, fields: {topic: text, found: list}}
  item: {carried: object, fields: {name: text, colour: text}}
  gate: {fields: {carries: [full, root_only]}}
eligibility: gate.carries
intents:
  search: {say: 'find (?P<topic>\\w+)'}
  pick: {say: 'take (?P<name>\\w+)'}
  who_root: {say: who}
  who_item: {say: who}
classes:
  FIND:
    {owner: root, intent: search, requires: nothing, carryover: none, forbids: [item], answers: [], mode: list,
     sets: {root.topic: {said: topic}, root.found: [a, b], gate.carries: full}}
  TAKE:
    {owner: item, intent: pick, requires: {frame: root, active: true}, carryover: full, forbids: [], answers: [], mode: list,
     sets: {item.name: {said: name}, gate.carries: root_only}}
  WHO_ROOT:
    {owner: root, intent: who_root, requires: {and: [{frame: root.topic, is: people}, {frame: root, active: true}]}, carryover: full, forbids: [], answers: [], sets: {}, mode: chat}
  WHO_ITEM:
    {owner: item, intent: who_item, requires: {frame: item.name, filled: true}, carryover: full, forbids: [], answers: [], sets: {}, mode: chat,
     preserves: [item.name]}
  ITEM_STAYS:
    {owner: item, intent: [], when: {intent: stay}, requires: nothing, carryover: full, forbids: [], answers: [], sets: {}, mode: chat,
     preserves: [item.name]}
";

fn shop(turns: &str) -> Project {
    let scenario = format!("scenario: Shop\nmodel: ./shop.yaml\nturns:\n{turns}");
    Project::new()
        .file(
            "shop.yaml",
            SHOP.replace("  who_item:", "  stay: {}\n  who_item:"),
        )
        .file("s.yaml", scenario)
}

#[test]
fn intent_without_a_class_does_not_hide_a_fitting_intent() {
    let turns = "  - {say: find boats, expect: {contract_class: FIND}}
  - {say: who, expect: {contract_class: unclassified, events: [{event: class_refused, classes: [WHO_ROOT], lacks: [{class: WHO_ROOT, what: root.topic, withdrawn: false}]}], violations: [{fault: unclassified}]}}
  - {say: find people, expect: {contract_class: FIND}}
  - {say: who, expect: {contract_class: WHO_ROOT, state: chat}}
";
    shop(turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 4 turns\n");
    let open_gate = SHOP.replace("gate.carries: root_only", "gate.carries: full");
    let turns = "\
scenario: Shop
model: ./shop.yaml
turns:
  - {say: find boats, expect: {contract_class: FIND}}
  - {say: take bolt, expect: {contract_class: TAKE}}
  - {say: who is it, expect: {contract_class: WHO_ITEM, frames: {item: {name: bolt}}}}
";
    let project = Project::new().file(
        "shop.yaml",
        open_gate.replace("  who_item:", "  stay: {}\n  who_item:"),
    );
    let project = project.file("s.yaml", turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 3 turns\n");
    // `verify` and the interactive run agree.
    project.write("t.jsonl", project.fsmsim(["trace", "s.yaml"]).run().stdout);
    for mode in ["structure", "replay"] {
        let run = project
            .fsmsim(["verify", "t.jsonl", "--model", "shop.yaml", "--mode", mode])
            .run();
        assert_eq!(run.code, 0, "{}", run.stdout);
    }
    let shown = project
        .fsmsim(["run", "shop.yaml"])
        .stdin("find boats\ntake bolt\nwho is it\n")
        .run()
        .stdout;
    assert!(shown.contains("recognized as who_item"), "{shown}");
}

#[test]
fn values_withdrawn_by_the_coverage_gate_are_reported() {
    let turns = "  - {say: find boats}
  - {say: take bolt}
  - say: who is it
    expect:
      contract_class: unclassified
      events: [{event: class_refused, classes: [WHO_ROOT], lacks: [{what: root.topic, withdrawn: false}]}]
      violations: [{fault: unclassified}]
  - {intent: who_item, expect: {events: [{event: class_refused, lacks: [{class: WHO_ITEM, what: item.name, withdrawn: true}]}], violations: [{fault: unclassified}]}}
";
    let project = shop(turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 4 turns\n");
    let shown = project
        .fsmsim(["run", "shop.yaml"])
        .stdin("find boats\ntake bolt\nx / who_item\n")
        .run()
        .stdout;
    assert!(
        shown
            .contains("WHO_ITEM would match, but lacks item.name, which the coverage gate removed"),
        "{shown}"
    );
}

#[test]
fn preserved_fields_are_compared_with_values_before_the_gate() {
    let turns = "  - {say: find boats}
  - {say: take bolt, expect: {violations: []}}
  - {intent: stay, expect: {contract_class: ITEM_STAYS, frames: {item: null}, violations: [{fault: not_preserved, field: item.name}]}}
";
    let project = shop(turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 3 turns\n");
    project.write("t.jsonl", project.fsmsim(["trace", "s.yaml"]).run().stdout);
    let run = project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "shop.yaml",
            "--mode",
            "structure",
        ])
        .run();
    assert!(
        run.code == 1 && run.stdout.contains("not_preserved"),
        "{}",
        run.stdout
    );
    assert_eq!(
        project
            .fsmsim(["verify", "t.jsonl", "--model", "shop.yaml"])
            .run()
            .code,
        1
    );
    assert_eq!(
        project
            .fsmsim([
                "verify",
                "t.jsonl",
                "--model",
                "shop.yaml",
                "--mode",
                "replay"
            ])
            .run()
            .code,
        0
    );
}

#[test]
fn verify_finds_values_that_differ_from_the_class() {
    let turns = "  - {say: find boats}\n  - {say: take bolt}\n";
    let project = shop(turns);
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    let verify = |trace: &str| {
        project.write("t.jsonl", trace);
        project
            .fsmsim([
                "verify",
                "t.jsonl",
                "--model",
                "shop.yaml",
                "--mode",
                "structure",
            ])
            .run()
    };
    assert_eq!(verify(&trace).code, 0);
    let other_list = trace.replace("\"found\":[\"a\",\"b\"]", "\"found\":[\"a\",\"c\"]");
    let run = verify(&other_list);
    assert!(
        run.code == 1
            && run
                .stdout
                .contains("`FIND` sets the field to [\"a\", \"b\"]"),
        "{}",
        run.stdout
    );
    let other_name = trace.replace("\"name\":\"bolt\"}", "\"name\":\"nut\"}");
    let run = verify(&other_name);
    assert!(
        run.code == 1 && run.stdout.contains("`TAKE` sets the field to \"bolt\""),
        "{}",
        run.stdout
    );
}

#[test]
fn unknown_outcome_counts_as_an_error() {
    let contract = SHOP.replace(
        "mode: list,\n     sets: {root.topic",
        "mode: list, executes: root.topic,\n     sets: {root.topic",
    );
    let contract = format!("{contract}outcomes:\n  rows: {{}}\n  error: {{mode: chat}}\n");
    let turns = "\
scenario: Shop
model: ./shop.yaml
turns:
  - {say: find boats, outcome: odd, expect: {state: chat, effects: [{outcome: odd}], violations: [{fault: unknown_outcome, outcome: odd}]}}
  - {say: find boats, outcome: rows, expect: {state: list}}
  - {say: find boats, expect: {state: chat, effects: [{outcome: down}], violations: []}}
";
    Project::new()
        .file(
            "shop.yaml",
            contract.replace("  who_item:", "  stay: {}\n  who_item:"),
        )
        .file("s.yaml", turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 3 turns\n");
}

#[test]
fn contract_features_work_together() {
    let contract = "\
kind: contract
contract: {name: kitchen}
modes:
  talk: {about: Small talk, phase: before}
  cook: {phase: during}
  eat: {phase: after, final: true}
counters: {orders: {limit: 2}}
slots: {pan.heat: {initial: low}}
frames:
  pan: {carried: root, fields: {dish: text, heat: [low, high], seen: list}}
  oven: {carried: root, fields: {tray: text}}
conditions:
  is_soup: {said: dish, is: soup}
  cooked_before: {length: pan.seen, at_least: 1}
intents:
  again: {say: 'again (?P<dish>\\w+)', when: cooked_before}
  cook: {say: {en: 'cook (?P<dish>\\w+)', ru: ['свари (?P<dish>\\w+)', 'again (?P<dish>\\w+)']}}
  bake: {say: 'bake (?P<tray>\\w+)'}
  serve: {say: serve}
classes:
  AGAIN:
    {owner: pan, intent: again, requires: nothing, carryover: full, forbids: [], answers: [], sets: {}, mode: cook, counts: {orders: 1}}
  COOK:
    owner: pan
    intent: cook
    requires: nothing
    carryover: [pan]
    forbids: []
    answers: []
    mode: cook
    sets:
      pan.dish: {said: dish}
      pan.heat: {first: [{value: high, when: is_soup}, low]}
    appends: {pan.seen: {said: dish}}
    counts: {orders: 1}
  BAKE:
    {owner: oven, intent: bake, requires: nothing, carryover: full, forbids: [], answers: [], mode: cook, sets: {oven.tray: {said: tray}}}
  SERVE:
    {owner: pan, intent: serve, requires: {frame: pan.dish, filled: true}, carryover: full, forbids: [], answers: [], mode: eat, sets: {}, executes: pan.dish}
outcomes:
  hot: {}
  cold: {mode: cook, mark: degrade}
";
    let turns = "\
scenario: Kitchen
model: ./kitchen.yaml
turns:
  - {say: bake bread, expect: {contract_class: BAKE, phase: during, class: enter, frames: {oven: {tray: bread}, pan: {heat: low}}}}
  - {say: свари soup, expect: {contract_class: COOK, frames: {oven: null, pan: {dish: soup, heat: high, seen: [soup]}}, carryover: {dropped: [oven.tray]}, counters: {orders: 1}}}
  - {say: again rice, expect: {contract_class: AGAIN, counters: {orders: 2}}}
  - {say: cook rice, expect: {frames: {pan: {dish: rice, heat: low, seen: [soup, rice]}}, violations: [{fault: past_limit, counter: orders, limit: 2}]}}
  - {say: serve, outcome: cold, expect: {state: cook, class: degrade, why: {contains: [execute_cold]}}}
  - {say: serve, outcome: hot, expect: {state: eat, phase: after, class: finish}}
";
    let project = Project::new()
        .file("kitchen.yaml", contract)
        .file("s.yaml", turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 6 turns\n");
    project.write("t.jsonl", project.fsmsim(["trace", "s.yaml"]).run().stdout);
    for mode in ["structure", "replay"] {
        let run = project
            .fsmsim([
                "verify",
                "t.jsonl",
                "--model",
                "kitchen.yaml",
                "--mode",
                mode,
            ])
            .run();
        assert_eq!(run.code, 0, "{}", run.stdout);
    }
    // If nothing was cooked yet, the phrase has another intent.
    let turns = "scenario: Kitchen\nmodel: ./kitchen.yaml\nturns:\n  - {say: again rice, expect: {contract_class: COOK}}\n";
    project.write("s.yaml", turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn written_values_are_checked_against_the_field_type() {
    let contract = "\
kind: contract
contract: {name: shop}
modes: [chat]
frames:
  root: {carried: root, fields: {kind: [a, b]}}
  gate: {fields: {carries: [full, some]}}
  answers: {fields: {mode: [yes, no]}}
eligibility: gate.carries
answer: answers.mode
intents: {find: {say: find}}
classes:
  FIND: {owner: root, intent: find, requires: nothing, carryover: full, forbids: [], answers: [perhaps], sets: {root.kind: {said: kind}}}
";
    let project = Project::new().file("shop.yaml", contract);
    insta::assert_snapshot!(project.fsmsim(["lint", "shop.yaml"]).run().stderr);
    project.write(
        "shop.yaml",
        contract
            .replace("some", "none")
            .replace("[perhaps]", "['yes']")
            .replace("[yes, no]", "['yes', 'no']"),
    );
    let scenario = |start: &str| {
        format!(
            "scenario: A\nmodel: ./shop.yaml\nstart: {start}\nturns:\n  - {{say: find, data: {{kind: c}}, expect: {{frames: {{root: {{kind: b}}}}, violations: [{{fault: value_not_allowed, field: root.kind, value: c}}]}}}}\n"
        )
    };
    project.write("s.yaml", scenario("{data: {root.kind: b}}"));
    let run = project.fsmsim(["test", "s.yaml"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    project.write("s.yaml", scenario("{data: {root.kind: z}}"));
    let run = project.fsmsim(["test", "s.yaml"]).run();
    assert!(
        run.code == 2
            && run.stderr.contains("s.yaml:3:27")
            && run.stderr.contains("for `root.kind`"),
        "{}",
        run.stderr
    );
}
