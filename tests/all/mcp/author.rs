//! The authoring tools: a recorded session of the official client is replayed, and invalid or unsafe calls are refused.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use super::Pipe;
use crate::support::{Project, git, text};

pub(super) const FLOW: &str = "
kind: flow
entry_points: {default: greeting}
states:
  greeting: {transitions: {order: size, farewell: parting}}
  size:
    required_data: [pizza_size]
    transitions: {data_complete: confirm}
  confirm: {transitions: {agreement: ordered, rejection: size}}
  ordered: {is_final: true}
  parting: {is_final: true}
flow: {policy: sales}
";
pub(super) const SCENARIOS: &str = "
scenario: Ordered
model: flows/pizza.yaml
turns:
  - {intent: order, expect: {state: size}}
  - {intent: info_provided, data: {pizza_size: large}, expect: {state: confirm}}
---
scenario: Wrong
model: flows/pizza.yaml
turns:
  - {intent: farewell, expect: {state: size}}
";

pub(super) fn project() -> Project {
    Project::new()
        .file("flows/pizza.yaml", FLOW)
        .file("scenarios/pizza.yaml", SCENARIOS)
}

pub(super) fn serve(project: &Project, options: &[&str]) -> Pipe {
    Pipe::start(project, &[&["--author"], options].concat())
}

/// Calls a tool that must succeed. Returns the structured content of its answer.
#[track_caller]
pub(super) fn done(server: &mut Pipe, tool: &str, arguments: &Value) -> Value {
    let mut answer = server.tool(tool, arguments);
    assert_eq!(
        answer["isError"],
        json!(false),
        "{tool} {arguments}: {answer}"
    );
    answer["structuredContent"].take()
}

/// Calls a tool that must fail. Returns the text of its answer.
#[track_caller]
pub(super) fn refused(server: &mut Pipe, tool: &str, arguments: &Value) -> String {
    let answer = server.tool(tool, arguments);
    assert_eq!(
        answer["isError"],
        json!(true),
        "{tool} {arguments}: {answer}"
    );
    said(&answer).to_owned()
}

