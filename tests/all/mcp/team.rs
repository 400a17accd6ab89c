//! A server for several users: tokens, users, host names, rate limits, and logs.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::dialogues::shop;
use super::{Http, initialize};
use crate::support::Project;

pub(super) const TOKEN: &str = "a-token-that-nobody-guesses";

pub(super) fn team(project: &Project, arguments: &[&str]) -> Http {
    let command = project.fsmsim([
        "mcp",
        "shop",
        "--http",
        "127.0.0.1:0",
        "--token-env",
        "BOT_TOKEN",
    ]);
    Http::listen(command.args(arguments).env("BOT_TOKEN", TOKEN))
}

/// The headers of an authenticated proxy for a user.
pub(super) fn user(name: &str) -> String {
    format!("Authorization: Bearer {TOKEN}\r\nX-User: {name}\r\n")
}

pub(super) fn get(server: &Http, path: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.address
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn token_is_required() {
    let project = shop();
    let server = team(&project, &[]);
    let other = format!("{TOKEN}x");
    for wrong in [
        String::new(),
        "Authorization: Bearer\r\n".to_owned(),
        "Authorization: Bearer \r\n".to_owned(),
        format!("Authorization: Bearer {other}\r\n"),
        format!("Authorization: Bearer {}\r\n", &TOKEN[1..]),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {other}\r\n"),
    ] {
        let refused = server.post(&wrong, &initialize());
        assert_eq!(refused.status, 401, "{wrong}");
        assert!(
            refused
                .head
                .to_lowercase()
                .contains("www-authenticate: bearer"),
            "{}",
            refused.head
        );
    }
    assert_eq!(
        server
            .post(&format!("Authorization: bearer {TOKEN}\r\n"), &initialize())
            .status,
        200
    );
    let health = get(&server, "/health");
    assert!(
        health.starts_with("HTTP/1.1 200") && health.ends_with(r#"{"status":"ok"}"#),
        "{health}"
    );
    assert!(get(&server, "/mcp").starts_with("HTTP/1.1 401"));
    assert!(get(&server, "/").starts_with("HTTP/1.1 4"));
    let (log, code) = server.interrupt();
    assert!(
        log.contains("refused: POST /mcp: 401 Unauthorized") && !log.contains(TOKEN),
        "{log}"
    );
    assert_eq!(code, 0);
}

#[test]
fn users_have_separate_dialogues_and_data() {
    let project = shop();
    let options = [
        "--user-from",
        "X-User",
        "--twin",
        "shop.sqlite",
        "--persist",
        "--log-format",
        "json",
    ];
    let server = team(&project, &options);
    let call = |server: &Http, name: &str, arguments: &Value| {
        server.tool_as(&user(name), "get_instruction", arguments).1
    };
    let text = |answer: &Value| answer["content"][0]["text"].as_str().unwrap().to_owned();
    let order = |server: &Http, name: &str, tea: &str| {
        let digressed = call(
            server,
            name,
            &json!({"state": "order", "data": {"tea": tea}}),
        );
        let session = digressed["structuredContent"]["session"]
            .as_str()
            .unwrap()
            .to_owned();
        let saved = call(server, name, &json!({"state": "order", "session": session}));
        assert_eq!(saved["structuredContent"]["saved"], "order", "{saved}");
        session
    };
    let (ann, _) = (
        order(&server, "ann", "black"),
        order(&server, "bob", "green"),
    );
    // A session of another user is refused exactly like an unknown session.
    let unknown = "0".repeat(32);
    let refusal = text(&call(&server, "bob", &json!({"session": ann})));
    assert_eq!(
        refusal.replace(&ann, &unknown),
        text(&call(&server, "bob", &json!({"session": unknown})))
    );
    for (headers, status) in [
        (format!("Authorization: Bearer {TOKEN}\r\n"), 403),
        (format!("{}X-User: bob\r\n", user("ann")), 403),
        (user(""), 403),
        (user(&"x".repeat(300)), 403),
        ("X-User: ann\r\n".to_owned(), 401),
    ] {
        assert_eq!(
            server.post(&headers, &initialize()).status,
            status,
            "{headers}"
        );
    }
    let (log, code) = server.interrupt();
    assert_eq!(code, 0);
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let moved = lines
        .iter()
        .find(|line| line["session"] == json!(ann))
        .unwrap();
    assert_eq!(
        (&moved["user"], &moved["level"], &moved["message"]),
        (
            &json!("ann"),
            &json!("info"),
            &json!("init -> dt_consent (digress, requested order)")
        )
    );
    assert!(
        moved["peer"].as_str().unwrap().starts_with("127.0.0.1:")
            && moved["time"].as_str().unwrap().ends_with('Z')
    );
    // The same applies after a restart.
    let server = team(&project, &options);
    let refusal = text(&call(&server, "bob", &json!({"session": ann})));
    assert_eq!(
        refusal.replace(&ann, &unknown),
        text(&call(&server, "bob", &json!({"session": unknown})))
    );
    assert_eq!(
        call(&server, "ann", &json!({"session": ann}))["structuredContent"]["state"],
        "order"
    );
    assert_eq!(server.interrupt().1, 0);
    let database = std::fs::read(project.path().join("shop.sqlite")).unwrap();
    let database = String::from_utf8_lossy(&database);
    assert!(database.contains(r#"{"tea":"black"}"#) && database.contains(r#"{"tea":"green"}"#));
}

#[test]
fn connection_belongs_to_the_user_who_opened_it() {
    let project = shop();
    let server = team(&project, &["--user-from", "X-User"]);
    let id = server.post(&user("ann"), &initialize()).session.unwrap();
    let on = |name: &str, id: &str| format!("{}Mcp-Session-Id: {id}\r\n", user(name));
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    assert_eq!(server.post(&on("ann", &id), &ready).status, 202);
    // An answer to an elicitation for another user.
    let consent = json!({"jsonrpc": "2.0", "id": 0, "result": {"action": "accept", "content": {}}});
    let bare = |method: &str, name: &str, id: &str| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\n{}",
            server.address,
            on(name, id)
        );
        write!(
            stream,
            "{head}Accept: text/event-stream\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let unknown = "00000000-0000-4000-8000-000000000000";
    for id in [&id, unknown] {
        for message in [&ready, &list, &consent] {
            let refused = server.post(&on("bob", id), message);
            assert_eq!(
                (refused.status, &*refused.body),
                (404, "Not Found: Session not found"),
                "{message}"
            );
        }
        assert_eq!(bare("GET", "bob", id), "HTTP/1.1 404");
        assert_eq!(bare("DELETE", "bob", id), "HTTP/1.1 404");
    }
    // The connection is still open for its user.
    let listed = server.post(&on("ann", &id), &list);
    assert!(
        listed.status == 200 && listed.body.contains("get_instruction"),
        "{listed:?}"
    );
    assert_eq!(bare("GET", "ann", &id), "HTTP/1.1 200");
    assert_eq!(bare("DELETE", "ann", &id), "HTTP/1.1 202");
    assert_eq!(server.post(&on("ann", &id), &list).status, 404);
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn excessive_requests_are_rate_limited() {
    let project = shop();
    let server = team(&project, &["--user-from", "X-User", "--rate-limit", "3"]);
    let status = |headers: &str| server.post(headers, &initialize());
    for _ in 0..3 {
        assert_eq!(status(&user("ann")).status, 200);
    }
    let refused = status(&user("ann"));
    assert_eq!(refused.status, 429);
    let wait = refused.head.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("retry-after: ")
            .map(str::to_owned)
    });
    assert!((1..=20).contains(&wait.unwrap().parse::<u32>().unwrap()));
    // Other users are not limited, but attempts with wrong tokens are.
    assert_eq!(status(&user("bob")).status, 200);
    let guesses: Vec<u16> = (0..5)
        .map(|_| status("Authorization: Bearer guess\r\n").status)
        .collect();
    assert_eq!(guesses, [401, 401, 401, 429, 429]);
    assert_eq!(status(&user("cid")).status, 200);
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn allowed_hosts_and_origins_are_accepted() {
    let project = shop();
    let named = [
        "--allow-host",
        "bots.example.org",
        "--allow-origin",
        "https://app.example.org",
    ];
    let server = team(&project, &named);
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    let body = initialize().to_string();
    for (headers, status) in [
        ("Host: bots.example.org\r\n".to_owned(), 200),
        ("Host: other.example.org\r\n".to_owned(), 403),
        (
            format!(
                "Host: {}\r\nOrigin: https://app.example.org\r\n",
                server.address
            ),
            200,
        ),
        (
            format!(
                "Host: {}\r\nOrigin: http://app.example.org\r\n",
                server.address
            ),
            403,
        ),
        (
            format!(
                "Host: {}\r\nOrigin: https://evil.example\r\n",
                server.address
            ),
            403,
        ),
    ] {
        assert_eq!(
            server
                .send(&format!("{headers}{token}"), body.as_bytes())
                .status,
            status,
            "{headers}"
        );
    }
    // Invalid messages get client errors and do no harm.
    for wrong in ["", "{", "[]", "null", "{\"jsonrpc\": \"2.0\"}"] {
        let refused = server.send(
            &format!("Host: {}\r\n{token}", server.address),
            wrong.as_bytes(),
        );
        assert!((400..500).contains(&refused.status), "{wrong}: {refused:?}");
    }
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn repeated_host_or_origin_is_refused() {
    let project = shop();
    let server = team(&project, &[]);
    let body = initialize().to_string();
    let host = format!("Host: {}\r\n", server.address);
    let origin = format!("Origin: http://{}\r\n", server.address);
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    for (headers, status) in [
        (format!("{host}{origin}"), 200),
        (format!("{host}{host}"), 400),
        (format!("{host}Host: evil.example\r\n"), 400),
        (
            format!("{host}{origin}Origin: https://evil.example\r\n"),
            400,
        ),
    ] {
        let answer = server.send(&format!("{headers}{token}"), body.as_bytes());
        assert_eq!(answer.status, status, "{headers}");
    }
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn settings_without_separate_users_are_refused() {
    let project = shop().with_flows().file("data.json", "{}");
    let run = |arguments: &[&str]| {
        let command = project.fsmsim(["mcp", "--http", "127.0.0.1:0", "--token-env", "BOT_TOKEN"]);
        command.args(arguments).env("BOT_TOKEN", TOKEN)
    };
    let users = ["--user-from", "X-User"];
    for (arguments, error) in [
        (
            vec!["shop", "--twin", "shop.sqlite:ann"],
            "cannot use the user `ann`",
        ),
        (
            vec!["shop", "--twin", "data.json"],
            "with a JSON file in `--twin`",
        ),
        (
            vec!["shop", "--twin", "shop.sqlite", "--twin-from", "data.json"],
            "cannot use `--twin-from`",
        ),
        (
            vec!["flows/agent_cycle.yaml"],
            "`--user-from` is only for state sets and flows",
        ),
    ] {
        run(&[&users[..], &arguments].concat()).refuses(error);
    }
    run(&["shop", "--user-from", "Authorization"]).refuses("cannot use the header `authorization`");
    run(&["shop", "--user-from", "no header"]).refuses("invalid header name `no header`");
    run(&["shop"])
        .env("BOT_TOKEN", "short")
        .refuses("is shorter than 16 bytes");
    run(&["shop"])
        .env("BOT_TOKEN", "with a blank in the middle")
        .refuses("invalid characters for a header");
}
