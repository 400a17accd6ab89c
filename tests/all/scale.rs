//! Shards and filters: the parts of a job give the same result as the complete job, byte for byte.

use serde_json::{Value, json};

use crate::support::Project;

const FLOW: &str = "\
flow: {name: shop, policy: sales}
phases:
  order: [asking]
  mapping: {asking: ask}
states:
  greeting:
    transitions: {agreement: ask, rejection: street}
  ask:
    phase: asking
    transitions: {agreement: sold, rejection: street}
  sold: {is_final: true}
  street: {is_final: true}
properties:
  somebody_buys: {reachable: {state: sold}}
  nobody_stays_in_the_hall: {never: {state: street}}
";

const PERSONA: &str = "\
persona: buyer
description: Покупает & торгуется <редко>
weights:
  - {intent: agreement, weight: 3}
  - {category: objection, weight: 2}
  - {intent: rejection, weight: 1}
patience: 6
gives_up_with: rejection
";

const WALKER: &str = "persona: walker\nweights: [{intent: unclear, weight: 1}]\nmax_turns: 4\n";

fn project() -> Project {
    Project::new()
        .file("shop.yaml", FLOW)
        .file("fixtures/personas/buyer.yaml", PERSONA)
        .file("fixtures/personas/walker.yaml", WALKER)
}

/// A turns file with `count` dialogues, one per line.
fn turns(count: usize) -> String {
    let intents = [
        "agreement",
        "unclear",
        "rejection",
        "agreement",
        "price_question",
    ];
    let dialogue = |number: usize| {
        let turns: Vec<Value> = (0..=number % 4)
            .map(|turn| json!({"intent": intents[(number * 7 + turn * 3) % intents.len()]}))
            .collect();
        format!(
            "{}\n",
            json!({"id": format!("диалог {number}"), "turns": turns})
        )
    };
    (0..count).map(dialogue).collect()
}

/// Runs a command for each of `of` shards. Returns the names of their report files.
fn shards(project: &Project, command: &[&str], of: u32) -> Vec<String> {
    let run = |number| {
        let (file, shard) = (
            format!("{}-{number}-{of}.json", command[0]),
            format!("--shard={number}/{of}"),
        );
        let report = format!("--report=json={file}");
        project
            .fsmsim(command.iter().copied().chain([&*shard, &*report]))
            .run();
        file
    };
    (1..=of).map(run).collect()
}

/// Checks that the merged shards of a command have the output, the reports and the exit code of the complete run.
fn check_merged_shards(project: &Project, command: &[&str], kinds: &[&str]) {
    let reports = |name: &str| {
        kinds
            .iter()
            .map(|kind| format!("--report={kind}={name}.{kind}"))
            .collect::<Vec<_>>()
    };
    let complete = reports("complete");
    let alone = project
        .fsmsim(
            command
                .iter()
                .copied()
                .chain(complete.iter().map(String::as_str)),
        )
        .run();
    for of in [1, 2, 3, 7] {
        let (files, merged) = (shards(project, command, of), reports("merged"));
        let arguments = ["merge"]
            .into_iter()
            .chain(files.iter().chain(&merged).map(String::as_str));
        let run = project.fsmsim(arguments).ends(alone.code, "", "");
        assert_eq!(run.stdout, alone.stdout, "{of} shards");
        for kind in kinds {
            let (one, other) = (
                project.read(&format!("complete.{kind}")),
                project.read(&format!("merged.{kind}")),
            );
            assert_eq!(one, other, "{of} shards");
        }
    }
}

#[test]
fn merged_simulation_shards_equal_the_complete_run() {
    let simulate = [
        "simulate",
        "shop.yaml",
        "--persona",
        "all",
        "--dialogues",
        "501",
        "--seed",
        "3",
    ];
    check_merged_shards(&project(), &simulate, &["json"]);
    // More shards than dialogues.
    let few = [
        "simulate",
        "shop.yaml",
        "--persona",
        "buyer",
        "--dialogues",
        "2",
    ];
    check_merged_shards(&project(), &few, &["json"]);
}

