//! `fsmsim explore`: obligations, and the mistakes that other tools make with them.

use serde_json::Value;

use crate::support::Project;

/// A user can chat for ever, but can pay at any time.
const SHOP: &str = "\
flow: {name: shop, policy: plain, entry_points: {default: hall}}
intents:
  ask: {description: Ask, examples: [a question]}
  chat: {description: Chat, examples: [how are you]}
  pay: {description: Pay, examples: [here is the money]}
states:
  hall: {transitions: {ask: desk}}
  desk: {transitions: {chat: bench, pay: over}}
  bench: {transitions: {ask: desk}}
  over: {is_final: true}
properties:
  paid: {after: {state: desk}, leads_to: {state: over}}
";

/// Two ways lead to `join`, one of them with an obligation.
const WAYS: &str = "\
flow: {name: ways, policy: plain, entry_points: {default: root}}
intents: {left: {description: Left}, right: {description: Right}, on: {description: On}}
states:
  root: {transitions: {left: odd, right: even}}
  odd: {transitions: {on: join}}
  even: {transitions: {on: join}}
  join: {transitions: {on: over}}
  over: {is_final: true}
properties:
  odd_in_the_end: {after: {state: [even, odd]}, leads_to: {state: odd}}
";

/// A counter that grows for ever.
const COUNTER: &str = "\
flow: {name: counter, policy: plain, entry_points: {default: desk}}
intents:
  ask: {description: Ask, examples: [a question]}
  pay: {description: Pay, examples: [here is the money]}
counters: {asked: {}}
states:
  desk:
    transitions:
      ask: {then: desk, counts: {asked: 1}}
      pay: {when: {counter: asked, at_least: 3}, then: over}
  over: {is_final: true}
";

fn explored(model: &str) -> (i32, Value) {
    let project = Project::new().file("model.yaml", model);
    let run = project
        .fsmsim(["explore", "model.yaml", "--format", "json"])
        .run();
    let report = serde_json::from_str(&run.stdout);
    (
        run.code,
        report.unwrap_or_else(|_| panic!("{}", run.stderr)),
    )
}

/// The answer about the only property.
fn property(model: &str) -> Value {
    let (_, report) = explored(model);
    let answers = report["answers"].as_array().unwrap();
    let mut properties = answers.iter();
    let answer = properties.find(|answer| answer["question"] == "property");
    let answer = answer.unwrap().clone();
    assert_eq!(answer["played"], true, "{answer}");
    answer
}

/// The states after the turns of the dialogue.
fn states(answer: &Value) -> Vec<&str> {
    let steps = answer["witness"].as_array().unwrap().iter();
    steps.map(|step| step["to"].as_str().unwrap()).collect()
}

#[test]
fn fair_user_leaves_the_loop() {
    assert_eq!(property(SHOP)["verdict"], "proved");
}

/// A check of the component as a whole sees that `desk` leads on. The obligation lasts only in the inner loop.
#[test]
fn loop_without_a_way_out_is_reported_itself() {
    let cellar = "  bench: {transitions: {ask: desk, pay: cellar}}
  cellar: {transitions: {chat: attic}}
  attic: {transitions: {ask: cellar, pay: attic}}
";
    let model = SHOP.replace("  bench: {transitions: {ask: desk}}\n", cellar);
    let answer = property(&model);
    assert_eq!(answer["verdict"], "found", "{answer}");
    let all = states(&answer);
    let first = usize::try_from(answer["repeats_from"].as_u64().unwrap()).unwrap();
    let (way, repeated) = all.split_at(first - 1);
    assert_eq!(way, ["desk", "bench", "cellar"]);
    assert!(repeated.iter().all(|to| ["cellar", "attic"].contains(to)));
    assert_eq!(repeated.last(), Some(&"cellar"), "{answer}");
    let ways = ["cellar", "attic"].map(|state| repeated.contains(&state));
    assert_eq!(ways, [true, true], "{answer}");
}

/// stateright: `eventually` does not see a cycle.
#[test]
fn obligation_in_a_cycle_without_the_goal_is_violated() {
    let cycle = WAYS.replace(
        "join: {transitions: {on: over}}",
        "join: {transitions: {on: even}}",
    );
    let answer = property(&cycle);
    assert_eq!(answer["verdict"], "found", "{answer}");
    assert!(answer["repeats_from"].is_u64(), "{answer}");
}

/// stateright: `eventually` does not see a state again that another way reached first.
#[test]
fn obligation_beyond_a_join_of_two_ways_is_violated() {
    let answer = property(WAYS);
    assert_eq!(answer["verdict"], "found", "{answer}");
    assert_eq!(states(&answer), ["even", "join", "over"]);
    assert!(answer["repeats_from"].is_null(), "{answer}");
}

/// TLA+: an obligation that each round settles and creates again holds.
#[test]
fn obligation_that_each_round_settles_holds() {
    let round = WAYS.replace(
        "join: {transitions: {on: over}}",
        "join: {transitions: {on: root}}",
    );
    let settled = round.replace(
        "even: {transitions: {on: join}}",
        "even: {transitions: {on: odd}}",
    );
    assert_eq!(property(&settled)["verdict"], "proved");
}

/// XState: the search of a context that grows does not end.
#[test]
fn counter_that_grows_for_ever_ends_the_search() {
    let (code, report) = explored(COUNTER);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["complete"], true);
    assert!(report["states"].as_u64().unwrap() <= 10, "{report}");
}

/// `GraphWalker`: the search of an edge that cannot be taken does not end.
#[test]
fn transition_whose_condition_never_holds_is_unreachable() {
    let model = COUNTER.replace("{then: desk, counts: {asked: 1}}", "desk");
    let (code, report) = explored(&model);
    assert_eq!((code, &report["complete"]), (1, &true.into()));
    let answers = report["answers"].as_array().unwrap();
    let is_edge = |answer: &&Value| answer["question"] == "unreachable_transition";
    let edge = answers.iter().find(is_edge).unwrap();
    assert_eq!(
        (&edge["subject"], &edge["verdict"]),
        (&"desk: pay → over".into(), &"found".into())
    );
}
