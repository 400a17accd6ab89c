//! HTTP connections: limits, timeouts, CORS, and answers to invalid messages.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::dialogues::{led, shop};
use super::team::{TOKEN, get, team, user};
use super::{Http, Response, initialize, tea};

/// The headers of a client with a newer protocol version that has no sessions.
const NEWER: &str = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: initialize\r\n";

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": 5, "method": "ping"})
}

fn session_header(session: &Response) -> String {
    format!(
        "Mcp-Session-Id: {}\r\n",
        session.session.as_deref().unwrap()
    )
}

#[test]
fn no_header_bypasses_the_session_limit() {
    let project = tea();
    let server = Http::start(&project, &["--max-sessions", "3"]);
    let opened: Vec<Response> = (0..12).map(|_| server.post(NEWER, &initialize())).collect();
    let sessions: Vec<&Response> = opened
        .iter()
        .filter(|response| response.session.is_some())
        .collect();
    assert!(sessions.len() <= 3, "{}", sessions.len());
    let start = Instant::now();
    // Unused sessions are closed like any other.
    for session in sessions {
        while server.post(&session_header(session), &ping()).status != 404 {
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "an unused session is not closed"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn connection_belongs_to_its_user_in_every_protocol_version() {
    let project = shop();
    let server = team(&project, &["--user-from", "X-User"]);
    let begun = server.post(&format!("{NEWER}{}", user("ann")), &initialize());
    if begun.session.is_some() {
        assert_eq!(
            server
                .post(
                    &format!("{}{}", user("ann"), session_header(&begun)),
                    &ping()
                )
                .status,
            200
        );
        assert_eq!(
            server
                .post(
                    &format!("{}{}", user("bob"), session_header(&begun)),
                    &ping()
                )
                .status,
            404
        );
    }
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn connection_with_a_call_is_not_idle() {
    let project = tea();
    let server = Http::start(&project, &[]);
    let begun = server.post("", &initialize());
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_instruction", "arguments": {}}});
    assert_eq!(server.post(&session_header(&begun), &call).status, 200);
    // Longer than the timeout of a connection without calls.
    std::thread::sleep(Duration::from_millis(6_500));
    assert_eq!(server.post(&session_header(&begun), &ping()).status, 200);
    assert_eq!(server.interrupt().1, 0);
}

#[cfg(unix)]
#[test]
fn connections_leave_file_descriptors_for_traces() {
    let project = tea();
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        "ulimit -n 256; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_fsmsim"),
    ]);
    let command = project.invoke(limited).args([
        "mcp",
        "tea",
        "--http",
        "127.0.0.1:0",
        "--trace",
        "talks.jsonl",
    ]);
    let server = Http::listen(command);
    let begun = server.post("", &initialize());
    // One active connection among 400 silent ones.
    let mut open = TcpStream::connect(server.address).unwrap();
    open.set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut go = |state: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_instruction", "arguments": {"state": state}}}).to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\n{}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            server.address,
            session_header(&begun),
            body.len()
        );
        open.write_all(head.as_bytes())
            .and_then(|()| open.write_all(body.as_bytes()))
            .unwrap();
        let (mut answer, mut chunk) = (String::new(), [0; 4096]);
        while !answer.ends_with("0\r\n\r\n") {
            let read = open.read(&mut chunk).unwrap();
            assert_ne!(read, 0, "{answer}");
            answer.push_str(&String::from_utf8_lossy(&chunk[..read]));
        }
        assert!(
            answer.contains(&format!("\\\"{state}\\\""))
                || answer.contains(&format!("\"{state}\"")),
            "{answer}"
        );
    };
    go("brew");
    let idle: Vec<TcpStream> = (0..400)
        .filter_map(|_| TcpStream::connect(server.address).ok())
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    for state in ["init", "brew", "init"] {
        go(state);
    }
    drop(idle);
    let (log, code) = server.interrupt();
    assert!(log.contains("refused: too many connections"), "{log}");
    assert!(!log.contains("error: cannot write the trace"), "{log}");
    assert_eq!(code, 0);
    project
        .fsmsim(["test", "talks.jsonl"])
        .succeeds("1 passed in 4 turns");
}

#[test]
fn server_on_all_addresses_explains_allow_host() {
    let project = tea();
    let mut server = project.fsmsim(["mcp", "tea", "--http", "0.0.0.0:0"]);
    server = server.args(["--trace", "talks.jsonl"]);
    let server = Http::listen(server);
    let port = server.address.port();
    let body = initialize().to_string();
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        ("bots.example.org".to_owned(), 403),
    ] {
        let response = server.send(&format!("Host: {host}\r\n"), body.as_bytes());
        assert_eq!(response.status, status, "{host}");
        assert!(
            status == 200
                || response
                    .body
                    .contains("start the server with `--allow-host bots.example.org`"),
            "{response:?}"
        );
    }
    assert_eq!(server.interrupt().1, 0);
    let mut child = project
        .fsmsim(["mcp", "tea", "--http", "0.0.0.0:0"])
        .spawn();
    let mut log = [0; 4096];
    std::thread::sleep(Duration::from_secs(1));
    let read = child.stderr.as_mut().unwrap().read(&mut log).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        String::from_utf8_lossy(&log[..read]).contains("--allow-host HOST"),
        "{}",
        String::from_utf8_lossy(&log[..read])
    );
}

