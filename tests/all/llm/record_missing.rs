//! `--llm record-missing`: records only missing answers.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::loopback::{Server, Shape, reading, status};
use crate::support::{Invocation, Project};

const SCENARIO: &str = "scenarios/a.yaml";
const CASSETTE: &str = "cassettes/a/six-turns.jsonl";

/// A scenario with these utterances.
fn scenario(says: &[&str]) -> String {
    let turns: String = says
        .iter()
        .map(|say| format!("  - {{say: {say}}}\n"))
        .collect();
    format!(
        "scenario: Six turns\nmodel: flows/spin_selling\nend: {{final: false}}\nturns:\n{turns}"
    )
}

const SAID: [&str; 6] = ["a1", "a2", "a3", "a4", "a5", "a6"];

fn provider(server: &Server) -> String {
    format!(
        "[[llm.chain]]\nname = \"local\"\nbase_url = \"{}\"\nmodel = \"tiny\"\nretries = 0\n",
        server.url
    )
}

fn greeting() -> Server {
    Server::start(vec![Shape::OpenAi.says(&reading("greeting").to_string())])
}

fn test(project: &Project, llm: &str) -> Invocation {
    project.fsmsim(["test", "--llm", llm]).without_usage()
}

/// A project with six recorded turns, and the server that answered.
fn recorded() -> (Project, Server) {
    let server = greeting();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider(&server))
        .file(SCENARIO, scenario(&SAID));
    test(&project, "record").succeeds("1 passed");
    assert_eq!(server.requests().len(), 6);
    (project, server)
}

/// The utterances of all requests after the first `from` ones.
fn requested(server: &Server, from: usize) -> Vec<String> {
    server.requests()[from..]
        .iter()
        .map(crate::support::loopback::Seen::utterance)
        .collect()
}

#[test]
fn only_missing_answers_are_requested_and_unused_dropped() {
    let (project, server) = recorded();
    let old = project.read(CASSETTE);
    let run = test(&project, "record-missing").warns("1 passed", "");
    assert_eq!(
        run.stderr,
        "cassettes: 6 recordings replayed, 0 requested, 0 dropped\n"
    );
    assert_eq!(project.read(CASSETTE), old);

    project.write(SCENARIO, scenario(&["a1", "a2", "a3", "a4", "b5", "a6"]));
    let run = test(&project, "record-missing").warns("1 passed", "");
    // The history of later turns contains the edited utterance, so they are requested again too.
    let counts = "4 recordings replayed, 2 requested, 2 dropped\n";
    assert_eq!(
        run.stderr,
        format!("cassettes: {counts}  {CASSETTE}: {counts}")
    );
    assert_eq!(requested(&server, 6), ["b5", "a6"]);
    let new = project.read(CASSETTE);
    assert_eq!(new.lines().count(), 7);
    for (old, new) in old
        .lines()
        .zip(new.lines())
        .filter(|(old, _)| !old.contains("a5"))
    {
        assert_eq!(old, new);
    }
    // One turn fewer.
    project.write(SCENARIO, scenario(&["a1", "a2", "a3", "a4", "b5"]));
    test(&project, "record-missing")
        .warns("1 passed", "5 recordings replayed, 0 requested, 1 dropped");
    assert_eq!(project.read(CASSETTE).lines().count(), 6);
    assert!(
        !project
            .files()
            .iter()
            .any(|path| path.contains(".jsonl.new") || path.contains("fsmsim-tmp"))
    );
    server.stop();
    test(&project, "replay").succeeds("1 passed");
}

#[test]
fn without_a_cassette_everything_is_recorded() {
    let server = greeting();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider(&server))
        .file(SCENARIO, scenario(&SAID));
    let run = test(&project, "record-missing").warns("1 passed", "");
    assert!(
        run.stderr
            .contains("0 recordings replayed, 6 requested, 0 dropped"),
        "{run}"
    );
    server.stop();
    test(&project, "replay").succeeds("1 passed");
}

