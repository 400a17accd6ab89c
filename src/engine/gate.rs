//! Gating: a move into a state that needs the user's data passes the gates, or goes another way (docs/markdown.md).

use super::board::Blackboard;
use super::effect::{DenyReason, Effect, EffectKind, EffectOutcome, Verdict};
use super::gates::{fits, may_read, may_write};
use super::name::Symbol;
use super::need::{Answer, Need, READ, WRITE, answer_of};
use super::reason::Reason;
use super::resolve::{Decision, Returns};
use super::view::TurnContext;
use crate::machine::{Instructions, Schema, SlotId, StateId, StateInstructions, Value};

/// Lets a decision pass the gates. What a state reads and writes on entering is an effect; where one is denied or comes to
/// nothing, the dialogue goes on without: consent is asked for first, or the state does what it declares for the case, or
/// the state for dialogues without data is entered. A need, where the world must be asked.
pub(super) fn gate(
    view: &TurnContext<'_>,
    board: &mut Blackboard,
    decision: &mut Decision,
    answers: &[Answer],
) -> Option<Need> {
    let instructions = view.machine.instructions.as_deref().filter(|_| !decision.failed)?;
    let need = pass(view, instructions, board, decision, answers);
    // Where the gates lead, the dialogue arrives.
    if decision.winning_action.is_none()
        && decision.to != view.state
        && let Some(arrival) = view.machine.state(decision.to).arrival
    {
        decision.action = arrival;
    }
    need
}

fn pass(
    view: &TurnContext<'_>,
    instructions: &Instructions,
    board: &mut Blackboard,
    decision: &mut Decision,
    answers: &[Answer],
) -> Option<Need> {
    let from = view.state;
    let kept = view.session.return_state;
    if decision.to == from
        && instructions.consent == Some(from)
        && view.input.consent.is_said()
        && let Some(back) = kept
    {
        decision.to = back;
        decision.reasons.push(Reason::ConsentSettled);
    }
    if decision.to == from {
        return None;
    }
    if kept.is_some() && (kept == Some(decision.to) || instructions.is_aside(from)) {
        decision.returns = Returns::Forget;
    }
    let guide = view.machine.state(decision.to).guide.as_deref()?;
    // Whoever comes from there has answered questions instead.
    if instructions.without_data == Some(from) {
        return None;
    }
    let gate = Gate { view, instructions, guide, target: decision.to };
    if !guide.reads.is_empty()
        && let Some(need) = gate.read(board, decision, answers)
    {
        return Some(need);
    }
    // A state that is not entered writes nothing.
    if decision.to == gate.target
        && let Some(schema) = guide.writes
    {
        return gate.write(schema, decision, answers);
    }
    None
}

/// A move into a state.
struct Gate<'v> {
    view: &'v TurnContext<'v>,
    instructions: &'v Instructions,
    guide: &'v StateInstructions,
    target: StateId,
}

impl Gate<'_> {
    fn read(&self, board: &mut Blackboard, decision: &mut Decision, answers: &[Answer]) -> Option<Need> {
        let deed = EffectKind::Read { state: self.target, keys: self.guide.reads.clone() };
        if let Err(denial) = may_read(self.view.session.consent) {
            self.deny(deed, denial, decision);
            return None;
        }
        let Some(answer) = answer_of(answers, READ) else {
            return Some(Need::Read { state: self.target, keys: self.guide.reads.clone() });
        };
        let (delivery, found) = self.delivered(answer);
        board.updates.extend(found);
        decision.effects.push(Effect { deed, verdict: Verdict::Allowed, outcome: Some(delivery) });
        match delivery {
            EffectOutcome::Done => {}
            EffectOutcome::Partial | EffectOutcome::Absent => self.go_without(Reason::DataMissing, decision),
            EffectOutcome::Invalid => self.go_without(Reason::DataInvalid, decision),
            EffectOutcome::Down => self.go_without(Reason::StoreDown, decision),
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
        let names = &self.view.machine.names.slots;
        let value = |slot: SlotId| data?.get(names.name(slot)).filter(|value| !value.is_null()).cloned();
        let found: Vec<(SlotId, Value)> =
            self.guide.reads.iter().filter_map(|slot| Some((*slot, value(*slot)?))).collect();
        let delivery = match found.len() {
            0 => EffectOutcome::Absent,
            some if some < self.guide.reads.len() => EffectOutcome::Partial,
            _ => EffectOutcome::Done,
        };
        (delivery, found)
    }

    fn write(&self, schema: usize, decision: &mut Decision, answers: &[Answer]) -> Option<Need> {
        let rules = self.instructions.schemas.get(schema)?;
        let payload = self.payload(rules);
        let deed = EffectKind::Write { state: self.target, schema, payload: payload.clone() };
        let passed = may_write(self.view.session.consent).and_then(|()| fits(rules, &payload));
        if let Err(denial) = passed {
            self.deny(deed, denial, decision);
            return None;
        }
        let Some(answer) = answer_of(answers, WRITE) else {
            return Some(Need::Write { state: self.target, schema, payload });
        };
        let status = answer.value.as_ref().and_then(|answer| answer.get("status")?.as_text());
        let delivery = if status == Some("ok") { EffectOutcome::Done } else { EffectOutcome::Down };
        decision.effects.push(Effect { deed, verdict: Verdict::Allowed, outcome: Some(delivery) });
        if delivery == EffectOutcome::Down {
            self.go_without(Reason::StoreDown, decision);
        }
        None
    }

    /// What would be written: what is known under the name of the schema, else what is known of its properties.
    fn payload(&self, schema: &Schema) -> Value {
        let slots = &self.view.session.slots;
        let known = |name: &str| {
            let value = slots.by_name(&Symbol::of(name, &self.view.machine.names.slots));
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
    fn deny(&self, deed: EffectKind, denial: DenyReason, decision: &mut Decision) {
        let asks =
            self.instructions.consent.filter(|state| denial == DenyReason::NotAsked && *state != self.target);
        let reason = match denial {
            DenyReason::BreaksSchema(_) => Reason::PayloadInvalid,
            _ => Reason::ConsentRefused,
        };
        decision.effects.push(Effect { deed, verdict: Verdict::Denied(denial), outcome: None });
        match asks {
            Some(consent) => {
                decision.to = consent;
                decision.returns = Returns::Keep(self.target);
                decision.reasons.push(Reason::ConsentNeeded);
            }
            None => self.go_without(reason, decision),
        }
    }

    /// The dialogue goes on without: as the state declares it, else in the state for dialogues without data.
    fn go_without(&self, reason: Reason, decision: &mut Decision) {
        decision.reasons.push(reason);
        if self.guide.degradation.is_none()
            && let Some(without) = self.instructions.without_data.filter(|state| *state != self.target)
        {
            decision.to = without;
            decision.returns = Returns::Keep(self.target);
        }
    }
}
