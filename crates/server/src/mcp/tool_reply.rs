//! The reply to a `get_instruction` call.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::argument_schema::listed;
use fsmsim_core::engine::{Class, Effect, RecordView, Verdict};
use fsmsim_core::machine::{ConsentKind, EffectKind, Schema, StateId};
use fsmsim_syntax::diagnostic::{nearest, similar_name_hint};
use fsmsim_syntax::terminal::Joined;

/// The reply to a `get_instruction` call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolReply {
    pub session: String,
    /// The complete reply as text, for LLMs.
    pub text: String,
    /// The same content in structured form.
    pub parts: Json,
    /// Whether the transition was rejected.
    pub refused: bool,
}

/// Settings of a reply.
pub(super) struct SpokenReply<'a> {
    /// The session ID.
    pub session: &'a str,
    /// Whether the base instructions are included.
    pub with_base: bool,
    /// Sentences about the violated reply limits.
    pub broken: &'a [String],
}

impl ToolReply {
    /// Describes the dialogue after its last turn.
    pub(super) fn of(line: &RecordView<'_>, spoken: &SpokenReply<'_>) -> Self {
        let SpokenReply {
            session,
            with_base,
            broken,
        } = *spoken;
        let outcome = line.record.outcome.as_ref();
        let machine = line.machine;
        let base = machine
            .policies
            .guidance()
            .map(|guidance| guidance.base.trim())
            .filter(|base| !base.is_empty())
            .filter(|_| with_base);
        let instruction = line.session.instruction_here(machine).unwrap_or_default();
        let here = line.state(line.session.position.state);
        let saved = saved(line);
        let notes: Vec<String> = broken
            .iter()
            .cloned()
            .chain(note(line))
            .chain(saved.map(|saved| format!("`{saved}` is saved.")))
            .chain(unsaved(line))
            .collect();
        let note = (!notes.is_empty()).then(|| notes.join(" "));
        let moves = moves(line);
        let is_final = line.session.is_final(machine);
        let mut text = String::new();
        for part in note.as_deref().into_iter().chain(base) {
            let _ = writeln!(text, "{part}\n");
        }
        let _ = write!(text, "{instruction}\n\n---\nState: {here}. ");
        if is_final {
            let _ = write!(
                text,
                "The dialogue has ended. Call {GET_INSTRUCTION} with `new: true` to start a new one."
            );
        } else if moves.is_empty() {
            text.push_str("It has no next states.");
        } else {
            let _ = write!(text, "Next states for {GET_INSTRUCTION}(state):");
            for OfferedMove {
                state,
                condition,
                saves,
                returns_to,
            } in &moves
            {
                let _ = write!(text, "\n- {state}");
                if let Some(back) = returns_to {
                    let _ = write!(text, " (back to `{back}`)");
                }
                if !condition.is_empty() {
                    let _ = write!(text, ": {condition}");
                }
                if let Some(saves) = saves {
                    let _ = write!(text, " (saves `{saves}`: pass it as `data`)");
                }
            }
        }
        let _ = write!(
            text,
            "\nSession: {session}. Pass it as `session` with every call."
        );
        let parts = InstructionAnswer {
            session,
            state: here,
            class: outcome.map_or(Class::Hold, |outcome| outcome.class).name(),
            note,
            base,
            instruction,
            moves,
            saved,
            r#final: is_final,
        };
        let refused = outcome.is_some_and(|outcome| outcome.class == Class::Blocked);
        Self {
            session: session.to_owned(),
            text,
            parts: json!(parts),
            refused,
        }
    }

    /// A reply to a call that had no effect, with the reason.
    pub(super) fn refused(mut self, why: &str) -> Self {
        self.text = format!("{why}\n\n{}", self.text);
        if let Some(note) = self.parts.get_mut("note") {
            *note = json!(why);
        }
        self.refused = true;
        self
    }
}

