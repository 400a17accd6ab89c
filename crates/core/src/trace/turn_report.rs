//! The report of a turn: its record, for code that presents or compares turns.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::machine::EVENTS;
use fsmsim_syntax::terminal::printable;

/// The report of a turn: one line of a trace. Fields that a third-party trace omits are empty; unknown keys are
/// ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TurnReport {
    /// The number of the turn in the trace, starting at 1.
    pub turn: u32,
    /// The turn counter of the dialogue, if it has one.
    pub turn_number: Option<u32>,
    /// The input of the turn.
    #[serde(deserialize_with = "or_empty")]
    pub input: Map<String, Value>,
    /// The state before and after the turn.
    pub state: Step,
    /// The phase before and after the turn.
    #[serde(deserialize_with = "or_empty")]
    pub phase: Step,
    /// The traversed nodes.
    pub path: Vec<Value>,
    /// The action of the reply.
    pub action: Option<String>,
    /// The structural class.
    pub class: Option<String>,
    /// The class that the contract assigns.
    pub contract_class: Option<Value>,
    /// The data that was `kept`, `added`, `changed` or `dropped`.
    #[serde(deserialize_with = "or_empty")]
    pub carryover: Map<String, Value>,
    /// The effects of the turn.
    #[schemars(with = "Vec<ReportedEffect>")]
    pub effects: Vec<Value>,
    /// The reasons.
    pub why: Vec<String>,
    /// The sources that decided the turn.
    #[serde(deserialize_with = "or_empty")]
    pub by: Deciders,
    /// The locations of the rules that decided the turn.
    #[serde(deserialize_with = "or_empty")]
    pub rule: Deciders,
    /// How the action and the transition were combined.
    pub merge: Option<String>,
    /// The rejected proposals.
    #[schemars(with = "Vec<LostProposal>")]
    pub rejected: Vec<Value>,
    /// The collected data.
    #[serde(deserialize_with = "or_empty")]
    pub data: Map<String, Value>,
    /// Required data that is missing.
    pub missing: Vec<Value>,
    /// Optional data that is not collected.
    pub optional_data: Vec<String>,
    /// The goal of the state.
    pub goal: Option<String>,
    /// Whether the dialogue has ended.
    #[serde(rename = "final")]
    pub is_final: Option<bool>,
    /// The counters of the machine.
    #[serde(deserialize_with = "or_empty")]
    pub counters: Map<String, Value>,
    /// The completed go-backs.
    pub go_back_history: Vec<Step>,
    /// The saved state to return to.
    pub return_state: Option<String>,
    /// The running branches.
    pub branches: Vec<Value>,
    /// The frames, if the machine has them.
    pub frames: Option<Value>,
    /// The progress of the points of an interview.
    #[schemars(with = "Option<Vec<ReportedPoint>>")]
    pub points: Option<Value>,
    /// The answers of external systems.
    #[schemars(with = "Vec<ReportedAnswer>")]
    pub answers: Vec<Value>,
    /// The violations.
    pub violations: Vec<Value>,
    /// The events of the turn.
    pub events: Vec<Value>,
    /// The replies of the assistant.
    #[serde(deserialize_with = "or_empty")]
    pub replies: Vec<String>,
}

/// A state or phase before and after a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Step {
    /// The value before the turn.
    pub from: Option<String>,
    /// The value after the turn.
    pub to: Option<String>,
}

/// The sources or rules that decided a turn.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(default)]
pub struct Deciders {
    /// The source or rule that decided the action.
    pub action: Option<String>,
    /// The source or rule that decided the transition.
    pub transition: Option<String>,
}

impl TurnReport {
    /// Reads the line of a turn. Returns `None` for any other text.
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// The state after the turn.
    pub fn state(&self) -> &str {
        self.state.to.as_deref().unwrap_or_default()
    }

    /// The states before and after the turn with an arrow between them, or only one of them if they are equal.
    pub fn way(&self, arrow: &str) -> String {
        let [from, to] =
            [&self.state.from, &self.state.to].map(|state| state.as_deref().unwrap_or("?"));
        if from == to {
            to.to_owned()
        } else {
            [from, arrow, to].concat()
        }
    }