/// Sends the CORS preflight request of a browser.
fn preflight(server: &Http, site: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(stream, "OPTIONS /mcp HTTP/1.1\r\nHost: {}\r\nOrigin: {site}\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,content-type,mcp-session-id\r\nConnection: close\r\n\r\n", server.address).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.to_lowercase()
}

#[test]
fn pages_of_allowed_origins_can_call_the_server() {
    const SITE: &str = "https://app.example.org";
    let project = shop();
    let server = team(&project, &["--allow-origin", SITE]);
    let preflighted = preflight(&server, SITE);
    assert!(preflighted.starts_with("http/1.1 204"), "{preflighted}");
    for header in [
        "access-control-allow-origin: https://app.example.org\r\n",
        "access-control-allow-methods: get, post, delete\r\n",
        "authorization, content-type",
        "mcp-session-id",
        "vary: origin",
    ] {
        assert!(preflighted.contains(header), "{header}: {preflighted}");
    }
    for other in [
        "https://evil.example",
        "null",
        "https://app.example.org.evil.example",
    ] {
        let refused = preflight(&server, other);
        assert!(
            refused.starts_with("http/1.1 401") && !refused.contains("access-control"),
            "{refused}"
        );
    }
    let from = |site: &str| format!("Authorization: Bearer {TOKEN}\r\nOrigin: {site}\r\n");
    let called = server.post(&from(SITE), &initialize());
    let head = called.head.to_lowercase();
    assert_eq!(called.status, 200);
    assert!(
        head.contains("access-control-allow-origin: https://app.example.org"),
        "{head}"
    );
    assert!(
        head.contains("access-control-expose-headers: mcp-session-id"),
        "{head}"
    );
    // A page can also read the answer to a wrong token.
    let refused = server.post(&format!("Origin: {SITE}\r\n"), &initialize());
    assert!(
        refused.status == 401
            && refused
                .head
                .to_lowercase()
                .contains("access-control-allow-origin"),
        "{refused:?}"
    );
    let other = server.post(&from("https://evil.example"), &initialize());
    assert!(
        other.status == 403 && !other.head.to_lowercase().contains("access-control"),
        "{other:?}"
    );
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn invalid_messages_get_protocol_errors() {
    let project = tea();
    let server = Http::start(&project, &[]);
    let host = format!("Host: {}\r\n", server.address);
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("[]", -32600),
        ("null", -32600),
        ("{\"jsonrpc\": \"2.0\"}", -32600),
    ] {
        let refused = server.send(&host, body.as_bytes());
        let answered: Value = serde_json::from_str(&refused.body).unwrap_or_default();
        assert_eq!(
            (refused.status, &answered["error"]["code"]),
            (400, &json!(code)),
            "{body}: {refused:?}"
        );
    }
    // A body that is too long is refused before it is sent.
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    write!(stream, "POST /mcp HTTP/1.1\r\n{host}Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n").unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    let (log, code) = {
        get(&server, &format!("/{}", "x".repeat(5_000)));
        server.interrupt()
    };
    assert!(log.lines().all(|line| line.len() < 400), "{log}");
    assert_eq!(code, 0);
}

#[test]
fn slow_body_is_interrupted() {
    let project = tea();
    let server = Http::start(&project, &[]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", server.address).unwrap();
    let mut silent = TcpStream::connect(server.address).unwrap();
    let start = Instant::now();
    while stream.write_all(b" ").is_ok() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the slow body is not interrupted"
        );
        std::thread::sleep(Duration::from_millis(500));
    }
    // A silent connection is closed too.
    silent
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    assert_eq!(silent.read(&mut [0; 1]).unwrap_or(0), 0);
    assert_eq!(led(&server.call(&json!({}))).0, "init");
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn notes_are_json_if_the_log_is_json() {
    let project = shop();
    let run = project
        .fsmsim([
            "mcp",
            "shop",
            "--twin",
            "new.sqlite:ann",
            "--log-format",
            "json",
        ])
        .stdin("")
        .run();
    let lines: Vec<Value> = run
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let message = lines
        .first()
        .and_then(|line| line["message"].as_str())
        .unwrap_or_default();
    assert!(message.contains("created `new.sqlite`"), "{}", run.stderr);
    assert_eq!(run.code, 0);
}
