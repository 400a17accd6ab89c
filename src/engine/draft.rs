//! The data and the counters as a turn is going to leave them, and the operations that work on them.

use super::condition::{Scope, TurnContext};
use super::io::answer_of;
use super::session::{Counters, Slots};
use crate::machine::{CounterId, List, Op, OpKind, RuleId, SlotId, Value, ValueSource};

/// The data and the counters as a turn is going to leave them. What is done to them is seen by the conditions behind.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) slots: Slots,
    pub(super) counters: Counters,
    /// What operations were not allowed to do.
    pub(super) faults: Vec<Fault>,
}

/// Something that an operation was not allowed to do, and did not; or something that does not hold after a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A counter would go past its limit.
    PastLimit {
        /// The counter.
        counter: CounterId,
        /// The limit.
        limit: i64,
    },
    /// A property of the machine does not hold; its number.
    Property(usize),
    /// A field cannot hold a value.
    Value {
        /// The field.
        slot: SlotId,
        /// What was put there.
        value: Value,
    },
}

impl Draft {
    /// The data and the counters as the turn has found them, with what came in.
    pub(super) fn of(turn: &TurnContext<'_>) -> Self {
        Self { slots: turn.slots.clone(), counters: turn.counters.clone(), faults: Vec::new() }
    }

    /// What the operations of these rules make of the turn's data; nothing where they have none.
    pub(super) fn after(turn: &TurnContext<'_>, rules: [Option<RuleId>; 2]) -> Option<Box<Self>> {
        let ops = rules.map(|rule| rule.map_or(&[][..], |rule| turn.machine.ops(rule)));
        if ops.iter().all(|ops| ops.is_empty()) {
            return None;
        }
        let mut draft = Self::of(turn);
        for ops in ops {
            draft.apply(turn, ops);
        }
        Some(Box::new(draft))
    }

    /// The turn, with this for its data.
    pub(super) fn seen_by<'a>(&'a self, turn: &TurnContext<'a>) -> TurnContext<'a> {
        TurnContext { slots: &self.slots, counters: &self.counters, ..*turn }
    }

    /// Applies operations.
    pub(super) fn apply(&mut self, turn: &TurnContext<'_>, ops: &[Op]) {
        let values = OpValues { turn, was: turn.was, attempted: None, given: None };
        values.apply(ops, self);
    }

    /// Puts a value into a slot, if it may stand there.
    fn put(&mut self, slot: SlotId, value: Value, turn: &TurnContext<'_>) {
        if turn.machine.frames.field(slot).is_none_or(|(_, field)| field.kind.admits(&value)) {
            self.slots.set(slot, value);
        } else {
            self.faults.push(Fault::Value { slot, value });
        }
    }

    fn count(&mut self, counter: CounterId, by: i64, turn: &TurnContext<'_>) {
        let count = self.counters.get(counter).saturating_add(by);
        let declared = turn.machine.counters.lookup(counter);
        match declared.and_then(|declared| declared.limit).map(|(limit, _)| turn.settings.limit(limit)) {
            Some(limit) if by > 0 && count > limit => self.faults.push(Fault::PastLimit { counter, limit }),
            _ => self.counters.set(counter, count),
        }
    }
}

/// Where the values of operations come from.
pub(super) struct OpValues<'a> {
    pub(super) turn: &'a TurnContext<'a>,
    /// The data before the turn, as far as it counts.
    pub(super) was: &'a Slots,
    /// What the class that was replaced would have left.
    pub(super) attempted: Option<&'a Slots>,
    /// What the backend gave.
    pub(super) given: Option<&'a Value>,
}

impl OpValues<'_> {
    /// Applies operations to a draft, one after the other.
    pub(super) fn apply(&self, ops: &[Op], draft: &mut Draft) {
        for op in ops {
            let seen = |when| draft.seen_by(self.turn).evaluate(when, Scope::All).unwrap_or(false);
            if !op.when.is_none_or(seen) {
                continue;
            }
            match &op.kind {
                OpKind::Clear(slot) => draft.slots.set(*slot, Value::Null),
                OpKind::Count(counter, by) => draft.count(*counter, *by, self.turn),
                OpKind::Set(slot, source) => {
                    if let Some(value) = self.value(source) {
                        draft.put(*slot, value, self.turn);
                    }
                }
                OpKind::Append(slot, source) => {
                    if let Some(value) = self.value(source).filter(|value| !value.is_null()) {
                        let mut items = draft.slots.get(*slot).list().cloned().unwrap_or_default();
                        if !items.contains(&value) {
                            items.push(value);
                        }
                        draft.put(*slot, Value::List(items), self.turn);
                    }
                }
            }
        }
    }

    /// The value that is put somewhere; nothing where what is there stays.
    fn value(&self, source: &ValueSource) -> Option<Value> {
        let turn = self.turn;
        match source {
            ValueSource::Constant(value) => Some(value.clone()),
            ValueSource::Said(name) => Some(turn.said(*name)).filter(|value| !value.is_null()).cloned(),
            ValueSource::Was(slot) => Some(self.was.get(*slot).clone()),
            ValueSource::Attempted(slot) => Some(self.attempted?.get(*slot).clone()),
            ValueSource::Outcome(key) => Some(self.given.and_then(|given| given.get(key)).cloned().unwrap_or_default()),
            ValueSource::Answer(kind, path) => {
                let answer = answer_of(turn.answers, kind)?.value.as_ref()?;
                path.iter().try_fold(answer, |value, key| value.get(key)).cloned()
            }
            ValueSource::Turn => Some(Value::Int(i64::from(turn.session.tracker.turn()))),
            ValueSource::Reading => Some(Value::text(turn.session.intent_name(turn.intent, turn.machine))),
            ValueSource::Among(name, list) => {
                let (known, said) = (turn.was.get(*list).list(), turn.said(*name).list());
                let is_known = |item: &&Value| known.is_some_and(|known| known.contains(item));
                Some(Value::List(said.into_iter().flat_map(List::iter).filter(is_known).cloned().collect()))
            }
        }
    }
}
