//! `fsmsim simulate`: many dialogues with personas.

use std::collections::BTreeSet;

use crate::support::{Invocation, Project};

const FLOW: &str = "\
flow: {name: shop, policy: sales}
phases:
  order: [asking, dealing]
  mapping: {asking: ask, dealing: deal}
states:
  greeting:
    transitions: {agreement: ask, rejection: street}
  ask:
    phase: asking
    required_data: [company_size]
    transitions: {data_complete: deal, rejection: street}
  deal:
    phase: dealing
    optional_data: [pain_point]
    transitions: {agreement: sold, rejection: street}
  sold: {is_final: true}
  street: {is_final: true}
";

const BUYER: &str = "\
persona: buyer
description: Покупает & торгуется <редко>
data: {company_size: 7, pain_point: queues}
disclosure: 0.5
answers_with: info_provided
weights:
  - {intent: agreement, weight: 3}
  - {category: objection, weight: 2}
  - {intent: gratitude, weight: 4, in: [deal]}
patience: 6
gives_up_with: rejection
max_turns: 10
";

const SILENT: &str = "\
persona: walker
weights: [{intent: unclear, weight: 1}]
max_turns: 5
";

fn project() -> Project {
    Project::new()
        .file("shop.yaml", FLOW)
        .file("fixtures/personas/buyer.yaml", BUYER)
        .file("fixtures/personas/walker.yaml", SILENT)
        .file("fixtures/personas/notes.txt", "no persona")
}

fn simulate(project: &Project, more: &[&str]) -> Invocation {
    project.fsmsim(["simulate", "shop.yaml"]).args(more)
}

/// The standard error of a run with an invalid persona.
fn refused(persona: &str) -> String {
    let project = project().file("fixtures/personas/odd.yaml", persona);
    simulate(&project, &["--persona", "odd"]).refuses("")
}

#[test]
fn table_shows_how_dialogues_end() {
    insta::assert_snapshot!(
        simulate(
            &project(),
            &["--persona", "all", "--dialogues", "500", "--seed", "7"]
        )
        .shown()
    );
}

#[test]
fn seed_gives_the_same_bytes_with_any_number_of_threads() {
    let project = Project::new().with_flows();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/personas");
    let run = |seed: &str, jobs: &str| {
        let report = [
            "--dialogues",
            "2500",
            "--report",
            "json",
            "--seed",
            seed,
            "-j",
            jobs,
        ];
        let model = [
            "simulate",
            "flows/spin_selling",
            "--persona",
            "all",
            "--personas",
            folder,
        ];
        project.fsmsim(&model[..]).args(&report[..]).succeeds("")
    };
    let one = run("3", "1");
    assert_eq!(one, run("3", "8"));
    assert_ne!(
        one.replace("\"seed\": 3", ""),
        run("4", "1").replace("\"seed\": 4", "")
    );
}

#[test]
fn dialogues_of_a_persona_do_not_depend_on_other_personas() {
    let project = project();
    let row = |more: &[&str]| {
        let run = simulate(&project, &[&["--dialogues", "40"], more].concat()).run();
        let row = run
            .stdout
            .lines()
            .find(|line| line.starts_with("buyer"))
            .unwrap()
            .to_owned();
        row.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        row(&["--persona", "buyer"]),
        row(&["--persona", "walker", "--persona", "buyer"])
    );
}

#[test]
fn every_bundled_persona_runs_in_every_bundled_flow() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/personas");
    for model in [
        "flows/spin_selling",
        "flows/bant",
        "flows/bant_parallel.yaml",
    ] {
        for profile in ["documented", "reference"] {
            let run = Project::new()
                .with_flows()
                .fsmsim([
                    "simulate",
                    model,
                    "--persona",
                    "all",
                    "--dialogues",
                    "50",
                    "--personas",
                    folder,
                    "--profile",
                    profile,
                ])
                .about(model)
                .ends(0, "", "");
            assert!(!run.stderr.contains("error"), "{model}: {}", run.stderr);
        }
    }
}

