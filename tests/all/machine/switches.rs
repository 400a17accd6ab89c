//! Every switch of the profiles is shown in both its values: by a scenario file, or by a test here.

use std::path::PathBuf;

use fsmsim_core::machine::{Quorum, Switches};
use serde_json::Value;

use crate::support::{Project, home, text, walk};

/// The switches that no scenario file shows, each with the test of this file that does.
const ELSEWHERE: [(&str, &str); 2] = [
    ("strict_load", "a_slip_in_a_flow_is_an_error_or_a_warning"),
    // The running system carries no join out, so nothing shows its majority but the rule itself.
    ("majority", "a_majority_is_more_than_half_or_half"),
];

/// What must be the same in both documents of a pair, beside the turns.
const SAME: [&str; 3] = ["model:", "start:", "signals:"];

#[test]
fn every_switch_is_shown_in_both_its_values() {
    let here = text("tests/all/machine/switches.rs");
    let page = text("docs/profiles.md");
    let mut wrong = Vec::new();
    for name in Switches::NAMES {
        if !page.contains(&format!("\n| `{name}` |")) {
            wrong.push(format!("docs/profiles.md has no row for `{name}`"));
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
            // A test that was renamed shows nothing.
            Some((_, test)) if !here.contains(&format!("fn {test}()")) => {
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
    wrong.extend(stale.map(|name| format!("`{name}` is no switch any more")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The documents of each file come in pairs: the same dialogue, once in each profile, with another outcome.
#[test]
fn the_two_profiles_play_the_same_turns_and_come_out_differently() {
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
        assert_eq!(dialogues.len() % 2, 0, "{name}: one document is alone");
        for (pair, heads) in dialogues.chunks(2).zip(heads.chunks(2)) {
            let [documented, reference] = pair else {
                panic!("a pair is two")
            };
            assert_eq!(
                (&*documented.0, &*reference.0),
                ("documented", "reference"),
                "{name}"
            );
            assert_eq!(heads[0], heads[1], "{name}");
            assert_eq!(
                documented.1, reference.1,
                "{name}: both play the same turns"
            );
            assert_ne!(documented.2, reference.2, "{name}: nothing differs");
        }
    }
}

/// A slip of each kind: the parent, the mixin, the condition and the target.
const SLIPS: &str = "\
flow: {name: slips}
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

/// Four turns: the rule with the slip, a rule without, the transition with the slip, one without.
const TURNS: &str = r#"{"id":"a","turns":[{"intent":"small_talk"},{"intent":"gratitude"},{"intent":"agreement"},{"intent":"rejection"}]}"#;

#[test]
fn a_slip_in_a_flow_is_an_error_or_a_warning() {
    let project = Project::new()
        .file("slips.yaml", SLIPS)
        .file("turns.jsonl", TURNS);
    let play = |model: &str| {
        project.fsmsim([
            "trace",
            model,
            "--turns",
            "turns.jsonl",
            "--format",
            "table",
        ])
    };
    let documented = play("slips.yaml@documented").fails(2, "", "");
    assert_eq!(documented.stdout, "");
    insta::assert_snapshot!("slips_documented", documented.shown());
    let reference = play("slips.yaml@reference").ends(0, "", "");
    insta::assert_snapshot!("slips_reference", reference.shown());
}

/// A placeholder that only a mixin's own parameters fill, one that only `defaults` fill, and one that both and the state
/// fill.
const PARAMETERS: &str = "\
flow: {name: parameters}
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

/// The other half of the switch `mixin_parameters`: without the parameters the flow cannot be loaded.
#[test]
fn parameters_of_mixins_and_defaults_count_or_are_not_seen() {
    let turns = r#"{"id":"a","turns":[{"intent":"gratitude"},{"intent":"farewell"},{"intent":"small_talk"}]}"#;
    let project = Project::new()
        .file("parameters.yaml", PARAMETERS)
        .file("turns.jsonl", turns);
    let play = |model: &str| {
        project.fsmsim([
            "trace",
            model,
            "--turns",
            "turns.jsonl",
            "--format",
            "table",
        ])
    };
    let documented = play("parameters.yaml@documented").ends(0, "", "");
    assert_eq!(documented.stderr, "");
    insta::assert_snapshot!("parameters_documented", documented.shown());
    let reference = play("parameters.yaml@reference").fails(2, "", "");
    assert_eq!(reference.stdout, "");
    insta::assert_snapshot!("parameters_reference", reference.shown());
}

#[test]
fn a_majority_is_more_than_half_or_half() {
    let majority = |came, expected, strict| Quorum::Majority.is_met(came, expected, strict);
    assert_eq!(
        [1, 2, 3].map(|came| majority(came, 4, true)),
        [false, false, true]
    );
    assert_eq!(
        [1, 2, 3].map(|came| majority(came, 4, false)),
        [false, true, true]
    );
    assert_eq!([1, 2].map(|came| majority(came, 3, true)), [false, true]);
    assert_eq!([1, 2].map(|came| majority(came, 3, false)), [false, true]);
}
