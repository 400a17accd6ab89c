//! The requests made in a turn, their answers, and the resulting state.

use serde_json::Value as Json;

use super::trial_tally::{AnswerTally, QuestionTally, StateTally};
use crate::limits::MAX_COMPARED_ANSWER;
use fsmsim_core::engine::{Answer, RecordView};
use fsmsim_core::machine::{NeedKind, Value};
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::terminal::beginning;

/// Keys that describe how an answer was found. Differences in them do not matter.
const IGNORED_KEYS: [&str; 6] = [
    "confidence",
    "alternatives",
    "reasoning",
    "reply",
    "tone",
    "frustration",
];

/// The requests and answers in a turn of a trial, and the resulting state.
pub(super) fn heard_in(line: &RecordView<'_>) -> Vec<QuestionTally> {
    let change = RecordField::State.value(line);
    let state = |part: &str| {
        let state = change.get(part).and_then(Value::as_text);
        state.unwrap_or_default().to_owned()
    };
    let asked = line
        .record
        .answers
        .iter()
        .filter(|answer| is_compared(answer));
    let question = |answer: &Answer| {
        let kind = answer.key.kind.name();
        let index = answer.key.index;
        let need = if index == 0 {
            kind.to_owned()
        } else {
            format!("{kind} {}", index + 1)
        };
        QuestionTally {
            turn: line.record.turn,
            state: state("from"),
            need,
            answers: vec![answer_of(answer)],
            to: vec![StateTally {
                state: state("to"),
                trials: 1,
            }],
            failed: 0,
        }
    };
    asked.map(question).collect()
}

/// Whether an answer is compared between trials. Reply texts and effects are not, because they can differ in each
/// trial.
fn is_compared(answer: &Answer) -> bool {
    let is_judged = !matches!(answer.key.kind, NeedKind::Phrase | NeedKind::Effect(_));
    is_judged && (answer.by.is_some() || !answer.failed.is_empty())
}

/// The part of an answer that is compared between trials.
fn answer_of(answer: &Answer) -> AnswerTally {
    let tally = |text: &str, intent| AnswerTally {
        answer: beginning(text, MAX_COMPARED_ANSWER).into(),
        intent,
        trials: 1,
    };
    let Some(value) = &answer.value else {
        return tally("no answer", None);
    };
    let mut said = match serde_json::to_value(value).unwrap_or_default() {
        Json::Object(said) => said,
        other => return tally(&other.to_string(), None),
    };
    let intent = said.get("intent").and_then(Json::as_str).map(str::to_owned);
    said.retain(|key, value| !IGNORED_KEYS.contains(&key.as_str()) && !is_empty(value));
    said.sort_keys();
    let Some(name) = intent else {
        return tally(&Json::Object(said).to_string(), None);
    };
    said.remove("intent");
    let rest = if said.is_empty() {
        String::new()
    } else {
        format!(" {}", Json::Object(said))
    };
    tally(&format!("{name}{rest}"), Some(name))
}

/// Whether a part of an answer is empty.
fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(items) => items.is_empty(),
        Json::Object(map) => map.is_empty(),
        _ => false,
    }
}
