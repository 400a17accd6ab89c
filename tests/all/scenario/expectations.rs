//! `fsmsim test`: expectations, selection, exit codes.

use crate::support::{Invocation, Project, Run};

/// A small flow with three states.
pub(crate) const FLOW: &str = "\
flow: {name: door, policy: sales}
states:
  greeting:
    goal: Someone is at the door
    transitions: {agreement: hall, rejection: street}
    rules: {greeting: greet_back}
  hall:
    required_data: [name]
    transitions: {data_complete: street}
  street: {is_final: true}
";

pub(crate) const GOOD: &str = "\
scenario: In and out
model: flow.yaml
tags: [smoke]
turns:
  - say: Hello
    intent: greeting
    expect: {state: greeting, action: greet_back, class: hold}
  - intent: agreement
    expect: {state: hall, class: move, missing: [name]}
  - intent: info_provided
    data: {name: Ann}
    expect: {state: street, class: finish, carryover: {added: [name]}}
end: {final: true, data: {name: Ann}}
";

pub(crate) fn project(scenario: &str) -> Project {
    Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/door.yaml", scenario)
}

fn test(scenario: &str) -> Invocation {
    project(scenario).fsmsim(["test"])
}

#[test]
fn met_expectations_pass() {
    insta::assert_snapshot!(test(GOOD).shown());
}

#[test]
fn unmet_expectation_fails_with_reason_and_location() {
    insta::assert_snapshot!(
        test(&GOOD.replace(
            "class: move, missing: [name]",
            "class: finish, missing: [name, phone]"
        ))
        .shown()
    );
}

#[test]
fn long_reply_differs_from_the_expectation_by_lines_and_words() {
    let reply = "\"Good morning!\\nYour table for two is booked for Friday at seven.\"";
    let scenario = GOOD.replace("state: hall,", &format!("state: hall, replies: [{reply}],"));
    let project = project(&scenario);
    let flow = format!("{FLOW}replies:\n  transition_to_hall: {reply}\n");
    project.write("flow.yaml", &flow);
    project.fsmsim(["test"]).succeeds("");
    project.write("flow.yaml", flow.replace("two", "three"));
    insta::assert_snapshot!(project.fsmsim(["test"]).shown());
}

#[test]
fn end_expectations_are_checked_after_the_last_turn() {
    insta::assert_snapshot!(
        test(&GOOD.replace("data: {name: Ann}}", "data: {name: Bob, phone: \"1\"}}")).shown()
    );
}

#[test]
fn typo_in_an_expectation_is_an_error() {
    let run = test(
        &GOOD
            .replace("action: greet_back", "acton: greet_back")
            .replace("class: move", "clas: move"),
    );
    insta::assert_snapshot!(run.shown());
}

/// Checks that each of these errors is reported once, and no others.
fn reports(run: &Run, titles: &[&str]) {
    let errors = run.stderr.lines().filter(|line| line.starts_with("error["));
    let errors: Vec<&str> = errors.collect();
    for title in titles {
        let count = errors.iter().filter(|error| error.contains(title)).count();
        assert_eq!(count, 1, "{title}\n{run}");
    }
    assert_eq!(errors.len(), titles.len(), "{run}");
}

#[test]
fn one_run_reports_keys_and_names_of_every_turn() {
    let scenarios = "\
scenario: Turns
model: flow.yaml
turns:
  - {intent: grreting, expect: {stat: hall, state: hal}, expected_failure: {phase: later}}
  - {intnt: greeting, expect: {state: {from: gretting, too: hall}, data: {name: {in: 5, matches: '('}}}}
---
scenario: Keys
model: flow.yaml
tag: [smoke]
turns: [{intent: [agreement], say: Yes}, {intent: agrement}]
";
    let titles = [
        "unknown intent `grreting`",
        "unknown key `stat` in `expect`",
        "unknown state `hal`",
        "unknown key `intnt` in a turn",
        "unknown key `too` in `state`",
        "unknown state `gretting`",
        "expected a list for `in`",
        "invalid regular expression",
        "unknown key `tag` in a scenario",
        "expected a string for `intent`",
        "unknown intent `agrement`",
    ];
    reports(&test(scenarios).run(), &titles);
}