/// The parts of a reply.
#[derive(Serialize, JsonSchema)]
pub(super) struct InstructionAnswer<'a> {
    /// ID of the dialogue. Pass it with every call.
    session: &'a str,
    /// Current state.
    state: &'a str,
    /// Class of the turn.
    class: &'a str,
    /// Notes about the call, such as the reason for a rejection.
    note: Option<String>,
    /// Instructions for every state; only in the first answer, or with `full`.
    base: Option<&'a str>,
    /// Instruction for the current state.
    instruction: String,
    /// Possible next states.
    moves: Vec<OfferedMove<'a>>,
    /// Schema of the saved data.
    saved: Option<&'a str>,
    /// Whether the dialogue has ended.
    r#final: bool,
}

/// A possible next state.
#[derive(Serialize, JsonSchema)]
struct OfferedMove<'a> {
    state: &'a str,
    condition: &'a str,
    /// Schema of the `data` that the state saves.
    saves: Option<&'a str>,
    /// State to which the dialogue returns, if the move ends an aside.
    returns_to: Option<&'a str>,
}

/// The transitions of the current state.
fn moves<'a>(line: &RecordView<'a>) -> Vec<OfferedMove<'a>> {
    let declared = line.machine.moves(line.session.position.state);
    let back = |target| line.session.resumed_by(target, line.machine);
    let offered = |target: StateId, condition: &'a str| OfferedMove {
        state: line.machine.names.states.name(target),
        condition,
        saves: saves(line, target).map(|schema| &*schema.name),
        returns_to: back(target).map(|state| line.state(state)),
    };
    let waiting = waits_for_consent(line)
        .filter(|state| declared.iter().all(|declared| declared.target != *state))
        .map(|state| offered(state, "The user agrees"));
    declared
        .iter()
        .map(|declared| offered(declared.target, &declared.condition))
        .chain(waiting)
        .collect()
}

/// The state that waits for the user's consent, if the dialogue is in the consent state.
fn waits_for_consent(line: &RecordView<'_>) -> Option<StateId> {
    let asks = line.machine.policies.guidance()?.consent == Some(line.session.position.state);
    line.session.return_state().filter(|_| asks)
}

/// Describes how the assistant reports the user's answer, if the dialogue is in the consent state.
pub(super) fn consent_text(line: &RecordView<'_>) -> Option<String> {
    let waiting = line.state(waits_for_consent(line)?);
    let without = match line.machine.policies.guidance()?.no_data_state {
        Some(state) => format!("call it with `state: {}`", line.state(state)),
        None => "go to another state".to_owned(),
    };
    Some(format!(
        "Ask the user, and do not answer for them. If the user agrees, call {GET_INSTRUCTION} with `state: {waiting}` and the answer as \
         `said`; otherwise, {without}."
    ))
}

fn saves<'a>(line: &RecordView<'a>, state: StateId) -> Option<&'a Schema> {
    Some(&line.machine.schemas[line.machine.guide(state)?.writes?])
}

/// The writes of the turn, whether they were done or not.
fn writes<'a>(line: &RecordView<'a>) -> impl Iterator<Item = (&'a Schema, &'a Effect)> {
    let effects = line
        .record
        .outcome
        .as_ref()
        .map_or(&[][..], |_| &line.record.effects);
    let machine = line.machine;
    let is_write = |effect: &&Effect| machine.effects[effect.kind].kind == EffectKind::Write;
    effects
        .iter()
        .filter(is_write)
        .filter_map(|effect| Some((&machine.schemas[effect.schema?], effect)))
}

/// The schema name of the data that the turn has saved.
fn saved<'a>(line: &RecordView<'a>) -> Option<&'a str> {
    writes(line)
        .find(|(_, effect)| effect.outcome() == Some(DONE))
        .map(|(schema, _)| &*schema.name)
}

