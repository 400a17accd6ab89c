//! Invalid flows: an error with a location and a fix, exit code 2, and never a panic.

use crate::support::{Invocation, Project};

const TURNS: &str = "{\"id\":\"a\",\"turns\":[{\"intent\":\"x\"}]}\n";

fn trace(flow: impl AsRef<[u8]>) -> Invocation {
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("turns.jsonl", TURNS);
    project.fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
}

#[test]
fn unknown_target_is_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nstates:\n  greeting:\n    transitions:\n      agreement: presentatoin\n  presentation: {goal: x}\n",
    ).refuses(""));
}

#[test]
fn unknown_target_in_a_mixin_names_the_inheriting_states() {
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
fn unknown_condition_is_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, policy: sales}\nstates:\n  greeting:\n    rules:\n      price_question: [{when: has_pricing_dta, then: answer}, deflect]\n",
    ).refuses(""));
}

#[test]
fn unknown_mixin_is_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nmixins:\n  price_handling: {rules: {a: b}}\nstates:\n  greeting: {mixins: [price_handlng]}\n",
    ).refuses(""));
}

#[test]
fn unknown_parent_is_rejected() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {extends: _base}\n").refuses("")
    );
}

#[test]
fn cyclic_parents_are_rejected() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {extends: b}\n  b: {extends: c}\n  c: {extends: greeting}\n",)
            .refuses("")
    );
}

#[test]
fn cyclic_mixins_are_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nmixins:\n  a: {includes: [b]}\n  b: {includes: [c]}\n  c: {includes: [a]}\nstates:\n  greeting: {mixins: [a]}\n",
    ).refuses(""));
}

#[test]
fn cyclic_conditions_are_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f}\nconditions:\n  warm: {or: [hot, {slot: x}]}\n  hot: {not: warm}\nstates:\n  greeting: {rules: {a: {when: warm, then: b}}}\n",
    ).refuses(""));
}

#[test]
fn duplicate_key_is_rejected() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {goal: x}\n  greeting: {goal: y}\n")
            .refuses("")
    );
}

#[test]
fn invalid_yaml_is_rejected() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n  greeting: {goal: 'x}\n").refuses("")
    );
}

#[test]
fn tab_indentation_is_rejected() {
    insta::assert_snapshot!(
        trace("flow: {name: f}\nstates:\n\tgreeting:\n\t\tgoal: x\n").refuses("")
    );
}

#[test]
fn file_of_ten_megabytes_is_rejected() {
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
fn alias_bomb_is_rejected() {
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
fn deeply_nested_brackets_are_rejected() {
    let stderr = trace(format!(
        "flow: {{name: f}}\nstates:\n  {}",
        "[".repeat(20_000)
    ))
    .refuses("");
    let title = stderr.lines().take(2).collect::<Vec<_>>();
    assert_eq!(
        title,
        [
            "error[FS0005]: document is nested too deeply: limit 100 levels",
            " --> flow.yaml:3:258"
        ]
    );
}

#[test]
fn deeply_nested_blocks_are_rejected() {
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
            .starts_with("error[FS0005]: document is nested too deeply")
    );
}

#[test]
fn invalid_utf8_is_rejected() {
    insta::assert_snapshot!(
        trace(b"flow: {name: f}\nstates:\n  greeting: {goal: \xcf\xf0\xe8\xe2\xe5\xf2}\n")
            .refuses("")
    );
}

#[test]
fn empty_file_is_rejected() {
    insta::assert_snapshot!(trace("").refuses(""));
    insta::assert_snapshot!(trace("# nothing but a comment\n").refuses(""));
}

#[test]
fn missing_model_directory_is_rejected() {
    let project = Project::new()
        .file("flows/spin_selling/flow.yaml", "flow: {name: f}")
        .file("turns.jsonl", TURNS);
    let run = |model: &str| project.fsmsim(["trace", model, "--turns", "turns.jsonl"]);
    insta::assert_snapshot!(run("flows/spin_seling").refuses(""));
    insta::assert_snapshot!(run("flows").refuses(""));
    insta::assert_snapshot!(run("flows/spin_selling@referense").refuses(""));
}

#[test]
fn missing_turns_file_is_rejected() {
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
fn flow_without_states_is_rejected() {
    insta::assert_snapshot!(trace("flow: {name: f}\nstates: {}\n").refuses(""));
}

#[test]
fn unresolved_placeholder_is_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, variables: {entry_state: greeting}}\nstates:\n  greeting: {transitions: {a: '{{entri_state}}'}}\n",
    ).refuses(""));
}

