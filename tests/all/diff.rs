//! `fsmsim diff`: how an edit changes each dialogue, and why.

mod causes;
mod laws;
mod renames;
mod revisions;

use std::process::Command;

use crate::support::{Invocation, Project, Run, text};

/// A trace of one dialogue: the header, the turns (`intent`, resulting state, more keys of the record) and the end.
fn dialogue(name: &str, turns: &[(&str, &str, &str)]) -> String {
    let mut text =
        format!("{{\"fsmsim_trace\":3,\"dialogue\":\"{name}\",\"machine\":{{\"name\":\"m\"}}}}\n");
    let mut from = "start";
    for (number, (intent, to, more)) in turns.iter().enumerate() {
        let class = if from == *to { "hold" } else { "move" };
        let number = number + 1;
        text.push_str(&format!(
            "{{\"turn\":{number},\"turn_number\":{number},\"input\":{{\"say\":\"{intent}!\",\"intent\":\"{intent}\"}},\
             \"state\":{{\"from\":\"{from}\",\"to\":\"{to}\"}},\"phase\":{{\"from\":null,\"to\":null}},\
             \"action\":\"go\",\"class\":\"{class}\",\"why\":[\"rule_{intent}\"],\
             \"by\":{{\"action\":\"IntentProcessor\",\"transition\":null}},\"rejected\":[]{more}}}\n"
        ));
        from = to;
    }
    text + &format!("{{\"end\":\"{name}\",\"turns\":{}}}\n", turns.len())
}

/// The comparison of two traces.
fn compare(a: &str, b: &str, more: &[&str]) -> Invocation {
    let project = Project::new().file("a.jsonl", a).file("b.jsonl", b);
    project.fsmsim(["diff", "a.jsonl", "b.jsonl"]).args(more)
}

const SALE: &[(&str, &str, &str)] = &[
    ("greeting", "start", ""),
    ("yes", "ask", ""),
    ("size", "offer", ""),
];

/// The output before the first dialogue. Masks the number of scenarios that the library has for other models.
fn head(run: &Run) -> String {
    let end = run.stdout.find("\n\nDIFFERS").unwrap_or(run.stdout.len());
    let lines =
        run.stdout[..end]
            .lines()
            .map(|line| match line.split_once(" scenarios of other models") {
                Some((_, rest)) => format!("[many] scenarios of other models{rest}"),
                None => line.to_owned(),
            });
    format!(
        "exit {}\n{}\n{}",
        run.code,
        lines.collect::<Vec<_>>().join("\n"),
        run.stderr
    )
}

#[test]
fn equal_traces_have_no_difference() {
    let trace = dialogue("a", SALE) + &dialogue("б", &[]);
    insta::assert_snapshot!(compare(&trace, &trace, &[]).shown());
    // Headers contain the source of a trace, and rules their location: neither is behavior.
    let rule =
        |line: u32| format!(",\"rejected\":[{{\"value\":\"x\",\"rule\":\"a.yaml:{line}\"}}]");
    let moved =
        |line: u32| dialogue("a", &[("yes", "ask", "")]).replace(",\"rejected\":[]", &rule(line));
    let run = compare(&moved(1), &moved(2).replace("\"m\"", "\"n\""), &[]).succeeds("");
    assert_eq!(run.lines().last(), Some("1 dialogue without differences"));
}

