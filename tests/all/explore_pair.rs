//! `fsmsim explore A B` and `fsmsim diff --prove`: two models in every dialogue.

use serde_json::Value;

use crate::support::Project;

const CLUB: &str = "\
flow: {name: club, policy: plain, entry_points: {default: door}}
intents: {enter: {description: Enter, examples: [let me in]}, leave: {description: Leave}}
slots: {age: {type: number}, banned: {type: boolean}}
states:
  door:
    optional_data: [age, banned]
    transitions:
      enter: {when: {not: {or: [{slot: age, less_than: 18}, {slot: banned}]}}, then: bar}
  bar: {transitions: {leave: street}}
  street: {is_final: true}
";

const SHOP: &str = "\
flow: {name: shop, policy: plain, entry_points: {default: hall}}
intents: {order: {description: Order}, pay: {description: Pay}}
slots: {dish: {type: text}}
states:
  hall: {transitions: {order: counter}}
  counter: {required_data: [dish], transitions: {data_complete: kitchen}}
  kitchen: {transitions: {pay: over}}
  over: {is_final: true}
";

/// Two models.
fn pair(a: &str, b: &str) -> Project {
    Project::new().file("a.yaml", a).file("b.yaml", b)
}

/// The comparison as JSON, and the exit code.
fn compared(a: &str, b: &str, more: &[&str]) -> (Value, i32) {
    let run = pair(a, b)
        .fsmsim(["explore", "a.yaml", "b.yaml", "--format", "json"])
        .args(more)
        .run();
    let report = serde_json::from_str(&run.stdout);
    let report: Value = report.unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr));
    assert_eq!(report["played"], true, "{report:#}");
    (report, run.code)
}

/// The turns of the dialogue that differs.
fn witness(report: &Value) -> &[Value] {
    report["witness"].as_array().unwrap()
}

#[test]
fn renamed_state_is_proved_equal() {
    let renamed = SHOP.replace("kitchen", "stove");
    let (report, code) = compared(SHOP, &renamed, &["--rename", "kitchen=stove"]);
    assert_eq!(
        (&report["verdict"], code),
        (&"proved".into(), 0),
        "{report:#}"
    );
    let (report, code) = compared(SHOP, &renamed, &[]);
    assert_eq!((&report["verdict"], code), (&"found".into(), 1));
    let states = &report["differences"]["state"];
    assert_eq!(
        (&states["a"], &states["b"]),
        (&"kitchen".into(), &"stove".into())
    );
    assert_eq!(witness(&report).len(), 2, "{report:#}");
}

#[test]
fn rewritten_condition_is_proved_equal() {
    let rewritten = CLUB.replace(
        "{not: {or: [{slot: age, less_than: 18}, {slot: banned}]}}",
        "{and: [{not: {slot: age, less_than: 18}}, {not: {slot: banned}}]}",
    );
    assert_ne!(rewritten, CLUB);
    let (report, code) = compared(CLUB, &rewritten, &[]);
    assert_eq!(
        (&report["verdict"], code),
        (&"proved".into(), 0),
        "{report:#}"
    );
}

/// A value between the two limits is distinguished by neither model alone.
#[test]
fn changed_limit_is_found_with_the_shortest_dialogue() {
    for limit in ["less_than: 21", "at_most: 18", "less_than: 18.5"] {
        let changed = CLUB.replace("less_than: 18", limit);
        let (report, code) = compared(CLUB, &changed, &[]);
        assert_eq!((&report["verdict"], code), (&"found".into(), 1), "{limit}");
        let [turn] = witness(&report) else {
            panic!("{report:#}");
        };
        assert_eq!(
            (&turn["a"]["to"], &turn["b"]["to"]),
            (&"bar".into(), &"door".into())
        );
        assert_eq!(turn["a"]["turn"]["intent"], "enter");
    }
}

/// Each model alone tries one value of a list and one other value.
#[test]
fn longer_list_of_values_is_found() {
    let listed = |values: &str| {
        SHOP.replace(
            "order: counter",
            &format!("order: {{when: {{slot: dish, in: [{values}]}}, then: counter}}"),
        )
    };
    let (report, code) = compared(&listed("tea"), &listed("tea, cake"), &[]);
    assert_eq!(
        (&report["verdict"], code),
        (&"found".into(), 1),
        "{report:#}"
    );
    let [turn] = witness(&report) else {
        panic!("{report:#}");
    };
    assert_eq!(turn["a"]["turn"]["data"]["dish"], "cake");
}

