//! Cassettes: recorded with a server on loopback, replayed without it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::loopback::{Server, Shape, status};
use crate::support::{Invocation, Project};

/// The answer of a model to an utterance. `None`: the server fails.
type AnswerFn = fn(&str) -> Option<Value>;

/// A server that answers by the utterance in the request.
fn answering_server(answer_for: AnswerFn) -> Server {
    Server::reacting(move |seen| match answer_for(&seen.utterance()) {
        Some(answer) => Shape::OpenAi.says(&answer.to_string()),
        None => status(500, ""),
    })
}

/// A project file with an unreachable provider first and this server second.
fn toml(server: &Server) -> String {
    format!(
        "[[llm.chain]]\nname = \"first\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"tiny\"\nretries = 0\n\
         [[llm.chain]]\nname = \"second\"\nbase_url = \"{}\"\nmodel = \"tiny\"\nretries = 0\n\
         api_key_env = \"TINY_KEY\"\n",
        server.url
    )
}

/// A model that recognizes the utterances of the bundled dialogue.
fn sale(utterance: &str) -> Option<Value> {
    let read = |intent: &str, data: Value| {
        Some(json!({"intent": intent, "confidence": 0.9, "data": data}))
    };
    match utterance {
        "Здравствуйте!" => read("greeting", json!({})),
        "А сколько это стоит?" => read("price_question", json!({})),
        "Нас 50 человек" => read("info_provided", json!({"company_size": 50})),
        "Теряем клиентов" => {
            read("problem_revealed", json!({"pain_point": "Теряем клиентов"}))
        }
        "Да, это дорого обходится" => {
            read("implication_acknowledged", json!({}))
        }
        "Хотелось бы этого не видеть" => read("need_expressed", json!({})),
        "Покажите демо, вот телефон +7 900 123-45-67" => {
            read("demo_request", json!({"contact_info": "+7 900 123-45-67"}))
        }
        "Записывайте" => read("contact_provided", json!({})),
        _ => None,
    }
}

const DIALOGUE: &str = include_str!("../../../scenarios/plain_text/spin_selling.yaml");
const SCENARIO: &str = "scenarios/plain_text/spin_selling.yaml";
const CASSETTE: &str = "cassettes/plain_text/spin_selling/жизненный-цикл-простым-текстом.jsonl";
const KEY: (&str, &str) = ("TINY_KEY", "planted-secret");

/// A run that records.
fn record(project: &Project, arguments: &[&str]) -> Invocation {
    project
        .fsmsim(arguments)
        .args(["--llm", "record", "--trust"])
        .env(KEY.0, KEY.1)
        .without_usage()
}

/// A project with a recorded dialogue, and its trace. The server is stopped.
fn recorded() -> (Project, String) {
    let server = answering_server(sale);
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    let trace = record(&project, &["trace", SCENARIO]).succeeds("");
    server.stop();
    (project, trace)
}

#[test]
fn sent_request_has_the_date_and_its_recording_does_not() {
    let server = answering_server(sale);
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    let traced = record(&project, &["trace", SCENARIO]).succeeds("");
    let sent = server.requests()[0].json();
    let user = sent["messages"][1]["content"].as_str().unwrap();
    let today = user
        .lines()
        .find_map(|line| line.strip_prefix("Today: "))
        .unwrap();
    let (date, weekday) = today.split_once(", ").unwrap();
    assert!(
        date.len() == 10 && date.starts_with("20") && weekday.ends_with("day"),
        "{today}"
    );
    server.stop();
    let cassette = project.read(CASSETTE);
    assert!(
        cassette.contains("Today: <date>, <weekday>") && !cassette.contains(weekday),
        "{cassette}"
    );
    project.write("fsmsim.toml", "");
    let replayed = project.fsmsim(["trace", SCENARIO, "--llm", "replay"]);
    assert_eq!(replayed.succeeds(""), traced);
}

