//! The input: one turn of the user, and the scripted turn around it.

use std::sync::Arc;

use crate::engine::{Machine, Operation, Symbol};
use crate::machine::{
    ConsentKind, Float, FoundPhrase, Id, IntentId, NeedKey, Signal, SlotId, StateId, Value,
};
use crate::values::value_of;

/// The tones of an utterance.
pub const TONES: [&str; 8] = [
    "neutral",
    "positive",
    "interested",
    "calm",
    "skeptical",
    "rushed",
    "confused",
    "frustrated",
];

/// The input of a turn after recognition: an intent with the slot values of the utterance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    pub intent: Option<Symbol<IntentId>>,
    /// The utterance, verbatim.
    pub say: Option<Arc<str>>,
    /// The secondary intents.
    pub also: Vec<Symbol<IntentId>>,
    /// The confidence of the recognition, from 0 to 1.
    pub confidence: Option<Float>,
    pub tone: Option<Arc<str>>,
    /// How frustrated the user is, from 0 to 10.
    pub frustration: Option<i64>,
    /// The slot values of the utterance.
    pub data: TurnData,
    /// Context signals given from outside.
    pub signals: Vec<(Signal, Value)>,
    /// The intents that the user can choose from.
    pub options: Vec<Value>,
    /// The clarification question.
    pub question: Option<Arc<str>>,
    /// The target state that the assistant chose.
    pub goto: Option<Symbol<StateId>>,
    /// The user's consent to access data of the digital twin.
    pub consent: Consent,
    /// The reply of the assistant.
    pub reply: Option<Arc<str>>,
    /// Seconds since the start of the dialogue.
    pub elapsed: Option<Float>,
    /// The time of the input (RFC 3339), if relevant.
    pub at: Option<Arc<str>>,
}

/// The slot values of an utterance.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TurnData {
    /// Not given.
    #[default]
    Absent,
    /// Given as null, which the profile `reference` cannot process.
    Null,
    /// These values, in order.
    Given(Vec<(Symbol<SlotId>, Value)>),
}

impl TurnData {
    pub fn values(&self) -> &[(Symbol<SlotId>, Value)] {
        match self {
            Self::Given(values) => values,
            _ => &[],
        }
    }

    /// Removes the value at an index of the values.
    pub fn remove(&mut self, index: usize) {
        if let Self::Given(values) = self
            && index < values.len()
        {
            values.remove(index);
        }
    }
}

/// An input after recognition, and the values that the recognizer returned for unknown slots.
pub(super) type ReadInput = (Input, Vec<(Arc<str>, Value)>);

impl Input {
    /// The intent, if the machine defines it.
    #[inline]
    pub fn known_intent(&self) -> Option<IntentId> {
        self.intent.as_ref().and_then(Symbol::known)
    }

    /// Creates an input that has only an intent.
    pub fn intent(intent: IntentId) -> Self {
        Self {
            intent: Some(Symbol::Known(intent)),
            ..Self::default()
        }
    }

    /// The input with an intent and slot values, and with its time if known.
    pub(crate) fn meant(
        &self,
        intent: IntentId,
        mut values: Vec<(Symbol<SlotId>, Value)>,
        now: SlotId,
    ) -> Self {
        let at = self.at.as_deref();
        values.extend(at.map(|at| (Symbol::Known(now), Value::text(at))));
        Self {
            intent: Some(Symbol::Known(intent)),
            data: TurnData::Given(values),
            ..self.clone()
        }
    }

    /// Whether the utterance must be recognized before the turn can start.
    #[inline]
    pub fn is_unread(&self) -> bool {
        self.intent.is_none() && self.say.is_some()
    }

    /// The input merged with the answer of a recognizer. Values of the input take precedence. `None` if the answer has
    /// no intent.
    pub fn read_as(&self, reading: &Value, machine: &Machine) -> Option<ReadInput> {
        let names = &machine.names;
        let mut input = self.clone();
        let intent = reading
            .get("intent")?
            .as_text()
            .filter(|name| !name.is_empty())?;
        input.intent = Some(Symbol::of(intent, &names.intents));
        let number = |key: &str| reading.get(key).and_then(Value::as_number);
        input.confidence = input.confidence.or(number("confidence").map(Float::new));
        if input.tone.is_none() {
            input.tone = reading.get("tone").and_then(Value::as_text).map(Into::into);
        }
        if let (None, Some(Value::Int(level))) = (input.frustration, reading.get("frustration")) {
            input.frustration = Some(*level);
        }
        if let Some(Value::List(also)) = reading.get("also").filter(|_| input.also.is_empty()) {
            let also = also.iter().filter_map(Value::as_text);
            input.also = also.map(|name| Symbol::of(name, &names.intents)).collect();
        }
        let mut spurious = Vec::new();
        if let Some(Value::Map(data)) = reading.get("data") {
            let mut values = input.data.values().to_vec();
            for (name, value) in data.iter() {
                let name = match Symbol::of(name, &names.slots) {
                    Symbol::Unknown(name) => {
                        spurious.push((name, value.clone()));
                        continue;
                    }
                    known @ Symbol::Known(_) => known,
                };
                if !values.iter().any(|(known, _)| *known == name) {
                    values.push((name, value.clone()));
                }
            }
            input.data = TurnData::Given(values);
        }
        Some((input, spurious))
    }

