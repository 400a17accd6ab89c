//! All dialogues of a server, and the rules for their start and end.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use super::call::ToolCall;
use super::caller::Caller;
use super::dialogue_traces::DialogueTraces;
use super::live_sessions::{LiveSession, LiveSessions};
use super::mcp_session::{McpSession, PlayedCall};
use super::served_tool::ServedTool;
use super::service::Service;
use crate::http::{log, random_name};
use crate::limits::{LAST_WORK_TIMEOUT, MAX_ENDED_SESSIONS, MAX_OPEN_SESSIONS};
use fsmsim_adapters::llm::DialogueKey;
use fsmsim_adapters::stores::SessionId;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;
use fsmsim_syntax::threads::Mutex;

/// All dialogues of a server. Each dialogue runs one call at a time; different dialogues run in parallel.
pub(super) struct SessionManager {
    service: Service,
    pub tool: ServedTool,
    sessions: Mutex<LiveSessions<ServedDialogue>>,
    /// The most recently ended dialogues.
    ended: Mutex<VecDeque<EndedSession>>,
    pub traces: DialogueTraces,
}

/// A dialogue in progress.
struct ServedDialogue {
    /// The user of the dialogue, if the server has users.
    user: Option<Arc<str>>,
    dialogue: Mutex<McpSession>,
}

type ServedSession = LiveSession<ServedDialogue>;

/// A dialogue that has ended.
struct EndedSession {
    id: String,
    user: Option<Arc<str>>,
    /// Why calls cannot continue the dialogue.
    why: String,
}

/// The dialogue that a connection has started, for calls that name no dialogue.
pub(super) type OwnSession = Mutex<Option<String>>;

impl SessionManager {
    /// A manager without sessions.
    pub(super) fn new(mut service: Service) -> Self {
        let traces = DialogueTraces::new(service.trace.take());
        let tool = ServedTool::of(&service.machine);
        Self {
            service,
            tool,
            sessions: Mutex::default(),
            ended: Mutex::default(),
            traces,
        }
    }

    /// Runs one call.
    pub(super) fn take(
        &self,
        call: &ToolCall,
        caller: &Caller,
        own: &OwnSession,
    ) -> Result<PlayedCall, String> {
        self.sweep();
        // A dialogue can be unloaded between lookup and lock: then it is loaded again.
        for _ in 0..2 {
            let session = self.session_of(call, caller, own)?;
            session.touch();
            let mut dialogue = session.dialogue.lock();
            if !dialogue.is_over {
                return self.play(call, caller, &session, &mut dialogue);
            }
        }
        Err(self.unknown(call.session.as_deref().unwrap_or_default(), caller))
    }

    /// Runs a call in its dialogue.
    fn play(
        &self,
        call: &ToolCall,
        caller: &Caller,
        session: &ServedSession,
        dialogue: &mut McpSession,
    ) -> Result<PlayedCall, String> {
        let played = dialogue.call(self.tool, call, &session.id)?;
        for summary in &played.turns.summaries {
            caller.log_of(&session.id, summary);
        }
        self.trace(&session.id, dialogue, &played.turns.records);
        session.touch();
        let ends = if dialogue.is_final() {
            Some(format!("has ended in `{}`", dialogue.state()))
        } else if dialogue.calls >= self.service.limits.calls {
            Some(format!("ended after {} calls", self.service.limits.calls))
        } else {
            None
        };
        if let Some(why) = ends {
            self.sessions.lock().remove(&session.id);
            self.end(session, dialogue, &why);
        }
        Ok(played)
    }

    /// The dialogue of a call. Concurrent calls on one connection share a dialogue.
    fn session_of(
        &self,
        call: &ToolCall,
        caller: &Caller,
        own: &OwnSession,
    ) -> Result<Arc<ServedSession>, String> {
        let mut own = own.lock();
        let named = call.session.as_ref().or(own.as_ref()).cloned();
        // An answer continues the call that asked the question, even if that call started a new dialogue.
        let starts_new = call.new && call.answer.is_none();
        let known = match named.as_deref().map(|id| self.find(id, caller)) {
            // For a new dialogue, the previous one need not be loadable.
            Some(Err(_)) if starts_new => None,
            Some(found) => found?,
            None => None,
        };
        match (known, named) {
            (Some(session), _) if !starts_new => {
                // A connection without a dialogue adopts the one that it resumes.
                if own.as_ref().is_none_or(|own| self.has_ended(own)) {
                    *own = Some(session.id.clone());
                }
                Ok(session)
            }
            (None, Some(id))
                if !starts_new && (call.session.is_some() || call.answer.is_some()) =>
            {
                Err(self.unknown(&id, caller))
            }
            (known, _) => {
                let session = self.begin(call, caller, known.as_deref())?;
                *own = Some(session.id.clone());
                Ok(session)
            }
        }
    }