#[test]
fn impatient_user_gives_up_and_leaves() {
    let project = project().file(
        "fixtures/personas/short.yaml",
        "persona: short\nweights: [{intent: unclear, weight: 1}]\npatience: 2\ngives_up_with: farewell\n",
    );
    let run = simulate(&project, &["--persona", "short", "--dialogues", "10"]).run();
    assert!(
        run.stdout
            .contains("short    abandoned  greeting         10  100.0%"),
        "{}",
        run.shown()
    );
    assert!(
        run.stdout
            .contains("100.0%    0.0%        0.0%    3.0    3    0.0%"),
        "{}",
        run.shown()
    );
}

#[test]
fn disclosure_decides_whether_the_user_gives_data() {
    let persona = |disclosure: &str| {
        format!(
            "persona: teller\ndata: {{company_size: 7}}\ndisclosure: {disclosure}\nweights: [{{intent: agreement, weight: 1}}]\n"
        )
    };
    for (disclosure, sold) in [("1", true), ("0", false)] {
        let project = project().file("fixtures/personas/teller.yaml", persona(disclosure));
        let run = simulate(&project, &["--persona", "teller", "--dialogues", "10"]).run();
        assert_eq!(run.stdout.contains("sold"), sold, "{}", run.shown());
        assert_eq!(
            run.stdout.contains("turn limit  ask"),
            !sold,
            "{}",
            run.shown()
        );
    }
}

#[test]
fn too_many_visits_of_a_state_are_a_loop() {
    let flow = |keys: &str| {
        format!(
            "flow: {{name: f, policy: sales}}\nstates:\n  greeting:\n    transitions: {{agreement: other}}\n  other:\n    transitions: {{agreement: greeting}}\n{keys}"
        )
    };
    let persona = "persona: p\nweights: [{intent: agreement, weight: 1}]\nmax_turns: 20\n";
    let quiet = "persona: q\nweights: [{intent: unclear, weight: 1}]\nmax_turns: 20\n";
    // Every second turn ends in `other`. The third such turn exceeds the limit of 2.
    for (name, persona, keys, expected) in [
        (
            "p",
            persona,
            "    max_simulation_visits: 2\n",
            "looped   other",
        ),
        (
            "p",
            persona,
            "    max_simulation_consecutive: 1\n",
            "turn limit  greeting",
        ),
        ("p", persona, "", "turn limit  greeting"),
        ("q", quiet, "", "turn limit  greeting"),
    ] {
        let project = Project::new()
            .file("f.yaml", flow(keys))
            .file(&format!("fixtures/personas/{name}.yaml"), persona);
        let run = project
            .fsmsim(["simulate", "f.yaml", "--persona", name, "--dialogues", "3"])
            .run();
        assert!(run.stdout.contains(expected), "{keys}: {}", run.shown());
    }
    let turns = |limits: &str| {
        let flow = format!("flow: {{name: f, policy: sales}}\nstates:\n  greeting: {{{limits}}}\n");
        let project = Project::new()
            .file("f.yaml", flow)
            .file("fixtures/personas/q.yaml", quiet);
        let run = project
            .fsmsim([
                "simulate",
                "f.yaml",
                "--persona",
                "q",
                "--dialogues",
                "3",
                "--report",
                "json",
            ])
            .run();
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        (
            report["personas"][0]["looped"][0]["name"].clone(),
            report["personas"][0]["turns"]["p90"].clone(),
        )
    };
    let greeting = serde_json::json!("greeting");
    assert_eq!(
        turns("max_simulation_consecutive: 4"),
        (greeting.clone(), 5.into())
    );
    // The dialogue should leave the state after three turns. If it does not, it counts as stuck after the fourth.
    assert_eq!(turns("max_turns_in_state: 3"), (greeting.clone(), 5.into()));
    assert_eq!(
        turns("max_turns_in_state: 3, max_simulation_consecutive: 0"),
        (().into(), 20.into())
    );
    assert_eq!(turns("max_simulation_visits: 1"), (greeting, 2.into()));
}

