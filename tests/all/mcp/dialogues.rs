//! Served dialogues: data of calls, consent, start, end and resumption.

use std::io::Write;

use serde_json::{Value, json};

use super::{Http, Pipe, text};
use crate::support::Project;

/// A state set with a state that saves data, a final state, and a limit on replies.
pub(super) fn shop() -> Project {
    Project::new()
        .file("shop/instructions/system.md", "---\nlimits:\n  - {name: questions, pattern: '[?]', max: 1}\n---\nYou sell tea.\n")
        .file("shop/states/init.md", "# State: init\n\n## Transitions\n- Knows what it is to be → `order`\n- No tea → `bye`\n")
        .file(
            "shop/states/order.md",
            "---\nwrites: order\n---\n# State: order\n\nTake the order.\n\n## Transitions\n- Done → `init`\n\n## Degradation\nRemember it yourself.\n",
        )
        .file("shop/states/dt_consent.md", "# State: dt_consent\n\nAsk.\n\n## Transitions\n- Yes → `order`\n- Else → `init`\n")
        .file("shop/states/bye.md", "---\nfinal: true\n---\n# State: bye\n\nWave.\n")
        .file(
            "shop/schemas/order.json",
            r#"{"title": "An order", "type": "object", "required": ["tea"], "additionalProperties": false, "properties": {"tea": {"type": "string", "minLength": 1}}}"#,
        )
}

pub(super) const TWIN: [&str; 5] = [
    "shop",
    "--twin",
    "shop.sqlite:ann",
    "--trace",
    "talks.jsonl",
];

/// The outcome of a call: the state, the saved artifact, and whether the call failed.
pub(super) fn led(answer: &Value) -> (String, Option<String>, bool) {
    let parts = &answer["structuredContent"];
    let saved = parts["saved"].as_str().map(str::to_owned);
    (
        parts["state"].as_str().unwrap().to_owned(),
        saved,
        answer["isError"] == json!(true),
    )
}

