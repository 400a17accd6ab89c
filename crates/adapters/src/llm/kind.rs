//! The kinds of tasks, with the schemas of their answers.

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

/// The kind of a task.
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
    /// Recognizes an utterance: intent, confidence, alternatives and data.
    Classify,
    /// Generates a reply of the assistant according to an instruction, and optionally a transition.
    Navigate,
    /// Assesses how completely an answer covers a question topic, and what is missing.
    Assess,
    /// Generates the text of a message.
    Phrase,
    /// Chooses the next state of an autonomous state.
    Decide,
    /// Performs the task of an agent-cycle node.
    Work,
    /// Generates an utterance of the user.
    PlayUser,
    /// Checks replies against a rubric.
    Judge,
}

/// The schema and the examples of an answer.
#[derive(Deserialize)]
struct AnswerForm {
    schema: Json,
    example: Box<str>,
    unknown: Json,
}

/// The schemas and examples of all answers. A test checks that they can be parsed.
static FORMS: LazyLock<BTreeMap<TaskKind, AnswerForm>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../prompts/answers.json")).unwrap_or_default()
});

impl TaskKind {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in records, mocks and cassettes.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    fn form(self) -> Option<&'static AnswerForm> {
        FORMS.get(&self)
    }

    /// The JSON Schema of the answer, independent of the machine.
    pub fn schema(self) -> Json {
        self.form()
            .map(|form| form.schema.clone())
            .unwrap_or_default()
    }

    /// An example of an answer in YAML.
    pub fn example(self) -> &'static str {
        self.form().map_or("", |form| &form.example)
    }

    /// A valid answer with names that no machine defines.
    pub fn unknown(self) -> Value {
        self.form()
            .map(|form| form.unknown.clone())
            .map(Value::from)
            .unwrap_or_default()
    }

    /// Checks an answer against the schema.
    pub fn check(self, answer: &Value) -> Result<(), AnswerFailure> {
        let wrong = |reason: &str| Err(FailureKind::WrongSchema.because(reason));
        // The same nesting limit as for documents, so that written answers can be read again.
        if !answer.is_within(LEVELS) {
            return wrong("the answer is nested too deeply");
        }
        let Some(schema) = self.compiled() else {
            return wrong("the schema is invalid");
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
            "{place} does not match the schema: {}",
            printable(message)
        ))
    }

    /// The schema, compiled once.
    fn compiled(self) -> Option<&'static Schema> {
        static SCHEMAS: LazyLock<Vec<(TaskKind, Schema)>> = LazyLock::new(|| {
            TaskKind::ALL
                .iter()
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
    fn schema_of_each_kind_accepts_only_its_own_answers() {
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
    fn schema_violation_names_its_location() {
        let errors = [
            checked(TaskKind::Classify, json!({"intent": "a", "confidence": 7})),
            checked(
                TaskKind::Classify,
                json!({"intent": "a", "alternatives": [{"intent": "b"}]}),
            ),
            checked(TaskKind::Assess, json!({"completeness": "half"})),
        ];
        let errors: Vec<String> = errors.into_iter().map(Result::unwrap_err).collect();
        assert!(
            errors[0].starts_with("`confidence` does not match the schema"),
            "{errors:?}"
        );
        assert!(
            errors[1].starts_with("`alternatives/0` does not match the schema"),
            "{errors:?}"
        );
        assert!(
            errors[2].starts_with("`completeness` does not match the schema"),
            "{errors:?}"
        );
    }

    #[test]
    fn answer_nesting_is_limited() {
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
