//! Effects: each passes its gates and is performed outside. Its outcome decides how the turn continues
//! (docs/src/explanation/effects-and-consent.md).

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::draft::{OpValues, PendingEffect};
use super::resolve::continue_from;
use super::{
    Decision, Draft, Effect, Fault, Need, Reason, ReasonKind, Returns, Symbol, TurnContext,
    TurnFacts, Verdict, WatchEvent, answer_of,
};
use crate::limits::MAX_BREACH_CHARS;
use crate::machine::{
    ConditionId, EffectId, NeedKey, NeedKind, NextState, Outcome, OutcomeId, OutcomeMark, Payload,
    Schema, SchemaId, StateId, Value,
};
use fsmsim_syntax::terminal::{beginning, printable};

/// Statuses with which the turn continues even if no outcome matches.
pub(super) const DONE: [&str; 2] = ["done", "ok"];
/// The status if no provider answers.
pub const DOWN: &str = "down";
/// The status that stands for any undeclared outcome.
pub(super) const ERROR: &str = "error";
/// The outcome of an effect whose payload or returned data violates its schema.
const BREAKS_SCHEMA: &str = "breaks_schema";

/// The key of the status in the answer to an effect.
const STATUS: &str = "status";

/// Performs the effects on the path and in the entered state. An outcome can redirect the turn to another state, which
/// is then also entered. Each state is entered at most once. Returns a need if an answer from outside is required.
pub(super) fn do_effects(turn: &TurnContext<'_>, decision: &mut Decision) -> Option<Need> {
    let mut entered: SmallVec<[StateId; 2]> = SmallVec::new();
    let again = enters_again(turn, decision.to);
    loop {
        if (decision.to != turn.state || again) && !entered.contains(&decision.to) {
            entered.push(decision.to);
            enter(turn, decision);
        }
        let pending = decision
            .draft
            .as_deref_mut()
            .filter(|draft| !draft.pending.is_empty())?
            .pending
            .remove(0);
        if let Err(need) = perform(turn, decision, &pending) {
            return Some(need);
        }
    }
}

/// Whether a turn re-enters the current state: it targets the state and has data.
fn enters_again(turn: &TurnContext<'_>, to: StateId) -> bool {
    let targets_state = turn.input.goto.as_ref().and_then(Symbol::known) == Some(turn.state);
    targets_state && to == turn.state && !turn.input.data.values().is_empty()
}

/// Applies the entry operations of the decided state.
fn enter(turn: &TurnContext<'_>, decision: &mut Decision) {
    let ops = turn
        .machine
        .state(decision.to)
        .entry
        .map_or(&[][..], |rule| turn.machine.ops(rule));
    if !ops.is_empty() {
        decision
            .draft
            .get_or_insert_with(|| Box::new(Draft::of(turn)))
            .apply_move(turn, ops);
    }
}

/// Performs one effect and applies its outcome.
fn perform(
    turn: &TurnContext<'_>,
    decision: &mut Decision,
    pending: &PendingEffect,
) -> Result<(), Need> {
    let draft = decision
        .draft
        .get_or_insert_with(|| Box::new(Draft::of(turn)));
    let PendingEffect {
        used,
        when,
        said_before,
        moves,
    } = pending;
    let kind = used.effect;
    let payload = {
        let facts = draft.facts(turn);
        let seen = TurnContext {
            facts: &facts,
            ..draft.seen_by(turn)
        };
        if !when.is_none_or(|when| seen.holds(when)) {
            return Ok(());
        }
        OpValues::of(&seen).payload(&used.payload, draft)
    };
    let schema = match used.payload {
        Payload::Known(schema) => Some(schema),
        _ => turn.machine.effects[kind].schema,
    };
    let asked = Asked {
        kind,
        schema,
        payload: &payload,
    };
    let given = asked.ask(turn, draft)?;
    let outcome = given.outcome(
        turn,
        draft,
        [&used.outcomes, &turn.machine.effects[kind].outcomes],
    );
    let found = outcome.map(|id| &turn.machine.outcomes[id]);
    let name = found.map_or_else(|| given.name(), |outcome| &outcome.name);
    draft.effects.push(given.effect(&asked, decision.to, name));
    if !given.is_known(found) {
        draft.violations.push(Fault::UnknownOutcome {
            effect: kind,
            outcome: (*given.status).into(),
        });
    }
    let Some((id, outcome)) = outcome.zip(found) else {
        if given.denied.is_some() || !DONE.contains(&&*given.status) {
            draft.undo_move(turn);
            lead(turn, decision, NextState::Nowhere, Reason::Held(kind));
        }
        return Ok(());
    };
    if outcome.leads != NextState::On {
        draft.undo_move(turn);
    }
    let moves = *moves && outcome.leads == NextState::On;
    let facts = TurnFacts {
        given: given.value,
        ..*turn.facts
    };
    if let Some(watch) = turn.watch {
        watch.note(WatchEvent::Taken(outcome.rule));
    }
    draft.apply_outcome(
        &TurnContext {
            facts: &facts,
            ..*turn
        },
        turn.machine.ops(outcome.rule),
        moves,
        *said_before,
    );
    lead(turn, decision, outcome.leads, outcome.reason(id));
    Ok(())
}

