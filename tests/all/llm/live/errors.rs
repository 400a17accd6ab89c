//! Error messages of models and servers, refusals, and text around answers.

use serde_json::{Value, json};

use super::models::{one_turn, project, provider};
use crate::support::loopback::{Reaction, Server, Shape, gives, reading, status};

/// An error with this status and body.
fn fails(status: u16, body: &Value) -> Reaction {
    Reaction::Answers(status, String::new(), body.to_string())
}

/// A message of a chat completion.
fn message(message: &Value, reason: &str) -> Reaction {
    gives(&json!({"choices": [{"message": message, "finish_reason": reason}]}))
}

#[test]
fn last_valid_object_is_the_answer() {
    let good = reading("agreement").to_string();
    let draft = reading("price_question").to_string();
    for words in [
        format!("<think>{draft}</think>{good}"),
        format!("{draft} is wrong.</think>\n{good}"),
        format!("<thinking>\n{draft}</thinking>```json\n{good}\n```"),
        format!("First {draft}, but rather {good}. So {{\"done\": true}}"),
        format!("{{braces}} {good} {{\"intent\": \"no_such_intent\"}}"),
    ] {
        for shape in Shape::BOTH {
            let more = format!("kind = \"{}\"\nretries = 0", shape.kind());
            let (run, server) = one_turn(vec![shape.says(&words)], &more);
            run.about(&words).succeeds("");
            assert_eq!(server.requests().len(), 1, "{words}");
        }
    }
    let parts = json!({"content": [{"type": "thinking", "thinking": draft}, {"type": "text", "text": good}]});
    let apart = json!({"content": good, "reasoning_content": draft, "reasoning": draft});
    for said in [parts, apart] {
        one_turn(vec![message(&said, "stop")], "").0.succeeds("");
    }
}

#[test]
fn reasoning_without_an_answer_and_refusals_are_reported() {
    let draft = reading("agreement").to_string();
    let declined = "I can't help with \u{1b}[31mthat.";
    for (reaction, error) in [
        (
            message(&json!({"content": format!("<think>{draft}")}), "stop"),
            "the model returned its reasoning, but no answer",
        ),
        (
            message(
                &json!({"content": null, "reasoning_content": draft}),
                "stop",
            ),
            "the model returned its reasoning, but no answer",
        ),
        (
            message(&json!({"content": null, "refusal": declined}), "stop"),
            "the model refused to answer: I can't help with",
        ),
        (
            message(
                &json!({"content": [{"type": "refusal", "refusal": declined}]}),
                "stop",
            ),
            "the model refused to answer: I can't help with",
        ),
        (
            message(&json!({"content": draft}), "content_filter"),
            "the answer was refused: `content_filter`",
        ),
        (
            fails(
                400,
                &json!({"error": {"message": "The prompt was filtered.", "code": "content_filter"}}),
            ),
            "the answer was refused: The prompt was filtered.",
        ),
    ] {
        let (run, server) = one_turn(vec![reaction], "retries = 0");
        let run = run.about(error).unavailable(error, "");
        assert!(!run.shown().contains('\u{1b}'), "{}", run.shown());
        assert_eq!(server.requests().len(), 1, "{error}");
    }
    let refusal = gives(
        &json!({"content": [{"type": "text", "text": "I won't."}], "stop_reason": "refusal"}),
    );
    let (run, server) = one_turn(vec![refusal], "kind = \"anthropic\"\nretries = 3");
    run.unavailable("the answer was refused: `refusal`: I won't.", "");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn error_body_is_shortened_and_sanitized_everywhere() {
    const KEY: &str = "sk-planted-0123456789";
    let words = format!("bad key {KEY} \u{1b}]0;title\u{7} {}", "я".repeat(400));
    let server = Server::start(vec![fails(500, &json!({"error": {"message": words}}))]);
    let project = project(provider(
        "local",
        &server.url,
        "api_key_env = \"TINY_KEY\"\nretries = 0",
    ));
    let dialogue = project
        .fsmsim(["run", "flows/spin_selling", "--llm", "live", "--trust"])
        .stdin("Давайте\n:trace\n");
    let dialogue = dialogue.env("TINY_KEY", KEY).run();
    let error = "the server returned status 500: bad key [secret]";
    // The error is in the lines of the turn, in the record, and on standard error.
    assert!(
        dialogue.stdout.matches(error).count() >= 2 && dialogue.stderr.contains(error),
        "{}",
        dialogue.shown()
    );
    let turn = crate::support::turns(&dialogue.stdout).pop().unwrap();
    let why = turn["answers"][0]["failed"][0]["why"].as_str().unwrap();
    assert!(why.chars().count() <= 350 && why.ends_with('…'), "{why}");
    assert!(
        !dialogue.shown().contains(KEY) && !dialogue.shown().contains(['\u{1b}', '\u{7}']),
        "{}",
        dialogue.shown()
    );
}

#[test]
fn only_a_refused_mode_leads_to_the_next_mode() {
    let good = || Shape::OpenAi.says(&reading("agreement").to_string());
    for (refusal, requests) in [
        (
            fails(
                400,
                &json!({"error": {"message": "'response_format.type' must be 'text'"}}),
            ),
            2,
        ),
        (
            fails(
                422,
                &json!({"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs"}]}),
            ),
            2,
        ),
        (
            fails(
                404,
                &json!({"error": {"message": "No endpoints found that support structured outputs", "code": 404}}),
            ),
            2,
        ),
        (status(400, ""), 2),
        (
            fails(
                400,
                &json!({"error": {"message": "maximum context length is 8192 tokens"}}),
            ),
            1,
        ),
        (
            fails(
                400,
                &json!({"error": {"message": "No.", "param": "messages[1].content"}}),
            ),
            1,
        ),
        (status(404, ""), 1),
        (
            fails(
                429,
                &json!({"error": {"message": "No money.", "code": "insufficient_quota"}}),
            ),
            1,
        ),
    ] {
        let (run, server) = one_turn(vec![refusal, good()], "retries = 2");
        let run = run.run();
        assert_eq!(
            (run.code, server.requests().len()),
            (if requests == 2 { 0 } else { 3 }, requests),
            "{}",
            run.shown()
        );
    }
}

