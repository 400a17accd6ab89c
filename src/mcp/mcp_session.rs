//! One dialogue with a client.

use std::sync::Arc;

use serde_json::Value as Json;

use super::call::ToolCall;
use super::consent_question::ConsentQuestion;
use super::flow_turns::flow_turns;
use super::instruction_turns::{asks_first, consents, instruction_turns};
use super::served_tool::ServedTool;
use super::tool_reply::{SpokenReply, ToolReply, broken_limits};
use super::turn_reply::TurnReply;
use crate::diagnostic::Diagnostic;
use crate::engine::{Class, Machine, ScriptedTurn};
use crate::rehearsal::turn_of;
use crate::runtime::{DialogueRunner, Journal};
use crate::trace::{JsonLine, turn_line};

/// One dialogue with a client.
pub(super) struct McpSession {
    pub(super) runner: DialogueRunner,
    journal: Box<dyn Journal>,
    /// The instructions that hold in every state were told.
    is_told: bool,
    /// Its calls so far.
    pub(super) calls: u32,
    /// What the user was asked, and has not answered yet; and whether the call was played before.
    question: Option<(ConsentQuestion, bool)>,
    /// It is over, and nobody may play it any more.
    pub(super) is_over: bool,
}

/// What came of a call.
pub(super) struct PlayedCall {
    /// What the caller is told.
    pub(super) reply: ToolReply,
    /// The turns as lines of a trace.
    pub(super) records: Vec<String>,
    /// The turns in a few words, for the log.
    pub(super) summaries: Vec<String>,
    /// What the user is asked before the caller is told.
    pub(super) question: Option<ConsentQuestion>,
}

/// A turn that was played.
struct Played {
    record: String,
    summary: String,
    broken_limits: Vec<String>,
}

impl McpSession {
    /// A dialogue, as it is now.
    pub(super) fn new(runner: DialogueRunner, journal: Box<dyn Journal>) -> Self {
        Self { runner, journal, is_told: false, calls: 0, question: None, is_over: false }
    }

    /// Where the dialogue is.
    pub(super) fn state(&self) -> &str {
        let session = self.runner.session();
        session.state_name(session.position.state, self.runner.machine())
    }

    /// It is kept no longer: whoever kept it lets go of it.
    pub(super) fn leave_journal(&mut self) {
        self.journal = Box::new(());
    }

    /// Plays the turn that was interrupted when a server before this one ended: its line of a trace.
    ///
    /// # Errors
    /// Why it cannot be played again.
    pub(super) fn go_on(&mut self, line: &str) -> Result<String, String> {
        let turn = turn_of(line, self.runner.machine())?;
        Ok(self.play(&turn).map_err(|finding| finding.title)?.record)
    }

    /// Plays what a call brings, in the dialogue of this name.
    ///
    /// # Errors
    /// Why nothing was played, for the model.
    pub(super) fn call(&mut self, tool: ServedTool, call: &ToolCall, session: &str) -> Result<PlayedCall, String> {
        self.calls = self.calls.saturating_add(1);
        match tool {
            ServedTool::GetInstruction => self.instruct(call, session),
            ServedTool::Turn => self.turn(call, session),
        }
    }

    fn instruct(&mut self, call: &ToolCall, session: &str) -> Result<PlayedCall, String> {
        let machine = Arc::clone(self.runner.machine());
        let pending = self.question.take();
        let (turns, asked) = match (&call.answer, pending) {
            (None, _) => {
                let asked = if call.can_ask { asks_first(call, &machine, self.runner.session()) } else { None };
                if let Some(question) = asked {
                    return Ok(self.hold(question, session));
                }
                (instruction_turns(call, &machine, self.runner.settings(), self.runner.session())?, None)
            }
            (Some(answer), Some((question, moved))) if answer.nonce.as_deref() == Some(&question.nonce) => {
                let Some(word) = answer.word else { return Ok(self.unanswered(session)) };
                let consent = question.granted(word);
                let turns = if moved {
                    vec![consents(consent)]
                } else {
                    let mut turns = instruction_turns(call, &machine, self.runner.settings(), self.runner.session())?;
                    if let Some(last) = turns.last_mut() {
                        last.input.consent = consent;
                    }
                    turns
                };
                (turns, Some(consent))
            }
            (Some(_), kept) => {
                self.question = kept;
                return Err("That question is settled already. Call without an answer to hear where the dialogue is."
                    .to_owned());
            }
        };
        let (mut records, mut summaries, mut broken) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = ScriptedTurn::default();
        for turn in turns {
            let played = self.play(&turn).map_err(|finding| unkept(&finding))?;
            records.push(played.record);
            summaries.push(played.summary);
            broken.extend(played.broken_limits);
            last = turn;
        }
        let spoken = SpokenReply { session, with_base: call.full || !self.is_told, broken: &broken };
        let reply = ToolReply::of(&self.runner.view(&last), &spoken);
        self.is_told = true;
        let question = if call.can_ask && asked.is_none() { self.asked_on_the_way(&machine) } else { None };
        self.question = question.clone().map(|question| (question, true));
        Ok(PlayedCall { reply, records, summaries, question })
    }

