//! Data of a reading that is none: invented, or of the wrong kind.

use crate::llm::answerer::{AnswerFailure, FailureKind};
use crate::llm::task::Task;
use crate::machine::Value;
use crate::terminal::printable;

/// Characters of a wrong name or value that are quoted.
const QUOTED: usize = 80;

/// What is wrong with the data of a reading that is fit for use otherwise.
pub(super) fn data_fault(task: &Task<'_>, answer: &Value) -> Option<AnswerFailure> {
    let (Task::Classify(reading), Some(Value::Map(data))) = (task, answer.get("data")) else { return None };
    let faults: Vec<String> = data
        .iter()
        .filter_map(|(name, value)| match reading.slots.iter().find(|slot| *slot.name == **name) {
            None => Some(format!("`{}` in `data` is none of the slots", cut(name))),
            Some(slot) if slot.declared.admit(value).is_none() => {
                let (value, holds) = (cut(&value.to_string()), slot.declared.in_words());
                Some(format!("`{}` in `data` cannot be {value}: it holds {holds}", slot.name))
            }
            Some(_) => None,
        })
        .collect();
    (!faults.is_empty()).then(|| FailureKind::WrongSchema.because(faults.join("; ")))
}

fn cut(text: &str) -> String {
    printable(&text.chars().take(QUOTED).collect::<String>())
}
