//! Live models through real sockets: requests, and the outcome of each kind of failure.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;

use crate::support::loopback::{Reaction, Server, Shape, gives, raw, reading, status};
use crate::support::{Invocation, Project};

fn says(intent: &str) -> Reaction {
    Shape::OpenAi.says(&reading(intent).to_string())
}

pub(super) fn provider(name: &str, url: &str, more: &str) -> String {
    format!("[[llm.chain]]\nname = \"{name}\"\nbase_url = \"{url}\"\nmodel = \"tiny\"\n{more}\n")
}

const SCENARIO: &str = "scenario: Live\nmodel: flows/spin_selling\nturns: [{say: Давайте начнём}, {say: Сколько стоит?}]\n";

pub(super) fn project(toml: String) -> Project {
    Project::new()
        .with_flows()
        .file("fsmsim.toml", toml)
        .file("scenarios/a.yaml", SCENARIO)
}

/// One turn with a server that reacts in this order, request by request.
pub(super) fn one_turn(reactions: Vec<Reaction>, more: &str) -> (Invocation, Server) {
    let server = Server::start(reactions);
    let scenario = "scenario: One\nmodel: flows/spin_selling\nturns: [{say: Давайте, expect: {state: spin_situation}}]\n";
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider("local", &server.url, more))
        .file("scenarios/a.yaml", scenario);
    (
        project
            .fsmsim(["test", "--llm", "live", "--trust"])
            .without_usage(),
        server,
    )
}

#[test]
fn live_model_recognizes_utterances() {
    let words = "Sure! ```json\n{\"intent\": \"info_provided\", \"confidence\": 0.8, \"data\": {\"company_size\": 50}}\n```";
    let server = Server::start(vec![says("agreement"), Shape::OpenAi.says(words)]);
    let project = project(provider("local", &server.url, "api_key_env = \"TINY_KEY\""));
    let run = project
        .fsmsim(["test", "--llm", "live", "--trust", "--accept"])
        .env("TINY_KEY", "planted-secret")
        .warns("", "");
    assert!(
        run.stderr
            .starts_with("local: 2 calls, 0 retries, 40 + 10 tokens, "),
        "{}",
        run.stderr
    );

    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].target(), "POST /v1/chat/completions");
    assert_eq!(
        requests[0].header("authorization"),
        Some("Bearer planted-secret")
    );
    let body = requests[0].json();
    assert_eq!(
        (&body["model"], &body["temperature"]),
        (&json!("tiny"), &json!(null))
    );
    assert!(
        body["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("price_question")
    );
    let user = |number: usize| {
        let body = requests[number].json();
        body["messages"][1]["content"].as_str().unwrap().to_owned()
    };
    assert!(
        user(0).starts_with(
            "State: greeting\nGoal of the state: Поздороваться и узнать, чем помочь\nIntents "
        ),
        "{}",
        user(0)
    );
    assert!(
        user(0).ends_with("\nThe user says: \"Давайте начнём\""),
        "{}",
        user(0)
    );
    let before = "\nUser: \"Давайте начнём\"\nAssistant: \"Расскажите о компании. Сколько человек работает с клиентами и чем вы \
                  пользуетесь сейчас?\"\nThe user says: \"Сколько стоит?\"";
    assert!(user(1).ends_with(before), "{}", user(1));

    // The key occurs only in the request.
    let mut written = vec![run.stdout, run.stderr];
    written.extend(project.files().iter().map(|path| project.read(path)));
    assert!(!written.concat().contains("planted-secret"));
    assert!(
        project
            .read("snapshots/a/live.snap")
            .contains("added: {company_size: ")
    );
}

