//! All dialogues that go on, and the rules by which they begin and end.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::call::{TOOL, ToolCall};
use super::mcp_session::McpSession;
use super::server::Service;
use super::tool_reply::ToolReply;
use crate::http::log;
use crate::runtime::DialogueSetup;
use crate::trace::{EndLine, HeaderLine, JsonLine};
use crate::world::SessionId;

/// What came of a call: what the assistant is told, or what was wrong with the call, for the model.
pub(super) type CallOutcome = Result<ToolReply, String>;

/// A call, and where its answer goes.
pub(super) struct Job {
    /// The call.
    pub(super) call: ToolCall,
    /// Where the answer goes.
    pub(super) reply: oneshot::Sender<CallOutcome>,
}

/// How many dialogues there may be, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Dialogues that go on at once. Where there are as many, the one that was idle longest ends.
    pub sessions: usize,
    /// After so long without a call a dialogue ends.
    pub idle: Duration,
    /// Calls of one dialogue, after which it ends.
    pub calls: u32,
}

/// All dialogues that go on.
pub(super) struct SessionManager {
    service: Service,
    sessions: BTreeMap<String, McpSession>,
    /// Why the trace could not be written.
    trace_error: Option<io::Error>,
}

/// How often idle dialogues are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

impl SessionManager {
    /// A manager without sessions yet.
    pub(super) fn new(service: Service) -> Self {
        Self { service, sessions: BTreeMap::new(), trace_error: None }
    }

    /// Answers calls until nobody can call any more; then all dialogues end.
    ///
    /// # Errors
    /// Where the trace could not be written.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) -> io::Result<()> {
        loop {
            match jobs.recv_timeout(SWEEP_INTERVAL) {
                Ok(job) => {
                    let outcome = self.take(&job.call, Instant::now());
                    // The caller may have gone.
                    let _ = job.reply.send(outcome);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.sweep(Instant::now());
        }
        let open: Vec<_> = std::mem::take(&mut self.sessions).into_iter().collect();
        self.close(open);
        self.trace_error.map_or(Ok(()), Err)
    }

    /// Answers one call.
    fn take(&mut self, call: &ToolCall, now: Instant) -> CallOutcome {
        let known = match (&call.session, &call.own) {
            (Some(session), _) if !self.sessions.contains_key(session) => {
                let session = crate::terminal::printable(session);
                log(&format!("refused: no session {session}"));
                return Err(format!(
                    "There is no session `{session}`: it has ended, or never was. Call {TOOL} without `session` to begin anew."
                ));
            }
            (Some(session), _) => Some(session),
            (None, own) => own.as_ref().filter(|own| self.sessions.contains_key(*own)),
        };
        let session = known.cloned().unwrap_or_else(|| self.open(now));
        let Some(dialogue) = self.sessions.get_mut(&session) else { return Err(LOST.to_owned()) };
        let Some(played) = dialogue.call(call.state.as_deref(), &session, now) else {
            return Err(LOST.to_owned());
        };
        let over = dialogue.calls >= self.service.limits.calls;
        log(&format!("session {session}: {}", played.summary));
        self.write(&session, &played.record);
        if over {
            let ended = self.sessions.remove_entry(&session);
            log(&format!("session {session}: ended after {} calls", self.service.limits.calls));
            self.close(ended);
        }
        Ok(played.reply)
    }

    /// Begins a dialogue.
    fn open(&mut self, now: Instant) -> String {
        if self.sessions.len() >= self.service.limits.sessions {
            let idlest =
                self.sessions.iter().min_by_key(|(_, dialogue)| dialogue.last).map(|(session, _)| session.clone());
            let ended = idlest.and_then(|session| self.sessions.remove_entry(&session));
            if let Some((session, _)) = &ended {
                log(&format!("session {session}: ended, since there may be {} at once", self.service.limits.sessions));
            }
            self.close(ended);
        }
        let session = name();
        let Service { machine, setup, twin, .. } = &self.service;
        let DialogueSetup { settings, start, .. } = setup;
        let mut header = JsonLine::default();
        HeaderLine { dialogue: &session, machine, settings, start }.write(&mut header);
        let mut runner = setup.clone().runner(machine).known_as(SessionId::random());
        if let Some(twin) = twin {
            runner = runner.keeping(twin.fork());
        }
        self.sessions.insert(session.clone(), McpSession::new(runner, now));
        self.write(&session, &header.into_string());
        session
    }

    /// Ends the dialogues that were idle for too long.
    fn sweep(&mut self, now: Instant) {
        let idle = self.service.limits.idle;
        let gone = self.sessions.extract_if(.., |_, dialogue| now.saturating_duration_since(dialogue.last) >= idle);
        let gone: Vec<_> = gone.collect();
        for (session, _) in &gone {
            log(&format!("session {session}: ended, idle"));
        }
        self.close(gone);
    }

    fn write(&mut self, session: &str, line: &str) {
        let written = self.service.trace.as_mut().map_or(Ok(()), |trace| trace.write(session, line));
        self.note(written);
    }

    /// Dialogues have ended, and are whole in the trace.
    fn close(&mut self, ended: impl IntoIterator<Item = (String, McpSession)>) {
        let mut sessions = Vec::new();
        for (session, McpSession { turns, .. }) in ended {
            let mut line = JsonLine::default();
            EndLine { dialogue: &session, turns, audit: None }.write(&mut line);
            self.write(&session, &line.into_string());
            sessions.push(session);
        }
        let ended = self.service.trace.as_mut().map_or(Ok(()), |trace| trace.end(&sessions));
        self.note(ended);
    }

    /// A trace that cannot be written does not keep the assistant from its dialogue, but it is told, and remembered.
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            log(&format!("error: the trace cannot be written: {error}"));
            self.trace_error.get_or_insert(error);
        }
    }
}

/// What a model is told where a turn came to nothing.
const LOST: &str = "The dialogue could not go on. Call the tool without `session` to begin anew.";

/// A name for a dialogue that nobody can guess, short enough to be copied by a model.
fn name() -> String {
    let (high, _) = uuid::Uuid::new_v4().as_u64_pair();
    format!("{high:016x}").chars().skip(4).collect()
}
