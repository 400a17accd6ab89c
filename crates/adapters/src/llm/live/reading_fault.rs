//! Errors in an interpretation: unknown names, and data that is spurious or has the wrong type.

use crate::limits::MAX_QUOTED_NAME;
use crate::llm::answer_failure::{AnswerFailure, FailureKind};
use crate::llm::reading_task::ReadingTask;
use crate::llm::task::Task;
use fsmsim_core::engine::TONES;
use fsmsim_core::machine::{List, Value};
use fsmsim_syntax::terminal::{beginning, printable};

/// The errors in the names and data of an otherwise valid interpretation.
pub(super) fn reading_fault(task: &Task<'_>, answer: &Value) -> Option<AnswerFailure> {
    let Task::Classify(reading) = task else {
        return None;
    };
    let faults: Vec<String> = name_faults(reading, answer)
        .chain(data_faults(reading, answer))
        .collect();
    (!faults.is_empty()).then(|| FailureKind::WrongSchema.because(faults.join("; ")))
}

/// Removes unknown names from an interpretation. The engine removes invalid data.
pub(super) fn known_names(task: &Task<'_>, answer: Value) -> Value {
    let (Task::Classify(reading), Value::Map(fields)) = (task, &answer) else {
        return answer;
    };
    let is_tone = |value: &Value| value.as_text().is_none_or(|tone| TONES.contains(&tone));
    let kept = fields
        .iter()
        .filter(|(key, value)| **key != *"tone" || is_tone(value))
        .map(|(key, value)| {
            let value = match (&**key, value.list()) {
                ("alternatives", Some(items)) => Value::List(
                    items
                        .iter()
                        .filter(|item| item.get("intent").is_some_and(|it| knows(reading, it)))
                        .cloned()
                        .collect(),
                ),
                ("also", Some(items)) => Value::List(
                    items
                        .iter()
                        .filter(|item| knows(reading, item))
                        .cloned()
                        .collect(),
                ),
                _ => value.clone(),
            };
            (&**key, value)
        });
    Value::map(kept)
}

/// Whether a value is the name of a possible intent.
fn knows(reading: &ReadingTask<'_>, name: &Value) -> bool {
    reading
        .intents
        .iter()
        .any(|offer| name.as_text() == Some(offer.intent))
}

fn name_faults<'a>(
    reading: &'a ReadingTask<'_>,
    answer: &'a Value,
) -> impl Iterator<Item = String> {
    let items = |key: &str| {
        answer
            .get(key)
            .and_then(Value::list)
            .into_iter()
            .flat_map(List::iter)
    };
    let alternatives = items("alternatives")
        .filter_map(|item| item.get("intent"))
        .map(|name| ("alternatives", name));
    let also = items("also").map(|name| ("also", name));
    let unknown = alternatives
        .chain(also)
        .filter(|(_, name)| !knows(reading, name))
        .map(|(key, name)| format!("{} in `{key}` is not an intent", cut(&name.to_string())));
    let tone = answer
        .get("tone")
        .and_then(Value::as_text)
        .filter(|tone| !TONES.contains(tone));
    unknown.chain(tone.map(|tone| {
        format!(
            "expected one of {} for `tone`, found `{}`",
            TONES.join(", "),
            cut(tone)
        )
    }))
}

fn data_faults<'a>(
    reading: &'a ReadingTask<'_>,
    answer: &'a Value,
) -> impl Iterator<Item = String> {
    let data = match answer.get("data") {
        Some(Value::Map(data)) => Some(data),
        _ => None,
    };
    data.into_iter()
        .flat_map(|data| data.iter())
        .filter_map(
            |(name, value)| match reading.slots.iter().find(|slot| *slot.name == **name) {
                None => Some(format!("`{}` in `data` is not a slot", cut(name))),
                Some(slot) if slot.declared.admit(value).is_none() => {
                    let value = cut(&value.to_string());
                    let holds = slot.declared.in_words();
                    Some(format!(
                        "expected {holds} for `{}` in `data`, found {value}",
                        slot.name
                    ))
                }
                Some(_) => None,
            },
        )
}

fn cut(text: &str) -> String {
    printable(beginning(text, MAX_QUOTED_NAME))
}
