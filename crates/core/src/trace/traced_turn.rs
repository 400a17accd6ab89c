//! A turn as a trace tells it.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::machine::EVENTS;

/// A turn as a trace tells it. What a foreign trace leaves out is empty; keys that are not known are passed over.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TracedTurn {
    /// The number of the turn in the trace, from 1.
    pub turn: u32,
    /// The number that the dialogue counts, where it does.
    pub turn_number: Option<u32>,
    /// The turn as it was given.
    #[serde(deserialize_with = "or_empty")]
    pub input: Map<String, Value>,
    /// The state before and after.
    pub state: Step,
    /// The phase before and after.
    #[serde(deserialize_with = "or_empty")]
    pub phase: Step,
    /// The nodes that were passed.
    pub path: Vec<Value>,
    /// How it was answered.
    pub action: Option<String>,
    /// The structural class.
    pub class: Option<String>,
    /// The class by the registry of the machine.
    pub contract_class: Option<Value>,
    /// Which data was `kept`, `added`, `changed`, `dropped`.
    #[serde(deserialize_with = "or_empty")]
    pub carryover: Map<String, Value>,
    /// What was done to the world.
    pub effects: Vec<Value>,
    /// The reasons.
    pub why: Vec<String>,
    /// Who decided.
    #[serde(deserialize_with = "or_empty")]
    pub by: Deciders,
    /// Where the rules that decided are written.
    #[serde(deserialize_with = "or_empty")]
    pub rule: Deciders,
    /// How action and move came together.
    pub merge: Option<String>,
    /// What else was proposed.
    pub rejected: Vec<Value>,
    /// What is collected.
    #[serde(deserialize_with = "or_empty")]
    pub data: Map<String, Value>,
    /// Required data that is missing.
    pub missing: Vec<Value>,
    /// Whether the dialogue is over.
    #[serde(rename = "final")]
    pub is_final: Option<bool>,
    /// The counters of the machine.
    #[serde(deserialize_with = "or_empty")]
    pub counters: Map<String, Value>,
    /// The state that is kept to return to.
    pub return_state: Option<String>,
    /// The branches that run.
    pub branches: Vec<Value>,
    /// The frames, for machines that have them.
    pub frames: Option<Value>,
    /// How far the points of an interview are.
    pub points: Option<Value>,
    /// The answers from outside.
    pub answers: Vec<Value>,
    /// The limits that the reply went past.
    pub faults: Vec<Value>,
    /// What happened on the way.
    pub events: Vec<Value>,
    /// What the assistant said.
    #[serde(deserialize_with = "or_empty")]
    pub replies: Vec<String>,
    /// What it said, in a trace of version 1.
    reply: Option<String>,
    /// The rules that decided, where more is known than a trace holds.
    #[serde(skip)]
    pub rules: WinningRules,
}

/// A place before and after a turn.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Before.
    pub from: Option<String>,
    /// After.
    pub to: Option<String>,
}

/// Who or what decided a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub struct Deciders {
    /// Of the action.
    pub action: Option<String>,
    /// Of the move.
    pub transition: Option<String>,
}

/// The rules that decided a turn. A trace holds only where they are written; whoever plays the turn knows more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WinningRules {
    /// The rule of the action.
    pub action: Option<RuleMark>,
    /// The rule of the move.
    pub transition: Option<RuleMark>,
}

/// A rule, and whether the other side has it too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleMark {
    /// Where it is written: `path:line`.
    pub place: String,
    /// The mixin that brought it in.
    pub mixin: Option<String>,
    /// Its lines are not those of the other side.
    pub edited: bool,
}

impl WinningRules {
    /// The rules that stand at these places.
    fn at(places: &Deciders) -> Self {
        let mark = |place: &Option<String>| {
            place.as_ref().map(|place| RuleMark {
                place: place.clone(),
                mixin: None,
                edited: false,
            })
        };
        Self {
            action: mark(&places.action),
            transition: mark(&places.transition),
        }
    }
}

impl TracedTurn {
    /// The turn as this version of traces has it, with the rules that decided it where whoever played it knows them.
    pub(super) fn complete(mut self, rules: Option<&WinningRules>) -> Self {
        if self.replies.is_empty() {
            self.replies.extend(self.reply.take());
        }
        self.rules = rules.map_or_else(|| WinningRules::at(&self.rule), Clone::clone);
        self
    }

    /// The state after the turn.
    pub fn state(&self) -> &str {
        self.state.to.as_deref().unwrap_or_default()
    }

    /// What was meant, or happened, as the turn says itself.
    pub fn meant(&self) -> Option<&str> {
        let text = |key: &str| self.input.get(key)?.as_str();
        let happened = || {
            EVENTS
                .into_iter()
                .find(|key| self.input.get(*key).is_some())
        };
        text("intent").or_else(|| text("event")).or_else(happened)
    }

    /// What a turn lacks without which nothing can be said about it.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        match (self.turn, &self.state.to) {
            (0, _) => Some("`turn`, a number from 1"),
            (_, None) => Some("`state`, a map with `from` and `to`"),
            _ => None,
        }
    }
}

/// Null for empty, as some writers have it.
fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    value: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(value).map(Option::unwrap_or_default)
}
