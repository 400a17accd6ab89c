//! Applying: computes the result of a turn from its class and the back-end outcome.

use super::carryover::{carried, clear, let_through};
use super::{Matching, OutcomeRule, Preserved, TransitionClass, Violation};
use crate::engine::draft::OpValues;
use crate::engine::effects::Asked;
use crate::engine::resolve::continue_from;
use crate::engine::{
    Contract, ContractReason, Decision, Draft, Effect, Fault, Need, Slots, TurnContext, TurnFacts,
};
use crate::machine::{
    ClassId, Depth, EffectId, Op, Outcome, OutcomeId, OutcomeMark, SlotId, StateId, Value,
};

/// The result of applying a class to a turn.
#[derive(Clone, Debug)]
pub struct ContractOutcome {
    /// The class; `None` if no class matches the turn.
    pub class: Option<ClassId>,
    /// The matching classes.
    pub matching: Matching,
    /// The outcome of the back end.
    pub outcome: Option<Box<str>>,
    /// Violations of the contract.
    pub violations: Vec<Violation>,
    /// The depth of the carryover; `None` if no class matches the turn.
    pub depth: Option<Depth>,
}

impl ContractOutcome {
    /// The result of a turn that no class matches.
    pub(super) fn unclassified(matching: Matching) -> Self {
        let violations = vec![Violation::Unclassified];
        Self {
            class: None,
            matching,
            outcome: None,
            violations,
            depth: None,
        }
    }

    /// The matching class and the class that took over the turn, if one did.
    pub fn replaced(&self) -> Option<(ClassId, ClassId)> {
        self.matching
            .class
            .zip(self.class)
            .filter(|(chosen, class)| chosen != class)
    }
}

/// Computes the result of a turn; executes its route, if its class has one. Returns a need if the back end must be
/// called.
pub(super) fn apply(
    contract: &Contract,
    turn: &TurnContext<'_>,
    matching: Matching,
    decision: &mut Decision,
) -> Result<ContractOutcome, Need> {
    let Some((chosen, class)) = contract.entry(matching.class) else {
        if contract.is_whole {
            *decision = Decision::give_up(
                turn.machine,
                turn.state,
                ContractReason::Unclassified.into(),
            );
        }
        return Ok(ContractOutcome::unclassified(matching));
    };
    // The class is entered twice: the request to the back end needs the fields that the class sets, and some of them
    // need its answer. Example: `order` puts the quantity into its frame, calls the back end, and puts the order
    // number of the answer next to it. An outcome can transfer the turn to another class (`becomes`): `order` is sold
    // out and becomes `offer`. Then `offer` can only read the draft of the first class as attempted values; the draft
    // is discarded.
    let mut application = Application::of(turn, None);
    let mut executed = Executed::default();
    let route = class.executes.filter(|route| route.applies(turn));
    if let Some((route, kind)) = route.zip(contract.executes) {
        let entered = application.enter(class, None);
        executed = application.execute(kind, route.slot, decision.to, &entered)?;
        // Now fields can be set to data that the back end returned.
        application.violations.clear();
    }
    let outcome = executed.outcome.map(|id| &turn.machine.outcomes[id]);
    let rule = executed.outcome.and_then(|id| contract.rule_of(id));
    let instead = rule
        .and_then(|rule| rule.becomes)
        .filter(|instead| *instead != chosen);
    let taker = contract.entry(instead);
    let mut after = application.leave(class, taker.map(|(_, taker)| taker), outcome);
    let class = taker.unwrap_or((chosen, class));
    if let Some((instead, taker)) = taker {
        decision.notes.push(ContractReason::Became(instead).into());
        decision.to = taker.mode.unwrap_or(turn.state);
    }
    if let Some(unknown_outcome) = executed.unknown_outcome {
        application
            .violations
            .insert(0, Violation::UnknownOutcome(unknown_outcome));
    }
    decision.to = outcome
        .and_then(|outcome| outcome.leads.state())
        .unwrap_or(decision.to);
    if turn.machine.state(decision.to).is_resume() {
        continue_from(turn, decision);
    }
    let marked = executed
        .outcome
        .zip(outcome)
        .filter(|(_, outcome)| outcome.mark != OutcomeMark::None);
    decision
        .notes
        .extend(marked.map(|(id, outcome)| outcome.reason(id)));
    decision.action = class.1.action.unwrap_or(decision.action);
    let taken_as = ContractReason::Class(chosen).into();
    if !decision.reasons().any(|reason| reason == taken_as) {
        // A class without a mode and an action makes no proposal.
        decision.notes.insert(0, taken_as);
    }
    application.preserved(class.1, &after.slots);
    application.answer(contract, class, rule, &mut after.slots);
    after.effects.extend(executed.effect);
    application.properties(class, decision.to, &after);
    let frames = &turn.machine.frames;
    let depth = carried(
        frames,
        class.1,
        &let_through(frames, class.1, turn.slots),
        &after.slots,
    );
    decision.draft = Some(Box::new(after));
    let violations = application.violations;
    Ok(ContractOutcome {
        class: Some(class.0),
        matching,
        outcome: executed.status,
        violations,
        depth: Some(depth),
    })
}

