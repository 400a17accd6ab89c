//! The data and the counters after a turn, and the operations that change them.

use std::sync::Arc;

use super::{Counters, Effect, Slots, Symbol, TurnContext, TurnFacts, answer_of};
use crate::machine::{
    ConditionId, CounterId, EffectId, EffectUse, Op, OpKind, Payload, RuleId, SchemaId, SlotId,
    Speech, Value, ValueSource,
};

/// The key of a payload that adds all values of a map.
const ALL_OF: &str = "*";

/// The data and the counters after a turn, with its effects and messages. Later conditions see the changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub slots: Slots,
    pub counters: Counters,
    /// Rejected changes of operations, and properties that do not hold.
    pub violations: Vec<Fault>,
    /// The effects so far, with their outcomes.
    pub effects: Vec<Effect>,
    /// The effects that are not yet performed, in order.
    pub pending: Vec<PendingEffect>,
    /// The messages to send.
    pub speeches: Vec<PendingSpeech>,
    /// Whether current operations belong to the transition: they are undone if the dialogue is redirected.
    moves: bool,
    /// The data and the counters without the operations of the transition.
    unmoved: Option<Box<(Slots, Counters)>>,
}

/// An effect to perform. Its condition and payload are evaluated just before it is performed.
#[derive(Clone, Debug)]
pub(super) struct PendingEffect {
    pub used: Arc<EffectUse>,
    pub when: Option<ConditionId>,
    /// The number of messages before the effect. Messages of its outcome are inserted at this position.
    pub said_before: usize,
    /// Whether this belongs to the transition.
    pub moves: bool,
}

/// A message to send.
#[derive(Clone, Debug)]
pub(super) struct PendingSpeech {
    pub speech: Arc<Speech>,
    pub when: Option<ConditionId>,
    /// Whether this belongs to the transition.
    moves: bool,
}

/// A rejected change, or a violated property.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The recognizer returned data for an unknown slot.
    UnknownSlot { name: Arc<str>, value: Value },
    /// The turn has a value that the slot does not accept.
    WrongValue { slot: SlotId, value: Value },
    /// A counter would exceed its limit.
    PastLimit { counter: CounterId, limit: i64 },
    /// The outcome of an effect is not declared.
    UnknownOutcome { effect: EffectId, outcome: Box<str> },
    /// The property of the machine with this index does not hold.
    Property(usize),
    /// A field does not accept a value.
    Value { slot: SlotId, value: Value },
}

impl Draft {
    /// The data and the counters at the start of the turn, including the data of the input.
    pub(super) fn of(turn: &TurnContext<'_>) -> Self {
        Self {
            slots: turn.slots.clone(),
            counters: turn.counters.clone(),
            ..Self::default()
        }
    }

    /// The draft after the operations of the action's rule and the transition's rule; `None` if they have no
    /// operations.
    pub(super) fn after(
        turn: &TurnContext<'_>,
        answers: Option<RuleId>,
        moves: Option<RuleId>,
    ) -> Option<Box<Self>> {
        let [answers, moves] =
            [answers, moves].map(|rule| rule.map_or(&[][..], |rule| turn.machine.ops(rule)));
        if answers.is_empty() && moves.is_empty() {
            return None;
        }
        let mut draft = Self::of(turn);
        draft.apply(turn, answers);
        draft.apply_move(turn, moves);
        Some(Box::new(draft))
    }

    /// The turn with the data of this draft.
    pub(super) fn seen_by<'a>(&'a self, turn: &TurnContext<'a>) -> TurnContext<'a> {
        TurnContext {
            slots: &self.slots,
            counters: &self.counters,
            ..*turn
        }
    }

    /// The facts of the turn with the effects so far.
    pub(super) fn facts<'a>(&'a self, turn: &TurnContext<'a>) -> TurnFacts<'a> {
        TurnFacts {
            effects: &self.effects,
            ..*turn.facts
        }
    }

    /// Applies operations.
    pub(super) fn apply(&mut self, turn: &TurnContext<'_>, ops: &[Op]) {
        OpValues::of(turn).apply(ops, self);
    }

    /// Applies operations of the transition: those of its rule, the branches on its path, or the entered state.
    pub(super) fn apply_move(&mut self, turn: &TurnContext<'_>, ops: &[Op]) {
        if turn.machine.asks && self.unmoved.is_none() {
            self.unmoved = Some(Box::new((self.slots.clone(), self.counters.clone())));
        }
        self.moves = true;
        self.apply(turn, ops);
        self.moves = false;
    }