pub(super) fn session(answer: &Value) -> String {
    answer["structuredContent"]["session"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn data_is_saved_if_valid_and_otherwise_changes_nothing() {
    let project = shop();
    let mut server = Pipe::start(&project, &TWIN);
    let first = server.call(&json!({}));
    assert_eq!(first["structuredContent"]["moves"][0]["saves"], "order");
    let schema = server.ask("tools/list", &json!({}))["result"]["tools"][0]["inputSchema"].take();
    let description = schema["properties"]["data"]["description"]
        .as_str()
        .unwrap();
    assert!(
        description.contains("`order` saves `order`: {\"title\":\"An order\""),
        "{description}"
    );
    let wrong = server.call(&json!({"state": "order", "data": {"tea": ""}}));
    assert!(
        text(&wrong).starts_with("`data` does not match the schema of `order`: /tea: "),
        "{}",
        text(&wrong)
    );
    let nowhere = server.call(&json!({"state": "bye", "data": {"tea": "black"}}));
    assert_eq!(
        text(&nowhere),
        "The state `bye` saves no data: omit `data`. States that save data: `order`. Nothing has changed."
    );
    // Both refused calls changed nothing.
    assert_eq!(led(&server.call(&json!({}))), ("init".into(), None, false));
    assert_eq!(
        led(&server.call(&json!({"state": "order", "data": {"tea": "black"}}))).0,
        "dt_consent"
    );
    assert_eq!(
        led(&server.call(&json!({"state": "order"}))),
        ("order".into(), Some("order".into()), false)
    );
    // A call with data in the current state saves again.
    assert_eq!(
        led(&server.call(&json!({"data": {"tea": "green"}}))),
        ("order".into(), Some("order".into()), false)
    );
    assert_eq!(server.end().1, 0);
    project.fsmsim(["test", "talks.jsonl"]).succeeds("1 passed");
    // Another process can read the saved data.
    let twin = ["shop", "--start", "{twin: {file: shop.sqlite, user: ann}}"];
    let mut other = Pipe::start(&project, &twin);
    assert_eq!(led(&other.call(&json!({"state": "order"}))).0, "dt_consent");
    assert_eq!(other.end().1, 0);
    let database = std::fs::read(project.path().join("shop.sqlite")).unwrap();
    assert!(String::from_utf8_lossy(&database).contains(r#"{"tea":"green"}"#));
}

#[test]
fn utterances_are_traced_and_checked_against_limits() {
    let project = shop();
    let mut server = Pipe::start(&project, &TWIN);
    server.call(&json!({"said": "Hello"}));
    let answer =
        server.call(&json!({"state": "order", "reply": "Black? Or green?", "said": "Black"}));
    let note = text(&answer);
    assert!(
        note.starts_with(
            "Your reply in the last state violates its limit `questions`: found 2, expected at most 1."
        ),
        "{note}"
    );
    assert_eq!(server.end().1, 0);
    let trace = project.read("talks.jsonl");
    let turns: Vec<Value> = trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let inputs: Vec<&Value> = turns[1..4].iter().map(|turn| &turn["input"]).collect();
    assert_eq!(
        inputs[0],
        &json!({"say": "Hello", "call": "get_instruction()"})
    );
    assert_eq!(inputs[1], &json!({"reply": "Black? Or green?"}));
    assert_eq!(
        (&inputs[2]["say"], &inputs[2]["goto"]),
        (&json!("Black"), &json!("order"))
    );
    assert_eq!(turns[2]["violations"][0]["limit"], "questions");
}

#[test]
fn dialogue_ends_and_another_starts() {
    let project = shop();
    let mut server = Pipe::start(&project, &TWIN);
    let first = server.call(&json!({}));
    let name = session(&first);
    assert_eq!(name.len(), 32);
    assert_eq!(first["structuredContent"]["base"], "You sell tea.");
    let again = server.call(&json!({"session": name}));
    assert_eq!(again["structuredContent"]["base"], Value::Null);
    assert!(!text(&again).contains("You sell tea."));
    assert!(text(&server.call(&json!({"full": true}))).contains("You sell tea."));
    let last = server.call(&json!({"state": "bye"}));
    assert_eq!(
        (session(&last), &last["structuredContent"]["final"]),
        (name.clone(), &json!(true))
    );
    // The finished dialogue is immediately complete in the trace.
    assert!(
        project
            .read("talks.jsonl")
            .contains(&format!(r#"{{"end":"{name}","turns":4}}"#))
    );
    let ended = text(&server.call(&json!({"session": name})));
    assert_eq!(
        ended,
        format!(
            "The dialogue `{name}` has ended in `bye`. Call get_instruction with `new: true` to start a new one."
        )
    );
    let second = session(&server.call(&json!({})));
    let third = session(&server.call(&json!({"new": true, "session": second})));
    assert!(second != name && third != second);
    assert!(
        text(&server.call(&json!({"session": second})))
            .contains("has ended: a new one replaced it")
    );
    // `new` starts a dialogue even if the given session has ended.
    assert_eq!(
        led(&server.call(&json!({"new": true, "session": name}))).0,
        "init"
    );
    assert_eq!(server.end().1, 0);
    project.fsmsim(["test", "talks.jsonl"]).succeeds("4 passed");
}

#[test]
fn concurrent_calls_start_one_dialogue() {
    let project = shop();
    let mut server = Pipe::start(&project, &TWIN);
    let call = |number: u64| json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "get_instruction", "arguments": {}}});
    let together: String = (1001..1009)
        .map(|number| format!("{}\n", call(number)))
        .collect();
    server
        .input
        .as_mut()
        .unwrap()
        .write_all(together.as_bytes())
        .unwrap();
    let last = session(&server.call(&json!({})));
    // All earlier calls were read before this one, but some might be answered after it.
    while server.told.len() < 8 {
        server.ask("ping", &json!({}));
    }
    let sessions: Vec<String> = server
        .told
        .iter()
        .map(|message| session(&message["result"]))
        .collect();
    assert!(sessions.iter().all(|name| *name == last), "{sessions:?}");
    assert_eq!(server.end().1, 0);
    project.fsmsim(["test", "talks.jsonl"]).succeeds("1 passed");
}

#[test]
fn user_is_asked_if_the_client_supports_elicitation() {
    let project = shop();
    let accept = |write: Value| json!({"action": "accept", "content": write});
    let refused = "`order` is not saved: the user did not agree.";
    for (answer, expected, note) in [
        (
            accept(json!({"write": true})),
            ("order", Some("order"), false),
            "`order` is saved.",
        ),
        (
            accept(json!({"write": false})),
            ("order", None, false),
            refused,
        ),
        (accept(json!({})), ("order", None, false), refused),
        (
            json!({"action": "decline"}),
            ("order", None, false),
            refused,
        ),
        (
            json!({"action": "cancel"}),
            ("dt_consent", None, true),
            "The user did not answer",
        ),
        (
            json!({"nothing": "of the kind"}),
            ("dt_consent", None, true),
            "The user did not answer",
        ),
    ] {
        let mut server = Pipe::asking(&project, &TWIN);
        server.answers = vec![answer.clone()];
        let outcome = server.call(&json!({"state": "order", "data": {"tea": "black"}}));
        assert!(
            outcome["structuredContent"]["note"]
                .as_str()
                .unwrap()
                .starts_with(note),
            "{answer}: {outcome}"
        );
        let led = led(&outcome);
        assert_eq!(
            (led.0.as_str(), led.1.as_deref(), led.2),
            expected,
            "{answer}"
        );
        if led.2 {
            // The assistant alone cannot give consent.
            server.answers = vec![json!({"action": "cancel"})];
            assert_eq!(
                server.call(&json!({"state": "order"}))["isError"],
                json!(true)
            );
            server.answers = vec![accept(json!({"write": true}))];
            assert_eq!(
                server.call(&json!({"state": "order"}))["structuredContent"]["saved"],
                "order"
            );
        } else {
            let trace = project.read(&part(&project));
            assert!(trace.contains("consent"), "{trace}");
        }
        assert_eq!(server.end().1, 0);
    }
    project.fsmsim(["test", "talks.jsonl"]).succeeds("6 passed");
}

/// The partial trace file of the unfinished dialogue.
fn part(project: &Project) -> String {
    project
        .files()
        .into_iter()
        .find(|file| super::is_part(file))
        .unwrap()
}

#[test]
fn consent_times_out_without_an_answer() {
    let project = shop();
    let mut server = Pipe::asking(&project, &["shop", "--consent-timeout", "1"]);
    let answer = server.call(&json!({"state": "order", "data": {"tea": "black"}}));
    assert_eq!(led(&answer), ("dt_consent".into(), None, true));
    assert_eq!(server.end().1, 0);
}

#[cfg(unix)]
#[test]
fn server_stopped_during_elicitation_exits_cleanly() {
    let project = shop();
    let mut server = Pipe::asking(&project, &TWIN);
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "get_instruction", "arguments": {"state": "order"}}});
    server.say(&call);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut server.output, &mut line).unwrap();
    assert!(line.contains("elicitation/create"), "{line}");
    let number = server.child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &number])
            .status()
            .unwrap()
            .success()
    );
    let (log, code) = super::said(server.child);
    assert_eq!((log.contains("stopping"), code), (true, 0), "{log}");
    project.fsmsim(["test", "talks.jsonl"]).succeeds("1 passed");
}

