//! Operations, counters and comparisons in every dialect. Conditions see the changes of preceding edges, rules,
//! branches and classes, and a counter never exceeds its limit.

use crate::support::Project;

const SHOP: &str = "\
flow: {name: shop, entry_points: {default: ask}}
counters:
  asked: {initial: 1, limit: 2}
slots:
  basket: {initial: []}
  budget: {initial: 100}
conditions:
  dear: {expression: {slot: total, at_least: {slot: budget}}}
  dearer: {expression: {slot: total, more_than: {was: total}}}
  full: {expression: {length: basket, at_least: 2}}
  tired: {expression: {counter: asked, at_least: {limit: asked}}}
states:
  ask:
    transitions:
      add: {then: route, sets: {total: {said: price}}, appends: {basket: {said: item}}}
      again: {then: ask, counts: {asked: 1}}
      drop: {then: ask, clears: [total, {slot: basket, when: full}]}
      undo: {then: ask, sets: {total: {was: total}}, counts: {asked: -1}}
    rules:
      again: [{when: tired, then: give_up}, ask_again]
  route:
    type: choice
    choices:
      - {condition: dear, next: judge, sets: {note: dear, before: {was: total}, rises: {value: true, when: dearer}}}
      - {condition: full, next: packed}
    default: ask
  judge:
    type: choice
    choices:
      - {condition: {slot: note, is: dear}, next: manager, counts: {asked: 1}}
    default: packed
  manager: {transitions: {add: ask}}
  packed: {is_final: true}
";

fn shop(turns: &str) -> Project {
    let scenario = format!("scenario: Shopping\nmodel: ./shop.yaml\nturns:\n{turns}");
    Project::new()
        .file("shop.yaml", SHOP)
        .file("s.yaml", scenario)
}

#[test]
fn choice_sees_the_changes_of_the_previous_branch() {
    shop(
        "  - {intent: add, data: {price: 10, item: pen}, expect: {state: ask, path: [route], data: {total: 10, basket: [pen]}}}
  - before: [{op: snapshot}]
    intent: add
    data: {price: 200, item: ink}
    expect:
      state: manager
      path: [route, judge]
      data: {total: 200, basket: [pen, ink], note: dear, before: 10, rises: true}
      counters: {asked: 2}
      carryover: {added: {contains: [note, before, rises]}, changed: {contains: [total, basket]}}
",
    )
    .fsmsim(["test", "s.yaml"])
    .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
}