#[test]
fn error_elsewhere_does_not_hide_keys_and_names() {
    let (key, name) = (
        "unknown key `stat` in `expect`",
        "unknown intent `grreting`",
    );
    let ann = "{intent: info_provided, data: {name: \"{{who}}\"}}";
    let defaults = "unknown key `tgas` in `_defaults.yaml`";
    // The other keys of the scenario, its first turn, and the errors.
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "tag: a",
            "{intent: greeting}",
            &["unknown key `tag` in a scenario", key, name],
        ),
        (
            "cases: [{who: Ann, unused: 1}]",
            ann,
            &["parameter `unused` is never used", key, name],
        ),
        ("tags: a", ann, &["unknown parameter `who`", key, name]),
        (
            "tags: a",
            "{use: ./entr.yaml}",
            &["cannot find `scenarios/entr.yaml`", key, name],
        ),
        (
            "start: {stat: hall, state: hal}",
            "{intent: greeting}",
            &[
                "unknown key `stat` in `start`",
                "unknown state `hal`",
                key,
                name,
            ],
        ),
        (
            "llm: mock.yaml",
            "{say: Hello}",
            &[
                "unknown need `clasify`",
                "invalid pattern in `say`",
                "cannot use the mock `mock.yaml`",
                "unknown intent `gretting`",
                key,
                name,
            ],
        ),
        ("defaults", "{intent: greeting}", &[defaults, key, name]),
        // Without the model, names are unknown.
        (
            "modle: flow.yaml",
            "{intent: greeting}",
            &["unknown key `modle` in a scenario", key],
        ),
        (
            "model: nowhere.yaml",
            "{intent: greeting}",
            &["cannot find `nowhere.yaml`", key],
        ),
    ];
    for (keys, first, errors) in cases {
        let has_model = keys.starts_with("mod") || keys == "defaults";
        let head = match keys {
            "defaults" => String::new(),
            _ if has_model => format!("{keys}\n"),
            _ => format!("model: flow.yaml\n{keys}\n"),
        };
        let turns =
            format!("turns:\n  - {first}\n  - {{intent: grreting, expect: {{stat: hall}}}}\n");
        let project = project(&format!("scenario: A\n{head}{turns}"));
        project.write(
            "mock.yaml",
            "rules: [{need: clasify, say: '(', answer: {intent: gretting}}]\n",
        );
        if keys == "defaults" {
            project.write("scenarios/_defaults.yaml", "model: flow.yaml\ntgas: a\n");
        }
        reports(&project.fsmsim(["test"]).run(), errors);
    }
}

#[test]
fn lists_and_maps_match_by_operator() {
    let turns = "\
scenario: Ways to expect
model: flow.yaml
start: {foreign: [tags]}
turns:
  - intent: agreement
    data: {phone: 5, tags: [a, b, c]}
    expect:
      state: {from: greeting, to: {any: [hall, street]}}
      action: {not: greet_back}
      data: {phone: 5, tags: {contains: [c, a]}}
      carryover: {added: {any: [[phone, tags], []]}, dropped: []}
  - intent: agreement
    expect: {data: {tags: [a, b]}, carryover: {added: {contains: [name]}}, state: {not: hall}}
";
    insta::assert_snapshot!(test(turns).shown());
}

#[test]
fn invalid_scenario_does_not_hide_the_others() {
    let bad = "\
---
scenario: Bad
model: flow.yaml
turns:
  - intent: greeting
    tone_of_voice: loud
  - say: no intent
---
scenario: No model
turns: [{intent: greeting}]
---
scenario: Nowhere
model: nowhere.yaml
turns: [{intent: greeting}]
---
scenario: Nothing
model: flow.yaml
turns: []
---
[a, list]
";
    insta::assert_snapshot!(test(&format!("{GOOD}{bad}")).shown());
}

#[test]
fn invalid_yaml_document_does_not_affect_the_others() {
    insta::assert_snapshot!(test(&format!("scenario: [unclosed\n---\n{GOOD}")).shown());
}

#[test]
fn model_error_is_reported_once() {
    let two = format!("{GOOD}---\n{}", GOOD.replace("In and out", "Again"));
    insta::assert_snapshot!(
        Project::new()
            .file(
                "flow.yaml",
                FLOW.replace("agreement: hall", "agreement: hal")
            )
            .file("scenarios/door.yaml", two)
            .fsmsim(["test"])
            .shown()
    );
}

#[test]
fn run_without_scenarios_fails() {
    let empty = Project::new().file("scenarios/readme.txt", "nothing here");
    insta::assert_snapshot!(empty.fsmsim(["test"]).shown());
    let missing = Project::new();
    missing.fsmsim(["test"]).fails(2, "", "");
    project(GOOD)
        .fsmsim(["test", "-E", "title(no such title)"])
        .fails(2, "", "");
    project(GOOD)
        .fsmsim(["test", "--tag", "no such tag"])
        .fails(2, "", "");
    project("").fsmsim(["test"]).fails(2, "", "");
    project("# only a comment\n---\n---\n")
        .fsmsim(["test"])
        .fails(2, "", "");
}

