//! The main loop of the language server.

use std::collections::{BTreeSet, VecDeque};
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

/// How long nobody says anything before it is worked out what is wrong.
const PAUSE: Duration = Duration::from_millis(25);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEnd {
    /// The editor has ended it in order.
    Shutdown,
    /// The editor went away.
    Abandoned,
}

/// Serves the editor on standard input and output until it ends.
pub fn serve() -> Result<ServerEnd, String> {
    let (connection, threads) = Connection::stdio();
    let end = match LanguageServer::begin(connection) {
        Ok(server) => server.run(),
        Err(error) if error.channel_is_disconnected() => ServerEnd::Abandoned,
        Err(error) => return Err(error.to_string()),
    };
    threads.join().map_err(|error| error.to_string())?;
    Ok(end)
}

/// The main loop: says what is wrong with open documents, and answers requests about them.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what goes on beside the loop, each by itself"
)]
struct LanguageServer {
    connection: Connection,
    events: Receiver<ServerEvent>,
    sender: Sender<ServerEvent>,
    jobs: Sender<AnalysisJob>,
    workspace: Workspace,
    /// What was received and not looked at yet.
    queue: VecDeque<ServerEvent>,
    /// Requests of the queue that nobody wants answered any more.
    cancelled: BTreeSet<RequestId>,
    /// Something has changed since the last analysis began.
    is_changed: bool,
    /// Files on the disk may have changed since.
    is_moved: bool,
    is_analysing: bool,
    is_visiting: bool,
    /// The scenarios that are to be played next.
    next_visits: Option<VisitJob>,
    is_shut_down: bool,
    /// The editor draws lines above states anew if it is asked to.
    refreshes_lenses: bool,
}

impl LanguageServer {
    /// Agrees with the editor on what is to be done.
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
            cancelled: BTreeSet::new(),
            is_changed: true,
            is_moved: true,
            is_analysing: false,
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

