//! The MCP servers for state sets and for agent cycles, over standard input and output, and over HTTP.

mod author;
mod author_answers;
mod author_fence;
mod beginnings;
mod consent;
mod cycle;
mod dialogues;
mod team;
mod traces;
mod wire;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Project;

/// A small state set: one state asks for consent, one reads data.
fn tea() -> Project {
    Project::new()
        .file("tea/instructions/system.md", "You pour tea.\n")
        .file("tea/states/init.md", "# State: init\n\n## Entry triggers\n- A cup is empty\n\n## Transitions\n| Condition | Next state |\n|---|---|\n| Black | `brew` |\n| As last time | `recall` |\n| No tea | `parting` |\n")
        .file("tea/states/brew.md", "# State: brew\n\n## Transitions\n- Done → `init`\n")
        .file("tea/states/recall.md", "---\nreads: [taste]\n---\n# State: recall\n\nPour the `taste`.\n\n## Transitions\n- Done → `init`\n")
        .file("tea/states/dt_consent.md", "# State: dt_consent\n\n## Transitions\n- Yes → `recall`\n- No → `no_dt_mode`\n")
        .file("tea/states/no_dt_mode.md", "# State: no_dt_mode\n\nAsk.\n\n## Transitions\n- `init`\n")
        .file("tea/states/parting.md", "---\nfinal: true\n---\n# State: parting\n\nWash the cup.\n")
        .file("taste.json", r#"{"taste": "black"}"#)
}

/// A server over standard input and output.
struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
    /// The messages of the server that are not the awaited response.
    told: Vec<Value>,
    /// The answers of the user to elicitations, in order. If none is left, the client does not answer.
    answers: Vec<Value>,
}

impl Pipe {
    fn start(project: &Project, arguments: &[&str]) -> Self {
        Self::with(project, arguments, &hello())
    }

    /// The same for a client that supports elicitation.
    fn asking(project: &Project, arguments: &[&str]) -> Self {
        let mut hello = hello();
        hello["capabilities"] = json!({"elicitation": {}});
        Self::with(project, arguments, &hello)
    }

    fn with(project: &Project, arguments: &[&str], hello: &Value) -> Self {
        let mut child = project.fsmsim(["mcp"]).args(arguments).spawn();
        let (input, output) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let mut server = Self {
            child,
            input,
            output,
            number: 0,
            told: Vec::new(),
            answers: Vec::new(),
        };
        server.ask("initialize", hello);
        server.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Writes a line that is not a request. Returns the next message of the server.
    fn answer_to(&mut self, line: &str) -> Value {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        self.say(
            &json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}),
        );
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "elicitation/create" {
                if !self.answers.is_empty() {
                    let answer = self.answers.remove(0);
                    self.say(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
                }
            } else if message["id"] == json!(self.number) {
                return message;
            }
            self.told.push(message);
        }
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))["result"].take()
    }

    fn call(&mut self, arguments: &Value) -> Value {
        self.tool("get_instruction", arguments)
    }

    /// The result of a call: the state, the class and the note.
    fn go(&mut self, state: &str) -> (String, String, Value) {
        let parts = self.call(&json!({"state": state}))["structuredContent"].take();
        let text = |key: &str| parts[key].as_str().unwrap().to_owned();
        (text("state"), text("class"), parts["note"].clone())
    }

    /// Closes the connection. Returns the log of the server and its exit code.
    fn end(mut self) -> (String, i32) {
        drop(self.input.take());
        said(self.child)
    }
}

fn said(mut child: Child) -> (String, i32) {
    let mut log = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    (log, child.wait().unwrap().code().unwrap_or(-1))
}

fn hello() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// The text of an answer, with the name of the session masked.
fn text(answer: &Value) -> String {
    let text = answer["content"][0]["text"].as_str().unwrap();
    match answer["structuredContent"]["session"].as_str() {
        Some(session) => text.replace(session, "[session]"),
        None => text.to_owned(),
    }
}

