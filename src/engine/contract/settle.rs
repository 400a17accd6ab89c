//! Settling: what a turn of a class leaves behind, once it is known what the backend came to.

use super::breach::Breach;
use super::carry::{carried, clear, let_through};
use super::choose::Choice;
use super::facts::Facts;
use crate::engine::need::{Answer, EXECUTE, Need, answer_of};
use crate::engine::reason::Reason;
use crate::engine::resolve::{Decision, give_up};
use crate::engine::signals::Scope;
use crate::engine::slots::Slots;
use crate::engine::view::TurnContext;
use crate::machine::{
    ClassId, Contract, Depth, Mutation, OutcomeRule, Property, SlotId, StateId, TransitionClass, Value,
    ValueSource,
};

/// What a turn of a class leaves behind.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The class; nothing where no class took the turn.
    pub class: Option<ClassId>,
    /// The choice from which it came.
    pub choice: Choice,
    /// What the backend came to.
    pub outcome: Option<Box<str>>,
    /// What was done that the contract does not allow.
    pub breaches: Vec<Breach>,
    /// How much was carried over; nothing where no class took the turn.
    pub depth: Option<Depth>,
    /// The data after the turn.
    pub(in crate::engine) after: Option<Slots>,
}

impl Settled {
    /// A turn that no class takes.
    pub(in crate::engine) fn unclassified(choice: Choice) -> Self {
        let breaches = vec![Breach::Unclassified];
        Self { class: None, choice, outcome: None, breaches, depth: None, after: None }
    }
}

/// Settles a turn: executes its route, where its class has one, and works out what it leaves behind. A need, where the
/// backend must be asked.
pub(in crate::engine) fn settle(
    view: &TurnContext<'_>,
    choice: Choice,
    decision: &mut Decision,
    answers: &[Answer],
) -> Option<Need> {
    let contract = view.machine.contract.as_deref()?;
    let Some(chosen) = choice.class else {
        if contract.is_whole {
            *decision = give_up(view.machine, view.state, Reason::Unclassified);
        }
        decision.contract = Some(Box::new(Settled::unclassified(choice)));
        return None;
    };
    let class = contract.classes.lookup(chosen)?;
    let mut settling = Settling { view, contract, outcome: None, given: None, breaches: Vec::new() };
    let mut after = settling.apply(class, None);
    if let Some(route) = class.executes {
        let route = after.get(route).clone();
        let Some(answer) = answer_of(answers, EXECUTE) else {
            return Some(Need::Execute { class: chosen, route, data: known(view, contract, &after) });
        };
        settling.given = answer.value.as_ref();
        let status =
            settling.given.and_then(|given| given.get("status")?.as_text()).unwrap_or(Contract::DOWN);
        settling.outcome = Some(status);
        // Now what the backend gave can be put into fields.
        settling.breaches.clear();
        after = settling.apply(class, None);
    }
    let rule = settling.rule();
    let mut class = (chosen, class);
    if let Some(instead) = rule.and_then(|rule| rule.becomes).filter(|instead| *instead != chosen)
        && let Some(taker) = contract.classes.lookup(instead)
    {
        class = (instead, taker);
        let attempted = after;
        // What the class of the attempt would have broken, it did not break.
        settling.breaches.clear();
        after = settling.apply(taker, Some(&attempted));
        decision.reasons.push(Reason::Became(instead));
        decision.to = taker.mode.unwrap_or(view.state);
        settling.sets(rule.map_or(&[], |rule| &rule.sets), &attempted, Some(&attempted), &mut after);
    } else if let Some(rule) = rule {
        let base = after.clone();
        settling.sets(&rule.sets, &base, Some(&base), &mut after);
    }
    decision.to = rule.and_then(|rule| rule.mode).unwrap_or(decision.to);
    decision.action = class.1.action.unwrap_or(decision.action);
    if !decision.reasons.contains(&Reason::ContractClass(chosen)) {
        // A class without a mode and an action proposes nothing.
        decision.reasons.insert(0, Reason::ContractClass(chosen));
    }
    settling.answer(class, rule, &mut after);
    settling.properties(class, decision.to, &after);
    let depth = carried(contract, class.1, &let_through(contract, class.1, &view.session.slots), &after);
    let Settling { outcome, breaches, .. } = settling;
    decision.contract = Some(Box::new(Settled {
        class: Some(class.0),
        choice,
        outcome: outcome.map(Into::into),
        breaches,
        depth: Some(depth),
        after: Some(after),
    }));
    None
}

/// What is known when a route is executed: the frames as maps.
fn known(view: &TurnContext<'_>, contract: &Contract, slots: &Slots) -> Value {
    let said = view.input.data.values().iter();
    let said = said.map(|(name, value)| (name.text(&view.machine.names.slots), value.clone()));
    let fields = contract
        .fields()
        .map(|(_, field)| (view.machine.names.slots.name(field.slot), slots.get(field.slot)));
    let fields = fields.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, value.clone()));
    Value::map(said.chain(fields).collect::<Vec<_>>())
}

