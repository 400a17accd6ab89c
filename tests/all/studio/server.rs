//! The studio server over real sockets. Clients that reach the port and files of the project are untrusted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::client::{Studio, wait_for};
use crate::support::{Project, git};

const FLOW: &str = "\
states:
  greeting:
    goal: Someone is at the door
    rules: {question_features: answer_features}
    transitions:
      agreement: street
      rejection: end
  street: {goal: Walk, transitions: {agreement: end}}
  end: {goal: Leave, is_final: true}
entry_points: {default: greeting}
flow: {policy: sales}
";

const SCENARIOS: &str = "\
scenario: Agrees
model: flows/door.yaml
turns: [{intent: agreement, expect: {state: street}}]
---
scenario: Asks
model: flows/door.yaml
turns: [{intent: question_features, expect: {action: answer_features}}]
---
scenario: Is wrong
model: flows/door.yaml
turns: [{intent: rejection, expect: {state: street}}]
";

fn door() -> Project {
    Project::new()
        .file("flows/door.yaml", FLOW)
        .file("scenarios/door.yaml", SCENARIOS)
}

#[test]
fn page_requires_the_token() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let page = studio.get(&format!("/?token={}", studio.token), "");
    assert_eq!(page.status, 200);
    let nonce = page
        .check()
        .head
        .split("script-src 'nonce-")
        .nth(1)
        .unwrap()
        .split('\'')
        .next()
        .unwrap()
        .to_owned();
    assert!(
        page.head.contains(&format!("style-src 'nonce-{nonce}'")),
        "{page:?}"
    );
    assert!(page.head.contains("content-type: text/html"), "{page:?}");
    let again = studio.get(&format!("/?token={}", studio.token), "");
    assert!(!again.head.contains(&nonce), "each page has its own nonce");
    assert!(
        !page.body.contains(&studio.token),
        "the page does not contain its token"
    );
    for path in [
        "/",
        "/?token=",
        "/?token=0",
        &format!("/?token={}0", studio.token),
        &format!("/?other={}", studio.token),
    ] {
        let locked = studio.get(path, "");
        assert_eq!(locked.check().status, 403, "{path}");
        assert!(
            locked.body.contains("fsmsim studio") && !locked.body.contains(&studio.token),
            "{locked:?}"
        );
    }
    assert_eq!(
        studio
            .get(
                "/",
                &format!("Cookie: token={0}; x-fsmsim-token={0}\r\n", studio.token)
            )
            .status,
        403
    );
}

#[test]
fn untrusted_requests_are_rejected() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let (port, token, key) = (studio.port, &studio.token, studio.key());
    let typed = "Content-Type: application/json\r\n";
    let status_of = |headers: &str| {
        studio
            .post("models", &format!("{headers}{typed}"), b"{}")
            .check()
            .status
    };
    assert_eq!(status_of(&key), 200);
    // No token, or a token in a place that browsers fill in automatically.
    assert_eq!(status_of(""), 401);
    assert_eq!(
        status_of("X-Fsmsim-Token: 00000000000000000000000000000000\r\n"),
        401
    );
    assert_eq!(
        status_of(&format!("Cookie: x-fsmsim-token={token}\r\n")),
        401
    );
    assert_eq!(
        status_of(&format!("Authorization: Bearer {token}\r\n")),
        401
    );
    assert_eq!(status_of(&format!("{key}{key}")), 401);
    assert_eq!(
        studio
            .post(&format!("models?token={token}"), typed, b"{}")
            .check()
            .status,
        401
    );
    assert_eq!(
        studio
            .get(&format!("/api/events?token={token}"), "")
            .check()
            .status,
        401
    );
    // Pages of other sites that know the token.
    for (origin, status) in [
        (format!("http://127.0.0.1:{port}"), 200),
        (format!("http://localhost:{port}"), 200),
        (format!("https://127.0.0.1:{port}"), 403),
        ("http://127.0.0.1".to_owned(), 403),
        ("http://evil.example".to_owned(), 403),
        (format!("http://evil.example:{port}"), 403),
        (format!("http://127.0.0.1:{port}.evil.example"), 403),
        ("null".to_owned(), 403),
    ] {
        assert_eq!(
            status_of(&format!("{key}Origin: {origin}\r\n")),
            status,
            "{origin}"
        );
    }
    for (site, status) in [
        ("same-origin", 200),
        ("none", 200),
        ("same-site", 403),
        ("cross-site", 403),
        ("?", 403),
    ] {
        assert_eq!(
            status_of(&format!("{key}Sec-Fetch-Site: {site}\r\n")),
            status,
            "{site}"
        );
    }
    // DNS rebinding.
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1:1",
        "127.0.0.1",
        "",
        &format!("127.0.0.1:{port}.evil"),
    ] {
        let head = format!(
            "POST /api/models HTTP/1.1\r\nHost: {host}\r\n{key}{typed}Content-Length: 2\r\n"
        );
        assert_eq!(studio.send(&head, b"{}").check().status, 403, "{host}");
        assert_eq!(
            studio
                .send(
                    &format!("GET /?token={token} HTTP/1.1\r\nHost: {host}\r\n"),
                    b""
                )
                .check()
                .status,
            403
        );
    }
    let absolute = format!(
        "GET http://evil.example/?token={token} HTTP/1.1\r\n{}",
        studio.host()
    );
    assert_eq!(studio.send(&absolute, b"").check().status, 403);
    let twice = format!(
        "GET /?token={token} HTTP/1.1\r\n{}Host: evil.example\r\n",
        studio.host()
    );
    assert_eq!(studio.send(&twice, b"").status / 100, 4);
    assert_eq!(
        studio
            .send(&format!("GET /?token={token} HTTP/1.0\r\n"), b"")
            .check()
            .status,
        403
    );
}

