//! Requests to each kind of server, and the modes of structured output.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::models::{one_turn, project, provider};
use crate::support::loopback::{Reaction, Seen, Server, Shape, gives, reading, status};

/// The structured output mode of a request.
fn mode(seen: &Seen) -> &'static str {
    let body = seen.json();
    let given = |key: &str| !body[key].is_null();
    match (
        given("response_format") || given("output_config"),
        given("tools") || given("functions"),
    ) {
        (true, false) => "schema",
        (false, true) => "tool",
        (false, false) => "prompt",
        (true, true) => "both",
    }
}

#[test]
fn strictest_supported_mode_is_found_and_remembered() {
    for shape in Shape::BOTH {
        let answer = reading("agreement");
        for (supported, expected) in [
            (vec!["schema", "tool", "prompt"], vec!["schema", "schema"]),
            (vec!["tool", "prompt"], vec!["schema", "tool", "tool"]),
            (vec!["prompt"], vec!["schema", "tool", "prompt", "prompt"]),
        ] {
            let server = Server::reacting(move |seen| {
                if !supported.contains(&mode(seen)) {
                    status(400, "")
                } else if mode(seen) == "tool" {
                    shape.calls(&reading("agreement"))
                } else {
                    shape.says(&reading("agreement").to_string())
                }
            });
            let more = format!("kind = \"{}\"\nretries = 0", shape.kind());
            project(provider("local", &server.url, &more))
                .fsmsim(["test", "--llm", "live", "--accept"])
                .warns("", "");
            let modes: Vec<&str> = server.requests().iter().map(mode).collect();
            assert_eq!(modes, expected, "{shape:?} {answer}");
        }
    }
}

#[test]
fn refusal_of_every_mode_is_not_remembered() {
    let server = Server::start(vec![
        status(400, ""),
        status(400, ""),
        status(400, ""),
        Shape::OpenAi.says(&reading("agreement").to_string()),
    ]);
    let scenario = "scenario: Two\nmodel: flows/spin_selling\nturns: [{say: Давайте}]\n---\n\
                    scenario: Three\nmodel: flows/spin_selling\nturns: [{say: Давайте}]\n";
    let project =
        project(provider("local", &server.url, "retries = 0")).file("scenarios/a.yaml", scenario);
    project
        .fsmsim(["test", "--llm", "live", "-j", "1"])
        .fails(1, "", "");
    let requests: Vec<Seen> = server.requests();
    let modes: Vec<&str> = requests.iter().map(mode).collect();
    assert_eq!(modes, ["schema", "tool", "prompt", "schema"]);
}

#[test]
fn configured_mode_is_used() {
    for (kind, structured) in [
        ("openai", "tool"),
        ("openai", "prompt"),
        ("anthropic", "prompt"),
    ] {
        let shape = if kind == "openai" {
            Shape::OpenAi
        } else {
            Shape::Anthropic
        };
        let more = format!("kind = \"{kind}\"\nstructured = \"{structured}\"");
        let (run, server) = one_turn(vec![shape.says(&reading("agreement").to_string())], &more);
        run.succeeds("");
        assert_eq!(mode(&server.requests()[0]), structured);
    }
}

#[test]
fn tool_has_the_answer_schema_and_must_be_called() {
    let (run, server) = one_turn(
        vec![Shape::OpenAi.calls(&reading("agreement"))],
        "structured = \"tool\"",
    );
    run.succeeds("");
    let body = server.requests()[0].json();
    assert_eq!(
        body["tool_choice"],
        json!({"type": "function", "function": {"name": "classify"}})
    );
    let tool = &body["tools"][0]["function"];
    assert_eq!(
        (&tool["name"], &tool["parameters"]["type"]),
        (&json!("classify"), &json!("object"))
    );
}

