//! Malformed answers of servers and models: errors in answers, invalid bytes, truncated answers.

use serde_json::{Value, json};

use super::models::{one_turn, project, provider};
use crate::support::loopback::{Reaction, Server, Shape, gives, reading};
use crate::support::turns;

/// A response of this status with these bytes.
fn bytes(status: u16, headers: &str, body: &[u8]) -> Reaction {
    let head = format!(
        "HTTP/1.1 {status} x\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    Reaction::Raw([head.as_bytes(), body].concat())
}

fn good() -> Reaction {
    Shape::OpenAi.says(&reading("agreement").to_string())
}

#[test]
fn error_in_an_answer_is_reported_with_the_server_message() {
    let overloaded =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    for (shape, body, error, requests) in [
        (
            Shape::OpenAi,
            json!({"error": {"message": "Provider overloaded", "code": 502}}),
            "the server returned an error (status 502): Provider overloaded",
            2,
        ),
        (
            Shape::OpenAi,
            json!({"choices": [{
                "error": {"message": "Upstream died", "code": 429},
                "message": {"role": "assistant", "content": ""}, "finish_reason": "error",
            }]}),
            "the server returned an error (status 429): Upstream died",
            2,
        ),
        (
            Shape::Anthropic,
            overloaded,
            "the server returned an error (status 529): Overloaded",
            2,
        ),
        (
            Shape::OpenAi,
            json!({"error": "No."}),
            "the server returned an error: No.",
            1,
        ),
        (
            Shape::OpenAi,
            json!({"error": {"message": "model 'tiny' not found", "code": 404}}),
            "unknown model `tiny`: check `model` of `local` (status 404: model 'tiny' not found)",
            1,
        ),
        (
            Shape::OpenAi,
            json!({"hello": "I am a router"}),
            "the response of the server has no `choices[0].message`: {\"hello\":\"I am a router\"}",
            1,
        ),
    ] {
        let more = format!("kind = \"{}\"\nretries = 1", shape.kind());
        let (run, server) = one_turn(vec![gives(&body)], &more);
        run.about(error).unavailable(error, "");
        assert_eq!(server.requests().len(), requests, "{error}");
    }
    // A transient error is retried.
    let busy = gives(&json!({"error": {"message": "Provider overloaded", "code": 502}}));
    one_turn(vec![busy, good()], "retries = 1").0.succeeds("");
}

#[test]
fn html_page_instead_of_an_answer_is_reported_with_help() {
    const KEY: &str = "sk-planted-0123456789";
    let page = format!(
        "<html><title>Sign in to Wi-Fi</title>{KEY}{}</html>",
        "я".repeat(500)
    );
    let server = Server::start(vec![bytes(
        200,
        "content-type: text/html\r\n",
        page.as_bytes(),
    )]);
    let project = project(provider(
        "local",
        &server.url,
        "api_key_env = \"TINY_KEY\"\nretries = 3",
    ));
    let run = project
        .fsmsim(["test", "--llm", "live", "--trust"])
        .env("TINY_KEY", KEY)
        .without_usage();
    let error = "the response of the server is not JSON; check `base_url` of `local`: <html><title>Sign in to Wi-Fi</title>[secret]";
    let run = run.unavailable(error, "");
    assert!(
        !run.shown().contains(KEY) && run.shown().contains('…') && run.shown().len() < 3000,
        "{run}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn invalid_bytes_and_long_messages_do_not_hide_errors() {
    let error = |message: &str| json!({"error": {"message": message, "param": "seed"}}).to_string();
    let odd = error("no? seed")
        .into_bytes()
        .into_iter()
        .map(|byte| if byte == b'?' { 0xff } else { byte });
    let long = error(&"x".repeat(100 << 10));
    for body in [odd.collect::<Vec<u8>>(), long.into_bytes()] {
        let (run, server) = one_turn(
            vec![bytes(400, "", &body)],
            "params = {seed = 1}\nretries = 0",
        );
        run.unavailable(
            "the server rejects `seed`: remove it from `params` of `local`",
            "",
        );
        assert_eq!(server.requests().len(), 1);
    }
    // An oversized body is reported with its beginning.
    let endless = format!("Seven is not a seed. {}", "x".repeat(2 << 20));
    one_turn(vec![bytes(500, "", endless.as_bytes())], "retries = 0")
        .0
        .unavailable("500: Seven is not a seed.", "");
    let answer =
        json!({"choices": [{"message": {"content": "{\"intent\": \"agreement\", \"tone\": null} ?"}}]}).to_string();
    let answer: Vec<u8> = answer
        .into_bytes()
        .into_iter()
        .map(|byte| if byte == b'?' { 0xfe } else { byte })
        .collect();
    let (run, server) = one_turn(
        vec![bytes(200, "content-type: application/json\r\n", &answer)],
        "retries = 2",
    );
    run.succeeds("");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn unrequested_compression_is_reported() {
    let packed = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00";
    for (status, headers, how) in [
        (200, "content-encoding: gzip\r\n", "gzip"),
        (200, "", "gzip"),
        (502, "content-encoding: br\r\n", "br"),
    ] {
        let (run, server) = one_turn(vec![bytes(status, headers, packed)], "retries = 0");
        run.unavailable(
            &format!("compressed the response (`{how}`) without being asked to"),
            "",
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn specific_error_causes_are_reported() {
    let fails =
        |status: u16, body: Value| Reaction::Answers(status, String::new(), body.to_string());
    for (reaction, more, error) in [
        (
            fails(
                400,
                json!({"error": {"message": "Model Not Exist", "param": null}}),
            ),
            "",
            "unknown model `tiny`",
        ),
        (
            fails(
                400,
                json!({"message": "The provided model identifier is invalid."}),
            ),
            "",
            "unknown model `tiny`",
        ),
        (
            fails(
                404,
                json!({"error": "path /v1/models/chat/completions not found"}),
            ),
            "",
            "the server returned status 404: check `base_url` of `local`: path /v1/models/chat/completions",
        ),
        (
            fails(
                400,
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens: 4096 > 2048"}}),
            ),
            "kind = \"anthropic\"",
            "the server rejects the default of `max_tokens`: set `params = {max_tokens = N}` for `local`",
        ),
        (
            fails(
                400,
                json!({"error": {"message": "No seed here", "param": "seed"}}),
            ),
            "[llm.chain.needs.classify]\nparams = {seed = 1}",
            "the server rejects `seed`: remove it from `needs.classify.params` of `local`",
        ),
        (
            Shape::Anthropic.stops("{\"intent\": \"agre", "model_context_window_exceeded"),
            "kind = \"anthropic\"",
            "the answer was cut off: prompt and answer exceed the context window of the model",
        ),
    ] {
        let (run, server) = one_turn(vec![reaction], &format!("retries = 0\n{more}"));
        run.about(error).unavailable(error, "");
        assert_eq!(server.requests().len(), 1, "{error}");
    }
    let server = Server::start(vec![good()]);
    let cyrillic = project(provider("local", &server.url, "api_key_env = \"TINY_KEY\""));
    let run = cyrillic
        .fsmsim(["test", "--llm", "live", "--trust"])
        .env("TINY_KEY", "ключ-0123456789");
    run.unavailable(
        "the environment variable `TINY_KEY` contains characters outside of ASCII",
        "",
    );
    assert!(server.requests().is_empty());
    let port = project(provider("local", "http://127.0.0.1:99999/v1", ""));
    port.fsmsim(["llm", "check"])
        .refuses("`base_url` of `local` has the port `99999`: expected 1 to 65535");
}

#[test]
fn empty_tool_call_is_ignored_if_the_text_has_an_answer() {
    let function = json!({"name": "classify", "arguments": "{}"});
    let message = json!({"content": reading("agreement").to_string(), "tool_calls": [{"type": "function", "function": function}]});
    one_turn(
        vec![gives(
            &json!({"choices": [{"message": message, "finish_reason": "stop"}]}),
        )],
        "retries = 0",
    )
    .0
    .succeeds("");
}

#[test]
fn complete_object_in_a_truncated_answer_is_a_draft() {
    let draft = reading("agreement").to_string();
    for shape in Shape::BOTH {
        let why = if shape == Shape::OpenAi {
            "length"
        } else {
            "max_tokens"
        };
        let more = format!("kind = \"{}\"\nretries = 0", shape.kind());
        for words in [
            format!("{draft} No: {{\"intent\": \"rejec"),
            format!("{draft} But then it"),
            draft.replace('}', ""),
        ] {
            one_turn(vec![shape.stops(&words, why)], &more)
                .0
                .about(&words)
                .unavailable("the answer was cut off", "");
        }
        // A complete answer is accepted: a model with a schema can continue with whitespace until it is stopped.
        one_turn(vec![shape.stops(&format!("{draft}\n\n  "), why)], &more)
            .0
            .succeeds("");
        let truncated = format!("{draft} No: {{\"intent\": \"rejec");
        one_turn(vec![shape.says(&truncated)], &more).0.unavailable(
            "the answer was cut off: it ends with an unfinished JSON object",
            "",
        );
        one_turn(vec![shape.says(&format!("{draft} {{done}} {{ "))], &more)
            .0
            .succeeds("");
    }
}

#[test]
fn unknown_names_are_reported_once_and_then_discarded() {
    let odd = json!({
        "intent": "price_question", "confidence": 0.96, "tone": "furious", "also": ["dance", "greeting"],
        "alternatives": [{"intent": "sing", "confidence": 0.5}, {"intent": "comparison", "confidence": 0.1}], "data": {},
    });
    let server = Server::start(vec![Shape::OpenAi.says(&odd.to_string())]);
    let scenario =
        "scenario: One\nmodel: flows/spin_selling\nend: {final: false}\nturns: [{say: Сколько}]\n";
    let project =
        project(provider("local", &server.url, "retries = 0")).file("scenarios/a.yaml", scenario);
    let trace = project
        .fsmsim(["trace", "scenarios/a.yaml", "--llm", "live"])
        .without_usage()
        .succeeds("");
    let turn = turns(&trace).remove(0);
    let failed = turn["answers"][0]["failed"].as_array().unwrap();
    let why = failed[0]["why"].as_str().unwrap();
    for error in [
        "\"sing\" in `alternatives` is not an intent",
        "\"dance\" in `also`",
        "for `tone`, found `furious`",
    ] {
        assert!(why.contains(error), "{why}");
    }
    assert_eq!((failed.len(), server.requests().len()), (1, 2));
    let expected = json!({
        "intent": "price_question", "confidence": 0.96, "also": ["greeting"],
        "alternatives": [{"intent": "comparison", "confidence": 0.1}], "data": {},
    });
    assert_eq!(turn["answers"][0]["answer"], expected);
    server.stop();
}
