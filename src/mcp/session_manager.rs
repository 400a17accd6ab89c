//! The desk: all dialogues that go on, and the rules by which they begin and end.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::call::{TOOL, ToolCall};
use super::log::log;
use super::mcp_session::McpSession;
use super::tool_reply::ToolReply;
use super::trace_file::TraceFile;
use crate::machine::Machine;
use crate::runtime::DialogueSetup;
use crate::trace::{HeaderLine, JsonLine};
use crate::world::Twin;

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
pub(super) struct SessionManager<'m> {
    machine: &'m Machine,
    opening: DialogueSetup,
    /// The store of the user's data, where all dialogues have one.
    twin: Option<Box<dyn Twin>>,
    bounds: ServerLimits,
    ledger: Option<TraceFile>,
    talks: BTreeMap<String, McpSession<'m>>,
    /// The trace could not be written.
    fault: Option<io::Error>,
}

/// How often idle dialogues are looked for.
const ROUND: Duration = Duration::from_secs(1);

impl<'m> SessionManager<'m> {
    /// A desk at which nobody has called.
    pub(super) fn new(
        machine: &'m Machine,
        opening: DialogueSetup,
        twin: Option<Box<dyn Twin>>,
        bounds: ServerLimits,
        ledger: Option<TraceFile>,
    ) -> Self {
        Self { machine, opening, twin, bounds, ledger, talks: BTreeMap::new(), fault: None }
    }

    /// Answers calls until nobody can call any more; then all dialogues end.
    ///
    /// # Errors
    /// Where the trace could not be written.
    pub(super) fn run(mut self, letters: &Receiver<Job>) -> io::Result<()> {
        loop {
            match letters.recv_timeout(ROUND) {
                Ok(letter) => {
                    let told = self.take(&letter.call, Instant::now());
                    // The caller may have gone.
                    let _ = letter.reply.send(told);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.sweep(Instant::now());
        }
        let open: Vec<String> = std::mem::take(&mut self.talks).into_keys().collect();
        self.close(&open);
        self.fault.map_or(Ok(()), Err)
    }

    /// Answers one call.
    fn take(&mut self, call: &ToolCall, now: Instant) -> CallOutcome {
        let mut resumed = true;
        let known = match (&call.session, &call.own) {
            (Some(session), _) if !self.talks.contains_key(session) => {
                let session = crate::diagnostic::escape_control(session);
                log(&format!("refused: no session {session}"));
                return Err(format!(
                    "There is no session `{session}`: it has ended, or never was. Call {TOOL} without `session` to begin anew."
                ));
            }
            (Some(session), _) => Some(session),
            (None, own) => own.as_ref().filter(|own| self.talks.contains_key(*own)),
        };
        let session = known.cloned().unwrap_or_else(|| {
            resumed = false;
            self.open(now)
        });
        let Some(talk) = self.talks.get_mut(&session) else { return Err(LOST.to_owned()) };
        let Some(told) = talk.call(call.state.as_deref(), &session, now) else { return Err(LOST.to_owned()) };
        let over = talk.calls >= self.bounds.calls;
        log(&format!("session {session}: {}", told.summary));
        self.write(&session, &told.record);
        if over {
            self.talks.remove(&session);
            log(&format!("session {session}: ended after {} calls", self.bounds.calls));
            self.close(&[session]);
        }
        Ok(told.answer)
    }

    /// Begins a dialogue.
    fn open(&mut self, now: Instant) -> String {
        if self.talks.len() >= self.bounds.sessions {
            let idlest =
                self.talks.iter().min_by_key(|(_, talk)| talk.last).map(|(session, _)| session.clone());
            if let Some(session) = idlest {
                self.talks.remove(&session);
                log(&format!(
                    "session {session}: ended, since there may be {} at once",
                    self.bounds.sessions
                ));
                self.close(&[session]);
            }
        }
        let session = name();
        let DialogueSetup { settings, start, .. } = &self.opening;
        let mut header = JsonLine::default();
        HeaderLine { dialogue: &session, machine: self.machine, settings, start }.write(&mut header);
        let opening = self.opening.clone();
        let mut company = opening.company();
        if let Some(twin) = &self.twin {
            company.twin = twin.fork();
        }
        let player = opening.player(self.machine).with(company);
        self.talks.insert(session.clone(), McpSession::new(player, now));
        self.write(&session, &header.into_string());
        session
    }

    /// Ends the dialogues that were idle for too long.
    fn sweep(&mut self, now: Instant) {
        let idle = self.bounds.idle;
        let gone = self.talks.extract_if(.., |_, talk| now.saturating_duration_since(talk.last) >= idle);
        let gone: Vec<String> = gone.map(|(session, _)| session).collect();
        for session in &gone {
            log(&format!("session {session}: ended, idle"));
        }
        self.close(&gone);
    }

    fn write(&mut self, session: &str, line: &str) {
        let written = self.ledger.as_mut().map_or(Ok(()), |ledger| ledger.write(session, line));
        self.note(written);
    }

    fn close(&mut self, sessions: &[String]) {
        let ended = self.ledger.as_mut().map_or(Ok(()), |ledger| ledger.end(sessions));
        self.note(ended);
    }

    /// A trace that cannot be written does not keep the assistant from its dialogue, but it is told, and remembered.
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            log(&format!("error: the trace cannot be written: {error}"));
            self.fault.get_or_insert(error);
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