#[test]
fn persisted_dialogues_continue_after_a_kill() {
    let project = shop();
    let arguments = [
        "shop",
        "--persist",
        "--twin",
        "shop.sqlite:ann",
        "--trace",
        "talks.jsonl",
    ];
    let mut killed = Pipe::start(&project, &arguments);
    let name = session(&killed.call(&json!({"state": "order", "data": {"tea": "black"}})));
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    let mut next = Pipe::start(&project, &arguments);
    let there = next.call(&json!({"session": name}));
    assert_eq!(
        (led(&there).0.as_str(), &there["structuredContent"]["base"]),
        ("dt_consent", &json!("You sell tea."))
    );
    // Another process cannot use the session, and unknown sessions are reported as unknown.
    let mut other = Pipe::start(
        &project,
        &["shop", "--persist", "--twin", "shop.sqlite:ann"],
    );
    let refused = text(&other.call(&json!({"session": name})));
    assert!(refused.contains("another process uses"), "{refused}");
    let unknown = "0".repeat(32);
    assert!(text(&other.call(&json!({"session": unknown}))).starts_with("Unknown session"));
    assert!(text(&other.call(&json!({"session": "../talks"}))).starts_with("Unknown session"));
    assert_eq!(other.end().1, 0);
    // The data from before the kill is saved.
    assert_eq!(
        led(&next.call(&json!({"session": name, "state": "order"})))
            .1
            .as_deref(),
        Some("order")
    );
    assert_eq!(next.end().1, 0);
    assert_eq!(project.read("talks.jsonl"), "");
    let mut last = Pipe::start(&project, &arguments);
    assert_eq!(
        led(&last.call(&json!({"session": name, "state": "init"}))).0,
        "init"
    );
    assert_eq!(
        led(&last.call(&json!({"session": name, "state": "bye"}))).0,
        "bye"
    );
    assert!(text(&last.call(&json!({"session": name}))).contains("has ended in `bye`"));
    let (log, code) = last.end();
    assert!(
        log.contains(&format!("session {name}: resumed in order after 3 turns")),
        "{log}"
    );
    assert_eq!(code, 0);
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("1 passed in 5 turns");
}