#[test]
fn proxy_matches_its_scheme_and_is_shown_without_password() {
    let direct = Server::start(vec![Shape::OpenAi.says(&reading("greeting").to_string())]);
    let proxy = Server::start(vec![status(407, "")]);
    let named = proxy
        .url
        .trim_end_matches("/v1")
        .replace("http://", "http://user:planted-word@");
    let shown = proxy.url.trim_end_matches("/v1");
    let run = |more: &str, variable: &str| {
        let project = project(provider(
            "local",
            &direct.url,
            &format!("retries = 0\n{more}"),
        ));
        project.fsmsim(["llm", "check"]).env(variable, &named).run()
    };
    // Loopback addresses use no proxy by default, and a proxy for `https` is not used for `http`.
    for (more, variable) in [
        ("", "HTTP_PROXY"),
        ("proxy = true", "HTTPS_PROXY"),
        ("proxy = false", "ALL_PROXY"),
    ] {
        let run = run(more, variable);
        assert!(
            run.code == 0 && !run.stdout.contains("proxy"),
            "{}",
            run.shown()
        );
    }
    assert_eq!(proxy.requests().len(), 0);
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        let run = run("proxy = true", variable);
        assert_eq!(run.code, 3, "{}", run.shown());
        assert!(
            run.stdout
                .contains(&format!("  proxy      {shown} ({variable})")),
            "{}",
            run.shown()
        );
        assert!(
            run.stdout.contains(&format!("through the proxy {shown}")),
            "{}",
            run.shown()
        );
        assert!(
            !run.shown().contains("planted-word") && !run.shown().contains("user:"),
            "{}",
            run.shown()
        );
    }
    let connect = &proxy.requests()[0];
    assert!(
        connect.target().starts_with("CONNECT 127.0.0.1:")
            && connect.header("proxy-authorization").is_some(),
        "{connect:?}"
    );
    let odd = project(provider("local", &direct.url, "proxy = true"));
    for (value, error) in [
        ("::planted-word::", "`HTTP_PROXY` is not a valid proxy URL"),
        ("socks5://a:1", "unsupported proxy socks5://a:1"),
    ] {
        let run = odd.fsmsim(["llm", "check"]).env("HTTP_PROXY", value).run();
        assert!(
            run.code == 3 && run.stdout.contains(error),
            "{}",
            run.shown()
        );
    }
}