    /// A dialogue in progress, or a saved one. Only its own user can find it.
    fn find(&self, id: &str, caller: &Caller) -> Result<Option<Arc<ServedSession>>, String> {
        let mut sessions = self.sessions.lock();
        if let Some(session) = sessions.find(id) {
            return Ok(Some(session).filter(|session| session.user == caller.user));
        }
        if self.has_ended(id) {
            return Ok(None);
        }
        let is_id = id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some(keeper) = self.service.keeper.as_ref().filter(|_| is_id) else {
            return Ok(None);
        };
        let user = caller.user.as_deref();
        let mut runner = self.runner(id, user);
        let resumed = keeper.resume(id, user, &mut runner).map_err(|finding| {
            caller.log_of(id, &format!("error: cannot resume: {}", finding.title));
            format!(
                "Cannot resume the dialogue `{id}`: {}. Call {} with `new: true` to start a new one.",
                finding.title,
                self.tool.name()
            )
        })?;
        let Some((journal, left)) = resumed else {
            return Ok(None);
        };
        let mut dialogue = McpSession::new(runner, journal);
        if dialogue.is_final() {
            let why = format!("has ended in `{}`", dialogue.state());
            self.remember(id, caller.user.as_ref(), &why);
            return Ok(None);
        }
        self.traces.forget(id);
        self.trace(id, &mut dialogue, &left.records);
        let mut event = format!(
            "resumed in {} after {}",
            dialogue.state(),
            plural(left.turns, "turn")
        );
        if let Some(line) = &left.interrupted {
            match dialogue.go_on(line) {
                Ok(records) => {
                    self.trace(id, &mut dialogue, &records);
                    event.push_str("; the interrupted turn was run again");
                }
                Err(why) => return Err(format!("Cannot resume the dialogue `{id}`: {why}.")),
            }
        }
        caller.log_of(id, &event);
        Ok(Some(self.open(&mut sessions, id, caller, dialogue)))
    }

    /// Starts the dialogue of a call and ends the one that it replaces. A rejected call changes nothing.
    fn begin(
        &self,
        call: &ToolCall,
        caller: &Caller,
        instead_of: Option<&ServedSession>,
    ) -> Result<Arc<ServedSession>, String> {
        let id = random_name().map_err(
            |_| "Cannot create a random session ID. No dialogue has started: try again.",
        )?;
        let user = caller.user.as_deref();
        let mut dialogue = McpSession::new(self.runner(&id, user), Box::new(()));
        dialogue.check(self.tool, call)?;
        if let Some(keeper) = &self.service.keeper {
            let journal = keeper
                .begin(&id, user, &dialogue.runner)
                .map_err(|finding| {
                    format!(
                        "Cannot save the dialogue: {}. No dialogue has started: try again.",
                        finding.title
                    )
                })?;
            dialogue.journal = journal;
        }
        if let Some(replaced) = instead_of {
            self.sessions.lock().remove(&replaced.id);
            self.end(
                replaced,
                &mut replaced.dialogue.lock(),
                "has ended: a new one replaced it",
            );
        }
        Ok(self.open(&mut self.sessions.lock(), &id, caller, dialogue))
    }

    /// Writes the trace of turns. The trace of a dialogue starts with its first turn: a trace without turns is not a
    /// valid scenario.
    fn trace(&self, id: &str, dialogue: &mut McpSession, records: &[String]) {
        if records.is_empty() {
            return;
        }
        if !dialogue.is_traced {
            dialogue.is_traced = true;
            self.traces
                .begin(id, &dialogue.runner, &self.service.setup.start);
        }
        for record in records {
            self.traces.write(id, record);
        }
    }

    fn runner(&self, id: &str, user: Option<&str>) -> DialogueRunner {
        let Service {
            machine,
            setup,
            twins,
            answerers,
            ..
        } = &self.service;
        let mut runner = setup.clone().runner(machine).known_as(SessionId::of(id));
        if let Some(twins) = twins {
            runner = runner.keeping(twins.of(user));
        }
        if let Some(answerers) = answerers {
            runner.ask_from_now(answerers.answerer(&DialogueKey::named(id)));
        }
        runner
    }

