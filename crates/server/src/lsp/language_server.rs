//! The main loop of the language server.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use gen_lsp_types::{
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeResult,
    PublishDiagnosticsParams, ServerInfo,
};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::analyst::{Analysis, AnalysisJob, Analyst, OpenText};
use super::capabilities::{capabilities, refreshes_lenses, renames_files, style_of, watches_files};
use super::file_uri::{path_of, uri_of};
use super::open_document::{OpenDocument, TextChanges};
use super::requests::answer;
use super::state_visits::{ModelVisits, VisitJob};
use super::workspace::Workspace;
use crate::limits::{MAX_MESSAGE, MAX_MESSAGE_HEAD};

/// The idle time after an event before an analysis starts.
const PAUSE: Duration = Duration::from_millis(25);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEnd {
    /// The editor ended the session with `shutdown` and `exit`.
    Shutdown,
    /// The editor closed the connection.
    Abandoned,
}

/// Serves the editor on standard input and output until it ends.
pub fn serve() -> Result<ServerEnd, String> {
    let (connection, editor) = Connection::memory();
    let Connection { sender, receiver } = editor;
    let reader = std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read_message(&mut input)? {
            let is_exit = matches!(&message, Message::Notification(sent) if sent.method == "exit");
            if sender.send(message).is_err() || is_exit {
                break;
            }
        }
        io::Result::Ok(())
    });
    let writer = std::thread::spawn(move || {
        let mut out = io::stdout().lock();
        receiver
            .iter()
            .try_for_each(|message| message.write(&mut out))
    });
    let end = match LanguageServer::begin(connection) {
        Ok(server) => server.run(),
        Err(error) if error.channel_is_disconnected() => ServerEnd::Abandoned,
        Err(error) => return Err(error.to_string()),
    };
    for thread in [reader, writer] {
        let ended = thread
            .join()
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        ended.map_err(|error| error.to_string())?;
    }
    Ok(end)
}

/// Reads a message of the editor; `None` at the end of the input.
fn read_message(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        let room = MAX_MESSAGE_HEAD.saturating_sub(text.len() as u64);
        if input.by_ref().take(room).read_until(b'\n', &mut text)? == 0 {
            break;
        }
    }
    let length = length_in(&String::from_utf8_lossy(&text));
    // The library reserves memory for the length that a header announces.
    if length > MAX_MESSAGE {
        let title = format!("the message is too large: {length} bytes, limit {MAX_MESSAGE}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, title));
    }
    input.by_ref().take(length).read_to_end(&mut text)?;
    Message::read(&mut &*text)
}

/// The length of a message according to its header.
fn length_in(head: &str) -> u64 {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    let mut lengths = fields.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    lengths
        .next_back()
        .and_then(|(_, length)| length.parse().ok())
        .unwrap_or_default()
}

/// The main loop: publishes findings of open documents and answers requests.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent states of the server"
)]
struct LanguageServer {
    connection: Connection,
    events: Receiver<ServerEvent>,
    sender: Sender<ServerEvent>,
    jobs: Sender<AnalysisJob>,
    workspace: Workspace,
    /// Received events that are not processed yet.
    queue: VecDeque<ServerEvent>,
    /// Queued requests that the editor has canceled.
    canceled: BTreeSet<RequestId>,
    /// Whether documents or files have changed since the start of the last analysis.
    is_changed: bool,
    /// Whether files on disk might have changed since then.
    is_moved: bool,
    is_analyzing: bool,
    is_visiting: bool,
    /// The scenarios to run next.
    next_visits: Option<VisitJob>,
    is_shut_down: bool,
    /// Whether the editor can refresh code lenses on request.
    refreshes_lenses: bool,
}

