//! What somebody was asked in a turn and said, and what the turn came to.

use fsmsim_core::engine::{Answer, RecordView};
use fsmsim_core::machine::{NeedKind, Value};
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::terminal::beginning;

/// What somebody was asked in a turn and said, and what the turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeardTurn {
    /// The number of the turn.
    pub(super) turn: u32,
    /// The state in which it began.
    pub(super) state: String,
    /// The state to which it led.
    pub(super) to: String,
    /// Each that was asked for, with what was said.
    pub(super) heard: Vec<(String, HeardAnswer)>,
    /// It was not as expected.
    pub(super) fell_short: bool,
}

/// What somebody said, as far as two answers may differ in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HeardAnswer {
    /// What it says.
    pub(super) text: String,
    /// The intent that it reads.
    pub(super) intent: Option<String>,
}

/// Characters of an answer that are compared.
const COMPARED: usize = 400;
/// What of an answer says how it was found, and not what: it differs without meaning anything.
const ASIDE: [&str; 6] = [
    "confidence",
    "alternatives",
    "reasoning",
    "reply",
    "tone",
    "frustration",
];

impl HeardTurn {
    pub(super) fn of(line: &RecordView<'_>) -> Self {
        let state = |part: &str| {
            let change = RecordField::State.value(line);
            change
                .get(part)
                .and_then(Value::as_text)
                .unwrap_or_default()
                .to_owned()
        };
        let asked = line
            .record
            .answers
            .iter()
            .filter(|answer| is_compared(answer));
        let heard = asked.map(|answer| {
            let (kind, index) = (answer.key.kind.name(), answer.key.index);
            let need = if index == 0 {
                kind.to_owned()
            } else {
                format!("{kind} {}", index + 1)
            };
            (need, HeardAnswer::of(answer))
        });
        let heard = heard.collect();
        Self {
            turn: line.record.turn,
            state: state("from"),
            to: state("to"),
            heard,
            fell_short: false,
        }
    }
}

/// Whether somebody outside was asked for a judgement. Words that are found for a message are others each time, and may be.
fn is_compared(answer: &Answer) -> bool {
    let is_judged = !matches!(answer.key.kind, NeedKind::Phrase | NeedKind::Effect(_));
    is_judged && (answer.by.is_some() || !answer.failed.is_empty())
}

impl HeardAnswer {
    fn of(answer: &Answer) -> Self {
        let Some(value) = &answer.value else {
            return Self {
                text: "no answer".to_owned(),
                intent: None,
            };
        };
        let said = serde_json::to_value(value).unwrap_or_default();
        let mut said = match said {
            serde_json::Value::Object(said) => said,
            other => return Self::short(&other.to_string(), None),
        };
        let intent = said
            .get("intent")
            .and_then(serde_json::Value::as_str)
            .map(str::to_owned);
        said.retain(|key, value| !ASIDE.contains(&key.as_str()) && !is_empty(value));
        said.sort_keys();
        let Some(name) = &intent else {
            return Self::short(&serde_json::Value::Object(said).to_string(), None);
        };
        said.remove("intent");
        let rest = if said.is_empty() {
            String::new()
        } else {
            format!(" {}", serde_json::Value::Object(said))
        };
        Self::short(&format!("{name}{rest}"), intent.clone())
    }

    fn short(text: &str, intent: Option<String>) -> Self {
        Self {
            text: beginning(text, COMPARED).into(),
            intent,
        }
    }
}

/// Whether a part of an answer says nothing.
fn is_empty(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => true,
        serde_json::Value::Array(items) => items.is_empty(),
        serde_json::Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
