//! Checks a turn of an external system against its class.

use super::apply::Application;
use super::{Matching, OutcomeRule, Preserved, TransitionClass, Violation};
use crate::engine::policy::ForeignTurn;
use crate::engine::{
    Contract, Effect, FinishedTurn, KnownData, KnownState, KnownTurn, Session, TurnContext,
    TurnFacts, Verdict, no_intent,
};
use crate::machine::{ClassId, ConditionId, Depth, Frame, Op, Outcome, SlotId, Value, ValueSource};

/// A turn of an external system, with its reported class.
pub(super) struct CheckedTurn<'a> {
    pub turn: &'a ForeignTurn<'a>,
    pub contract: &'a Contract,
    pub id: ClassId,
    pub class: &'a TransitionClass,
}

impl CheckedTurn<'_> {
    /// The violations of the class, in the order of its invariants.
    pub(super) fn violations(&self) -> Vec<Violation> {
        let ForeignTurn {
            machine,
            settings,
            before,
            input,
            ..
        } = *self.turn;
        let matching = self.contract.classes_of(machine, settings, before, input);
        let matching = matching.unwrap_or_default();
        let (carried, _) = self.contract.carried_over(machine, before);
        let turn = self.context_with(&carried);
        let mut violations = Vec::new();
        self.entry(&matching, &mut violations);
        violations.extend(
            self.unknown_outcome()
                .map(|word| Violation::UnknownOutcome(word.into())),
        );
        self.carryover(&turn, &mut violations);
        self.done(&turn, &matching, &mut violations);
        self.values(&mut violations);
        self.properties(&mut violations);
        violations
    }

    /// The context of the turn, with the data of another session instead of the session before the turn.
    fn context_with<'t>(&'t self, data: &'t Session) -> TurnContext<'t> {
        let intent = self.turn.input.known_intent().unwrap_or_else(no_intent);
        TurnContext::new(
            self.turn.machine,
            self.turn.settings,
            self.turn.before,
            data,
            self.turn.input,
            intent,
        )
    }

    /// Checks whether the class matches the turn, or took over the turn because of the back-end outcome.
    fn entry(&self, matching: &Matching, violations: &mut Vec<Violation>) {
        if matching.class == Some(self.id) || matching.also.contains(&self.id) {
            return;
        }
        let executes = |id| {
            let class = self.contract.classes.lookup(id);
            class.is_some_and(|class| class.executes.is_some())
        };
        let becomes = |rule: &OutcomeRule| rule.becomes == Some(self.id);
        let taken_over = matching.class.is_some_and(executes)
            && match self.turn.outcome {
                Some(_) => self.outcome_rule().is_some_and(becomes),
                None => self.contract.outcomes.iter().any(becomes),
            };
        if !taken_over {
            violations.push(Violation::OtherClass(matching.class));
        }
    }

    fn carryover(&self, turn: &TurnContext<'_>, violations: &mut Vec<Violation>) {
        let contract = self.contract;
        let class = self.class;
        let before = &self.turn.before.slots;
        let gate = contract.eligible(before).unwrap_or(Depth::FULL);
        let depth = class.depth.and(gate);
        for (id, frame) in self.turn.machine.frames.pairs() {
            if !self.was_carried(frame) {
                continue;
            }
            if class.forbids.contains(&id) {
                violations.push(Violation::Forbidden(id));
            } else if !depth.has(frame.part) {
                violations.push(Violation::TooDeep(id, depth));
            }
        }
        let kept = class.preserves.iter().filter(|field| field.applies(turn));
        for Preserved { slot, rule, .. } in kept {
            if before.get(*slot) != self.after(*slot) {
                violations.push(Violation::Changed(*slot, *rule));
            }
        }
    }

    /// Whether a field of a frame was carried over without being set by the turn.
    fn was_carried(&self, frame: &Frame) -> bool {
        let set: Vec<SlotId> = self.ops().filter_map(Op::slot).collect();
        frame.is_active(&self.turn.before.slots)
            && frame.fields.iter().any(|field| {
                let before = self.turn.before.slots.get(field.slot);
                !before.is_null() && before == self.after(field.slot) && !set.contains(&field.slot)
            })
    }

    /// Checks that fields have the values that the class and the outcome set, and that cleared fields are empty, if
    /// the expected values are known.
    fn done(&self, turn: &TurnContext<'_>, matching: &Matching, violations: &mut Vec<Violation>) {
        let machine = self.turn.machine;
        let contract = self.contract;
        let class = self.class;
        // If another class matches the turn, the reported class took over the turn.
        let chosen = matching
            .class
            .filter(|id| *id != self.id)
            .and_then(|id| contract.classes.lookup(id));
        let outcome = self.meaning();
        let mut application = Application::of(turn, self.turn.given);
        let expected = application.leave(chosen.unwrap_or(class), chosen.map(|_| class), outcome);
        let ops: Vec<&Op> = self.ops().collect();
        // A frame that is not reported can still exist.
        let is_reported = |slot: SlotId| {
            machine
                .frames
                .field(slot)
                .is_some_and(|(frame, _)| frame.is_active(&self.turn.after.slots))
        };
        let writers = |slot: SlotId| {
            ops.iter()
                .enumerate()
                .filter(move |(_, op)| op.slot() == Some(slot))
        };
        let knows_all = |slot: SlotId| writers(slot).all(|(at, _)| self.knows(at, &ops, turn));
        let is_known = |slot: SlotId| is_reported(slot) && knows_all(slot);
        let refused = application
            .violations
            .into_iter()
            .filter(|violation| match violation {
                // A value that is present but not allowed is reported elsewhere.
                Violation::Value { slot, value } => knows_all(*slot) && self.after(*slot) != value,
                _ => false,
            });
        violations.extend(refused);
        for op in &ops {
            let Some(slot) = op.slot().filter(|slot| is_known(*slot)) else {
                continue;
            };
            let expected = expected.slots.get(slot);
            let answered = contract.answer == Some(slot);
            if !answered && self.after(slot) != expected {
                violations.push(Violation::NotDone(slot, expected.clone(), op.rule));
            }
        }
        for field in class
            .clears
            .iter()
            .filter_map(|frame| machine.frames.lookup(*frame))
            .flat_map(|frame| &frame.fields)
        {
            let written = ops.iter().any(|op| op.slot() == Some(field.slot))
                || contract.answer == Some(field.slot);
            if !written && !class.preserves(field.slot) && !self.after(field.slot).is_null() {
                violations.push(Violation::NotDone(field.slot, Value::Null, class.rule));
            }
        }
    }

    /// The outcome of the back end, if the contract does not define it.
    fn unknown_outcome(&self) -> Option<&str> {
        self.turn
            .outcome
            .filter(|word| !Contract::knows(word, self.meaning()))
    }

    /// The meaning of the outcome of the back end, if known.
    fn meaning(&self) -> Option<&Outcome> {
        Some(&self.turn.machine.outcomes[self.outcome_rule()?.outcome])
    }

    /// The rule of the contract for the outcome of the back end.
    fn outcome_rule(&self) -> Option<&OutcomeRule> {
        self.contract.outcome(self.turn.machine, self.turn.outcome?)
    }

    /// The value of a field after the turn.
    pub(super) fn after(&self, slot: SlotId) -> &Value {
        self.turn.after.slots.get(slot)
    }

    /// The operations of the class and of the outcome.
    fn ops(&self) -> impl Iterator<Item = &Op> {
        [self.class.does]
            .into_iter()
            .chain(self.meaning().map(|outcome| outcome.rule))
            .flat_map(|rule| self.turn.machine.ops(rule))
    }

    /// Whether the result of the operation at an index is known, given all operations of the turn.
    fn knows(&self, at: usize, ops: &[&Op], turn: &TurnContext<'_>) -> bool {
        let Some(op) = ops.get(at) else { return false };
        // A value that the turn wrote earlier is known if the result of that operation is known.
        let is_known = |slot: &SlotId| {
            ops.iter()
                .take(at)
                .enumerate()
                .filter(|(_, op)| op.slot() == Some(*slot))
                .all(|(at, _)| self.knows(at, ops, turn))
        };
        // A turn that does not call the back end has no returned data.
        let is_given =
            self.turn.given.is_some() || self.turn.tells_data && self.turn.outcome.is_none();
        // A missing value leaves the field unchanged, if all data is reported.
        let is_said =
            |name| self.turn.is_read && (self.turn.tells_data || !turn.said(name).is_null());
        let source = match op.source() {
            None | Some(ValueSource::Constant(_)) => true,
            Some(ValueSource::Was(slot) | ValueSource::Slot(slot)) => is_known(slot),
            Some(ValueSource::Said(name)) => is_said(*name),
            Some(ValueSource::Among(name, list)) => is_said(*name) && is_known(list),
            Some(ValueSource::Reading) => self.turn.is_read,
            Some(ValueSource::Outcome(_)) => is_given,
            Some(ValueSource::Attempted(slot)) => self.turn.is_read && is_given && is_known(slot),
            Some(ValueSource::Turn) => self.turn.number.is_some(),
            Some(ValueSource::Answer(..)) => false,
        };
        source
            && op
                .when
                .is_none_or(|when| self.turn.is_read && self.is_decidable(when))
    }

    /// Whether all operands of a condition are known.
    fn is_decidable(&self, condition: ConditionId) -> bool {
        let ForeignTurn {
            machine,
            settings,
            before,
            after,
            input,
            tells_data,
            ..
        } = *self.turn;
        let [from, to] = [before, after].map(|session| KnownState::Known(session.position.state));
        let [known_before, known_after] = [KnownData::all(tells_data); 2];
        let meant = input.intent.is_some();
        let known = KnownTurn {
            from,
            to,
            before: known_before,
            after: known_after,
            counters: &[],
            said: true,
            meant,
            effects: None,
        };
        FinishedTurn::outside(machine, settings, before, after, input, known).is_known(condition)
    }

    fn values(&self, violations: &mut Vec<Violation>) {
        for (_, field) in self.turn.machine.frames.fields() {
            let value = self.after(field.slot);
            if !field.kind.admits(value) {
                violations.push(Violation::Value {
                    slot: field.slot,
                    value: value.clone(),
                });
            }
        }
        // If no field stores the answer mode, it is the mode from the outcome.
        let said = || self.outcome_rule()?.answer.as_ref();
        let answer = self.contract.answer;
        if let Some(mode) = answer.map_or_else(said, |field| Some(self.after(field)))
            && !mode.is_null()
            && !self.class.may_answer(mode)
        {
            violations.push(Violation::Answer {
                class: self.id,
                mode: mode.clone(),
            });
        }
    }

    fn properties(&self, violations: &mut Vec<Violation>) {
        let from = Some(self.turn.before.position.state);
        let state = self.turn.after.position.state;
        let executed = self
            .contract
            .executes
            .zip(self.turn.outcome)
            .map(|(kind, outcome)| Effect {
                kind,
                index: 0,
                state,
                schema: None,
                payload: Value::Null,
                verdict: Verdict::Allowed(outcome.into()),
            });
        let facts = TurnFacts {
            class: Some(&self.class.name),
            outcome: self.turn.outcome,
            executed: self.turn.outcome.is_some(),
            from,
            effects: executed.as_slice(),
            ..TurnFacts::NONE
        };
        let turn = TurnContext {
            state,
            facts: &facts,
            ..self.context_with(self.turn.after)
        };
        violations.extend(Violation::of_properties(self.class, self.id, &turn));
    }
}