#[test]
fn selection_runs_only_matching_scenarios() {
    let other = GOOD
        .replace("In and out", "Elsewhere")
        .replace("[smoke]", "[slow]")
        .replace("class: hold", "class: skip");
    let project = project(&format!("{GOOD}---\n{other}"));
    for arguments in [
        ["test", "--tag", "smoke"],
        ["test", "-E", "title(~and out)"],
    ] {
        project.fsmsim(&arguments).succeeds("\n1 passed in 3 turns");
    }
    project
        .fsmsim(["test", "--tag", "slow"])
        .fails(1, "1 failed in 3 turns", "");
}

#[test]
fn file_without_scenarios_is_reported_once() {
    insta::assert_snapshot!(
        Project::new()
            .file("flow.yaml", FLOW)
            .fsmsim(["test", "."])
            .shown()
    );
}

#[test]
fn number_of_threads_is_limited() {
    project(GOOD).fsmsim(["test", "-j", "100000"]).refuses("");
    project(GOOD).fsmsim(["test", "-j", "0"]).refuses("");
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let many: String = (0..1200)
        .map(|number| {
            let class = if number % 7 == 0 { "skip" } else { "hold" };
            let text = GOOD.replace("In and out", &format!("Number {number}"));
            format!(
                "---\n{}",
                text.replace("class: hold", &format!("class: {class}"))
            )
        })
        .collect();
    let project = project(&many).file("scenarios/more.yaml", GOOD);
    let one = project.fsmsim(["test", "-j", "1"]).run();
    let eight = project.fsmsim(["test", "-j", "8"]).run();
    assert_eq!(one.code, 1);
    assert!(
        one.stdout.contains("1029 passed, 172 failed in 3603 turns"),
        "{}",
        one.stdout
    );
    assert_eq!((&one.stdout, &one.stderr), (&eight.stdout, &eight.stderr));
    let again = project.fsmsim(["test", "-j", "8"]).run();
    assert_eq!(
        (&again.stdout, &again.stderr),
        (&eight.stdout, &eight.stderr)
    );
}

#[test]
fn color_is_off_in_a_pipe_and_on_with_color_always() {
    let project = project(&GOOD.replace("class: hold", "class: skip"));
    assert!(!project.fsmsim(["test"]).run().stdout.contains('\u{1b}'));
    assert!(
        project
            .fsmsim(["--color", "always", "test"])
            .run()
            .stdout
            .contains('\u{1b}')
    );
    let quiet = project
        .fsmsim(["test", "--color", "auto"])
        .env("NO_COLOR", "1")
        .env("CLICOLOR_FORCE", "1")
        .run();
    assert!(!quiet.stdout.contains('\u{1b}'));
}

#[test]
fn control_characters_of_a_scenario_are_escaped() {
    let hostile = GOOD
        .replace("In and out", "\"In \\e[31mand\\a out\"")
        .replace("class: hold", "replies: [\"\\e[2Jx\"]");
    let run = project(&hostile)
        .fsmsim(["test", "--color", "never"])
        .fails(1, "", "");
    assert!(
        !run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{7}'),
        "{:?}",
        run.stdout
    );
}

#[test]
fn profile_option_overrides_the_scenario() {
    let scenario = "\
scenario: After the end
model: flow.yaml
profile: documented
turns:
  - {intent: rejection, expect: {state: street, class: finish}}
  - {intent: greeting, expect: {action: final}}
";
    test(scenario).succeeds("");
    project(scenario)
        .fsmsim(["test", "--profile", "reference"])
        .fails(1, "flow.yaml@reference", "");
    insta::assert_snapshot!(
        project(scenario)
            .fsmsim(["test", "--profile", "refrence"])
            .shown()
    );
}

#[test]
fn scenario_file_that_is_not_text_is_an_error() {
    for content in [
        &b"\xff\xfe\x00scenario"[..],
        &[0; 64],
        b"scenario: \"\xd0\"\n",
    ] {
        Project::new()
            .file("scenarios/bad.yaml", content)
            .fsmsim(["test"])
            .fails(2, "", "scenarios/bad.yaml");
    }
}