/// A turn that is being settled.
struct Settling<'v> {
    view: &'v TurnContext<'v>,
    contract: &'v Contract,
    outcome: Option<&'v str>,
    /// What the backend gave.
    given: Option<&'v Value>,
    breaches: Vec<Breach>,
}

impl<'v> Settling<'v> {
    /// What the contract says of the outcome.
    fn rule(&mut self) -> Option<&'v OutcomeRule> {
        let outcome = self.outcome?;
        let rule = self.contract.outcome(outcome);
        if rule.is_none() {
            self.breaches.push(Breach::UnknownOutcome(outcome.into()));
        }
        rule
    }

    /// The data after a turn of the class, before the backend has its say.
    fn apply(&mut self, class: &TransitionClass, attempted: Option<&Slots>) -> Slots {
        let base = let_through(self.contract, class, &self.view.session.slots);
        let mut after = base.clone();
        for frame in class.clears.iter().filter_map(|frame| self.contract.frames.lookup(*frame)) {
            clear(frame, &mut after);
        }
        self.sets(&class.sets, &base, attempted, &mut after);
        for preserved in &class.preserves {
            if preserved.unless.is_none_or(|slot| self.said(slot).is_null()) {
                after.set(preserved.slot, base.get(preserved.slot).clone());
            }
        }
        after
    }

    fn sets(&mut self, sets: &[Mutation], base: &Slots, attempted: Option<&Slots>, after: &mut Slots) {
        for set in sets {
            let Some(value) = self.value(&set.source, set.slot, base, attempted) else { continue };
            let admitted = self.contract.field(set.slot).is_none_or(|(_, field)| field.kind.admits(&value));
            if admitted {
                after.set(set.slot, value);
            } else {
                self.breaches.push(Breach::Value { slot: set.slot, value, rule: set.rule });
            }
        }
    }

    /// What is put into a field; nothing where it stays as it is.
    fn value(
        &self,
        source: &ValueSource,
        slot: SlotId,
        base: &Slots,
        attempted: Option<&Slots>,
    ) -> Option<Value> {
        let given = |key: &str| self.given.and_then(|given| given.get(key)).filter(|value| !value.is_null());
        match source {
            ValueSource::Constant(value) => Some(value.clone()),
            ValueSource::Said(name) => Some(self.said(*name)).filter(|value| !value.is_null()).cloned(),
            ValueSource::Was(field) => Some(base.get(*field).clone()),
            ValueSource::Attempted(field) => Some(attempted?.get(*field).clone()),
            ValueSource::Outcome(key) => Some(given(key).cloned().unwrap_or_default()),
            ValueSource::Turn => Some(Value::Int(i64::from(self.view.session.tracker.turn()))),
            ValueSource::Reading => {
                Some(Value::text(self.view.session.intent_name(self.view.intent, self.view.machine)))
            }
            ValueSource::Append(key) => {
                let new = given(key)?.clone();
                let mut items = items(base.get(slot)).to_vec();
                if !items.contains(&new) {
                    items.push(new);
                }
                Some(Value::List(items.into()))
            }
            ValueSource::Among(name, list) => {
                let known = items(self.before().get(*list));
                let said = items(self.said(*name)).iter().filter(|item| known.contains(item));
                Some(Value::List(said.cloned().collect()))
            }
        }
    }

    fn before(&self) -> &Slots {
        self.view.facts.map_or(&self.view.session.slots, |facts| facts.before)
    }

    /// What the turn itself brings under a name.
    fn said(&self, slot: SlotId) -> &Value {
        self.view.said(slot)
    }

    /// The mode of the answer: as the outcome says, else the first of the class.
    fn answer(
        &mut self,
        (id, class): (ClassId, &TransitionClass),
        rule: Option<&OutcomeRule>,
        after: &mut Slots,
    ) {
        let mode = rule.and_then(|rule| rule.answer.as_ref()).or(class.answers.first());
        let Some(mode) = mode else { return };
        if !class.answers.is_empty() && !class.answers.contains(mode) {
            self.breaches.push(Breach::Answer { class: id, mode: mode.clone() });
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
        let mut session = self.view.session.clone();
        session.slots = after.clone();
        session.position.state = to;
        let facts = Facts {
            before: self.before(),
            outcome: self.outcome,
            executed: class.executes.is_some(),
            class: Some(id),
        };
        let view = TurnContext { session: &session, state: to, facts: Some(facts), ..*self.view };
        let holds = |rule: &Property| view.evaluate(rule.guard, Scope::All).unwrap_or(!rule.must);
        let broken = class.properties.iter().enumerate().filter(|(_, rule)| holds(rule) != rule.must);
        let breaches: Vec<Breach> =
            broken.map(|(property, _)| Breach::Property { class: id, property }).collect();
        self.breaches.extend(breaches);
    }
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}
