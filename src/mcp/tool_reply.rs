//! What the assistant is told when it has called.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::call::TOOL;
use crate::diagnostic::{did_you_mean, nearest};
use crate::engine::{Class, RecordView};

/// What the assistant is told when it has called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolReply {
    /// The dialogue.
    pub(super) session: String,
    /// The whole of it as text, for models.
    pub(super) text: String,
    /// The same in parts, for programs.
    pub(super) parts: Json,
    /// The move was not made.
    pub(super) refused: bool,
}

impl ToolReply {
    /// What a turn came to, in the dialogue of this name.
    pub(super) fn of(line: &RecordView<'_>, session: &str) -> Option<Self> {
        let outcome = line.record.outcome.as_ref()?;
        let instruction = line.session.instruction(line.machine).unwrap_or_default();
        let here = line.state(outcome.state.to);
        let note = note(line);
        let moves = moves(line);
        let mut text = String::new();
        if let Some(note) = &note {
            let _ = writeln!(text, "{note}\n");
        }
        let _ = write!(text, "{instruction}\n\n---\nState: {here}. ");
        if outcome.is_final {
            text.push_str("The dialogue ends here.");
        } else if moves.is_empty() {
            text.push_str("It leads nowhere.");
        } else {
            let _ = write!(text, "It leads on by {TOOL}(state) to:");
            for (state, condition) in &moves {
                let _ = write!(text, "\n- {state}");
                if !condition.is_empty() {
                    let _ = write!(text, ": {condition}");
                }
            }
        }
        let _ = write!(text, "\nSession: {session}. Give it as `session` with every call.");
        let parts = json!({
            "session": session,
            "state": here,
            "class": outcome.class.name(),
            "note": note,
            "instruction": instruction,
            "moves": moves.iter().map(|(state, condition)| json!({"state": state, "condition": condition})).collect::<Vec<_>>(),
            "final": outcome.is_final,
        });
        Some(Self { session: session.to_owned(), text, parts, refused: outcome.class == Class::Blocked })
    }

    /// The schema of the parts.
    pub(super) fn schema() -> Json {
        let text = |description: &str| json!({"type": "string", "description": description});
        json!({
            "type": "object",
            "properties": {
                "session": text("The dialogue. Give it with every call."),
                "state": text("The state of the dialogue now."),
                "class": text("What kind of turn this was."),
                "note": {"type": ["string", "null"], "description": "What did not go as asked for, and why."},
                "instruction": text("What to do in this state."),
                "moves": {
                    "type": "array",
                    "description": "Where the state leads.",
                    "items": {
                        "type": "object",
                        "properties": {"state": {"type": "string"}, "condition": {"type": "string"}},
                        "required": ["state", "condition"],
                    },
                },
                "final": {"type": "boolean", "description": "Whether the dialogue has ended."},
            },
            "required": ["session", "state", "class", "note", "instruction", "moves", "final"],
        })
    }
}

/// Where the state leads in which the dialogue is now, with the conditions in words.
fn moves<'a>(line: &RecordView<'a>) -> Vec<(&'a str, &'a str)> {
    let moves = line.machine.moves(line.session.position.state).iter();
    moves.map(|way| (line.machine.names.states.name(way.target), &*way.condition)).collect()
}

/// What did not go as it was asked for.
fn note(line: &RecordView<'_>) -> Option<String> {
    let outcome = line.record.outcome.as_ref()?;
    let (from, to) = (line.state(outcome.state.from), line.state(outcome.state.to));
    let asked = line.scripted.input.goto.as_ref().map(|state| state.text(&line.machine.names.states));
    if let Some((target, near)) = line.refused_move() {
        if !line.machine.state_id(target).is_some_and(|state| line.machine.is_declared(state)) {
            let states = line.machine.declared_states().map(|(state, _)| line.machine.names.states.name(state));
            let near = did_you_mean("", nearest(target, states));
            return Some(format!("There is no state `{target}`: nothing has changed.{near}"));
        }
        let near = did_you_mean("", near);
        return Some(format!("`{from}` does not lead to `{target}`: nothing has changed.{near}"));
    }
    let asked = asked.filter(|_| outcome.class != Class::Hold)?;
    let waits = outcome.return_state.map(|state| line.state(state)).filter(|state| *state == asked && *state != to);
    match (outcome.class, waits) {
        (Class::Digress, Some(asked)) => {
            Some(format!("`{asked}` needs the user's data, so that consent is asked for first, in `{to}`."))
        }
        (Class::Degrade, Some(asked)) => {
            Some(format!("`{asked}` needs data that cannot be had: go on without it, in `{to}`."))
        }
        (Class::Degrade, None) => Some(format!("`{to}` has to do without data that it needs.")),
        _ => None,
    }
}
