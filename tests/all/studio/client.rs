//! A client that sends the requests of the studio page over real sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Project;

/// The headers of every response.
const HEADERS: [&str; 6] = [
    "cache-control: no-store",
    "content-security-policy: default-src 'none'",
    "referrer-policy: no-referrer",
    "x-content-type-options: nosniff",
    "cross-origin-resource-policy: same-origin",
    "cross-origin-opener-policy: same-origin",
];

/// A running studio.
pub(crate) struct Studio {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Studio {
    pub(crate) fn open(project: &Project, arguments: &[&str]) -> Self {
        Self::of(
            project
                .fsmsim(["studio", "--no-open"])
                .args(arguments)
                .spawn(),
        )
    }

    pub(crate) fn of(mut child: Child) -> Self {
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .strip_prefix("http://127.0.0.1:")
            .unwrap_or_else(|| panic!("{line}"))
            .trim_end();
        let (port, token) = address.split_once("/?token=").unwrap();
        assert!(
            token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{line}"
        );
        Self {
            port: port.parse().unwrap(),
            token: token.to_owned(),
            child,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_mins(1)))
            .unwrap();
        stream
    }

    /// Sends a raw request. Adds the `Connection` header and the empty line.
    pub(crate) fn send(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let head = format!("{head}Connection: close\r\n\r\n");
        // The server can reject a request and close the connection before the body is complete.
        let _ = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body));
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        Answer {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    pub(crate) fn key(&self) -> String {
        format!("X-Fsmsim-Token: {}\r\n", self.token)
    }

    pub(crate) fn get(&self, path: &str, headers: &str) -> Answer {
        self.send(
            &format!("GET {path} HTTP/1.1\r\n{}{headers}", self.host()),
            b"",
        )
    }

    /// Sends a POST request with these headers and the host.
    pub(crate) fn post(&self, name: &str, headers: &str, body: &[u8]) -> Answer {
        let (host, length) = (self.host(), body.len());
        self.send(
            &format!("POST /api/{name} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n"),
            body,
        )
    }

    /// Sends an API request like the page. Returns the status and the body.
    pub(crate) fn request(&self, name: &str, body: &Value) -> (u16, Value) {
        let headers = format!("{}Content-Type: application/json\r\n", self.key());
        let answer = self.post(name, &headers, body.to_string().as_bytes());
        answer.check();
        let response = serde_json::from_str(&answer.body)
            .unwrap_or_else(|error| panic!("{error}: {answer:?}"));
        (answer.status, response)
    }

    #[track_caller]
    pub(crate) fn call(&self, name: &str, body: &Value) -> Value {
        let (status, response) = self.request(name, body);
        assert_eq!(status, 200, "{name} {body}: {response}");
        response
    }

    #[track_caller]
    pub(crate) fn refused(&self, name: &str, body: &Value, status: u16) -> String {
        let (got, response) = self.request(name, body);
        assert_eq!(got, status, "{name} {body}: {response}");
        response["error"].as_str().unwrap().to_owned()
    }

    /// Subscribes to the events of the studio.
    pub(crate) fn events(&self) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        let (host, key) = (self.host(), self.key());
        stream
            .write_all(format!("GET /api/events HTTP/1.1\r\n{host}{key}\r\n").as_bytes())
            .unwrap();
        let mut events = BufReader::new(stream);
        let hello = wait_for(&mut events, "hello");
        assert_eq!(hello["version"], env!("CARGO_PKG_VERSION"));
        events
    }

    pub(crate) fn signal(&self, signal: &str) {
        assert!(
            Command::new("kill")
                .args([signal, &self.child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Runs the scenarios, waits for the end and returns the report.
    pub(crate) fn run_suite(&self, body: &Value) -> Value {
        let mut events = self.events();
        self.call("suite/run", body);
        wait_for(&mut events, "suite_done");
        let mut response = self.call("suite", &json!({}));
        assert_eq!(response["running"], json!(false));
        response["report"].take()
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// Checks the security headers.
    #[track_caller]
    pub(crate) fn check(&self) -> &Self {
        for header in HEADERS {
            assert!(
                self.head.contains(header),
                "`{header}` is missing: {self:?}"
            );
        }
        for loose in ["access-control-", "set-cookie", "unsafe-"] {
            assert!(!self.head.contains(loose), "{loose}: {self:?}");
        }
        self
    }
}

/// The next event of this name.
pub(crate) fn wait_for(events: &mut BufReader<TcpStream>, name: &str) -> Value {
    loop {
        let mut line = String::new();
        assert_ne!(
            events.read_line(&mut line).unwrap(),
            0,
            "the event `{name}` was not sent"
        );
        // Skip the lengths of the chunks.
        let Ok(event) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if event["event"] == name {
            return event;
        }
    }
}