#[test]
fn invalid_phases_and_entry_points_are_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, phases: {order: [a], mapping: {a: gretting}}, entry_points: {default: start}}\nstates:\n  greeting: {}\n",
    ).refuses(""));
}

#[test]
fn all_errors_are_reported_together() {
    insta::assert_snapshot!(trace(
        "flow: {nam: f, policy: sales, version: [1]}\nsates: {}\nstates:\n  greeting: [x]\n  b: {rules: 7, max_turns_in_state: many, is_final: maybe, transitions: {x: {then: b}, y: c}}\n",
    ).refuses(""));
}

#[test]
fn misspelled_state_key_is_reported() {
    let stderr = trace("flow: {name: f}\nstates:\n  greeting: {transitons: {a: b}}\n").refuses("");
    insta::assert_snapshot!(stderr);
}

#[test]
fn malformed_conditions_are_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, policy: sales}\nconditions:\n  a: {slot: x, at_lest: 3}\n  b: {and: [has_company_size]}\n  c: {category: objecton}\n  d: {flag: circular}\n  e: {slot: x, turn: 3}\n  f: [x]\n  has_pain_point: {slot: y}\n  g: {signal: momentun}\n  h: {streak: unclear, at_least: {limit: max_objections}}\nstates:\n  greeting: {}\n",
    ).refuses(""));
}

#[test]
fn combined_condition_has_no_other_keys() {
    let flow = |conditions: &str| {
        format!("flow: {{name: f}}\nconditions:\n{conditions}states:\n  greeting: {{}}\n")
    };
    let wrong = "  a: {and: [{slot: x}, {slot: y}], descripton: both}\n  b: {or: [{slot: x}, {slot: y}], and: [{slot: x}, {slot: y}]}\n  c: {not: {slot: x}, slot: y}\n  d: {expression: {and: [{slot: x}, {not: {slot: y}, fliter: 1}]}}\n";
    insta::assert_snapshot!(trace(flow(wrong)).refuses(""));
    let known = "  a: {and: [{slot: x}, {slot: y}], description: both}\n  b: {not: {slot: x}, description: one}\n";
    assert_eq!(trace(flow(known)).run().code, 0);
}

#[test]
fn long_chain_of_parents_is_rejected() {
    let mut text = "flow: {name: f}\nstates:\n  greeting: {extends: s0}\n".to_owned();
    for number in 0..20_000 {
        text.push_str(&format!(
            "  s{number}: {{abstract: true, extends: s{}}}\n",
            number + 1
        ));
    }
    text.push_str("  s20000: {abstract: true}\n");
    trace(text).refuses("error[FS0005]: inheritance of");
}