#[test]
fn recorded_dialogue_replays_byte_for_byte_offline() {
    let server = answering_server(sale);
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    let traced = record(&project, &["trace", SCENARIO]).succeeds("");
    let cassette = project.read(CASSETTE);
    let tested = record(&project, &["test", "--accept"]).succeeds("");
    assert_eq!(project.read(CASSETTE), cassette);
    server.stop();

    let last = crate::support::turns(&traced).pop().unwrap();
    assert_eq!(
        (&last["turn"], &last["state"]["to"], &last["final"]),
        (&json!(8), &json!("success"), &json!(true))
    );
    let failed = json!([{"by": "first", "why": "cannot connect"}]);
    assert_eq!(
        (&last["answers"][0]["by"], &last["answers"][0]["failed"]),
        (&json!("second"), &failed)
    );

    let snapshot =
        project.read("snapshots/plain_text/spin_selling/жизненный-цикл-простым-текстом.snap");
    // A replay needs no key and no providers, and writes no cassette, so it also runs if `CI` is set.
    project.write("fsmsim.toml", "");
    assert_eq!(
        project
            .fsmsim(["trace", SCENARIO, "--llm", "replay"])
            .succeeds(""),
        traced
    );
    project
        .fsmsim(["test", "--llm", "replay"])
        .env("CI", "1")
        .succeeds("");
    std::fs::remove_dir_all(project.path().join("snapshots")).unwrap();
    project
        .fsmsim(["test", "--llm", "replay", "--accept"])
        .succeeds("");
    assert_eq!(
        project.read("snapshots/plain_text/spin_selling/жизненный-цикл-простым-текстом.snap"),
        snapshot
    );
    assert_eq!(project.read(CASSETTE), cassette);

    let lines: Vec<Value> = cassette
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(
        lines[0],
        json!({"fsmsim_cassette": 1, "scenario": "Жизненный цикл простым текстом"})
    );
    let keys: Vec<&String> = lines[3].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "turn", "need", "hash", "by", "answer", "failed", "tokens", "stop", "user", "system",
            "schema"
        ]
    );
    assert_eq!(
        (&lines[3]["turn"], &lines[3]["stop"]),
        (&json!(3), &json!("stop"))
    );
    assert_eq!(lines[3]["tokens"], json!({"asked": 20, "answered": 5}));
    let mut written = vec![traced, tested];
    written.extend(project.files().iter().map(|path| project.read(path)));
    let written = written.concat().to_lowercase();
    assert!(!written.contains("planted-secret") && !written.contains("authorization"));
}

#[test]
fn edit_of_turn_five_keeps_earlier_turns_valid() {
    let (project, traced) = recorded();
    project.write(
        SCENARIO,
        DIALOGUE.replace("Да, это дорого обходится", "Ну, это обходится дорого"),
    );
    let run = project
        .fsmsim(["trace", SCENARIO, "--llm", "replay"])
        .unavailable("", "");
    let before = |text: &str| -> Vec<String> { text.lines().take(5).map(str::to_owned).collect() };
    assert_eq!(before(&run.stdout), before(&traced));
    let fifth: Value = serde_json::from_str(run.stdout.lines().nth(5).unwrap()).unwrap();
    assert_eq!(
        (&fifth["class"], &fifth["why"][0]),
        (&json!("degrade"), &json!("nobody_read_it"))
    );
    assert_eq!(fifth["state"]["to"], "spin_implication");

    insta::assert_snapshot!(project.fsmsim(["test", "--llm", "replay"]).shown());
}

