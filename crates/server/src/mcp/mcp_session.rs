//! One dialogue with a client.

use serde_json::json;

use super::call::ToolCall;
use super::consent_question::ConsentQuestion;
use super::flow_turns::{FlowTurns, flow_turns};
use super::instruction_turns::{asks_first, instruction_turns};
use super::served_tool::ServedTool;
use super::tool_reply::{SpokenReply, ToolReply, broken_limits, how_consent_is_told};
use super::turn_reply::TurnReply;
use fsmsim_core::engine::{Class, ScriptedTurn};
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::{JsonLine, turn_line};
use fsmsim_harness::rehearsal::turn_of;
use fsmsim_runtime::runtime::{DialogueRunner, Journal};
use fsmsim_syntax::diagnostic::Checked;

/// One dialogue with a client.
pub(super) struct McpSession {
    pub(super) runner: DialogueRunner,
    /// Where it is kept.
    pub(super) journal: Box<dyn Journal>,
    /// The instructions that hold in every state were told.
    is_told: bool,
    /// Its calls so far.
    pub(super) calls: u32,
    /// What the user was asked, and has not answered yet.
    question: Option<ConsentQuestion>,
    /// The call that led to where consent is asked for, as long as the dialogue is there.
    led_here: Option<LeadingCall>,
    /// Its trace has begun.
    pub(super) is_traced: bool,
    /// It is over, and nobody may play it any more.
    pub(super) is_over: bool,
}

/// A call that has led to where consent is asked for.
struct LeadingCall {
    call: ToolCall,
    /// Somebody has spoken since.
    is_spoken_of: bool,
}

/// What came of a call.
pub(super) struct PlayedCall {
    /// What the caller is told.
    pub(super) reply: ToolReply,
    pub(super) turns: PlayedTurns,
    /// What the user is asked before the caller is told.
    pub(super) question: Option<ConsentQuestion>,
}

/// Turns that were played one after the other.
#[derive(Default)]
pub(super) struct PlayedTurns {
    /// As lines of a trace.
    pub(super) records: Vec<String>,
    /// In a few words, for the log.
    pub(super) summaries: Vec<String>,
    replies: Vec<String>,
    broken_limits: Vec<String>,
    last: ScriptedTurn,
}

impl McpSession {
    /// A dialogue, as it is now.
    pub(super) fn new(runner: DialogueRunner, journal: Box<dyn Journal>) -> Self {
        Self {
            runner,
            journal,
            is_told: false,
            calls: 0,
            question: None,
            led_here: None,
            is_traced: false,
            is_over: false,
        }
    }

    /// Where the dialogue is.
    pub(super) fn state(&self) -> &str {
        let session = self.runner.session();
        session.state_name(session.position.state, self.runner.machine())
    }

    /// Plays the turn that was interrupted when a server before this one ended: its lines of a trace.
    pub(super) fn go_on(&mut self, line: &str) -> Result<Vec<String>, String> {
        let (turn, mut played) = (
            turn_of(line, self.runner.machine())?,
            PlayedTurns::default(),
        );
        self.play(turn, &mut played)
            .map_err(|finding| finding.title)?;
        Ok(played.records)
    }

    /// Whether a call could be played now.
    pub(super) fn check(&self, tool: ServedTool, call: &ToolCall) -> Result<(), String> {
        match tool {
            ServedTool::GetInstruction => instruction_turns(call, &self.runner).map(drop),
            ServedTool::Turn => flow_turns(call, &self.runner).map(drop),
        }
    }

