//! The data and the counters as a turn is going to leave them, and the operations that work on them.

use std::sync::Arc;

use super::{Counters, Effect, Slots, Symbol, TurnContext, TurnFacts, answer_of};
use crate::machine::{
    ConditionId, CounterId, EffectId, EffectUse, Op, OpKind, Payload, RuleId, SchemaId, SlotId,
    Speech, Value, ValueSource,
};

/// The data and the counters as a turn is going to leave them, and what it does besides. What is done to them is seen by the
/// conditions behind.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub slots: Slots,
    pub counters: Counters,
    /// What operations were not allowed to do, and properties that do not hold.
    pub faults: Vec<Fault>,
    /// What was to be done to the world so far, and what became of it.
    pub effects: Vec<Effect>,
    /// What is still to be done to the world, in order.
    pub pending: Vec<PendingEffect>,
    /// What is to be said.
    pub speeches: Vec<PendingSpeech>,
    /// What is done now belongs to the move: it is left undone where the dialogue is led elsewhere.
    moves: bool,
    /// The data and the counters without what the move does.
    unmoved: Option<Box<(Slots, Counters)>>,
}

/// An effect that is to be done. When it is its turn it is looked whether, and with what.
#[derive(Clone, Debug)]
pub(super) struct PendingEffect {
    pub used: Arc<EffectUse>,
    pub when: Option<ConditionId>,
    /// How much is said before it: what its outcome says comes there.
    pub said_before: usize,
    /// It belongs to the move.
    pub moves: bool,
}

/// Something that is to be said.
#[derive(Clone, Debug)]
pub(super) struct PendingSpeech {
    pub speech: Arc<Speech>,
    pub when: Option<ConditionId>,
    /// It belongs to the move.
    moves: bool,
}

/// Something that an operation was not allowed to do, and did not; or something that does not hold after a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A reading brought data of which the machine knows nothing.
    UnknownSlot { name: Arc<str>, value: Value },
    /// The turn brought a value that its slot cannot hold.
    WrongValue { slot: SlotId, value: Value },
    /// A counter would go past its limit.
    PastLimit { counter: CounterId, limit: i64 },
    /// The world came to something of which the effect says nothing.
    UnknownOutcome {
        effect: EffectId,
        /// What it came to.
        outcome: Box<str>,
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
        Self {
            slots: turn.slots.clone(),
            counters: turn.counters.clone(),
            ..Self::default()
        }
    }

    /// What the operations of the rule that answers and of the one that moves make of the turn's data; nothing where they
    /// have none.
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

    /// The turn, with this for its data.
    pub(super) fn seen_by<'a>(&'a self, turn: &TurnContext<'a>) -> TurnContext<'a> {
        TurnContext {
            slots: &self.slots,
            counters: &self.counters,
            ..*turn
        }
    }

    /// What is known of the turn with what was done to the world so far.
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

    /// Applies operations of the move: of its rule, of the ways on its path, of the state that it enters.
    pub(super) fn apply_move(&mut self, turn: &TurnContext<'_>, ops: &[Op]) {
        if turn.machine.asks && self.unmoved.is_none() {
            self.unmoved = Some(Box::new((self.slots.clone(), self.counters.clone())));
        }
        self.moves = true;
        self.apply(turn, ops);
        self.moves = false;
    }

    /// Applies the operations of an outcome of an effect, whose turn knows what was given. They last where the effect does
    /// not belong to a move that is undone.
    pub(super) fn apply_outcome(
        &mut self,
        turn: &TurnContext<'_>,
        ops: &[Op],
        moves: bool,
        said_before: usize,
    ) {
        let values = OpValues::of(turn);
        // What an outcome says comes where its effect stands, not last. Example: a rule says A, saves, says B; the outcome of
        // saving says X. The speeches A, B are cut behind A, X is added, B follows: A, X, B. Effects still to come were noted
        // with the number of speeches before them, which grows by one.
        let behind = self
            .speeches
            .split_off(said_before.min(self.speeches.len()));
        self.moves = moves;
        values.apply(ops, self);
        self.moves = false;
        let said = self.speeches.len().saturating_sub(said_before);
        self.speeches.extend(behind);
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

    /// Takes over what was to be done before this draft was made of another one.
    pub(super) fn follow(&mut self, before: Self) {
        self.pending.splice(0..0, before.pending);
        self.speeches.splice(0..0, before.speeches);
        self.faults.splice(0..0, before.faults);
        self.unmoved = self.unmoved.take().or(before.unmoved);
    }

    /// Leaves undone what the move does, as far as it is not done in the world.
    pub(super) fn undo_move(&mut self, turn: &TurnContext<'_>) {
        let unmoved = self.unmoved.take().map(|unmoved| *unmoved);
        (self.slots, self.counters) =
            unmoved.unwrap_or_else(|| (turn.slots.clone(), turn.counters.clone()));
        self.pending.clear();
        self.speeches.retain(|pending| !pending.moves);
    }

    /// Puts a value into a slot, if it may stand there.
    fn put(&mut self, slot: SlotId, value: Value, turn: &TurnContext<'_>) {
        if turn
            .machine
            .frames
            .field(slot)
            .is_none_or(|(_, field)| field.kind.admits(&value))
        {
            self.slots.set(slot, value);
        } else {
            self.faults.push(Fault::Value { slot, value });
        }
    }

    /// Changes a count. What goes past the limit is not done.
    fn count(&mut self, counter: CounterId, count: i64, turn: &TurnContext<'_>) {
        let grows = count > self.counters.get(counter);
        let declared = turn.machine.counters.lookup(counter);
        match declared
            .and_then(|declared| declared.limit)
            .map(|(limit, _)| turn.settings.limit(limit))
        {
            Some(limit) if grows && count > limit => {
                self.faults.push(Fault::PastLimit { counter, limit });
            }
            _ => self.counters.set(counter, count),
        }
    }
}

/// Where the values of operations come from.
pub(super) struct OpValues<'a> {
    pub turn: &'a TurnContext<'a>,
    /// The data before the turn, as far as it counts.
    pub was: &'a Slots,
    /// What the class that was replaced would have left.
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

    /// Applies operations to a draft, one after the other.
    pub(super) fn apply(&self, ops: &[Op], draft: &mut Draft) {
        for op in ops {
            let (when, moves) = (op.when, draft.moves);
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

    /// The value that is put somewhere; nothing where what is there stays.
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
                let said = turn.said(*name).items();
                Some(Value::List(said.filter(is_known).cloned().collect()))
            }
        }
    }

    /// What an effect is done with.
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
                let values = values
                    .iter()
                    .filter_map(|(name, source)| Some((&**name, self.value(source, draft)?)));
                Value::map(values.filter(|(_, value)| !value.is_null()))
            }
        }
    }

    /// What is known under the name of a schema, else what is known of its properties.
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
