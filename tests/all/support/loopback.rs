//! A local HTTP server with scripted answers and faults, for tests of live LLM providers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// The reaction of the server to a request.
#[derive(Clone)]
pub(crate) enum Reaction {
    /// Responds with this status, these headers (each with its line end) and this body.
    Answers(u16, String, String),
    /// Sends these raw bytes.
    Raw(Vec<u8>),
    /// Sends these bytes one by one, each after a pause.
    Trickles(Vec<u8>, Duration),
    /// Reacts after a pause.
    Late(Duration, Box<Reaction>),
    /// Sends nothing for longer than any test waits.
    Hangs,
    /// Closes the connection without reading the request.
    Closes,
    /// Reads the request and closes the connection.
    Drops,
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) struct Server {
    /// Its address with `/v1`.
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    busiest: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    address: SocketAddr,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts a server with one reaction per connection. The last reaction is repeated.
    pub(crate) fn start(reactions: Vec<Reaction>) -> Self {
        Self::new(move |number, _| reactions.get(number).or(reactions.last()).unwrap().clone())
    }

    /// Starts a server whose reaction depends on the request.
    pub(crate) fn reacting(react: impl Fn(&Seen) -> Reaction + Send + Sync + 'static) -> Self {
        Self::new(move |_, seen| seen.map_or(Reaction::Drops, &react))
    }

    /// Calls `react` twice per connection: before and after the request is read.
    fn new(react: impl Fn(usize, Option<&Seen>) -> Reaction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("http://{address}/v1");
        let over = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&over);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let busiest = Arc::new(AtomicUsize::new(0));
        let (all, most) = (Arc::clone(&seen), Arc::clone(&busiest));
        let thread = std::thread::spawn(move || {
            let busy = Arc::new(AtomicUsize::new(0));
            let react = Arc::new(react);
            for (number, stream) in listener.incoming().enumerate() {
                if done.load(Ordering::SeqCst) {
                    break;
                }
                let (stream, react) = (stream.unwrap(), Arc::clone(&react));
                let (all, most, busy) = (Arc::clone(&all), Arc::clone(&most), Arc::clone(&busy));
                std::thread::spawn(move || {
                    most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    serve(stream, &|seen| react(number, seen), &all, &busy);
                });
            }
        });
        Self {
            url,
            seen,
            busiest,
            over,
            address,
            thread,
        }
    }

    /// Stops the server. Later connections are refused, or reach another process.
    pub(crate) fn stop(self) {
        self.over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address).unwrap());
        // The thread closes the listener, so another server can use the port from now on.
        self.thread.join().unwrap();
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The highest number of simultaneous requests.
    pub(crate) fn busiest(&self) -> usize {
        self.busiest.load(Ordering::SeqCst)
    }
}

impl Seen {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The method and the path.
    pub(crate) fn target(&self) -> &str {
        self.head
            .lines()
            .next()
            .unwrap()
            .trim_end_matches(" HTTP/1.1")
    }
}

fn serve(
    mut stream: TcpStream,
    react: &dyn Fn(Option<&Seen>) -> Reaction,
    all: &Mutex<Vec<Seen>>,
    busy: &AtomicUsize,
) {
    // The counter is decremented before the response is sent, because the client can reconnect as soon as it has read it.
    let over = || busy.fetch_sub(1, Ordering::SeqCst);
    if matches!(react(None), Reaction::Closes) {
        over();
        return;
    }
    let Some(seen) = read(&mut stream) else {
        over();
        return;
    };
    all.lock().unwrap().push(seen.clone());
    let mut reaction = react(Some(&seen));
    while let Reaction::Late(pause, then) = reaction {
        std::thread::sleep(pause);
        reaction = *then;
    }
    over();
    // Errors are ignored: in some tests the client has disconnected.
    match reaction {
        Reaction::Answers(status, headers, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} x\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all((head + &body).as_bytes());
        }
        Reaction::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
        }
        Reaction::Trickles(bytes, pause) => {
            for byte in bytes {
                std::thread::sleep(pause);
                if stream.write_all(&[byte]).is_err() {
                    break;
                }
            }
        }
        Reaction::Hangs => std::thread::sleep(Duration::from_secs(3)),
        Reaction::Late(..) | Reaction::Closes | Reaction::Drops => {}
    }
}

fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let promised = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= promised.unwrap_or(0) {
                return Some(Seen {
                    head: head.to_owned(),
                    body: body.to_owned(),
                });
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
}

impl Seen {
    /// The utterance in the prompt, or the complete message of the user role.
    pub(crate) fn utterance(&self) -> String {
        let body = self.json();
        let user = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|message| message["role"] == "user");
        let user = user.unwrap()["content"].as_str().unwrap();
        let said = user
            .rsplit_once("The user says: ")
            .and_then(|(_, said)| serde_json::from_str(said.trim_end()).ok());
        said.unwrap_or_else(|| user.to_owned())
    }
}

/// A response with a JSON body.
pub(crate) fn gives(body: &Value) -> Reaction {
    Reaction::Answers(
        200,
        "content-type: application/json\r\n".to_owned(),
        body.to_string(),
    )
}

/// A status with headers, each with its line end.
pub(crate) fn status(status: u16, headers: &str) -> Reaction {
    Reaction::Answers(status, headers.to_owned(), "{}".to_owned())
}

pub(crate) fn raw(text: &str) -> Reaction {
    Reaction::Raw(text.as_bytes().to_vec())
}

/// A recognition result with this intent.
pub(crate) fn reading(intent: &str) -> Value {
    json!({"intent": intent, "confidence": 0.9, "data": {}})
}

/// The two supported API formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Anthropic,
}

impl Shape {
    pub(crate) const BOTH: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// The `kind` of such a provider.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// A completion with this text and stop reason.
    pub(crate) fn stops(self, words: &str, why: &str) -> Reaction {
        gives(&match self {
            Self::OpenAi => json!({
                "choices": [{"message": {"role": "assistant", "content": words}, "finish_reason": why}],
                "usage": {"prompt_tokens": 20, "completion_tokens": 5},
            }),
            Self::Anthropic => json!({
                "content": [{"type": "text", "text": words}], "stop_reason": why,
                "usage": {"input_tokens": 2, "cache_read_input_tokens": 18, "output_tokens": 5},
            }),
        })
    }

    /// A completion with this text.
    pub(crate) fn says(self, words: &str) -> Reaction {
        self.stops(
            words,
            if self == Self::OpenAi {
                "stop"
            } else {
                "end_turn"
            },
        )
    }

    /// A tool call with these arguments.
    pub(crate) fn calls(self, arguments: &Value) -> Reaction {
        gives(&match self {
            Self::OpenAi => {
                let function = json!({"name": "classify", "arguments": arguments.to_string()});
                json!({"choices": [{
                    "message": {"content": null, "tool_calls": [{"type": "function", "function": function}]},
                    "finish_reason": "tool_calls",
                }]})
            }
            Self::Anthropic => json!({
                "content": [{"type": "tool_use", "name": "classify", "input": arguments}], "stop_reason": "tool_use",
            }),
        })
    }
}
