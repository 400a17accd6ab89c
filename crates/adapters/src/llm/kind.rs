//! The kinds of tasks, and what each asks for.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::answer_failure::{AnswerFailure, FailureKind};
use fsmsim_core::machine::{Schema, Value};
use fsmsim_syntax::document::LEVELS;
use fsmsim_syntax::terminal::{beginning, printable};

/// What somebody is asked for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskKind {
    /// What was said is read: an intent, how certain it is, what else it may be, and data.
    Classify,
    /// The assistant says something by an instruction, and perhaps moves on.
    Navigate,
    /// An answer is held against a reference point: how complete it is, and what is missing.
    Assess,
    /// The words for a message are found.
    Phrase,
    /// A state decides for itself how it goes on.
    Decide,
    /// A node of a cycle does its work.
    Work,
    /// The user says something.
    PlayUser,
    /// What was said is held against a rubric.
    Judge,
}

impl TaskKind {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name, as records, mocks and cassettes write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// The JSON Schema of the answer, whatever the machine.
    pub fn schema(self) -> Json {
        let share = json!({"type": "number", "minimum": 0, "maximum": 1});
        let text = json!({"type": "string"});
        let words = json!({"type": "string", "minLength": 1});
        let (properties, required): (Json, &[&str]) = match self {
            Self::Classify => (
                json!({
                    "intent": words,
                    "confidence": share,
                    "alternatives": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"intent": words, "confidence": share},
                            "required": ["intent", "confidence"],
                        },
                    },
                    "also": {"type": "array", "items": text},
                    "data": {"type": ["object", "null"]},
                    "tone": {"type": ["string", "null"]},
                    "frustration": {"type": ["integer", "null"], "minimum": 0, "maximum": 10},
                }),
                &["intent"],
            ),
            Self::Navigate => {
                let word = json!({"type": ["boolean", "null"]});
                let consent = json!({"type": ["object", "null"], "properties": {"read": word, "write": word}});
                let target = json!({"type": ["string", "null"]});
                (
                    json!({"reply": text, "target": target, "consent": consent}),
                    &["reply"],
                )
            }
            Self::Assess => {
                let point = json!({
                    "type": "object",
                    "properties": {"point": words, "completeness": share, "text": text},
                    "required": ["point"],
                });
                let properties = json!({
                    "completeness": share,
                    "missing": {"type": "array", "items": text},
                    "for": {"type": "array", "items": point},
                    "approved": {"type": ["boolean", "null"]},
                });
                (properties, &["completeness"])
            }
            Self::Phrase => (json!({"reply": words}), &["reply"]),
            Self::Decide => (
                json!({
                    "should_transition": {"type": "boolean"},
                    "next_state": {"type": ["string", "null"]},
                    "reasoning": {"type": ["string", "null"]},
                }),
                &["should_transition"],
            ),
            Self::Work => (json!({"output": {}}), &["output"]),
            Self::PlayUser => (
                json!({"say": words, "leaves": {"type": "boolean"}}),
                &["say"],
            ),
            Self::Judge => (
                json!({"reason": words, "passed": {"type": "boolean"}, "score": share}),
                &["reason", "passed"],
            ),
        };
        json!({"type": "object", "properties": properties, "required": required})
    }

    /// An answer as an example, in YAML.
    pub fn example(self) -> &'static str {
        match self {
            Self::Classify => "{intent: NAME, confidence: 0.9, data: {SLOT: VALUE}}",
            Self::Navigate => "{reply: TEXT, target: STATE}",
            Self::Assess => "{completeness: 0.5, missing: [TEXT]}",
            Self::Phrase => "{reply: TEXT}",
            Self::Decide => "{should_transition: true, next_state: STATE}",
            Self::Work => "{output: VALUE}",
            Self::PlayUser => "{say: TEXT}",
            Self::Judge => "{passed: true, reason: TEXT}",
        }
    }

    /// A well-formed answer that names what no machine has.
    pub fn unknown(self) -> Value {
        let name = Value::text("no_such_name");
        match self {
            Self::Classify => Value::map([("intent", name)]),
            Self::Navigate => Value::map([("reply", Value::text("")), ("target", name)]),
            Self::Assess => Value::map([
                ("completeness", Value::Int(0)),
                ("missing", Value::List([name].into())),
            ]),
            Self::Phrase => Value::map([("reply", name)]),
            Self::Decide => Value::map([
                ("should_transition", Value::Bool(true)),
                ("next_state", name),
            ]),
            Self::Work => Value::map([("output", name)]),
            Self::PlayUser => Value::map([("say", name)]),
            Self::Judge => Value::map([("passed", Value::Bool(false)), ("reason", name)]),
        }
    }

    /// Holds an answer against the schema.
    pub fn check(self, answer: &Value) -> Result<(), AnswerFailure> {
        let wrong = |reason: &str| Err(FailureKind::WrongSchema.because(reason));
        // As of documents: what is written of it must be read again.
        if !answer.is_within(LEVELS) {
            return wrong("the answer is nested too deeply");
        }
        let Some(schema) = self.compiled() else {
            return wrong("the schema cannot be used");
        };
        let Some(error) = schema.error(answer) else {
            return Ok(());
        };
        let place = match error.place.trim_start_matches('/') {
            "" => "the answer".to_owned(),
            place => format!("`{place}`"),
        };
        let message = beginning(&error.message, QUOTED);
        wrong(&format!(
            "{place} is not what was asked for: {}",
            printable(message)
        ))
    }

    /// The schema, compiled once.
    fn compiled(self) -> Option<&'static Schema> {
        static SCHEMAS: LazyLock<Vec<(TaskKind, Schema)>> = LazyLock::new(|| {
            let kinds = TaskKind::ALL.iter();
            kinds
                .filter_map(|kind| Some((*kind, Schema::new(kind.name(), kind.schema()).ok()?)))
                .collect()
        });
        SCHEMAS
            .iter()
            .find(|(kind, _)| *kind == self)
            .map(|(_, schema)| schema)
    }
}