#[test]
fn each_failure_makes_the_scenario_unavailable_with_a_reason() {
    let cut_off = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [{\"mess";
    let large = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n{}",
        " ".repeat(10_000_000)
    );
    let slow = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [{\"mess";
    for shape in Shape::BOTH {
        let says = |words: &str| shape.says(words);
        let (more, token_limit) = match shape {
            Shape::OpenAi => ("max_tokens", "length"),
            Shape::Anthropic => ("length", "max_tokens"),
        };
        let faults = [
            (Reaction::Hangs, "no answer within the time limit"),
            (
                Reaction::Trickles(slow.to_vec(), Duration::from_millis(40)),
                "no answer within the time limit",
            ),
            (Reaction::Closes, "the answer was cut off"),
            (Reaction::Drops, "the answer was cut off"),
            (
                status(429, "retry-after: 0\r\n"),
                "the server returned status 429",
            ),
            (status(500, ""), "the server returned status 500"),
            (status(401, ""), "the server returned status 401"),
            (
                status(301, "location: /v1/elsewhere\r\n"),
                "the server returned status 301",
            ),
            (raw(cut_off), "the answer was cut off"),
            (raw(&large), "the answer is too large"),
            (gives(&json!([])), "the response of the server has no `c"),
            (
                gives(&json!({"choices": [{}]})),
                "the response of the server has no `c",
            ),
            (
                raw("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\noops"),
                "the response of the server is not JSON",
            ),
            (says(""), "the answer is empty"),
            (says("I think so"), "the answer is not a JSON object"),
            (
                says("{\"intent\": \"agreement\", \"data\""),
                "the answer is not valid JSON",
            ),
            (
                shape.stops("{\"intent\": \"agreement\", \"data\"", token_limit),
                "the model reached its token limit",
            ),
            (
                shape.stops("Let me think", more),
                "the model reached its token limit",
            ),
            (
                says("{\"intent\": \"agreement\", \"data\": {}, \"confidence\": 7}"),
                "`confidence` does not match the schema",
            ),
            (
                says("{\"intent\": \"no_such_intent\"}"),
                "the answer has an unknown `intent`",
            ),
            (
                says("{\"intent\": \"agreement\", \"data\": [1]}"),
                "`data` does not match the schema",
            ),
            (
                shape.calls(&json!({"intent": 1})),
                "`intent` does not match the schema",
            ),
        ];
        for (reaction, why) in faults {
            let more = format!("kind = \"{}\"\nretries = 0\ntimeout_s = 0.4", shape.kind());
            let (run, _server) = one_turn(vec![reaction], &more);
            run.about(format_args!("{shape:?} {why}"))
                .unavailable(why, "");
        }
    }
}

#[test]
fn transient_failures_are_retried_and_recorded() {
    let server = Server::start(vec![
        status(429, "retry-after: 0\r\n"),
        status(503, ""),
        says("agreement"),
    ]);
    let project = project(provider("local", &server.url, "retries = 2"));
    let lines = "Давайте\n:trace\n";
    let stdout = project
        .fsmsim(["run", "flows/spin_selling", "--llm", "live"])
        .stdin(lines)
        .warns("", "")
        .stdout;
    let turn = crate::support::turns(&stdout).pop().unwrap();
    assert_eq!(
        turn["answers"],
        json!([{
            "need": "classify", "by": "local",
            "answer": {"intent": "agreement", "confidence": 0.9, "data": {}},
            "failed": [
                {"by": "local", "why": "the server returned status 429"},
                {"by": "local", "why": "the server returned status 503"},
            ],
            "disposition": "execute", "intent": "agreement",
        }])
    );
}

#[test]
fn permanent_failures_are_not_retried() {
    let (run, server) = one_turn(vec![status(401, "")], "retries = 5");
    run.unavailable("", "");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn next_provider_is_used_if_the_first_fails() {
    let unused_address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = Server::start(vec![says("agreement")]);
    let toml = provider(
        "first",
        &format!("http://{unused_address}/v1"),
        "retries = 0",
    ) + &provider("second", &server.url, "");

    // The scenario has no expectations and no snapshot, so it fails, but both turns are run.
    project(toml)
        .fsmsim(["test", "--llm", "live", "--check"])
        .fails(1, "in 2 turns", "");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn unset_key_is_reported_without_a_request() {
    let (run, server) = one_turn(vec![says("agreement")], "api_key_env = \"NO_SUCH_KEY\"");
    run.unavailable("the environment variable `NO_SUCH_KEY` is not set", "");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn retry_after_is_respected_or_prevents_the_retry() {
    // A date in the past allows a retry; a date too far in the future prevents it.
    let (run, server) = one_turn(
        vec![
            status(429, "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            says("agreement"),
        ],
        "retries = 1",
    );
    run.succeeds("");
    assert_eq!(server.requests().len(), 2);
    let too_late = [
        ("3600", "retry after 3600 s"),
        ("Tue, 31 Dec 2999 23:59:59 GMT", "retry after "),
    ];
    for (value, why) in too_late {
        let (run, server) = one_turn(
            vec![status(503, &format!("retry-after: {value}\r\n"))],
            "retries = 5",
        );
        run.unavailable(why, "");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn invalid_answer_is_repaired_once() {
    for shape in Shape::BOTH {
        let kind = format!("kind = \"{}\"\nretries = 3", shape.kind());
        let server = Server::start(vec![
            shape.says("Sure, it is agreement."),
            shape.says(&reading("agreement").to_string()),
        ]);
        let project = project(provider("local", &server.url, &kind));
        let run = project
            .fsmsim(["run", "flows/spin_selling", "--llm", "live"])
            .stdin("Давайте\n:trace\n")
            .run();
        let turn = crate::support::turns(&run.stdout).pop().unwrap();
        assert_eq!(
            turn["answers"][0]["answer"]["intent"],
            "agreement",
            "{}",
            run.shown()
        );
        assert_eq!(
            turn["answers"][0]["failed"],
            json!([{"by": "local", "why": "the answer is not a JSON object"}]),
            "{}",
            run.shown()
        );
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        let body = requests[1].json();
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(
            messages[messages.len() - 2],
            json!({"role": "assistant", "content": "Sure, it is agreement."})
        );
        assert_eq!(
            messages[messages.len() - 1],
            json!({
                "role": "user",
                "content": "That cannot be used: the answer is not a JSON object. Answer again, only with the JSON object.",
            })
        );

        // A second invalid answer is final.
        let (run, server) = one_turn(vec![shape.says("{\"intent\": \"nothing\"}")], &kind);
        run.unavailable("", "");
        assert_eq!(server.requests().len(), 2);
    }
}

#[test]
fn key_echoed_by_a_hostile_server_is_redacted() {
    const KEY: &str = "sk-planted-0123456789";
    // The second spelling becomes the key only after JSON escapes are decoded.
    let spelled: String = KEY
        .chars()
        .map(|c| format!("\\u{:04x}", u32::from(c)))
        .collect();
    let echo = |intent: &str| {
        format!(
            "{{\"intent\": \"{intent}\", \"confidence\": 0.9, \"tone\": \"{KEY}\", \
             \"data\": {{\"company_size\": \"{spelled}\", \"{KEY}\": 1}}}}"
        )
    };
    let planted = format!("x-echo: {KEY}\r\nretry-after: 0\r\n");
    for shape in Shape::BOTH {
        let server = Server::start(vec![
            Reaction::Answers(
                500,
                planted.clone(),
                format!("{{\"error\": \"bad key {KEY}\"}}"),
            ),
            shape.stops(&echo("agreement"), KEY),
            shape.says(&format!(
                "{{\"intent\": \"a\", \"confidence\": \"{spelled}\"}}"
            )),
            shape.says(&echo(KEY)),
            Reaction::Answers(400, planted.clone(), KEY.to_owned()),
        ]);
        let more = format!(
            "kind = \"{}\"\napi_key_env = \"TINY_KEY\"\nretries = 1",
            shape.kind()
        );
        let project = project(provider("local", &server.url, &more));
        let lines = "Давайте\n:trace\nСколько?\n:trace\nЕщё?\n:trace\n";
        let dialogue = project
            .fsmsim(["run", "flows/spin_selling", "--llm", "live", "--trust"])
            .stdin(lines)
            .env("TINY_KEY", KEY)
            .run();
        assert!(dialogue.stdout.contains("[secret]"), "{}", dialogue.shown());
        let tested = project
            .fsmsim(["test", "--llm", "live", "--trust"])
            .env("TINY_KEY", KEY)
            .run();
        let accepted = project
            .fsmsim(["test", "--llm", "live", "--trust", "--accept"])
            .env("TINY_KEY", KEY)
            .run();
        let mut written = vec![dialogue.shown(), tested.shown(), accepted.shown()];
        written.extend(project.files().iter().map(|path| project.read(path)));
        let written = written.concat();
        assert!(
            !written.contains("sk-planted") && !written.contains(&spelled),
            "{written}"
        );
        assert!(server.requests().len() > 4);
    }
}
