//! What the engine needs from outside, and what it is given.

use std::sync::Arc;

use super::consent::Consent;
use super::input::{Input, TurnData};
use super::name::Symbol;
use crate::machine::{ClassId, Float, Machine, SlotId, StateId, Value};

/// Something that only the outside can say. The engine returns it, the driver finds the answer and plays the turn again
/// from the top.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Somebody reads what was said: a map with `intent`, and perhaps `confidence`, `alternatives`,
    /// `also`, `data`, `tone`, `frustration`.
    Classify {
        /// The state in which it was said.
        state: StateId,
    },
    /// Whoever plays the assistant says something by the instruction of the state, and perhaps moves on: a map with
    /// `reply`, and perhaps `target` and `consent`.
    Navigate {
        /// The state.
        state: StateId,
    },
    /// The user's data is read for a state: a map with `status` (`ok`, `invalid` or `down`) and `data`.
    Read {
        /// The state that is entered.
        state: StateId,
        /// What is read.
        keys: Box<[SlotId]>,
    },
    /// Data of the user is written by a state: a map with `status`.
    Write {
        /// The state that is entered.
        state: StateId,
        /// The schema, by its place among the machine's.
        schema: usize,
        /// What is written.
        payload: Value,
    },
    /// The backend executes the route of a class: a map with `status`, as the outcomes of the contract are called, and what
    /// they put into fields.
    Execute {
        /// The class.
        class: ClassId,
        /// The route.
        route: Value,
        /// What is known: data of the turn by name, and fields as `FRAME.FIELD`.
        data: Value,
    },
    /// A model decides how an autonomous state goes on: a map with `should_transition`, `next_state`, `reasoning`.
    Decide {
        /// The state.
        state: StateId,
    },
}

impl Need {
    /// The kind, as traces write it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Classify { .. } => CLASSIFY,
            Self::Execute { .. } => EXECUTE,
            Self::Decide { .. } => DECIDE,
            Self::Navigate { .. } => NAVIGATE,
            Self::Read { .. } => READ,
            Self::Write { .. } => WRITE,
        }
    }
}

pub(super) const CLASSIFY: &str = "classify";
pub(super) const DECIDE: &str = "decide";
pub(super) const EXECUTE: &str = "execute";
pub(super) const NAVIGATE: &str = "navigate";
pub(super) const READ: &str = "read";
pub(super) const WRITE: &str = "write";

/// All kinds of needs.
pub const NEED_KINDS: [&str; 6] = [CLASSIFY, DECIDE, EXECUTE, NAVIGATE, READ, WRITE];

/// The answer to a need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The kind of need that was answered.
    pub kind: &'static str,
    /// A value as the need asks for it, or nothing where nobody could say anything.
    pub value: Option<Value>,
    /// Who gave it; nothing where the script did, or nobody.
    pub by: Option<Arc<str>>,
    /// Who was asked before and did not answer, and why.
    pub failed: Vec<(Arc<str>, Arc<str>)>,
}

impl Answer {
    /// Whether somebody read what was said.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.kind == CLASSIFY
    }
}

/// The answer of a kind, among those that were given.
pub(super) fn answer_of<'a>(answers: &'a [Answer], kind: &str) -> Option<&'a Answer> {
    answers.iter().find(|answer| answer.kind == kind)
}

/// A text that somebody gave in an answer under this key.
#[must_use]
pub fn told<'a>(answers: &'a [Answer], key: &str) -> Option<&'a str> {
    answers.iter().find_map(|answer| answer.value.as_ref()?.get(key)?.as_text())
}

impl Input {
    /// Whether somebody must read what was said before the turn can begin.
    #[inline]
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.intent.is_none() && self.say.is_some()
    }

    /// Whether whoever plays the assistant must say where the dialogue goes before the turn can begin.
    #[inline]
    #[must_use]
    pub fn needs_navigation(&self) -> bool {
        self.goto.is_none() && self.reply.is_none() && self.say.is_some()
    }

    /// The input as whoever plays the assistant leads it. What the input says itself stays as it is.
    #[must_use]
    pub fn with_navigation(&self, answer: &Value, machine: &Machine) -> Self {
        let mut input = self.clone();
        let text = |key: &str| answer.get(key).and_then(Value::as_text).filter(|text| !text.is_empty());
        input.goto = text("target").map(|name| Symbol::of(name, &machine.names.states));
        input.reply = text("reply").map(Into::into);
        let word = |key: &str| match answer.get("consent")?.get(key)? {
            Value::Bool(word) => Some(*word),
            _ => None,
        };
        input.consent = Consent { read: word("read"), write: word("write") }.then(self.consent);
        input
    }

    /// The input as somebody has read it. What the input says itself stays as it is. Nothing, where the reading names no
    /// intent.
    #[must_use]
    pub fn read_as(&self, reading: &Value, machine: &Machine) -> Option<Self> {
        let names = &machine.names;
        let mut input = self.clone();
        let intent = reading.get("intent")?.as_text().filter(|name| !name.is_empty())?;
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
        if let Some(Value::Map(data)) = reading.get("data") {
            let mut values = input.data.values().to_vec();
            for (name, value) in data.iter() {
                let name = Symbol::of(name, &names.slots);
                if !values.iter().any(|(known, _)| *known == name) {
                    values.push((name, value.clone()));
                }
            }
            input.data = TurnData::Given(values);
        }
        Some(input)
    }
}