#[test]
fn byte_order_mark_and_crlf_change_nothing() {
    let windows = format!("\u{feff}{}", GOOD.replace('\n', "\r\n"));
    let flow = format!("\u{feff}{}", FLOW.replace('\n', "\r\n"));
    Project::new()
        .file("flow.yaml", flow)
        .file("scenarios/door.yaml", windows)
        .fsmsim(["test"])
        .succeeds("");
}

/// A trace contains everything that a replay needs, in every dialect and with every kind of answerer.
#[test]
fn every_library_trace_passes_as_a_scenario() {
    let project = Project::library();
    let mut dialogues = 0;
    for path in &project.scenario_files() {
        let trace = project.fsmsim(["trace", path]).ends(0, "", "").stdout;
        dialogues += trace
            .lines()
            .filter(|line| line.starts_with("{\"fsmsim_trace\""))
            .count();
        project.write("trace.jsonl", &trace);
        project
            .fsmsim(["test", "trace.jsonl"])
            .about(path)
            .ends(0, "", "");
    }
    assert!(dialogues > 100, "{dialogues}");
}

#[test]
fn replies_expectation_compares_a_list() {
    let project = Project::library();
    let turn = |expect: &str| {
        let turns = format!("[{{say: Привет, reply: Да., expect: {{{expect}}}}}]");
        project.write(
            "a.yaml",
            format!("scenario: A\nmodel: states/student\nturns: {turns}\n"),
        );
        project.fsmsim(["test", "a.yaml"])
    };
    turn("replies: [Да.]").succeeds("1 passed");
    turn("replies: []").fails(1, "replies", "");
    insta::assert_snapshot!(turn("reply: Да.").shown());
}

#[test]
fn invalid_trace_is_reported_with_its_line() {
    let project = Project::new()
        .file("turns.jsonl", "{\"id\":\"d1\",\"turns\":[]}\n")
        .file(
            "broken.jsonl",
            "{\"fsmsim_trace\":1,\"dialogue\":\"d\",\"machine\":{\"source\":\"m\"}}\n{\"turn\":1}\n{\"turn\":2,\n",
        )
        .file("empty.jsonl", "");
    insta::assert_snapshot!(
        project
            .fsmsim(["test", "turns.jsonl", "broken.jsonl", "empty.jsonl"])
            .shown()
    );
}

#[test]
fn truncated_trace_is_replayed_with_a_warning() {
    let project = Project::library();
    let trace = project
        .fsmsim(["trace", "scenarios/student/rules.yaml"])
        .run()
        .stdout;
    let (cut, _) = trace.split_at(trace.rfind("{\"end\"").unwrap());
    project.write("cut.jsonl", cut);
    let stderr = project
        .fsmsim(["test", "cut.jsonl"])
        .warns("passed", "")
        .stderr;
    assert_eq!(stderr.matches("warning[FS0504]").count(), 1, "{stderr}");
}

/// A scenario whose only turn has this expectation.
fn expecting(expect: &str) -> Invocation {
    test(&format!(
        "scenario: A\nmodel: flow.yaml\nstart: {{foreign: [id, phone, more]}}\nturns:\n  - intent: info_provided\n    data: {{name: Ann, id: 1234567890123456789, phone: \"7\", more: {{a: 1, b: 2}}}}\n    expect: {expect}\n"
    ))
}

#[test]
fn expectation_of_nothing_is_an_error() {
    let nothing = [
        "{}",
        "{data: {}}",
        "{carryover: {}}",
        "{state: {}}",
        "{state: {from: {}, to: greeting}}",
        "{data: {more: {}}}",
        "{data: {not: {}}}",
        "{missing: {contains: []}}",
        "{missing: {in_order: []}}",
        "{missing: {not: {any: []}}}",
        "{state: {not: {in: []}}}",
        "{action: {matches: \"\"}}",
        "{action: {matches: \"(?s)^.*$\"}}",
        "{counters: {x: {at_least: -.inf}}}",
        "{data: {id: {at_most: .inf}}}",
        "{data: {id: {between: [-.inf, .nan]}}}",
        "{data: {name: {contains: [\"\"]}}}",
        "{replies: {contains: \"\"}}",
        "{replies: {not_contains: [a, \"\"]}}",
        "{replies: {matches: \".*\"}}",
        "{replies: {any: []}}",
    ];
    for expect in nothing {
        let run = expecting(expect)
            .about(expect)
            .fails(2, "1 invalid", "= help: ");
        assert!(run.stderr.contains("scenarios/door.yaml:7:"), "{run}");
    }
    for key in ["end", "always", "never"] {
        let scenario = format!(
            "{}{key}: {{data: {{}}}}\n",
            GOOD.split("end:").next().unwrap()
        );
        test(&scenario)
            .about(key)
            .fails(2, "1 invalid", "`{}` matches any map");
    }
    insta::assert_snapshot!(expecting("{data: {}, missing: {contains: []}}").shown());
}