#[test]
fn changed_goal_is_shown_as_a_difference() {
    let (project, _) = recorded();
    let path = "flows/spin_selling/states.yaml";
    let states = project.read(path);
    let goal = states
        .lines()
        .find(|line| line.trim_start().starts_with("goal:"))
        .unwrap();
    project.write(path, states.replacen(goal, &format!("{goal} и ещё раз"), 1));
    let run = project
        .fsmsim(["test", "--llm", "replay"])
        .unavailable("", "");
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn recorded_failure_is_replayed() {
    let server =
        answering_server(|utterance| sale(utterance).filter(|_| !utterance.starts_with("Теряем")));
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    let run = record(&project, &["test"]).unavailable("", "");
    assert!(
        run.stdout
            .contains("turn 4: the utterance was not recognized: the server returned status 500")
    );
    server.stop();
    assert_eq!(
        project.fsmsim(["test", "--llm", "replay"]).shown(),
        run.shown()
    );
}

#[test]
fn incomplete_recording_keeps_the_old_cassette() {
    let (project, _) = recorded();
    let old = project.read(CASSETTE);
    let server =
        answering_server(|utterance| sale(utterance).filter(|_| !utterance.starts_with("Теряем")));
    project.write("fsmsim.toml", toml(&server));
    record(&project, &["test"]).unavailable("", "no provider answered, so the cassette");
    assert_eq!(project.read(CASSETTE), old);
    assert_eq!(project.read(&format!("{CASSETTE}.new")).lines().count(), 5);
    server.stop();
}

#[test]
fn key_in_an_answer_is_redacted_everywhere() {
    let server = answering_server(|_| {
        Some(json!({"intent": "agreement", "data": {"key": "planted-secret"}}))
    });
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    let stdout = record(&project, &["trace", SCENARIO]).succeeds("");
    assert!(
        stdout.contains("[secret]") && !stdout.contains("planted-secret"),
        "{stdout}"
    );
    assert!(!project.read(CASSETTE).contains("planted-secret"));
    server.stop();
}

#[test]
fn missing_cassette_is_reported_without_a_request() {
    let server = answering_server(|_| panic!("a replay sent a request"));
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    let silent = "scenario: Silent\nmodel: flows/spin_selling\nturns: [{intent: agreement, expect: {state: spin_situation}}]\n";
    project.write("scenarios/silent.yaml", silent);
    insta::assert_snapshot!(
        project
            .fsmsim(["test", "--llm", "replay"])
            .env(KEY.0, KEY.1)
            .shown()
    );
    // A scenario that declares its intents needs no cassette, so none is written.
    record(&project, &["test", "scenarios/silent.yaml"]).succeeds("");
    assert!(
        !project
            .files()
            .iter()
            .any(|path| path.contains("cassettes"))
    );
    server.stop();
}

#[test]
fn autonomous_state_requires_a_recording() {
    let flow = "flow: {name: autonomous, policy: sales}\nstates:\n  greeting: {}\n  autonomous_talk: {goal: Talk}\n";
    let scenario = "scenario: Alone\nmodel: flow.yaml\n\
                    start: {state: autonomous_talk, model: scripted, flags: {autonomous_flow: true}}\n\
                    turns: [{intent: unclear, expect: {state: autonomous_talk}}]\n";
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("scenarios/a.yaml", scenario);
    project
        .fsmsim(["test", "--llm", "replay"])
        .unavailable("", "cannot find the cassette of `Alone`");
}

#[test]
fn invalid_cassettes_are_reported() {
    let (project, _) = recorded();
    let good = project.read(CASSETTE);
    let (header, rest) = good.split_once('\n').unwrap();
    let third = good.lines().nth(3).unwrap();
    let broken: [(&str, Vec<u8>); 10] = [
        ("no JSON", format!("{header}\nnothing\n[1]\n").into()),
        ("cut line", good[..header.len() + 61].into()),
        (
            "wrong types",
            good.replace("\"turn\":2", "\"turn\":\"2\"")
                .replace("\"stop\":\"stop\"", "\"stop\":[]")
                .into(),
        ),
        (
            "wrong answer",
            good.replace("\"intent\":\"greeting\"", "\"intent\":7")
                .into(),
        ),
        (
            "duplicate keys",
            good.replace("\"turn\":3", "\"turn\":3,\"turn\":3").into(),
        ),
        (
            "changed by hand",
            good.replace("says: \\\"Нас 50", "says: \\\"Нас 60").into(),
        ),
        ("empty", Vec::new()),
        (
            "another version",
            format!("{{\"fsmsim_cassette\":2}}\n{rest}").into(),
        ),
        (
            "another scenario",
            good.replace("простым", "сложным").into(),
        ),
        ("no text", [header.as_bytes(), b"\n\xff\xfe\n"].concat()),
    ];
    let mut output = String::new();
    for (case, content) in broken {
        project.write(CASSETTE, content);
        let stderr = project
            .fsmsim(["test", "--llm", "replay"])
            .about(case)
            .fails(2, "", "")
            .stderr;
        output += &format!("{case}\n{stderr}");
    }
    insta::assert_snapshot!(output);

    // Keys that other programs add are ignored, and so are empty lines.
    project.write(
        CASSETTE,
        good.replace("\"turn\":", "\"note\":null,\"turn\":")
            .replace('\n', "\r\n\r\n"),
    );
    project.fsmsim(["test", "--llm", "replay"]).succeeds("");
    // A duplicate recording can be used twice, but does not have to be.
    project.write(CASSETTE, format!("{good}{third}\n"));
    project.fsmsim(["test", "--llm", "replay"]).succeeds("");

    let file = std::fs::File::create(project.path().join(CASSETTE)).unwrap();
    file.set_len(300 << 20).unwrap();
    project
        .fsmsim(["test", "--llm", "replay"])
        .fails(2, "", "limit 64.0 MiB");
}

#[test]
fn unwritable_cassette_makes_the_scenario_invalid() {
    let server = answering_server(sale);
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE)
        .file("cassettes", "this is no folder");
    insta::assert_snapshot!(record(&project, &["test"]).shown());
    record(&project, &["trace", SCENARIO]).fails(2, "", "error[FS0303]");
    server.stop();
}

