//! The gate of instructions: a move into a state that needs the user's data passes it, or goes another way.

use super::consent_gate::{may_read, may_write};
use super::instructions::{Instructions, StateInstructions};
use super::reason::InstructionsReason;
use super::schema_gate::fits;
use crate::engine::blackboard::Blackboard;
use crate::engine::condition::TurnContext;
use crate::engine::decision::{Decision, Returns};
use crate::engine::io::{
    Answer, Consent, DenyReason, Effect, EffectKind, EffectOutcome, Need, READ, Verdict, WRITE, answer_of,
};
use crate::engine::session::Symbol;
use crate::machine::{Schema, SchemaId, SlotId, StateId, Value};

/// Lets a decision pass. What a state reads and writes on entering is an effect; where one is denied or comes to nothing,
/// the dialogue goes on without: consent is asked for first, or the state does what it declares for the case, or the state
/// for dialogues without data is entered. A need, where the world must be asked.
pub(super) fn gate(
    instructions: &Instructions,
    consent: Consent,
    turn: &TurnContext<'_>,
    board: &mut Blackboard,
    decision: &mut Decision,
) -> Option<Need> {
    let from = turn.state;
    let kept = turn.session.return_state;
    if decision.to == from
        && instructions.consent == Some(from)
        && turn.input.consent.is_said()
        && let Some(back) = kept
    {
        decision.to = back;
        decision.notes.push(InstructionsReason::ConsentSettled.into());
    }
    if decision.to == from {
        return None;
    }
    if kept.is_some() && (kept == Some(decision.to) || instructions.is_aside(from)) {
        decision.returns = Returns::Forget;
    }
    let here = instructions.of(decision.to)?;
    // Whoever comes from there has answered questions instead.
    if instructions.without_data == Some(from) {
        return None;
    }
    let gate = Gate { turn, instructions, consent, here, target: decision.to };
    if !here.reads.is_empty()
        && let Some(need) = gate.read(board, decision)
    {
        return Some(need);
    }
    // A state that is not entered writes nothing.
    if decision.to == gate.target
        && let Some(schema) = here.writes
    {
        return gate.write(schema, decision);
    }
    None
}

/// A move into a state.
struct Gate<'v> {
    turn: &'v TurnContext<'v>,
    instructions: &'v Instructions,
    consent: Consent,
    here: &'v StateInstructions,
    target: StateId,
}

impl Gate<'_> {
    fn read(&self, board: &mut Blackboard, decision: &mut Decision) -> Option<Need> {
        let kind = EffectKind::Read { state: self.target, keys: self.here.reads.clone() };
        if let Err(denial) = may_read(self.consent) {
            self.deny(kind, denial, decision);
            return None;
        }
        let Some(answer) = answer_of(self.turn.answers, READ) else {
            return Some(Need::Read { state: self.target, keys: self.here.reads.clone() });
        };
        let (delivery, found) = self.delivered(answer);
        board.updates.extend(found);
        decision.effects.push(Effect { kind, verdict: Verdict::Allowed, outcome: Some(delivery) });
        match delivery {
            EffectOutcome::Done => {}
            EffectOutcome::Partial | EffectOutcome::Absent => {
                self.go_without(InstructionsReason::DataMissing, decision);
            }
            EffectOutcome::Invalid => self.go_without(InstructionsReason::DataInvalid, decision),
            EffectOutcome::Down => self.go_without(InstructionsReason::StoreDown, decision),
        }
        None
    }

    /// What a store gave of what the state names, and no more.
    fn delivered(&self, answer: &Answer) -> (EffectOutcome, Vec<(SlotId, Value)>) {
        let answer = answer.value.as_ref();
        match answer.and_then(|answer| answer.get("status")?.as_text()) {
            Some("ok") => {}
            Some("invalid") => return (EffectOutcome::Invalid, Vec::new()),
            _ => return (EffectOutcome::Down, Vec::new()),
        }
        let data = answer.and_then(|answer| answer.get("data"));
        let names = &self.turn.machine.names.slots;
        let value = |slot: SlotId| data?.get(names.name(slot)).filter(|value| !value.is_null()).cloned();
        let found: Vec<(SlotId, Value)> =
            self.here.reads.iter().filter_map(|slot| Some((*slot, value(*slot)?))).collect();
        let delivery = match found.len() {
            0 => EffectOutcome::Absent,
            some if some < self.here.reads.len() => EffectOutcome::Partial,
            _ => EffectOutcome::Done,
        };
        (delivery, found)
    }

    fn write(&self, schema: SchemaId, decision: &mut Decision) -> Option<Need> {
        let rules = &self.turn.machine.schemas[schema];
        let payload = self.payload(rules);
        let kind = EffectKind::Write { state: self.target, schema, payload: payload.clone() };
        let passed = may_write(self.consent).and_then(|()| fits(rules, &payload));
        if let Err(denial) = passed {
            self.deny(kind, denial, decision);
            return None;
        }
        let Some(answer) = answer_of(self.turn.answers, WRITE) else {
            return Some(Need::Write { state: self.target, schema, payload });
        };
        let status = answer.value.as_ref().and_then(|answer| answer.get("status")?.as_text());
        let delivery = if status == Some("ok") { EffectOutcome::Done } else { EffectOutcome::Down };
        decision.effects.push(Effect { kind, verdict: Verdict::Allowed, outcome: Some(delivery) });
        if delivery == EffectOutcome::Down {
            self.go_without(InstructionsReason::StoreDown, decision);
        }
        None
    }

    /// What would be written: what is known under the name of the schema, else what is known of its properties.
    fn payload(&self, schema: &Schema) -> Value {
        let slots = &self.turn.session.slots;
        let known = |name: &str| {
            let value = slots.by_name(&Symbol::of(name, &self.turn.machine.names.slots));
            Some(value).filter(|value| !value.is_null()).cloned()
        };
        known(&schema.name).unwrap_or_else(|| {
            let properties = match schema.text.get("properties") {
                Some(Value::Map(properties)) => properties.as_ref(),
                _ => &[],
            };
            Value::map(properties.iter().filter_map(|(name, _)| Some((&**name, known(name)?))))
        })
    }

    /// An effect that does not pass.
    fn deny(&self, kind: EffectKind, denial: DenyReason, decision: &mut Decision) {
        let asks = self.instructions.consent.filter(|state| denial == DenyReason::NotAsked && *state != self.target);
        let reason = match denial {
            DenyReason::BreaksSchema(_) => InstructionsReason::PayloadInvalid,
            _ => InstructionsReason::ConsentRefused,
        };
        decision.effects.push(Effect { kind, verdict: Verdict::Denied(denial), outcome: None });
        match asks {
            Some(consent) => {
                decision.to = consent;
                decision.returns = Returns::Keep(self.target);
                decision.notes.push(InstructionsReason::ConsentNeeded.into());
            }
            None => self.go_without(reason, decision),
        }
    }

    /// The dialogue goes on without: as the state declares it, else in the state for dialogues without data.
    fn go_without(&self, reason: InstructionsReason, decision: &mut Decision) {
        decision.notes.push(reason.into());
        if self.here.degradation.is_none()
            && let Some(without) = self.instructions.without_data.filter(|state| *state != self.target)
        {
            decision.to = without;
            decision.returns = Returns::Keep(self.target);
        }
    }
}