#[test]
fn verify_finds_a_changed_counter() {
    let project = shop(
        "  - {intent: add, data: {price: 10, item: pen}}
  - {intent: again}
  - {intent: drop}
  - {intent: undo}
  - {intent: undo}
  - {intent: undo}
  - {before: [{op: reset}], intent: add, data: {price: 10, item: pen}}
",
    );
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    assert!(trace.contains("\"asked\":-1"), "{trace}");
    project.write("t.jsonl", &trace);
    let verify = |mode: &str| {
        project
            .fsmsim(["verify", "t.jsonl", "--model", "shop.yaml", "--mode", mode])
            .run()
    };
    for mode in ["structure", "replay"] {
        let run = verify(mode);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{}", run.stdout);
    }
    project.write("t.jsonl", trace.replacen("\"asked\":2", "\"asked\":3", 1));
    for mode in ["structure", "replay"] {
        let run = verify(mode);
        assert!(
            run.code == 1 && run.stdout.contains("asked"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn counter_never_exceeds_its_limit() {
    let fault = "violations: [{fault: past_limit, counter: asked, limit: 2}]";
    let turns = format!(
        "  - {{intent: again, expect: {{action: ask_again, counters: {{asked: 2}}, violations: []}}}}
  - {{intent: again, before: [{{op: snapshot}}], expect: {{action: give_up, counters: {{asked: 2}}, {fault}}}}}
  - {{intent: undo, expect: {{counters: {{asked: 1}}, violations: []}}}}
  - {{intent: again, before: [{{op: reset}}], expect: {{counters: {{asked: 2}}}}}}
"
    );
    let project = shop(&turns);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 4 turns\n");
    let patient = turns.replace(
        "counters: {asked: 2}, violations: [{",
        "counters: {asked: 3}, violations: [{",
    );
    let patient = patient
        .replace(fault, "violations: []")
        .replace("give_up", "ask_again");
    let patient = patient.replace(
        "{asked: 2}, violations: []}}\n  - {intent: undo",
        "{asked: 3}, violations: []}}\n  - {intent: undo",
    );
    let patient = patient.replace(
        "undo, expect: {counters: {asked: 1}",
        "undo, expect: {counters: {asked: 2}",
    );
    project.write(
        "s.yaml",
        format!("scenario: Patience\nmodel: ./shop.yaml\nstart: {{limits: {{asked: 5}}}}\nturns:\n{patient}"),
    );
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 4 turns\n");
}

#[test]
fn slot_is_cleared_if_its_condition_holds() {
    shop(
        "  - {intent: add, data: {price: 10, item: pen}}
  - {intent: drop, expect: {data: {basket: [pen]}, carryover: {dropped: [total]}}}
  - {intent: add, data: {price: 20, item: ink}, expect: {state: packed, final: true}}
",
    )
    .fsmsim(["test", "s.yaml"])
    .succeeds("s.yaml: 1 passed\n\n1 passed in 3 turns\n");
}

#[test]
fn was_refers_to_the_value_before_the_turn() {
    shop(
        "  - {intent: add, data: {price: 10}, expect: {data: {total: 10}}}
  - {intent: undo, data: {total: 99}, expect: {data: {total: 10}}}
",
    )
    .fsmsim(["test", "s.yaml"])
    .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
}

#[test]
fn contract_defines_operations_of_state_moves() {
    let turns = "\
scenario: Tea
model: ./tea
turns:
  - {say: Hi, goto: brew, data: {kind: green}, expect: {state: brew, data: {last: green}, counters: {cups: 1}}}
  - {say: Again, goto: init, expect: {state: init, data: {cups_before: 0}, counters: {cups: 1}}}
  - {say: More, goto: brew, expect: {counters: {cups: 2}, data: {many: true}}}
  - {say: Again, goto: init}
  - {say: More, goto: brew, expect: {counters: {cups: 2}, violations: [{fault: past_limit, counter: cups, limit: 2}]}}
";
    let contract = "\
counters: {cups: {limit: 2}}
slots: {cups_before: {initial: 0}}
conditions: {often: {counter: cups, at_least: 1}}
moves:
  init:
    brew:
      sets: {last: {said: kind}, many: {value: true, when: often}}
      counts: {cups: 1}
  brew: {init: {}}
";
    Project::new()
        .file(
            "tea/states/init.md",
            "# State: init\n\n## Transitions\n\n- thirsty → `brew`\n",
        )
        .file(
            "tea/states/brew.md",
            "# State: brew\n\n## Transitions\n\n- empty → `init`\n",
        )
        .file("tea/contract.yaml", contract)
        .file("s.yaml", turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 5 turns\n");
}

#[test]
fn redirected_move_runs_no_operations() {
    let turns = "\
scenario: Tea
model: ./tea
turns:
  - {say: Hi, goto: brew, data: {kind: green}, expect: {state: consent, counters: {cups: 0}, data: {kind: green}, violations: []}}
";
    let states = [
        (
            "init",
            "# State: init\n\n## Transitions\n\n- thirsty → `brew`\n",
        ),
        (
            "brew",
            "---\nreads: [taste]\n---\n# State: brew\n\n## Degradation\n\nAsk.\n\n## Transitions\n\n- empty → `init`\n",
        ),
        (
            "consent",
            "# State: consent\n\n## Transitions\n\n- yes → `brew`\n",
        ),
    ];
    let contract = "counters: {cups: {limit: 2}}\nmoves: {init: {brew: {sets: {last: {said: kind}}, counts: {cups: 1}}}}\n";
    let system = "---\nconsent: consent\n---\nBe kind.\n";
    let project = Project::new()
        .file("tea/contract.yaml", contract)
        .file("tea/instructions/system.md", system);
    let project = states.into_iter().fold(project, |project, (name, text)| {
        project.file(&format!("tea/states/{name}.md"), text)
    });
    project
        .file("s.yaml", turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn contract_classes_change_counters() {
    let contract = "\
kind: contract
initial: talk
modes: [talk]
counters: {questions: {limit: 1}}
frames:
  topic: {carried: root, fields: {name: text}}
intents:
  ask: {say: what about (?P<name>\\w+)}
classes:
  Q:
    owner: topic
    intent: [ask]
    requires: nothing
    carryover: full
    sets: {topic.name: {said: name}}
    counts: {questions: {by: 1, when: {frame: topic.name, is: tea}}}
    forbids: []
    answers: []
    mode: talk
";
    let turns = "\
scenario: Questions
model: ./c.yaml
turns:
  - {say: what about tea, expect: {contract_class: Q, counters: {questions: 1}}}
  - {say: what about milk, expect: {counters: {questions: 1}, violations: []}}
  - {say: what about tea, expect: {counters: {questions: 1}, violations: [{fault: past_limit, counter: questions, limit: 1}]}}
";
    Project::new()
        .file("c.yaml", contract)
        .file("s.yaml", turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 3 turns\n");
}

#[test]
fn malformed_operations_are_reported_with_their_location() {
    let model = "\
flow: {name: f, entry_points: {default: a}}
counters: {asked: {inital: 1}, tries: 5}
slots: {x: {initial: 1, typ: text}}
states:
  a:
    transitions:
      b: {then: a, counts: {askd: 1, asked: many}, clears: {x: y}, sets: [x], appends: {x: {sad: y}}}
      c: {then: a, set: {x: 1}}
      d: {sets: {x: 1}}
      e: {then: a, sets: {x: {value: 1, when: nonsense}, y: {answer: clasify.topic}}}
";
    insta::assert_snapshot!(
        Project::new()
            .file("f.yaml", model)
            .fsmsim(["lint", "f.yaml"])
            .run()
            .stderr
    );
    let contract = "counters: {cups: {}}\nmoves: {int: {brew: {}}, init: {brw: {}, brew: {count: {cups: 1}}}}\n";
    let set = Project::new()
        .file(
            "tea/states/init.md",
            "# State: init\n\n## Transitions\n\n- thirsty → `brew`\n",
        )
        .file(
            "tea/states/brew.md",
            "# State: brew\n\n## Transitions\n\n- empty → `init`\n",
        )
        .file("tea/contract.yaml", contract);
    insta::assert_snapshot!(set.fsmsim(["lint", "tea"]).run().stderr);
}
