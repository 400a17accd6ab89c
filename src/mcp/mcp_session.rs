//! One dialogue with an assistant.

use std::time::Instant;

use super::tool_reply::ToolReply;
use crate::engine::{Consent, Input, Machine, ScriptedTurn, Session, Symbol};
use crate::machine::StateId;
use crate::runtime::DialogueRunner;
use crate::trace::JsonLine;

/// One dialogue with an assistant.
pub(super) struct McpSession {
    runner: DialogueRunner,
    /// When it was last called for.
    pub(super) last: Instant,
    /// Its calls so far.
    pub(super) calls: u32,
    /// Those of them that were played.
    pub(super) turns: u32,
}

/// A call that was played.
pub(super) struct PlayedCall {
    /// What the assistant is told.
    pub(super) reply: ToolReply,
    /// The turn as a line of a trace.
    pub(super) record: String,
    /// The turn in a few words, for the log.
    pub(super) summary: String,
}

impl McpSession {
    /// A dialogue, not yet begun.
    pub(super) fn new(runner: DialogueRunner, now: Instant) -> Self {
        Self { runner, last: now, calls: 0, turns: 0 }
    }

    /// Plays the turn of a call, in the dialogue of this name.
    pub(super) fn call(&mut self, state: Option<&str>, session: &str, now: Instant) -> Option<PlayedCall> {
        self.last = now;
        self.calls = self.calls.saturating_add(1);
        let machine = self.runner.machine();
        let goto = state.map(|name| Symbol::of(name, &machine.names.states));
        let consent =
            goto.as_ref().and_then(Symbol::known).map(|target| implied(target, machine, self.runner.session()));
        let input = Input {
            goto,
            consent: consent.unwrap_or_default(),
            // The assistant calls, and has not spoken yet.
            reply: Some("".into()),
            ..Input::default()
        };
        let scripted = ScriptedTurn { input, ..ScriptedTurn::default() };
        let line = self.runner.play(&scripted).view;
        let outcome = line.record.outcome.as_ref()?;
        let (from, to) = (line.state(outcome.state.from), line.state(outcome.state.to));
        let asked = state.filter(|state| *state != to).map(|state| format!(", asked for {state}")).unwrap_or_default();
        let summary = format!("{from} -> {to} ({}{asked})", outcome.class.name());
        let mut record = JsonLine::default();
        line.write(&mut record);
        let reply = ToolReply::of(&line, session)?;
        self.turns = self.turns.saturating_add(1);
        Some(PlayedCall { reply, record: record.into_string(), summary })
    }
}

/// What a move out of the state that asks for consent says about it. An assistant has no other word than its moves: where
/// it goes on to what needs the data the user has agreed, and where it goes on without, the user has not.
fn implied(target: StateId, machine: &Machine, session: &Session) -> Consent {
    let Some(instructions) = machine.instructions() else { return Consent::default() };
    if instructions.consent != Some(session.position.state) {
        return Consent::default();
    }
    let needs = |state: StateId| {
        instructions.of(state).map_or((false, false), |guide| (!guide.reads.is_empty(), guide.writes.is_some()))
    };
    let said = |(reads, writes): (bool, bool), word: bool| Consent {
        read: reads.then_some(word),
        write: writes.then_some(word),
    };
    if instructions.without_data == Some(target) {
        // Whoever was not waiting for anything is asked about reading.
        said(session.return_state.map_or((true, false), needs), false)
    } else {
        said(needs(target), true)
    }
}
