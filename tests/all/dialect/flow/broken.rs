//! Flows that cannot be played: a located error that says what to do, exit code 2, and never a panic.

use crate::support::{Invocation, Project};

const TURNS: &str = "{\"id\":\"a\",\"turns\":[{\"intent\":\"x\"}]}\n";

fn trace(flow: impl AsRef<[u8]>) -> Invocation {
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("turns.jsonl", TURNS);
    project.fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
}

#[test]
fn wrong_target() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nstates:\n  greeting:\n    transitions:\n      agreement: presentatoin\n  presentation: {goal: x}\n",
    ).refuses(""));
}

#[test]
fn a_wrong_target_in_a_mixin_points_at_its_line_and_names_the_states_that_inherit_it() {
    insta::assert_snapshot!(Project::new()
        .file("constants.yaml", "limits: {max_gobacks: 2}\n")
        .file("flows/_base/mixins.yaml", "mixins:\n  exits:\n    transitions:\n      rejection: soft_clsoe\n")
        .file(
            "flows/_base/states.yaml",
            "states:\n  _phase: {abstract: true, mixins: [exits]}\n  greeting: {mixins: [exits]}\n  soft_close: {goal: bye}\n",
        )
        .file("flows/sale/flow.yaml", "flow: {name: sale}\n")
        .file("flows/sale/states.yaml", "states:\n  first: {extends: _phase}\n  second: {extends: _phase}\n")
        .file("turns.jsonl", TURNS)
        .fsmsim(["trace", "flows/sale", "--turns", "turns.jsonl"]).refuses(""));
}

#[test]
fn unknown_condition() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nstates:\n  greeting:\n    rules:\n      price_question: [{when: has_pricing_dta, then: answer}, deflect]\n",
    ).refuses(""));
}

#[test]
fn unknown_mixin() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nmixins:\n  price_handling: {rules: {a: b}}\nstates:\n  greeting: {mixins: [price_handlng]}\n",
    ).refuses(""));
}

#[test]
fn unknown_parent() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {extends: _base}\n").refuses("")
    );
}

#[test]
fn a_circle_of_states_is_named() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {extends: b}\n  b: {extends: c}\n  c: {extends: greeting}\n",)
            .refuses("")
    );
}

#[test]
fn a_circle_of_mixins_is_named() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nmixins:\n  a: {includes: [b]}\n  b: {includes: [c]}\n  c: {includes: [a]}\nstates:\n  greeting: {mixins: [a]}\n",
    ).refuses(""));
}

#[test]
fn a_circle_of_conditions_is_named() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nconditions:\n  warm: {or: [hot, {slot: x}]}\n  hot: {not: warm}\nstates:\n  greeting: {rules: {a: {when: warm, then: b}}}\n",
    ).refuses(""));
}

#[test]
fn duplicate_key() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {goal: x}\n  greeting: {goal: y}\n")
            .refuses("")
    );
}

#[test]
fn bad_yaml() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {goal: 'x}\n").refuses("")
    );
}

#[test]
fn tab_indentation() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n\tgreeting:\n\t\tgoal: x\n").refuses("")
    );
}

#[test]
fn a_file_of_ten_megabytes() {
    let line = "  state: {goal: this line is here to make the file large, and nothing else}\n";
    insta::assert_snapshot!(
        trace(format!(
            "flow: {{name: f}}\nstates:\n{}",
            line.repeat(10_000_000 / line.len())
        ))
        .refuses("")
    );
}

#[test]
fn alias_bomb() {
    let mut text = "flow: {name: f}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..=10 {
        let below = format!("*a{}", level - 1);
        text.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![below; 10].join(", ")
        ));
    }
    insta::assert_snapshot!(trace(text).refuses(""));
}

#[test]
fn twenty_thousand_brackets() {
    let told = trace(format!(
        "flow: {{name: f}}\nstates:\n  {}",
        "[".repeat(20_000)
    ))
    .refuses("");
    let title = told.lines().take(2).collect::<Vec<_>>();
    assert_eq!(
        title,
        [
            "error[FS0005]: the document is nested too deeply",
            " --> flow.yaml:3:258"
        ]
    );
}