    /// The question to the user, where the turn has led the dialogue to where consent is asked for.
    fn asked_on_the_way(&self, machine: &Machine) -> Option<ConsentQuestion> {
        let session = self.runner.session();
        let class = self.runner.record().outcome.as_ref()?.class;
        let asks = machine.instructions()?.consent == Some(session.position.state);
        ConsentQuestion::about(session.return_state?, machine).filter(|_| asks && class == Class::Digress)
    }

    /// Holds a call up: nothing is played before the user has answered.
    fn hold(&mut self, question: ConsentQuestion, session: &str) -> PlayedCall {
        let played = self.unanswered(session);
        self.question = Some((question.clone(), false));
        PlayedCall { question: Some(question), ..played }
    }

    /// What is told where the user said neither yes nor no.
    fn unanswered(&mut self, session: &str) -> PlayedCall {
        let here = ScriptedTurn::default();
        let spoken = SpokenReply { session, with_base: !self.is_told, broken: &[] };
        let note = "The user has said neither yes nor no about the data: nothing has changed. Go on without them, or ask again.";
        let reply = ToolReply::of(&self.runner.view(&here), &spoken).refused(note);
        PlayedCall { reply, records: Vec::new(), summaries: Vec::new(), question: None }
    }

    fn turn(&mut self, call: &ToolCall, session: &str) -> Result<PlayedCall, String> {
        let turns = flow_turns(call, &self.runner)?;
        let (mut records, mut summaries, mut replies) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = ScriptedTurn::default();
        let mut record = Json::Null;
        for turn in turns {
            let played = self.play(&turn).map_err(|finding| unkept(&finding))?;
            record = serde_json::from_str(&played.record).unwrap_or_default();
            let said = record.get("replies").and_then(Json::as_array).into_iter().flatten();
            replies.extend(said.filter_map(Json::as_str).map(str::to_owned));
            records.push(played.record);
            summaries.push(played.summary);
            last = turn;
        }
        let unread = self.runner.unread().filter(|_| !records.is_empty());
        let note = unread
            .map(|failure| format!("Nobody could read what was said: {}. The dialogue has stayed.", failure.reason));
        let view = self.runner.view(&last);
        let TurnReply { text, parts } = TurnReply::of(&view, &record, session, &replies, note.as_deref());
        let reply = ToolReply { session: session.to_owned(), text, parts, refused: false };
        Ok(PlayedCall { reply, records, summaries, question: None })
    }

    /// Plays one turn, and keeps it.
    fn play(&mut self, turn: &ScriptedTurn) -> Result<Played, Box<Diagnostic>> {
        self.journal.begin_turn(&turn_line(turn, self.runner.machine()))?;
        let view = self.runner.play_kept(turn, &mut *self.journal).view;
        let mut line = JsonLine::default();
        view.write(&mut line);
        let record = line.into_string();
        let outcome = view.record.outcome.as_ref();
        let summary = outcome.map_or_else(String::new, |outcome| {
            let (from, to) = (view.state(outcome.state.from), view.state(outcome.state.to));
            let goto = turn.input.goto.as_ref().map(|goto| goto.text(&view.machine.names.states));
            let asked = goto.filter(|goto| *goto != to).map(|goto| format!(", asked for {goto}")).unwrap_or_default();
            format!("{from} -> {to} ({}{asked})", outcome.class.name())
        });
        let broken_limits = broken_limits(&serde_json::from_str(&record).unwrap_or_default());
        self.journal.end_turn(&self.runner, &record)?;
        Ok(Played { record, summary, broken_limits })
    }
}

/// What the caller is told of a turn that cannot be kept.
fn unkept(finding: &Diagnostic) -> String {
    format!("The dialogue can be played no further: {}. Call with `new: true` to begin anew.", finding.title)
}
