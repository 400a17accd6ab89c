//! What came nearest to what was expected, and in what it differs.

use super::matcher::{Matcher, in_list};
use crate::limits::MAX_COMPARED_TEXT;
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::{Joined, shortened};

/// Characters from which on a text is long: of two of them people look for the difference.
const LONG: usize = 40;
/// Characters that are shown around a difference.
const AROUND: usize = 20;
/// Characters of a value that are shown.
const SHOWN: usize = 160;
/// Differences of one thing that are shown, and things for which what came nearest is shown.
const MOST: usize = 3;
/// From this distance on two things have nothing in common.
const FAR: f64 = 0.8;

impl Matcher {
    /// What of a value that is not what is expected came nearest, and in what it differs; nothing where that says no more than
    /// the value itself.
    pub(super) fn nearest(&self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::Scalar(_, expected), Value::Text(actual)) => first_difference(expected, actual),
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
                let told = missing.take(MOST).map(|item| {
                    let near = least(actual.iter().enumerate(), |(_, actual)| {
                        item.distance(actual)
                    });
                    near.map_or_else(
                        || format!("no {item}"),
                        |(number, near)| missed(item, number, near),
                    )
                });
                Some(told.joined("; "))
            }
            (Self::Contains(items), Value::Text(_)) => {
                let missing = items
                    .iter()
                    .filter(|item| !Self::Contains(vec![(*item).clone()]).matches(value));
                Some(format!(
                    "it lacks {}",
                    missing.take(MOST).map(Self::to_string).joined(", ")
                ))
            }
            (Self::InOrder(items), Value::List(actual)) => {
                let stand = in_list(items, actual.iter());
                let sought = items.get(stand.len())?;
                let behind = stand.last().map_or(0, |last| last + 1);
                let found = stand.len().checked_sub(1).and_then(|last| items.get(last));
                let begin = found.map_or_else(String::new, |found| {
                    format!("{found} is item {behind}; behind it there is ")
                });
                let rest = actual.iter().enumerate().skip(behind);
                let near = least(rest, |(_, actual)| sought.distance(actual));
                let missed = near.map_or_else(
                    || format!("no {sought}"),
                    |(number, near)| missed(sought, number, near),
                );
                let before = actual
                    .iter()
                    .take(behind)
                    .position(|actual| sought.matches(actual));
                let before = before
                    .map(|number| format!(", but item {} before it", number + 1))
                    .unwrap_or_default();
                Some(format!("{begin}{missed}{before}"))
            }
            (Self::List(items), Value::List(actual)) => {
                // Of short lists people see it.
                if self.to_string().len() + value.to_string().len() < 2 * LONG {
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
                        "item {} is too many: {}",
                        items.len() + 1,
                        shown(actual.get(items.len())?)
                    )),
                    None => Some(format!(
                        "item {} is missing: {}",
                        actual.len() + 1,
                        items.get(actual.len())?
                    )),
                }
            }
            (Self::All(items), actual) => {
                let failing = items.iter().filter(|item| !item.matches(actual));
                let told = failing.map(|item| {
                    item.nearest(actual).map_or_else(
                        || format!("not {item}"),
                        |near| format!("not {item}: {near}"),
                    )
                });
                Some(told.joined("; "))
            }
            _ => None,
        }
    }

    /// How far a value is from what is expected: 0 is what is expected, 1 has nothing in common with it.
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
            (Self::Scalar(_, expected), Value::Text(actual))
                if expected.len().max(actual.len()) <= MAX_COMPARED_TEXT =>
            {
                1.0 - strsim::normalized_damerau_levenshtein(expected, actual)
            }
            (Self::Map(entries), Value::Map(_)) => {
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

    /// In what a value differs from what is expected, behind a colon; nothing where that is all of it.
    fn differences(&self, value: &Value) -> String {
        let mut mismatches = Vec::new();
        self.compare("", value, &mut mismatches);
        let told = mismatches.iter().take(MOST).map(|mismatch| {
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
        let told = told.joined("; ");
        let more = if mismatches.len() > MOST { "; …" } else { "" };
        match self {
            Self::Scalar(..) => String::new(),
            _ => format!(": {told}{more}"),
        }
    }
}

/// What was sought, and the item that came nearest to it.
fn missed(item: &Matcher, number: usize, near: &Value) -> String {
    let differences = item.differences(near);
    let near = if differences.is_empty() {
        format!(", {}", shown(near))
    } else {
        differences
    };
    format!("no {item}; nearest is item {}{near}", number + 1)
}

/// The nearest of some things; nothing where none has anything in common with what is sought. Of equally near ones the first.
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

/// Where two long texts differ first.
fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected.chars().count().min(actual.chars().count()) < LONG {
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
        let behind = if text.chars().count() > begin + 2 * AROUND {
            "…"
        } else {
            ""
        };
        format!("\"{before}{part}{behind}\"")
    };
    Some(format!(
        "they differ from character {} on: expected {}, got {}",
        at + 1,
        around(expected),
        around(actual)
    ))
}

fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

/// A text that is not too long to be shown.
fn cut(text: &str) -> String {
    shortened(text, SHOWN)
}