    /// The string under a key in the input.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.input.get(key)?.as_str()
    }

    /// The string in a slot.
    pub fn text_of(&self, slot: &str) -> Option<&str> {
        self.data.get(slot)?.as_str()
    }

    /// The intent or the event in the input of the turn.
    pub fn meant(&self) -> Option<&str> {
        let happened = || {
            EVENTS
                .into_iter()
                .find(|key| self.input.get(*key).is_some())
        };
        self.given("intent")
            .or_else(|| self.given("event"))
            .or_else(happened)
    }

    pub fn effects(&self) -> Vec<ReportedEffect> {
        typed(&self.effects)
    }

    pub fn rejected(&self) -> Vec<LostProposal> {
        typed(&self.rejected)
    }

    pub fn answers(&self) -> Vec<ReportedAnswer> {
        typed(&self.answers)
    }

    pub fn points(&self) -> Vec<ReportedPoint> {
        let points = self.points.as_ref().and_then(Value::as_array);
        typed(points.map(Vec::as_slice).unwrap_or_default())
    }

    /// The input of the turn, without the utterance and the machine-readable keys.
    pub fn recorded_input(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.input
            .iter()
            .map(|(key, value)| (&**key, value))
            .filter(|(key, _)| !HIDDEN_INPUT_KEYS.contains(key))
    }

    /// The input in one line; `None` if it has no human-readable part.
    fn input_line(&self) -> Option<String> {
        let intent = self.given("intent").map(|intent| format!("[{intent}]"));
        let rest = self
            .recorded_input()
            .filter(|(key, _)| *key != "intent")
            .map(|(key, value)| match value {
                Value::Bool(true) => format!("[{key}]"),
                Value::String(text) => format!("{key}={text}"),
                value => format!("{key}={value}"),
            });
        let parts: Vec<String> = self
            .given("say")
            .map(str::to_owned)
            .into_iter()
            .chain(intent)
            .chain(rest)
            .collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// The first missing part among those that every turn must have.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        match (self.turn, &self.state.to) {
            (0, _) => Some("`turn`, a positive number"),
            (_, None) => Some("`state`, a map with `from` and `to`"),
            _ => None,
        }
    }
}

/// Keys of an input that are shown elsewhere or are machine-readable only.
const HIDDEN_INPUT_KEYS: [&str; 6] = ["before", "say", "reply", "signals", "answer", "answers"];

/// The turn as a human-readable excerpt: the transition, the utterance and the replies, each on a separate line,
/// without control characters.
impl fmt::Display for TurnReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = [&self.action, &self.class]
            .into_iter()
            .flatten()
            .flat_map(|part| [", ", part])
            .collect::<String>();
        let way = format!("turn {}: {}{rest}", self.turn, self.way(" -> "));
        write!(f, "{}", printable(&way))?;
        let input = self.input_line();
        for (who, said) in input
            .iter()
            .map(|input| ("user", input))
            .chain(self.replies.iter().map(|reply| ("agent", reply)))
        {
            write!(f, "\n{}", printable(&format!("  {who}: {said}")))?;
        }
        Ok(())
    }
}

/// The items that have the expected shape.
fn typed<'v, T: Deserialize<'v>>(items: &'v [Value]) -> Vec<T> {
    items
        .iter()
        .filter_map(|item| T::deserialize(item).ok())
        .collect()
}

/// Reads null as empty: some systems write null for empty values.
fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    value: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(value).map(Option::unwrap_or_default)
}

/// An effect of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedEffect {
    /// The name.
    pub effect: String,
    /// The state to which the effect belongs.
    pub state: String,
    /// The payload.
    pub payload: Value,
    /// `allowed` or `denied`.
    pub verdict: String,
    /// The outcome; absent if a gate denied the effect.
    pub outcome: Option<String>,
    /// The reason for the denial, or the schema violation of the answer.
    pub why: Option<String>,
}

/// A proposal that lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LostProposal {
    /// `action` or `transition`.
    pub kind: Value,
    /// The action, or the state.
    pub value: Value,
    /// The source.
    pub by: Value,
    /// The reason.
    pub why: Value,
    /// The location of the rule.
    #[serde(rename(deserialize = "rule"))]
    pub at: Value,
}

