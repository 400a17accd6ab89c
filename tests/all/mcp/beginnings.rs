//! Calls that start and end dialogues, and calls that do not.

use serde_json::{Value, json};

use super::dialogues::{led, session, shop};
use super::{Http, Pipe, is_part, text};
use crate::support::Project;

#[test]
fn refused_call_starts_and_ends_no_dialogue() {
    let project = shop();
    let mut server = Pipe::start(&project, &["shop", "--trace", "talks.jsonl"]);
    for arguments in [
        json!({"state": "order", "data": {"tea": ""}}),
        json!({"data": {"tea": "black"}}),
    ] {
        let refused = server.call(&arguments);
        assert!(
            text(&refused).contains("Nothing has changed"),
            "{}",
            text(&refused)
        );
    }
    assert!(!project.files().iter().any(|file| is_part(file)));
    let first = session(&server.call(&json!({"state": "order"})));
    let refused = server.call(&json!({"new": true, "state": "order", "data": {"tea": ""}}));
    assert!(
        text(&refused).contains("Nothing has changed"),
        "{}",
        text(&refused)
    );
    let there = server.call(&json!({}));
    assert_eq!(
        (session(&there), led(&there).0.as_str()),
        (first.clone(), "dt_consent")
    );
    let (log, code) = server.end();
    assert_eq!(
        (log.contains("a new one replaced it"), code),
        (false, 0),
        "{log}"
    );
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("1 passed in 2 turns");
}

#[test]
fn refused_call_evicts_no_session() {
    let project = shop().with_flows();
    let server = Http::serve(&project, &["shop", "--max-sessions", "1"]);
    let mine = session(&server.call(&json!({})));
    assert_eq!(
        server.call(&json!({"state": "order", "data": {"tea": ""}}))["isError"],
        json!(true)
    );
    assert_eq!(led(&server.call(&json!({"session": mine}))).0, "init");
    assert_eq!(server.interrupt().1, 0);
    let flow = Http::serve(&project, &["flows/spin_selling", "--max-sessions", "1"]);
    let mine = session(&flow.tool("turn", &json!({})).1);
    for arguments in [
        json!({"intent": "nobody"}),
        json!({"say": "Hm"}),
        json!({"data": {"company_size": 5}}),
    ] {
        assert_eq!(flow.tool("turn", &arguments).1["isError"], json!(true));
    }
    assert_eq!(
        led(&flow.tool("turn", &json!({"session": mine})).1).0,
        "greeting"
    );
    assert_eq!(flow.interrupt().1, 0);
}

#[test]
fn dialogue_without_turns_is_not_traced() {
    let project = Project::new().with_flows();
    for model in [
        "flows/spin_selling",
        "flows/support.yaml",
        "flows/bant_parallel.yaml",
    ] {
        let mut server = Pipe::start(&project, &[model, "--trace", "talks.jsonl"]);
        server.tool("turn", &json!({}));
        server.tool("turn", &json!({"new": true}));
        assert!(!project.files().iter().any(|file| is_part(file)), "{model}");
        assert_eq!(server.end().1, 0);
        assert_eq!(project.read("talks.jsonl"), "", "{model}");
    }
    let mut server = Pipe::start(&project, &["flows/spin_selling", "--trace", "talks.jsonl"]);
    server.tool("turn", &json!({}));
    server.tool("turn", &json!({"intent": "price_question"}));
    server.tool("turn", &json!({"new": true}));
    assert_eq!(server.end().1, 0);
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("1 passed in 1 turn");
}

#[test]
fn locked_session_does_not_prevent_a_new_one() {
    let project = shop();
    let mut here = Pipe::start(&project, &["shop", "--persist"]);
    let name = session(&here.call(&json!({})));
    let mut there = Pipe::start(&project, &["shop", "--persist"]);
    let refused = text(&there.call(&json!({"session": name})));
    assert!(
        refused.contains("another process uses") && refused.contains("`new: true`"),
        "{refused}"
    );
    let begun = there.call(&json!({"session": name, "new": true}));
    assert_eq!(led(&begun).0, "init");
    assert_ne!(session(&begun), name);
    // The locked session continues in its own process.
    assert_eq!(led(&here.call(&json!({"state": "order"}))).0, "dt_consent");
    assert_eq!((here.end().1, there.end().1), (0, 0));
}

