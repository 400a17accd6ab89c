//! Finds the value that is most similar to an expectation, and describes how it differs.

use super::matcher::{Matcher, in_list};
use crate::limits::MAX_COMPARED_TEXT;
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::{Joined, shortened};

/// The number of characters from which a text is long. For long texts, only the first difference is shown.
const LONG_TEXT: usize = 40;
/// The number of characters shown before and after a difference.
const AROUND: usize = 20;
/// The maximum number of characters shown of a value.
const MAX_VALUE_CHARACTERS: usize = 160;
/// The maximum number of differences shown for a value, and of missing items.
const MAX_DIFFERENCES: usize = 3;
/// The distance from which values have nothing in common.
const FAR: f64 = 0.8;

impl Matcher {
    /// Describes the part of a non-matching value that is most similar, and its differences. `None` if the value itself
    /// shows as much.
    pub(super) fn nearest(&self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::Scalar(_, expected, _), Value::Text(actual)) => {
                first_difference(expected, actual)
            }
            (Self::Any(items), Value::List(actual)) if !actual.is_empty() => {
                let pairs = items
                    .iter()
                    .flat_map(|item| actual.iter().map(move |actual| (item, actual)));
                let (item, actual) = least(pairs, |(item, actual)| item.distance(actual))?;
                Some(format!(
                    "nearest: {} to {item}{}",
                    shown(actual),
                    item.differences(actual)
                ))
            }
            (Self::Any(items) | Self::In(items), actual) if items.len() > 1 => {
                let item = least(items.iter(), |item| item.distance(actual))?;
                Some(format!("nearest: {item}{}", item.differences(actual)))
            }
            (Self::Contains(items), Value::List(actual)) => {
                let missing = items
                    .iter()
                    .filter(|item| !actual.iter().any(|actual| item.matches(actual)));
                let is_near = |item: &Self| actual.iter().any(|actual| item.distance(actual) < FAR);
                if items.len() == 1 && !items.iter().any(is_near) {
                    return None;
                }
                let descriptions = missing
                    .take(MAX_DIFFERENCES)
                    .map(|item| missed(item, actual.iter().enumerate()));
                Some(descriptions.joined("; "))
            }
            (Self::Contains(items), Value::Text(actual)) => {
                let missing = items.iter().filter(|item| item.inside(actual).is_none());
                Some(format!(
                    "missing: {}",
                    missing
                        .take(MAX_DIFFERENCES)
                        .map(Self::to_string)
                        .joined(", ")
                ))
            }
            (Self::InOrder(items), Value::List(actual)) => {
                let matched = in_list(items, actual.iter());
                let sought = items.get(matched.len())?;
                let after = matched.last().map_or(0, |last| last + 1);
                let found = items.get(..matched.len())?.last();
                let begin = found.map_or_else(String::new, |found| {
                    format!("{found} is item {after}; after it: ")
                });
                let missed = missed(sought, actual.iter().enumerate().skip(after));
                let before = actual
                    .iter()
                    .take(after)
                    .position(|actual| sought.matches(actual));
                let before = before
                    .map(|number| format!(", but item {} before it matches", number + 1))
                    .unwrap_or_default();
                Some(format!("{begin}{missed}{before}"))
            }
            (Self::List(items), Value::List(actual)) => {
                // In short lists, the difference is obvious.
                if self.to_string().len() + value.to_string().len() < 2 * LONG_TEXT {
                    return None;
                }
                let differs = items
                    .iter()
                    .zip(actual.iter())
                    .position(|(item, actual)| !item.matches(actual));
                match differs
                    .and_then(|number| Some((number, items.get(number)?, actual.get(number)?)))
                {
                    Some((number, item, actual)) => Some(format!(
                        "item {} differs{}",
                        number + 1,
                        item.differences(actual)
                    )),
                    None if items.len() < actual.len() => Some(format!(
                        "unexpected item {}: {}",
                        items.len() + 1,
                        shown(actual.get(items.len())?)
                    )),
                    None => Some(format!(
                        "missing item {}: {}",
                        actual.len() + 1,
                        items.get(actual.len())?
                    )),
                }
            }
            (Self::All(items), actual) => {
                let failing = items.iter().filter(|item| !item.matches(actual));
                let descriptions = failing.map(|item| {
                    item.nearest(actual).map_or_else(
                        || format!("not {item}"),
                        |near| format!("not {item}: {near}"),
                    )
                });
                Some(descriptions.joined("; "))
            }
            _ => None,
        }
    }

    /// The distance between a value and the expectation, from 0 (match) to 1 (nothing in common).
    fn distance(&self, value: &Value) -> f64 {
        if self.matches(value) {
            return 0.0;
        }
        let all = |distances: &mut dyn Iterator<Item = f64>, count: usize| {
            #[expect(clippy::cast_precision_loss, reason = "expectations are short")]
            let count = count.max(1) as f64;
            distances.sum::<f64>() / count
        };
        match (self, value) {
            (Self::Scalar(_, expected, _), Value::Text(actual))
                if expected.len().max(actual.len()) <= MAX_COMPARED_TEXT =>
            {
                1.0 - strsim::normalized_damerau_levenshtein(expected, actual)
            }
            (Self::Map(entries, _), Value::Map(_)) => {
                let distance = |(key, inner): &(Box<str>, Self)| match value.get(key) {
                    Some(actual) => inner.distance(actual),
                    None => f64::from(u8::from(!inner.matches_part(None))),
                };
                all(&mut entries.iter().map(distance), entries.len())
            }
            (Self::List(items), Value::List(actual)) => {
                let longer = items.len().max(actual.len());
                let same = items
                    .iter()
                    .zip(actual.iter())
                    .map(|(item, actual)| 1.0 - item.distance(actual));
                1.0 - all(&mut same.into_iter(), longer)
            }
            (Self::All(items), actual) => all(
                &mut items.iter().map(|item| item.distance(actual)),
                items.len(),
            ),
            (Self::Any(items) | Self::In(items), actual) => items
                .iter()
                .map(|item| item.distance(actual))
                .fold(1.0, f64::min),
            _ => 1.0,
        }
    }

    /// How a value differs from the expectation, with a leading colon. Empty if there is nothing to add.
    fn differences(&self, value: &Value) -> String {
        let mut mismatches = Vec::new();
        self.compare("", value, &mut mismatches);
        let descriptions = mismatches.iter().take(MAX_DIFFERENCES).map(|mismatch| {
            let path = mismatch.path.trim_start_matches('.');
            let path = if path.is_empty() {
                String::new()
            } else {
                format!("{path}: ")
            };
            format!(
                "{path}expected {}, got {}",
                cut(&mismatch.expected),
                cut(&mismatch.actual)
            )
        });
        let descriptions = descriptions.joined("; ");
        let more = if mismatches.len() > MAX_DIFFERENCES {
            "; …"
        } else {
            ""
        };
        match self {
            Self::Scalar(..) => String::new(),
            _ => format!(": {descriptions}{more}"),
        }
    }
}

