//! Properties of flows, state sets and contracts: invariants that are checked after every turn.

use crate::support::Project;

const PROPERTIES: &str = "\
properties:
  the_sum_never_falls: {always: {or: [{slot: sum, known: false}, {was: sum, known: false}, {slot: sum, at_least: {was: sum}}]}}
  no_free_gifts: {never: {and: [{slot: gift}, {not: {slot: paid}}]}}
  nobody_leaves_the_end: {never: {and: [{from: over}, {not: {state: over}}]}}
  no_promises: {never: {reply: {contains: [guarantee], ignore_case: true}}}
";

const FLOW: &str = "\
flow: {name: shop, entry_points: {default: talk}}
slots: {sum: {}, paid: {}, gift: {}}
states:
  talk: {transitions: {stop: over}}
  over: {transitions: {stop: talk}}
";

fn shop(turns: &str) -> Project {
    let scenario = format!(
        "scenario: Shopping\nmodel: ./shop.yaml\nstart: {{foreign: [more, less]}}\nturns:\n{turns}"
    );
    Project::new()
        .file("shop.yaml", format!("{FLOW}{PROPERTIES}"))
        .file("s.yaml", scenario)
}

#[test]
fn violated_property_fails_the_turn_with_its_location() {
    shop(
        "  - {intent: more, data: {sum: 5}}
  - {intent: more, data: {sum: 7, paid: true, gift: pen}}
  - {intent: less, data: {sum: 3}}
  - {intent: stop, reply: 'We Guarantee it'}
  - {intent: stop, data: {sum: 9}, expect: {state: talk}}
",
    )
    .fsmsim(["test", "s.yaml"])
    .fails(
        1,
        "s.yaml: 0 passed, 1 failed
  FAILED Shopping  (s.yaml:1, shop.yaml)

1. FAILED Shopping  (s.yaml:1, shop.yaml)
    turn 3, s.yaml:7:5: no transition matches less
      violations: expected [], got [{fault: \"property\", property: \"the_sum_never_falls\", rule: \"shop.yaml:7\"}]
    turn 4, s.yaml:8:5: intent_transition_stop (shop.yaml:4)
      violations: expected [], got [{fault: \"property\", property: \"no_promises\", rule: \"shop.yaml:10\"}]
    turn 5, s.yaml:9:5: intent_transition_stop (shop.yaml:5)
      violations: expected [], got [{fault: \"property\", property: \"nobody_leaves_the_end\", rule: \"shop.yaml:9\"}]
",
        "",
    );
}

#[test]
fn expected_violation_passes() {
    shop(
        "  - {intent: more, data: {gift: pen}, expect: {violations: [{fault: property, property: no_free_gifts, rule: 'shop.yaml:8'}]}}
  - {intent: more, data: {paid: true}, expect: {violations: []}}
",
    )
    .fsmsim(["test", "s.yaml"])
    .succeeds("s.yaml: 1 passed\n\n1 passed in 2 turns\n");
}

#[test]
fn verify_checks_the_properties_of_a_trace() {
    let turns = "  - {intent: more, data: {sum: 5}}
  - {intent: more, data: {sum: 7, paid: true, gift: pen}}
  - {intent: stop}
";
    let project = shop(turns);
    let trace = project.fsmsim(["trace", "s.yaml"]).run().stdout;
    let verify = |mode: &str| {
        project
            .fsmsim(["verify", "t.jsonl", "--model", "shop.yaml", "--mode", mode])
            .run()
    };
    project.write("t.jsonl", &trace);
    for mode in ["structure", "replay"] {
        let run = verify(mode);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{}", run.stdout);
    }
    // The same dialogue from another system, in which `sum` decreases.
    project.write("t.jsonl", trace.replace("\"sum\":7", "\"sum\":3"));
    insta::assert_snapshot!(verify("structure").stdout);
    let run = verify("replay");
    assert!(
        run.code == 1 && run.stdout.contains("the_sum_never_falls"),
        "{}",
        run.stdout
    );
}

#[test]
fn state_sets_and_contracts_have_properties() {
    let properties = "properties: {stays: {never: {from: init}}}\n";
    let scenario =
        |model: &str, turn: &str| format!("scenario: S\nmodel: ./{model}\nturns:\n  - {turn}\n");
    let broken = "expect: {violations: [{fault: property, property: stays}]}";
    let contract = "\
kind: contract
initial: init
modes: [init]
frames: {topic: {carried: root, fields: {name: text}}}
intents: {ask: {say: what}}
classes:
  Q: {owner: topic, intent: [ask], requires: nothing, carryover: full, sets: {}, forbids: [], answers: []}
";
    let project = Project::new()
        .file(
            "tea/states/init.md",
            "# State: init\n\n## Transitions\n\n- thirsty → `brew`\n",
        )
        .file(
            "tea/states/brew.md",
            "# State: brew\n\n## Transitions\n\n- empty → `init`\n",
        )
        .file("tea/contract.yaml", properties)
        .file("c.yaml", format!("{contract}{properties}"))
        .file(
            "set.yaml",
            scenario("tea", &format!("{{say: Hi, goto: brew, {broken}}}"))
                .replace("}]}", ", rule: 'tea/contract.yaml:1'}]}"),
        )
        .file(
            "contract.yaml",
            scenario("c.yaml", &format!("{{say: what, {broken}}}"))
                .replace("}]}", ", rule: 'c.yaml:8'}]}"),
        );
    project
        .fsmsim(["test", "set.yaml", "contract.yaml"])
        .succeeds("2 passed in 2 turns");
}

#[test]
fn malformed_properties_are_reported() {
    let properties = "properties: {a: {allways: {slot: x}}, b: {}, c: 5, d: {never: {form: talk}}, e: {always: nonsense}}\n";
    let project = Project::new().file("shop.yaml", format!("{FLOW}{properties}"));
    insta::assert_snapshot!(project.fsmsim(["lint", "shop.yaml"]).run().stderr);
}