#[test]
fn killed_run_loses_no_answers() {
    let (project, server) = recorded();
    server.stop();
    let old = project.read(CASSETTE);
    let server = Server::reacting(|seen| {
        if seen.utterance() == "b5" {
            std::thread::sleep(Duration::from_secs(30));
        }
        Shape::OpenAi.says(&reading("greeting").to_string())
    });
    project.write("fsmsim.toml", provider(&server));
    project.write(SCENARIO, scenario(&["a1", "b2", "a3", "b4", "b5", "a6"]));
    let mut child = test(&project, "record-missing").spawn();
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
    // The last line is truncated.
    let partial = std::fs::read_to_string(&unfinished).unwrap();
    std::fs::write(&unfinished, format!("{partial}{{\"turn\":5,\"ne")).unwrap();

    let server = greeting();
    project.write("fsmsim.toml", provider(&server));
    let run = test(&project, "record-missing").warns("1 passed", "");
    // The old cassette provides a1; the interrupted run provides b2, a3 and b4.
    assert!(
        run.stderr
            .contains("4 recordings replayed, 2 requested, 5 dropped"),
        "{run}"
    );
    assert_eq!(requested(&server, 0), ["b5", "a6"]);
    assert!(!unfinished.exists());
    assert!(!project.read(CASSETTE).contains("completes"));
    server.stop();
    test(&project, "replay").succeeds("1 passed");
}

#[test]
fn answers_of_a_killed_recording_are_used_first() {
    let (project, server) = recorded();
    server.stop();
    // The answer has the same intent with more confidence, so the dialogue continues as before.
    let certain = json!({"intent": "greeting", "confidence": 0.96, "data": {}});
    let agrees = Server::start(vec![Shape::OpenAi.says(&certain.to_string())]);
    project.write("fsmsim.toml", provider(&agrees));
    // The partial file of a complete recording that was killed after turn 2.
    let fresh = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider(&agrees))
        .file(SCENARIO, scenario(&SAID));
    test(&fresh, "record").succeeds("");
    let half: String = fresh
        .read(CASSETTE)
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    project.write(&format!("{CASSETTE}.new"), &half);
    test(&project, "record-missing")
        .warns("1 passed", "6 recordings replayed, 0 requested, 2 dropped");
    let lines = project.read(CASSETTE);
    assert!(lines.starts_with(&half), "{lines}");
    assert_eq!(
        (
            lines.matches("\"confidence\":0.96").count(),
            lines.matches("\"confidence\":0.9,").count()
        ),
        (2, 4)
    );
    agrees.stop();
}

#[test]
fn failed_request_keeps_the_cassette_and_the_next_run_resumes() {
    let (project, server) = recorded();
    server.stop();
    let old = project.read(CASSETTE);
    let server = Server::reacting(|seen| match &*seen.utterance() {
        "b4" => status(500, ""),
        _ => Shape::OpenAi.says(&reading("greeting").to_string()),
    });
    project.write("fsmsim.toml", provider(&server));
    project.write(SCENARIO, scenario(&["a1", "b2", "a3", "b4", "a5", "a6"]));
    let run = test(&project, "record-missing").unavailable("", "is unchanged");
    assert!(
        run.stderr.contains("use `record-missing` to continue"),
        "{run}"
    );
    assert!(
        run.stderr
            .contains("1 recording replayed, 3 requested, 0 dropped"),
        "{run}"
    );
    assert_eq!(project.read(CASSETTE), old);
    server.stop();
    let server = greeting();
    project.write("fsmsim.toml", provider(&server));
    test(&project, "record-missing")
        .warns("1 passed", "3 recordings replayed, 3 requested, 5 dropped");
    // The unanswered request and all later ones were sent again.
    assert_eq!(requested(&server, 0), ["b4", "a5", "a6"]);
    server.stop();
}

