//! Effects: what would touch the world passes the gates that its kind declares, the world is asked, and what it came to
//! decides how the turn goes on (docs/effects.md).

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::draft::{OpValues, PendingEffect};
use super::resolve::go_on;
use super::{
    Decision, Draft, Effect, Fault, Need, Reason, ReasonKind, Returns, Symbol, TurnContext,
    TurnFacts, Verdict, WatchEvent, answer_of,
};
use crate::limits::MAX_BREACH_CHARS;
use crate::machine::{
    ConditionId, EffectId, Lead, NeedKey, NeedKind, Outcome, OutcomeId, OutcomeMark, Payload,
    Schema, SchemaId, StateId, Value,
};
use fsmsim_syntax::terminal::{beginning, printable};

/// Outcomes that need no rule to let a turn go on.
pub(super) const DONE: [&str; 2] = ["done", "ok"];
/// The outcome of a world that does not answer.
pub const DOWN: &str = "down";
/// What stands for an outcome of which the effect says nothing.
pub(super) const ERROR: &str = "error";
/// The outcome of an effect whose payload breaks its schema, and of one for which the world gives what breaks that of it.
const BREAKS_SCHEMA: &str = "breaks_schema";

/// Under what the world says what came of an effect, where it says more.
const STATUS: &str = "status";

/// Does what is to be done on the way and in the state that is entered. An outcome may lead elsewhere; then that state is
/// entered, no state more than once. A need, where the world must be asked.
pub(super) fn do_effects(turn: &TurnContext<'_>, decision: &mut Decision) -> Option<Need> {
    let mut entered: SmallVec<[StateId; 2]> = SmallVec::new();
    let again = enters_again(turn, decision.to);
    loop {
        if (decision.to != turn.state || again) && !entered.contains(&decision.to) {
            entered.push(decision.to);
            enter(turn, decision);
        }
        let draft = decision
            .draft
            .as_deref_mut()
            .filter(|draft| !draft.pending.is_empty())?;
        let pending = draft.pending.remove(0);
        if let Err(need) = perform(turn, decision, &pending) {
            return Some(need);
        }
    }
}

/// Whether a turn enters the state once more in which it is: it is led there, and brings data that were not there before.
fn enters_again(turn: &TurnContext<'_>, to: StateId) -> bool {
    let led = turn.input.goto.as_ref().and_then(Symbol::known) == Some(turn.state);
    led && to == turn.state && !turn.input.data.values().is_empty()
}

/// Applies what is done on entering the state that was decided for.
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

/// Does one effect, and what its outcome says.
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
        draft.faults.push(Fault::UnknownOutcome {
            effect: kind,
            outcome: (*given.status).into(),
        });
    }
    let Some((id, outcome)) = outcome.zip(found) else {
        if given.denied.is_some() || !DONE.contains(&&*given.status) {
            draft.undo_move(turn);
            lead(turn, decision, Lead::Nowhere, Reason::Held(kind));
        }
        return Ok(());
    };
    if outcome.leads != Lead::On {
        draft.undo_move(turn);
    }
    let moves = *moves && outcome.leads == Lead::On;
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

/// Leads a decision on, and notes why where that is not as it was decided.
fn lead(turn: &TurnContext<'_>, decision: &mut Decision, leads: Lead, why: Reason) {
    if leads != Lead::On || why.kind().is_fallback() {
        decision.notes.push(why);
    }
    let to = match leads {
        Lead::On => return,
        Lead::Nowhere => turn.state,
        Lead::To(state) => state,
        Lead::Aside(state) => {
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
    go_on(turn, decision);
    decision.arrive(turn);
}

impl Outcome {
    /// Why a turn goes where the outcome leads.
    pub(super) fn reason(&self, id: OutcomeId) -> Reason {
        let kind = match (self.mark, self.leads) {
            (OutcomeMark::Degrade, _) => ReasonKind::DetourWithout,
            (_, Lead::Nowhere) => ReasonKind::Stopped,
            (OutcomeMark::None, Lead::On) => ReasonKind::Plain,
            (OutcomeMark::Detour, _) | (OutcomeMark::None, Lead::To(_) | Lead::Aside(_)) => {
                ReasonKind::Detour
            }
        };
        Reason::Outcome(id, kind)
    }
}

/// An effect that is to be asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub kind: EffectId,
    /// What its payload must fit.
    pub schema: Option<SchemaId>,
    pub payload: &'a Value,
}

/// What the world, or a gate before it, says of an effect.
pub(super) struct Given<'a> {
    /// What it came to.
    pub status: Cow<'a, str>,
    /// What the world gave.
    pub value: Option<&'a Value>,
    /// Why a gate does not let it pass, in words, where one does not.
    denied: Option<Box<str>>,
    /// How what the world gave breaks its schema, in words, where it does.
    broken: Option<Box<str>>,
    index: u32,
}

impl Asked<'_> {
    /// Lets the effect pass its gates and asks the world for it, once.
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
        let status =
            value.and_then(|value| value.as_text().or_else(|| value.get(STATUS)?.as_text()));
        let status = status.unwrap_or(DOWN);
        if let Some(words) = self.broken(turn, status, value) {
            // Nothing of it comes to the session.
            return Ok(Given {
                broken: Some(words),
                ..given(Cow::Borrowed(BREAKS_SCHEMA), None)
            });
        }
        Ok(given(Cow::Borrowed(status), value))
    }

    /// How what the world gave breaks its schema. What was not done gives nothing that could.
    fn broken(
        &self,
        turn: &TurnContext<'_>,
        status: &str,
        value: Option<&Value>,
    ) -> Option<Box<str>> {
        let schema = turn.machine.effects[self.kind]
            .gives
            .filter(|_| DONE.contains(&status))?;
        breach(&turn.machine.schemas[schema], &beside_status(value))
    }

    /// What the first gate comes to that does not let the effect pass, and why; last of all, its payload fits its schema.
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
    /// What the outcome means: the first of these that fits. An outcome that none is for is an error, unless a gate speaks.
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

    /// What records call it where nobody says anything else.
    fn name(&self) -> &str {
        let [done, ..] = DONE;
        if DONE.contains(&&*self.status) {
            done
        } else {
            &self.status
        }
    }

    /// Whether somebody has thought of what it came to.
    fn is_known(&self, outcome: Option<&Outcome>) -> bool {
        self.denied.is_some()
            || self.broken.is_some()
            || outcome.is_some_and(|outcome| *outcome.status == *self.status)
            || [DOWN, ERROR]
                .iter()
                .chain(&DONE)
                .any(|known| *known == self.status)
    }

    /// Whether a gate did not let it pass.
    pub(super) fn is_denied(&self) -> bool {
        self.denied.is_some()
    }

    /// What records tell of it.
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
    /// Whether a gate lets an effect pass.
    fn passes(&self, gate: ConditionId, effect: EffectId, number: u32) -> bool {
        let passes = self.holds(gate);
        if let Some(watch) = self.watch {
            watch.note(WatchEvent::Gate(effect, number, passes));
        }
        passes
    }
}

/// What the world gave beside the word for what came of it.
fn beside_status(value: Option<&Value>) -> Value {
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

/// Where and how a value breaks its schema, in words.
fn breach(schema: &Schema, value: &Value) -> Option<Box<str>> {
    let error = schema.error(value)?;
    let place = if error.place.is_empty() {
        String::new()
    } else {
        format!("{}: ", error.place)
    };
    let told = printable(&format!("{place}{}", error.message));
    Some(beginning(&told, MAX_BREACH_CHARS).into())
}