/// The data for executing a route: the data of the turn and the fields of frames.
fn known(turn: &TurnContext<'_>, slots: &Slots) -> Value {
    let said = turn
        .input
        .data
        .values()
        .iter()
        .map(|(name, value)| (name.text(&turn.machine.names.slots), value.clone()));
    let fields = turn
        .machine
        .frames
        .fields()
        .map(|(_, field)| {
            (
                turn.machine.names.slots.name(field.slot),
                slots.get(field.slot),
            )
        })
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name, value.clone()));
    Value::map(said.chain(fields).collect::<Vec<_>>())
}

/// The result of executing a route.
#[derive(Default)]
struct Executed {
    /// The matching outcome.
    outcome: Option<OutcomeId>,
    /// The status.
    status: Option<Box<str>>,
    /// The status, if the contract does not define it.
    unknown_outcome: Option<Box<str>>,
    effect: Option<Effect>,
}

/// A class applied to a turn.
pub(super) struct Application<'v> {
    turn: &'v TurnContext<'v>,
    /// The data that the back end returned.
    given: Option<&'v Value>,
    pub violations: Vec<Violation>,
}

impl<'v> Application<'v> {
    /// Creates the application to a turn, with the data that the back end returned.
    pub(super) fn of(turn: &'v TurnContext<'v>, given: Option<&'v Value>) -> Self {
        Self {
            turn,
            given,
            violations: Vec::new(),
        }
    }

    /// The data after a turn of a class; `taker` is the class that took over the turn, if any.
    pub(super) fn leave(
        &mut self,
        class: &TransitionClass,
        taker: Option<&TransitionClass>,
        outcome: Option<&Outcome>,
    ) -> Draft {
        let ops = outcome.map_or(&[][..], |outcome| self.turn.machine.ops(outcome.rule));
        let mut after = self.enter(class, None);
        let base = after.slots.clone();
        if let Some(taker) = taker {
            // Violations of the replaced class do not count.
            self.violations.clear();
            after = self.enter(taker, Some(&base));
        }
        self.apply(ops, &base, Some(&base), &mut after);
        after
    }

    /// Executes the route in a field.
    fn execute(
        &mut self,
        kind: EffectId,
        route: SlotId,
        to: StateId,
        after: &Draft,
    ) -> Result<Executed, Need> {
        let turn = self.turn;
        let route = after.slots.get(route).clone();
        let payload = Value::map([
            ("route", route.clone()),
            ("data", known(turn, &after.slots)),
        ]);
        let definition = &turn.machine.effects[kind];
        let asked = Asked {
            kind,
            schema: definition.schema,
            payload: &payload,
        };
        let given = asked.ask(turn, after)?;
        let outcome = given.outcome(turn, after, [&definition.outcomes, &[]]);
        let found = outcome.map(|id| &turn.machine.outcomes[id]);
        // The record already contains the data.
        let route = Value::map([("route", route)]);
        let effect = given.effect(
            &Asked {
                payload: &route,
                ..asked
            },
            to,
            &given.status,
        );
        let is_known = given.is_denied() || Contract::knows(&given.status, found);
        let unknown_outcome = (!is_known).then(|| (*given.status).into());
        self.given = given.value;
        Ok(Executed {
            outcome,
            status: Some((*given.status).into()),
            unknown_outcome,
            effect: Some(effect),
        })
    }