#[test]
fn only_small_valid_json_is_accepted() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let (key, host) = (studio.key(), studio.host());
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: multipart/form-data; boundary=a\r\n",
    ] {
        assert_eq!(
            studio
                .post("models", &format!("{key}{kind}"), b"{}")
                .check()
                .status,
            415,
            "{kind}"
        );
    }
    let kind = "Content-Type: application/json; charset=utf-8\r\n";
    assert_eq!(
        studio
            .post("models", &format!("{key}{kind}"), b"{}")
            .check()
            .status,
        200
    );
    for (body, message) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("null", "invalid type"),
        ("{\"a\": 1}", "unknown field `a`"),
        ("{} {}", "trailing"),
        ("\u{0}", "expected value"),
    ] {
        let answer = studio.post("models", &format!("{key}{kind}"), body.as_bytes());
        assert_eq!(answer.check().status, 400, "{body}");
        assert!(answer.body.contains(message), "{body}: {answer:?}");
    }
    let deep = "[".repeat(200_000);
    assert_eq!(
        studio
            .post("suite/run", &format!("{key}{kind}"), deep.as_bytes())
            .check()
            .status,
        400
    );
    assert_eq!(
        studio.refused("suite/run", &json!({"filter": 1}), 400),
        "invalid request: `filter`: invalid type: integer `1`, expected a string at line 1 column 11"
    );
    let large = vec![b' '; (1 << 20) + 1];
    assert_eq!(
        studio
            .post("models", &format!("{key}{kind}"), &large)
            .status,
        413
    );
    let chunked =
        format!("POST /api/models HTTP/1.1\r\n{host}{key}{kind}Transfer-Encoding: chunked\r\n");
    let body = [
        b"110000\r\n".as_slice(),
        &vec![b' '; 0x0011_0000],
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    assert_eq!(studio.send(&chunked, &body).status, 413);
    for (method, path, status) in [
        ("GET", "/api/models", 405),
        ("PUT", "/api/models", 405),
        ("DELETE", "/api/models", 405),
        ("OPTIONS", "/api/models", 405),
        ("TRACE", "/", 405),
        ("POST", "/", 405),
        ("POST", "/api/events", 405),
        ("GET", "/nowhere", 404),
        ("GET", "/api", 404),
        ("GET", "/assets/../../../etc/passwd", 404),
        ("GET", "/assets/..%2f..%2fetc%2fpasswd", 404),
        ("GET", "//etc/passwd", 404),
    ] {
        let answer = studio.send(
            &format!("{method} {path} HTTP/1.1\r\n{host}{key}Content-Length: 0\r\n"),
            b"",
        );
        assert_eq!(answer.check().status, status, "{method} {path}: {answer:?}");
    }
    assert_eq!(studio.refused("nothing", &json!({}), 404), "unknown path");
    let long = format!("GET / HTTP/1.1\r\n{host}X: {}\r\n", "x".repeat(1 << 20));
    assert_eq!(studio.send(&long, b"").status / 100, 4);
    assert_eq!(
        studio.call("models", &json!({}))["models"][0]["path"],
        "flows/door.yaml"
    );
}