/// Describes a missing item and the most similar item in the list.
fn missed<'v>(item: &Matcher, actual: impl Iterator<Item = (usize, &'v Value)>) -> String {
    let Some((number, near)) = least(actual, |(_, actual)| item.distance(actual)) else {
        return format!("no {item}");
    };
    let differences = item.differences(near);
    let near = if differences.is_empty() {
        format!(", {}", shown(near))
    } else {
        differences
    };
    format!("no {item}; nearest is item {}{near}", number + 1)
}

/// The candidate with the smallest distance, if that is less than `FAR`. Of equally distant candidates, the first.
fn least<T>(all: impl Iterator<Item = T>, distance: impl Fn(&T) -> f64) -> Option<T> {
    let mut nearest: Option<(f64, T)> = None;
    for one in all {
        let distance = distance(&one);
        if distance < nearest.as_ref().map_or(FAR, |(least, _)| *least) {
            nearest = Some((distance, one));
        }
    }
    nearest.map(|(_, one)| one)
}

/// The first difference between two long texts.
fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected.chars().count().min(actual.chars().count()) < LONG_TEXT {
        return None;
    }
    let at = expected
        .chars()
        .zip(actual.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let around = |text: &str| {
        let begin = at.saturating_sub(AROUND);
        let part: String = text.chars().skip(begin).take(2 * AROUND).collect();
        let before = if begin > 0 { "…" } else { "" };
        let after = if text.chars().count() > begin + 2 * AROUND {
            "…"
        } else {
            ""
        };
        format!("\"{before}{part}{after}\"")
    };
    Some(format!(
        "first difference at character {}: expected {}, got {}",
        at + 1,
        around(expected),
        around(actual)
    ))
}

fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

/// A text, shortened for display.
fn cut(text: &str) -> String {
    shortened(text, MAX_VALUE_CHARACTERS)
}