#[test]
fn resumed_session_is_the_default_of_its_connection() {
    let project = shop();
    let mut first = Pipe::start(&project, &["shop", "--persist"]);
    let name = session(&first.call(&json!({"state": "order"})));
    assert_eq!(first.end().1, 0);
    let mut next = Pipe::start(&project, &["shop", "--persist"]);
    assert_eq!(led(&next.call(&json!({"session": name}))).0, "dt_consent");
    let there = next.call(&json!({"state": "init"}));
    assert_eq!(
        (session(&there), led(&there).0.as_str()),
        (name.clone(), "init")
    );
    // A connection with a session keeps it as its default, even after calls for other sessions.
    let own = session(&next.call(&json!({"new": true})));
    let mut other = Pipe::start(&project, &["shop", "--persist"]);
    let others = session(&other.call(&json!({})));
    assert_eq!(other.end().1, 0);
    next.call(&json!({"session": others}));
    assert_eq!(session(&next.call(&json!({}))), own);
    assert_eq!(next.end().1, 0);
}

#[test]
fn interview_accepts_answers_only_after_a_question() {
    let project = Project::new().with_flows();
    let mut server = Pipe::start(
        &project,
        &["flows/grant_interview.yaml", "--trace", "talks.jsonl"],
    );
    let begun = server.tool("turn", &json!({"say": "Здравствуйте!"}));
    let parts = &begun["structuredContent"];
    assert_eq!(
        (led(&begun).0.as_str(), &parts["replies"][1]),
        ("project_name", &json!("Как называется ваш проект?"))
    );
    assert!(
        parts["note"]
            .as_str()
            .unwrap()
            .starts_with("The utterance came before the question"),
        "{parts}"
    );
    let next = server.tool(
        "turn",
        &json!({"say": "Проект называется Мост, он помогает подросткам найти работу"}),
    );
    assert_eq!(
        (led(&next).0.as_str(), &next["structuredContent"]["note"]),
        ("project_goal", &Value::Null)
    );
    assert_eq!(server.end().1, 0);
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("1 passed in 2 turns");
}

#[test]
fn turn_accepts_only_user_intents_and_data() {
    let project = Project::new().with_flows();
    let mut server = Pipe::start(&project, &["flows/spin_selling"]);
    let long = "x".repeat(100_000);
    for (arguments, error) in [
        (
            json!({"intent": "any"}),
            "`any` is an internal name of the model, not a user intent. Nothing has changed.",
        ),
        (
            json!({"intent": "data_complete"}),
            "`data_complete` is an internal name of the model",
        ),
        (
            json!({"intent": "price_question", "data": {"company_sise": 5}}),
            "Unknown data `company_sise`. Nothing has changed. A similar name exists: `company_size`.",
        ),
        (
            json!({"intent": "price_question", "data": {"_objection_limit_final": true}}),
            "`_objection_limit_final` is internal data of the model, and a call cannot set it. Nothing has changed.",
        ),
        (
            json!({"intent": "price_question", "data": {"company_size": {"a": [1]}}}),
            "Expected ",
        ),
        (
            json!({"intent": "price_question", "data": {long.as_str(): 1}}),
            "A name in `data` of turn is longer than 200 characters. Nothing has changed.",
        ),
        (
            json!({"intent": "price_question", "data": {"company_size": long}}),
            "`company_size` is longer than 20000 characters. Nothing has changed.",
        ),
    ] {
        let refused = server.tool("turn", &arguments);
        assert_eq!(refused["isError"], json!(true), "{error}");
        assert!(text(&refused).starts_with(error), "{}", text(&refused));
    }
    let properties =
        server.ask("tools/list", &json!({}))["result"]["tools"][0]["inputSchema"]["properties"]
            .take();
    let text_of = |name: &str| properties[name]["description"].as_str().unwrap().to_owned();
    assert!(
        text_of("intent").contains("`price_question`")
            && text_of("data").contains("`company_size`")
    );
    for own in ["`any`", "`data_complete`", "`disambiguation_needed`"] {
        assert!(!text_of("intent").contains(own), "{}", text_of("intent"));
    }
    for own in ["`_objection_limit_final`", "`implication_probed`"] {
        assert!(!text_of("data").contains(own), "{}", text_of("data"));
    }
    assert_eq!(server.end().1, 0);
}

#[test]
fn unrecognized_utterance_is_noted() {
    let project = Project::new().with_flows();
    let mut server = Pipe::start(&project, &["flows/clinic.yaml"]);
    let heard = server.tool("turn", &json!({"say": "абракадабра"}));
    let note = heard["structuredContent"]["note"].as_str().unwrap();
    assert!(
        note.contains("the server has no recognizer: give `intent` with `say`"),
        "{note}"
    );
    assert_eq!(server.end().1, 0);
}
