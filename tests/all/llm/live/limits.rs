//! Rate limits and budgets of live models, and invalid chains.

use std::time::Duration;

use super::models::{project, provider};
use crate::support::Invocation;
use crate::support::loopback::{Reaction, Server, Shape, reading};

fn late() -> Reaction {
    Reaction::Late(
        Duration::from_millis(60),
        Box::new(Shape::OpenAi.says(&reading("agreement").to_string())),
    )
}

/// Four scenarios of two turns, run concurrently.
fn four(server: &Server, llm_settings: &str, more: &str) -> Invocation {
    let project = project(format!(
        "[llm]\n{llm_settings}\n{}",
        provider("local", &server.url, more)
    ));
    for name in ["b", "c", "d"] {
        project.write(
            &format!("scenarios/{name}.yaml"),
            project.read("scenarios/a.yaml"),
        );
    }
    project.fsmsim(["test", "--llm", "live", "--accept", "-j", "4"])
}

#[test]
fn concurrent_requests_respect_the_limit() {
    let server = Server::start(vec![late()]);
    let run = four(&server, "", "max_concurrent = 1\nmax_per_minute = 1000").ends(0, "", "");
    assert_eq!((server.busiest(), server.requests().len()), (1, 8), "{run}");

    let server = Server::start(vec![late()]);
    let run = four(&server, "", "max_concurrent = 2").ends(0, "", "");
    assert!(server.busiest() <= 2, "{run}");
}

#[test]
fn files_run_concurrently_with_a_slow_server() {
    let server = Server::start(vec![late()]);
    let run = four(&server, "", "max_concurrent = 8").ends(0, "", "");
    assert!(server.busiest() > 1, "{run}");
}

#[test]
fn spent_budget_stops_requests_and_names_its_key() {
    let server = Server::start(vec![late()]);
    let run = four(&server, "max_calls = 3", "").unavailable("", "");
    assert_eq!(server.requests().len(), 3, "{run}");
    let why = "the budget `max_calls` of `[llm]` is spent: limit 3 requests";
    assert!(run.stdout.contains(why), "{}", run.shown());

    // Each answer costs 25 tokens, and requests are sequential, so the budget is spent before the third.
    for shape in Shape::BOTH {
        let server = Server::start(vec![shape.says(&reading("agreement").to_string())]);
        let more = format!("kind = \"{}\"\nmax_concurrent = 1", shape.kind());
        let run = four(&server, "seed = 7\nmax_tokens = 50", &more).unavailable("", "");
        assert_eq!(server.requests().len(), 2, "{run}");
        let why = "the budget `max_tokens` of `[llm]` is spent: limit 50 tokens";
        assert!(run.stdout.contains(why), "{}", run.shown());
    }
}

#[test]
fn budget_is_shared_by_the_chain_and_includes_repairs() {
    let first = Server::start(vec![Shape::OpenAi.says("no")]);
    let second = Server::start(vec![Shape::OpenAi.says("no")]);
    let toml = format!(
        "[llm]\nmax_calls = 3\n{}{}",
        provider("first", &first.url, ""),
        provider("second", &second.url, "")
    );
    let run = project(toml)
        .fsmsim(["test", "--llm", "live"])
        .unavailable("", "");
    assert_eq!(
        (first.requests().len(), second.requests().len()),
        (2, 1),
        "{run}"
    );
}

#[test]
fn mock_in_the_chain_answers_if_the_live_model_fails() {
    let server = Server::start(vec![Reaction::Drops]);
    let mock = "[[llm.chain]]\nkind = \"mock\"\nfile = \"fixtures/always.yaml\"\n";
    let toml = provider("local", &server.url, "retries = 0") + mock;
    let project = project(toml).file(
        "fixtures/always.yaml",
        "rules: [{answer: {intent: agreement}}]\n",
    );
    let run = project
        .fsmsim(["test", "--llm", "live", "--accept"])
        .ends(0, "", "");
    assert_eq!(server.requests().len(), 2, "{run}");
}

#[test]
fn invalid_chains_are_refused() {
    let url = "http://127.0.0.1:9/v1";
    let entry = |more: &str| format!("[[llm.chain]]\n{more}\n");
    let output: Vec<String> = [
        provider("a", "localhost:80", ""),
        provider("a", "http://user:planted-secret@localhost/v1", ""),
        provider("a", "http://localhost/v1?key=planted-secret", ""),
        provider("a", "http://", "timeout_s = -1\nretries = 11\nmax_per_minute = 0\nmax_concurrent = 1000000"),
        provider("a", url, "api_key = \"planted-secret\""),
        provider("a", url, "kind = \"telepathy\""),
        provider(
            "a",
            url,
            "kind = \"gigachat\"\nauth_url = \"http://localhost\"\napi_key_env = \"G\"\nstructured = \"schema\"",
        ),
        provider("a", url, "structured = \"loose\""),
        provider("a", url, "") + &provider("b", url, "") + &provider("a", url, ""),
        provider("", url, "api_key_env = \" \""),
        provider("a", url, "api_key_env = \"sk-planted-secret\""),
        entry(""),
        entry("name = \"g\"\nkind = \"gigachat\"\nscope = \"a&b\""),
        provider("a", url, "auth_url = \"http://localhost\"\nfile = \"a.yaml\""),
        entry("kind = \"mock\"\nmodel = \"tiny\""),
        entry("kind = \"mock\"\nfile = \"no_such.yaml\""),
        entry("kind = \"examples\"\nfile = \"a.yaml\""),
        format!("[llm]\nmax_calls = 0\nmax_tokens = 0\n{}", provider("a", url, "")),
        format!("[llm]\nseed = -1\n{}", provider("a", url, "")),
        String::new(),
    ]
    .into_iter()
    .map(|toml| project(toml).fsmsim(["test", "--llm", "live"]).refuses(""))
    .collect();
    let output = output.join("\n");
    assert!(!output.contains("planted-secret"), "{output}");
    insta::assert_snapshot!(output);
}

#[test]
fn invalid_certificates_are_refused() {
    let toml = provider("a", "https://127.0.0.1:9/v1", "ca_file = \"certs/ca.pem\"");
    let files: [Option<&[u8]>; 3] = [None, Some(b"not a certificate\n"), Some(b"\xff\xfe\x00")];
    let output: Vec<String> = files
        .into_iter()
        .map(|file| {
            let project = project(toml.clone());
            if let Some(file) = file {
                project.write("certs/ca.pem", file);
            }
            project.fsmsim(["test", "--llm", "live"]).refuses("")
        })
        .collect();
    insta::assert_snapshot!(output.join("\n"));
}
