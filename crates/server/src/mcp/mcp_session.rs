//! One dialogue with a client.

use serde_json::json;

use super::call::ToolCall;
use super::consent_question::ConsentQuestion;
use super::flow_turns::{FlowTurns, flow_turns};
use super::instruction_turns::{asks_first, instruction_turns};
use super::served_tool::ServedTool;
use super::tool_reply::{SpokenReply, ToolReply, broken_limits, consent_text};
use super::turn_reply::TurnReply;
use fsmsim_core::engine::{Class, ScriptedTurn};
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::{JsonLine, turn_line};
use fsmsim_harness::interactive::turn_of;
use fsmsim_runtime::runtime::{DialogueRunner, Journal};
use fsmsim_syntax::diagnostic::Checked;

/// One dialogue with a client.
pub(super) struct McpSession {
    pub runner: DialogueRunner,
    /// The storage of the dialogue.
    pub journal: Box<dyn Journal>,
    /// Whether the client has received the base instructions.
    has_base: bool,
    /// The number of calls.
    pub calls: u32,
    /// The unanswered question to the user.
    question: Option<ConsentQuestion>,
    /// The call that led to the consent state, while the dialogue is in it.
    led_here: Option<LeadingCall>,
    /// Whether the trace of the dialogue has started.
    pub is_traced: bool,
    /// Whether the dialogue has ended, so that no further call may run.
    pub is_over: bool,
}

/// A call that led to the consent state.
struct LeadingCall {
    call: ToolCall,
    /// Whether the user or the assistant has spoken since.
    was_discussed: bool,
}

/// The outcome of a call.
pub(super) struct PlayedCall {
    /// The reply to the caller.
    pub reply: ToolReply,
    pub turns: PlayedTurns,
    /// The question to the user that must be answered before the reply.
    pub question: Option<ConsentQuestion>,
}

/// The turns of one call.
#[derive(Default)]
pub(super) struct PlayedTurns {
    /// The trace lines.
    pub records: Vec<String>,
    /// Short summaries for the log.
    pub summaries: Vec<String>,
    replies: Vec<String>,
    broken_limits: Vec<String>,
    last: ScriptedTurn,
}

impl McpSession {
    /// A session of a dialogue that is ready to run.
    pub(super) fn new(runner: DialogueRunner, journal: Box<dyn Journal>) -> Self {
        Self {
            runner,
            journal,
            has_base: false,
            calls: 0,
            question: None,
            led_here: None,
            is_traced: false,
            is_over: false,
        }
    }

    /// The current state.
    pub(super) fn state(&self) -> &str {
        let session = self.runner.session();
        session.state_name(session.position.state, self.runner.machine())
    }

    /// Runs the interrupted turn of an earlier server process. Returns its trace lines.
    pub(super) fn go_on(&mut self, line: &str) -> Result<Vec<String>, String> {
        let turn = turn_of(line, self.runner.machine())?;
        let mut played = PlayedTurns::default();
        self.play(turn, &mut played)
            .map_err(|finding| finding.title)?;
        Ok(played.records)
    }

    /// Checks that a call can run.
    pub(super) fn check(&self, tool: ServedTool, call: &ToolCall) -> Result<(), String> {
        match tool {
            ServedTool::GetInstruction => instruction_turns(call, &self.runner).map(drop),
            ServedTool::Turn => flow_turns(call, &self.runner).map(drop),
        }
    }

    /// Runs the turns of a call in a dialogue with this ID.
    pub(super) fn call(
        &mut self,
        tool: ServedTool,
        call: &ToolCall,
        session: &str,
    ) -> Result<PlayedCall, String> {
        let played = match tool {
            ServedTool::GetInstruction => self.instruct(call, session),
            ServedTool::Turn => self.turn(call, session),
        }?;
        // A rejected call has no effect and does not count toward the limit.
        self.calls = self.calls.saturating_add(1);
        Ok(played)
    }

    fn instruct(&mut self, call: &ToolCall, session: &str) -> Result<PlayedCall, String> {
        let (turns, is_answered) = match &call.answer {
            None => {
                if let Some(question) = asks_first(call, &self.runner) {
                    if call.can_ask {
                        return Ok(self.hold(question, session));
                    }
                    if self.may_be_a_repeat(call) {
                        return Ok(self.unasked(session));
                    }
                }
                (instruction_turns(call, &self.runner)?, false)
            }
            Some(answer) => {
                let asked = self.question.as_ref();
                let Some(question) = asked.filter(|asked| answer.nonce == asked.nonce) else {
                    return Err(SETTLED.to_owned());
                };
                let Some(word) = answer.word else {
                    return Ok(self.unanswered(session));
                };
                let consent = question.granted(word);
                let turns = if self
                    .led_here
                    .as_ref()
                    .is_some_and(|led| led.call.brings_the_same_as(call))
                {
                    vec![ScriptedTurn::of_consent(consent)]
                } else {
                    let mut turns = instruction_turns(call, &self.runner)?;
                    if let Some(last) = turns.last_mut() {
                        last.input.consent = consent;
                    }
                    turns
                };
                self.question = None;
                (turns, true)
            }
        };
        let before = self.place();
        let turns = self.play_all(turns)?;
        let spoken = SpokenReply {
            session,
            with_base: call.full || !self.has_base,
            broken: &turns.broken_limits,
        };
        let reply = ToolReply::of(&self.runner.view(&turns.last), &spoken);
        self.has_base = true;
        if let Some(led) = &mut self.led_here {
            led.was_discussed |= call.said.is_some() || call.reply.is_some();
        }
        // In another state, the question is obsolete.
        if self.place() != before {
            self.question = None;
            self.led_here = None;
        }
        let asked = self.asked_on_the_way();
        if asked.is_some() {
            self.led_here = Some(LeadingCall {
                call: call.clone(),
                was_discussed: false,
            });
        }
        let question = asked.filter(|_| call.can_ask && !is_answered);
        if question.is_some() {
            self.question.clone_from(&question);
        }
        Ok(PlayedCall {
            reply,
            turns,
            question,
        })
    }