#[test]
fn exponential_includes_are_rejected() {
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
fn long_chain_of_conditions_is_rejected() {
    let mut text = "flow: {name: f}\nstates:\n  greeting: {}\nconditions:\n".to_owned();
    for number in 0..5_000 {
        text.push_str(&format!("  c{number}: {{not: c{}}}\n", number + 1));
    }
    text.push_str("  c5000: {slot: x}\n");
    trace(text).refuses("error[FS0005]: condition is nested too deeply");
}

#[test]
fn errors_are_colored_only_on_request() {
    let project = Project::new()
        .file("flow.yaml", "states: {}")
        .file("turns.jsonl", TURNS);
    let run = |color: &[&str]| {
        project
            .fsmsim(color)
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
fn nested_placeholder_is_rejected() {
    insta::assert_snapshot!(trace(
        "flow: {name: f, variables: {last: hall}}\nstates:\n  greeting:\n    parameters: {back: \"{{last}}\"}\n    transitions: {go_back: \"{{back}}\"}\n  hall: {}\n",
    ).refuses(""));
}

#[test]
fn names_used_only_in_conditions_cause_warnings() {
    let project = Project::new()
        .file(
            "flow.yaml",
            "flow: {name: f, policy: sales}\nstates:\n  greeting:\n    optional_data: [floor]\n    rules: {pick_floor: [{when: high_up, then: take_the_lift}, walk]}\nconditions:\n  high_up: {and: [{slot: flor, at_least: 4}, {not: {intent: pick_flor}}, {streak: pick_floor, at_least: 1}, {slot: company_size}]}\n",
        )
        .file("turns.jsonl", TURNS);
    let run = project
        .fsmsim(["trace", "flow.yaml", "--turns", "turns.jsonl"])
        .warns("", "");
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn misspelled_slot_is_reported_in_named_and_inline_conditions() {
    let named = "conditions: {is_x: {slot: nam, is: x}}\n";
    let in_reply = "replies: {greet: {text: Hi, when: {slot: nam, is: x}}}\n";
    for (when, rest) in [
        ("is_x", named),
        ("{slot: nam, is: x}", ""),
        ("{slot: name}", in_reply),
    ] {
        let flow = format!(
            "flow: {{name: f}}\nstates:\n  greeting:\n    optional_data: [name]\n    rules: {{hello: [{{when: {when}, then: greet}}, ask]}}\n{rest}"
        );
        let run = Project::new()
            .file("flow.yaml", flow)
            .fsmsim(["lint", "flow.yaml"])
            .warns(
                "",
                "warning[FS0126]: slot `nam` is not collected by any state\n --> flow.yaml:",
            );
        assert!(run.stderr.contains("exists: `name`"), "{run}");
    }
}

#[test]
fn number_as_a_rule_is_rejected() {
    let flow =
        "flow: {name: f, policy: sales}\nstates:\n  greeting: {rules: {x: 5, y: [true, z]}}\n";
    assert_eq!(
        trace(flow)
            .refuses("")
            .matches("error[FS0109]: expected a name in a rule")
            .count(),
        2
    );
    // The profile `reference` ignores such a rule, like the recorded system.
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

/// A flow without findings.
const SHOP: &str = "\
flow: {name: shop, entry_points: {default: talk}}
slots: {paid: {}}
states:
  talk: {goal: Sell, phase: offer, transitions: {buy: over}}
  over: {goal: End, is_final: true}
phases: {order: [offer]}
";

/// The findings of `lint` about the shop with these lines.
fn lint_shop(lines: &str) -> String {
    let project = Project::new().file("shop.yaml", format!("{SHOP}{lines}"));
    project.fsmsim(["lint", "shop.yaml"]).run().stderr
}

#[test]
fn second_document_is_reported_in_every_file() {
    let project = Project::new()
        .file(
            "constants.yaml",
            "limits: {max_gobacks: 2}\n---\nlimits: {}\n",
        )
        .file("_base/mixins.yaml", "mixins: {}\n---\n{\n")
        .file(
            "shop/flow.yaml",
            "flow: {name: shop}\nentry_points: {default: talk}\n...\nstates: {}\n",
        )
        .file(
            "shop/states.yaml",
            "---\nstates: {talk: {goal: x, is_final: true}}\n---\n# No second document.\n",
        );
    insta::assert_snapshot!(project.fsmsim(["lint", "shop"]).fails(1, "", "").stderr);
    let project = Project::new()
        .file("scenarios/s.yaml", "scenario: S\nmodel: shop.yaml\nllm: mock.yaml\nturns: [{say: Hi, expect: {state: over}}]\n")
        .file("shop.yaml", SHOP)
        .file("mock.yaml", "rules: [{say: Hi, answer: {intent: buy}}]\n---\nrules: []\n");
    let found = "error[FS0021]: expected one document, found several\n --> mock.yaml:3:1";
    project.fsmsim(["test"]).fails(2, "", found);
}

#[test]
fn properties_must_name_what_the_model_has() {
    insta::assert_snapshot!(lint_shop(
        "conditions: {lost: {state: ovr}}
properties:
  a: {never: {state: ovr}}
  b: {never: {and: [{phase: ofer}, {from: [talk, tlak]}]}}
  c: {after: {intent: bye}, leads_to: {slot: piad}}
  d: {never: lost}
  e: {never: {state: []}}
  f: {always: {or: [{was: paid, known: false}, {slot: paid, same_as: paid}, {state: {in: [talk, nowhere]}}]}}
",
    ));
}

#[test]
fn contract_properties_must_name_what_the_contract_has() {
    let contract = "\
kind: contract
initial: init
modes: [init]
frames: {topic: {carried: root, fields: {name: text}}}
intents: {ask: {say: what}}
classes:
  Q: {owner: topic, intent: [ask], requires: nothing, carryover: full, sets: {}, forbids: [], answers: []}
properties:
  known: {never: {and: [{from: init}, {intent: ask}, {was: topic.name, is: x}]}}
  unknown: {never: {and: [{from: inti}, {intent: aks}, {phase: one}]}}
";
    let project = Project::new().file("c.yaml", contract);
    insta::assert_snapshot!(project.fsmsim(["lint", "c.yaml"]).fails(1, "", "").stderr);
}

#[test]
fn unknown_names_in_conditions_cause_warnings() {
    let reply = "replies: {continue_current_goal: [{text: Hi, when: {state: tlak}}, Bye]}\n";
    assert!(lint_shop(reply).contains("warning[FS0126]: unknown state `tlak`"));
}

#[test]
fn unknown_phases_cause_warnings() {
    let flow = SHOP
        .replace("{name: shop,", "{name: shop, policy: sales,")
        .replace("order: [offer]", "order: [offer], progress_intents: {buy: nothing, byu: offer}, skip_conditions: {nophase: [has_contact_info]}")
        .replace("goal: End", "goal: End, phase: zzz");
    let project = Project::new().file("shop.yaml", flow);
    insta::assert_snapshot!(project.fsmsim(["lint", "shop.yaml"]).warns("", "").stderr);
}

#[test]
fn unused_mixins_cause_warnings() {
    let own = "mixins: {polite: {rules: {thanks: reply}}}\n";
    assert!(lint_shop(own).contains("warning[FS0435]: mixin `polite` is never used"));
    let flow = |mixin: &str| {
        format!("states: {{greeting: {{goal: x, is_final: true, mixins: [{mixin}]}}}}\n")
    };
    let mixin = "{rules: {thanks: reply}}";
    let project = Project::new()
        .file("constants.yaml", "limits: {max_gobacks: 2}\n")
        .file(
            "flows/_base/mixins.yaml",
            format!("mixins: {{here: {mixin}, there: {mixin}, nowhere: {mixin}}}\n"),
        )
        .file("flows/a/flow.yaml", "flow: {name: a}\n")
        .file("flows/a/states.yaml", flow("here"))
        .file("flows/b/flow.yaml", "flow: {name: b}\n")
        .file("flows/b/states.yaml", flow("there"));
    let run = project
        .fsmsim(["lint", "flows/a"])
        .warns("", "mixin `nowhere` is never used");
    assert_eq!(run.stderr.matches("FS0435").count(), 1, "{run}");
}

#[test]
fn empty_list_of_gates_is_rejected() {
    let effect = "effects: {book: {schema: {type: object}, gates: []}}\n";
    assert!(lint_shop(effect).contains("expected at least one gate, found an empty list"));
}

#[test]
fn names_in_one_string_cause_warnings() {
    let constants = "constants: {intents: {categories: {exit: ['buy, leave']}}}\n";
    assert!(lint_shop(constants).contains(
        "warning[FS0007]: expected one name in `exit`, found a list in a string\n --> shop.yaml:7:43"
    ));
}