#[test]
fn killed_run_keeps_the_old_cassette() {
    let server = answering_server(|utterance| {
        if utterance.starts_with("Теряем") {
            std::thread::sleep(Duration::from_secs(30));
        }
        sale(utterance)
    });
    let (project, _) = recorded();
    let old = project.read(CASSETTE);
    project.write("fsmsim.toml", toml(&server));
    let mut child = project
        .fsmsim(["test", "--llm", "record", "--trust"])
        .env(KEY.0, KEY.1)
        .spawn();
    let unfinished = project.path().join(format!("{CASSETTE}.new"));
    let start = Instant::now();
    while std::fs::read_to_string(&unfinished)
        .unwrap_or_default()
        .lines()
        .count()
        < 4
    {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(project.read(CASSETTE), old);
    project.fsmsim(["test", "--llm", "replay"]).succeeds("");
}

#[test]
fn concurrent_runs_do_not_damage_a_cassette() {
    let server = answering_server(|utterance| {
        std::thread::sleep(Duration::from_millis(20));
        sale(utterance)
    });
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file(SCENARIO, DIALOGUE);
    for _ in 0..3 {
        let runs: Vec<_> = (0..3)
            .map(|_| record(&project, &["test"]).spawn())
            .collect();
        let runs: Vec<_> = runs
            .into_iter()
            .map(|run| run.wait_with_output().unwrap())
            .collect();
        assert!(runs.iter().any(|run| run.status.code() == Some(0)));
        for run in runs.iter().filter(|run| run.status.code() != Some(0)) {
            let stderr = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(2), "{stderr}");
            assert!(
                stderr.contains("another run is recording to it"),
                "{stderr}"
            );
        }
        project
            .fsmsim(["test", "--llm", "replay"])
            .succeeds("1 passed");
        assert!(!project.path().join(format!("{CASSETTE}.new")).exists());
    }
    server.stop();
}

#[test]
fn cassettes_do_not_depend_on_the_number_of_threads() {
    let server = answering_server(sale);
    let scenarios: String = (0..24)
        .map(|number| {
            let says = [
                "Здравствуйте!",
                "А сколько это стоит?",
                "Нас 50 человек",
                "что?",
            ];
            let turns: String = (0..=number % 4)
                .map(|at| format!("  - {{say: \"{}\"}}\n", says[at]))
                .collect();
            format!("---\nscenario: Dialogue {number}\nmodel: flows/spin_selling\nturns:\n{turns}")
        })
        .collect();
    let project = || {
        Project::new()
            .with_flows()
            .file("fsmsim.toml", toml(&server))
            .file("scenarios/a.yaml", &scenarios)
    };
    let [one, eight] = ["1", "8"].map(|jobs| {
        let project = project();
        let run = record(&project, &["test", "--accept", "-j", jobs]).unavailable("", "");
        let files: Vec<(String, String)> = project
            .files()
            .into_iter()
            .map(|path| (path.clone(), project.read(&path)))
            .collect();
        (run.shown(), files, project)
    });
    assert_eq!((&one.0, &one.1), (&eight.0, &eight.1));
    assert_eq!(
        one.1
            .iter()
            .filter(|(path, _)| path.starts_with("cassettes/"))
            .count(),
        24
    );
    // Differences are reported in the order of the scenarios.
    let edited = scenarios.replace("Нас 50", "Нас 60");
    let [one, eight] = [(one.2, "1"), (eight.2, "8")].map(|(project, jobs)| {
        project.write("scenarios/a.yaml", &edited);
        project
            .fsmsim(["test", "--llm", "replay", "-j", jobs])
            .shown()
    });
    assert_eq!(one, eight);
    assert_eq!(one.matches("warning[FS0217]").count(), 12);
    server.stop();
}

#[test]
fn two_scenarios_do_not_share_a_cassette() {
    let server = answering_server(sale);
    let one = |title: &str| {
        format!(
            "---\nscenario: {title}\nmodel: flows/spin_selling\nturns: [{{say: Здравствуйте!, expect: {{state: greeting}}}}]\n"
        )
    };
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file("scenarios/a.yaml", one("A guest") + &one("A guest!"));
    insta::assert_snapshot!(record(&project, &["test"]).shown());
    record(&project, &["trace", "scenarios/a.yaml"]).fails(2, "", "error[FS0206]");
    server.stop();
}