    /// Does what comes in until the editor is gone.
    fn run(mut self) -> ServerEnd {
        loop {
            // What was said in the meantime may make work needless: all of it is known before any is done.
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
                Some(ServerEvent::Message(Message::Notification(told)))
                    if told.method == "exit" =>
                {
                    return if self.is_shut_down {
                        ServerEnd::Shutdown
                    } else {
                        ServerEnd::Abandoned
                    };
                }
                Some(ServerEvent::Message(Message::Notification(told))) => self.take(told),
                Some(ServerEvent::Message(Message::Response(_))) | None => {}
                Some(ServerEvent::Analysed(analysis)) => self.publish(*analysis),
                Some(ServerEvent::Visited(visits)) => self.draw_lenses(visits),
                Some(ServerEvent::Closed) => return ServerEnd::Abandoned,
            }
        }
    }

    /// Waits for what comes in. Where nothing comes for a moment, it is worked out what is wrong: whoever types asks something
    /// behind each key, and is to have the answer first.
    fn wait(&mut self) -> Result<ServerEvent, RecvError> {
        if self.is_changed && !self.is_analysing {
            match self.events.recv_timeout(PAUSE) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) => self.analyse(),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
            }
        }
        self.events.recv()
    }

    /// Puts something into the queue; a word that a request there is not wanted any more is noted at once.
    fn receive(&mut self, event: ServerEvent) {
        if let ServerEvent::Message(Message::Notification(told)) = &event
            && told.method == "$/cancelRequest"
        {
            let id: Option<RequestId> = told
                .params
                .get("id")
                .and_then(|id| serde_json::from_value(id.clone()).ok());
            let is_waiting = |id: &RequestId| {
                self.queue
                    .iter()
                    .any(|event| matches!(event, ServerEvent::Message(Message::Request(request)) if request.id == *id))
            };
            let waiting = id.filter(is_waiting);
            self.cancelled.extend(waiting);
            return;
        }
        self.queue.push_back(event);
    }

    fn answer(&mut self, request: Request) {
        let refused =
            |id, code: ErrorCode, why: &str| Response::new_err(id, code as i32, why.to_owned());
        let response = if self.cancelled.remove(&request.id) {
            let why = "the request was cancelled";
            refused(request.id, ErrorCode::RequestCanceled, why)
        } else if self.is_shut_down {
            let why = "the server is shut down";
            refused(request.id, ErrorCode::InvalidRequest, why)
        } else if request.method == "shutdown" {
            self.is_shut_down = true;
            Response::new_ok(request.id, ())
        } else {
            answer(&mut self.workspace, request)
        };
        self.send(response.into());
    }

    /// Takes note of what the editor tells.
    fn take(&mut self, told: Notification) {
        if self.changed_by(told).is_some() {
            self.is_changed = true;
        }
    }

    /// Takes note of what the editor tells; nothing where that changes nothing.
    fn changed_by(&mut self, told: Notification) -> Option<()> {
        match told.method.as_str() {
            "textDocument/didOpen" => {
                let document = params::<DidOpenTextDocumentParams>(told)?.text_document;
                let path = path_of(&document.uri)?;
                self.is_moved |= !self.workspace.map.indexes.contains_key(&path);
                let open = OpenDocument::new(&document.text, document.version);
                self.workspace.documents.insert(path, open);
            }
            "textDocument/didChange" => {
                let params: TextChanges = params(told)?;
                let unit = self.workspace.style.unit;
                let path = path_of(&params.text_document.text_document_identifier.uri)?;
                let document = self.workspace.documents.get_mut(&path)?;
                document.change(&params.content_changes, params.text_document.version, unit);
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = params(told)?;
                let path = path_of(&params.text_document.uri)?;
                self.workspace.documents.remove(&path);
                self.is_moved = true;
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.is_moved = true,
            _ => return None,
        }
        Some(())
    }

    /// Has worked out what is wrong.
    fn analyse(&mut self) {
        let documents = self.workspace.documents.iter();
        let open = documents.map(|(path, document)| OpenText {
            path: path.clone(),
            text: Arc::clone(&document.text),
            version: document.version,
        });
        let job = AnalysisJob {
            open: open.collect(),
            rescan: self.is_moved,
        };
        self.is_analysing = self.jobs.send(job).is_ok();
        (self.is_changed, self.is_moved) = (false, false);
    }

    /// Tells what is wrong now, where that is not what was told before.
    fn publish(&mut self, analysis: Analysis) {
        self.is_analysing = false;
        self.workspace.map = Arc::clone(&analysis.map);
        let told: BTreeSet<PathBuf> = self.workspace.findings.keys().cloned().collect();
        let Analysis {
            mut findings,
            versions,
            visits,
            ..
        } = analysis;
        // While scenarios are played, only the newest wish waits.
        self.next_visits = visits.or(self.next_visits.take());
        self.visit_next();
        let paths: BTreeSet<PathBuf> = findings.keys().cloned().chain(told).collect();
        for path in paths {
            let current = self
                .workspace
                .documents
                .get(&path)
                .map(|document| document.version);
            // The newest version wins: what holds of an older one will be told of the newer one.
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

    /// Plays the scenarios that wait to be played, where none are.
    fn visit_next(&mut self) {
        if let Some(job) = self.next_visits.take_if(|_| !self.is_visiting) {
            self.is_visiting = true;
            begin_visits(job, &self.sender);
        }
    }

    /// Takes note of what became of states.
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

    /// Asks the editor to tell of files that change.
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

    /// Asks the editor for something under an ID.
    fn ask(&self, id: &str, method: &str, params: impl Serialize) {
        let id = RequestId::from(id.to_owned());
        self.send(Request::new(id, method.to_owned(), params).into());
    }

    /// Says something to the editor. Where it is gone, that is told by what comes in.
    fn send(&self, message: Message) {
        drop(self.connection.sender.send(message));
    }
}

/// What the main loop waits for.
enum ServerEvent {
    /// The editor says something.
    Message(Message),
    /// The editor is gone.
    Closed,
    /// Something was worked out.
    Analysed(Box<Analysis>),
    /// Scenarios were played.
    Visited(ModelVisits),
}

/// Brings what the editor says, until it is gone.
fn listen(connection: &Connection, events: &Sender<ServerEvent>) {
    let (messages, events) = (connection.receiver.clone(), events.clone());
    std::thread::spawn(move || {
        for message in messages {
            if events.send(ServerEvent::Message(message)).is_err() {
                return;
            }
        }
        // Nobody may be waiting any more.
        drop(events.send(ServerEvent::Closed));
    });
}

/// Has jobs worked out beside the main loop, one after the other.
fn begin_analysis(mut analyst: Analyst, events: &Sender<ServerEvent>) -> Sender<AnalysisJob> {
    let (jobs, wanted): (Sender<AnalysisJob>, Receiver<AnalysisJob>) = channel();
    let events = events.clone();
    std::thread::spawn(move || {
        for job in wanted {
            let analysis = Box::new(analyst.analyse(&job));
            if events.send(ServerEvent::Analysed(analysis)).is_err() {
                return;
            }
        }
    });
    jobs
}

/// Has scenarios played beside all else.
fn begin_visits(job: VisitJob, events: &Sender<ServerEvent>) {
    let events = events.clone();
    // Nobody may be waiting any more.
    std::thread::spawn(move || drop(events.send(ServerEvent::Visited(job.play()))));
}

/// What a notification brings; nothing where it is not what it should be.
fn params<P: DeserializeOwned>(told: Notification) -> Option<P> {
    serde_json::from_value(told.params).ok()
}

/// The folders that the editor works in.
fn roots(params: &Json) -> Vec<PathBuf> {
    let folders = params.get("workspaceFolders").and_then(Json::as_array);
    let folders = folders.into_iter().flatten();
    let folders = folders.filter_map(|folder| path_of(folder.get("uri")?.as_str()?));
    let folders: Vec<PathBuf> = folders.collect();
    if !folders.is_empty() {
        return folders;
    }
    // Older editors tell nothing else.
    let root = params.get("rootUri").and_then(Json::as_str);
    let root = root.and_then(path_of);
    root.into_iter().collect()
}