#[test]
fn invalid_lines_are_reported_and_recorded_again() {
    let (project, server) = recorded();
    let good = project.read(CASSETTE);
    let third = good.lines().nth(3).unwrap();
    project.write(CASSETTE, good.replace(third, "nothing"));
    let run = test(&project, "record-missing").warns("1 passed", "invalid line 4 in the cassette");
    assert!(
        run.stderr
            .contains("5 recordings replayed, 1 requested, 1 dropped"),
        "{run}"
    );
    assert_eq!(requested(&server, 6), ["a3"]);
    assert_eq!(project.read(CASSETTE), good);
    // A file that is not a matching cassette is not overwritten, and no request is sent.
    for (case, content) in [
        ("another version", "{\"fsmsim_cassette\":2}\n"),
        ("empty", ""),
        (
            "another dialogue",
            "{\"fsmsim_cassette\":1,\"scenario\":\"B\"}\n",
        ),
    ] {
        project.write(CASSETTE, content);
        test(&project, "record-missing")
            .about(case)
            .fails(2, "1 invalid", "FS0216");
        assert_eq!(project.read(CASSETTE), content);
    }
    assert_eq!(server.requests().len(), 7);
    assert!(
        !project
            .files()
            .iter()
            .any(|path| path.contains(".jsonl.new"))
    );
    server.stop();
}

#[test]
fn additional_trials_are_recorded_in_the_same_cassette() {
    let (project, server) = recorded();
    let repeated = |llm: &'static str, trials: &'static str| {
        project
            .fsmsim(["test", "--llm", llm, "--repeat", trials])
            .without_usage()
    };
    repeated("record-missing", "3")
        .warns("1 passed", "6 recordings replayed, 12 requested, 0 dropped");
    assert_eq!(
        (
            server.requests().len(),
            project.read(CASSETTE).lines().count()
        ),
        (18, 19)
    );
    repeated("replay", "3").succeeds("1 passed");
    repeated("record-missing", "2")
        .warns("1 passed", "12 recordings replayed, 0 requested, 6 dropped");
    server.stop();
    repeated("replay", "2").succeeds("1 passed");
}

#[test]
fn concurrent_runs_do_not_damage_the_cassette() {
    let (project, server) = recorded();
    server.stop();
    let slow = Server::reacting(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Shape::OpenAi.says(&reading("greeting").to_string())
    });
    project.write("fsmsim.toml", provider(&slow));
    project.write(SCENARIO, scenario(&["b1", "a2", "b3", "a4", "b5", "a6"]));
    let runs: Vec<_> = (0..3)
        .map(|_| test(&project, "record-missing").spawn())
        .collect();
    let runs: Vec<_> = runs
        .into_iter()
        .map(|run| run.wait_with_output().unwrap())
        .collect();
    assert!(runs.iter().any(|run| run.status.code() == Some(0)));
    for run in runs.iter().filter(|run| run.status.code() != Some(0)) {
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.code() == Some(2) && stderr.contains("another run is recording to it"),
            "{stderr}"
        );
    }
    slow.stop();
    test(&project, "replay").succeeds("1 passed");
    assert!(!project.path().join(format!("{CASSETTE}.new")).exists());
}

#[test]
fn recording_is_refused_in_ci_and_with_check() {
    let (project, server) = recorded();
    project.write(SCENARIO, scenario(&["b1"]));
    let old = project.read(CASSETTE);
    test(&project, "record-missing")
        .env("CI", "1")
        .refuses("cannot record cassettes if `CI` is set");
    test(&project, "record-missing")
        .args(["--check"])
        .refuses("cannot use `--check` with `--llm record-missing`");
    // Whether a request is needed is unknown in advance, so consent is required.
    project.write(
        "fsmsim.toml",
        provider(&server) + "api_key_env = \"TINY_KEY\"\n",
    );
    test(&project, "record-missing").refuses("FS0306");
    assert_eq!((project.read(CASSETTE), server.requests().len()), (old, 6));
    server.stop();
}

#[test]
fn interactive_dialogue_extends_its_cassette() {
    let server = greeting();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider(&server));
    let run = |llm: &'static str, lines: &'static str| {
        project
            .fsmsim(["run", "flows/spin_selling", "--llm", llm])
            .stdin(lines)
            .without_usage()
    };
    run("record:mine.jsonl", "hello\nthere\n").succeeds("");
    run("record-missing:mine.jsonl", "hello\nyou\n")
        .warns("", "1 recording replayed, 1 requested, 1 dropped");
    assert_eq!(requested(&server, 2), ["you"]);
    server.stop();
    run("replay:mine.jsonl", "hello\nyou\n").succeeds("");
    let lines = project.read("mine.jsonl");
    let turns: Vec<serde_json::Value> = lines
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["turn"].clone())
        .collect();
    assert_eq!(turns, [json!(1), json!(2)]);
}
