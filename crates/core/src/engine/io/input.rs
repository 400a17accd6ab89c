//! What comes in: one turn of the user, and the turn of a script around it.

use std::sync::Arc;

use crate::engine::{Machine, Operation, Symbol};
use crate::machine::{
    ConsentKind, Float, FoundPhrase, Id, IntentId, NeedKey, Signal, SlotId, StateId, Value,
};

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

/// The input of a turn, already read: an intent with what was extracted from the utterance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// What was meant.
    pub intent: Option<Symbol<IntentId>>,
    /// What was said, word for word.
    pub say: Option<Arc<str>>,
    /// What was meant besides.
    pub also: Vec<Symbol<IntentId>>,
    /// How certain the reading is, from 0 to 1.
    pub confidence: Option<Float>,
    pub tone: Option<Arc<str>>,
    /// How frustrated the user is, from 0 to 10.
    pub frustration: Option<i64>,
    /// The data that the utterance brought.
    pub data: TurnData,
    /// Context signals that are given from outside.
    pub signals: Vec<(Signal, Value)>,
    /// The readings to choose from.
    pub options: Vec<Value>,
    /// The question to ask back.
    pub question: Option<Arc<str>>,
    /// Where whoever plays the assistant goes.
    pub goto: Option<Symbol<StateId>>,
    /// What the user says about the data of the digital twin.
    pub consent: Consent,
    /// What the assistant says.
    pub reply: Option<Arc<str>>,
    /// Seconds since the dialogue began.
    pub elapsed: Option<Float>,
    /// When it came in, as RFC 3339 has it, where that matters.
    pub at: Option<Arc<str>>,
}

/// The data that an utterance brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TurnData {
    /// Not said.
    #[default]
    Absent,
    /// Said to be null, which the profile `reference` cannot process.
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
}

/// An input as it was read, and what the reading brought of which the machine knows nothing: it is no data.
pub(super) type ReadInput = (Input, Vec<(Arc<str>, Value)>);

impl Input {
    /// What was meant, as far as the machine knows it.
    #[inline]
    pub fn known_intent(&self) -> Option<IntentId> {
        self.intent.as_ref().and_then(Symbol::known)
    }

    /// An input that is an intent and nothing else.
    pub fn intent(intent: IntentId) -> Self {
        Self {
            intent: Some(Symbol::Known(intent)),
            ..Self::default()
        }
    }

    /// The input as one that means something and brings values, with its time where that is known.
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

    /// Whether somebody must read what was said before the turn can begin.
    #[inline]
    pub fn is_unread(&self) -> bool {
        self.intent.is_none() && self.say.is_some()
    }

    /// The input as somebody has read it. What it says itself stays as it is. Nothing, where the reading names no intent.
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
        let mut invented = Vec::new();
        if let Some(Value::Map(data)) = reading.get("data") {
            let mut values = input.data.values().to_vec();
            for (name, value) in data.iter() {
                let name = match Symbol::of(name, &names.slots) {
                    Symbol::Unknown(name) => {
                        invented.push((name, value.clone()));
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
        Some((input, invented))
    }

    /// Whether each slot can hold what the input brings for it, as it is.
    pub(crate) fn fits(&self, machine: &Machine) -> bool {
        let fits = |(name, value): &(Symbol<SlotId>, Value)| {
            name.known()
                .is_none_or(|slot| machine.slot(slot).admit(value).as_ref() == Some(value))
        };
        self.data.values().iter().all(fits)
    }

    /// Takes what the input brings as the slots hold it; what a slot cannot hold goes to `wrong`.
    pub(crate) fn fit(&mut self, machine: &Machine, mut wrong: impl FnMut(SlotId, Value)) {
        let TurnData::Given(values) = &mut self.data else {
            return;
        };
        values.retain_mut(|(name, value)| {
            let Some(slot) = name.known() else {
                return true;
            };
            let held = machine.slot(slot).admit(value);
            let is_held = held.is_some();
            match held {
                Some(held) => *value = held,
                None => wrong(slot, std::mem::take(value)),
            }
            is_held
        });
    }

    /// The input as a phrase of the machine reads it that was found in what was said. Named groups of the pattern are data,
    /// unless the turn says them itself.
    pub(crate) fn read_by_phrase(&self, found: &FoundPhrase<'_, '_>, machine: &Machine) -> Self {
        let mut read = self.clone();
        read.intent = Some(Symbol::Known(found.intent));
        let mut values = self.data.values().to_vec();
        for group in found.pattern.capture_names().flatten() {
            let name = Symbol::of(group, &machine.names.slots);
            if let Some(text) = found.groups.name(group)
                && !values.iter().any(|(known, _)| *known == name)
            {
                values.push((name, Value::text(text.as_str())));
            }
        }
        if !values.is_empty() {
            read.data = TurnData::Given(values);
        }
        read
    }
}

/// An intent that no machine has.
pub(crate) fn no_intent() -> IntentId {
    IntentId::from_index(usize::MAX)
}

/// What the user said about the data of the digital twin: nothing, yes or no, for reading and for writing apart. Either
/// can be withdrawn at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Consent {
    /// Data may be read.
    pub read: Option<bool>,
    /// Data may be written.
    pub write: Option<bool>,
}

impl Consent {
    /// Whether anything was said.
    pub fn is_said(self) -> bool {
        self.read.is_some() || self.write.is_some()
    }

    /// What was said about one of them.
    pub(crate) fn word(self, kind: ConsentKind) -> Option<bool> {
        match kind {
            ConsentKind::Read => self.read,
            ConsentKind::Write => self.write,
        }
    }

    /// What holds after more was said: the last word counts.
    pub fn then(self, later: Self) -> Self {
        Self {
            read: later.read.or(self.read),
            write: later.write.or(self.write),
        }
    }
}

/// A turn as a script gives it: what happens before it, the input, and the answer to what the turn needs from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedTurn {
    /// Operations on the session before the turn.
    pub before: Vec<Operation>,
    pub input: Input,
    /// The scripted answer to what the turn asks of a model.
    pub answer: Option<Value>,
    /// Scripted answers to these needs, whoever would be asked otherwise; nothing where nobody answered.
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
    /// The turn in which the user gives or refuses consent. The dialogue stays in its state.
    pub fn of_consent(consent: Consent) -> Self {
        let input = Input {
            consent,
            reply: Some("".into()),
            ..Input::default()
        };
        input.into()
    }

    /// Whether whoever plays the assistant only asks what holds where the dialogue is, perhaps after something was said.
    pub fn only_calls(&self) -> bool {
        let input = &self.input;
        let stays = input.goto.is_none() && !input.consent.is_said();
        stays && input.intent.is_none() && input.reply.as_deref() == Some("")
    }
}