/// An answer of an external system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedAnswer {
    /// The effect that the answer belongs to.
    pub effect: Option<String>,
    /// The index among the effects of this kind in the turn, starting at 0.
    pub index: usize,
    /// The answer.
    pub answer: Option<Value>,
}

/// A point of an interview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportedPoint {
    /// The name.
    pub id: String,
    /// The progress of the point.
    pub state: String,
    /// The completeness of the answers, from 0 to 1.
    pub confidence: f64,
    /// The answers about the point.
    pub answers: Vec<Value>,
}

impl ReportedEffect {
    /// The payload value under a key; null if there is none.
    pub fn given(&self, key: &str) -> &Value {
        self.payload.get(key).unwrap_or(&Value::Null)
    }

    /// Whether the effect was performed.
    pub fn is_done(&self) -> bool {
        self.outcome.as_deref() == Some("done")
    }

    /// Whether a gate denied the effect.
    pub fn is_denied(&self) -> bool {
        self.verdict == "denied"
    }
}

/// The reasons of a traced turn. A trace lists them in this order (docs/src/reference/trace-fields.md); only this type
/// depends on the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedReasons<'t> {
    /// Why the action won, if a source proposed it.
    pub action: Option<&'t str>,
    /// Why the transition won, if a source proposed it.
    pub transition: Option<&'t str>,
    /// All other reasons of the turn.
    pub notes: &'t [String],
}

impl TurnReport {
    /// The reasons, assigned to the decisions that they explain.
    pub fn reasons(&self) -> TracedReasons<'_> {
        let mut rest = self.why.as_slice();
        let mut of = |decider: &Option<String>| {
            let (first, others) = rest.split_first().filter(|_| decider.is_some())?;
            rest = others;
            Some(first.as_str())
        };
        let action = of(&self.by.action);
        let transition = of(&self.by.transition);
        TracedReasons {
            action,
            transition,
            notes: rest,
        }
    }

    /// Whether a note only names the class of the turn. Such a class decided nothing.
    pub fn names_its_class(&self, note: &str) -> bool {
        let class = self
            .contract_class
            .as_ref()
            .and_then(|class| class.as_str());
        class.is_some() && note.strip_prefix("contract_class_") == class
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use schemars::generate::SchemaSettings;
    use serde_json::json;

    use super::*;
    use crate::trace::RecordField;

    #[test]
    fn display_prints_the_turn_as_a_conversation() {
        let turns = [
            json!({"turn": 1, "input": {"open": true}, "state": {"from": "a", "to": "b"}, "replies": ["Да?\nНу"]}),
            json!({
                "turn": 2,
                "input": {"say": "x", "intent": "go", "data": {"n": 1}, "signals": {"s": 1}},
                "state": {"from": "b", "to": "b"},
                "action": "wait",
                "class": "hold",
            }),
            json!({"turn": 3}),
        ];
        let expected = [
            "turn 1: a -> b\n  user: [open]\n  agent: Да? Ну",
            "turn 2: b, wait, hold\n  user: x [go] data={\"n\":1}",
            "turn 3: ?",
        ];
        for (turn, expected) in turns.iter().zip(expected) {
            let report = TurnReport::read(&turn.to_string()).unwrap();
            assert_eq!(report.to_string(), expected);
        }
    }

    #[test]
    fn report_has_the_fields_of_a_record() {
        let settings = SchemaSettings::default().for_serialize();
        let schema = settings
            .into_generator()
            .into_root_schema_for::<TurnReport>();
        let fields = schema.get("properties").and_then(Value::as_object);
        let fields: BTreeSet<&str> = fields.unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, RecordField::names().collect());
    }

    #[test]
    fn report_omits_parts_of_other_shapes() {
        let report = json!({"effects": [{"effect": "recall", "payload": {"a": 1}, "more": 2}, 7]});
        let report = TurnReport::read(&report.to_string()).unwrap();
        let [effect] = &*report.effects() else {
            panic!("{report:?}");
        };
        assert_eq!((&*effect.effect, effect.given("a")), ("recall", &json!(1)));
    }
}