    /// Applies the operations of an effect's outcome; `turn` contains the data that the effect returned. The operations
    /// persist unless the effect belongs to a transition that is undone.
    pub(super) fn apply_outcome(
        &mut self,
        turn: &TurnContext<'_>,
        ops: &[Op],
        moves: bool,
        said_before: usize,
    ) {
        let values = OpValues::of(turn);
        // Messages of an outcome are inserted at the position of its effect. Example: a rule says A, saves, says B;
        // the outcome of saving says X. The messages are split after A, X is added, B follows: A, X, B. Pending
        // effects store the number of messages before them, which grows by one.
        let rest = self
            .speeches
            .split_off(said_before.min(self.speeches.len()));
        self.moves = moves;
        values.apply(ops, self);
        self.moves = false;
        let said = self.speeches.len().saturating_sub(said_before);
        self.speeches.extend(rest);
        for pending in self
            .pending
            .iter_mut()
            .filter(|pending| pending.said_before >= said_before)
        {
            pending.said_before += said;
        }
        if let Some(unmoved) = self.unmoved.take_if(|_| !moves) {
            let (slots, counters) = *unmoved;
            let mut draft = Self {
                slots,
                counters,
                ..Self::default()
            };
            values.apply(ops, &mut draft);
            self.unmoved = Some(Box::new((draft.slots, draft.counters)));
        }
    }

    /// Prepends the pending operations of the draft that this draft continues.
    pub(super) fn follow(&mut self, before: Self) {
        self.pending.splice(0..0, before.pending);
        self.speeches.splice(0..0, before.speeches);
        self.violations.splice(0..0, before.violations);
        self.unmoved = self.unmoved.take().or(before.unmoved);
    }

    /// Undoes the operations of the transition, except effects that were already performed or are always performed.
    pub(super) fn undo_move(&mut self, turn: &TurnContext<'_>) {
        let unmoved = self.unmoved.take().map(|unmoved| *unmoved);
        (self.slots, self.counters) =
            unmoved.unwrap_or_else(|| (turn.slots.clone(), turn.counters.clone()));
        self.pending.retain_mut(|pending| {
            pending.moves = false;
            pending.used.always
        });
        self.speeches.retain(|pending| !pending.moves);
    }

    /// Sets a slot, if its field accepts the value.
    fn put(&mut self, slot: SlotId, value: Value, turn: &TurnContext<'_>) {
        if turn
            .machine
            .frames
            .field(slot)
            .is_none_or(|(_, field)| field.kind.admits(&value))
        {
            self.slots.set(slot, value);
        } else {
            self.violations.push(Fault::Value { slot, value });
        }
    }

    /// Changes a counter. A change that exceeds the limit is rejected.
    fn count(&mut self, counter: CounterId, count: i64, turn: &TurnContext<'_>) {
        let grows = count > self.counters.get(counter);
        let declared = turn.machine.counters.lookup(counter);
        match declared
            .and_then(|declared| declared.limit)
            .map(|(limit, _)| turn.settings.limit(limit))
        {
            Some(limit) if grows && count > limit => {
                self.violations.push(Fault::PastLimit { counter, limit });
            }
            _ => self.counters.set(counter, count),
        }
    }
}

/// The sources from which operations take values.
pub(super) struct OpValues<'a> {
    pub turn: &'a TurnContext<'a>,
    /// The data before the turn.
    pub was: &'a Slots,
    /// The data that the replaced class would have left.
    pub attempted: Option<&'a Slots>,
}

impl<'a> OpValues<'a> {
    /// The values of a turn in which no class is replaced.
    pub(super) fn of(turn: &'a TurnContext<'a>) -> Self {
        Self {
            turn,
            was: turn.was,
            attempted: None,
        }
    }

