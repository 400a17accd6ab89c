//! All providers fail, with each fault, in each turn of a dialogue: no data is lost, and the failure is reported as such.

use std::time::Duration;

use serde_json::Value;

use crate::support::Project;
use crate::support::loopback::{Reaction, Seen, Server, Shape, raw, status};

/// The names of the faults.
const FAULTS: [&str; 12] = [
    "time_out",
    "slow_body",
    "dropped",
    "rate_limited",
    "server_error",
    "forbidden",
    "cut_off",
    "wrong_schema",
    "empty",
    "unknown_intent",
    "too_large",
    "no_json",
];
const TURNS: usize = 10;

/// The reaction of the server: it fails if the utterance names a fault.
fn reaction(seen: &Seen) -> Reaction {
    let utterance = seen.utterance();
    let fault = utterance
        .split_once("boom ")
        .map(|(_, fault)| fault.to_owned());
    match fault.as_deref() {
        None => Shape::OpenAi
            .says(r#"{"intent": "unclear", "confidence": 1, "data": {"persona": "boss"}}"#),
        Some("time_out") => Reaction::Hangs,
        Some("slow_body") => Reaction::Trickles(vec![b'H'; 40], Duration::from_millis(50)),
        Some("dropped") => Reaction::Drops,
        Some("rate_limited") => status(429, "retry-after: 0\r\n"),
        Some("server_error") => status(500, ""),
        Some("forbidden") => status(403, ""),
        Some("cut_off") => {
            raw("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"choices\": [{\"mess")
        }
        Some("wrong_schema") => Shape::OpenAi.says(r#"{"intent": ["unclear"]}"#),
        Some("empty") => Shape::OpenAi.says(""),
        Some("unknown_intent") => Shape::OpenAi.says(r#"{"intent": "no_such_intent"}"#),
        Some("too_large") => Shape::OpenAi.says(&" ".repeat(10_000_000)),
        Some("no_json") => raw("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\noops"),
        Some(other) => panic!("{other}"),
    }
}

/// A project with two providers that fail in the same way.
fn project() -> (Project, Server) {
    let server = Server::reacting(reaction);
    let provider = |name: &str| {
        format!(
            "[[llm.chain]]\nname = \"{name}\"\nbase_url = \"{}\"\nmodel = \"tiny\"\nretries = 0\ntimeout_s = 0.5\n",
            server.url
        )
    };
    let toml = provider("first") + &provider("second");
    (
        Project::new().with_flows().file("fsmsim.toml", toml),
        server,
    )
}

/// Ten turns, one of which fails with this fault.
fn dialogue(fault: &str, at: usize) -> String {
    let turns = (1..=TURNS).map(|turn| {
        let say = if turn == at {
            format!("boom {fault}")
        } else {
            format!("words {turn}")
        };
        format!("  - {{say: \"{say}\"}}\n")
    });
    let turns: String = turns.collect();
    format!("scenario: {fault} at {at}\nmodel: flows/spin_selling\nturns:\n{turns}---\n")
}

fn all() -> impl Iterator<Item = (&'static str, usize)> {
    FAULTS
        .into_iter()
        .flat_map(|fault| (1..=TURNS).map(move |at| (fault, at)))
}

#[test]
fn any_failure_of_all_providers_makes_scenarios_unavailable() {
    let (project, server) = project();
    let scenarios: String = all().map(|(fault, at)| dialogue(fault, at)).collect();
    project.write("scenarios/a.yaml", scenarios.trim_end_matches("---\n"));
    let run = project
        .fsmsim(["test", "--llm", "live", "--check", "-v", "-j", "8"])
        .unavailable("", "");
    let count = FAULTS.len() * TURNS;
    assert!(
        run.stdout
            .contains(&format!("0 passed, {count} unavailable in 0 turns")),
        "{}",
        run.stdout
    );
    for (fault, at) in all() {
        let title = format!("UNAVAILABLE {fault} at {at}  (");
        let mut lines = run
            .stdout
            .lines()
            .skip_while(|line| !line.contains(&title))
            .skip(1);
        let turn = lines.next().unwrap_or_default();
        assert!(
            turn.contains(&format!("turn {at}: the utterance was not recognized: ")),
            "{title} {turn}"
        );
    }
    server.stop();
}

#[test]
fn session_survives_every_fault_in_every_turn() {
    let (project, server) = project();
    let scenarios: String = all().map(|(fault, at)| dialogue(fault, at)).collect();
    project.write("a.yaml", scenarios.trim_end_matches("---\n"));
    let run = project
        .fsmsim(["trace", "a.yaml", "--llm", "live"])
        .unavailable("", "");
    let lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let dialogues: Vec<&[Value]> = lines.chunks(TURNS + 2).collect();
    assert_eq!(dialogues.len(), FAULTS.len() * TURNS);
    // Each dialogue loses only the failed turn.
    let last = |dialogue: &[Value]| {
        let last = &dialogue[TURNS];
        (
            last["state"]["to"].clone(),
            last["turn_number"].clone(),
            last["data"].clone(),
        )
    };
    for (dialogue, (fault, at)) in dialogues.iter().zip(all()) {
        let failed_turn = &dialogue[at];
        assert_eq!(
            (&failed_turn["class"], &failed_turn["why"][0]),
            (&"degrade".into(), &"nobody_read_it".into()),
            "{fault} {at}"
        );
        let tried: Vec<&str> = failed_turn["answers"][0]["failed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["by"].as_str().unwrap())
            .collect();
        assert!(
            tried.contains(&"first") && tried.contains(&"second"),
            "{fault} {at}: {tried:?}"
        );
        if at > 1 {
            assert_eq!(
                failed_turn["data"],
                dialogue[at - 1]["data"],
                "{fault} {at}"
            );
        }
        assert_eq!(last(dialogue).1, TURNS - 1, "{fault} {at}");
        if at < TURNS {
            assert_eq!(last(dialogue).2["persona"], "boss", "{fault} {at}");
        }
    }
    server.stop();
}

#[test]
fn failure_with_a_model_is_distinguished_from_one_of_the_flow() {
    let (project, server) = project();
    let scenario = |title: &str, turns: &str| {
        format!("scenario: {title}\nmodel: flows/spin_selling\nturns: [{turns}]\n")
    };
    let said = "{say: words, expect: {state: success}}";
    let scripted = "{say: words, intent: agreement, expect: {state: success}}, {say: words}";
    let both = scenario("Heard", said) + "---\n" + &scenario("Told", scripted);
    project.write("scenarios/a.yaml", both);
    let run = project
        .fsmsim(["test", "--llm", "live", "--check"])
        .fails(1, "", "");
    let assert_contains = |text: &str| assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    assert_contains("FAILED (model) Heard  (");
    assert_contains("first answered {intent: \"unclear\"");
    assert_contains("FAILED Told  (");
    assert_contains("0 passed, 2 failed (1 with a model)");
    server.stop();
}