    /// Adds a dialogue. Above the limit, the least recently used one is unloaded, unless a call is running in it.
    fn open(
        &self,
        sessions: &mut LiveSessions<ServedDialogue>,
        id: &str,
        caller: &Caller,
        dialogue: McpSession,
    ) -> Arc<ServedSession> {
        let kept = self.service.keeper.is_some();
        let most = if kept {
            self.service.limits.sessions.min(MAX_OPEN_SESSIONS)
        } else {
            self.service.limits.sessions
        };
        while sessions.len() >= most {
            let mut idle = sessions.idle(Duration::ZERO).into_iter();
            let Some(idlest) = idle.find(|session| {
                session.dialogue.try_lock().is_some_and(|mut dialogue| {
                    self.unload(
                        session,
                        &mut dialogue,
                        &format!("ended: at most {most} can be open"),
                    );
                    true
                })
            }) else {
                break;
            };
            sessions.remove(&idlest.id);
        }
        let served = ServedDialogue {
            user: caller.user.clone(),
            dialogue: Mutex::new(dialogue),
        };
        sessions.begin(id, served)
    }

    /// Unloads idle dialogues.
    pub(super) fn sweep(&self) {
        let mut sessions = self.sessions.lock();
        for session in sessions.idle(self.service.limits.idle) {
            // A locked dialogue is in use, so it is not idle.
            if let Some(mut dialogue) = session.dialogue.try_lock() {
                sessions.remove(&session.id);
                self.unload(&session, &mut dialogue, "ended: idle for too long");
            }
        }
    }

    /// Unloads a dialogue. A stored dialogue can be resumed, any other dialogue ends.
    fn unload(&self, session: &ServedSession, dialogue: &mut McpSession, why: &str) {
        if self.service.keeper.is_some() {
            dialogue.is_over = true;
        } else {
            self.end(session, dialogue, why);
        }
    }

    /// Ends a dialogue and completes its trace.
    fn end(&self, session: &ServedSession, dialogue: &mut McpSession, why: &str) {
        if dialogue.is_over {
            return;
        }
        dialogue.is_over = true;
        Caller::default().log_of(&session.id, why);
        self.end_trace(&session.id, dialogue);
        self.remember(&session.id, session.user.as_ref(), why);
        // Closes the session file.
        dialogue.journal = Box::new(());
        // A dialogue in a final state stays stored: later callers learn from its state that it has ended.
        if let Some(keeper) = self
            .service
            .keeper
            .as_ref()
            .filter(|_| !dialogue.is_final())
            && let Err(finding) = keeper.forget(&session.id, session.user.as_deref())
        {
            log(&format!(
                "error: session {}: cannot delete the saved session: {}",
                session.id, finding.title
            ));
        }
    }

    fn end_trace(&self, id: &str, dialogue: &McpSession) {
        if dialogue.is_traced {
            self.traces.end(id, dialogue.runner.turns());
        }
    }

    fn has_ended(&self, id: &str) -> bool {
        self.ended.lock().iter().any(|ended| ended.id == id)
    }

    fn remember(&self, id: &str, user: Option<&Arc<str>>, why: &str) {
        let mut ended = self.ended.lock();
        if ended.len() >= MAX_ENDED_SESSIONS {
            ended.pop_front();
        }
        ended.push_back(EndedSession {
            id: id.to_owned(),
            user: user.cloned(),
            why: why.to_owned(),
        });
    }

    /// The error for an unknown or ended session.
    fn unknown(&self, id: &str, caller: &Caller) -> String {
        let ended = self.ended.lock();
        let ended = ended
            .iter()
            .rev()
            .find(|ended| ended.id == id && ended.user == caller.user);
        let id = printable(id);
        let again = format!(
            "Call {} with `new: true` to start a new one.",
            self.tool.name()
        );
        if let Some(EndedSession { why, .. }) = ended {
            return format!("The dialogue `{id}` {why}. {again}");
        }
        caller.log(&format!("refused: unknown session {id}"));
        format!("Unknown session `{id}`: it has ended or never existed. {again}")
    }

    /// Ends the server. Stored dialogues can be resumed.
    pub(super) fn close(&self) -> io::Result<()> {
        let open = std::mem::take(&mut *self.sessions.lock());
        let until = Instant::now() + LAST_WORK_TIMEOUT;
        for session in open.all() {
            match dialogue_until(&session, until) {
                Some(mut dialogue) if self.service.keeper.is_none() => {
                    if !dialogue.is_over {
                        dialogue.is_over = true;
                        self.end_trace(&session.id, &dialogue);
                    }
                }
                Some(mut dialogue) => dialogue.is_over = true,
                None => log(&format!(
                    "warning: session {}: abandoned a running call",
                    session.id
                )),
            }
        }
        self.traces.close()
    }
}

/// Waits until no call uses the dialogue; `None` after the time limit.
fn dialogue_until(session: &ServedSession, until: Instant) -> Option<MutexGuard<'_, McpSession>> {
    loop {
        if let Some(dialogue) = session.dialogue.try_lock() {
            return Some(dialogue);
        }
        if Instant::now() >= until {
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Characters of a session ID: 128 bits in hexadecimal.
const ID_LENGTH: usize = 32;