    /// Applies operations to a draft, in order.
    pub(super) fn apply(&self, ops: &[Op], draft: &mut Draft) {
        for op in ops {
            let when = op.when;
            let moves = draft.moves;
            let waits = matches!(op.kind, OpKind::Effect(_) | OpKind::Say(_));
            if !waits && !when.is_none_or(|when| draft.seen_by(self.turn).holds(when)) {
                continue;
            }
            match &op.kind {
                OpKind::Clear(slot) => draft.slots.set(*slot, Value::Null),
                OpKind::Count(counter, by) => {
                    draft.count(
                        *counter,
                        draft.counters.get(*counter).saturating_add(*by),
                        self.turn,
                    );
                }
                OpKind::Recount(counter, to) => draft.count(*counter, *to, self.turn),
                OpKind::Effect(used) => {
                    let said_before = draft.speeches.len();
                    draft.pending.push(PendingEffect {
                        used: Arc::clone(used),
                        when,
                        said_before,
                        moves,
                    });
                }
                OpKind::Say(speech) => {
                    draft.speeches.push(PendingSpeech {
                        speech: Arc::clone(speech),
                        when,
                        moves,
                    });
                }
                OpKind::Set(slot, source) => {
                    if let Some(value) = self.value(source, draft) {
                        draft.put(*slot, value, self.turn);
                    }
                }
                OpKind::Append(slot, source) => {
                    if let Some(value) = self.value(source, draft).filter(|value| !value.is_null())
                    {
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

    /// The value of a source; `None` if the target stays unchanged.
    fn value(&self, source: &ValueSource, draft: &Draft) -> Option<Value> {
        let turn = self.turn;
        match source {
            ValueSource::Constant(value) => Some(value.clone()),
            ValueSource::Said(name) => Some(turn.said(*name))
                .filter(|value| !value.is_null())
                .cloned(),
            ValueSource::Slot(slot) => Some(draft.slots.get(*slot).clone()),
            ValueSource::Was(slot) => Some(self.was.get(*slot).clone()),
            ValueSource::Attempted(slot) => Some(self.attempted?.get(*slot).clone()),
            ValueSource::Outcome(path) => Some(
                turn.facts
                    .given
                    .and_then(|given| given.at(path))
                    .cloned()
                    .unwrap_or_default(),
            ),
            ValueSource::Answer(need, path) => answer_of(turn.answers, *need)?
                .value
                .as_ref()?
                .at(path)
                .cloned(),
            ValueSource::Turn => Some(Value::Int(i64::from(turn.session.tracker.turn()))),
            ValueSource::Reading => Some(Value::text(
                turn.session.intent_name(turn.intent, turn.machine),
            )),
            ValueSource::Among(name, list) => {
                let known = turn.was.get(*list).list();
                let is_known = |item: &&Value| known.is_some_and(|known| known.contains(item));
                let said = Some(turn.said(*name)).filter(|value| !value.is_null())?;
                let items = said.items().filter(is_known).cloned();
                Some(Value::List(items.collect()))
            }
        }
    }

    /// The payload of an effect.
    pub(super) fn payload(&self, payload: &Payload, draft: &Draft) -> Value {
        match payload {
            Payload::Names(slots) => {
                let names = slots
                    .iter()
                    .map(|slot| Value::text(self.turn.machine.names.slots.name(*slot)));
                Value::List(names.collect())
            }
            Payload::Known(schema) => self.known(*schema, draft),
            Payload::Values(values) => {
                let mut pairs = Vec::with_capacity(values.len());
                for (name, source) in values {
                    match self.value(source, draft) {
                        None | Some(Value::Null) => {}
                        Some(Value::Map(others)) if **name == *ALL_OF => {
                            pairs.extend_from_slice(&others);
                        }
                        Some(value) => pairs.push(((&**name).into(), value)),
                    }
                }
                Value::Map(pairs.into())
            }
        }
    }

    /// The value of the slot that has the name of the schema; otherwise, the values of the slots named like its
    /// properties.
    fn known(&self, schema: SchemaId, draft: &Draft) -> Value {
        let schema = &self.turn.machine.schemas[schema];
        let known = |name: &str| {
            let value = draft
                .slots
                .by_name(&Symbol::of(name, &self.turn.machine.names.slots));
            Some(value).filter(|value| !value.is_null()).cloned()
        };
        known(&schema.name).unwrap_or_else(|| {
            let properties = match schema.text.get("properties") {
                Some(Value::Map(properties)) => properties.as_ref(),
                _ => &[],
            };
            Value::map(
                properties
                    .iter()
                    .filter_map(|(name, _)| Some((&**name, known(name)?))),
            )
        })
    }
}