#[test]
fn result_names_the_current_state_and_its_transitions() {
    let project = tea();
    let mut server = Pipe::start(&project, &["tea"]);
    let first = server.call(&json!({}));
    insta::assert_snapshot!(text(&first));
    let second = server.call(&json!({"state": "brew"}));
    assert_eq!(
        second["structuredContent"]["session"],
        first["structuredContent"]["session"]
    );
    assert_eq!(second["isError"], json!(false));
    let mut parts = second["structuredContent"].clone();
    parts["session"] = json!("[session]");
    insta::assert_snapshot!(serde_json::to_string_pretty(&parts).unwrap());
    server.call(&json!({"state": "init"}));
    insta::assert_snapshot!(text(&server.call(&json!({"state": "parting"}))));
    let (log, code) = server.end();
    let session = first["structuredContent"]["session"].as_str().unwrap();
    insta::assert_snapshot!(log.replace(session, "[session]"));
    assert_eq!(code, 0);
}

#[test]
fn server_lists_its_tool_and_its_states() {
    let project = tea();
    let mut server = Pipe::start(&project, &["tea"]);
    let tools = server.ask("tools/list", &json!({}))["result"]["tools"].take();
    assert_eq!(tools.as_array().unwrap().len(), 1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools[0]["inputSchema"]).unwrap());
    let resources = server.ask("resources/list", &json!({}))["result"]["resources"].take();
    let addresses: Vec<&str> = resources
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(addresses.join("\n"));
    let read = server.ask("resources/read", &json!({"uri": "fsmsim://states/brew"}));
    insta::assert_snapshot!(read["result"]["contents"][0]["text"].as_str().unwrap());
    let nothing = server.ask("resources/read", &json!({"uri": "fsmsim://states/milk"}));
    assert_eq!(
        nothing["error"]["message"],
        "cannot find `fsmsim://states/milk`"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn undeclared_transition_is_recorded_or_rejected() {
    let project = tea();
    let mut lax = Pipe::start(&project, &["tea", "--trace", "lax.jsonl"]);
    assert_eq!(lax.go("brew").0, "brew");
    assert_eq!(
        lax.go("parting"),
        ("parting".into(), "finish".into(), Value::Null)
    );
    assert_eq!(lax.end().1, 0);
    assert!(
        project
            .read("lax.jsonl")
            .contains("undeclared_transition_permitted")
    );

    let mut strict = Pipe::start(&project, &["tea", "--strict"]);
    strict.go("brew");
    let refused = strict.call(&json!({"state": "parting"}));
    assert_eq!(refused["isError"], json!(true));
    insta::assert_snapshot!(text(&refused).lines().next().unwrap());
    let unknown = strict.call(&json!({"state": "inti"}));
    insta::assert_snapshot!(text(&unknown).lines().next().unwrap());
    assert_eq!(strict.end().1, 0);
}

#[test]
fn invalid_arguments_are_reported_to_the_model() {
    let project = tea();
    let mut server = Pipe::start(&project, &["tea"]);
    for (arguments, message) in [
        (
            json!({"sate": "brew"}),
            "Unknown argument `sate` of get_instruction. Arguments: `state`, `session`, `data`, `said`, `reply`, `new`, `full`. A similar argument exists: `state`.",
        ),
        (
            json!({"state": ["brew"]}),
            "Expected a string for `state` of get_instruction, found `[\"brew\"]`.",
        ),
        (
            json!({"session": "\u{1b}[31mred"}),
            "Unknown session `\u{fffd}[31mred`: it has ended or never existed. Call get_instruction with `new: true` to start a new one.",
        ),
    ] {
        let answer = server.call(&arguments);
        assert_eq!(
            (answer["isError"].clone(), text(&answer).as_str()),
            (json!(true), message)
        );
    }
    let other = server.ask("tools/call", &json!({"name": "pour", "arguments": {}}));
    assert_eq!(
        other["error"]["message"],
        "unknown tool `pour`. The tools are: `get_instruction`."
    );
    let (log, code) = server.end();
    assert_eq!((log.contains('\u{1b}'), code), (false, 0));
}

#[test]
fn next_state_of_the_assistant_gives_or_refuses_consent() {
    let project = tea();
    let start = ["tea", "--strict", "--start", "{twin: taste.json}"];
    let mut agreed = Pipe::start(&project, &start);
    let (state, class, note) = agreed.go("recall");
    assert_eq!((state.as_str(), class.as_str()), ("dt_consent", "digress"));
    let note = note.as_str().unwrap();
    assert!(note.starts_with(
        "`recall` reads `taste` in the user's data, and `dt_consent` asks for consent first."
    ));
    let there = agreed.call(&json!({"state": "recall", "said": "Yes"}));
    assert_eq!(there["structuredContent"]["class"], "resume");
    assert!(
        text(&there).contains("- taste: \"black\""),
        "{}",
        text(&there)
    );
    assert_eq!(agreed.end().1, 0);

    let mut refused = Pipe::start(&project, &start);
    refused.go("recall");
    assert_eq!(refused.go("no_dt_mode").0, "no_dt_mode");
    refused.go("init");
    let (state, class, note) = refused.go("recall");
    assert_eq!((state.as_str(), class.as_str()), ("no_dt_mode", "degrade"));
    assert_eq!(
        note,
        "`recall` needs data that is unavailable: continue without it in `no_dt_mode`."
    );
    assert_eq!(refused.end().1, 0);
}

#[test]
fn dialogues_of_a_server_share_one_store() {
    let project = tea();
    let start = [
        "tea",
        "--twin",
        "cups.sqlite:ann",
        "--twin-from",
        "taste.json",
    ];
    let mut first = Pipe::start(&project, &start);
    first.go("recall");
    let there = first.call(&json!({"state": "recall", "said": "Yes"}));
    assert!(
        text(&there).contains("- taste: \"black\""),
        "{}",
        text(&there)
    );
    let (log, code) = first.end();
    assert!(log.contains("created `cups.sqlite`"), "{log}");
    assert_eq!(code, 0);
    // The data is stored permanently. Another user does not have it.
    for (user, class) in [("ann", "resume"), ("bob", "degrade")] {
        let mut next = Pipe::start(&project, &["tea", "--twin", &format!("cups.sqlite:{user}")]);
        next.go("recall");
        let there = next.call(&json!({"state": "recall", "said": "Yes"}));
        assert_eq!(there["structuredContent"]["class"], class, "{user}");
        assert_eq!(next.end().1, 0);
    }
}

#[test]
fn trace_of_a_server_can_be_tested() {
    let project = tea();
    let start = [
        "tea",
        "--start",
        "{twin: taste.json}",
        "--trace",
        "served.jsonl",
    ];
    let mut server = Pipe::start(&project, &start);
    server.call(&json!({}));
    server.go("recall");
    server.call(&json!({"state": "recall", "said": "Yes"}));
    for state in ["init", "parting", "nowhere"] {
        server.go(state);
    }
    assert_eq!(server.end().1, 0);
    project.fsmsim(["test", "served.jsonl"]).succeeds("");
    // The test fails after the state set has changed.
    project.write(
        "tea/states/recall.md",
        "# State: recall\n\n## Transitions\n- Done → `init`\n",
    );
    project
        .fsmsim(["test", "served.jsonl"])
        .fails(1, "dt_consent", "");
}

/// Whether a file contains a dialogue that has not ended.
fn is_part(file: &str) -> bool {
    std::path::Path::new(file)
        .extension()
        .is_some_and(|extension| extension == "part")
}

#[test]
fn trace_of_a_killed_server_is_recovered() {
    let project = tea();
    let mut killed = Pipe::start(&project, &["tea", "--trace", "all.jsonl"]);
    killed.go("brew");
    // Another server must not write to the same trace.
    project
        .fsmsim(["mcp", "tea", "--trace", "all.jsonl"])
        .refuses("another server is writing to it");
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    let part = project
        .files()
        .into_iter()
        .find(|file| is_part(file))
        .unwrap();
    // The server was killed while it wrote a line.
    let complete = project.read(&part);
    project.write(&part, format!("{complete}{{\"turn\":2,"));
    project
        .fsmsim(["mcp", "tea", "--trace", "all.jsonl"])
        .warns("", "added to the trace from a server that was killed");
    assert_eq!(project.read("all.jsonl"), complete);
    assert!(!project.files().iter().any(|file| is_part(file)));
    // The recovered dialogue has no end record, so it counts as truncated.
    project
        .fsmsim(["test", "all.jsonl"])
        .warns("1 passed", "is truncated: missing end line");
}

#[test]
fn invalid_server_arguments_are_rejected() {
    let project = tea().with_flows().file("plain.txt", "hello");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (arguments, message) in [
        (
            vec!["flows/bant", "--strict"],
            "`--strict` is only for state sets",
        ),
        (
            vec!["tea", "--token-env", "NO_TOKEN_OF_THIS_NAME"],
            "required arguments were not provided",
        ),
        (
            vec!["tea", "--http", "127.0.0.1:0", "--user-from", "x-user"],
            "required arguments were not provided",
        ),
        (
            vec![
                "tea",
                "--http",
                "127.0.0.1:0",
                "--token-env",
                "NO_TOKEN_OF_THIS_NAME",
            ],
            "missing token",
        ),
        (
            vec!["tea", "--http", "127.0.0.1:0", "--allow-host", "https://a"],
            "invalid host `https://a`",
        ),
        (
            vec![
                "tea",
                "--http",
                "127.0.0.1:0",
                "--allow-origin",
                "a.example",
            ],
            "invalid origin `a.example`",
        ),
        (
            vec!["tea", "--http", "127.0.0.1:0", "--rate-limit", "0"],
            "0 is not in",
        ),
        (vec!["milk"], "cannot find `milk`"),
        (vec!["tea", "--http", "nowhere"], "invalid value 'nowhere'"),
        (vec!["tea", "--http", &address], "cannot listen on"),
        (
            vec!["tea", "--trace", "no/such/folder.jsonl"],
            "cannot write the trace",
        ),
        (vec!["tea", "--start", "{twin: milk.json}"], "milk.json"),
        (vec!["tea", "--max-sessions", "0"], "0 is not in"),
        (
            vec!["tea", "--keep"],
            "a similar argument exists: '--persist'",
        ),
    ] {
        project
            .fsmsim(vec!["mcp"])
            .args(arguments.clone())
            .refuses(message);
    }
    // Input that is not MCP gets a parse error.
    let run = project
        .fsmsim(["mcp", "tea"])
        .stdin("GET / HTTP/1.1\r\n\r\n")
        .run();
    assert!(matches!(run.code, 0 | 2), "{}", run.stderr);
    assert!(
        run.stdout.contains("-32700") && run.stdout.lines().count() == 1,
        "{}",
        run.stdout
    );
}

/// A server over HTTP.
struct Http {
    child: Child,
    address: SocketAddr,
    log: BufReader<std::process::ChildStderr>,
}

/// An answer over HTTP.
#[derive(Debug)]
struct Response {
    status: u16,
    session: Option<String>,
    /// The lines above the body.
    head: String,
    body: String,
}

impl Http {
    fn start(project: &Project, arguments: &[&str]) -> Self {
        Self::serve(project, &[&["tea"], arguments].concat())
    }

    fn serve(project: &Project, arguments: &[&str]) -> Self {
        Self::listen(
            project
                .fsmsim(["mcp", "--http", "127.0.0.1:0"])
                .args(arguments),
        )
    }

    fn listen(command: crate::support::Invocation) -> Self {
        let mut child = command.spawn();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        // The note about a created memory precedes this line.
        while !line.contains("listening on ") {
            line.clear();
            assert_ne!(
                log.read_line(&mut line).unwrap(),
                0,
                "the server does not listen"
            );
        }
        let address = line
            .split_once("http://")
            .unwrap()
            .1
            .split_once("/mcp")
            .unwrap()
            .0;
        Self {
            child,
            address: address.parse().unwrap(),
            log,
        }
    }

    /// Posts a message with further headers, each with its end of line.
    fn post(&self, headers: &str, message: &Value) -> Response {
        self.send(
            &format!("Host: {}\r\n{headers}", self.address),
            message.to_string().as_bytes(),
        )
    }

    fn send(&self, headers: &str, body: &[u8]) -> Response {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\n{headers}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // The server can close the connection before the request is complete.
        let _ = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            lines
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.to_owned())
        };
        Response {
            status: head
                .split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok())
                .unwrap_or(0),
            session: header("mcp-session-id"),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Calls the tool like a client without a persistent connection.
    fn call(&self, arguments: &Value) -> Value {
        self.tool("get_instruction", arguments).1
    }

    /// Calls a tool like a client without a persistent connection. Returns the progress notifications and the result.
    fn tool(&self, name: &str, arguments: &Value) -> (Vec<Value>, Value) {
        self.tool_as("", name, arguments)
    }

    /// The same with more headers, each with its end of line.
    fn tool_as(&self, more_headers: &str, name: &str, arguments: &Value) -> (Vec<Value>, Value) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": "turns",
        });
        let parameters = json!({"name": name, "arguments": arguments, "_meta": meta});
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters});
        let headers = format!(
            "{more_headers}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
        );
        let response = self.post(&headers, &message);
        let data = response.body.lines().filter_map(|line| {
            line.strip_prefix("data: ")
                .or(Some(line).filter(|line| line.starts_with('{')))
        });
        let mut messages: Vec<Value> = data
            .filter_map(|data| serde_json::from_str(data).ok())
            .collect();
        let answer = messages.pop().unwrap_or_else(|| panic!("{response:?}"));
        (messages, answer["result"].clone())
    }

    /// Interrupts the server like Ctrl-C. Returns the rest of the log and the exit code.
    fn interrupt(mut self) -> (String, i32) {
        let number = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &number])
                .status()
                .unwrap()
                .success()
        );
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        (log, self.child.wait().unwrap().code().unwrap_or(-1))
    }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello()})
}

