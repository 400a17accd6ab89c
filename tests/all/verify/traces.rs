//! `fsmsim verify`: checks a recorded trace against a model.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Invocation, Project};

/// The trace of a sales dialogue.
fn sale(project: &Project) -> String {
    let turns = json!({"id": "sale", "turns": [
        {"intent": "greeting"},
        {"intent": "agreement"},
        {"intent": "info_provided", "data": {"company_size": 50}},
        {"intent": "objection_price"},
        {"intent": "info_provided", "data": {"pain_point": "потери"}},
        {"intent": "demo_request"},
        {"intent": "contact_provided", "data": {"contact_info": "a@b.ru"}},
    ]});
    project.write("turns.jsonl", turns.to_string());
    project
        .fsmsim(["trace", "flows/bant", "--turns", "turns.jsonl"])
        .succeeds("")
}

/// The trace with one turn changed.
fn edited(trace: &str, turn: usize, edit: impl Fn(&mut Value)) -> String {
    let lines = trace.lines().enumerate().map(|(number, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if number == turn {
            edit(&mut line);
        }
        format!("{line}\n")
    });
    lines.collect()
}

/// Verifies a trace against a model of the library.
fn verify(project: &Project, trace: &str, more: &[&str]) -> Invocation {
    project.write("t.jsonl", trace);
    project
        .fsmsim(["verify", "t.jsonl", "--model", "flows/bant"])
        .args(more)
}

#[test]
fn every_scenario_conforms_to_its_model_in_both_modes() {
    let project = Project::library();
    let files: Vec<String> = project.scenario_files();
    let mut verified = 0;
    for (number, file) in files.iter().enumerate() {
        let stdout = project
            .fsmsim(["trace", file])
            .about(file)
            .ends(0, "", "")
            .stdout;
        let mut models: BTreeMap<String, String> = BTreeMap::new();
        let mut current = String::new();
        // Dialogues with expected violations violate the model.
        let faulty = |line: &Value| {
            line["violations"]
                .as_array()
                .is_some_and(|violations| !violations.is_empty())
        };
        for dialogue in stdout.split("{\"fsmsim_trace\"").skip(1) {
            let dialogue = format!("{{\"fsmsim_trace\"{dialogue}");
            if dialogue
                .lines()
                .any(|line| faulty(&serde_json::from_str(line).unwrap()))
            {
                continue;
            }
            for line in dialogue.lines() {
                let read: Value = serde_json::from_str(line).unwrap();
                if let Some(source) = read["machine"]["source"].as_str() {
                    source.clone_into(&mut current);
                }
                *models.entry(current.clone()).or_default() += &format!("{line}\n");
            }
        }
        for (model, trace) in models {
            let path = format!("t{number}.jsonl");
            project.write(&path, trace);
            for mode in ["structure", "replay"] {
                project
                    .fsmsim(["verify", &path, "--model", &model, "--mode", mode])
                    .about(format_args!("{file} {model}"))
                    .ends(0, "", "");
                verified += 1;
            }
        }
    }
    assert!(verified > 50, "only {verified}");
}