impl LanguageServer {
    /// Exchanges capabilities with the editor.
    fn begin(connection: Connection) -> Result<Self, ProtocolError> {
        let (id, params) = connection.initialize_start()?;
        let client = params.get("capabilities").unwrap_or(&Json::Null);
        let style = style_of(client);
        let result = InitializeResult {
            capabilities: capabilities(style),
            server_info: Some(ServerInfo {
                name: "fsmsim".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        };
        connection.initialize_finish(id, serde_json::to_value(result).unwrap_or_default())?;
        let (sender, events) = channel();
        listen(&connection, &sender);
        let jobs = begin_analysis(Analyst::new(roots(&params), style), &sender);
        let renames_files = renames_files(client);
        let workspace = Workspace {
            style,
            renames_files,
            ..Workspace::default()
        };
        let server = Self {
            connection,
            events,
            sender,
            jobs,
            workspace,
            queue: VecDeque::new(),
            canceled: BTreeSet::new(),
            is_changed: true,
            is_moved: true,
            is_analyzing: false,
            is_visiting: false,
            next_visits: None,
            is_shut_down: false,
            refreshes_lenses: refreshes_lenses(client),
        };
        if watches_files(client) {
            server.watch_files();
        }
        Ok(server)
    }

    /// Processes events until the editor exits.
    fn run(mut self) -> ServerEnd {
        loop {
            // A later message can cancel an earlier request, so all messages are received before one is processed.
            while let Ok(event) = self.events.try_recv() {
                self.receive(event);
            }
            if self.queue.is_empty() {
                match self.wait() {
                    Ok(event) => self.receive(event),
                    Err(_) => return ServerEnd::Abandoned,
                }
            }
            match self.queue.pop_front() {
                Some(ServerEvent::Message(Message::Request(request))) => self.answer(request),
                Some(ServerEvent::Message(Message::Notification(notification)))
                    if notification.method == "exit" =>
                {
                    return if self.is_shut_down {
                        ServerEnd::Shutdown
                    } else {
                        ServerEnd::Abandoned
                    };
                }
                Some(ServerEvent::Message(Message::Notification(notification))) => {
                    self.take(notification);
                }
                Some(ServerEvent::Message(Message::Response(_))) | None => {}
                Some(ServerEvent::Analyzed(analysis)) => self.publish(*analysis),
                Some(ServerEvent::Visited(visits)) => self.draw_lenses(visits),
                Some(ServerEvent::Closed) => return ServerEnd::Abandoned,
            }
        }
    }

    /// Waits for an event. The analysis starts only after a short pause. Each key that the user types can trigger
    /// requests, which have priority.
    fn wait(&mut self) -> Result<ServerEvent, RecvError> {
        if self.is_changed && !self.is_analyzing {
            match self.events.recv_timeout(PAUSE) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) => self.start_analysis(),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
            }
        }
        self.events.recv()
    }

    /// Appends an event to the queue. A cancellation is applied immediately.
    fn receive(&mut self, event: ServerEvent) {
        if let ServerEvent::Message(Message::Notification(notification)) = &event
            && notification.method == "$/cancelRequest"
        {
            let id: Option<RequestId> = notification
                .params
                .get("id")
                .and_then(|id| serde_json::from_value(id.clone()).ok());
            let is_waiting = |id: &RequestId| {
                self.queue
                    .iter()
                    .any(|event| matches!(event, ServerEvent::Message(Message::Request(request)) if request.id == *id))
            };
            let waiting = id.filter(is_waiting);
            self.canceled.extend(waiting);
            return;
        }
        self.queue.push_back(event);
    }

    fn answer(&mut self, request: Request) {
        let refused =
            |id, code: ErrorCode, why: &str| Response::new_err(id, code as i32, why.to_owned());
        let response = if self.canceled.remove(&request.id) {
            let why = "the request was canceled";
            refused(request.id, ErrorCode::RequestCanceled, why)
        } else if self.is_shut_down {
            let why = "the server has shut down";
            refused(request.id, ErrorCode::InvalidRequest, why)
        } else if request.method == "shutdown" {
            self.is_shut_down = true;
            Response::new_ok(request.id, ())
        } else {
            answer(&mut self.workspace, request)
        };
        self.send(response.into());
    }

    /// Processes a notification from the editor.
    fn take(&mut self, notification: Notification) {
        if self.changed_by(notification).is_some() {
            self.is_changed = true;
        }
    }