#[test]
fn exactly_expects_nothing_else() {
    let data = "name: Ann, id: 1234567890123456789, phone: \"7\"";
    for met in [
        &*format!("{{data: {{exactly: {{{data}, more: {{a: 1, b: 2}}}}}}}}"),
        &*format!("{{data: {{exactly: {{{data}, more: {{a: {{at_least: 1}}, b: 2}}}}}}}}"),
        "{data: {more: {exactly: {a: 1, b: 2}}}}",
        "{effects: {exactly: []}, replies: {exactly: []}}",
    ] {
        expecting(met).about(met).succeeds("1 passed");
    }
    expecting("{data: {not: {exactly: {}}}}").succeeds("1 passed");
    expecting("{data: {exactly: {}}}").fails(1, "data.name: expected nothing, got \"Ann\"", "");
    expecting(&format!(
        "{{data: {{exactly: {{{data}, more: {{a: 1}}}}}}}}"
    ))
    .fails(1, "data.more.b: expected nothing, got 2", "");
    expecting("{data: {exactly: {nam: Ann}}}").fails(2, "", "`nam`");
}

#[test]
fn updated_expectation_of_an_empty_map_is_exact() {
    let scenario = GOOD.replace("class: hold}", "class: hold, data: {exactly: {name: Ann}}}");
    let project = project(&scenario);
    project
        .fsmsim(["test", "--update-expectations"])
        .ends(0, "1 passed", "updated 1 expectation");
    assert_eq!(
        project
            .read("scenarios/door.yaml")
            .matches("exactly")
            .count(),
        1
    );
}

#[test]
fn numbers_are_compared_exactly_and_differ_from_strings() {
    expecting("{data: {id: 1234567890123456789, phone: \"7\", more: {a: 1.0}}}").succeeds("");
    for (expect, message) in [
        (
            "{data: {id: 1234567890123456788}}",
            "data.id: expected 1234567890123456788, got 1234567890123456789",
        ),
        ("{data: {id: {at_most: 1234567890123456788}}}", "at most"),
        ("{data: {phone: 7}}", "data.phone: expected 7, got \"7\""),
        (
            "{data: {more: {a: \"1\"}}}",
            "data.more.a: expected \"1\", got 1",
        ),
    ] {
        expecting(expect).about(expect).fails(1, message, "");
    }
}

#[test]
fn names_of_digits_need_no_quotes() {
    let flow = FLOW.replace("hall", "\"7\"");
    let scenario = "scenario: A\nmodel: flow.yaml\nturns:\n  - {intent: agreement, expect: {state: {from: greeting, to: 7}, path: {not: {contains: [7]}}}}\n";
    let project = project(scenario).file("flow.yaml", flow);
    project.fsmsim(["test"]).succeeds("1 passed");
}

#[test]
fn elapsed_time_is_a_finite_number_from_0() {
    for (time, found) in [
        (".nan", "infinity or NaN"),
        (".inf", "infinity or NaN"),
        ("-.inf", "infinity or NaN"),
        ("1e999", "infinity or NaN"),
        (
            "-1",
            "expected a number from 0 to 1000000000 for `elapsed_s`, found -1",
        ),
    ] {
        let turn = format!("{{intent: greeting, elapsed_s: {time}}}");
        let scenario = format!("scenario: A\nmodel: flow.yaml\nturns: [{turn}]\n");
        test(&scenario).about(time).fails(2, "1 invalid", found);
    }
    let bound = FLOW.replace(
        "{greeting: greet_back}",
        "{greeting: [{when: {slot: name, at_least: .nan}, then: greet_back}]}",
    );
    project(GOOD)
        .file("flow.yaml", bound)
        .fsmsim(["test"])
        .fails(2, "", "expected a number to compare with");
}

#[test]
fn recorded_map_expects_no_other_keys() {
    let project = Project::library();
    let path = "scenarios/student/rules.yaml";
    let trace = project.fsmsim(["trace", path]).ends(0, "", "").stdout;
    let with_less = trace.replacen("\"kept\":[],", "", 1);
    assert_ne!(with_less, trace);
    project.write("trace.jsonl", &with_less);
    project.fsmsim(["test", "trace.jsonl"]).fails(
        1,
        "carryover.kept: expected nothing, got []",
        "",
    );
}