#[test]
fn unknown_hosts_and_origins_are_rejected() {
    let project = tea();
    let server = Http::start(&project, &[]);
    let port = server.address.port();
    assert_eq!(server.post("", &initialize()).status, 200);
    for origin in [
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{port}"),
    ] {
        assert_eq!(
            server
                .post(&format!("Origin: {origin}\r\n"), &initialize())
                .status,
            200
        );
    }
    for origin in [
        "http://evil.example".to_owned(),
        "null".to_owned(),
        format!("https://127.0.0.1:{port}"),
    ] {
        assert_eq!(
            server
                .post(&format!("Origin: {origin}\r\n"), &initialize())
                .status,
            403,
            "{origin}"
        );
    }
    let body = initialize().to_string();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1:1".to_owned(),
    ] {
        assert_eq!(
            server
                .send(&format!("Host: {host}\r\n"), body.as_bytes())
                .status,
            403,
            "{host}"
        );
    }
    assert_eq!(
        server
            .send(&format!("Host: localhost:{port}\r\n"), body.as_bytes())
            .status,
        200
    );
    let (log, code) = server.interrupt();
    assert!(
        log.contains("refused: POST /mcp, host evil.example: 403 Forbidden"),
        "{log}"
    );
    assert!(
        log.contains("origin http://evil.example: 403 Forbidden"),
        "{log}"
    );
    assert_eq!(code, 0);
}