/// Redirects a decision, and records the reason if the outcome changes it.
fn lead(turn: &TurnContext<'_>, decision: &mut Decision, leads: NextState, why: Reason) {
    if leads != NextState::On || why.kind().is_fallback() {
        decision.notes.push(why);
    }
    let to = match leads {
        NextState::On => return,
        NextState::Nowhere => turn.state,
        NextState::To(state) => state,
        NextState::Digress(state) => {
            decision.returns = Returns::Keep(decision.to);
            state
        }
    };
    decision.to = to;
    decision.mark = None;
    decision.traversal = None;
    if decision.by_action.is_none() {
        decision.action = turn.machine.well_known.continue_goal;
    }
    continue_from(turn, decision);
    decision.arrive(turn);
}

impl Outcome {
    /// The reason for redirecting a turn.
    pub(super) fn reason(&self, id: OutcomeId) -> Reason {
        let kind = match (self.mark, self.leads) {
            (OutcomeMark::Degrade, _) => ReasonKind::DetourWithout,
            (_, NextState::Nowhere) => ReasonKind::Stopped,
            (OutcomeMark::None, NextState::On) => ReasonKind::Plain,
            (OutcomeMark::WhyNotResult, _)
            | (OutcomeMark::None, NextState::To(_) | NextState::Digress(_)) => {
                ReasonKind::WhyNotResult
            }
        };
        Reason::Outcome(id, kind)
    }
}

/// An effect to perform.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub kind: EffectId,
    /// The schema of the payload.
    pub schema: Option<SchemaId>,
    pub payload: &'a Value,
}

/// The result of an effect, from outside or from a gate before it.
pub(super) struct Given<'a> {
    pub status: Cow<'a, str>,
    /// The returned data.
    pub value: Option<&'a Value>,
    /// The reason why a gate denied the effect.
    denied: Option<Box<str>>,
    /// How the returned data violates its schema.
    broken: Option<Box<str>>,
    index: u32,
}

impl Asked<'_> {
    /// Evaluates the gates of the effect, then returns the answer from outside, or the need for it.
    pub(super) fn ask<'t>(&self, turn: &TurnContext<'t>, draft: &Draft) -> Result<Given<'t>, Need> {
        let Self {
            kind,
            schema,
            payload,
        } = *self;
        let index = draft
            .effects
            .iter()
            .filter(|effect| effect.kind == kind)
            .count();
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let given = |status, value| Given {
            status,
            value,
            denied: None,
            broken: None,
            index,
        };
        if let Some((status, words)) = self.denied(turn, draft) {
            return Ok(Given {
                denied: Some(words),
                ..given(Cow::Owned(status), None)
            });
        }
        let Some(answer) = answer_of(
            turn.answers,
            NeedKey {
                kind: NeedKind::Effect(kind),
                index,
            },
        ) else {
            return Err(Need::Effect {
                effect: kind,
                index,
                schema,
                payload: payload.clone(),
            });
        };
        let value = answer.value.as_ref();
        let status = value
            .and_then(|value| value.as_text().or_else(|| value.get(STATUS)?.as_text()))
            .unwrap_or(DOWN);
        if let Some(words) = self.broken(turn, status, value) {
            // None of the data is stored in the session.
            return Ok(Given {
                broken: Some(words),
                ..given(Cow::Borrowed(BREAKS_SCHEMA), None)
            });
        }
        Ok(given(Cow::Borrowed(status), value))
    }

    /// How the returned data violates its schema. The data is checked only if the effect was performed.
    fn broken(
        &self,
        turn: &TurnContext<'_>,
        status: &str,
        value: Option<&Value>,
    ) -> Option<Box<str>> {
        let schema = turn.machine.effects[self.kind]
            .returns
            .filter(|_| DONE.contains(&status))?;
        breach(&turn.machine.schemas[schema], &without_status(value))
    }

    /// The outcome of the first gate that denies the effect, and the reason. The schema of the payload is checked
    /// last.
    fn denied(&self, turn: &TurnContext<'_>, draft: &Draft) -> Option<(String, Box<str>)> {
        let machine = turn.machine;
        let facts = TurnFacts {
            payload: Some(self.payload),
            ..draft.facts(turn)
        };
        let seen = TurnContext {
            facts: &facts,
            ..draft.seen_by(turn)
        };
        let mut gates = machine.effects[self.kind].gates.iter().zip(0..);
        if let Some((gate, _)) =
            gates.find(|(gate, number)| !seen.passes(gate.holds, self.kind, *number))
        {
            return Some((gate.outcome.to_string(), gate.words.clone()));
        }
        let words = breach(&machine.schemas[self.schema?], self.payload)?;
        Some((BREAKS_SCHEMA.to_owned(), words))
    }
}