#[test]
fn oversized_input_is_refused_and_the_connection_continues() {
    let project = shop();
    let mut server = Pipe::start(&project, &TWIN);
    let name = "x".repeat(1 << 19);
    for (arguments, error) in [
        (
            json!({"state": name}),
            "`state` of get_instruction is longer than 200 characters. Nothing has changed.",
        ),
        (
            json!({"session": name}),
            "`session` of get_instruction is longer than 200 characters. Nothing has changed.",
        ),
        (
            json!({"said": name}),
            "`said` of get_instruction is longer than 20000 characters. Nothing has changed.",
        ),
    ] {
        assert_eq!(text(&server.call(&arguments)), error);
    }
    let unknown =
        server.ask("tools/call", &json!({"name": name, "arguments": {}}))["error"]["message"]
            .take();
    assert!(unknown.as_str().unwrap().len() < 400, "{unknown}");
    let address = format!("fsmsim://{name}");
    let nothing = server.ask("resources/read", &json!({"uri": address}));
    assert_eq!(
        (&nothing["error"]["code"], &nothing["error"]["data"]["uri"]),
        (&json!(-32002), &json!(address))
    );
    // A line above the limit is answered as an invalid message.
    let line = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"ping\", \"params\": {{\"x\": \"{}\"}}}}\n",
        "x".repeat(3 << 20)
    );
    server
        .input
        .as_mut()
        .unwrap()
        .write_all(line.as_bytes())
        .unwrap();
    let mut answer = String::new();
    std::io::BufRead::read_line(&mut server.output, &mut answer).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&answer).unwrap()["error"]["code"],
        -32600
    );
    let deep = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 8, \"method\": \"ping\", \"params\": {}{}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    server
        .input
        .as_mut()
        .unwrap()
        .write_all(deep.as_bytes())
        .unwrap();
    assert_eq!(led(&server.call(&json!({}))).0, "init");
    let (log, code) = server.end();
    assert!(
        log.contains("refused: a line of more than 1048576 bytes"),
        "{log}"
    );
    assert_eq!(code, 0);
}

#[test]
fn undeclared_methods_are_not_found() {
    let project = shop().with_flows();
    let mut states = Pipe::start(&project, &["shop"]);
    let mut flow = Pipe::start(&project, &["flows/bant"]);
    for method in [
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "resources/subscribe",
        "tea/pour",
    ] {
        let parameters = json!({
            "name": "x", "uri": "x", "level": "info", "ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "x", "value": "x"},
        });
        assert_eq!(
            states.ask(method, &parameters)["error"]["code"],
            -32601,
            "{method}"
        );
    }
    for method in [
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
    ] {
        assert_eq!(
            flow.ask(method, &json!({"uri": "x"}))["error"]["code"],
            -32601,
            "{method}"
        );
    }
    assert_eq!((states.end().1, flow.end().1), (0, 0));
}

