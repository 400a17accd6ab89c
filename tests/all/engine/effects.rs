//! Effects in every dialect: gates, outcomes, two needs of the same kind in one turn, and replies.

use crate::support::Project;

const DESK: &str = "\
flow: {name: desk, entry_points: {default: talk}}
counters: {tries: {limit: 2}}
conditions:
  small: {expression: {payload: people, at_most: 8}}
  twice: {expression: {counter: tries, at_least: 2}}
  was_booked: {expression: {effect: book, is: done}}
effects:
  book:
    schema: {type: object, required: [day], properties: {people: {type: integer}}}
    gates: [{when: small, or: too_many, says: eight chairs}]
    outcomes:
      last: {status: done, when: {returned: left, is: 0}, sets: {number: {outcome: table.number}, last: true}}
      done: {sets: {number: {outcome: table.number}}, says: Yours.}
      full: {counts: {tries: 1}, next: route}
      too_many: {next: call, mark: degrade}
      later: {digress: wait}
      held: {hold: true, says: Wait.}
  tell: {}
properties:
  a_table_has_a_number: {never: {and: [{effect: book, is: done}, {slot: number, known: false}]}}
states:
  talk:
    rules:
      check: {then: look, effects: [{effect: tell, with: {what: checked}}], sets: {checked: true}}
    transitions:
      order:
        then: booked
        sets: {wanted: {said: day}}
        counts: {tries: 0}
        effects: [{effect: book, with: {day: {slot: wanted}, people: {said: people}}}]
      both:
        then: booked
        effects:
          - {effect: book, with: {day: mon, people: 1}}
          - {effect: book, with: {day: tue, people: 2}, outcomes: {full: {next: call}}}
          - {effect: tell, with: {what: both}, when: was_booked}
      check: {then: booked, sets: {moved: true}, effects: [{effect: book, with: {day: wed, people: 1}}]}
      leave: {then: quiet, effects: [tell]}
  route:
    type: choice
    choices: [{condition: twice, next: call}]
    default: talk
  wait: {transitions: {order: booked}}
  booked: {is_final: true, on_enter: {effects: [{effect: tell, with: {number: {slot: number}}}], says: [{phrase: Name the number, or: Bye}, {phrase: Wish a good day}]}}
  quiet: {is_final: true, on_enter: {counts: {tries: 1}}}
  call: {is_final: true, on_enter: {says: Call us.}}
";

fn desk(turns: &str) -> Project {
    let scenario = format!("scenario: At the desk\nmodel: ./desk.yaml\nturns:\n{turns}");
    Project::new()
        .file("desk.yaml", DESK)
        .file("s.yaml", scenario)
}

fn book(answer: &str) -> String {
    format!("{{need: effect, effect: book, answer: {answer}}}")
}