/// Characters of a broken answer that a failure quotes at most.
const QUOTED: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(kind: TaskKind, answer: Json) -> Result<(), String> {
        kind.check(&Value::from(answer))
            .map_err(|failure| failure.reason)
    }

    #[test]
    fn each_kind_has_a_schema_that_takes_what_it_asks_for_and_nothing_else() {
        let good = [
            (
                TaskKind::Classify,
                json!({"intent": "agreement", "confidence": 1, "alternatives": []}),
            ),
            (TaskKind::Navigate, json!({"reply": "Да", "target": null})),
            (
                TaskKind::Assess,
                json!({"completeness": 0.5, "missing": ["срок"]}),
            ),
            (TaskKind::Phrase, json!({"reply": "Кто?"})),
            (TaskKind::Decide, json!({"should_transition": false})),
            (TaskKind::Work, json!({"output": [1]})),
            (TaskKind::PlayUser, json!({"say": "Привет"})),
            (
                TaskKind::Judge,
                json!({"passed": true, "reason": "Цена названа"}),
            ),
        ];
        assert_eq!(good.len(), TaskKind::ALL.len());
        for (kind, answer) in good {
            assert_eq!(checked(kind, answer), Ok(()), "{}", kind.name());
            assert_eq!(TaskKind::from_name(kind.name()), Some(kind));
            for bad in [json!({}), json!([]), json!("text"), json!(null)] {
                assert!(
                    checked(kind, bad.clone()).is_err(),
                    "{}: {bad}",
                    kind.name()
                );
            }
        }
    }

    #[test]
    fn what_breaks_a_schema_is_named_with_its_place() {
        let told = [
            checked(TaskKind::Classify, json!({"intent": "a", "confidence": 7})),
            checked(
                TaskKind::Classify,
                json!({"intent": "a", "alternatives": [{"intent": "b"}]}),
            ),
            checked(TaskKind::Assess, json!({"completeness": "half"})),
        ];
        let told: Vec<String> = told.into_iter().map(Result::unwrap_err).collect();
        assert!(
            told[0].starts_with("`confidence` is not what was asked for"),
            "{told:?}"
        );
        assert!(
            told[1].starts_with("`alternatives/0` is not what was asked for"),
            "{told:?}"
        );
        assert!(told[2].starts_with("`completeness` is not"), "{told:?}");
    }

    #[test]
    fn an_answer_has_no_more_levels_than_can_be_read_again() {
        let nested = |levels| (0..levels).fold(json!(1), |value, _| json!([value]));
        let answer = |levels| {
            checked(
                TaskKind::Classify,
                json!({"intent": "a", "data": {"x": nested(levels)}}),
            )
        };
        assert_eq!(answer(LEVELS - 2), Ok(()));
        assert_eq!(
            answer(LEVELS - 1).unwrap_err(),
            "the answer is nested too deeply"
        );
    }
}