#[test]
fn body_of_fifty_megabytes_is_rejected() {
    let project = tea();
    let server = Http::start(&project, &[]);
    let host = format!("Host: {}\r\n", server.address);
    let response = server.send(&host, &vec![b' '; 50_000_000]);
    // The server can close the connection before the client has read the answer.
    assert!(matches!(response.status, 413 | 0), "{response:?}");
    // A chunked body, which has no declared length, is limited as well.
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\n{host}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    let sent = (0..800)
        .take_while(|_| stream.write_all(&chunk).is_ok())
        .count();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(
        sent < 800 || String::from_utf8_lossy(&answer).contains("413"),
        "{sent}"
    );
    assert_eq!(server.post("", &initialize()).status, 200);
    let (log, code) = server.interrupt();
    assert!(log.contains("413 Payload Too Large"), "{log}");
    assert_eq!(code, 0);
}

#[test]
fn incomplete_request_times_out() {
    let project = tea();
    let server = Http::start(&project, &[]);
    let started = Instant::now();
    let halves = [
        "POST /mcp HTTP/1.1\r\nHost: 127".to_owned(),
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
            server.address
        ),
    ];
    let streams: Vec<TcpStream> = halves
        .iter()
        .map(|half| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(half.as_bytes()).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_mins(1)))
                .unwrap();
            stream
        })
        .collect();
    // The server accepts other requests meanwhile.
    assert_eq!(server.post("", &initialize()).status, 200);
    assert!(started.elapsed() < Duration::from_secs(9));
    for mut stream in streams {
        // The server closes the connection before the read timeout of this test.
        let mut answer = [0; 1];
        assert!(stream.read(&mut answer).is_ok());
    }
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn unused_sessions_are_limited_and_expire() {
    let project = tea();
    let server = Http::start(&project, &["--max-sessions", "50"]);
    let sessions: Vec<Response> = (0..50).map(|_| server.post("", &initialize())).collect();
    assert!(
        sessions
            .iter()
            .all(|response| response.status == 200 && response.session.is_some())
    );
    let used = sessions[0].session.as_deref().unwrap();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(
        server
            .post(&format!("Mcp-Session-Id: {used}\r\n"), &ready)
            .status,
        202
    );
    let refused = server.post("", &initialize());
    assert_eq!(
        (refused.status, refused.body.as_str()),
        (503, "too many sessions; try again later")
    );
    // Clients without a session are served.
    assert_eq!(
        server.call(&json!({}))["structuredContent"]["state"],
        "init"
    );
    // A session without further messages expires, a used session does not.
    let started = Instant::now();
    while server.post("", &initialize()).status == 503 {
        assert!(
            started.elapsed() < Duration::from_mins(1),
            "no new session is accepted"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    assert_eq!(
        server
            .post(&format!("Mcp-Session-Id: {used}\r\n"), &message)
            .status,
        200
    );
    let unused = sessions.last().unwrap().session.as_deref().unwrap();
    while server
        .post(&format!("Mcp-Session-Id: {unused}\r\n"), &message)
        .status
        != 404
    {
        assert!(
            started.elapsed() < Duration::from_mins(1),
            "an unused session does not expire"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn least_recently_used_dialogue_is_ended() {
    let project = tea();
    let server = Http::start(&project, &["--max-sessions", "2", "--trace", "t.jsonl"]);
    let begin = || {
        server.call(&json!({}))["structuredContent"]["session"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (first, second) = (begin(), begin());
    assert_ne!(first, second);
    let go = |session: &str| server.call(&json!({"session": session, "state": "brew"}));
    assert_eq!(go(&first)["structuredContent"]["state"], "brew");
    let third = begin();
    assert_eq!(go(&second)["isError"], json!(true));
    for session in [&first, &third] {
        assert_eq!(go(session)["structuredContent"]["state"], "brew");
    }
    let (log, code) = server.interrupt();
    assert!(
        log.contains(&format!("session {second}: ended: at most 2 can be open")),
        "{log}"
    );
    assert_eq!(code, 0);
    // All three dialogues are complete in the trace.
    project.fsmsim(["test", "t.jsonl"]).succeeds("3 passed");
}