    /// Plays what a call brings, in the dialogue of this name.
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
        // What is refused has changed nothing, and does not bring the dialogue nearer to its end.
        self.calls = self.calls.saturating_add(1);
        Ok(played)
    }

    fn instruct(&mut self, call: &ToolCall, session: &str) -> Result<PlayedCall, String> {
        let (turns, is_answered) = match &call.answer {
            None => {
                if let Some(asked) = asks_first(call, &self.runner) {
                    if call.can_ask {
                        return Ok(self.hold(asked, session));
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
            with_base: call.full || !self.is_told,
            broken: &turns.broken_limits,
        };
        let reply = ToolReply::of(&self.runner.view(&turns.last), &spoken);
        self.is_told = true;
        if let Some(led) = &mut self.led_here {
            led.is_spoken_of |= call.said.is_some() || call.reply.is_some();
        }
        // Where the dialogue has gone elsewhere, nobody waits for the answer any more.
        if self.place() != before {
            (self.question, self.led_here) = (None, None);
        }
        let asked = self.asked_on_the_way();
        if asked.is_some() {
            self.led_here = Some(LeadingCall {
                call: call.clone(),
                is_spoken_of: false,
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

    /// Whether a call may be the one once more that led to where consent is asked for, of which the caller takes it that it was
    /// lost. Of one that a server before this one has played nothing is known but that.
    fn may_be_a_repeat(&self, call: &ToolCall) -> bool {
        match &self.led_here {
            Some(led) => !led.is_spoken_of && led.call.brings_the_same_as(call),
            None => !self.is_told && call.said.is_none(),
        }
    }

    /// Where the dialogue is, and to where it goes on from there.
    fn place(&self) -> (StateId, Option<StateId>) {
        let session = self.runner.session();
        (session.position.state, session.return_state)
    }

    /// The question to the user, where the turn has led the dialogue to where consent is asked for.
    fn asked_on_the_way(&self) -> Option<ConsentQuestion> {
        let (machine, session) = (self.runner.machine(), self.runner.session());
        let class = self.runner.record().outcome.as_ref()?.class;
        let asks = machine.policies.guidance()?.consent == Some(session.position.state);
        ConsentQuestion::about(session.return_state?, machine)
            .filter(|_| asks && class == Class::Digress)
    }

    /// Holds a call up: nothing is played before the user has answered. What he is asked already is the same question, so that
    /// no answer to it is lost.
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

    /// What is told where the user said neither yes nor no.
    fn unanswered(&mut self, session: &str) -> PlayedCall {
        self.refused(
            "The user has said neither yes nor no about the data: nothing has changed. Go on without them, or ask again.",
            session,
        )
    }

    /// What is told where a call that came once more would speak for the user.
    fn unasked(&mut self, session: &str) -> PlayedCall {
        let how =
            how_consent_is_told(&self.runner.view(&ScriptedTurn::default())).unwrap_or_default();
        let played = self.refused(
            &format!("The same call once more does not say that the user has agreed: nothing has changed. {how}"),
            session,
        );
        self.is_told = true;
        played
    }

    /// Where the dialogue is, and why nothing was played.
    fn refused(&self, why: &str, session: &str) -> PlayedCall {
        let here = ScriptedTurn::default();
        let spoken = SpokenReply {
            session,
            with_base: !self.is_told,
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
            note: untaken,
        } = flow_turns(call, &self.runner)?;
        let turns = self.play_all(turns)?;
        let is_played = !turns.records.is_empty();
        let unread = self.runner.unread().filter(|_| is_played);
        let note = unread
            .map(|failure| {
                format!(
                    "Nobody could read what was said: {}. The dialogue has stayed.",
                    failure.reason
                )
            })
            .or(untaken);
        let view = self.runner.view(&turns.last);
        let told = TurnReply::of(&view, is_played, session, &turns.replies, note.as_deref());
        let reply = ToolReply {
            session: session.to_owned(),
            text: told.to_string(),
            parts: json!(told),
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
                    "The dialogue can be played no further: {}. Call with `new: true` to begin anew.",
                    finding.title
                )
            })?;
        }
        Ok(played)
    }

    /// Plays one turn, and keeps it.
    fn play(&mut self, turn: ScriptedTurn, played: &mut PlayedTurns) -> Checked {
        self.journal
            .begin_turn(&turn_line(&turn, self.runner.machine()))?;
        let view = self.runner.play_kept(&turn, &mut *self.journal).view;
        let mut line = JsonLine::default();
        view.write(&mut line);
        let record = line.into_string();
        let outcome = view.record.outcome.as_ref();
        let summary = outcome.map_or_else(String::new, |outcome| {
            let (from, to) = (view.state(outcome.state.from), view.state(outcome.state.to));
            let goto = turn
                .input
                .goto
                .as_ref()
                .map(|goto| goto.text(&view.machine.names.states));
            let asked = goto
                .filter(|goto| *goto != to)
                .map(|goto| format!(", asked for {goto}"))
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

    /// Whether the dialogue is over.
    pub(super) fn is_final(&self) -> bool {
        self.runner.session().is_final(self.runner.machine())
    }
}

/// What the caller is told who answers what nobody asks any more.
const SETTLED: &str =
    "That question is settled already. Call without an answer to hear where the dialogue is.";