#[test]
fn twenty_thousand_levels_of_blocks() {
    let deep: String = (0..20_000)
        .map(|level| format!("{}- \n", " ".repeat(level % 200 * 2)))
        .collect();
    let nested: String = (0..300)
        .map(|level| format!("{}a:\n", " ".repeat(level)))
        .collect();
    trace(deep).refuses("");
    assert!(
        trace(nested)
            .refuses("")
            .starts_with("error[FS0005]: the document is nested too deeply")
    );
}

#[test]
fn invalid_utf8() {
    insta::assert_snapshot!(
        trace(b"flow: {name: f}\nstates:\n  greeting: {goal: \xcf\xf0\xe8\xe2\xe5\xf2}\n")
            .refuses("")
    );
}

#[test]
fn empty_file() {
    insta::assert_snapshot!(trace("").refuses(""));
    insta::assert_snapshot!(trace("# nothing but a comment\n").refuses(""));
}

#[test]
fn missing_folder() {
    let project = Project::new()
        .file("flows/spin_selling/flow.yaml", "flow: {name: f}")
        .file("turns.jsonl", TURNS);
    let run = |model: &str| project.fsmsim(["trace", model, "--turns", "turns.jsonl"]);
    insta::assert_snapshot!(run("flows/spin_seling").refuses(""));
    insta::assert_snapshot!(run("flows").refuses(""));
    insta::assert_snapshot!(run("flows/spin_selling@referense").refuses(""));
}

#[test]
fn missing_turns_file() {
    let project = Project::new()
        .file("flow.yaml", "states: {greeting: {}}")
        .file("turns.jsonl", TURNS);
    insta::assert_snapshot!(
        project
            .fsmsim(["trace", "flow.yaml", "--turns", "turn.jsonl"])
            .refuses("")
    );
}

#[test]
fn a_flow_without_states() {
    insta::assert_snapshot!(trace("flow: {name: f}\nstates: {}\n").refuses(""));
}

#[test]
fn unresolved_placeholder() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, variables: {entry_state: greeting}}\nstates:\n  greeting: {transitions: {a: '{{entri_state}}'}}\n",
    ).refuses(""));
}

#[test]
fn wrong_phases_and_entry_points() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, phases: {order: [a], mapping: {a: gretting}}, entry_points: {default: start}}\nstates:\n  greeting: {}\n",
    ).refuses(""));
}

#[test]
fn many_errors_are_told_at_once() {
    insta::assert_snapshot!(trace(
        "flow: {nam: f, version: [1]}\nsates: {}\nstates:\n  greeting: [x]\n  b: {rules: 7, max_turns_in_state: many, is_final: maybe, transitions: {x: {then: b}, y: c}}\n",
    ).refuses(""));
}

#[test]
fn a_slip_in_a_key_of_a_state_is_told() {
    let told = trace("flow: {name: f}\nstates:\n  greeting: {transitons: {a: b}}\n").refuses("");
    insta::assert_snapshot!(told);
}

#[test]
fn conditions_that_are_not_well_formed() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nconditions:\n  a: {slot: x, at_lest: 3}\n  b: {and: [has_company_size]}\n  c: {category: objecton}\n  d: {flag: circular}\n  e: {slot: x, turn: 3}\n  f: [x]\n  has_pain_point: {slot: y}\n  g: {signal: momentun}\n  h: {streak: unclear, at_least: {limit: max_objections}}\nstates:\n  greeting: {}\n",
    ).refuses(""));
}

#[test]
fn a_condition_that_joins_has_no_other_keys() {
    let flow = |conditions: &str| {
        format!("flow: {{name: f}}\nconditions:\n{conditions}states:\n  greeting: {{}}\n")
    };
    let wrong = "  a: {and: [{slot: x}, {slot: y}], descripton: both}\n  b: {or: [{slot: x}, {slot: y}], and: [{slot: x}, {slot: y}]}\n  c: {not: {slot: x}, slot: y}\n  d: {expression: {and: [{slot: x}, {not: {slot: y}, fliter: 1}]}}\n";
    insta::assert_snapshot!(trace(flow(wrong)).refuses(""));
    let known = "  a: {and: [{slot: x}, {slot: y}], description: both}\n  b: {not: {slot: x}, description: one}\n";
    assert_eq!(trace(flow(known)).run().code, 0);
}

