//! With what conditions compare slots: values that matter to a model.

use std::collections::BTreeMap;

use super::condition::{Bound, Condition, Subject, Test};
use super::id::SlotId;
use super::value::{Float, Value};

/// So many values of a slot at most.
const MOST: usize = 6;

/// A value that is only there.
pub const SOMETHING: &str = "known";

/// The values with which conditions compare slots, in the order of the conditions: where a condition only asks whether there is
/// anything, a word; for a bound, what lies below it, on it and above it.
pub fn compared_values<'c>(
    conditions: impl IntoIterator<Item = &'c Condition>,
) -> BTreeMap<SlotId, Vec<Value>> {
    let mut found: BTreeMap<SlotId, Vec<Value>> = BTreeMap::new();
    for condition in conditions {
        let Condition::Test(Subject::Slot(slot), test) = condition else {
            continue;
        };
        let number = |bound: &Bound, more: f64| match bound {
            Bound::Number(number) => Some(number_of(number.get() + more)),
            _ => None,
        };
        let values: Vec<Value> = match test {
            Test::Truthy => vec![Value::Bool(true), Value::text(SOMETHING)],
            Test::Known(_) | Test::Filled(_) | Test::FilledText => vec![Value::text(SOMETHING)],
            Test::Is(values) => values
                .iter()
                .filter(|value| is_plain(value))
                .cloned()
                .collect(),
            Test::IsFolded(texts) => texts.iter().map(|text| Value::text(text)).collect(),
            Test::Compare(_, bound) => [-1.0, 0.0, 1.0]
                .into_iter()
                .filter_map(|more| number(bound, more))
                .collect(),
            Test::Between(low, _) => number(low, 0.0).into_iter().collect(),
            Test::Contains(words) | Test::StartsWith(words) => {
                words.texts.iter().map(|text| Value::text(text)).collect()
            }
            Test::SameAs(_) | Test::Within(_) | Test::Later(..) => Vec::new(),
        };
        let known = found.entry(*slot).or_default();
        for value in values {
            if known.len() < MOST && !known.contains(&value) {
                known.push(value);
            }
        }
    }
    found
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Bool(_) | Value::Int(_))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number that a condition names"
)]
fn number_of(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::Int(number as i64)
    } else {
        Value::Float(Float::new(number))
    }
}
