//! Both values of each profile switch are demonstrated by a scenario file or by a test in this file.

use std::path::PathBuf;

use fsmsim_core::engine::{ActiveBranches, Branch, OpenFork, Status};
use fsmsim_core::machine::{ControlNode, Profile, Quorum, Switches};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::Diagnostics;
use serde_json::Value;

use crate::support::{Project, home, text, walk};

/// The switches without a scenario file, each with its test in this file.
const ELSEWHERE: [(&str, &str); 3] = [
    ("strict_load", "typo_in_a_flow_is_an_error_or_a_warning"),
    // The recorded system executes no joins, so only a unit test of the rule can show its majority.
    ("majority", "majority_is_more_than_half_or_at_least_half"),
    // It executes no forks either.
    (
        "round_robin",
        "round_robin_continues_after_the_last_branch_or_counts",
    ),
];

/// The keys that must be equal in both documents of a pair, in addition to the turns.
const SAME: [&str; 3] = ["model:", "start:", "signals:"];

#[test]
fn each_switch_is_demonstrated_with_both_values() {
    let this_file = text("tests/all/machine/switches.rs");
    let page = text("docs/src/reference/profile-switches.md");
    let mut wrong = Vec::new();
    for name in Switches::NAMES {
        if !page.contains(&format!("\n| `{name}` |")) {
            wrong.push(format!(
                "docs/src/reference/profile-switches.md has no row for `{name}`"
            ));
        }
        let file = home(&format!("scenarios/profiles/{name}.yaml"));
        if file.exists() {
            let text = text(&file);
            for profile in ["documented", "reference"] {
                if !text
                    .lines()
                    .any(|line| line == format!("profile: {profile}"))
                {
                    wrong.push(format!(
                        "scenarios/profiles/{name}.yaml has no `profile: {profile}`"
                    ));
                }
            }
            continue;
        }
        match ELSEWHERE.iter().find(|(known, _)| known == name) {
            None => {
                wrong.push(format!(
                    "`{name}` needs scenarios/profiles/{name}.yaml, or a test named here"
                ));
            }
            // The named test must exist: it might have been renamed.
            Some((_, test)) if !this_file.contains(&format!("fn {test}()")) => {
                wrong.push(format!(
                    "`{name}` is shown by the test `{test}`, which is not here"
                ));
            }
            Some(_) => {}
        }
    }
    let stale = ELSEWHERE
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !Switches::NAMES.contains(name));
    wrong.extend(stale.map(|name| format!("`{name}` is no longer a switch")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The documents of each file are pairs: the same dialogue in each profile, with different outcomes.
#[test]
fn profiles_give_different_outcomes_for_the_same_turns() {
    let project = Project::new().with_flows();
    let files: Vec<PathBuf> = walk(&home("scenarios/profiles"));
    assert!(!files.is_empty());
    for file in files {
        let name = format!("scenarios/{}", file.file_name().unwrap().to_str().unwrap());
        let text = text(&file);
        project.write(&name, &text);
        let heads: Vec<Vec<&str>> = text
            .split("\n---\n")
            .map(|document| {
                document
                    .lines()
                    .filter(|line| SAME.iter().any(|key| line.starts_with(key)))
                    .collect()
            })
            .collect();
        let stdout = project.fsmsim(["trace", &name]).ends(0, "", "").stdout;
        let mut dialogues: Vec<(String, Vec<Value>, Vec<Value>)> = Vec::new();
        for line in stdout.lines() {
            let mut line: Value = serde_json::from_str(line).unwrap();
            if let Some(profile) = line.pointer("/machine/profile") {
                dialogues.push((profile.as_str().unwrap().to_owned(), Vec::new(), Vec::new()));
                continue;
            }
            let (_, inputs, outcomes) = dialogues.last_mut().unwrap();
            inputs.push(line["input"].take());
            outcomes.push(line);
        }
        assert_eq!(dialogues.len(), heads.len(), "{name}");
        assert_eq!(
            dialogues.len() % 2,
            0,
            "{name}: a document has no counterpart"
        );
        for (pair, heads) in dialogues.chunks(2).zip(heads.chunks(2)) {
            let [documented, reference] = pair else {
                panic!("a chunk has two dialogues")
            };
            assert_eq!(
                (&*documented.0, &*reference.0),
                ("documented", "reference"),
                "{name}"
            );
            assert_eq!(heads[0], heads[1], "{name}");
            assert_eq!(
                documented.1, reference.1,
                "{name}: both profiles must have the same turns"
            );
            assert_ne!(documented.2, reference.2, "{name}: nothing differs");
        }
    }
}

/// A flow with one typo of each kind: in the parent, the mixin, the condition and the target.
const TYPOS: &str = "\
flow: {name: slips, policy: sales}
states:
  greeting:
    extends: _politeness
    mixins: [maners]
    rules:
      small_talk: [{when: has_pain_piont, then: comfort}, chat]
      gratitude: welcome
    transitions: {agreement: hal, rejection: hall}
  hall: {}
mixins:
  manners: {}
";

/// Four turns: the rule with a typo, a rule without, the transition with a typo, and one without.
const TURNS: &str = r#"{"id":"a","turns":[{"intent":"small_talk"},{"intent":"gratitude"},{"intent":"agreement"},{"intent":"rejection"}]}"#;

#[test]
fn typo_in_a_flow_is_an_error_or_a_warning() {
    let project = Project::new()
        .file("slips.yaml", TYPOS)
        .file("turns.jsonl", TURNS);
    let run_trace = |model: &str| {
        project.fsmsim([
            "trace",
            model,
            "--turns",
            "turns.jsonl",
            "--format",
            "table",
        ])
    };
    let documented = run_trace("slips.yaml@documented").fails(2, "", "");
    assert_eq!(documented.stdout, "");
    insta::assert_snapshot!("typos_documented", documented.shown());
    let reference = run_trace("slips.yaml@reference").ends(0, "", "");
    insta::assert_snapshot!("typos_reference", reference.shown());
}

/// Three placeholders: one is set only by the mixin's parameters, one only by `defaults`, and one also by the state.
const PARAMETERS: &str = "\
flow: {name: parameters, policy: sales}
mixins:
  manners:
    parameters: {thanks: welcome, tone: from_the_mixin}
    rules: {gratitude: \"{{thanks}}\", farewell: \"{{parting}}\", small_talk: \"{{tone}}\"}
defaults: {parting: say_goodbye, thanks: too_weak, tone: too_weak}
states:
  greeting:
    mixins: [manners]
    parameters: {tone: from_the_state}
";

/// The other value of the switch `mixin_parameters`: without the parameters, the flow cannot be loaded.
#[test]
fn mixin_parameters_and_defaults_apply_or_are_ignored() {
    let turns = r#"{"id":"a","turns":[{"intent":"gratitude"},{"intent":"farewell"},{"intent":"small_talk"}]}"#;
    let project = Project::new()
        .file("parameters.yaml", PARAMETERS)
        .file("turns.jsonl", turns);
    let run_trace = |model: &str| {
        project.fsmsim([
            "trace",
            model,
            "--turns",
            "turns.jsonl",
            "--format",
            "table",
        ])
    };
    let documented = run_trace("parameters.yaml@documented").ends(0, "", "");
    assert_eq!(documented.stderr, "");
    insta::assert_snapshot!("parameters_documented", documented.shown());
    let reference = run_trace("parameters.yaml@reference").fails(2, "", "");
    assert_eq!(reference.stdout, "");
    insta::assert_snapshot!("parameters_reference", reference.shown());
}

#[test]
fn majority_is_more_than_half_or_at_least_half() {
    let majority = |arrived, expected, strict| Quorum::Majority.is_met(arrived, expected, strict);
    assert_eq!(
        [1, 2, 3].map(|arrived| majority(arrived, 4, true)),
        [false, false, true]
    );
    assert_eq!(
        [1, 2, 3].map(|arrived| majority(arrived, 4, false)),
        [false, true, true]
    );
    assert_eq!(
        [1, 2].map(|arrived| majority(arrived, 3, true)),
        [false, true]
    );
    assert_eq!(
        [1, 2].map(|arrived| majority(arrived, 3, false)),
        [false, true]
    );
}

#[test]
fn round_robin_continues_after_the_last_branch_or_counts() {
    let mut found = Diagnostics::default();
    let path = home("flows/bant_parallel.yaml");
    let machine = Loader::default()
        .load(&path, Profile::Documented, None, &mut found)
        .unwrap();
    let state = machine.state_id("bant_fork").unwrap();
    let Some(ControlNode::Fork(fork)) = machine.state(state).node.as_deref() else {
        panic!("a fork")
    };
    let plans = fork.branches.iter();
    let mut open = ActiveBranches {
        forks: vec![OpenFork {
            state,
            parent: None,
            turns: 0,
        }],
        branches: plans.map(|plan| Branch::new(plan, state, true)).collect(),
        ..ActiveBranches::default()
    };
    let routes = |open: &ActiveBranches| [true, false].map(|on| open.route(None, &machine, on));
    assert_eq!(routes(&open), [Some(0), Some(0)]);
    // The first branch had a turn, which completed it.
    open.served = Some(0);
    open.routed = 1;
    open.branches[0].status = Status::Completed;
    assert_eq!(routes(&open), [Some(1), Some(2)]);
    open.served = Some(3);
    open.routed = 3;
    assert_eq!(routes(&open), [Some(1), Some(1)]);
}
