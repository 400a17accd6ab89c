//! Recording of what is missing only.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::loopback::{Server, Shape, reading, status};
use crate::support::{Invocation, Project};

const SCENARIO: &str = "scenarios/a.yaml";
const CASSETTE: &str = "cassettes/a/six-turns.jsonl";

/// Six turns in which this is said.
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

fn link(server: &Server) -> String {
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

/// A project in which six turns were recorded, and the server that was asked.
fn recorded() -> (Project, Server) {
    let server = greeting();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", link(&server))
        .file(SCENARIO, scenario(&SAID));
    test(&project, "record").succeeds("1 passed");
    assert_eq!(server.requests().len(), 6);
    (project, server)
}

/// What was asked behind the first so many requests.
fn asked(server: &Server, from: usize) -> Vec<String> {
    server.requests()[from..]
        .iter()
        .map(crate::support::loopback::Seen::utterance)
        .collect()
}

#[test]
fn only_what_is_missing_is_asked_and_what_is_asked_no_more_drops_out() {
    let (project, server) = recorded();
    let old = project.read(CASSETTE);
    let run = test(&project, "record-missing").warns("1 passed", "");
    assert_eq!(
        run.stderr,
        "cassettes: 6 recordings replayed, 0 asked for, 0 dropped\n"
    );
    assert_eq!(project.read(CASSETTE), old);

    project.write(SCENARIO, scenario(&["a1", "a2", "a3", "a4", "b5", "a6"]));
    let run = test(&project, "record-missing").warns("1 passed", "");
    // What was said is told in the turns behind it.
    let told = "4 recordings replayed, 2 asked for, 2 dropped\n";
    assert_eq!(run.stderr, format!("cassettes: {told}  {CASSETTE}: {told}"));
    assert_eq!(asked(&server, 6), ["b5", "a6"]);
    let new = project.read(CASSETTE);
    assert_eq!(new.lines().count(), 7);
    for (old, new) in old
        .lines()
        .zip(new.lines())
        .filter(|(old, _)| !old.contains("a5"))
    {
        assert_eq!(old, new);
    }
    // One turn less.
    project.write(SCENARIO, scenario(&["a1", "a2", "a3", "a4", "b5"]));
    test(&project, "record-missing")
        .warns("1 passed", "5 recordings replayed, 0 asked for, 1 dropped");
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
fn where_nothing_was_recorded_everything_is_missing() {
    let server = greeting();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", link(&server))
        .file(SCENARIO, scenario(&SAID));
    let run = test(&project, "record-missing").warns("1 passed", "");
    assert!(
        run.stderr
            .contains("0 recordings replayed, 6 asked for, 0 dropped"),
        "{run}"
    );
    server.stop();
    test(&project, "replay").succeeds("1 passed");
}

#[test]
fn a_run_that_is_killed_loses_neither_the_old_cassette_nor_what_it_was_told() {
    let (project, server) = recorded();
    server.stop();
    let old = project.read(CASSETTE);
    let server = Server::reacting(|seen| {
        if seen.utterance() == "b5" {
            std::thread::sleep(Duration::from_secs(30));
        }
        Shape::OpenAi.says(&reading("greeting").to_string())
    });
    project.write("fsmsim.toml", link(&server));
    project.write(SCENARIO, scenario(&["a1", "b2", "a3", "b4", "b5", "a6"]));
    let mut child = test(&project, "record-missing").spawn();
    let unfinished = project.path().join(format!("{CASSETTE}.new"));
    let begun = Instant::now();
    while std::fs::read_to_string(&unfinished)
        .unwrap_or_default()
        .lines()
        .count()
        < 4
    {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(project.read(CASSETTE), old);
    // The last line was broken off.
    let told = std::fs::read_to_string(&unfinished).unwrap();
    std::fs::write(&unfinished, format!("{told}{{\"turn\":5,\"ne")).unwrap();

    let server = greeting();
    project.write("fsmsim.toml", link(&server));
    let run = test(&project, "record-missing").warns("1 passed", "");
    // Of the old one a1 is used, of the broken-off run b2, a3 and b4.
    assert!(
        run.stderr
            .contains("4 recordings replayed, 2 asked for, 5 dropped"),
        "{run}"
    );
    assert_eq!(asked(&server, 0), ["b5", "a6"]);
    assert!(!unfinished.exists());
    assert!(!project.read(CASSETTE).contains("completes"));
    server.stop();
    test(&project, "replay").succeeds("1 passed");
}

#[test]
fn what_a_whole_recording_that_was_killed_was_told_is_taken_first() {
    let (project, server) = recorded();
    server.stop();
    // It says the same with more certainty, so that the dialogue goes on as it did.
    let certain = json!({"intent": "greeting", "confidence": 0.96, "data": {}});
    let agrees = Server::start(vec![Shape::OpenAi.says(&certain.to_string())]);
    project.write("fsmsim.toml", link(&agrees));
    // As a recording from the beginning leaves it behind turn 2.
    let fresh = Project::new()
        .with_flows()
        .file("fsmsim.toml", link(&agrees))
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
        .warns("1 passed", "6 recordings replayed, 0 asked for, 2 dropped");
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
fn where_nobody_answers_the_old_cassette_stays_and_the_next_run_goes_on() {
    let (project, server) = recorded();
    server.stop();
    let old = project.read(CASSETTE);
    let server = Server::reacting(|seen| match &*seen.utterance() {
        "b4" => status(500, ""),
        _ => Shape::OpenAi.says(&reading("greeting").to_string()),
    });
    project.write("fsmsim.toml", link(&server));
    project.write(SCENARIO, scenario(&["a1", "b2", "a3", "b4", "a5", "a6"]));
    let run = test(&project, "record-missing").unavailable("", "stays as it was");
    assert!(
        run.stderr.contains("`record-missing` goes on from there"),
        "{run}"
    );
    assert!(
        run.stderr
            .contains("1 recording replayed, 3 asked for, 0 dropped"),
        "{run}"
    );
    assert_eq!(project.read(CASSETTE), old);
    server.stop();
    let server = greeting();
    project.write("fsmsim.toml", link(&server));
    test(&project, "record-missing")
        .warns("1 passed", "3 recordings replayed, 3 asked for, 5 dropped");
    // What nobody answered was asked for again, and what comes behind it.
    assert_eq!(asked(&server, 0), ["b4", "a5", "a6"]);
    server.stop();
}

#[test]
fn lines_that_cannot_be_used_are_told_and_asked_for_again() {
    let (project, server) = recorded();
    let good = project.read(CASSETTE);
    let third = good.lines().nth(3).unwrap();
    project.write(CASSETTE, good.replace(third, "nothing"));
    let run =
        test(&project, "record-missing").warns("1 passed", "line 4 of the cassette cannot be used");
    assert!(
        run.stderr
            .contains("5 recordings replayed, 1 asked for, 1 dropped"),
        "{run}"
    );
    assert_eq!(asked(&server, 6), ["a3"]);
    assert_eq!(project.read(CASSETTE), good);
    // A file that is none is not written over, and nobody is asked.
    for (what, content) in [
        ("another version", "{\"fsmsim_cassette\":2}\n"),
        ("empty", ""),
        (
            "another dialogue",
            "{\"fsmsim_cassette\":1,\"scenario\":\"B\"}\n",
        ),
    ] {
        project.write(CASSETTE, content);
        test(&project, "record-missing")
            .about(what)
            .fails(2, "1 unusable", "FS0216");
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
fn all_plays_are_on_one_cassette_and_more_plays_are_asked_for() {
    let (project, server) = recorded();
    let repeated = |llm: &'static str, plays: &'static str| {
        project
            .fsmsim(["test", "--llm", llm, "--repeat", plays])
            .without_usage()
    };
    repeated("record-missing", "3")
        .warns("1 passed", "6 recordings replayed, 12 asked for, 0 dropped");
    assert_eq!(
        (
            server.requests().len(),
            project.read(CASSETTE).lines().count()
        ),
        (18, 19)
    );
    repeated("replay", "3").succeeds("1 passed");
    repeated("record-missing", "2")
        .warns("1 passed", "12 recordings replayed, 0 asked for, 6 dropped");
    server.stop();
    repeated("replay", "2").succeeds("1 passed");
}

#[test]
fn of_two_at_once_one_is_told_and_neither_spoils_it() {
    let (project, server) = recorded();
    server.stop();
    let slow = Server::reacting(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Shape::OpenAi.says(&reading("greeting").to_string())
    });
    project.write("fsmsim.toml", link(&slow));
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
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.code() == Some(2) && told.contains("another run is recording it"),
            "{told}"
        );
    }
    slow.stop();
    test(&project, "replay").succeeds("1 passed");
    assert!(!project.path().join(format!("{CASSETTE}.new")).exists());
}

#[test]
fn nothing_is_recorded_where_it_may_not() {
    let (project, server) = recorded();
    project.write(SCENARIO, scenario(&["b1"]));
    let old = project.read(CASSETTE);
    test(&project, "record-missing")
        .env("CI", "1")
        .refuses("cassettes are not recorded where `CI` is set");
    test(&project, "record-missing")
        .args(["--check"])
        .refuses("`--llm record-missing` does");
    // Whether something is missing is not known before, so consent is.
    project.write(
        "fsmsim.toml",
        link(&server) + "api_key_env = \"TINY_KEY\"\n",
    );
    test(&project, "record-missing").refuses("FS0306");
    assert_eq!((project.read(CASSETTE), server.requests().len()), (old, 6));
    server.stop();
}

#[test]
fn a_person_goes_on_with_what_was_recorded() {
    let server = greeting();
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", link(&server));
    let run = |llm: &'static str, lines: &'static str| {
        project
            .fsmsim(["run", "flows/spin_selling", "--llm", llm])
            .stdin(lines)
            .without_usage()
    };
    run("record:mine.jsonl", "hello\nthere\n").succeeds("");
    run("record-missing:mine.jsonl", "hello\nyou\n")
        .warns("", "1 recording replayed, 1 asked for, 1 dropped");
    assert_eq!(asked(&server, 2), ["you"]);
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