#[test]
fn changed_data_is_named_by_its_key() {
    let with = |data: &str| {
        let data = format!(",\"data\":{data}");
        dialogue(
            "a",
            &[
                ("greeting", "start", ""),
                ("size", "start", &data),
                ("yes", "ask", ""),
            ],
        )
    };
    insta::assert_snapshot!(
        compare(
            &with(r#"{"size":50,"name":"Анна"}"#),
            &with(r#"{"name":"Анна","size":60}"#),
            &[]
        )
        .shown()
    );
    compare(
        &with(r#"{"size":50,"name":"x"}"#),
        &with(r#"{"name":"x","size":50}"#),
        &[],
    )
    .about("the order of data is not a difference")
    .succeeds("");
}

#[test]
fn differing_state_is_shown_until_dialogues_reconverge() {
    let other = &[
        ("greeting", "start", ""),
        ("yes", "漢字", ""),
        ("size", "offer", ""),
    ];
    let a = dialogue("meets", SALE) + &dialogue("Не встречаются", SALE);
    let never = &[
        ("greeting", "start", ""),
        ("yes", "漢字", ""),
        ("size", "漢字", ""),
    ];
    let b = dialogue("meets", other) + &dialogue("Не встречаются", never);
    insta::assert_snapshot!(compare(&a, &b, &[]).shown());
    compare(&a, &b, &["--only", "data,action"]).succeeds("");
}

#[test]
fn extra_turn_of_one_side_is_shown() {
    let more = &[
        ("greeting", "start", ""),
        ("price", "start", ""),
        ("yes", "ask", ""),
        ("size", "offer", ""),
    ];
    let (a, b) = (dialogue("a", SALE), dialogue("a", more));
    insta::assert_snapshot!(compare(&a, &b, &["--context", "2"]).shown());
    insta::assert_snapshot!(compare(&b, &a, &["--context", "0"]).shown());
}

#[test]
fn extra_dialogues_are_shown_and_order_is_ignored() {
    let [one, two, three] = ["one", "two", "three"].map(|name| dialogue(name, SALE));
    insta::assert_snapshot!(compare(&format!("{one}{two}"), &format!("{three}{one}"), &[]).shown());
    compare(
        &format!("{one}{two}{three}"),
        &format!("{three}{one}{two}"),
        &[],
    )
    .succeeds("");
}

#[test]
fn edited_mixin_rule_is_one_cause() {
    let project = Project::library();
    let mixins = project.read("flows/_base/mixins.yaml");
    for (file, text) in [("flow.yaml", "flow.yaml"), ("states.yaml", "states.yaml")] {
        project.write(
            &format!("old/flows/spin_selling/{file}"),
            project.read(&format!("flows/spin_selling/{text}")),
        );
    }
    for file in [
        "constants.yaml",
        "_base/states.yaml",
        "_base/mixins.yaml",
        "_base/priorities.yaml",
        "conditions/custom.yaml",
    ] {
        if project.path().join("flows").join(file).exists() {
            project.write(
                &format!("old/flows/{file}"),
                project.read(&format!("flows/{file}")),
            );
        }
    }
    let compare = || project.fsmsim(["diff", "old/flows/spin_selling", "flows/spin_selling"]);
    compare().succeeds("");
    // A line at the top shifts all locations of the file, and changes no behavior.
    project.write("flows/_base/mixins.yaml", format!("# A note.\n{mixins}"));
    compare().succeeds("");
    let rule =
        "objection_price: [{when: objection_limit_reached, then: soft_close}, handle_objection]";
    assert_eq!(mixins.matches(rule).count(), 1);
    let edited = mixins.replace(rule, "objection_price: soft_close");
    project.write("flows/_base/mixins.yaml", format!("# A note.\n{edited}"));
    insta::assert_snapshot!(head(&compare().run()));
    // A condition before a rule: if it does not hold, other rules decide, and the cause is still the one edit.
    let rule = "          then: answer_with_facts\n";
    let edited = mixins.replacen(rule, "          then: name_the_price\n", 1);
    project.write("flows/_base/mixins.yaml", edited);
    insta::assert_snapshot!(head(&compare().run()));
}

#[test]
fn edited_contract_line_is_one_cause_listed_by_field() {
    let contract = text("fixtures/traces/assistant.yaml");
    let scenario = |title: &str, turns: &str| {
        let first = "{say: Show stock of Acme in March, outcome: {status: rows, results: r-1, answer: a-1}}";
        format!("scenario: {title}\nmodel: flows/assistant.yaml\nturns: [{first}, {turns}]\n")
    };
    let scenarios = [
        scenario(
            "Another month",
            "{say: And in April, outcome: {status: rows, answer: a-2}}",
        ),
        scenario(
            "Another month of a thing",
            "{say: Take the bolt}, {say: And in May, outcome: {status: thin, answer: a-3}}",
        ),
        scenario(
            "A thing",
            "{say: Take the bolt}, {say: Who bought it?, outcome: {status: rows, answer: a-3}}",
        ),
        scenario(
            "What was said",
            "{say: What did we talk about?, data: {cites: [a-1]}}",
        ),
    ];
    let project = Project::new()
        .file("flows/assistant.yaml", &contract)
        .file("scenarios/assistant.yaml", scenarios.join("---\n"));
    let edited_diff = |edits: &[(&str, &str)]| {
        let mut edited = format!("# A note shifts all lines, and changes nothing.\n{contract}");
        for (line, instead) in edits {
            assert_eq!(edited.matches(line).count(), 1, "{line}");
            edited = edited.replace(line, instead);
        }
        project.write("new/assistant.yaml", edited);
        head(
            &project
                .fsmsim(["diff", "flows/assistant.yaml", "new/assistant.yaml"])
                .run(),
        )
    };
    let date = "      root.date: {said: date}\n      navigation.route: {was: root.domain}\n";
    let said_later = "      root.date: {value: {said: date}, when: {said: date, filled: false}}\n      navigation.route: {was: root.domain}\n";
    let shown = [
        edited_diff(&[]),
        // Edits of a class (`sets`, `forbids`, `action`), of an outcome and of a phrase.
        edited_diff(&[(date, said_later)]),
        edited_diff(&[(
            "answers.all, filled: true}\n    carryover: full\n    forbids: []\n",
            "answers.all, filled: true}\n    # So less stays.\n    carryover: full\n    forbids: [root]\n",
        )]),
        edited_diff(&[(
            "    sets: {answers.cited: {said: cites}}\n",
            "    sets: {answers.cited: {said: cites}, root.date: null}\n",
        )]),
        edited_diff(&[(
            "    executes: navigation.route\n    answers: [confirmed, limited]\n    mode: data\n    must_not:\n      fall_into_chat",
            "    executes: navigation.route\n    answers: [confirmed, limited]\n    action: look\n    mode: data\n    must_not:\n      fall_into_chat",
        )]),
        edited_diff(&[("  thin: {answer: unsupported,", "  thin: {answer: limited,")]),
        edited_diff(&[(
            "  shift: {say: '^and in (?P<date>\\w+)'}",
            "  shift: {say: '^and for (?P<date>\\w+)'}",
        )]),
        // Several edits: each is the cause of the dialogues that it changes.
        edited_diff(&[
            (date, said_later),
            ("  thin: {answer: unsupported,", "  thin: {answer: limited,"),
            ("{said: cites}}", "{said: none}}"),
        ]),
    ];
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn two_profiles_differ_by_their_switches() {
    let run = Project::library()
        .fsmsim([
            "diff",
            "flows/spin_selling@documented",
            "flows/spin_selling@reference",
            "--scenarios",
            "scenarios/",
        ])
        .run();
    insta::assert_snapshot!(head(&run));
    let named = |name: &str| run.stdout.contains(&format!("switch {name}"));
    for name in [
        "transition_action",
        "circular_flow",
        "go_back_count",
        "final_state",
        "dialogue_limits",
        "skip_conditions",
        "objection_limits",
        "return_state",
    ] {
        assert!(named(name), "{name}: {}", run.shown());
    }
}

#[test]
fn switches_are_named_together_if_none_suffices_alone() {
    let flow = "flow: {name: f, policy: sales}\nconstants: {intents: {categories: {question: [question_delivery]}}}\nstates:\n  greeting: {}\n  success: {is_final: true}\n";
    let scenario = "scenario: A question after the end\nmodel: f.yaml\nstart: {state: success}\nturns: [{intent: question_delivery}]\n";
    let project = Project::new()
        .file("f.yaml", flow)
        .file("scenarios/s.yaml", scenario);
    let run = project
        .fsmsim(["diff", "f.yaml@documented", "f.yaml@reference"])
        .run();
    insta::assert_snapshot!(head(&run));
}

#[test]
fn json_format_is_one_object() {
    let other = &[("greeting", "start", ""), ("yes", "start", "")];
    let a = dialogue("a", SALE) + &dialogue("only", &[]);
    insta::assert_snapshot!(
        compare(
            &a,
            &dialogue("a", other),
            &["--format", "json", "--only", "state,turns"]
        )
        .shown()
    );
}

#[test]
fn html_report_is_self_contained_and_escapes_text() {
    let name = "<script>alert(1)</script> & co";
    let other = &[
        ("greeting", "<b>", ""),
        ("yes", "ask", ""),
        ("size", "offer", ""),
    ];
    let run = compare(
        &dialogue(name, SALE),
        &dialogue(name, other),
        &["--report", "html"],
    )
    .fails(1, "", "");
    let page = &run.stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    // The text is in the data of the page, in which no tag starts.
    assert_eq!(page_data(page)["dialogues"][0]["title"], name);
    assert_eq!(page.matches("</script>").count(), 2, "{page}");
    assert!(!page.contains("<script>alert") && !page.contains("<b>\""));
    let named = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["src=", "http://", "https://", "@import", "url("] {
        assert!(!named.contains(outside), "{outside}: {page}");
    }
}

/// The data of an HTML report.
fn page_data(page: &str) -> serde_json::Value {
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// Two traces of a dialogue with five turns, in which only the third one differs.
fn long_traces() -> (String, String) {
    let turns = |third: &'static str| {
        let others = ["start", "ask", third, "offer", "end"];
        let names = ["greeting", "yes", "size", "more", "bye"];
        let turns: Vec<_> = names
            .into_iter()
            .zip(others)
            .map(|(intent, to)| (intent, to, ""))
            .collect();
        dialogue("a", &turns)
    };
    (turns("offer"), turns("elsewhere"))
}

#[test]
fn omitted_turns_are_counted_in_the_text() {
    let (a, b) = long_traces();
    let shown = compare(&a, &b, &[]).fails(1, "  1 earlier turn omitted\n", "");
    assert!(
        shown.stdout.ends_with("  1 later turn omitted\n"),
        "{shown}"
    );
    let all = compare(&a, &b, &["--context", "2"]).fails(1, "elsewhere", "");
    assert!(!all.stdout.contains("omitted"), "{all}");
}

#[test]
fn html_report_has_all_turns_and_values() {
    let (a, b) = long_traces();
    let long = "x".repeat(300);
    let b = b.replace("\"rule_size\"", &format!("\"{long}\""));
    let options = ["--context", "0", "--report", "html=page.html"];
    let project = Project::new().file("a.jsonl", a).file("b.jsonl", b);
    let diff = project.fsmsim(["diff", "a.jsonl", "b.jsonl"]).args(options);
    diff.fails(1, "  2 later turns omitted\n", "");
    let data = page_data(&project.read("page.html"));
    let dialogue = &data["dialogues"][0];
    let steps = dialogue["steps"].as_array().unwrap();
    let fields = |at: usize| -> Vec<&str> {
        let fields = steps[at]["fields"].as_array().unwrap();
        fields
            .iter()
            .map(|field| field["field"].as_str().unwrap())
            .collect()
    };
    assert_eq!((steps.len(), dialogue["at"].as_u64()), (5, Some(2)));
    assert_eq!(fields(2), ["state", "why"]);
    assert_eq!(steps[2]["fields"][1]["b"][0], long);
    // Equal turns are written once.
    assert!(steps[0]["b"].is_null() && steps[0]["shared"] == true && fields(0).is_empty());
}

#[test]
fn field_is_shown_if_the_cells_of_both_rows_are_equal() {
    let with = |size: u32| {
        let data = format!(",\"data\":{{\"size\":{size}}}");
        dialogue("a", &[("greeting", "start", ""), ("size", "start", &data)])
    };
    let run = compare(&with(50), &with(60), &[]).fails(1, "turn 2, data.size: 50 -> 60", "");
    let has = |mark: &str, end: &str| {
        let mut lines = run.stdout.lines();
        lines.any(|line| line.trim_start().starts_with(mark) && line.ends_with(end))
    };
    assert!(
        has("- ", "  data.size: 50")
            && has("+ ", "  data.size: 60")
            && has("turn ", "  difference"),
        "{run}"
    );
}

#[test]
fn reports_go_to_files_or_replace_the_text() {
    let other = &[("greeting", "elsewhere", "")];
    let project = Project::new()
        .file("a.jsonl", dialogue("a", SALE))
        .file("b.jsonl", dialogue("a", other));
    let diff = |more: &[&str]| project.fsmsim(["diff", "a.jsonl", "b.jsonl"]).args(more);
    let text = diff(&[]).fails(1, "1 dialogue", "").stdout;
    let with_files = diff(&[
        "--report",
        "html=out/page.html",
        "--report",
        "json=out/diff.json",
    ])
    .fails(1, "", "");
    assert_eq!(with_files.stdout, text);
    let json = diff(&["--format", "json"])
        .fails(1, "\"same\": false", "")
        .stdout;
    assert_eq!(
        (
            &diff(&["--report", "json"]).run().stdout,
            &project.read("out/diff.json")
        ),
        (&json, &json)
    );
    let page = diff(&["--report", "html"])
        .fails(1, "<!DOCTYPE html>", "")
        .stdout;
    assert_eq!(page, project.read("out/page.html"));
    diff(&["--format", "json", "--report", "html"]).refuses("to standard output");
    diff(&["--report", "json", "--report", "html"]).refuses("to standard output");
    diff(&["--report", "pdf"]).refuses("unknown report `pdf`");
    diff(&["--report", "html=a.jsonl/page.html"]).ends(2, "", "a.jsonl/page.html");
}

#[test]
fn colors_are_optional_and_control_sequences_are_removed() {
    let bad = &[("greeting", "\\u001b[31mred", ""), ("yes", "ask", "")];
    let (a, b) = (
        dialogue("a\\u001b]0;x", SALE),
        dialogue("a\\u001b]0;x", bad),
    );
    assert!(!compare(&a, &b, &[]).run().stdout.contains('\u{1b}'));
    let colored = compare(&a, &b, &["--color", "always"]).run().stdout;
    assert!(
        colored.contains("\u{1b}[31m  ") || colored.contains("\u{1b}[31m-"),
        "{colored:?}"
    );
    assert!(
        !colored.contains("\u{1b}[31mred") && !colored.contains("\u{1b}]0"),
        "{colored:?}"
    );
}

#[test]
fn scenarios_are_compared_with_their_trace() {
    let project = Project::library();
    let path = "scenarios/spin_selling/life_cycle.yaml";
    let trace = project.fsmsim(["trace", path]).run().stdout;
    project
        .fsmsim(["diff", "-", path])
        .stdin(&trace)
        .succeeds("");
    project
        .fsmsim(["diff", "scenarios", "scenarios"])
        .succeeds("");
    let cut: String = trace
        .lines()
        .filter(|line| !line.contains("\"turn\":3,"))
        .map(|line| format!("{line}\n"))
        .collect();
    project
        .fsmsim(["diff", "-", path])
        .stdin(&cut)
        .fails(1, "new turn 3, only in the second", "");
}

#[test]
fn unreadable_input_is_reported_with_its_location() {
    let good = dialogue("a", SALE);
    let with = |bytes: &[u8]| {
        let project = Project::new().file("a.jsonl", bytes).file("b.jsonl", &good);
        project.fsmsim(["diff", "a.jsonl", "b.jsonl"]).refuses("")
    };
    let messages = [
        with(&good.as_bytes()[..good.len() - 40]),
        with(&[good.as_bytes(), b"{\"turn\":4,\"\xd0\xff\"}\n"].concat()),
        with(good.split_once('\n').unwrap().1.as_bytes()),
        with(format!("{good}{good}").as_bytes()),
        with(good.replace("_trace\":3", "_trace\":7").as_bytes()),
        with(b"\x00\x01\x02"),
        with(b"state: greeting\n"),
        with(good.replace("\"state\":{", "\"stat\":{").as_bytes()),
    ];
    // Lines of records are long, so only titles and locations are compared.
    let brief = messages.map(|text| {
        let lines = text
            .lines()
            .filter(|line| line.starts_with("error") || line.trim_start().starts_with("-->"));
        lines
            .map(|line| line.trim_start().to_owned() + "\n")
            .collect::<String>()
    });
    insta::assert_snapshot!(brief.join("\n"));
}

#[test]
fn truncated_dialogue_is_compared_up_to_its_last_turn() {
    let good = dialogue("a", SALE) + &dialogue("b", SALE);
    let (cut, _) = good.split_at(good.rfind("{\"end\"").unwrap());
    insta::assert_snapshot!(compare(&good, cut, &[]).shown());
    let other = good.replacen("\"end\":\"a\",\"turns\":3", "\"end\":\"a\",\"turns\":4", 1);
    let warning = compare(&good, &other, &[])
        .warns("2 dialogues without differences", "")
        .stderr;
    insta::assert_snapshot!(warning);
    let wrong_end = good.replacen("\"end\":\"a\"", "\"end\":\"c\"", 1);
    let warning = compare(&good, &wrong_end, &[])
        .warns("2 dialogues without differences", "")
        .stderr;
    insta::assert_snapshot!(warning);
    // A turn after the end of its dialogue has no header.
    let after_end = good.replacen(
        "{\"end\":\"a\",\"turns\":3}\n",
        "{\"end\":\"a\",\"turns\":3}\n{\"turn\":4}\n",
        1,
    );
    compare(&good, &after_end, &[])
        .refuses("cannot read line 6, column 1: missing header before this line");
    let wrong = good.replacen("\"turns\":3", "\"turns\":-3", 1);
    compare(&good, &wrong, &[])
        .refuses("cannot read line 5, column 21: invalid value: integer `-3`");
}

#[test]
fn incomparable_inputs_are_rejected() {
    let project = Project::library();
    project.write("a.jsonl", dialogue("a", SALE));
    project.write("notes/a.txt", "x");
    project.write("broken/flow.yaml", "flow: {name: [}\n");
    let outputs = [
        &["diff", "nowhere.jsonl", "a.jsonl"][..],
        &["diff", "-", "-"],
        &["diff", "flows/spin_selling", "a.jsonl"],
        &["diff", "flows/spin_selling", "scenarios"],
        &["diff", "notes", "scenarios"],
        &["diff", "a.jsonl", "a.jsonl", "--scenarios", "scenarios"],
        &["diff", "a.jsonl", "a.jsonl", "--only", "stat"],
        &["diff", "a.jsonl", "a.jsonl", "--profile", "document"],
        &["diff", "flows/spin_selling@real", "flows/spin_selling"],
        &[
            "diff",
            "flows/spin_selling",
            "flows/spin_selling",
            "--scenarios",
            "scenarios/student",
        ],
        &[
            "diff",
            "flows/spin_selling",
            "broken",
            "--scenarios",
            "scenarios/spin_selling/price.yaml",
        ],
        &["diff", "flows/spin_selling", "git:HEAD:"],
    ]
    .map(|arguments| {
        let run = project.fsmsim(arguments).fails(2, "", "");
        format!("$ {}\n{}{}", arguments.join(" "), run.stdout, run.stderr)
    });
    insta::assert_snapshot!(outputs.join("\n"));
}

#[test]
fn model_is_read_from_a_revision() {
    let project = Project::library();
    let git = |arguments: &[&str]| {
        let names = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgsign=false",
        ];
        let run = Command::new("git")
            .args(names)
            .args(arguments)
            .current_dir(project.path())
            .output();
        run.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        eprintln!("skipped: git is not available");
        return;
    }
    let states = project.read("flows/spin_selling/states.yaml");
    assert!(git(&["add", "-A"]) && git(&["commit", "-q", "-m", "x"]));
    project
        .fsmsim(["diff", "git:HEAD:flows/spin_selling", "flows/spin_selling"])
        .succeeds("");
    project
        .fsmsim(["diff", "git:HEAD:states/student", "states/student"])
        .succeeds("");
    // The working directory is a subfolder, and the path goes up from it.
    project
        .fsmsim([
            "diff",
            "git:HEAD:../flows/bant",
            "../flows/bant",
            "--scenarios",
            "bant",
        ])
        .below("scenarios")
        .about("scenarios name models from the working directory")
        .refuses("no scenario uses the model `../flows/bant`");
    assert!(states.contains("data_complete: spin_problem"), "{states}");
    project.write(
        "flows/spin_selling/states.yaml",
        states.replace(
            "data_complete: spin_problem",
            "data_complete: spin_need_payoff",
        ),
    );
    let run = project
        .fsmsim([
            "diff",
            "git:HEAD:flows/spin_selling@documented",
            "flows/spin_selling@documented",
        ])
        .run();
    insta::assert_snapshot!(head(&run));
    project.write("flows/spin_selling/states.yaml", "states: [");
    assert!(git(&["add", "-A"]) && git(&["commit", "-q", "-m", "y"]));
    project
        .fsmsim([
            "diff",
            "git:HEAD:flows/spin_selling",
            "git:HEAD~1:flows/spin_selling",
        ])
        .fails(2, "", "--> git:HEAD:flows/spin_selling/states.yaml:1");
    let outputs = [
        "git:nothing:flows/spin_selling",
        "git:HEAD:flows/nothing",
        "git:HEAD:../elsewhere",
        "git:-x:flows",
        "git:HEAD:/etc",
    ]
    .map(|side| project.fsmsim(["diff", side, "flows/spin_selling"]).shown());
    insta::assert_snapshot!(outputs.join("\n"));
    project
        .fsmsim(["diff", "git:HEAD:flows", "flows"])
        .env("PATH", "")
        .refuses("cannot start `git`");
    let outside = Project::new()
        .fsmsim(["diff", "git:HEAD:a", "b"])
        .env("GIT_CEILING_DIRECTORIES", "/tmp")
        .run();
    assert!(
        outside.code == 2 && outside.stderr.contains("cannot find a git repository"),
        "{}",
        outside.shown()
    );
}

/// A flow with two transitions. [`way`] returns a scenario with this title that takes one of them.
const WAYS: &str = "flow: {name: f}\nstates: {greeting: {transitions: {agreement: hall, rejection: street}}, hall: {}, street: {}}\n";

fn way(title: &str, intent: &str) -> String {
    format!("scenario: {title}\nmodel: f.yaml\nturns: [{{intent: {intent}}}]\n")
}

#[test]
fn scenarios_with_one_title_are_matched_by_file() {
    let project = Project::new()
        .file("f.yaml", WAYS)
        .file("a/one.yaml", way("Same", "agreement"))
        .file("a/two.yaml", way("Same", "rejection"))
        .file("b/two.yaml", way("Same", "rejection"));
    let run = project.fsmsim(["diff", "a", "b"]).fails(
        1,
        "1 dialogue without differences; 1 only in the first\n",
        "",
    );
    assert!(run.stdout.ends_with("\nONLY IN THE FIRST Same\n"), "{run}");
    project
        .fsmsim(["diff", "b", "a"])
        .fails(1, "\nONLY IN THE SECOND Same\n", "");
    // A scenario that moved to another file is matched by its title.
    project.write("b/three.yaml", way("Same", "agreement"));
    project
        .fsmsim(["diff", "a", "b"])
        .succeeds("2 dialogues without differences\n");
    project
        .fsmsim(["diff", "a/one.yaml", "b/three.yaml"])
        .succeeds("1 dialogue without differences\n");
}

#[test]
fn each_side_finds_its_models_in_its_own_project() {
    let project = Project::new()
        .file("old/fsmsim.toml", "")
        .file("old/f.yaml", WAYS)
        .file("old/scenarios/s.yaml", way("One", "agreement"))
        .file("new/fsmsim.toml", "")
        .file(
            "new/f.yaml",
            WAYS.replace("agreement: hall", "agreement: street"),
        )
        .file("new/scenarios/s.yaml", way("One", "agreement"));
    let compare = |a: &str, b: &str| project.fsmsim(["diff", a, b]);
    compare("old/scenarios", "new/scenarios").fails(
        1,
        "1. 1 dialogue  edited rule old/f.yaml:2\n   - states: ",
        "",
    );
    let below = compare("scenarios", "../new/scenarios").below("old");
    below.fails(1, "1. 1 dialogue  edited rule f.yaml:2\n   - states: ", "");
}

#[test]
fn causes_option_omits_the_dialogues() {
    let other: Vec<_> = SALE
        .iter()
        .map(|(intent, state, more)| (*intent, state.trim_start_matches("of"), *more))
        .collect();
    let a = dialogue("a", SALE) + &dialogue("b", SALE);
    let b = dialogue("a", &other) + &dialogue("b", &other);
    insta::assert_snapshot!(compare(&a, &b, &["--causes"]).shown());
    let json = compare(&a, &b, &["--causes", "--format", "json"]).fails(1, "\"same\": false", "");
    assert!(json.stdout.ends_with("\"differences\": []\n}\n"), "{json}");
}

/// A text in gzip format, without compression.
fn packed(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn gzip_files_are_read_like_plain_files() {
    let trace = dialogue("a", SALE);
    let project = Project::new()
        .file("f.yaml", WAYS)
        .file("a.jsonl", &trace)
        .file("a.jsonl.gz", packed(&trace))
        .file(
            "s.yaml.gz",
            packed(
                &way("One", "agreement").replace("agreement}", "agreement, expect: {state: hall}}"),
            ),
        )
        .file(
            "t.jsonl.gz",
            packed("{\"id\":\"t\",\"turns\":[{\"intent\":\"agreement\"}]}\n"),
        );
    project
        .fsmsim(["diff", "a.jsonl", "a.jsonl.gz"])
        .succeeds("1 dialogue without differences\n");
    project
        .fsmsim(["diff", "a.jsonl", "-"])
        .stdin(packed(&trace))
        .succeeds("1 dialogue without differences\n");
    let recorded = project
        .fsmsim(["trace", "f.yaml", "--turns", "t.jsonl.gz"])
        .succeeds("\"to\":\"hall\"");
    project.write("p.jsonl.gz", packed(&recorded));
    project
        .fsmsim(["verify", "p.jsonl.gz", "--model", "f.yaml"])
        .succeeds("1 dialogue, 1 turn: conforms");
    project
        .fsmsim(["test", "s.yaml.gz", "p.jsonl.gz"])
        .succeeds("\n2 passed in 2 turns");
    project.write("cut.jsonl.gz", &packed(&trace)[..60]);
    project
        .fsmsim(["diff", "a.jsonl", "cut.jsonl.gz"])
        .refuses("cannot read `cut.jsonl.gz`");
}

#[cfg(unix)]
#[test]
fn pipes_are_read_as_traces() {
    let recorded = "{\"id\":\"a\",\"turns\":[{\"intent\":\"sing\",\"data\":{\"tune\":1}}]}\n";
    let project = Project::new()
        .file("f.yaml", WAYS)
        .file("s.yaml", way("One", "agreement"))
        .file("t.jsonl", recorded);
    let fsmsim = env!("CARGO_BIN_EXE_fsmsim");
    let script = format!(
        "'{fsmsim}' diff <('{fsmsim}' trace s.yaml) <('{fsmsim}' trace s.yaml) && '{fsmsim}' test <('{fsmsim}' trace s.yaml) \
         && '{fsmsim}' test <('{fsmsim}' trace f.yaml --turns t.jsonl)"
    );
    let run = Command::new("bash")
        .args(["-c", &script])
        .current_dir(project.path())
        .output();
    match run {
        Ok(output) => {
            let stdout = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success()
                    && stdout.contains("1 dialogue without differences")
                    && stdout.matches("1 passed in 1 turn").count() == 2,
                "{output:?}"
            );
        }
        Err(_) => eprintln!("skipped: bash is not available"),
    }
}

#[test]
fn single_edit_is_named_as_the_cause() {
    let flow = "flow: {name: f}\nconditions:\n  is_big: {slot: size, at_least: 10}\nstates:\n  greeting:\n    rules: {agreement: [{when: is_big, then: praise}, greet_back]}\n";
    let scenario =
        "scenario: Big\nmodel: new/f.yaml\nturns:\n  - {intent: agreement, data: {size: 12}}\n";
    let project = Project::new()
        .file("new/f.yaml", flow.replace("at_least: 10", "at_least: 20"))
        .file("old/f.yaml", flow)
        .file("scenarios/a.yaml", scenario);
    project.fsmsim(["diff", "old/f.yaml", "new/f.yaml"]).fails(
        1,
        "1. 1 dialogue  edited line old/f.yaml:3\n",
        "",
    );
}

#[test]
fn comparison_of_nothing_is_an_error() {
    let project = Project::new().file("a.jsonl", "").file("b.jsonl", "\n");
    project
        .fsmsim(["diff", "a.jsonl", "b.jsonl"])
        .refuses("`a.jsonl` and `b.jsonl` contain no dialogue");
}
