//! Live models, through real sockets: a server on loopback that answers as told, and misbehaves as told.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Project, Run};

/// What the server does with a request.
#[derive(Clone)]
enum Reaction {
    /// The model says this.
    Says(String),
    /// This status with these headers.
    Status(u16, &'static str),
    /// These bytes, and no more.
    Raw(Vec<u8>),
    /// Nothing for a while.
    Hangs,
    /// The connection is closed at once.
    Closes,
}

/// A server on loopback.
struct Server {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// A server that reacts so, request by request; the last reaction is used again.
    fn start(reactions: Vec<Reaction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let reaction = reactions.get(number).or(reactions.last()).unwrap();
                serve(stream.unwrap(), reaction, &seen);
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, reaction: &Reaction, seen: &Mutex<Vec<String>>) {
    if matches!(reaction, Reaction::Closes) {
        return;
    }
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while !is_whole(&bytes) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
    seen.lock().unwrap().push(String::from_utf8(bytes).unwrap());
    let whole = |status: u16, headers: &str, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status} x\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
            .into_bytes()
    };
    let answer = match reaction {
        Reaction::Says(words) => {
            let body = json!({"choices": [{"message": {"content": words}}]});
            whole(200, "content-type: application/json\r\n", &body.to_string())
        }
        Reaction::Status(status, headers) => whole(*status, headers, "{}"),
        Reaction::Raw(bytes) => bytes.clone(),
        Reaction::Hangs => {
            std::thread::sleep(Duration::from_secs(3));
            Vec::new()
        }
        Reaction::Closes => Vec::new(),
    };
    // A client that went away is what some tests are about.
    let _ = stream.write_all(&answer);
}

/// Whether the head of a request and as much body as it promises are there.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let promised =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= promised.unwrap_or(0)
}

fn says(intent: &str) -> Reaction {
    Reaction::Says(json!({"intent": intent, "confidence": 0.9, "data": {}}).to_string())
}

fn provider(name: &str, url: &str, more: &str) -> String {
    format!("[[llm.chain]]\nname = \"{name}\"\nbase_url = \"{url}\"\nmodel = \"tiny\"\n{more}\n")
}

const SCENARIO: &str =
    "scenario: Live\nmodel: flows/spin_selling\nturns: [{say: Давайте начнём}, {say: Сколько стоит?}]\n";

fn project(toml: String) -> Project {
    Project::new().with_flows().file("fsmsim.toml", toml).file("scenarios/a.yaml", SCENARIO)
}

/// One turn, read by a server that reacts so to every request.
fn one_turn(reaction: Reaction, more: &str) -> (Run, Server) {
    let server = Server::start(vec![reaction]);
    let scenario = "scenario: One\nmodel: flows/spin_selling\nturns: [{say: Давайте, expect: {state: spin_situation}}]\n";
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider("local", &server.url, more))
        .file("scenarios/a.yaml", scenario);
    (project.run(&["test", "--llm", "live"]), server)
}