#[test]
fn anthropic_requests_have_its_headers_and_body() {
    let server = Server::start(vec![Shape::Anthropic.calls(&reading("agreement"))]);
    let more = "kind = \"anthropic\"\nstructured = \"tool\"\napi_key_env = \"TINY_KEY\"";
    let project = project(provider("local", &server.url, more));
    project
        .fsmsim(["test", "--llm", "live", "--trust", "--accept"])
        .env("TINY_KEY", "planted-secret\n")
        .warns("", "");
    let requests = server.requests();
    let first = &requests[0];
    assert_eq!(first.target(), "POST /v1/messages");
    assert_eq!(first.header("x-api-key"), Some("planted-secret"));
    assert_eq!(first.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(first.header("authorization"), None);
    let body = first.json();
    assert_eq!(
        body["tool_choice"],
        json!({"type": "tool", "name": "classify"})
    );
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
    assert_eq!(
        (&body["max_tokens"], &body["messages"][0]["role"]),
        (&json!(4096), &json!("user"))
    );
    assert!(body["system"].as_str().unwrap().contains("price_question"));
}

/// A server that issues tokens, numbered from 1, which expire after `seconds`, and requires one in each request.
/// If `once` is set, it accepts each token only once.
fn giga(seconds: i64, once: bool) -> Server {
    let state = Mutex::new((0_u32, Vec::<String>::new()));
    Server::reacting(move |seen| {
        let (given, used) = &mut *state.lock().unwrap();
        if seen.target() == "POST /v1/oauth" {
            *given += 1;
            let now = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap();
            let expires = i64::try_from(now.as_millis()).unwrap() + seconds * 1000;
            return gives(
                &json!({"access_token": format!("token-planted-{given}"), "expires_at": expires}),
            );
        }
        let brought = seen.header("authorization").unwrap_or_default().to_owned();
        if brought != format!("Bearer token-planted-{given}") || (once && used.contains(&brought)) {
            return status(401, "");
        }
        used.push(brought);
        if seen.json()["functions"].is_null() {
            return Shape::OpenAi.says(&reading("agreement").to_string());
        }
        let call = json!({"name": "classify", "arguments": {"intent": "agreement", "data": {"pain_point": "token-planted-1"}}});
        let message = json!({"role": "assistant", "content": "", "function_call": call});
        gives(&json!({"choices": [{"message": message, "finish_reason": "function_call"}]}))
    })
}

/// Two turns with such a server: the requested paths, and all output and files.
fn through_giga(server: &Server, more: &str) -> (Vec<String>, String) {
    let auth = format!(
        "kind = \"gigachat\"\nauth_url = \"{}/oauth\"\napi_key_env = \"GIGA\"\n{more}",
        server.url
    );
    let project = project(provider("giga", &server.url, &auth));
    let run = project
        .fsmsim(["test", "--llm", "live", "--trust", "--accept"])
        .env("GIGA", "cGxhbnRlZDprZXk=")
        .run();
    let mut written = vec![run.shown()];
    written.extend(project.files().iter().map(|path| project.read(path)));
    let paths = server
        .requests()
        .into_iter()
        .map(|seen| seen.target().trim_start_matches("POST /v1").to_owned());
    (paths.collect(), written.concat())
}

#[test]
fn gigachat_requires_a_token_and_uses_functions() {
    let server = giga(1800, false);
    let (paths, written) = through_giga(&server, "scope = \"GIGACHAT_API_CORP\"");
    assert_eq!(
        paths,
        ["/oauth", "/chat/completions", "/chat/completions"],
        "{written}"
    );
    let requests = server.requests();
    let (token, chat) = (&requests[0], &requests[1]);
    assert_eq!(
        token.header("authorization"),
        Some("Basic cGxhbnRlZDprZXk=")
    );
    assert_eq!(
        token.header("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    assert_eq!(token.header("rquid").map(str::len), Some(36));
    assert_eq!(token.body, "scope=GIGACHAT_API_CORP");
    let body = chat.json();
    assert_eq!(body["function_call"], json!({"name": "classify"}));
    assert_eq!(
        (&body["temperature"], &body["top_p"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(body["functions"][0]["parameters"]["type"], "object");
    assert!(written.contains("exit 0"), "{written}");
    assert!(
        !written.contains("token-planted") && !written.contains("cGxhbnRlZDprZXk="),
        "{written}"
    );
}

#[test]
fn token_is_renewed_before_expiry_and_once_after_a_refusal() {
    // The token expires in less than a minute, so each request gets a new one.
    let (paths, written) = through_giga(&giga(50, false), "");
    assert_eq!(
        paths,
        ["/oauth", "/chat/completions", "/oauth", "/chat/completions"],
        "{written}"
    );
    assert!(written.contains("exit 0"), "{written}");

    // The token is valid for a long time, but accepted only once.
    let (paths, written) = through_giga(&giga(1800, true), "retries = 0");
    let chat = "/chat/completions";
    assert_eq!(paths, ["/oauth", chat, chat, "/oauth", chat], "{written}");
    assert!(written.contains("exit 0"), "{written}");

    // When the budget is spent, no token is requested.
    let (paths, written) = through_giga(&giga(50, false), "\n[llm]\nmax_calls = 1");
    assert_eq!(paths, ["/oauth", "/chat/completions"], "{written}");
    assert!(
        written.contains("`max_calls` of `[llm]` is spent"),
        "{written}"
    );

    // The server refuses every token.
    let server = Server::reacting(|seen| {
        if seen.target() == "POST /v1/oauth" {
            gives(&json!({"access_token": "token-planted"}))
        } else {
            status(401, "")
        }
    });
    let (paths, written) = through_giga(&server, "retries = 3");
    assert_eq!(paths, ["/oauth", chat, "/oauth", chat], "{written}");
    assert!(
        written.contains("the server returned status 401"),
        "{written}"
    );
}

#[test]
fn missing_token_is_reported() {
    let faults = [
        (
            status(401, ""),
            "cannot get a token: the server returned status 401",
        ),
        (
            gives(&json!({"token": "token-planted"})),
            "cannot get a token: the response of the server has no `access_token`",
        ),
        (
            Reaction::Hangs,
            "cannot get a token: no answer within the time limit",
        ),
    ];
    for (reaction, why) in faults {
        let server = Server::start(vec![reaction]);
        let (paths, written) = through_giga(&server, "retries = 0\ntimeout_s = 0.4");
        assert!(paths.iter().all(|path| path == "/oauth"), "{paths:?}");
        assert!(written.contains(why), "{why}: {written}");
        assert!(!written.contains("token-planted"), "{written}");
    }
}
