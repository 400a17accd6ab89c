//! Consent of the user: the client asks by elicitation; otherwise the assistant must ask and report the answer.

use std::io::BufRead;

use serde_json::{Value, json};

use super::dialogues::{TWIN, led, session, shop};
use super::{Pipe, tea, text};

#[test]
fn repeated_call_is_not_consent() {
    let project = tea();
    let arguments = [
        "tea",
        "--strict",
        "--start",
        "{twin: taste.json}",
        "--trace",
        "talks.jsonl",
    ];
    let mut server = Pipe::start(&project, &arguments);
    let tools = server.ask("tools/list", &json!({}))["result"]["tools"].take();
    let description = tools[0]["description"].as_str().unwrap();
    assert!(
        description.contains("the dialogue enters `dt_consent` first")
            && description.contains("to `no_dt_mode` otherwise"),
        "{description}"
    );
    let first = server.call(&json!({"state": "recall"}));
    assert_eq!(led(&first).0, "dt_consent");
    assert!(text(&first).contains("If the user agrees, call get_instruction with `state: recall` and the answer as `said`; otherwise, call it with `state: no_dt_mode`."));
    let name = session(&first);
    for again in [
        json!({"state": "recall"}),
        json!({"state": "recall", "session": name}),
    ] {
        let refused = server.call(&again);
        assert_eq!(
            (led(&refused).0.as_str(), &refused["isError"]),
            ("dt_consent", &json!(true))
        );
        assert!(
            text(&refused).starts_with("The repeated call does not confirm that the user agrees")
        );
    }
    let agreed = server.call(&json!({"state": "recall", "said": "Yes, do"}));
    assert_eq!(
        (
            led(&agreed).0.as_str(),
            &agreed["structuredContent"]["class"]
        ),
        ("recall", &json!("resume"))
    );
    // The utterance can also be sent in a separate call.
    server.call(&json!({"new": true, "state": "recall"}));
    assert_eq!(
        led(&server.call(&json!({"said": "Yes, do"}))).0,
        "dt_consent"
    );
    assert_eq!(led(&server.call(&json!({"state": "recall"}))).0, "recall");
    assert_eq!(server.end().1, 0);
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("2 passed in 5 turns");
}

#[test]
fn pending_save_is_listed_among_the_moves() {
    let project = shop();
    // `dt_consent` has no transition to `order`.
    project.write(
        "shop/states/dt_consent.md",
        "# State: dt_consent\n\nAsk.\n\n## Transitions\n- Else → `init`\n",
    );
    let mut server = Pipe::start(&project, &["shop", "--strict", "--twin", "shop.sqlite:ann"]);
    let asked = server.call(&json!({"state": "order", "data": {"tea": "black"}}));
    let waiting = json!({"state": "order", "condition": "The user agrees", "saves": "order", "returns_to": null});
    let moves = asked["structuredContent"]["moves"].as_array().unwrap();
    assert_eq!((moves.len(), moves.last()), (2, Some(&waiting)));
    let saved = server.call(&json!({"state": "order", "said": "Yes"}));
    assert_eq!(led(&saved), ("order".into(), Some("order".into()), false));
    assert_eq!(server.end().1, 0);
}

/// Sends a call without waiting for its answer.
fn send(server: &mut Pipe, number: u64, arguments: &Value) {
    let parameters = json!({"name": "get_instruction", "arguments": arguments});
    server.say(
        &json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": parameters}),
    );
}

fn next(server: &mut Pipe) -> Value {
    let mut line = String::new();
    server.output.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

fn answer(server: &mut Pipe, question: &Value, result: &Value) {
    assert_eq!(question["method"], "elicitation/create", "{question}");
    server.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
}

#[test]
fn concurrent_calls_do_not_lose_the_consent() {
    let project = shop();
    let order = json!({"state": "order", "data": {"tea": "black"}});
    let agreed = json!({"action": "accept", "content": {"write": true}});
    // Another call requests the current state in the meantime.
    let mut server = Pipe::asking(&project, &TWIN);
    send(&mut server, 101, &order);
    let question = next(&mut server);
    send(&mut server, 102, &json!({}));
    let there = next(&mut server);
    assert_eq!(
        (&there["id"], led(&there["result"]).0.as_str()),
        (&json!(102), "dt_consent")
    );
    answer(&mut server, &question, &agreed);
    let saved = next(&mut server);
    assert_eq!(
        (&saved["id"], led(&saved["result"]).1.as_deref()),
        (&json!(101), Some("order")),
        "{saved}"
    );
    assert_eq!(server.end().1, 0);
    // The same call is sent twice.
    let mut server = Pipe::asking(&project, &TWIN);
    send(&mut server, 101, &order);
    let first = next(&mut server);
    send(&mut server, 102, &order);
    let second = next(&mut server);
    answer(&mut server, &first, &agreed);
    let saved = next(&mut server);
    assert_eq!(
        (&saved["id"], led(&saved["result"]).1.as_deref()),
        (&json!(101), Some("order")),
        "{saved}"
    );
    answer(&mut server, &second, &agreed);
    let settled = next(&mut server);
    assert!(
        text(&settled["result"]).starts_with("The question is no longer open."),
        "{settled}"
    );
    assert_eq!(server.end().1, 0);
    // Closing one of two concurrent elicitations does not answer the other.
    let mut server = Pipe::asking(&project, &TWIN);
    send(&mut server, 101, &order);
    let first = next(&mut server);
    send(&mut server, 102, &order);
    let second = next(&mut server);
    answer(&mut server, &first, &json!({"action": "cancel"}));
    assert_eq!(next(&mut server)["result"]["isError"], json!(true));
    answer(&mut server, &second, &agreed);
    assert_eq!(
        led(&next(&mut server)["result"]).1.as_deref(),
        Some("order")
    );
    assert_eq!(server.end().1, 0);
    project.fsmsim(["test", "talks.jsonl"]).succeeds("3 passed");
}

#[test]
fn malformed_answer_is_not_a_refusal() {
    let project = shop();
    for malformed in [
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"write": "true"}}),
        json!({"action": "accept", "content": [1]}),
    ] {
        let mut server = Pipe::asking(&project, &TWIN);
        server.answers = vec![malformed.clone()];
        let answer = server.call(&json!({"state": "order", "data": {"tea": "black"}}));
        assert_eq!(
            led(&answer),
            ("dt_consent".into(), None, true),
            "{malformed}"
        );
        assert!(
            text(&answer).starts_with("The user did not answer"),
            "{malformed}"
        );
        // The user is asked again, because a malformed answer is not a refusal.
        server.answers = vec![json!({"action": "accept", "content": {"write": true}})];
        assert_eq!(
            led(&server.call(&json!({"state": "order"}))).1.as_deref(),
            Some("order"),
            "{malformed}"
        );
        assert_eq!(server.end().1, 0);
    }
}