#[test]
fn merged_library_simulation_shards_equal_the_complete_run() {
    let project = Project::library();
    let sale = [
        "simulate",
        "flows/spin_selling",
        "--persona",
        "all",
        "--dialogues",
        "300",
        "--seed",
        "7",
    ];
    check_merged_shards(&project, &sale, &["json"]);
    let contract = [
        "simulate",
        "flows/it_support.yaml",
        "--personas=fixtures/personas/it_support",
        "--persona=employee",
        "--start={backend: fixtures/backends/it_support.yaml}",
        "--dialogues=100",
    ];
    check_merged_shards(&project, &contract, &["json"]);
}

#[test]
fn simulation_report_contains_its_parameters() {
    let project = project();
    let report = project.fsmsim([
        "simulate",
        "shop.yaml",
        "--persona=buyer",
        "--dialogues=20",
        "--shard=2/3",
        "--report=json",
    ]);
    insta::assert_snapshot!(report.succeeds(""));
}

#[test]
fn merged_verification_shards_equal_the_complete_run() {
    let project = project().file("turns.jsonl", turns(120));
    let trace = project
        .fsmsim(["trace", "shop.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    project.write("good.jsonl", &trace);
    // Every dialogue that enters the street violates a property, and some turns have a wrong class.
    project.write(
        "bad.jsonl",
        trace
            .replace("\"class\":\"finish\"", "\"class\":\"back\"")
            .replace("\"turn\":3", "\"turn\":4"),
    );
    // No dialogue reaches `sold`.
    let poor: String = trace
        .lines()
        .filter(|line| !line.contains("sold"))
        .map(|line| format!("{line}\n"))
        .collect();
    project.write("poor.jsonl", poor);
    // Invalid lines, and dialogues with an unknown trace version.
    project.write(
        "torn.jsonl",
        trace.replacen("{\"turn\":2,", "{\"turn\":2", 5).replacen(
            "{\"fsmsim_trace\":3",
            "{\"fsmsim_trace\":9",
            2,
        ),
    );
    for file in ["good.jsonl", "bad.jsonl", "poor.jsonl", "torn.jsonl"] {
        for mode in ["--mode=structure", "--mode=replay"] {
            check_merged_shards(
                &project,
                &["verify", file, "--model", "shop.yaml", mode, "--limit", "5"],
                &["json"],
            );
        }
    }
}

#[test]
fn merged_mapped_trace_shards_equal_the_complete_run() {
    let map = "dialogue: id\nturn:\n  state: to\n  action: did?\n  phase: nowhere\n";
    let line = |number: usize| {
        format!(
            "{}\n",
            json!({"id": number % 40, "to": if number < 40 { "ask" } else { "sold" }})
        )
    };
    let lines: String = (0..80).map(line).collect();
    let project = project().file("map.yaml", map).file("log.jsonl", lines);
    let verify = [
        "verify",
        "log.jsonl",
        "--model",
        "shop.yaml",
        "--map",
        "map.yaml",
        "--group",
    ];
    check_merged_shards(&project, &verify, &["json"]);
}

#[test]
fn reports_of_different_runs_cannot_be_merged() {
    let project = project().file("turns.jsonl", turns(30));
    let trace = project
        .fsmsim(["trace", "shop.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    project.write("t.jsonl", &trace);
    let simulate = |name: &str, more: &[&str]| {
        let report = format!("--report=json={name}");
        let usual = ["simulate", "shop.yaml", "--persona=buyer", "--dialogues=20"];
        project
            .fsmsim(
                usual
                    .into_iter()
                    .chain(more.iter().copied())
                    .chain([&*report]),
            )
            .run();
    };
    simulate("1.json", &["--shard=1/3"]);
    simulate("2.json", &["--shard=2/3"]);
    simulate("3.json", &["--shard=3/3"]);
    simulate("whole.json", &[]);
    simulate("half.json", &["--shard=2/2"]);
    simulate("seed.json", &["--shard=3/3", "--seed=9"]);
    simulate("walker.json", &["--shard=3/3", "--persona=walker"]);
    simulate("start.json", &["--shard=3/3", "--start={state: ask}"]);
    simulate("profile.json", &["--shard=3/3", "--profile=reference"]);
    let count = [
        "simulate",
        "shop.yaml",
        "--persona=buyer",
        "--dialogues=21",
        "--shard=3/3",
        "--report=json=count.json",
    ];
    project.fsmsim(count).run();
    let verify = |name: &str, trace: &str, shard: &str| {
        let report = format!("--report=json={name}");
        project
            .fsmsim(["verify", trace, "--model=shop.yaml", shard, &report])
            .run();
    };
    verify("v1.json", "t.jsonl", "--shard=1/2");
    verify("v2.json", "t.jsonl", "--shard=2/2");
    project.write(
        "t.jsonl",
        trace
            .lines()
            .take(20)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    verify("cut.json", "t.jsonl", "--shard=2/2");
    project.write(
        "fixtures/personas/buyer.yaml",
        PERSONA.replace("weight: 3", "weight: 4"),
    );
    simulate("persona.json", &["--shard=3/3"]);
    project.write("fixtures/personas/buyer.yaml", PERSONA);
    project.write(
        "shop.yaml",
        FLOW.replace("agreement: sold", "agreement: street"),
    );
    simulate("model.json", &["--shard=3/3"]);
    project.write("torn.json", "{\"fsmsim_report\":2,\"kind\":\"simulate\"}");
    project.write("later.json", "{\"fsmsim_report\":3,\"kind\":\"simulate\"}");
    project.write(
        "lint.json",
        "{\"fsmsim_report\":2,\"kind\":\"lint\",\"shards\":[\"1/1\"]}",
    );
    let errors: Vec<String> = [
        "1.json 2.json",
        "1.json 2.json 2.json",
        "1.json 2.json half.json",
        "1.json 2.json whole.json",
        "1.json 2.json seed.json",
        "1.json 2.json count.json",
        "1.json 2.json walker.json",
        "1.json 2.json persona.json",
        "1.json 2.json start.json",
        "1.json 2.json profile.json",
        "1.json 2.json model.json",
        "1.json v2.json",
        "v1.json cut.json",
        "torn.json",
        "later.json",
        "lint.json",
        "t.jsonl",
        "1.json 2.json 3.json --report=junit",
        "1.json 2.json 3.json --require=states=1%",
        "v1.json v2.json --report=tap",
    ]
    .into_iter()
    .map(|names| {
        format!(
            "$ {names}\n{}",
            project
                .fsmsim(["merge"].into_iter().chain(names.split(' ')))
                .refuses("")
        )
    })
    .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn shards_of_a_trace_add_up_to_the_complete_trace() {
    let project = project().file("turns.jsonl", turns(90));
    for format in ["jsonl", "dialogue"] {
        let trace = [
            "trace",
            "shop.yaml",
            "--turns",
            "turns.jsonl",
            "--format",
            format,
        ];
        let complete = project.fsmsim(trace).succeeds("");
        let mut complete: Vec<&str> = complete.lines().collect();
        for of in [1, 2, 7] {
            let parts: Vec<String> = (1..=of)
                .map(|number| {
                    project
                        .fsmsim(
                            trace
                                .into_iter()
                                .chain(["--shard", &format!("{number}/{of}")]),
                        )
                        .succeeds("")
                })
                .collect();
            let mut merged: Vec<&str> = parts.iter().flat_map(|part| part.lines()).collect();
            complete.sort_unstable();
            merged.sort_unstable();
            assert_eq!(complete, merged, "{of} shards");
        }
    }
    // An unreadable line ends the run of each shard.
    project.write("turns.jsonl", turns(9) + "{\"id\":\n");
    for shard in ["1/2", "2/2"] {
        project
            .fsmsim([
                "trace",
                "shop.yaml",
                "--turns",
                "turns.jsonl",
                "--shard",
                shard,
            ])
            .fails(2, "", "turns.jsonl:10");
    }
}

#[test]
fn trace_and_list_select_the_same_scenarios_of_a_shard() {
    let project = Project::library();
    let file = "scenarios/spin_selling/price.yaml";
    let complete = project.fsmsim(["trace", file]).succeeds("");
    let titles = |text: &str| text.matches("{\"fsmsim_trace\"").count();
    let parts = ["1/3", "2/3", "3/3"].map(|shard| {
        let trace = project
            .fsmsim(["trace", file, "--shard", shard])
            .succeeds("");
        let listed = project
            .fsmsim(["list", file, "--shard", shard, "--format", "json"])
            .run()
            .stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let count = listed["scenarios"]
            .as_array()
            .or_else(|| listed.as_array())
            .unwrap()
            .len();
        assert_eq!(titles(&trace), count, "{shard}");
        trace
    });
    assert_eq!(
        parts.iter().map(|part| titles(part)).sum::<usize>(),
        titles(&complete)
    );
}

#[test]
fn part_of_the_input_gives_part_of_the_output() {
    let project = project();
    let lines = turns(60);
    let filter = |arguments: &[&str], input: &str| project.fsmsim(arguments).stdin(input).run();
    // Parts between any two lines, one of them empty.
    let parts = |text: &str| -> Vec<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let cuts = [0, 1, 7, 7, 30, lines.len()];
        cuts.windows(2)
            .map(|cut| lines[cut[0]..cut[1]].concat())
            .collect()
    };
    let trace = ["trace", "shop.yaml", "--turns", "-", "--format", "dialogue"];
    let complete = filter(&trace, &lines).stdout;
    let from_parts: String = parts(&lines)
        .iter()
        .map(|part| filter(&trace, part).stdout)
        .collect();
    assert_eq!(complete, from_parts);
    assert_eq!(complete.lines().count(), lines.lines().count());

    for mode in ["structure", "replay"] {
        let verify = [
            "verify",
            "-",
            "--model",
            "shop.yaml",
            "--format",
            "jsonl",
            "--mode",
            mode,
        ];
        for trace in [
            complete.clone(),
            complete.replace("\"class\":\"finish\"", "\"class\":\"back\""),
        ] {
            let verdicts = filter(&verify, &trace).stdout;
            let from_parts: String = parts(&trace)
                .iter()
                .map(|part| filter(&verify, part).stdout)
                .collect();
            assert_eq!(verdicts, from_parts);
            assert_eq!(verdicts.lines().count(), lines.lines().count());
        }
    }
    insta::assert_snapshot!(
        filter(
            &["verify", "-", "--model", "shop.yaml", "--format", "jsonl"],
            &complete
                .lines()
                .take(3)
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        )
        .shown()
    );
}

#[test]
fn part_of_a_trace_can_be_empty_or_lack_mapped_fields() {
    let project = project().file(
        "map.yaml",
        "dialogue: id\nturns: turns\nturn: {state: to, action: did}\n",
    );
    let verify = ["verify", "-", "--model", "shop.yaml", "--format", "jsonl"];
    // A data processing engine gives some of its processes no input.
    project.fsmsim(verify).succeeds("");
    project
        .fsmsim(["trace", "shop.yaml", "--turns", "-", "--format", "dialogue"])
        .succeeds("");
    let line = json!({"id": "a", "turns": [{"to": "ask"}]}).to_string();
    let mapped = verify.into_iter().chain(["--map", "map.yaml"]);
    let verdict = project.fsmsim(mapped).stdin(&line).succeeds("");
    assert_eq!(
        verdict,
        "{\"dialogue\":\"a\",\"profile\":\"documented\",\"verdict\":\"conforms\",\"turns\":1,\"findings\":[]}\n"
    );
    // In a complete trace, both are mistakes.
    project
        .fsmsim(["verify", "-", "--model", "shop.yaml"])
        .refuses("the trace contains no dialogue");
    let mapped = ["verify", "-", "--model", "shop.yaml", "--map", "map.yaml"];
    project.fsmsim(mapped).stdin(&line).fails(2, "", "`did`");
}

#[test]
fn dialogue_format_contains_the_same_trace() {
    let project = project().file(
        "turns.jsonl",
        turns(40) + "{\"id\":\"empty\",\"turns\":[]}\n",
    );
    let trace = |format: &str| {
        project
            .fsmsim([
                "trace",
                "shop.yaml",
                "--turns",
                "turns.jsonl",
                "--format",
                format,
            ])
            .succeeds("")
    };
    let (lines, dialogues) = (trace("jsonl"), trace("dialogue"));
    let unfolded: String = dialogues
        .lines()
        .flat_map(|line| {
            let read: Value = serde_json::from_str(line).unwrap();
            let turns = read["turns"].as_array().unwrap().clone();
            [read["header"].clone()]
                .into_iter()
                .chain(turns)
                .chain([read["end"].clone()])
        })
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(unfolded, lines);
    project.write("lines.jsonl", &lines);
    project.write("dialogues.jsonl", &dialogues);
    // Another program might have added spaces.
    project.write(
        "spaced.jsonl",
        dialogues
            .replace("\"turns\":[{", "\"turns\": [ {")
            .replace("{\"header\":", "{ \"header\" : "),
    );
    for file in ["dialogues.jsonl", "spaced.jsonl"] {
        project.fsmsim(["diff", "lines.jsonl", file]).succeeds("");
        for mode in ["structure", "replay"] {
            let verify = |file: &str| {
                let run = project
                    .fsmsim([
                        "verify",
                        file,
                        "--model",
                        "shop.yaml",
                        "--mode",
                        mode,
                        "--limit",
                        "0",
                    ])
                    .run();
                (run.code, run.stdout)
            };
            assert_eq!(verify(file), verify("lines.jsonl"), "{file} {mode}");
        }
    }
    // Both formats in one file, and truncated dialogues.
    let (first, second) = (
        dialogues.lines().next().unwrap(),
        dialogues.lines().nth(1).unwrap(),
    );
    let third: String = lines
        .split_inclusive('\n')
        .skip_while(|line| !line.contains("диалог 2"))
        .take(2)
        .collect();
    let torn = second
        .replace("диалог 1", "torn")
        .replace(",\"end\":{\"end\":\"torn\",\"turns\":2}", "");
    let mixed = format!(
        "{third}{first}\n{torn}\n{first}\n{}\n{}\n{{\"header\":1}}\n",
        second.replace("\"turns\":2}}", "\"turns\":3}}"),
        &second[..second.len() - 9]
    );
    project.write("mixed.jsonl", mixed);
    insta::assert_snapshot!(
        project
            .fsmsim([
                "verify",
                "mixed.jsonl",
                "--model",
                "shop.yaml",
                "--format",
                "jsonl"
            ])
            .shown()
    );
}

#[test]
fn incompatible_options_are_rejected() {
    let project = project().file("turns.jsonl", turns(3));
    let trace = project
        .fsmsim(["trace", "shop.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    project.write("t.jsonl", trace);
    let verify = |more: &[&str]| {
        project.fsmsim(
            ["verify", "t.jsonl", "--model", "shop.yaml"]
                .iter()
                .chain(more),
        )
    };
    verify(&["--report=json", "--format=jsonl"]).refuses("to standard output");
    verify(&["--report=json", "--report=json"]).refuses("two reports");
    verify(&["--report=sarif"]).refuses("unknown report `sarif`");
    verify(&["--shard=3/2"]).refuses("expected a shard from 1/2 to 2/2");
    project
        .fsmsim(["simulate", "shop.yaml", "--persona=buyer", "--shard=0/2"])
        .refuses("expected NUMBER/TOTAL");
    verify(&["--report=json=t.jsonl/r.json"]).ends(2, "", "cannot write `");
}