#[test]
fn a_live_model_reads_what_was_said() {
    let words = "Sure! ```json\n{\"intent\": \"info_provided\", \"confidence\": 0.8, \"data\": {\"company_size\": 50}}\n```";
    let server = Server::start(vec![says("agreement"), Reaction::Says(words.to_owned())]);
    let project = project(provider("local", &server.url, "api_key_env = \"TINY_KEY\""));
    let run = project.run_with(&["test", "--llm", "live", "--accept"], "", &[("TINY_KEY", "planted-secret")]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert!(run.stderr.starts_with("local: 2 calls, 0 retries, 0 + 0 tokens, "), "{}", run.stderr);

    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", requests[0]);
    assert!(requests[0].to_lowercase().contains("\r\nauthorization: bearer planted-secret\r\n"));
    let body: Value = serde_json::from_str(requests[0].split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!((&body["model"], &body["temperature"]), (&json!("tiny"), &json!(0.0)));
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("price_question"));
    assert_eq!(
        body["messages"][1]["content"],
        "State: greeting (Поздороваться и узнать, чем помочь)\nThe user says: Давайте начнём"
    );

    // The key is nowhere but in the request.
    let mut written = vec![run.stdout, run.stderr];
    written.extend(project.files().iter().map(|path| project.read(path)));
    assert!(!written.concat().contains("planted-secret"));
    assert!(project.read("snapshots/a/live.snap").contains("added: [company_size]"));
}

#[test]
fn each_way_of_failing_makes_the_scenario_unavailable_and_says_how() {
    let raw = |text: &str| Reaction::Raw(text.as_bytes().to_vec());
    let cut_off = "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [{\"mess";
    let large = format!("HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n{}", " ".repeat(10_000_000));
    let faults = [
        (Reaction::Hangs, "no answer came in time"),
        (Reaction::Closes, "the connection was refused|the answer broke off"),
        (Reaction::Status(429, "retry-after: 0\r\n"), "the server answered with the status 429"),
        (Reaction::Status(500, ""), "the server answered with the status 500"),
        (Reaction::Status(401, ""), "the server answered with the status 401"),
        (raw(cut_off), "the answer broke off|the connection was refused"),
        (raw(&large), "the answer was too large"),
        (raw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]"), "has no `choices[0].message.content`"),
        (raw("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\noops"), "the answer of the server is no JSON"),
        (Reaction::Says(String::new()), "the answer was empty"),
        (Reaction::Says("I think so".to_owned()), "the answer is no JSON object"),
        (
            Reaction::Says("{\"intent\": \"agreement\", \"data\": {}, \"confidence\": 7}".to_owned()),
            "`confidence` is not what was asked for",
        ),
        (
            Reaction::Says("{\"intent\": \"no_such_intent\"}".to_owned()),
            "the answer names no intent of the model",
        ),
        (
            Reaction::Says("{\"intent\": \"agreement\", \"data\": [1]}".to_owned()),
            "`data` is not what was asked for",
        ),
    ];
    for (reaction, why) in faults {
        let (run, _server) = one_turn(reaction, "retries = 0\ntimeout_s = 0.5");
        assert_eq!(run.code, 3, "{why}: {}", run.shown());
        assert!(why.split('|').any(|why| run.stdout.contains(why)), "{why}: {}", run.shown());
    }
}

#[test]
fn what_may_pass_is_tried_again_and_every_attempt_is_in_the_record() {
    let server = Server::start(vec![
        Reaction::Status(429, "retry-after: 0\r\n"),
        Reaction::Status(503, ""),
        says("agreement"),
    ]);
    let project = project(provider("local", &server.url, "retries = 2"));
    let lines = "Давайте\n:trace\n";
    let run = project.run_with(&["run", "flows/spin_selling", "--llm", "live"], lines, &[]);
    assert_eq!(run.code, 0, "{}", run.shown());
    let turn: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        turn["answers"],
        json!([{
            "need": "classify", "by": "local",
            "answer": {"intent": "agreement", "confidence": 0.9, "data": {}},
            "failed": [
                {"by": "local", "why": "the server answered with the status 429"},
                {"by": "local", "why": "the server answered with the status 503"},
            ],
            "taken": "execute", "intent": "agreement",
        }])
    );
}

#[test]
fn what_cannot_pass_is_not_tried_again() {
    let (run, server) = one_turn(Reaction::Status(401, ""), "retries = 5");
    assert_eq!((run.code, server.requests().len()), (3, 1), "{}", run.shown());
}

#[test]
fn a_server_that_takes_no_schema_is_asked_without_one() {
    let server = Server::start(vec![Reaction::Status(400, ""), says("agreement"), says("unclear")]);
    let project = project(provider("local", &server.url, "retries = 0"));
    let run = project.run(&["test", "--llm", "live", "--accept"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    let with_schema: Vec<bool> =
        server.requests().iter().map(|request| request.contains("response_format")).collect();
    assert_eq!(with_schema, [true, false, false]);
}

#[test]
fn the_next_of_the_chain_is_asked_where_the_first_fails() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(vec![says("agreement")]);
    let toml = provider("first", &format!("http://{nobody}/v1"), "retries = 0")
        + &provider("second", &server.url, "");
    let run = project(toml).run(&["test", "--llm", "live", "--check"]);
    // Nothing is expected and nothing accepted, so the scenario fails; it was played to its end.
    assert!(run.code == 1 && run.stdout.contains("in 2 turns"), "{}", run.shown());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_key_that_is_not_set_is_named_and_nobody_is_asked() {
    let (run, server) = one_turn(says("agreement"), "api_key_env = \"NO_SUCH_KEY\"");
    assert_eq!((run.code, server.requests().len()), (3, 0), "{}", run.shown());
    assert!(run.stdout.contains("the environment variable `NO_SUCH_KEY` is not set"), "{}", run.stdout);
}

#[test]
fn chains_that_cannot_be_used() {
    let told: Vec<String> = [
        provider("a", "localhost:80", ""),
        provider("a", "http://localhost", "timeout_s = -1"),
        provider("a", "http://localhost", "api_key = \"secret\""),
        String::new(),
    ]
    .into_iter()
    .map(|toml| {
        let run = project(toml).run(&["test", "--llm", "live"]);
        assert_eq!(run.code, 2, "{}", run.shown());
        run.stderr
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}
