//! Applying: what a turn of a class leaves behind, once it is known what the backend came to.

use super::carryover::{carried, clear, let_through};
use super::contract::Contract;
use super::depth::Depth;
use super::matching::Matching;
use super::reason::ContractReason;
use super::transition_class::{Mutation, OutcomeRule, Property, TransitionClass, ValueSource};
use super::violation::Violation;
use crate::engine::condition::{Scope, TurnContext, TurnFacts};
use crate::engine::decision::Decision;
use crate::engine::io::{EXECUTE, Need, answer_of};
use crate::engine::session::Slots;
use crate::machine::{ClassId, List, SlotId, StateId, Value};

/// What a turn of a class leaves behind.
#[derive(Clone, Debug)]
pub struct ContractOutcome {
    /// The class; nothing where no class took the turn.
    pub class: Option<ClassId>,
    /// The classes that took the turn.
    pub matching: Matching,
    /// What the backend came to.
    pub outcome: Option<Box<str>>,
    /// What was done that the contract does not allow.
    pub violations: Vec<Violation>,
    /// How much was carried over; nothing where no class took the turn.
    pub depth: Option<Depth>,
}

impl ContractOutcome {
    /// A turn that no class takes.
    pub(super) fn unclassified(matching: Matching) -> Self {
        let violations = vec![Violation::Unclassified];
        Self { class: None, matching, outcome: None, violations, depth: None }
    }

    /// The class that was to take the turn and the one that took it over, where one did.
    pub fn replaced(&self) -> Option<(ClassId, ClassId)> {
        self.matching.class.zip(self.class).filter(|(chosen, class)| chosen != class)
    }
}

/// Works out what a turn leaves behind: executes its route, where its class has one. A need, where the backend must be asked.
///
/// # Errors
/// The need for the backend.
pub(super) fn apply(
    contract: &Contract,
    turn: &TurnContext<'_>,
    matching: Matching,
    decision: &mut Decision,
) -> Result<ContractOutcome, Need> {
    let taken = matching.class.and_then(|id| Some((id, contract.classes.lookup(id)?)));
    let Some((chosen, class)) = taken else {
        if contract.is_whole {
            *decision = Decision::give_up(turn.machine, turn.state, ContractReason::Unclassified.into());
        }
        return Ok(ContractOutcome::unclassified(matching));
    };
    let mut application = Application { turn, contract, outcome: None, given: None, violations: Vec::new() };
    let mut after = application.enter(class, None);
    if let Some(route) = class.executes {
        let route = after.get(route).clone();
        let Some(answer) = answer_of(turn.answers, EXECUTE) else {
            return Err(Need::Execute { class: chosen, route, data: known(turn, &after) });
        };
        application.given = answer.value.as_ref();
        let status = application.given.and_then(|given| given.get("status")?.as_text()).unwrap_or(Contract::DOWN);
        application.outcome = Some(status);
        // Now what the backend gave can be put into fields.
        application.violations.clear();
        after = application.enter(class, None);
    }
    let rule = application.rule();
    let mut class = (chosen, class);
    if let Some(instead) = rule.and_then(|rule| rule.becomes).filter(|instead| *instead != chosen)
        && let Some(taker) = contract.classes.lookup(instead)
    {
        class = (instead, taker);
        let attempted = after;
        // What the class of the attempt would have broken, it did not break.
        application.violations.clear();
        after = application.enter(taker, Some(&attempted));
        decision.notes.push(ContractReason::Became(instead).into());
        decision.to = taker.mode.unwrap_or(turn.state);
        application.sets(rule.map_or(&[], |rule| &rule.sets), &attempted, Some(&attempted), &mut after);
    } else if let Some(rule) = rule {
        let base = after.clone();
        application.sets(&rule.sets, &base, Some(&base), &mut after);
    }
    decision.to = rule.and_then(|rule| rule.mode).unwrap_or(decision.to);
    decision.action = class.1.action.unwrap_or(decision.action);
    let taken_as = ContractReason::Class(chosen).into();
    if !decision.reasons().any(|reason| reason == taken_as) {
        // A class without a mode and an action proposes nothing.
        decision.notes.insert(0, taken_as);
    }
    application.answer(class, rule, &mut after);
    application.properties(class, decision.to, &after);
    let frames = &turn.machine.frames;
    let depth = carried(frames, class.1, &let_through(frames, class.1, &turn.session.slots), &after);
    decision.data = Some(Box::new(after));
    let Application { outcome, violations, .. } = application;
    let outcome = outcome.map(Into::into);
    Ok(ContractOutcome { class: Some(class.0), matching, outcome, violations, depth: Some(depth) })
}

/// What is known when a route is executed: the frames as maps.
fn known(turn: &TurnContext<'_>, slots: &Slots) -> Value {
    let said = turn.input.data.values().iter();
    let said = said.map(|(name, value)| (name.text(&turn.machine.names.slots), value.clone()));
    let fields = turn
        .machine
        .frames
        .fields()
        .map(|(_, field)| (turn.machine.names.slots.name(field.slot), slots.get(field.slot)));
    let fields = fields.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, value.clone()));
    Value::map(said.chain(fields).collect::<Vec<_>>())
}