    /// The data after a turn of the class, before the back-end outcome is applied.
    fn enter(&mut self, class: &TransitionClass, attempted: Option<&Slots>) -> Draft {
        let base = let_through(&self.turn.machine.frames, class, self.turn.slots);
        let mut after = Draft::of(self.turn);
        after.slots.copy_from(&base);
        for frame in class
            .clears
            .iter()
            .filter_map(|frame| self.turn.machine.frames.lookup(*frame))
        {
            clear(frame, &mut after.slots);
        }
        self.apply(
            self.turn.machine.ops(class.does),
            &base,
            attempted,
            &mut after,
        );
        for preserved in &class.preserves {
            if preserved.applies(self.turn) {
                after
                    .slots
                    .set(preserved.slot, base.get(preserved.slot).clone());
            }
        }
        after
    }

    /// Applies operations. A value that a field does not accept is a violation.
    fn apply(&mut self, ops: &[Op], base: &Slots, attempted: Option<&Slots>, after: &mut Draft) {
        let facts = TurnFacts {
            given: self.given,
            ..*self.turn.facts
        };
        let turn = TurnContext {
            facts: &facts,
            ..*self.turn
        };
        OpValues {
            turn: &turn,
            was: base,
            attempted,
        }
        .apply(ops, after);
        for fault in std::mem::take(&mut after.violations) {
            match fault {
                Fault::Value { slot, value } => {
                    self.violations.push(Violation::Value { slot, value });
                }
                fault => after.violations.push(fault),
            }
        }
    }

    /// Compares the preserved fields with the session before the coverage gate: a field that the gate removes is not
    /// preserved.
    fn preserved(&mut self, class: &TransitionClass, after: &Slots) {
        let turn = self.turn;
        let changed = |field: &&Preserved| turn.was.get(field.slot) != after.get(field.slot);
        let changed = class
            .preserves
            .iter()
            .filter(|field| field.applies(turn))
            .filter(changed)
            .map(|field| Violation::Changed(field.slot, field.rule));
        self.violations.extend(changed);
    }

    /// Sets the answer mode: the mode from the outcome, otherwise the first mode of the class.
    fn answer(
        &mut self,
        contract: &Contract,
        (id, class): (ClassId, &TransitionClass),
        rule: Option<&OutcomeRule>,
        after: &mut Slots,
    ) {
        let mode = rule
            .and_then(|rule| rule.answer.as_ref())
            .or(class.answers.first());
        let Some(mode) = mode else { return };
        if !class.may_answer(mode) {
            self.violations.push(Violation::Answer {
                class: id,
                mode: mode.clone(),
            });
        }
        if let Some(field) = contract.answer {
            after.set(field, mode.clone());
        }
    }

    /// Checks the result of the turn against the properties of its class.
    fn properties(&mut self, (id, class): (ClassId, &TransitionClass), to: StateId, after: &Draft) {
        if class.properties.is_empty() {
            return;
        }
        let mut session = self.turn.session.clone();
        session.position.state = to;
        let from = Some(self.turn.state);
        let facts = TurnFacts {
            class: Some(&class.name),
            from,
            effects: &after.effects,
            ..TurnFacts::NONE
        };
        let turn = TurnContext {
            session: &session,
            state: to,
            facts: &facts,
            ..after.seen_by(self.turn)
        };
        self.violations
            .extend(Violation::of_properties(class, id, &turn));
    }
}