    /// Whether a call might repeat the call that led to the consent state, because the caller assumes that the first
    /// one was lost. For calls of an earlier server process, only the missing base instructions indicate a repetition.
    fn may_be_a_repeat(&self, call: &ToolCall) -> bool {
        match &self.led_here {
            Some(led) => !led.was_discussed && led.call.brings_the_same_as(call),
            None => !self.has_base && call.said.is_none(),
        }
    }

    /// The current state and the state to return to.
    fn place(&self) -> (StateId, Option<StateId>) {
        let session = self.runner.session();
        (session.position.state, session.return_state())
    }

    /// The question for the user if the turn led to the consent state.
    fn asked_on_the_way(&self) -> Option<ConsentQuestion> {
        let machine = self.runner.machine();
        let session = self.runner.session();
        let class = self.runner.record().outcome.as_ref()?.class;
        let asks = machine.policies.guidance()?.consent == Some(session.position.state);
        ConsentQuestion::about(session.return_state()?, machine)
            .filter(|_| asks && class == Class::Digress)
    }

    /// Postpones a call: no turn runs before the user answers. An open question with the same content is kept, so that
    /// its answer is not lost.
    fn hold(&mut self, question: ConsentQuestion, session: &str) -> PlayedCall {
        let played = self.unanswered(session);
        let question = self
            .question
            .take()
            .filter(|open| open.asks_the_same_as(&question))
            .unwrap_or(question);
        self.question = Some(question.clone());
        PlayedCall {
            question: Some(question),
            ..played
        }
    }

    /// The reply if the user said neither yes nor no.
    fn unanswered(&mut self, session: &str) -> PlayedCall {
        self.refused(
            "The user did not answer the question about the data. Nothing has changed. Continue without the data, or ask again.",
            session,
        )
    }

    /// The reply if a repeated call would imply consent.
    fn unasked(&mut self, session: &str) -> PlayedCall {
        let how = consent_text(&self.runner.view(&ScriptedTurn::default())).unwrap_or_default();
        let played = self.refused(
            &format!("The repeated call does not confirm that the user agrees. Nothing has changed. {how}"),
            session,
        );
        self.has_base = true;
        played
    }

    /// A reply with the current state and the reason why no turn ran.
    fn refused(&self, why: &str, session: &str) -> PlayedCall {
        let here = ScriptedTurn::default();
        let spoken = SpokenReply {
            session,
            with_base: !self.has_base,
            broken: &[],
        };
        let reply = ToolReply::of(&self.runner.view(&here), &spoken).refused(why);
        PlayedCall {
            reply,
            turns: PlayedTurns::default(),
            question: None,
        }
    }

    fn turn(&mut self, call: &ToolCall, session: &str) -> Result<PlayedCall, String> {
        let FlowTurns {
            turns,
            note: ignored,
        } = flow_turns(call, &self.runner)?;
        let turns = self.play_all(turns)?;
        let is_played = !turns.records.is_empty();
        let unread = self.runner.unread().filter(|_| is_played);
        let note = unread
            .map(|failure| {
                format!(
                    "The utterance was not recognized: {}. Nothing has changed.",
                    failure.reason
                )
            })
            .or(ignored);
        let view = self.runner.view(&turns.last);
        let reply = TurnReply::of(&view, is_played, session, &turns.replies, note.as_deref());
        let reply = ToolReply {
            session: session.to_owned(),
            text: reply.to_string(),
            parts: json!(reply),
            refused: false,
        };
        Ok(PlayedCall {
            reply,
            turns,
            question: None,
        })
    }

    fn play_all(&mut self, turns: Vec<ScriptedTurn>) -> Result<PlayedTurns, String> {
        let mut played = PlayedTurns::default();
        for turn in turns {
            self.play(turn, &mut played).map_err(|finding| {
                format!(
                    "The dialogue cannot continue: {}. Call with `new: true` to start a new one.",
                    finding.title
                )
            })?;
        }
        Ok(played)
    }

    /// Runs and saves one turn.
    fn play(&mut self, turn: ScriptedTurn, played: &mut PlayedTurns) -> Checked {
        self.journal
            .begin_turn(&turn_line(&turn, self.runner.machine()))?;
        let view = self.runner.play_kept(&turn, &mut *self.journal).view;
        let mut line = JsonLine::default();
        view.write(&mut line);
        let record = line.into_string();
        let outcome = view.record.outcome.as_ref();
        let summary = outcome.map_or_else(String::new, |outcome| {
            let from = view.state(outcome.state.from);
            let to = view.state(outcome.state.to);
            let goto = turn
                .input
                .goto
                .as_ref()
                .map(|goto| goto.text(&view.machine.names.states));
            let asked = goto
                .filter(|goto| *goto != to)
                .map(|goto| format!(", requested {goto}"))
                .unwrap_or_default();
            format!("{from} -> {to} ({}{asked})", outcome.class.name())
        });
        played.summaries.push(summary);
        played.broken_limits.extend(broken_limits(&view));
        played.replies.extend(view.replies().map(str::to_owned));
        self.journal.end_turn(&self.runner, &record)?;
        played.records.push(record);
        played.last = turn;
        Ok(())
    }

    /// Whether the dialogue has ended.
    pub(super) fn is_final(&self) -> bool {
        self.runner.session().is_final(self.runner.machine())
    }
}

/// The error for an answer to an obsolete question.
const SETTLED: &str =
    "The question is no longer open. Call without an answer to get the current state.";