/// A class that is being applied to a turn.
struct Application<'v> {
    turn: &'v TurnContext<'v>,
    contract: &'v Contract,
    outcome: Option<&'v str>,
    /// What the backend gave.
    given: Option<&'v Value>,
    violations: Vec<Violation>,
}

impl<'v> Application<'v> {
    /// What the contract says of the outcome.
    fn rule(&mut self) -> Option<&'v OutcomeRule> {
        let outcome = self.outcome?;
        let rule = self.contract.outcome(outcome);
        if rule.is_none() {
            self.violations.push(Violation::UnknownOutcome(outcome.into()));
        }
        rule
    }

    /// The data after a turn of the class, before the backend has its say.
    fn enter(&mut self, class: &TransitionClass, attempted: Option<&Slots>) -> Slots {
        let base = let_through(&self.turn.machine.frames, class, &self.turn.session.slots);
        let mut after = base.clone();
        for frame in class.clears.iter().filter_map(|frame| self.turn.machine.frames.lookup(*frame)) {
            clear(frame, &mut after);
        }
        self.sets(&class.sets, &base, attempted, &mut after);
        for preserved in &class.preserves {
            if preserved.unless.is_none_or(|slot| self.turn.said(slot).is_null()) {
                after.set(preserved.slot, base.get(preserved.slot).clone());
            }
        }
        after
    }

    fn sets(&mut self, sets: &[Mutation], base: &Slots, attempted: Option<&Slots>, after: &mut Slots) {
        for set in sets {
            let Some(value) = self.value(&set.source, set.slot, base, attempted) else { continue };
            let admitted = self.turn.machine.frames.field(set.slot).is_none_or(|(_, field)| field.kind.admits(&value));
            if admitted {
                after.set(set.slot, value);
            } else {
                self.violations.push(Violation::Value { slot: set.slot, value });
            }
        }
    }

    /// What is put into a field; nothing where it stays as it is.
    fn value(&self, source: &ValueSource, slot: SlotId, base: &Slots, attempted: Option<&Slots>) -> Option<Value> {
        let given = |key: &str| self.given.and_then(|given| given.get(key)).filter(|value| !value.is_null());
        match source {
            ValueSource::Constant(value) => Some(value.clone()),
            ValueSource::Said(name) => Some(self.turn.said(*name)).filter(|value| !value.is_null()).cloned(),
            ValueSource::Was(field) => Some(base.get(*field).clone()),
            ValueSource::Attempted(field) => Some(attempted?.get(*field).clone()),
            ValueSource::Outcome(key) => Some(given(key).cloned().unwrap_or_default()),
            ValueSource::Turn => Some(Value::Int(i64::from(self.turn.session.tracker.turn()))),
            ValueSource::Reading => {
                Some(Value::text(self.turn.session.intent_name(self.turn.intent, self.turn.machine)))
            }
            ValueSource::Append(key) => {
                let new = given(key)?.clone();
                let mut items = items(base.get(slot));
                if !items.contains(&new) {
                    items.push(new);
                }
                Some(Value::List(items))
            }
            ValueSource::Among(name, list) => {
                let known = items(self.turn.was.get(*list));
                let said = items(self.turn.said(*name));
                let said = said.iter().filter(|item| known.contains(item));
                Some(Value::List(said.cloned().collect()))
            }
        }
    }

    /// The mode of the answer: as the outcome says, else the first of the class.
    fn answer(&mut self, (id, class): (ClassId, &TransitionClass), rule: Option<&OutcomeRule>, after: &mut Slots) {
        let mode = rule.and_then(|rule| rule.answer.as_ref()).or(class.answers.first());
        let Some(mode) = mode else { return };
        if !class.answers.is_empty() && !class.answers.contains(mode) {
            self.violations.push(Violation::Answer { class: id, mode: mode.clone() });
        }
        if let Some(field) = self.contract.answer {
            after.set(field, mode.clone());
        }
    }

    /// Holds what the turn leaves behind against the properties of its class.
    fn properties(&mut self, (id, class): (ClassId, &TransitionClass), to: StateId, after: &Slots) {
        if class.properties.is_empty() {
            return;
        }
        let mut session = self.turn.session.clone();
        session.slots = after.clone();
        session.position.state = to;
        let facts = TurnFacts { class: Some(&class.name), outcome: self.outcome, executed: class.executes.is_some() };
        let turn = TurnContext { session: &session, state: to, facts, ..*self.turn };
        let holds = |rule: &Property| turn.evaluate(rule.condition, Scope::All).unwrap_or(!rule.must);
        let broken = class.properties.iter().enumerate().filter(|(_, rule)| holds(rule) != rule.must);
        let violations: Vec<Violation> =
            broken.map(|(property, _)| Violation::Property { class: id, property }).collect();
        self.violations.extend(violations);
    }
}

fn items(value: &Value) -> List {
    match value {
        Value::List(items) => items.clone(),
        _ => List::default(),
    }
}