#[test]
fn conforming_trace_has_no_findings() {
    let project = Project::library();
    let good = sale(&project);
    let shown = ["text", "json"].map(|format| {
        ["structure", "replay"]
            .map(|mode| verify(&project, &good, &["--mode", mode, "--format", format]).shown())
            .join("\n")
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn every_rule_reports_its_violation() {
    let project = Project::library();
    let good = sale(&project);
    let profile = |trace: &str, profile: &str| verify(&project, trace, &["--profile", profile]);
    let set = |key: &'static str, value: Value| move |turn: &mut Value| turn[key] = value.clone();
    let moved = |to: &'static str| {
        move |turn: &mut Value| {
            turn["state"]["to"] = json!(to);
            turn["phase"]["to"] = json!(null);
        }
    };
    let within = |key: &'static str, inner: &'static str, value: Value| {
        move |turn: &mut Value| turn[key][inner] = value.clone()
    };
    let broken = [
        ("unknown_state", edited(&good, 2, moved("asess_budget"))),
        (
            "unknown_state",
            edited(&good, 2, moved("no_such_place_at_all")),
        ),
        (
            "undeclared_transition",
            edited(&good, 2, |turn| {
                turn["state"]["to"] = json!("determine_timeline");
            }),
        ),
        (
            "broken_continuity",
            edited(&good, 3, within("state", "from", json!("greeting"))),
        ),
        (
            "phase_out_of_step",
            edited(&good, 2, within("phase", "to", json!("need"))),
        ),
        (
            "phase_out_of_step",
            edited(&good, 2, within("phase", "to", json!(null))),
        ),
        (
            "phase_out_of_step",
            edited(&good, 2, within("phase", "from", json!("budget"))),
        ),
        ("wrong_final", edited(&good, 2, set("final", json!(true)))),
        ("wrong_class", edited(&good, 2, set("class", json!("skip")))),
        (
            "wrong_class",
            edited(&good, 4, set("class", json!("advance"))),
        ),
        (
            "wrong_class",
            edited(&good, 4, set("class", json!("digres"))),
        ),
        (
            "wrong_missing",
            edited(&good, 2, set("missing", json!(["need"]))),
        ),
        (
            "lost_data",
            edited(&good, 4, |turn| {
                turn["data"].as_object_mut().unwrap().remove("company_size");
                turn["carryover"]["kept"] = json!([]);
                turn["carryover"]["dropped"] = json!(["company_size"]);
            }),
        ),
        (
            "illegal_carryover",
            edited(&good, 3, within("carryover", "added", json!([]))),
        ),
        (
            "illegal_carryover",
            edited(
                &good,
                4,
                within("carryover", "changed", json!(["company_size"])),
            ),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 3, within("counters", "go_backs", json!(-1))),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 3, within("counters", "go_backs", json!(3))),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 3, within("counters", "go_backs_left", json!(1))),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 5, within("counters", "objections_total", json!(0))),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 3, within("counters", "objections_in_row", json!(4))),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 3, within("counters", "luck", json!("much"))),
        ),
        (
            "counter_out_of_bounds",
            edited(&good, 3, set("turn_number", json!(7))),
        ),
    ];
    let mut shown = String::new();
    for (rule, trace) in &broken {
        let run = profile(trace, "documented").about(rule).fails(1, "", "");
        let named = run
            .stdout
            .lines()
            .any(|line| line.split("  ").next() == Some(rule));
        assert!(named, "{rule}: {}", run.shown());
        shown += &format!("{}\n", run.shown());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn leaving_a_final_state_is_a_violation() {
    let project = Project::library();
    let turns =
        json!({"id": "over", "start": {"state": "success"}, "turns": [{"intent": "greeting"}]});
    project.write("turns.jsonl", turns.to_string());
    let run = project
        .fsmsim(["trace", "flows/bant", "--turns", "turns.jsonl"])
        .run();
    let left = edited(&run.stdout, 1, |turn| {
        turn["state"]["to"] = json!("soft_close");
        turn["final"] = json!(false);
    });
    let documented = verify(&project, &left, &[]).run();
    assert!(
        documented.stdout.starts_with("left_final_state"),
        "{}",
        documented.shown()
    );
    // In the reference profile a final state answers like any other state.
    let reference = verify(&project, &left, &["--profile", "reference"]).run();
    assert!(
        !reference.stdout.contains("left_final_state"),
        "{}",
        reference.shown()
    );
}

#[test]
fn soft_close_reverted_by_data_can_be_left() {
    let project = Project::library();
    let turn = |intent: &str, over: bool| json!({"intent": intent, "data": {"_objection_limit_final": over}});
    let turns = [turn("objection_price", true), turn("request_human", false)];
    let turns = json!({"id": "over", "start": {"state": "soft_close"}, "turns": turns});
    project.write("turns.jsonl", turns.to_string());
    let run = project
        .fsmsim(["trace", "flows/bant", "--turns", "turns.jsonl"])
        .run();
    assert!(
        run.stdout
            .contains("\"state\":{\"from\":\"soft_close\",\"to\":\"escalated\"}"),
        "{}",
        run.stdout
    );
    verify(&project, &run.stdout, &[]).succeeds("conforms to flows/bant");
    // Without the revert, leaving the state is a violation.
    let left = edited(&run.stdout, 2, |turn| {
        turn["data"]["_objection_limit_final"] = json!(true);
    });
    let kept = verify(&project, &left, &[]).run();
    assert!(kept.stdout.contains("left_final_state"), "{}", kept.shown());
}

#[test]
fn effects_need_consent_and_a_declaration() {
    let project = Project::library();
    let run = project
        .fsmsim(["trace", "scenarios/student/rules.yaml"])
        .run();
    let lines: Vec<&str> = run.stdout.lines().collect();
    let last = lines
        .iter()
        .rposition(|line| line.starts_with("{\"fsmsim_trace\""))
        .unwrap();
    let good = lines[last..].join("\n");
    let check = |trace: &str| {
        project.write("t.jsonl", trace);
        project
            .fsmsim(["verify", "t.jsonl", "--model", "states/student"])
            .run()
    };
    assert_eq!(check(&good).code, 0, "{}", check(&good).shown());
    let refused = good.replace("\"consent\":{\"read\":true", "\"consent\":{\"read\":false");
    assert_ne!(refused, good);
    let undeclared = good.replace("\"keys\":[\"week\"", "\"keys\":[\"diary\"");
    assert_ne!(undeclared, good);
    let moved = edited(&good, 5, |turn| turn["state"]["to"] = json!("plan_save"));
    insta::assert_snapshot!(
        [refused, undeclared, moved]
            .map(|trace| check(&trace).shown())
            .join("\n")
    );
}

#[test]
fn replay_reports_the_first_divergence_of_a_dialogue() {
    let project = Project::library();
    let good = sale(&project);
    let other = edited(&good, 2, |turn| {
        turn["action"] = json!("smile");
        turn["why"] = json!(["somebody_said_so"]);
    });
    let turned = edited(&good, 5, |turn| turn["data"]["company_size"] = json!(51));
    let rejected = edited(&good, 2, |turn| {
        turn["by"]["transition"] = json!("TransitionResolverSource");
    });
    let both = format!("{other}{}", turned.replace("\"sale\"", "\"second\""));
    let replay = ["--mode", "replay"];
    verify(&project, &rejected, &replay)
        .about("source names with the suffix are accepted")
        .succeeds("");
    let shown = [
        &replay[..],
        &["--mode", "replay", "--format", "json"],
        &["--mode", "replay", "--limit", "1"],
    ]
    .map(|more| verify(&project, &both, more).shown());
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn invalid_input_is_rejected() {
    let project = Project::library();
    let good = sale(&project);
    project.write("t.jsonl", &good);
    project.write(
        "unread.jsonl",
        edited(&good, 1, |turn| turn["input"] = json!({})),
    );
    project.write(
        "profile.jsonl",
        good.replace("\"documented\"", "\"documnted\""),
    );
    project.write(
        "start.jsonl",
        good.replacen(
            "\"seed\":0",
            "\"seed\":0,\"start\":{\"state\":\"gretting\"}",
            1,
        ),
    );
    project.write("empty.jsonl", "");
    project.write("bytes.jsonl", b"\xff\xfe\n");
    let calls: [&[&str]; 9] = [
        &["missing.jsonl", "--model", "flows/bant"],
        &["t.jsonl", "--model", "flows/nobody"],
        &["t.jsonl", "--model", "flows/bant@strict"],
        &["t.jsonl", "--model", "flows/bant", "--map", "missing.yaml"],
        &["empty.jsonl", "--model", "flows/bant"],
        &["bytes.jsonl", "--model", "flows/bant"],
        &["profile.jsonl", "--model", "flows/bant"],
        &["start.jsonl", "--model", "flows/bant"],
        &["unread.jsonl", "--model", "flows/bant", "--mode", "replay"],
    ];
    let mut shown = String::new();
    for call in calls {
        let run = project.fsmsim(["verify"]).args(call).fails(2, "", "");
        shown += &format!("# {}\n{}\n", call.join(" "), run.shown());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn truncated_trace_is_checked_up_to_its_end_and_reported() {
    let project = Project::library();
    let good = sale(&project);
    let cut: String = good
        .lines()
        .take(5)
        .map(|line| format!("{line}\n"))
        .collect();
    let lost = good.lines().enumerate().filter(|(number, _)| *number != 7);
    let lost: String = lost.map(|(_, line)| format!("{line}\n")).collect();
    let shown = [&cut, &lost]
        .map(|trace| verify(&project, trace, &[]).shown())
        .join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn trace_is_read_from_standard_input() {
    let project = Project::library();
    let good = sale(&project);
    let run = project
        .fsmsim(["verify", "-", "--model", "flows/bant"])
        .stdin(&good)
        .run();
    assert_eq!(
        run.stdout,
        "1 dialogue, 7 turns: conforms to flows/bant (profile documented, structure)\n"
    );
}

#[test]
fn missing_turn_number_is_a_finding() {
    let project = Project::library();
    let trace = project
        .fsmsim(["trace", "scenarios/spin_selling/life_cycle.yaml"])
        .run()
        .stdout;
    let first = trace
        .split_inclusive("{\"end\"")
        .next()
        .unwrap()
        .trim_end_matches("{\"end\"")
        .to_owned();
    let cut: String = first
        .lines()
        .filter(|line| !line.starts_with("{\"turn\":2,"))
        .map(|line| format!("{line}\n"))
        .collect();
    let name = first
        .split("\"dialogue\":")
        .nth(1)
        .unwrap()
        .split(",\"machine\"")
        .next()
        .unwrap();
    let turns = cut.lines().count() - 1;
    project.write(
        "cut.jsonl",
        format!("{cut}{{\"end\":{name},\"turns\":{turns}}}\n"),
    );
    for mode in ["structure", "replay"] {
        let run = project
            .fsmsim([
                "verify",
                "cut.jsonl",
                "--model",
                "flows/spin_selling",
                "--mode",
                mode,
            ])
            .run();
        insta::assert_snapshot!(format!("a_gap_in_{mode}"), run.shown());
    }
}

#[test]
fn trace_of_another_version_is_rejected() {
    let project = Project::library();
    let good = sale(&project);
    for version in [2, 4] {
        let other = good.replace("\"fsmsim_trace\":3", &format!("\"fsmsim_trace\":{version}"));
        let message = format!("unsupported version {version}, expected 3");
        verify(&project, &other, &[]).refuses(&message);
        project.write("other.jsonl", &other);
        project
            .fsmsim(["test", "other.jsonl"])
            .fails(2, "", &message);
    }
}