#[test]
fn invalid_visit_limit_is_rejected() {
    let project = project().file(
        "shop.yaml",
        FLOW.replace("    phase: asking", "    max_simulation_visits: -1"),
    );
    insta::assert_snapshot!(simulate(&project, &["--persona", "buyer"]).shown());
}

#[test]
fn invalid_personas_are_reported_with_their_location() {
    let weights = "weights: [{intent: agreement, weight: 1}]\n";
    let errors: Vec<String> = [
        "persona: odd\nweights:\n  - {intent: agrement, weight: 1}\n  - {category: objektion, weight: 1}\n  - {intent: agreement, weight: 1, in: [grreting]}\ngives_up_with: rejektion\n".to_owned(),
        "persona: odd\nweights:\n  - {weight: 1}\n  - {intent: agreement, category: objection, weight: 1}\n  - {intent: agreement}\n  - {intent: agreement, weight: 2000000}\n".to_owned(),
        "persona: odd\nweights: [{intent: agreement, weight: 1, in: [ask]}]\n".to_owned(),
        "persona: odd\nweights: []\n".to_owned(),
        format!("persona: other\n{weights}"),
        format!("persona: odd\ndisclosur: 1\npatience: -1\nmax_turns: 0\n{weights}"),
        format!("persona: odd\ndisclosure: 1.5\ndata: {{company_size: null}}\n{weights}"),
        "description: nobody\n".to_owned(),
        "- persona: odd\n".to_owned(),
        "persona: [odd\n".to_owned(),
    ]
    .iter()
    .map(|persona| format!("{persona}\n{}", refused(persona)))
    .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn unknown_key_of_a_persona_does_not_hide_an_unknown_name() {
    let stderr = refused("persona: odd\npatiance: 5\nweights: [{intent: agrement, weight: 1}]\n");
    for title in [
        "unknown key `patiance` in a persona",
        "unknown intent `agrement`",
    ] {
        assert!(stderr.contains(title), "{stderr}");
    }
    assert_eq!(stderr.matches("error[").count(), 2, "{stderr}");
}

#[test]
fn unknown_persona_suggests_a_similar_name() {
    insta::assert_snapshot!(simulate(&project(), &["--persona", "buyr"]).shown());
    let stderr = simulate(
        &project(),
        &["--persona", "../secret", "--personas", "nowhere"],
    )
    .refuses("");
    assert!(stderr.starts_with("error[FS0001]"), "{stderr}");
    assert!(
        simulate(
            &project().file("none/.keep", ""),
            &["--persona", "all", "--personas", "none"]
        )
        .refuses("")
        .starts_with("error[FS0214]")
    );
}

#[test]
fn invalid_arguments_are_rejected() {
    for more in [
        &["--persona", "buyer", "--report", "json", "--report", "html"][..],
        &["--persona", "buyer", "--report", "pdf"],
        &["--persona", "buyer", "--report", "json="],
        &["--persona", "buyer", "--dialogues", "0"],
        &["--persona", "buyer", "--profile", "real"],
        &["--show", "buyer"],
        &["--show", "buyer:0"],
        &["--show", ":1"],
        &["--show", "buyr:1"],
        &["--show", "buyer:1", "--report", "json"],
        &["--show", "buyer:1", "--format", "json"],
        &["--persona", "buyer", "--format", "json", "--report", "html"],
        &["--persona", "buyer", "--format", "jsn"],
        &["--save", "x.yaml"],
    ] {
        assert!(
            simulate(&project(), more)
                .about(format_args!("{more:?}"))
                .refuses("")
                .starts_with("error")
        );
    }
}

#[test]
fn json_report_counts_all_dialogues() {
    let project = project();
    let stdout = simulate(
        &project,
        &[
            "--persona",
            "all",
            "--dialogues",
            "200",
            "--report",
            "json=out/report.json",
            "--report",
            "json",
        ],
    )
    .succeeds("");
    assert_eq!(project.read("out/report.json"), stdout);
    let shown = simulate(
        &project,
        &["--persona", "all", "--dialogues", "200", "--format", "json"],
    )
    .succeeds("");
    assert_eq!(shown, stdout);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    for persona in report["personas"].as_array().unwrap() {
        let ends = ["finished", "abandoned", "looped", "turn_limit"]
            .map(|how| persona[how].as_array().unwrap().clone());
        let all: u64 = ends
            .concat()
            .iter()
            .map(|part| part["dialogues"].as_u64().unwrap())
            .sum();
        assert_eq!(all, 200, "{persona}");
    }
    let walker = &report["personas"][1];
    assert_eq!(
        walker["turn_limit"],
        serde_json::json!([{"name": "greeting", "dialogues": 200, "share": 1.0}])
    );
    assert_eq!(
        walker["turns"],
        serde_json::json!({"total": 1000, "mean": 5.0, "p90": 5, "histogram": {"5": 200}})
    );
}

#[test]
fn html_report_escapes_names() {
    let project = project();
    project.write(
        "shop.yaml",
        FLOW.replace("name: shop", "name: '<script>alert(1)</script>'"),
    );
    simulate(
        &project,
        &[
            "--persona",
            "all",
            "--dialogues",
            "20",
            "--report",
            "html=report.html",
        ],
    )
    .succeeds("buyer");
    let page = project.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(
        !page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;")
    );
    assert!(page.contains("Покупает &amp; торгуется &lt;редко&gt;"));
}

#[test]
fn unwritable_report_is_an_error() {
    let project = project().file("taken/file", "");
    let stderr = simulate(
        &project,
        &[
            "--persona",
            "buyer",
            "--dialogues",
            "1",
            "--report",
            "html=taken",
        ],
    )
    .refuses("");
    assert!(stderr.starts_with("error[FS0303]"), "{stderr}");
}

/// A mock that generates and recognizes the utterances of the user. In the state `deal`, the user accepts, leaves or times out.
const PLAYED: &str = "\
seed: 3
queue:
  - {need: play_user, answer: {say: 'Нас 7'}}
rules:
  - {need: play_user, say: 'deal:', rate: 0.5, answer: {say: 'Беру'}}
  - {need: play_user, say: 'deal:', rate: 0.5, answer: {say: 'Нет, дорого', leaves: true}}
  - {need: play_user, say: 'deal:', rate: 0.5, fault: time_out}
  - {need: play_user, answer: {say: 'Да'}}
  - {say: 'нас (?<company_size>\\d+)', answer: {intent: info_provided}}
  - {say: 'да|беру', answer: {intent: agreement}}
  - {say: 'дорого', answer: {intent: objection_price}}
";

fn simulate_with_user_model(more: &[&str]) -> Invocation {
    let talker =
        "persona: talker\ndescription: Хозяин лавки\ngoal: Купить очередь\nmax_turns: 12\n";
    let project = project().file("fixtures/personas/talker.yaml", talker);
    let project = project.file("m.yaml", PLAYED);
    let arguments = [
        "--persona",
        "talker",
        "--llm",
        "mock:m.yaml",
        "--dialogues",
        "200",
    ];
    simulate(&project, &arguments).args(more)
}

#[test]
fn model_can_play_the_user() {
    let run = simulate_with_user_model(&["-j", "1"]).run();
    insta::assert_snapshot!(run.shown());
    assert_eq!(run.shown(), simulate_with_user_model(&["-j", "8"]).shown());
    assert_ne!(
        run.stdout.lines().nth(2),
        simulate_with_user_model(&["--seed", "1"])
            .run()
            .stdout
            .lines()
            .nth(2)
    );
}

#[test]
fn persona_without_weights_needs_a_model() {
    let project = project().file(
        "fixtures/personas/talker.yaml",
        "persona: talker\ngoal: Купить\n",
    );
    simulate(&project, &["--persona", "talker"])
        .refuses("the persona `talker` has no input for the state `greeting`");
}

#[test]
fn user_of_a_contract_says_sentences() {
    let contract = "\
kind: contract
modes: {talk: {}, over: {final: true}}
frames: {root: {carried: root, fields: {topic: text, found: reference}}}
intents: {find: {say: 'find (?P<topic>\\w+)'}, bye: {say: bye}}
classes:
  FIND: {owner: root, intent: find, requires: nothing, carryover: none, forbids: [], answers: [], sets: {root.topic: {said: topic}, root.found: {outcome: found}}, executes: root.topic, mode: talk}
  BYE: {owner: root, intent: bye, requires: {frame: root.found, filled: true}, carryover: none, forbids: [], answers: [], sets: {}, mode: over}
outcomes: {rows: {}, error: {}}
";
    let persona = "persona: reader\nweights: [{say: [find boats, find tea], weight: 2}, {say: bye, weight: 1}]\nmax_turns: 6\n";
    let backend = "answers:\n  - {route: boats, return: {status: rows, found: a}}\n  - return: {status: error}\n";
    let project = Project::new()
        .file("desk.yaml", contract)
        .file("fixtures/personas/reader.yaml", persona)
        .file("backend.yaml", backend);
    let simulate = |start: &str| {
        project.fsmsim([
            "simulate",
            "desk.yaml",
            "--persona",
            "reader",
            "--dialogues",
            "50",
            "--seed",
            "3",
            "--start",
            start,
        ])
    };
    insta::assert_snapshot!(simulate("{backend: backend.yaml}").shown());
    let alone = simulate("").succeeds("");
    assert!(alone.contains("BYE               0   0.0%"), "{alone}");
    assert!(
        simulate("{backend: nowhere.yaml}")
            .refuses("")
            .contains("nowhere.yaml")
    );
    assert!(simulate("{stat: x}").refuses("").contains("stat"));
    project.write(
        "fixtures/personas/reader.yaml",
        persona.replace("find tea", "seek tea"),
    );
    let error = simulate("").refuses("no phrase of the model matches the sentence");
    assert!(error.contains("reader.yaml:2:30"), "{error}");
    project.write(
        "fixtures/personas/reader.yaml",
        persona.replace(
            "{say: bye, weight: 1}",
            "{say: bye, intent: bye, weight: 1}",
        ),
    );
    simulate("")
        .refuses("expected one of `intent`, `category`, `move`, `say` or `turn` in a weight");
}

#[test]
fn shown_dialogue_is_saved_as_a_passing_scenario() {
    let project = project();
    let shown = simulate(
        &project,
        &[
            "--show",
            "buyer:3",
            "--seed",
            "7",
            "--save",
            "scenarios/third.yaml",
        ],
    )
    .shown();
    insta::assert_snapshot!(shown);
    project.fsmsim(["test", "scenarios"]).succeeds("1 passed");
    simulate(
        &project,
        &["--show", "buyer:3", "--save", "scenarios/third.yaml"],
    )
    .fails(2, "", "already exists");
}

/// The counts of the report match the shown dialogues.
#[test]
fn each_cause_names_a_dialogue_with_this_end() {
    let project = Project::new().with_flows();
    let personas = ["cooperative", "reluctant", "wandering"];
    for model in ["flows/spin_selling", "flows/bant_parallel.yaml"] {
        let report = project
            .fsmsim(["simulate", model, "--dialogues", "60", "--report", "json"])
            .succeeds("");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        for (persona, name) in report["personas"].as_array().unwrap().iter().zip(personas) {
            assert_eq!(persona["persona"], name);
            let causes = persona["causes"].as_array().unwrap();
            let all: u64 = causes
                .iter()
                .map(|cause| cause["dialogues"].as_u64().unwrap())
                .sum();
            assert_eq!(all, 60, "{model} {name}");
            let ends = persona["last_phases"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|phase| phase["ends"].as_array().unwrap());
            assert_eq!(
                ends.map(|end| end["dialogues"].as_u64().unwrap())
                    .sum::<u64>(),
                60,
                "{model} {name}"
            );
            for cause in causes.iter().take(4) {
                let show = format!("{name}:{}", cause["first"]);
                let output = project
                    .fsmsim(["simulate", model, "--show", &show])
                    .succeeds("");
                let last = output.lines().last().unwrap();
                let how = match cause["how"].as_str().unwrap() {
                    "finished" => "the dialogue ended",
                    "abandoned" => "the user abandoned the dialogue",
                    "looped" => "the dialogue looped",
                    other => panic!("{other}"),
                };
                let end = format!("{how} in {}", cause["state"].as_str().unwrap());
                // The reason follows if the dialogue is unfinished.
                let shown = last.split(": ").next();
                assert_eq!(shown, Some(&*end), "{cause}: {last}");
            }
        }
    }
}

/// Built-in personas work with every model.
#[test]
fn every_model_has_built_in_personas() {
    let project = Project::library();
    let start = |name: &str| format!("{{backend: fixtures/backends/{name}.yaml}}");
    for (model, start) in [
        ("flows/spin_selling", String::new()),
        ("flows/bant_parallel.yaml", String::new()),
        ("flows/accounting.yaml", start("accounting")),
        ("flows/it_support.yaml", start("it_support")),
        ("flows/grant_interview.yaml", String::new()),
        ("flows/handover_interview.yaml", String::new()),
        ("states/student", String::new()),
    ] {
        let arguments = [
            "simulate",
            model,
            "--dialogues",
            "40",
            "--report",
            "json",
            "--start",
            &start,
        ];
        let report: serde_json::Value =
            serde_json::from_str(&project.fsmsim(arguments).succeeds("")).unwrap();
        let personas = report["personas"].as_array().unwrap();
        assert_eq!(personas.len(), 3, "{model}");
        // The dialogues advance, and they have more than one end.
        let mut ends = BTreeSet::new();
        for persona in personas {
            assert!(
                persona["turns"]["mean"].as_f64().unwrap() > 1.5,
                "{model}: {persona}"
            );
            for cause in persona["causes"].as_array().unwrap() {
                ends.insert((cause["how"].to_string(), cause["state"].to_string()));
            }
        }
        assert!(ends.len() > 1, "{model}: {ends:?}");
    }
    // Only its agents can do the work of a cycle, so a simulation without them is unavailable.
    let cycle = project
        .fsmsim(["simulate", "flows/agent_cycle.yaml", "--dialogues", "40"])
        .run();
    assert_eq!(cycle.code, 3, "{cycle}");
}

#[test]
fn weights_can_contain_turns_and_moves() {
    let project = Project::library().file(
        "fixtures/personas/student/eager.yaml",
        "persona: eager
weights:
  - {move: forward, weight: 4}
  - {move: stay, weight: 1}
  - {turn: {consent: {read: true, write: true}, reply: Хорошо}, weight: 1}
  - {turn: {goto: plan_entry, say: Хочу план}, weight: 2, in: [init]}
max_turns: 9
",
    );
    let eager = [
        "--personas",
        "fixtures/personas/student",
        "--show",
        "eager:1",
    ];
    insta::assert_snapshot!(
        project
            .fsmsim(["simulate", "states/student"])
            .args(eager)
            .shown()
    );
    project.write(
        "fixtures/personas/student/eager.yaml",
        "persona: eager\nweights: [{move: forwards, weight: 1}, {turn: {goto: nowhere}, weight: 1}]\n",
    );
    insta::assert_snapshot!(
        project
            .fsmsim(["simulate", "states/student"])
            .args(eager)
            .shown()
    );
}