    /// Whether each slot accepts its value unchanged.
    pub(crate) fn fits(&self, machine: &Machine) -> bool {
        let fits = |(name, value): &(Symbol<SlotId>, Value)| {
            name.known()
                .is_none_or(|slot| machine.slot(slot).admit(value).as_ref() == Some(value))
        };
        self.data.values().iter().all(fits)
    }

    /// Converts the values to the types of their slots; calls `wrong` for each rejected value.
    pub(crate) fn fit(&mut self, machine: &Machine, mut wrong: impl FnMut(SlotId, Value)) {
        let TurnData::Given(values) = &mut self.data else {
            return;
        };
        values.retain_mut(|(name, value)| {
            let Some(slot) = name.known() else {
                return true;
            };
            let admitted = machine.slot(slot).admit(value);
            let is_admitted = admitted.is_some();
            match admitted {
                Some(admitted) => *value = admitted,
                None => wrong(slot, std::mem::take(value)),
            }
            is_admitted
        });
    }

    /// The input as classified by a matching phrase of the machine. Named groups of the pattern are slot values, unless
    /// the turn sets them. The text of a group is read as a value of its slot.
    pub(crate) fn read_by_phrase(&self, found: &FoundPhrase<'_>, machine: &Machine) -> Self {
        let mut read = self.clone();
        read.intent = Some(Symbol::Known(found.intent));
        let mut values = self.data.values().to_vec();
        for (group, text) in &found.values {
            let name = Symbol::of(group, &machine.names.slots);
            if !values.iter().any(|(known, _)| *known == name) {
                let declared = name.known().map(|slot| machine.slot(slot));
                let value = declared.and_then(|slot| value_of(slot, text, self.at.as_deref()));
                values.push((name, value.unwrap_or_else(|| Value::text(text))));
            }
        }
        if !values.is_empty() {
            read.data = TurnData::Given(values);
        }
        read
    }
}

/// An ID that no intent has.
pub(crate) fn no_intent() -> IntentId {
    IntentId::from_index(usize::MAX)
}

/// The user's consent to access data of the digital twin, separately for reading and writing: unknown, yes or no. It
/// can be withdrawn at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Consent {
    /// Whether data can be read.
    pub read: Option<bool>,
    /// Whether data can be written.
    pub write: Option<bool>,
}

impl Consent {
    /// Whether any consent is given or refused.
    pub fn is_said(self) -> bool {
        self.read.is_some() || self.write.is_some()
    }

    /// The consent to read or to write.
    pub(crate) fn word(self, kind: ConsentKind) -> Option<bool> {
        match kind {
            ConsentKind::Read => self.read,
            ConsentKind::Write => self.write,
        }
    }

    /// The consent after a later answer: later values take precedence.
    pub fn then(self, later: Self) -> Self {
        Self {
            read: later.read.or(self.read),
            write: later.write.or(self.write),
        }
    }
}

/// A turn of a script: operations before it, the input, and the answers to its needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedTurn {
    /// Operations on the session before the turn.
    pub before: Vec<Operation>,
    pub input: Input,
    /// The scripted answer to any need that requires a model.
    pub answer: Option<Value>,
    /// Scripted answers to specific needs, which replace other providers; `None` stands for no answer.
    pub answers: Vec<(NeedKey, Option<Value>)>,
}

impl From<Input> for ScriptedTurn {
    fn from(input: Input) -> Self {
        Self {
            input,
            ..Self::default()
        }
    }
}

impl ScriptedTurn {
    /// A turn in which the user gives or refuses consent. The dialogue stays in its state.
    pub fn of_consent(consent: Consent) -> Self {
        let input = Input {
            consent,
            reply: Some("".into()),
            ..Input::default()
        };
        input.into()
    }

    /// Whether the assistant only requests the instruction of the current state, optionally after an utterance.
    pub fn only_calls(&self) -> bool {
        let input = &self.input;
        let stays = input.goto.is_none() && !input.consent.is_said();
        stays && input.intent.is_none() && input.reply.as_deref() == Some("")
    }
}