#[test]
fn intent_of_one_model_is_unknown_in_the_other() {
    let more = SHOP
        .replace(
            "pay: {description: Pay}",
            "pay: {description: Pay}, wave: {description: Wave}",
        )
        .replace("{order: counter}", "{order: counter, wave: kitchen}");
    for (a, b) in [(SHOP, &*more), (&*more, SHOP)] {
        let (report, code) = compared(a, b, &[]);
        assert_eq!((&report["verdict"], code), (&"found".into(), 1));
        let [turn] = witness(&report) else {
            panic!("{report:#}");
        };
        assert_eq!(turn["a"]["turn"]["intent"], "wave");
    }
}

#[test]
fn bound_leaves_equality_open() {
    let (report, code) = compared(SHOP, &SHOP.replace("over", "closed"), &["--depth", "1"]);
    assert_eq!(code, 3);
    assert_eq!(
        (&report["verdict"], &report["within"]),
        (&"not_found".into(), &"depth".into())
    );
}

#[test]
fn difference_is_the_same_for_any_number_of_threads() {
    let project = pair(CLUB, &CLUB.replace("leave: street", "leave: door"));
    let explored = |jobs| {
        let run = project.fsmsim(["explore", "a.yaml", "b.yaml", "-j", jobs]);
        run.run().shown()
    };
    assert_eq!(explored("1"), explored("2"));
    insta::assert_snapshot!(explored("1"));
}

#[test]
fn unusable_arguments_of_two_models_are_errors() {
    let project = pair(SHOP, CLUB);
    for (arguments, title) in [
        (&["--rename", "kitchn=bar"][..], "unknown state `kitchn`"),
        (
            &["--property", "polite"],
            "cannot use `--property` with two models",
        ),
        (
            &["--format", "html"],
            "cannot write the report `html` about two models",
        ),
    ] {
        let run = project
            .fsmsim(["explore", "a.yaml", "b.yaml"])
            .args(arguments)
            .run();
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(title), "{}", run.stderr);
    }
    let run = project
        .fsmsim(["explore", "a.yaml", "--rename", "hall=door"])
        .run();
    assert_eq!(run.code, 2);
    let title = "cannot use `--rename` without two models";
    assert!(run.stderr.contains(title), "{}", run.stderr);
}

#[test]
fn diff_proves_what_scenarios_do_not_show() {
    let scenario = "scenario: Adult\nmodel: a.yaml\nturns: [{intent: enter, data: {age: 30}}]\n";
    let project = pair(CLUB, &CLUB.replace("less_than: 18", "less_than: 21"))
        .file("scenarios/s.yaml", scenario);
    let diff = |more: &[&str]| {
        project
            .fsmsim(["diff", "a.yaml", "b.yaml"])
            .args(more)
            .run()
    };
    assert_eq!(diff(&[]).code, 0);
    insta::assert_snapshot!(diff(&["--prove"]).shown());
    let json: Value = serde_json::from_str(&diff(&["--prove", "--format", "json"]).stdout).unwrap();
    assert_eq!(
        (&json["same"], &json["proof"]["verdict"]),
        (&true.into(), &"found".into())
    );
    project.write("b.yaml", CLUB);
    let equal = diff(&["--prove"]);
    assert_eq!(equal.code, 0, "{}", equal.stdout);
    assert!(
        equal
            .stdout
            .contains("proved: the models have equal turns in every dialogue"),
        "{}",
        equal.stdout
    );
}

#[test]
fn proof_needs_two_models() {
    let project = Project::new().file("t.jsonl", "");
    let run = project
        .fsmsim(["diff", "t.jsonl", "t.jsonl", "--prove"])
        .run();
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("cannot use `--prove`"),
        "{}",
        run.stderr
    );
}

#[test]
fn contracts_with_different_classes_are_not_equal() {
    let contract = "\
kind: contract
contract: {name: shop, version: \"1\"}
modes: {talk: {}, over: {final: true}}
initial: talk
frames: {item: {fields: {ref: [chair]}}}
intents: {pick: {}, leave: {}}
classes:
  PICK:
    {title: Picks, owner: item, intent: pick, requires: nothing, carryover: full, forbids: [], sets: {item.ref: chair}, answers: meta, mode: talk}
  LEAVE:
    {title: Leaves, owner: item, intent: leave, requires: nothing, carryover: full, forbids: [], sets: {}, answers: meta, mode: over}
outcomes: {}
";
    let (_, code) = compared(contract, contract, &[]);
    assert_eq!(code, 0);
    let (report, code) = compared(contract, &contract.replace("PICK", "TAKE"), &[]);
    assert_eq!(code, 1, "{report:#}");
    let differences = report["differences"].to_string();
    assert!(differences.contains("contract_class"), "{differences}");
}