#[test]
fn idle_client_does_not_block_others() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let mut idle: Vec<TcpStream> = (0..20).map(|_| studio.connect()).collect();
    let (host, key) = (studio.host(), studio.key());
    for stream in idle.iter_mut().take(10) {
        let head = format!(
            "POST /api/models HTTP/1.1\r\n{host}{key}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{"
        );
        stream.write_all(head.as_bytes()).unwrap();
    }
    studio.call("models", &json!({}));
    // The body never arrives: the request times out.
    let mut answer = String::new();
    let _ = BufReader::new(&idle[0]).read_line(&mut answer);
    assert!(answer.contains("408"), "{answer}");
    studio.call("models", &json!({}));
}

#[test]
fn every_tab_gets_events_and_a_slow_tab_does_not_block() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let (mut one, mut other, slow) = (studio.events(), studio.events(), studio.events());
    project.write("flows/door.yaml", FLOW.replace("goal: Walk", "goal: [Walk"));
    for events in [&mut one, &mut other] {
        let broken = wait_for(events, "broken")["model"].take();
        assert_eq!(
            (&broken["path"], &broken["states"]),
            (&json!("flows/door.yaml"), &json!(3))
        );
        assert_eq!(
            broken["broken"]["findings"][0]["severity"], "error",
            "{broken}"
        );
        assert!(
            broken["broken"]["text"]
                .as_str()
                .unwrap()
                .contains("flows/door.yaml:"),
            "{broken}"
        );
        wait_for(events, "files");
    }
    project.write("flows/door.yaml", FLOW);
    for events in [&mut one, &mut other] {
        wait_for(events, "fixed");
    }
    // A new file in a new directory.
    project.write(
        "scenarios/more/other.yaml",
        "scenario: A\nmodel: flows/door.yaml\nturns: [{intent: agreement, expect: {state: street}}]\n",
    );
    wait_for(&mut one, "files");
    let report = studio.run_suite(&json!({}));
    assert_eq!(report["scenarios"].as_array().unwrap().len(), 4);
    wait_for(&mut other, "suite_done");
    drop(slow);
    drop(one);
    let tabs: Vec<_> = (0..31).map(|_| studio.events()).collect();
    assert_eq!(
        studio.get("/api/events", &studio.key()).check().status,
        503,
        "too many tabs"
    );
    drop(tabs);
}

#[test]
fn studio_and_command_line_report_the_same_scenarios() {
    let project = door();
    let expected: Value = serde_json::from_str(
        &project
            .fsmsim(["test", "--coverage", "--report", "json"])
            .run()
            .stdout,
    )
    .unwrap();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    assert_eq!(
        studio.call("suite", &json!({})),
        json!({"running": false, "report": null})
    );
    studio.refused("coverage", &json!({}), 422);
    let mut report = studio.run_suite(&json!({"filter": "", "coverage": true}));
    if expected.get("causes").is_none() {
        report.as_object_mut().unwrap().shift_remove("causes");
    }
    assert_eq!(report, expected);
    let counted = studio.call("coverage", &json!({}));
    assert_eq!(counted["model"], "flows/door.yaml");
    let lines = counted["files"][0]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), FLOW.lines().count());
    assert!(
        lines
            .iter()
            .zip(FLOW.lines())
            .all(|(line, text)| line["text"] == text),
        "{counted}"
    );
    assert!(
        lines.iter().any(|line| line["hits"].as_u64() > Some(0))
            && lines.iter().any(|line| line["hits"] == 0),
        "{counted}"
    );
    // Text of a title, a filter expression, and an expression without matches.
    for (filter, count) in [("Agre", 1), ("title(A*)", 2), ("title(~nothing)", 0)] {
        let report = studio.run_suite(&json!({"filter": filter}));
        assert_eq!(
            report["scenarios"].as_array().unwrap().len(),
            count,
            "{filter}"
        );
    }
    studio.refused("suite/run", &json!({"filter": "title("}), 422);
    studio.refused("suite/run", &json!({"filter": "changed(HEAD)"}), 422);
}

#[test]
fn failing_expectation_is_updated_on_the_page() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let update = |scenario: &str| json!({"scenario": scenario});
    for (scenario, why) in [
        (
            "scenarios/door.yaml::Agrees",
            "cannot update any expectation",
        ),
        ("scenarios/none.yaml::Agrees", "none.yaml"),
        ("../door.yaml::Agrees", "is outside the project"),
    ] {
        let status = if why.contains("outside") { 400 } else { 422 };
        let error = studio.refused("scenario/update", &update(scenario), status);
        assert!(error.contains(why), "{scenario}: {error}");
    }
    let response = studio.call("scenario/update", &update("scenarios/door.yaml::Is wrong"));
    assert_eq!(response, json!({"changed": 1}));
    let written = SCENARIOS.replace(
        "{intent: rejection, expect: {state: street}}",
        "{intent: rejection, expect: {state: end}}",
    );
    assert_eq!(project.read("scenarios/door.yaml"), written);
}