#[test]
fn a_long_chain_of_parents_is_refused_and_not_followed() {
    let mut text = "flow: {name: f}\nstates:\n  greeting: {extends: s0}\n".to_owned();
    for number in 0..20_000 {
        text.push_str(&format!(
            "  s{number}: {{abstract: true, extends: s{}}}\n",
            number + 1
        ));
    }
    text.push_str("  s20000: {abstract: true}\n");
    trace(text).refuses("error[FS0005]: the chain of parents of");
}

#[test]
fn includes_that_double_at_each_level_are_stopped() {
    let mut text = "flow: {name: f}\nstates:\n  greeting: {mixins: [m0]}\nmixins:\n".to_owned();
    for level in 0..40 {
        text.push_str(&format!(
            "  m{level}: {{includes: [m{0}, m{0}]}}\n",
            level + 1
        ));
    }
    text.push_str("  m40: {rules: {a: b}}\n");
    trace(text).refuses("error[FS0005]");
}

#[test]
fn a_long_chain_of_conditions_is_refused_and_not_followed() {
    let mut text = "flow: {name: f}\nstates:\n  greeting: {}\nconditions:\n".to_owned();
    for number in 0..5_000 {
        text.push_str(&format!("  c{number}: {{not: c{}}}\n", number + 1));
    }
    text.push_str("  c5000: {slot: x}\n");
    trace(text).refuses("error[FS0005]: conditions nest");
}

#[test]
fn errors_are_plain_when_piped_and_coloured_on_demand() {
    let project = Project::new()
        .file("flow.yaml", "states: {}")
        .file("turns.jsonl", TURNS);
    let run = |colour: &[&str]| {
        project
            .fsmsim(colour)
            .args(["trace", "flow.yaml", "--turns", "turns.jsonl"])
            .run()
            .stderr
    };
    assert!(!run(&[]).contains('\u{1b}'));
    assert!(run(&["--color", "always"]).contains('\u{1b}'));
    let bare = project
        .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
        .env("NO_COLOR", "1")
        .run();
    assert!(!bare.stderr.contains('\u{1b}'));
}

#[test]
fn a_placeholder_that_stands_for_a_placeholder_was_taken_for_a_state() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, variables: {last: hall}}\nstates:\n  greeting:\n    parameters: {back: \"{{last}}\"}\n    transitions: {go_back: \"{{back}}\"}\n  hall: {}\n",
    ).refuses(""));
}

#[test]
fn slots_and_intents_that_only_a_condition_knows_are_warned_about() {
    let project = Project::new()
        .file(
            "flow.yaml",
            "flow: {name: f}\nstates:\n  greeting:\n    optional_data: [floor]\n    rules: {pick_floor: [{when: high_up, then: take_the_lift}, walk]}\nconditions:\n  high_up: {and: [{slot: flor, at_least: 4}, {not: {intent: pick_flor}}, {streak: pick_floor, at_least: 1}, {slot: company_size}]}\n",
        )
        .file("turns.jsonl", TURNS);
    let run = project
        .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
        .warns("", "");
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn a_number_is_no_rule() {
    let flow = "flow: {name: f}\nstates:\n  greeting: {rules: {x: 5, y: [true, z]}}\n";
    assert_eq!(
        trace(flow)
            .refuses("")
            .matches("error[FS0109]: a rule gives a name")
            .count(),
        2
    );
    // The running system passes over it.
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("turns.jsonl", TURNS);
    project
        .fsmsim([
            "trace",
            "flow.yaml",
            "--turns",
            "turns.jsonl",
            "--profile",
            "reference",
        ])
        .warns("\"action\":\"continue_current_goal\"", "");
}