    /// Applies a notification; `None` if it changes nothing.
    fn changed_by(&mut self, notification: Notification) -> Option<()> {
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let document = params::<DidOpenTextDocumentParams>(notification)?.text_document;
                let path = path_of(&document.uri)?;
                self.is_moved |= !self.workspace.map.indexes.contains_key(&path);
                let open = OpenDocument::new(&document.text, document.version);
                self.workspace.documents.insert(path, open);
            }
            "textDocument/didChange" => {
                let params: TextChanges = params(notification)?;
                let unit = self.workspace.style.unit;
                let path = path_of(&params.text_document.text_document_identifier.uri)?;
                let document = self.workspace.documents.get_mut(&path)?;
                document.change(&params.content_changes, params.text_document.version, unit);
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = params(notification)?;
                let path = path_of(&params.text_document.uri)?;
                self.workspace.documents.remove(&path);
                self.is_moved = true;
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.is_moved = true,
            _ => return None,
        }
        Some(())
    }

    /// Starts an analysis of the open documents.
    fn start_analysis(&mut self) {
        let open = self
            .workspace
            .documents
            .iter()
            .map(|(path, document)| OpenText {
                path: path.clone(),
                text: Arc::clone(&document.text),
                version: document.version,
            });
        let job = AnalysisJob {
            open: open.collect(),
            rescan: self.is_moved,
        };
        self.is_analyzing = self.jobs.send(job).is_ok();
        self.is_changed = false;
        self.is_moved = false;
    }

    /// Publishes the findings that have changed.
    fn publish(&mut self, analysis: Analysis) {
        self.is_analyzing = false;
        self.workspace.map = Arc::clone(&analysis.map);
        let reported: BTreeSet<PathBuf> = self.workspace.findings.keys().cloned().collect();
        let Analysis {
            mut findings,
            versions,
            visits,
            ..
        } = analysis;
        // While scenarios run, only the newest job waits.
        self.next_visits = visits.or(self.next_visits.take());
        self.visit_next();
        let paths: BTreeSet<PathBuf> = findings.keys().cloned().chain(reported).collect();
        for path in paths {
            let current = self
                .workspace
                .documents
                .get(&path)
                .map(|document| document.version);
            // Findings about an old version are dropped: an analysis of the newer version follows.
            if current.is_some() && versions.get(&path) != current.as_ref() {
                continue;
            }
            let found = findings.remove(&path).unwrap_or_default();
            if self
                .workspace
                .findings
                .get(&path)
                .is_some_and(|before| *before == found)
            {
                continue;
            }
            if let Some(uri) = uri_of(&path) {
                let diagnostics = found.iter().map(|finding| finding.shown.clone()).collect();
                let params = PublishDiagnosticsParams {
                    uri,
                    diagnostics,
                    version: current,
                };
                let method = "textDocument/publishDiagnostics".to_owned();
                self.send(Notification::new(method, params).into());
            }
            if found.is_empty() && current.is_none() {
                self.workspace.findings.remove(&path);
            } else {
                self.workspace.findings.insert(path, found);
            }
        }
    }

    /// Starts the waiting scenario job if none is running.
    fn visit_next(&mut self) {
        if let Some(job) = self.next_visits.take_if(|_| !self.is_visiting) {
            self.is_visiting = true;
            begin_visits(job, &self.sender);
        }
    }

    /// Stores new visit counts and refreshes the code lenses.
    fn draw_lenses(&mut self, visits: ModelVisits) {
        self.is_visiting = false;
        self.visit_next();
        if self.workspace.visits == visits {
            return;
        }
        self.workspace.visits = visits;
        if self.refreshes_lenses {
            self.ask("lenses", "workspace/codeLens/refresh", ());
        }
    }

    /// Asks the editor to report changed files.
    fn watch_files(&self) {
        let globs = [
            "**/*.{yaml,yml,md,jsonl,json}",
            "**/fsmsim.toml",
            "**/.fsmsim/results.jsonl",
        ];
        let watchers: Vec<_> = globs
            .iter()
            .map(|glob| json!({"globPattern": glob}))
            .collect();
        let registration = json!({
            "id": "files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": {"watchers": watchers},
        });
        let params = json!({"registrations": [registration]});
        self.ask("watch", "client/registerCapability", params);
    }

    /// Sends a request to the editor.
    fn ask(&self, id: &str, method: &str, params: impl Serialize) {
        let id = RequestId::from(id.to_owned());
        self.send(Request::new(id, method.to_owned(), params).into());
    }

    /// Sends a message to the editor. If the editor has exited, the receiving side reports that.
    fn send(&self, message: Message) {
        drop(self.connection.sender.send(message));
    }
}

/// Events of the main loop.
enum ServerEvent {
    /// A message from the editor.
    Message(Message),
    /// The connection is closed.
    Closed,
    /// The result of an analysis.
    Analyzed(Box<Analysis>),
    /// The visit counts of a scenario job.
    Visited(ModelVisits),
}

/// Forwards messages from the editor until the connection closes.
fn listen(connection: &Connection, events: &Sender<ServerEvent>) {
    let messages = connection.receiver.clone();
    let events = events.clone();
    std::thread::spawn(move || {
        for message in messages {
            if events.send(ServerEvent::Message(message)).is_err() {
                return;
            }
        }
        // Sending fails if the main loop has ended.
        drop(events.send(ServerEvent::Closed));
    });
}

/// Starts the analysis thread. It runs one job at a time.
fn begin_analysis(mut analyst: Analyst, events: &Sender<ServerEvent>) -> Sender<AnalysisJob> {
    let (jobs, wanted): (Sender<AnalysisJob>, Receiver<AnalysisJob>) = channel();
    let events = events.clone();
    std::thread::spawn(move || {
        for job in wanted {
            let analysis = Box::new(analyst.analyze(&job));
            if events.send(ServerEvent::Analyzed(analysis)).is_err() {
                return;
            }
        }
    });
    jobs
}

/// Runs scenarios on a separate thread.
fn begin_visits(job: VisitJob, events: &Sender<ServerEvent>) {
    let events = events.clone();
    // Sending fails if the main loop has ended.
    std::thread::spawn(move || drop(events.send(ServerEvent::Visited(job.play()))));
}

/// The parameters of a notification; `None` if they are invalid.
fn params<P: DeserializeOwned>(notification: Notification) -> Option<P> {
    serde_json::from_value(notification.params).ok()
}

/// The workspace folders of the editor.
fn roots(params: &Json) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = params
        .get("workspaceFolders")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(|folder| path_of(folder.get("uri")?.as_str()?))
        .collect();
    if !folders.is_empty() {
        return folders;
    }
    // Older editors send only `rootUri`.
    let root = params
        .get("rootUri")
        .and_then(Json::as_str)
        .and_then(path_of);
    root.into_iter().collect()
}