#[test]
fn pending_snapshots_are_decided_on_the_page() {
    let open = SCENARIOS
        .replace(", expect: {state: street}}", "}")
        .replace(", expect: {action: answer_features}}", "}");
    let project = door().file("scenarios/door.yaml", open);
    project.fsmsim(["test", "--accept"]).succeeds("accepted");
    if !git(&project, &["init", "-q"])
        || !git(&project, &["add", "-A"])
        || !git(&project, &["commit", "-q", "-m", "x"])
    {
        eprintln!("skipped: git is not here");
        return;
    }
    // Programs in the configuration of the repository are not started.
    project.write(".git/spy.sh", "#!/bin/sh\ntouch spied\n");
    assert!(
        git(&project, &["config", "core.fsmonitor", ".git/spy.sh"])
            && git(&project, &["config", "core.hooksPath", ".git"])
    );
    #[cfg(unix)]
    std::fs::set_permissions(
        project.path().join(".git/spy.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    project.write(
        "flows/door.yaml",
        FLOW.replace("agreement: street", "agreement: end")
            .replace("answer_features", "explain_features"),
    );
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let report = studio.run_suite(&json!({}));
    assert_eq!(report["causes"].as_array().unwrap().len(), 2, "{report}");
    let expected: Value =
        serde_json::from_str(&project.fsmsim(["review", "--format", "json"]).run().stdout).unwrap();
    let review = studio.call("review", &json!({}));
    let causes = review["causes"].as_array().unwrap();
    let ids: Vec<_> = causes.iter().map(|cause| &cause["id"]).collect();
    let known: Vec<_> = expected["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| &cause["id"])
        .collect();
    assert!(ids == known && ids.len() == 2, "{review}\n{expected}");
    assert!(
        causes[0]["title"].as_str().unwrap().starts_with("edited"),
        "{review}"
    );
    let lines = &causes[0]["examples"][0]["turns"][0]["lines"];
    assert!(
        lines.as_array().is_some_and(|lines| !lines.is_empty()),
        "{review}"
    );
    studio.refused(
        "review/decide",
        &json!({"cause": "nothing", "accept": true}),
        422,
    );
    studio.refused(
        "review/decide",
        &json!({"cause": "nothing", "acept": true}),
        400,
    );
    let left = studio.call("review/decide", &json!({"cause": ids[0], "accept": true}));
    assert_eq!(left["causes"].as_array().unwrap().len(), 1, "{left}");
    let left = studio.call("review/decide", &json!({"cause": ids[1], "accept": false}));
    assert_eq!(left, json!({"causes": [], "hindered": [], "orphans": []}));
    project.fsmsim(["review"]).succeeds("no pending snapshots");
    assert!(
        !project.path().join("spied").exists(),
        "git started a program of the repository"
    );
}

#[test]
fn no_snapshot_is_accepted_in_ci() {
    let project = door();
    let studio = Studio::of(
        project
            .fsmsim(["studio", "--no-open", "flows/door.yaml"])
            .env("CI", "true")
            .spawn(),
    );
    let why = studio.refused("review/decide", &json!({"cause": "a", "accept": true}), 422);
    assert!(why.contains("`CI`"), "{why}");
    studio.run_suite(&json!({"coverage": true}));
    assert!(
        !project.files().iter().any(|path| path.contains(".snap")),
        "{:?}",
        project.files()
    );
}

#[test]
fn studio_and_command_line_report_the_same_simulation() {
    let project = Project::new().with_flows();
    let studio = Studio::open(&project, &["flows/bant"]);
    let answer = studio.call(
        "simulate",
        &json!({"personas": ["cooperative"], "dialogues": 300, "seed": 7}),
    );
    let command = [
        "simulate",
        "flows/bant",
        "--persona",
        "cooperative",
        "--dialogues",
        "300",
        "--seed",
        "7",
        "--report",
        "json",
    ];
    let expected: Value = serde_json::from_str(&project.fsmsim(command).run().stdout).unwrap();
    let (persona, known) = (&answer["personas"][0], &expected["personas"][0]);
    assert_eq!(
        (&persona["name"], &persona["dialogues"]),
        (&json!("cooperative"), &json!(300))
    );
    assert_eq!(
        (&persona["turns"]["mean"], &persona["turns"]["p90"]),
        (&known["turns"]["mean"], &known["turns"]["p90"])
    );
    let ended = |how: &str| -> u64 {
        let ends = persona["ends"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|end| end["how"] == how);
        ends.map(|end| end["dialogues"].as_u64().unwrap()).sum()
    };
    let finished = known["finished"]
        .as_array()
        .unwrap()
        .iter()
        .map(|end| end["dialogues"].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(ended("finished"), finished);
    assert_eq!(
        [
            "finished",
            "abandoned",
            "looped",
            "turn limit",
            "unanswered"
        ]
        .map(ended)
        .iter()
        .sum::<u64>(),
        300
    );
    let first = persona["causes"][0]["first"].as_u64().unwrap();
    let shown = studio.call(
        "simulate/show",
        &json!({"persona": "cooperative", "number": first, "seed": 7, "dialogues": 300}),
    );
    let (turns, last) = (
        shown["turns"].as_array().unwrap(),
        persona["causes"][0]["state"].as_str().unwrap(),
    );
    assert_eq!(turns.last().unwrap()["state"]["to"], last, "{shown}");
    assert_eq!(
        studio.call("simulate", &json!({}))["personas"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    for (name, body, status) in [
        ("simulate", json!({"dialogues": 10_001}), 400),
        ("simulate", json!({"dialogues": 0}), 400),
        ("simulate", json!({"personas": []}), 422),
        ("simulate", json!({"personas": ["../../etc/passwd"]}), 422),
        ("simulate", json!({"personas": ["/etc/passwd\u{0}"]}), 422),
        (
            "simulate/show",
            json!({"persona": "cooperative", "number": 0}),
            400,
        ),
        (
            "simulate/show",
            json!({"persona": "built-in", "number": 1}),
            400,
        ),
    ] {
        studio.refused(name, &body, status);
    }
}

#[test]
fn project_content_is_never_markup() {
    let hostile = "\"</script><script>alert(1)</script>'&\u{202e}\\n\"";
    let flow = FLOW.replace("goal: Walk", &format!("goal: {hostile}"));
    let scenario = SCENARIOS.replace("scenario: Agrees", &format!("scenario: {hostile}"));
    let project = Project::new()
        .file("flows/door.yaml", flow)
        .file("scenarios/<img onerror=x>.yaml", scenario);
    let studio = Studio::open(&project, &["flows/door.yaml"]);
    let report = studio.run_suite(&json!({}));
    assert!(report.to_string().contains("<script>alert(1)"), "{report}");
    let headers = format!("{}Content-Type: application/json\r\n", studio.key());
    for name in ["suite", "models", "review"] {
        let answer = studio.post(name, &headers, b"{}");
        assert!(
            answer
                .check()
                .head
                .contains("content-type: application/json\r\n"),
            "{answer:?}"
        );
    }
    let page = studio.get(&format!("/?token={}", studio.token), "");
    assert!(!page.body.contains("alert(1)"), "{page:?}");
}

#[test]
fn studio_finds_the_model_and_stops_on_a_signal() {
    let project = door();
    // The end of standard input does not stop the studio.
    let mut studio = Studio::open(&project, &[]);
    drop(studio.child.stdin.take());
    studio.call("models", &json!({}));
    let events = studio.events();
    // Two studios on one project.
    let second = Studio::open(&project, &[]);
    second.call("models", &json!({}));
    second.signal("-TERM");
    let mut second = second;
    assert_eq!(second.child.wait().unwrap().code(), Some(0));
    studio.signal("-INT");
    assert_eq!(studio.child.wait().unwrap().code(), Some(0));
    drop(events);
    let mut log = String::new();
    studio
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    assert_eq!(
        log,
        "note: started the session `door-1`, saved in `.fsmsim/sessions.sqlite`\nstopping\n"
    );
}

#[test]
fn invalid_studio_arguments_are_rejected() {
    let project = door();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    project
        .fsmsim(["studio", "--no-open", "--port", &port])
        .refuses("error[FS0315]: cannot listen on 127.0.0.1");
    project
        .fsmsim(["studio", "--no-open", "nothing.yaml"])
        .refuses("nothing.yaml");
    project
        .fsmsim(["studio", "--no-open", "--profile", "x"])
        .refuses("unknown profile `x`");
    project
        .fsmsim(["studio", "--no-open", "--llm", "x"])
        .refuses("unknown provider `x`");
    project
        .fsmsim(["studio", "--no-open", "--host", "0.0.0.0"])
        .refuses("unexpected argument");
    let live =
        "[[llm.chain]]\nname = \"a\"\nbase_url = \"https://models.example/v1\"\nmodel = \"m\"\n";
    let untrusted = door().file("fsmsim.toml", live);
    untrusted
        .fsmsim(["studio", "--no-open", "--llm", "live"])
        .refuses("you have not approved");
}