/// Describes data that the turn did not save; `None` if the user is asked first.
fn unsaved(line: &RecordView<'_>) -> Option<String> {
    let (schema, effect) = writes(line).find(|(_, effect)| effect.outcome() != Some(DONE))?;
    let outcome = line.record.outcome.as_ref()?;
    if outcome.class == Class::Digress {
        return None;
    }
    let name = &schema.name;
    if line.session.policies.consent(ConsentKind::Write) == Some(false) {
        return Some(format!("`{name}` is not saved: the user did not agree."));
    }
    let Verdict::Denied(why) = &effect.verdict else {
        return Some(format!(
            "`{name}` is not saved: the data store is unavailable."
        ));
    };
    let text = serde_json::to_string(&schema.text).unwrap_or_default();
    let state = line.machine.names.states.name(effect.state);
    Some(format!(
        "`{name}` is not saved: {why}. To save it, call {GET_INSTRUCTION} with `state: {state}` and `data` that matches: {text}"
    ))
}

/// Describes the reply limits that the assistant violated.
pub(super) fn broken_limits(line: &RecordView<'_>) -> Vec<String> {
    let policies = line.machine.policies.facts();
    let broken = policies.flat_map(|policy| policy.reply_faults(line));
    let sentences = broken.map(|fault| {
        let bound = if fault.too_few { "at least" } else { "at most" };
        format!(
            "Your reply in the last state violates its limit `{}`: found {}, expected {bound} {}.",
            fault.limit, fault.found, fault.bound
        )
    });
    sentences.collect()
}

/// The outcome of an effect that was done.
const DONE: &str = "done";
pub(super) const GET_INSTRUCTION: &str = "get_instruction";

/// Explains why a request was not fulfilled.
fn note(line: &RecordView<'_>) -> Option<String> {
    let outcome = line.record.outcome.as_ref()?;
    let from = line.state(outcome.state.from);
    let to = line.state(outcome.state.to);
    let asked = line
        .scripted
        .input
        .goto
        .as_ref()
        .map(|state| state.text(&line.machine.names.states));
    if let Some((target, near)) = line.refused_move() {
        if !line
            .machine
            .state_id(target)
            .is_some_and(|state| line.machine.is_declared(state))
        {
            let states = line.machine.declared_names();
            let near = similar_name_hint("state", nearest(target, states));
            return Some(format!(
                "Unknown state `{target}`. Nothing has changed.{near}"
            ));
        }
        let near = similar_name_hint("state", near);
        return Some(format!(
            "`{from}` has no transition to `{target}`. Nothing has changed.{near}"
        ));
    }
    let asked = asked.filter(|_| outcome.class != Class::Hold)?;
    let waits = outcome
        .return_state
        .map(|state| line.state(state))
        .filter(|state| *state == asked && *state != to);
    let reads = |name: &str| {
        let guide = line.machine.guide(line.machine.state_id(name)?);
        guide.filter(|guide| !guide.reads.is_empty())
    };
    match (outcome.class, waits) {
        (Class::Digress, Some(asked)) => {
            let how = consent_text(line).unwrap_or_default();
            let access = access(line, asked);
            Some(format!(
                "`{asked}` {access} in the user's data, and `{to}` asks for consent first. {how}"
            ))
        }
        (Class::Degrade, Some(asked)) if reads(asked).is_some() => Some(format!(
            "`{asked}` needs data that is unavailable: continue without it in `{to}`."
        )),
        (Class::Degrade, None) if reads(to).is_some() => {
            Some(format!("`{to}` continues without data that it needs."))
        }
        // The note about unsaved data covers a state that only saves.
        _ => None,
    }
}

/// The access of a state to the user's data, such as "reads `week` and saves `weekly_plan`".
fn access(line: &RecordView<'_>, state: &str) -> String {
    let machine = line.machine;
    let state = machine.state_id(state);
    let reads = state
        .and_then(|state| machine.guide(state))
        .map_or(&[][..], |guide| &guide.reads);
    let names: Vec<&str> = reads
        .iter()
        .map(|slot| machine.names.slots.name(*slot))
        .collect();
    let reads = (!names.is_empty()).then(|| format!("reads {}", listed(&names)));
    let saves = state
        .and_then(|state| saves(line, state))
        .map(|schema| format!("saves `{}`", schema.name));
    reads.into_iter().chain(saves).joined(" and ")
}
