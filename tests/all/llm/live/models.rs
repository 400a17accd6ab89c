//! Live models, through real sockets: what they are asked, and what becomes of each way of failing.

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

/// One turn, read by a server that reacts so, request by request.
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
fn a_live_model_reads_what_was_said() {
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

    // The key is nowhere but in the request.
    let mut written = vec![run.stdout, run.stderr];
    written.extend(project.files().iter().map(|path| project.read(path)));
    assert!(!written.concat().contains("planted-secret"));
    assert!(
        project
            .read("snapshots/a/live.snap")
            .contains("added: [company_size]")
    );
}

#[test]
fn each_way_of_failing_makes_the_scenario_unavailable_and_says_how() {
    let cut_off = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [{\"mess";
    let large = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n{}",
        " ".repeat(10_000_000)
    );
    let slow = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [{\"mess";
    for shape in Shape::BOTH {
        let says = |words: &str| shape.says(words);
        let (more, most) = match shape {
            Shape::OpenAi => ("max_tokens", "length"),
            Shape::Anthropic => ("length", "max_tokens"),
        };
        let faults = [
            (Reaction::Hangs, "no answer came in time"),
            (
                Reaction::Trickles(slow.to_vec(), Duration::from_millis(40)),
                "no answer came in time",
            ),
            (Reaction::Closes, "the answer broke off"),
            (Reaction::Drops, "the answer broke off"),
            (
                status(429, "retry-after: 0\r\n"),
                "the server answered with the status 429",
            ),
            (status(500, ""), "the server answered with the status 500"),
            (status(401, ""), "the server answered with the status 401"),
            (
                status(301, "location: /v1/elsewhere\r\n"),
                "the server answered with the status 301",
            ),
            (raw(cut_off), "the answer broke off"),
            (raw(&large), "the answer was too large"),
            (gives(&json!([])), "the answer of the server has no `c"),
            (
                gives(&json!({"choices": [{}]})),
                "the answer of the server has no `c",
            ),
            (
                raw("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\noops"),
                "the answer of the server is no JSON",
            ),
            (says(""), "the answer was empty"),
            (says("I think so"), "the answer is no JSON object"),
            (
                says("{\"intent\": \"agreement\", \"data\""),
                "the answer is no valid JSON",
            ),
            (
                shape.stops("{\"intent\": \"agreement\", \"data\"", most),
                "had said all the tokens that it may",
            ),
            (
                shape.stops("Let me think", more),
                "had said all the tokens that it may",
            ),
            (
                says("{\"intent\": \"agreement\", \"data\": {}, \"confidence\": 7}"),
                "`confidence` is not what was asked for",
            ),
            (
                says("{\"intent\": \"no_such_intent\"}"),
                "the answer names no intent of the model",
            ),
            (
                says("{\"intent\": \"agreement\", \"data\": [1]}"),
                "`data` is not what was asked for",
            ),
            (
                shape.calls(&json!({"intent": 1})),
                "`intent` is not what was asked for",
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
fn what_may_pass_is_tried_again_and_every_attempt_is_in_the_record() {
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
                {"by": "local", "why": "the server answered with the status 429"},
                {"by": "local", "why": "the server answered with the status 503"},
            ],
            "taken": "execute", "intent": "agreement",
        }])
    );
}

#[test]
fn what_cannot_pass_is_not_tried_again() {
    let (run, server) = one_turn(vec![status(401, "")], "retries = 5");
    run.unavailable("", "");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_next_of_the_chain_is_asked_where_the_first_fails() {
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = Server::start(vec![says("agreement")]);
    let toml = provider("first", &format!("http://{nobody}/v1"), "retries = 0")
        + &provider("second", &server.url, "");

    // Nothing is expected and nothing accepted, so the scenario fails; it was played to its end.
    project(toml)
        .fsmsim(["test", "--llm", "live", "--check"])
        .fails(1, "in 2 turns", "");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_key_that_is_not_set_is_named_and_nobody_is_asked() {
    let (run, server) = one_turn(vec![says("agreement")], "api_key_env = \"NO_SUCH_KEY\"");
    run.unavailable("the environment variable `NO_SUCH_KEY` is not set", "");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_pause_that_the_server_asks_for_is_kept_or_no_attempt_is_made() {
    // A date that is over, and one that is too far away to wait for.
    let (run, server) = one_turn(
        vec![
            status(429, "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            says("agreement"),
        ],
        "retries = 1",
    );
    run.succeeds("");
    assert_eq!(server.requests().len(), 2);
    let far = [
        ("3600", "asked again after 3600 s"),
        ("Tue, 31 Dec 2999 23:59:59 GMT", "asked again after "),
    ];
    for (value, why) in far {
        let (run, server) = one_turn(
            vec![status(503, &format!("retry-after: {value}\r\n"))],
            "retries = 5",
        );
        run.unavailable(why, "");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn an_answer_that_cannot_be_used_is_repaired_once() {
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
            json!([{"by": "local", "why": "the answer is no JSON object"}]),
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
                "content": "That cannot be used: the answer is no JSON object. Answer again, only with the JSON object.",
            })
        );

        // What is as wrong as before is given up.
        let (run, server) = one_turn(vec![shape.says("{\"intent\": \"nothing\"}")], &kind);
        run.unavailable("", "");
        assert_eq!(server.requests().len(), 2);
    }
}

#[test]
fn a_key_that_a_hostile_server_sends_back_is_nowhere() {
    const KEY: &str = "sk-planted-0123456789";
    // The second spelling of the key is one that only its reader turns into the key.
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
        let played = project
            .fsmsim(["run", "flows/spin_selling", "--llm", "live", "--trust"])
            .stdin(lines)
            .env("TINY_KEY", KEY)
            .run();
        assert!(played.stdout.contains("[secret]"), "{}", played.shown());
        let tested = project
            .fsmsim(["test", "--llm", "live", "--trust"])
            .env("TINY_KEY", KEY)
            .run();
        let accepted = project
            .fsmsim(["test", "--llm", "live", "--trust", "--accept"])
            .env("TINY_KEY", KEY)
            .run();
        let mut written = vec![played.shown(), tested.shown(), accepted.shown()];
        written.extend(project.files().iter().map(|path| project.read(path)));
        let written = written.concat();
        assert!(
            !written.contains("sk-planted") && !written.contains(&spelled),
            "{written}"
        );
        assert!(server.requests().len() > 4);
    }
}