pub(super) fn said(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

/// A server that gets the messages of the transcript unchanged.
struct Wire {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Wire {
    fn open(project: &Project) -> Self {
        let mut child = project.fsmsim(["mcp", "--author", "--write"]).spawn();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Self {
            child,
            input,
            output,
            number: 0,
        }
    }

    /// Writes a message of the transcript. Returns the answer if the message is a request.
    fn say(&mut self, recorded: &Value) -> Option<Value> {
        let mut message = json!({"jsonrpc": "2.0", "method": recorded["method"]});
        if !recorded["params"].is_null() {
            message["params"] = recorded["params"].clone();
        }
        let waits = recorded.get("result").or(recorded.get("error")).is_some();
        if waits {
            self.number += 1;
            message["id"] = json!(self.number);
        }
        writeln!(self.input, "{message}").unwrap();
        waits.then(|| {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(answer["id"], json!(self.number), "{answer}");
            answer
        })
    }
}

/// `tests/mcp/run` runs the same session with the client itself; `tests/mcp/author.py BINARY TRANSCRIPT --accept`
/// records it again.
#[test]
fn recorded_session_of_the_official_client_is_replayed() {
    let project = Project::new();
    let mut server = Wire::open(&project);
    let (mut tools, mut files) = (Vec::new(), 0);
    for line in text("tests/mcp/author.jsonl").lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        if let Some(file) = recorded.get("file") {
            project.write(
                file["path"].as_str().unwrap(),
                file["text"].as_str().unwrap(),
            );
            files += 1;
            continue;
        }
        let Some(mut answer) = server.say(&recorded) else {
            continue;
        };
        if recorded["method"] == "initialize" {
            answer["result"]["serverInfo"]["version"] = json!("[version]");
        }
        let about = format!("{} {}", recorded["method"], recorded["params"]);
        assert_eq!(answer.get("result"), recorded.get("result"), "{about}");
        assert_eq!(answer.get("error"), recorded.get("error"), "{about}");
        tools.extend(
            recorded["params"]["name"]
                .as_str()
                .filter(|_| recorded["method"] == "tools/call")
                .map(str::to_owned),
        );
    }
    for tool in [
        "lint",
        "play",
        "why",
        "why_not",
        "save_scenario",
        "test",
        "coverage",
    ] {
        assert!(
            tools.iter().any(|called| called == tool),
            "{tool} is not called: {tools:?}"
        );
    }
    assert_eq!(files, 3);
    assert!(
        project
            .read("scenarios/pizza.yaml")
            .starts_with("scenario: \"A pizza is ordered\"\n")
    );
    drop(server.input);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn test_tool_returns_the_json_report_byte_for_byte() {
    let project = project();
    let run = project
        .fsmsim(["test", "--check", "--report", "json=report.json"])
        .run();
    assert_eq!(run.code, 1);
    let mut server = serve(&project, &[]);
    let report = done(&mut server, "test", &json!({}));
    assert_eq!(
        serde_json::to_string_pretty(&report).unwrap() + "\n",
        project.read("report.json")
    );
    // A page contains the same entries, and the cursor of the next page.
    let part = done(&mut server, "test", &json!({"limit": 1}));
    assert_eq!(
        (&part["scenarios"][0], &part["next"]),
        (&report["scenarios"][0], &json!("1"))
    );
    let rest = done(&mut server, "test", &json!({"limit": 1, "cursor": "1"}));
    assert_eq!(
        (&rest["scenarios"][0], rest.get("next")),
        (&report["scenarios"][1], None)
    );
    let one = done(
        &mut server,
        "test",
        &json!({"paths": ["scenarios/pizza.yaml::Wrong"]}),
    );
    assert_eq!(one["scenarios"].as_array().unwrap().len(), 1);
    assert_eq!(one["scenarios"][0]["failures"][0]["field"], "state");
    assert!(
        refused(&mut server, "test", &json!({"filter": "title(nothing)"}))
            .contains("no scenario matches")
    );
    assert!(refused(&mut server, "test", &json!({"filter": "titel(x)"})).contains("a similar"));
    assert_eq!(server.end().1, 0);
}

#[test]
fn read_only_server_returns_the_text_without_writing() {
    let project = project();
    let before = project.files();
    let mut server = serve(&project, &[]);
    let session = done(
        &mut server,
        "play",
        &json!({"model": "flows/pizza.yaml", "turns": ["order"]}),
    )["session"]
        .take();
    done(&mut server, "test", &json!({}));
    done(&mut server, "coverage", &json!({}));
    let saved = done(
        &mut server,
        "save_scenario",
        &json!({"session": session, "title": "T", "file": "scenarios/new.yaml"}),
    );
    assert_eq!(
        (&saved["written"], &saved["file"]),
        (&json!(false), &json!("scenarios/new.yaml"))
    );
    assert!(
        saved["text"]
            .as_str()
            .unwrap()
            .starts_with("scenario: T\nmodel: flows/pizza.yaml\n")
    );
    assert_eq!(server.end().1, 0);
    assert_eq!(project.files(), before);
}

#[test]
fn only_files_below_the_scenario_folder_are_written() {
    let project = project();
    let mut server = serve(&project, &["--write"]);
    let session = done(
        &mut server,
        "play",
        &json!({"model": "flows/pizza.yaml", "turns": ["order"]}),
    )["session"]
        .take();
    let before = project.files();
    for file in [
        "../a.yaml",
        "/tmp/a.yaml",
        "a.txt",
        "a.toml",
        "con.yaml",
        "a\0.yaml",
        "b/../../a.yaml",
        ".a.yaml",
    ] {
        refused(
            &mut server,
            "save_scenario",
            &json!({"session": session, "title": "T", "file": file}),
        );
    }
    let existing = json!({"session": session, "title": "T", "file": "pizza.yaml"});
    assert!(refused(&mut server, "save_scenario", &existing).contains("set `replace` to true"));
    assert_eq!(
        (project.files(), &*project.read("scenarios/pizza.yaml")),
        (before, SCENARIOS)
    );
    let replaced = json!({"session": session, "title": "T", "file": "pizza.yaml", "replace": true});
    assert_eq!(
        done(&mut server, "save_scenario", &replaced)["verdict"],
        "passed"
    );
    assert!(
        project
            .read("scenarios/pizza.yaml")
            .starts_with("scenario: T\n")
    );
    assert_eq!(server.end().1, 0);
}

#[cfg(unix)]
#[test]
fn files_outside_the_project_are_not_read() {
    use std::os::unix::fs::symlink;

    let outside = Project::new()
        .file("secret.yaml", "states: {hunter2: x: y}\n")
        .file("x.md", "# State: hunter2\n");
    let project = project().file(
        "st/states/init.md",
        "# State: init\n\n## Transitions\n- `x`\n",
    );
    symlink(
        outside.path().join("secret.yaml"),
        project.path().join("flows/link.yaml"),
    )
    .unwrap();
    symlink(
        outside.path().join("x.md"),
        project.path().join("st/states/x.md"),
    )
    .unwrap();
    symlink(outside.path(), project.path().join("scenarios/out")).unwrap();
    let mut server = serve(&project, &["--write"]);
    let elsewhere = outside.path().join("secret.yaml").display().to_string();
    for model in [
        "../x",
        "flows/../../x",
        "flows/link.yaml",
        "st",
        "/etc/passwd",
        &elsewhere,
        "a\0b",
        "st/states/x.md",
    ] {
        for (tool, arguments) in [
            ("lint", json!({"models": [model]})),
            ("graph", json!({"model": model})),
            ("play", json!({"model": model})),
            ("conditions", json!({"model": model})),
            ("diff", json!({"a": model, "b": "flows/pizza.yaml"})),
            ("test", json!({"paths": [model]})),
        ] {
            let answer = refused(&mut server, tool, &arguments);
            assert!(!answer.contains("hunter2"), "{tool} {model}: {answer}");
        }
        let read = server.ask(
            "resources/read",
            &json!({"uri": format!("fsmsim://models/{model}")}),
        );
        assert_eq!(read["error"]["code"], json!(-32002), "{model}: {read}");
    }
    assert!(refused(&mut server, "test", &json!({})).contains("outside the project"));
    let twin = json!({"model": "flows/pizza.yaml", "start": {"twin": elsewhere}});
    assert!(refused(&mut server, "play", &twin).contains("is outside the project"));
    let mock = json!({"model": "flows/pizza.yaml", "ask": format!("mock:{elsewhere}")});
    assert!(refused(&mut server, "play", &mock).contains("is outside the project"));
    let from = json!({"from": format!("{elsewhere}::x")});
    assert!(refused(&mut server, "play", &from).contains("is outside the project"));
    let models = done(&mut server, "models", &json!({}));
    assert_eq!(models["models"], json!(["flows/pizza.yaml", "st"]));
    assert_eq!(server.end().1, 0);
}

#[cfg(unix)]
#[test]
fn symlinked_dependencies_outside_the_project_are_refused() {
    use std::os::unix::fs::symlink;

    let outside = Project::new()
        .file("defaults.yaml", "hunter2: {secret: true}\n")
        .file(
            "flow.yaml",
            "kind: flow\nentry_points: {default: hunter2}\nstates: {hunter2: {hunter3: 1}}\n",
        )
        .file("constants.yaml", "hunter2: x: y\n");
    let scenario =
        |model: &str| format!("scenario: One\nmodel: {model}\nturns:\n  - {{intent: order}}\n");
    let project = project()
        .file("h3/x.yaml", scenario("flows/pizza.yaml"))
        .file("h4/x.yaml", scenario("lko"))
        .file("lko/x.txt", "")
        .file("lk/flow.yaml", FLOW);
    let link =
        |file: &str, at: &str| symlink(outside.path().join(file), project.path().join(at)).unwrap();
    link("defaults.yaml", "h3/_defaults.yaml");
    link("flow.yaml", "lko/flow.yaml");
    link("constants.yaml", "lk/constants.yaml");
    let mut server = serve(&project, &[]);
    for (tool, arguments) in [
        ("test", json!({"paths": ["h3/x.yaml"]})),
        ("test", json!({"paths": ["h4/x.yaml"]})),
        ("scenarios", json!({"paths": ["h3/x.yaml"]})),
        ("scenarios", json!({"paths": ["h4/x.yaml"]})),
        ("coverage", json!({"paths": ["h3/x.yaml"]})),
        ("coverage", json!({"paths": ["h4/x.yaml"]})),
        ("play", json!({"from": "h3/x.yaml::One"})),
        ("play", json!({"from": "h4/x.yaml::One"})),
        (
            "diff",
            json!({"a": "lk/flow.yaml", "b": "flows/pizza.yaml"}),
        ),
        (
            "diff",
            json!({"a": "flows/pizza.yaml", "b": "flows/pizza.yaml", "paths": ["h3/x.yaml"]}),
        ),
    ] {
        let answer = server.tool(tool, &arguments).to_string();
        assert!(!answer.contains("hunter"), "{tool} {arguments}: {answer}");
        let is_listed = tool == "scenarios" && arguments["paths"][0] == "h4/x.yaml";
        assert!(
            answer.contains("outside the project") || is_listed,
            "{tool} {arguments}: {answer}"
        );
    }
    assert_eq!(server.end().1, 0);
}

#[test]
fn configuration_above_the_folder_is_not_read() {
    let project = Project::new()
        .file("constants.yaml", "hunter: 1\n")
        .file("inner/flow.yaml", FLOW);
    let mut server = serve(&project, &["inner"]);
    let answer = refused(&mut server, "graph", &json!({"model": "flow.yaml"}));
    assert!(
        answer.contains("serve the directory that contains this file") && !answer.contains("link"),
        "{answer}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn author_refuses_options_of_other_servers() {
    let project = project();
    for options in [
        &["--token-env", "X"][..],
        &["--allow-host", "x"],
        &["--allow-origin", "https://x"],
        &["--user-from", "X-User"],
        &["--rate-limit", "3"],
        &["--log-format", "json"],
    ] {
        project
            .fsmsim(["mcp", "--author"])
            .args(options)
            .refuses("cannot be used with");
    }
    project
        .fsmsim(["mcp", "--write", "flows/pizza.yaml"])
        .refuses("--write");
}

#[test]
fn errors_are_answers_with_help() {
    let project = project()
        .file(
            "flows/wrong.yaml",
            "kind: flow\nentry_point: {default: a}\nstates: {a: {}}\n",
        )
        .file(
            "flows/circle.yaml",
            "kind: flow\nstates: {greeting: {extends: b}, b: {extends: greeting}}\n",
        )
        .file("flows/bytes.yaml", b"states: \xff\n");
    let mut server = serve(&project, &[]);
    for (model, error) in [
        ("flows/wrong.yaml", "exists: `entry_points`"),
        ("flows/circle.yaml", "cycle of parent states"),
        ("flows/bytes.yaml", "is not UTF-8 text"),
        ("flows/pizzza.yaml", "exists: `flows/pizza.yaml`"),
        ("flows/pizza.yaml@nope", "unknown profile `nope`"),
    ] {
        let answer = refused(&mut server, "play", &json!({"model": model}));
        assert!(answer.contains(error), "{model}: {answer}");
    }
    let start = json!({"model": "flows/pizza.yaml"});
    let session = done(&mut server, "play", &start)["session"].take();
    let turn = |turn: Value| json!({"session": session, "turns": [turn]});
    for (turn, error) in [
        (turn(json!({"intent": "ordr"})), "Similar: `order`."),
        (turn(json!({"intnt": "order"})), "exists: `intent`"),
        (
            turn(json!("ordr pizza_size=large")),
            "A similar intent exists: `order`.",
        ),
        (turn(json!(":goto confrim")), "exists: `confirm`"),
        (turn(json!(":exit")), "is not a manual change"),
        (json!({"session": session, "undo": 7}), "no turn to undo"),
        (json!({"session": "s99"}), "unknown session `s99`"),
        (
            json!({"session": session, "model": "flows/pizza.yaml"}),
            "cannot use `model` or `from` with `session`",
        ),
        (json!({}), "missing `model` or `session`"),
        (
            json!({"model": "flows/pizza.yaml", "start": {"stat": "size"}}),
            "exists: `state`",
        ),
        (
            json!({"model": "flows/pizza.yaml", "ask": "live"}),
            "no LLM provider is configured",
        ),
        (
            json!({"model": "flows/pizza.yaml", "ask": "somebody"}),
            "unknown recognizer `somebody`",
        ),
    ] {
        let answer = refused(&mut server, "play", &turn);
        assert!(answer.contains(error), "{turn}: {answer}");
    }
    for (tool, arguments, error) in [
        ("lint", json!({"modls": []}), "exists: `models`"),
        ("graph", json!({}), "Missing argument `model` of graph."),
        (
            "graph",
            json!({"model": "flows/pizza.yaml", "format": "svg"}),
            "Invalid `format` of graph",
        ),
        (
            "explain",
            json!({"name": "FS9999"}),
            "unknown code or built-in name `FS9999`",
        ),
        (
            "explain",
            json!({"name": "x".repeat(5000)}),
            "is longer than 2000 characters",
        ),
        ("schema", json!({"name": "flwo"}), "exists: `flow`"),
        (
            "why_not",
            json!({"session": session, "to": "confrim"}),
            "exists: `confirm`",
        ),
        ("why", json!({"session": session}), "no turn has run yet"),
        ("conditions", json!({}), "give either `model`"),
        ("coverage", json!({"kind": "stats"}), "exists: `states`"),
        (
            "diff",
            json!({"a": "flows/pizza.yaml", "b": "git:HEAD"}),
            "git",
        ),
        ("lint", json!({"cursor": "-1"}), "Invalid `cursor` of lint"),
    ] {
        let answer = refused(&mut server, tool, &arguments);
        assert!(answer.contains(error), "{tool} {arguments}: {answer}");
    }
    let unknown = server.ask("tools/call", &json!({"name": "lnt", "arguments": {}}));
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .ends_with("exists: `lint`."),
        "{unknown}"
    );
    // An invalid project file is reported by each call, and can be fixed without a restart.
    project.write("fsmsim.toml", "modl = 1\n");
    assert!(refused(&mut server, "models", &json!({})).contains("fsmsim.toml:1"));
    project.write("fsmsim.toml", "");
    done(&mut server, "models", &json!({}));
    assert_eq!(server.end().1, 0);
}

#[test]
fn why_not_says_that_no_dialogue_leads_to_a_state() {
    let flow = "flow: {name: hall, policy: plain, entry_points: {default: first}}
intents: {on: {description: On}}
states:
  first: {transitions: {on: second}}
  second: {transitions: {on: last}}
  last: {is_final: true}
  ghost: {transitions: {on: last}}
";
    let project = project().file("flows/hall.yaml", flow);
    let mut server = serve(&project, &[]);
    let played = json!({"model": "flows/hall.yaml", "turns": ["on"]});
    let session = done(&mut server, "play", &played)["session"].take();
    let mut why_not = |to: &str| {
        let found = done(
            &mut server,
            "why_not",
            &json!({"session": session, "to": to}),
        );
        (found["explanation"].clone(), found["lines"].clone())
    };
    assert_eq!(
        why_not("ghost"),
        (
            json!(
                "one turn from `second` is not enough; no dialogue leads from `first` to `ghost`: no path of \
                 transitions exists"
            ),
            json!(null)
        )
    );
    assert_eq!(
        why_not("last"),
        (
            json!("from `second` the following input leads to `last`"),
            json!(["on"])
        )
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn edit_between_two_calls_is_detected() {
    let project = project();
    let mut server = serve(&project, &[]);
    let session = done(
        &mut server,
        "play",
        &json!({"model": "flows/pizza.yaml", "turns": ["order"]}),
    )["session"]
        .take();
    project.write(
        "flows/pizza.yaml",
        FLOW.replace("order: size", "order: confirm"),
    );
    let why = done(&mut server, "why", &json!({"session": session}));
    assert_eq!(
        why["notes"],
        json!([
            "the model was edited: 1 turn replayed, 1 with differences",
            "turn 1 (order): state size -> confirm; action transition_to_size -> transition_to_confirm"
        ])
    );
    project.write(
        "flows/pizza.yaml",
        FLOW.replace("order: size", "order: nowhere"),
    );
    let continued = done(
        &mut server,
        "play",
        &json!({"session": session, "turns": ["agreement"]}),
    );
    let note = continued["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("cannot load the edited model") && note.contains("flows/pizza.yaml:5"),
        "{note}"
    );
    assert_eq!(continued["here"]["state"], "ordered");
    assert_eq!(server.end().1, 0);
}

#[test]
fn sessions_and_turns_are_limited() {
    let project = project();
    let mut server = serve(&project, &[]);
    for number in 1..=33 {
        let begun = done(&mut server, "play", &json!({"model": "flows/pizza.yaml"}));
        assert_eq!(begun["session"], json!(format!("s{number}")));
        let ended = if number == 33 {
            json!(["session s1 has ended: at most 32 sessions can be open"])
        } else {
            json!([])
        };
        assert_eq!(begun["notes"], ended);
    }
    assert!(
        refused(&mut server, "play", &json!({"session": "s1"})).contains("unknown session `s1`")
    );
    let many = json!({"session": "s2", "turns": vec!["order"; 101]});
    assert!(refused(&mut server, "play", &many).contains("Invalid `turns` of play"));
    let full = json!({"session": "s2", "turns": vec!["unclear"; 100]});
    for _ in 0..10 {
        server.tool("play", &full);
    }
    let error = refused(
        &mut server,
        "play",
        &json!({"session": "s2", "turns": ["order"]}),
    );
    assert!(error.contains("its limit of 1000 turns"), "{error}");
    assert_eq!(server.end().1, 0);
}

#[test]
fn live_model_requires_consent() {
    let chain = "[[llm.chain]]\nname = \"far\"\nbase_url = \"https://models.invalid/v1\"\nmodel = \"m\"\napi_key_env = \"SOME_KEY\"\n";
    let project = project().file("fsmsim.toml", chain);
    let mut server = serve(&project, &[]);
    let error = refused(
        &mut server,
        "play",
        &json!({"model": "flows/pizza.yaml", "ask": "live", "turns": [{"say": "Hi"}]}),
    );
    assert!(
        error.contains("FS0306") && error.contains("models.invalid") && error.contains("`--trust`"),
        "{error}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn tests_report_progress_and_calls_run_concurrently() {
    let project = project().file(
        "scenarios/more.yaml",
        SCENARIOS
            .replace("Ordered", "More")
            .replace("Wrong", "Worse"),
    );
    let mut server = serve(&project, &[]);
    let watched = json!({"name": "test", "arguments": {}, "_meta": {"progressToken": "p"}});
    let answer = server.ask("tools/call", &watched);
    assert_eq!(
        answer["result"]["structuredContent"]["scenarios"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    let messages: Vec<Value> = std::mem::take(&mut server.told);
    let last = &messages.last().unwrap()["params"];
    assert_eq!(
        (&last["progressToken"], &last["total"]),
        (&json!("p"), &json!(2.0)),
        "{messages:?}"
    );
    assert_eq!(
        (&last["progress"], &last["message"]),
        (&json!(2.0), &json!("2 passed, 2 not passed"))
    );
    // Two concurrent calls are both answered. A canceled call needs no answer.
    for (id, name) in [(101, "test"), (102, "models"), (103, "test")] {
        let call = json!({"name": name, "arguments": {}});
        server.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}));
    }
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 103}}));
    let mut answered = Vec::new();
    while answered.len() < 2 {
        let mut line = String::new();
        server.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] != json!(103) {
            answered.push(message["id"].as_u64().unwrap());
        }
    }
    answered.sort_unstable();
    assert_eq!(answered, [101, 102]);
    assert_eq!(server.end().1, 0);
}