#[test]
fn outcome_of_an_effect_is_known_after_it() {
    let booked = book("{status: done, table: {number: 7}, left: 3}");
    let tell_answer = "{need: effect, effect: tell, answer: ok}";
    let turns = format!(
        "  - intent: order
    data: {{day: fri, people: 4}}
    answers: [{booked}, {tell_answer}, {{need: phrase, answer: Table seven}}, {{need: phrase, index: 1, answer: {{reply: Good day}}}}]
    expect:
      state: booked
      class: finish
      data: {{number: 7, wanted: fri}}
      effects:
        - {{effect: book, state: booked, payload: {{day: fri, people: 4}}, verdict: allowed, outcome: done}}
        - {{effect: tell, payload: {{number: 7}}, outcome: done}}
      replies: [Yours., Table seven, Good day]
"
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn outcome_can_depend_on_returned_values() {
    let booked = book("{status: done, table: {number: 7}, left: 0}");
    let turns = format!(
        "  - intent: order
    data: {{day: fri, people: 4}}
    answers: [{booked}, {{need: effect, effect: tell, answer: ok}}, {{need: phrase, index: 1, answer: Bye bye}}]
    expect: {{data: {{last: true}}, effects: [{{outcome: last}}, {{effect: tell}}], replies: [Bye, Bye bye]}}
"
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn failed_effect_cancels_the_move() {
    let full = book("full");
    let turns = format!(
        "  - {{intent: order, data: {{day: fri, people: 4}}, answers: [{full}], expect: {{state: talk, path: [route], why: {{contains: [book_full]}}, data: {{wanted: null}}, counters: {{tries: 1}}}}}}
  - {{intent: order, data: {{day: fri, people: 4}}, answers: [{full}], before: [{{op: snapshot}}], expect: {{state: call, path: [route], counters: {{tries: 2}}, replies: [Call us.]}}}}
"
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
}

#[test]
fn denied_effect_is_not_requested() {
    let project = desk(
        "  - {intent: order, data: {people: 2}, expect: {state: talk, class: blocked, why: {contains: [held_by_book]}, effects: [{verdict: denied, why: '\"day\" is a required property'}]}}
  - {intent: order, data: {day: fri, people: 20}, expect: {state: call, class: degrade, effects: [{verdict: denied, why: eight chairs}], data: {wanted: null}}}
",
    );
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    assert_eq!(trace.matches("\"answers\":[]").count(), 2, "{trace}");
}

#[test]
fn two_needs_of_one_kind_have_separate_answers() {
    let done = "{status: done, table: {number: 1}}";
    let turns = format!(
        "  - intent: both
    answers:
      - {{need: effect, effect: book, index: 1, answer: full}}
      - {{need: effect, effect: book, answer: {done}}}
    expect:
      state: call
      why: {{contains: [book_full]}}
      effects:
        - {{effect: book, payload: {{day: mon}}, outcome: done}}
        - {{effect: book, index: 1, payload: {{day: tue}}, outcome: full}}
      data: {{number: null}}
      replies: [Call us.]
"
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
    // Properties see the outcomes of effects: here the number is missing.
    let lost = turns
        .replace("index: 1, answer: full", "index: 1, answer: done")
        .replace("number: 1", "digit: 1");
    let run = desk(&lost).fsmsim(["test", "s.yaml"]).run();
    assert!(
        run.code == 1 && run.stdout.contains("property: \"a_table_has_a_number\""),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("desk.yaml:20"), "{}", run.stdout);
}

#[test]
fn operations_of_a_rule_remain_if_the_move_is_canceled() {
    let turns = format!(
        "  - intent: check
    answers: [{{need: effect, effect: tell, answer: ok}}, {}]
    expect: {{state: talk, class: blocked, action: look, data: {{checked: true, moved: null}}, effects: [{{effect: tell}}, {{effect: book, outcome: held}}], replies: [Wait.]}}
",
        book("held")
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn digression_keeps_the_original_target() {
    let turns = format!(
        "  - {{intent: order, data: {{day: fri, people: 4}}, answers: [{}], expect: {{state: wait, class: digress, return_state: booked, why: {{contains: [book_later]}}}}}}
",
        book("later")
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 1 turn\n");
}

#[test]
fn missing_or_unknown_answer_blocks_the_turn() {
    let turns = format!(
        "  - {{intent: leave, expect: {{state: talk, class: blocked, counters: {{tries: 0}}, effects: [{{effect: tell, outcome: down}}], violations: []}}}}
  - intent: order
    data: {{day: fri, people: 4}}
    answers: [{}]
    expect: {{state: talk, class: blocked, violations: [{{fault: unknown_outcome, effect: book, outcome: odd}}]}}
  - {{intent: leave, answers: [{{need: effect, effect: tell, answer: {{status: done}}}}], expect: {{state: quiet, class: finish, counters: {{tries: 1}}}}}}
",
        book("odd")
    );
    desk(&turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 3 turns\n");
}

#[test]
fn fixture_backend_answers_by_payload() {
    let turns = "\
scenario: At the desk
model: ./desk.yaml
start: {backend: ./desk.answers.yaml}
turns:
  - {intent: order, data: {day: sun, people: 2}, expect: {state: talk, effects: [{effect: book, outcome: full}]}}
  - intent: order
    data: {day: mon, people: 2}
    answers: [{need: phrase, answer: Seven}, {need: phrase, index: 1, answer: Bye}]
    expect: {state: booked, data: {number: table-2}}
";
    let answers = "\
answers:
  - {effect: book, when: {day: sun}, return: {status: full}}
  - {effect: book, return: {status: done, table: {number: 'table-{turn}'}}}
  - {effect: tell, return: {status: ok}}
";
    let project = Project::new()
        .file("desk.yaml", DESK)
        .file("s.yaml", turns)
        .file("desk.answers.yaml", answers);
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
    // A trace conforms to its model. A trace with a different outcome does not.
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    project.write("t.jsonl", &trace);
    let verify = |mode: &str| {
        project
            .fsmsim(["verify", "t.jsonl", "--model", "desk.yaml", "--mode", mode])
            .run()
    };
    for mode in ["structure", "replay"] {
        let run = verify(mode);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{}", run.stdout);
    }
    project.write(
        "t.jsonl",
        trace.replacen("\"outcome\":\"full\"", "\"outcome\":\"held\"", 1),
    );
    assert_eq!(verify("replay").code, 1);
    // A trace can be run as a scenario.
    project.write("t.jsonl", &trace);
    project.fsmsim(["test", "t.jsonl"]).succeeds("");
}

#[test]
fn answer_without_a_matching_need_is_reported() {
    let run = desk(
        "  - {intent: order, answers: [{need: effect, answer: done}]}
  - {intent: order, answers: [{need: effect, effect: bok, answer: done}]}
  - {intent: order, answers: [{need: efect, effect: book, answer: done}]}
  - {intent: order, answers: [{need: read, answer: done}, {need: effect, effect: book, index: -1, answer: x}, {effect: book}]}
  - {intent: order, outcome: rows}
",
    )
    .fsmsim(["test", "s.yaml"])
    .run();
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn malformed_effects_are_reported() {
    let flow = "\
flow: {name: desk, entry_points: {default: talk}}
conditions:
  c: {expression: {paylod: people, at_most: 8}}
effects:
  book:
    doess: write
    schema: nosuch
    gates: [nope, {when: c, orr: x}, {or: x}]
    outcomes:
      full: {next: talk, hold: true}
      a: {next: tal}
      b: {mark: degrad}
      c: {effects: [book]}
      e: 5
  get: {does: read}
  put: {does: wirte, schema: {type: 5}}
  note: {does: write, schema: {properties: {step: {minLenght: 1}, minLenght: {}}}}
states:
  talk:
    transitions:
      order:
        then: talk
        effects: [bok, {effect: book, with: 5}, {with: {}}, get]
        says: [{phrase: 5}, {txt: x}, {text: a, phrase: b}]
";
    insta::assert_snapshot!(
        Project::new()
            .file("desk.yaml", flow)
            .fsmsim(["lint", "desk.yaml"])
            .run()
            .stderr
    );
}

#[test]
fn state_moves_and_contract_classes_have_effects() {
    let contract = "\
effects:
  ring: {outcomes: {busy: {hold: true}}}
  read: {outcomes: {}}
moves: {init: {brew: {effects: [{effect: ring, with: {cup: {said: kind}}}], says: Coming.}}}
";
    let turns = "\
scenario: Tea
model: ./tea
turns:
  - {say: Hi, goto: brew, data: {kind: green}, answers: [{need: effect, effect: ring, answer: busy}], expect: {state: init, class: blocked, why: [navigated, ring_busy], replies: []}}
  - {say: Hi, goto: brew, reply: Well, data: {kind: green}, answers: [{need: effect, effect: ring, answer: done}], expect: {state: brew, effects: [{effect: ring, payload: {cup: green}}], replies: [Well, Coming.]}}
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
        .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
    let contract = "\
kind: contract
contract: {name: shop}
modes: [chat, list, shut]
frames: {root: {carried: root, fields: {topic: text, found: reference}}}
intents: {find: {say: 'find (?P<topic>\\w+)'}, order: {say: order}}
effects:
  send: {gates: [{when: {payload: what, filled: true}, or: nothing, says: nothing was found}], outcomes: {nothing: {next: shut, mark: degrade}}}
  execute: {gates: [{when: {payload: data.topic, in: [boats, tea]}, or: closed}]}
classes:
  FIND:
    {owner: root, intent: find, requires: nothing, carryover: full, forbids: [], answers: [], mode: list, says: Here.,
     sets: {root.topic: {said: topic}, root.found: {outcome: found}}, executes: root.topic}
  ORDER:
    {owner: root, intent: order, requires: nothing, carryover: full, forbids: [], answers: [], mode: chat, sets: {},
     effects: [{effect: send, with: {what: {slot: root.found}}}]}
outcomes:
  rows: {}
  closed: {mode: shut, says: Not here.}
";
    let turns = "\
scenario: Shop
model: ./shop.yaml
turns:
  - {say: order, expect: {contract_class: ORDER, state: shut, class: degrade, effects: [{effect: send, verdict: denied, why: nothing was found}]}}
  - {say: find boats, outcome: {status: rows, found: b1}, expect: {contract_class: FIND, state: list, frames: {root: {found: b1}}, effects: [{effect: execute, payload: {route: boats}, outcome: rows}], replies: [Here.]}}
  - {say: order, answers: [{need: effect, effect: send, answer: done}], expect: {contract_class: ORDER, effects: [{effect: send, payload: {what: b1}, outcome: done}]}}
  - {say: find cars, outcome: rows, expect: {state: shut, effects: [{effect: execute, verdict: denied}], replies: [Here., Not here.]}}
";
    Project::new()
        .file("shop.yaml", contract)
        .file("s.yaml", turns)
        .fsmsim(["test", "s.yaml"])
        .succeeds("s.yaml: 1 passed\n\n1 passed in 4 turns\n");
}

#[test]
fn phrase_needs_a_model_or_a_mock() {
    let mock = "rules:\n  - {need: phrase, answer: {reply: Found}}\n";
    let turns = "\
scenario: At the desk
model: ./desk.yaml
turns:
  - intent: order
    data: {day: mon, people: 2}
    answers: [{need: effect, effect: book, answer: {status: done, table: {number: 1}}}, {need: effect, effect: tell, answer: ok}]
    expect: {state: booked, replies: {contains: [Found]}}
";
    let project = Project::new()
        .file("desk.yaml", DESK)
        .file("s.yaml", turns)
        .file("mock.yaml", mock);
    let run = project
        .fsmsim(["test", "s.yaml", "--llm", "mock:mock.yaml"])
        .run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let run = project.fsmsim(["test", "s.yaml"]).run();
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
}

#[test]
fn phrasing_model_sees_the_previous_utterance() {
    let flow = "\
flow: {name: talk, entry_points: {default: hall}}
states:
  hall: {transitions: {greet: {then: room, says: Welcome.}}}
  room: {transitions: {ask: {then: hall, says: [{phrase: Say goodbye}]}}}
";
    // The mock matches the last utterance: of the user, otherwise of the assistant.
    let mock = "rules:\n  - {need: phrase, say: Welcome, answer: {reply: I said welcome}}\n  - {need: phrase, answer: {reply: I said nothing}}\n";
    let turns = "\
scenario: Talk
model: ./talk.yaml
turns:
  - {say: Hi, intent: greet, expect: {replies: [Welcome.]}}
  - {intent: ask, expect: {replies: [I said welcome]}}
";
    let project = Project::new()
        .file("talk.yaml", flow)
        .file("s.yaml", turns)
        .file("mock.yaml", mock);
    let run = project
        .fsmsim(["test", "s.yaml", "--llm", "mock:mock.yaml"])
        .run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}