impl Given<'_> {
    /// The first matching outcome. A status without an outcome counts as an error, unless a gate denied the effect.
    pub(super) fn outcome(
        &self,
        turn: &TurnContext<'_>,
        draft: &Draft,
        outcomes: [&[OutcomeId]; 2],
    ) -> Option<OutcomeId> {
        let facts = TurnFacts {
            given: self.value,
            ..draft.facts(turn)
        };
        let seen = TurnContext {
            facts: &facts,
            ..draft.seen_by(turn)
        };
        let find = |status: &str| {
            outcomes.into_iter().flatten().copied().find(|id| {
                let outcome = &turn.machine.outcomes[*id];
                &*outcome.status == status && outcome.when.is_none_or(|when| seen.holds(when))
            })
        };
        let passes = self.denied.is_some() || DONE.contains(&&*self.status);
        find(&self.status).or_else(|| if passes { None } else { find(ERROR) })
    }

    /// The name in records if no outcome matches.
    fn name(&self) -> &str {
        let [done, ..] = DONE;
        if DONE.contains(&&*self.status) {
            done
        } else {
            &self.status
        }
    }

    /// Whether the status is expected.
    fn is_known(&self, outcome: Option<&Outcome>) -> bool {
        self.denied.is_some()
            || self.broken.is_some()
            || outcome.is_some_and(|outcome| *outcome.status == *self.status)
            || [DOWN, ERROR]
                .iter()
                .chain(&DONE)
                .any(|known| *known == self.status)
    }

    /// Whether a gate denied the effect.
    pub(super) fn is_denied(&self) -> bool {
        self.denied.is_some()
    }

    /// The effect for the record.
    pub(super) fn effect(&self, asked: &Asked<'_>, state: StateId, name: &str) -> Effect {
        let verdict = match (&self.denied, &self.broken) {
            (Some(words), _) => Verdict::Denied(words.clone()),
            (None, Some(words)) => Verdict::Broken {
                outcome: name.into(),
                why: words.clone(),
            },
            (None, None) => Verdict::Allowed(name.into()),
        };
        let Asked {
            kind,
            schema,
            payload,
        } = *asked;
        Effect {
            kind,
            index: self.index,
            state,
            schema,
            payload: payload.clone(),
            verdict,
        }
    }
}

impl TurnContext<'_> {
    /// Whether a gate passes an effect; records the result.
    fn passes(&self, gate: ConditionId, effect: EffectId, number: u32) -> bool {
        let passes = self.holds(gate);
        if let Some(watch) = self.watch {
            watch.note(WatchEvent::Gate(effect, number, passes));
        }
        passes
    }
}

/// The returned data without the status.
fn without_status(value: Option<&Value>) -> Value {
    match value {
        Some(Value::Map(pairs)) => {
            let given = pairs.iter().filter(|(key, _)| &**key != STATUS);
            Value::Map(
                given
                    .map(|(key, value)| (Arc::clone(key), value.clone()))
                    .collect(),
            )
        }
        _ => Value::map([]),
    }
}

/// The location and the message of a schema violation.
fn breach(schema: &Schema, value: &Value) -> Option<Box<str>> {
    let error = schema.error(value)?;
    let place = if error.place.is_empty() {
        String::new()
    } else {
        format!("{}: ", error.place)
    };
    let message = printable(&format!("{place}{}", error.message));
    Some(beginning(&message, MAX_BREACH_CHARS).into())
}
