//! The kinds of tasks, and what each asks for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::answer_failure::{AnswerFailure, FailureKind};
use crate::limits::MAX_QUOTED_FAULT;
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
    PartialOrd,
    Ord,
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

/// The form of an answer.
#[derive(Deserialize)]
struct AnswerForm {
    schema: Json,
    example: Box<str>,
    unknown: Json,
}

/// The forms of the answers; a test reads all of them.
static FORMS: LazyLock<BTreeMap<TaskKind, AnswerForm>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../prompts/answers.json")).unwrap_or_default()
});

impl TaskKind {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name, as records, mocks and cassettes write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    fn form(self) -> Option<&'static AnswerForm> {
        FORMS.get(&self)
    }

    /// The JSON Schema of the answer, whatever the machine.
    pub fn schema(self) -> Json {
        self.form()
            .map(|form| form.schema.clone())
            .unwrap_or_default()
    }

    /// An answer as an example, in YAML.
    pub fn example(self) -> &'static str {
        self.form().map_or("", |form| &form.example)
    }

    /// A well-formed answer that names what no machine has.
    pub fn unknown(self) -> Value {
        let form = self.form().map(|form| form.unknown.clone());
        form.map(Value::from).unwrap_or_default()
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
        let message = beginning(&error.message, MAX_QUOTED_FAULT);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

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
