//! Round trips: flows that are exported to another tool and imported again.

use std::cell::Cell;
use std::fmt::Write;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::{Project, turns};

/// A state: the target of each listed intent, the target of any other intent, and whether the state is final.
type Row = (Vec<(usize, usize)>, Option<usize>, bool);

/// Intent names with a special meaning in sales flows or in other tools.
const INTENTS: [&str; 8] = [
    "price_question",
    "rejection",
    "go_back",
    "request_human",
    "user.login",
    "да",
    "OPEN DOOR",
    "on",
];

fn state_name(number: usize) -> String {
    let name = [
        "greeting",
        "soft_close",
        "a b",
        "no",
        "x-1",
        "конец",
        "any_state",
    ]
    .get(number);
    name.map_or_else(|| format!("s{number}"), |name| (*name).to_owned())
}

fn flow(rows: &[Row]) -> String {
    let name = |number: &usize| format!("\"{}\"", state_name(number % rows.len()));
    let mut text =
        String::from("flow: {name: random, entry_points: {default: greeting}}\nstates:\n");
    for (number, (edges, any, ends)) in rows.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {}:\n    is_final: {}\n    transitions:",
            name(&number),
            *ends && number > 0
        );
        let mut seen = std::collections::BTreeSet::new();
        for (intent, to) in edges.iter().filter(|(intent, _)| seen.insert(*intent)) {
            let _ = writeln!(text, "      \"{}\": {}", INTENTS[*intent], name(to));
        }
        if let Some(to) = any {
            let _ = writeln!(text, "      any: {}", name(to));
        }
    }
    text
}

fn dialogue(number: usize, said: &[usize]) -> String {
    let said: Vec<String> = said
        .iter()
        .map(|intent| format!("{{\"intent\":\"{}\"}}", INTENTS[*intent]))
        .collect();
    format!("{{\"id\":\"d{number}\",\"turns\":[{}]}}\n", said.join(","))
}

#[test]
fn flow_exported_to_xstate_and_back_behaves_the_same() {
    let row = (
        proptest::collection::vec((0..INTENTS.len(), 0..10_usize), 0..6),
        proptest::option::of(0..10_usize),
        proptest::bool::weighted(0.15),
    );
    let said = proptest::collection::vec(proptest::collection::vec(0..INTENTS.len(), 60), 8);
    let turns_run = Cell::new(0);
    let config = ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(
            &(proptest::collection::vec(row, 2..10), said),
            |(rows, said)| {
                let project = Project::new().file("a.yaml", flow(&rows));
                let lines: String = said
                    .iter()
                    .enumerate()
                    .map(|(number, said)| dialogue(number, said))
                    .collect();
                project.write("turns.jsonl", lines);
                // A flow without any transition on an intent cannot be exported.
                if rows.iter().enumerate().all(|(at, (edges, any, ends))| {
                    (*ends && at > 0) || edges.is_empty() && any.is_none()
                }) {
                    project
                        .fsmsim(["export", "xstate", "a.yaml"])
                        .refuses("no intent has a transition");
                    return Ok(());
                }
                let run = project.fsmsim(["export", "xstate", "a.yaml"]).run();
                prop_assert_eq!(run.code, 0, "{}", run);
                project.write("b.json", &run.stdout);
                let run = project.fsmsim(["import", "xstate", "b.json"]).run();
                prop_assert_eq!(run.code, 0, "{}", run);
                prop_assert_eq!(&run.stderr, "");
                project.write("b.yaml", &run.stdout);
                let [before, after] = ["a.yaml", "b.yaml"].map(|flow| {
                    let trace = project
                        .fsmsim(["trace", flow, "--turns", "turns.jsonl"])
                        .run();
                    let states = turns(&trace.stdout)
                        .iter()
                        .map(|turn| turn["state"].clone())
                        .collect::<Vec<_>>();
                    (trace.code, states)
                });
                turns_run.set(turns_run.get() + after.1.len());
                prop_assert_eq!(before, after);
                Ok(())
            },
        )
        .unwrap();
    assert!(
        turns_run.get() >= 10_000,
        "only {} turns ran",
        turns_run.get()
    );
}

#[test]
fn export_reports_parts_that_xstate_cannot_express() {
    let text = "flow: {name: shop, entry_points: {default: hall}}\nslots: {paid: {initial: false}}\n\
        conditions: {is_paid: {slot: paid}}\nstates:\n  hall:\n    goal: To greet\n    required_data: [name]\n    rules: {hello: greet}\n\
        \x20   transitions:\n      buy: [{when: is_paid, then: out}, {when: {slot: paid}, then: hall}, till.1]\n      go: {then: out, sets: {paid: true}}\n\
        \x20     data_complete: out\n  till.1: {type: choice, choices: [{condition: is_paid, next: out}], default: hall}\n  out: {is_final: true}\n";
    let project = Project::new().file("shop.yaml", text);
    insta::assert_snapshot!(project.fsmsim(["export", "xstate", "shop.yaml"]).shown());
}

#[test]
fn export_reports_asides_as_omitted() {
    let run = Project::new()
        .with("flows/bank_hotline.yaml")
        .fsmsim(["export", "xstate", "flows/bank_hotline.yaml"])
        .warns("\"ask_hours\": \"hours\"", "`aside` of `hours`");
    assert!(!run.stdout.contains("resume"), "{run}");
    let omitted = "the transition from `hours` to `resume`, which is not exported";
    assert!(run.stderr.contains(omitted), "{run}");
}

#[test]
fn flow_without_transitions_cannot_be_exported() {
    let project = Project::new().file(
        "a.yaml",
        "flow: {name: a}\nstates: {greeting: {rules: {hello: greet}}}\n",
    );
    project
        .fsmsim(["export", "xstate", "a.yaml"])
        .refuses("cannot export `a` to XState");
    project
        .fsmsim(["export", "xstate", "none.yaml"])
        .refuses("cannot find `none.yaml`");
}