#[test]
fn ignored_text_is_not_stored_or_compared() {
    let server = answering_server(|_| Some(json!({"intent": "agreement"})));
    let ignored = "[llm.cassette]\nignore_patterns = ['\\d{4}-\\d\\d-\\d\\d']\n";
    let scenario = |day: &str| {
        format!(
            "scenario: Today\nmodel: flows/spin_selling\nturns: [{{say: \"Сегодня {day}\", expect: {{state: spin_situation}}}}]\n"
        )
    };
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server) + ignored)
        .file("scenarios/a.yaml", scenario("2024-02-29"));
    record(&project, &["test"]).succeeds("");
    server.stop();
    let cassette = project.read("cassettes/a/today.jsonl");
    assert!(
        cassette.contains("Сегодня <ignored>") && !cassette.contains("2024"),
        "{cassette}"
    );
    project.write("scenarios/a.yaml", scenario("2025-01-01"));
    project.fsmsim(["test", "--llm", "replay"]).succeeds("");
    project.write("scenarios/a.yaml", scenario("завтра"));
    project
        .fsmsim(["test", "--llm", "replay"])
        .unavailable("", "");

    project.write(
        "fsmsim.toml",
        "[llm.cassette]\nignore_patterns = ['x(', 'x*', 'good']\n",
    );
    let stderr = project.fsmsim(["test", "--llm", "replay"]).refuses("");
    insta::assert_snapshot!(stderr);
}

#[test]
fn interactive_dialogue_is_recorded_and_replayed() {
    let server = answering_server(sale);
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server));
    let typed = "Здравствуйте!\nА сколько это стоит?\n:reset\nЗдравствуйте!\n:trace\n";
    let run_dialogue = |provider: &str, typed: &str| {
        let run = project
            .fsmsim(["run", "flows/spin_selling", "--trust", "--llm", provider])
            .stdin(typed);
        run.env(KEY.0, KEY.1).without_usage()
    };
    let run = run_dialogue("record:tapes/mine.jsonl", typed).ends(0, "", "");
    server.stop();
    assert_eq!(
        run_dialogue("replay:tapes/mine.jsonl", typed).shown(),
        run.shown()
    );
    let lines = project.read("tapes/mine.jsonl");
    let turns: Vec<Value> = lines
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let turns: Vec<&Value> = turns.iter().map(|line| &line["turn"]).collect();
    assert_eq!(turns, [1, 2, 1]);
    // The end of the input ends the dialogue, and so does `:quit`.
    let run = run_dialogue(
        "replay:tapes/mine.jsonl",
        "Здравствуйте!\nНас 50 человек\n:quit\n",
    )
    .unavailable("", "");
    insta::assert_snapshot!(run.stderr);
}

#[test]
fn invalid_llm_options_are_refused() {
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);
    let project = Project::new().with_flows().file("a.yaml", DIALOGUE);
    let refused: [Case<'_>; 9] = [
        (&["test", "a.yaml", "--llm", "record"], &[("CI", "true")]),
        (&["test", "a.yaml", "--llm", "record", "--check"], &[]),
        (&["test", "a.yaml", "--llm", "record"], &[]),
        (&["test", "a.yaml", "--llm", "replay,live"], &[]),
        (&["trace", "a.yaml", "--llm", "record:x.jsonl"], &[]),
        (
            &["run", "flows/bant", "--llm", "record:x.jsonl"],
            &[("CI", "true")],
        ),
        (&["run", "flows/bant", "--llm", "replay:x.jsonl"], &[]),
        (&["run", "flows/bant", "--llm", "replay"], &[]),
        (&["run", "flows/bant", "--llm", "record:"], &[]),
    ];
    let mut output = String::new();
    for (arguments, environment) in refused {
        let run = project.fsmsim(arguments);
        let run = environment
            .iter()
            .fold(run, |run, (name, value)| run.env(name, value));
        output += &format!("{}\n{}", arguments.join(" "), run.refuses(""));
    }
    insta::assert_snapshot!(output);
}

#[test]
fn all_trials_of_a_scenario_share_one_cassette() {
    // The model alternates between two intents for the same utterance.
    let server = answering_server(|_| {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let intent = ["unclear", "agreement"][ASKED.fetch_add(1, Ordering::SeqCst) % 2];
        Some(json!({"intent": intent}))
    });
    let scenario = "scenario: Luck\nmodel: flows/spin_selling\nrequire: 2 of 4\n\
                    turns: [{say: Ну, expect: {state: spin_situation}}]\n";
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml(&server))
        .file("scenarios/a.yaml", scenario);
    let run = record(&project, &["test"]).ends(0, "", "");
    server.stop();
    assert_eq!(project.read("cassettes/a/luck.jsonl").lines().count(), 5);
    assert_eq!(
        project.fsmsim(["test", "--llm", "replay"]).shown(),
        run.shown()
    );
    // With more trials than were recorded, the scenario is unavailable.
    project
        .fsmsim(["test", "--llm", "replay", "--repeat", "6"])
        .unavailable("", "the same request was recorded fewer times");
}