#[test]
fn tools_declare_whether_they_write() {
    let project = project();
    let listed = |options: &[&str]| {
        let mut server = serve(&project, options);
        let tools = server.ask("tools/list", &json!({}))["result"]["tools"].take();
        assert_eq!(server.end().1, 0);
        let tools = tools.as_array().unwrap().clone();
        assert_eq!(tools.len(), 16);
        assert!(
            tools
                .iter()
                .all(|tool| tool["inputSchema"]["additionalProperties"] == json!(false))
        );
        let changing = tools
            .iter()
            .filter(|tool| tool["annotations"]["readOnlyHint"] == json!(false));
        let hints = changing.map(|tool| {
            format!(
                "{} {}",
                tool["name"].as_str().unwrap(),
                tool["annotations"]["destructiveHint"]
            )
        });
        hints.collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["play false"]);
    assert_eq!(listed(&["--write"]), ["play false", "save_scenario true"]);
}

#[test]
fn resources_can_be_read_and_prompts_rendered() {
    let project = project();
    let mut server = serve(&project, &[]);
    let listed = server.ask("resources/list", &json!({}))["result"]["resources"].take();
    let listed: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    for uri in [
        "fsmsim://docs/explanation/flows",
        "fsmsim://docs/how-to/connect-a-coding-assistant",
        "fsmsim://schemas/flow",
        "fsmsim://models/flows/pizza.yaml",
    ] {
        assert!(listed.contains(&uri), "{listed:?}");
    }
    for uri in listed {
        let read = server.ask("resources/read", &json!({"uri": uri}));
        assert!(
            !read["result"]["contents"][0]["text"]
                .as_str()
                .unwrap()
                .is_empty(),
            "{uri}"
        );
    }
    let model = server.ask(
        "resources/read",
        &json!({"uri": "fsmsim://models/flows%2Fpizza.yaml"}),
    );
    assert_eq!(model["result"]["contents"][0]["text"], FLOW);
    for uri in [
        "fsmsim://docs/explanation/flws",
        "fsmsim://schemas/",
        "fsmsim://models/scenarios/pizza.yaml",
        "file:///etc/passwd",
        "",
    ] {
        let error = server.ask("resources/read", &json!({"uri": uri}))["error"].take();
        assert_eq!(
            (&error["code"], &error["data"]["uri"]),
            (&json!(-32002), &json!(uri)),
            "{error}"
        );
    }
    let templates =
        server.ask("resources/templates/list", &json!({}))["result"]["resourceTemplates"].take();
    assert_eq!(templates.as_array().unwrap().len(), 3);
    let prompts = server.ask("prompts/list", &json!({}))["result"]["prompts"].take();
    for prompt in prompts.as_array().unwrap() {
        let name = &prompt["name"];
        let arguments: serde_json::Map<String, Value> = prompt["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|argument| {
                (
                    argument["name"].as_str().unwrap().to_owned(),
                    json!("flows/pizza.yaml"),
                )
            })
            .collect();
        let filled = server.ask(
            "prompts/get",
            &json!({"name": name, "arguments": arguments}),
        );
        let text = filled["result"]["messages"][0]["content"]["text"]
            .as_str()
            .unwrap();
        assert!(text.contains("flows/pizza.yaml"), "{text}");
    }
    let lacking = server.ask(
        "prompts/get",
        &json!({"name": "find_out_why", "arguments": {"model": "x"}}),
    );
    assert_eq!(
        lacking["error"]["message"],
        "Missing argument `question` of find_out_why."
    );
    let unknown = server.ask("prompts/get", &json!({"name": "write_flow"}));
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("exists: `write_a_flow`"),
        "{unknown}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn model_is_compared_with_its_earlier_revision() {
    let project = project();
    if !git(&project, &["init", "-q"]) {
        return;
    }
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    let mut server = serve(&project, &[]);
    let same = done(
        &mut server,
        "diff",
        &json!({"a": "git:HEAD", "b": "flows/pizza.yaml"}),
    );
    assert_eq!(same["same"], json!(true));
    project.write(
        "flows/pizza.yaml",
        FLOW.replace("farewell: parting", "farewell: ordered"),
    );
    let differs = server.tool(
        "diff",
        &json!({"a": "git:HEAD:flows/pizza.yaml", "b": "flows/pizza.yaml"}),
    );
    let parts = &differs["structuredContent"];
    assert_eq!(
        (&parts["same"], parts["causes"].as_array().unwrap().len()),
        (&json!(false), 1),
        "{differs}"
    );
    assert!(
        said(&differs).contains("flows/pizza.yaml"),
        "{}",
        said(&differs)
    );
    assert!(
        refused(
            &mut server,
            "diff",
            &json!({"a": "git:nope", "b": "flows/pizza.yaml"})
        )
        .contains("nope")
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn unsupported_author_arguments_are_refused() {
    let project = project();
    for options in [
        ["--author", "--http", "127.0.0.1:0"].as_slice(),
        &["--author", ".", "flows/pizza.yaml"],
        &["--author", "--strict"],
        &["states", "--write"],
        &[],
    ] {
        assert_eq!(
            project.fsmsim(["mcp"]).args(options).run().code,
            2,
            "{options:?}"
        );
    }
    project
        .fsmsim(["mcp", "--author", "nowhere"])
        .refuses("cannot serve `nowhere`");
}

#[test]
fn folder_can_be_served_from_another_directory() {
    let project = project();
    let home = Project::new();
    let folder = project.path().display().to_string();
    let mut server = Pipe::start(&home, &["--author", &folder]);
    assert_eq!(
        done(&mut server, "models", &json!({}))["models"],
        json!(["flows/pizza.yaml"])
    );
    let path = project
        .path()
        .join("flows/pizza.yaml")
        .canonicalize()
        .unwrap();
    assert_eq!(
        done(&mut server, "lint", &json!({"models": [path]}))["errors"],
        json!(0)
    );
    assert_eq!(server.end().1, 0);
}

/// A flow with examples for two intents.
fn shop(order: &str, complaint: &str) -> String {
    format!(
        "flow: {{name: shop}}
entry_points: {{default: start}}
constants:
  disambiguation:
    thresholds: {{high_confidence: 0.3, medium_confidence: 0.2, low_confidence: 0.1, min_confidence: 0.05}}
    gap_threshold: 0.01
states:
  start: {{transitions: {{order: size, complaint: end}}}}
  size: {{transitions: {{order: end}}}}
  end: {{is_final: true}}
intents:
  {order}: {{examples: [I want a pizza, A pizza please, Can I order a pizza?]}}
  {complaint}: {{examples: [The driver was rude, You forgot the cheese, It is cold]}}
"
    )
}

#[test]
fn edited_examples_recognize_the_dialogue_again() {
    let project = Project::new().file("flows/shop.yaml", shop("order", "complaint"));
    let mut server = serve(&project, &[]);
    let start = json!({"model": "flows/shop.yaml", "turns": [{"say": "I want a pizza"}]});
    let played = done(&mut server, "play", &start);
    let turn = &played["turns"][0];
    assert!(
        turn["recognized"].as_str().unwrap().starts_with("order ("),
        "{turn}"
    );
    assert_eq!(turn["state"]["to"], "size");
    let session = json!({"session": played["session"]});
    let why = done(&mut server, "why", &session);
    assert_eq!(why["recognized"], turn["recognized"]);
    project.write("flows/shop.yaml", shop("complaint", "order"));
    let replayed = done(&mut server, "play", &session);
    assert_eq!(
        (&replayed["here"]["state"], &replayed["here"]["final"]),
        (&json!("end"), &json!(true))
    );
    let notes = replayed["notes"].to_string();
    assert!(
        notes.contains("1 turn replayed, 1 with differences"),
        "{notes}"
    );
    assert_eq!(server.end().1, 0);
}