#[test]
fn flow_is_served_turn_by_turn() {
    let project = Project::new().with_flows();
    let mut server = Pipe::start(
        &project,
        &[
            "flows/spin_selling",
            "--llm",
            "examples",
            "--trace",
            "talks.jsonl",
        ],
    );
    let begun = server.tool("turn", &json!({}));
    assert_eq!(
        (
            led(&begun).0.as_str(),
            &begun["structuredContent"]["action"]
        ),
        ("greeting", &Value::Null)
    );
    let read = server.tool("turn", &json!({"say": "Сколько стоит?"}))["structuredContent"].take();
    assert_eq!(
        (&read["state"], &read["action"], &read["class"]),
        (
            &json!("spin_situation"),
            &json!("deflect_and_continue"),
            &json!("enter")
        )
    );
    assert_eq!(
        (&read["phase"], &read["wanted"]["data"]),
        (&json!("situation"), &json!(["company_size"]))
    );
    assert!(
        read["why"]
            .as_str()
            .unwrap()
            .starts_with("Moved to spin_situation: "),
        "{read}"
    );
    let given = server.tool(
        "turn",
        &json!({"intent": "info_provided", "data": {"company_size": 50}}),
    );
    assert_eq!(
        (
            led(&given).0.as_str(),
            &given["structuredContent"]["data"]["company_size"]
        ),
        ("spin_problem", &json!(50))
    );
    let unknown = text(&server.tool("turn", &json!({"intent": "nfo_provided"})));
    assert_eq!(
        unknown,
        "Unknown intent `nfo_provided`. Nothing has changed. A similar intent exists: `info_provided`."
    );
    let unread = server.tool("turn", &json!({"say": "Ыыы"}));
    assert!(
        text(&unread).starts_with("The utterance was not recognized: "),
        "{}",
        text(&unread)
    );
    assert_eq!(server.end().1, 0);
    project.fsmsim(["test", "talks.jsonl"]).succeeds("1 passed");
    // Without a recognizer, the assistant must give the intent.
    let mut alone = Pipe::start(&project, &["flows/spin_selling"]);
    let error = text(&alone.tool("turn", &json!({"say": "Сколько стоит?"})));
    assert!(
        error.starts_with("The server has no recognizer: give `intent` with `say`"),
        "{error}"
    );
    assert_eq!(
        led(&alone.tool(
            "turn",
            &json!({"say": "Сколько?", "intent": "price_question"})
        ))
        .0,
        "spin_situation"
    );
    assert_eq!(alone.end().1, 0);
}

#[test]
fn interview_starts_and_lists_open_points() {
    let project = Project::new().with_flows();
    let server = Http::serve(
        &project,
        &["flows/grant_interview.yaml", "--trace", "talks.jsonl"],
    );
    let begun = server.tool("turn", &json!({})).1["structuredContent"].take();
    assert_eq!(begun["state"], "project_name");
    assert_eq!(begun["replies"][1], "Как называется ваш проект?");
    assert_eq!(begun["wanted"]["points"][0], "project_name");
    let say = json!({"session": begun["session"], "say": "Проект называется Мост, он помогает подросткам найти работу"});
    let next = server.tool("turn", &say).1["structuredContent"].take();
    assert_eq!(
        (&next["state"], &next["wanted"]["points"][0]),
        (&json!("project_goal"), &json!("project_goal"))
    );
    // A call without arguments returns the current state.
    let here =
        server.tool("turn", &json!({"session": begun["session"]})).1["structuredContent"].take();
    assert_eq!(here["state"], "project_goal");
    assert_eq!(server.interrupt().1, 0);
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("1 passed in 2 turns");
}

#[test]
fn data_can_be_given_under_the_name_of_its_schema() {
    let project = shop();
    let mut server = Pipe::start(&project, &TWIN);
    let order = json!({"state": "order", "data": {"order": {"tea": "black"}}});
    let asked = server.call(&order);
    assert_eq!(led(&asked), ("dt_consent".to_owned(), None, false));
    // The note says what the state does with the data: it only saves.
    let note = asked["structuredContent"]["note"].as_str().unwrap();
    assert!(
        note.starts_with(
            "`order` saves `order` in the user's data, and `dt_consent` asks for consent first."
        ),
        "{note}"
    );
    let saved = server.call(&json!({"state": "order", "said": "Yes"}));
    let order = |name: Option<&str>| ("order".to_owned(), name.map(str::to_owned), false);
    assert_eq!(led(&saved), order(Some("order")));
    let again = server.call(&json!({"data": {"tea": "green"}}));
    assert_eq!(led(&again), order(Some("order")));
    let wrong = server.call(&json!({"data": {"order": {"tea": 5}}}));
    assert_eq!(wrong["isError"], true, "{wrong}");
    assert_eq!(server.end().1, 0);
}

#[test]
fn state_that_only_saves_needs_no_data() {
    let start = ["shop", "--start", "{consent: {write: false}}"];
    let mut server = Pipe::start(&shop(), &start);
    let (state, class, note) = server.go("order");
    assert_eq!((state.as_str(), class.as_str()), ("order", "degrade"));
    assert_eq!(note, "`order` is not saved: the user did not agree.");
    assert_eq!(server.end().1, 0);
}
