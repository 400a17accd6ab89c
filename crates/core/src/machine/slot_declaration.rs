//! Declarations of slots: their types and descriptions.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use regex::Regex;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{Float, List, Value};
use fsmsim_syntax::terminal::Joined;

/// The type and the description of a slot. An undeclared slot accepts any value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlotDeclaration {
    /// Whether a definition declares the slot; otherwise, it only uses the name.
    pub is_declared: bool,
    /// The type of the value; `None` accepts any type.
    pub kind: Option<SlotKind>,
    /// The allowed values, or the allowed items of a list; if empty, any value is allowed.
    pub values: Box<[Value]>,
    /// The format of a string.
    pub format: Option<SlotFormat>,
    /// The minimum of a number.
    pub least: Option<Float>,
    /// The maximum of a number.
    pub most: Option<Float>,
    /// The purpose of the slot; empty if not given.
    pub description: Box<str>,
}

/// The type of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum SlotKind {
    Text,
    /// An integer.
    Integer,
    Number,
    /// Yes or no.
    Boolean,
    /// A list of strings or numbers.
    List,
}

impl SlotKind {
    /// The name in definitions.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The format of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum SlotFormat {
    /// A day: `2026-01-31`.
    Date,
    /// A day: `31.01.2026`.
    #[strum(serialize = "DD.MM.YYYY")]
    DayMonthYear,
    /// A time of the day: `09:30`.
    Time,
    /// A date and time: `2026-01-31T09:30`, optionally with a UTC offset.
    DateTime,
    /// An email address.
    Email,
    /// A telephone number: digits, optionally after a `+`, optionally in groups.
    Phone,
    /// The name of a person: words of characters, optionally with hyphens, apostrophes and initials.
    Name,
}

impl SlotFormat {
    /// The name in definitions.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// An example of the format.
    pub fn sample(self) -> &'static str {
        match self {
            Self::Date => "2026-01-31",
            Self::DayMonthYear => "31.01.2026",
            Self::Time => "09:30",
            Self::DateTime => "2026-01-31T09:30",
            Self::Email => "ann@example.com",
            Self::Phone => "+7 900 000-00-00",
            Self::Name => "Ann Lee",
        }
    }

    /// A description of the format.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Date => "a date written as 2026-01-31",
            Self::DayMonthYear => "a date written as 31.01.2026",
            Self::Time => "a time of day written as 09:30",
            Self::DateTime => "a date and time written as 2026-01-31T09:30",
            Self::Email => "an email address such as ann@example.com",
            Self::Phone => "a telephone number such as +7 900 123-45-67",
            Self::Name => "the name of a person such as Ann Lee",
        }
    }

    /// Whether a string has the format.
    fn admits(self, text: &str) -> bool {
        static EMAIL: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"^[^\s@<>]+@[^\s@<>.]+(\.[^\s@<>.]+)+$").ok());
        match self {
            Self::Date => text.len() == 10 && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok(),
            Self::DayMonthYear => {
                text.len() == 10 && NaiveDate::parse_from_str(text, "%d.%m.%Y").is_ok()
            }
            Self::Time => ["%H:%M", "%H:%M:%S"]
                .iter()
                .any(|form| NaiveTime::parse_from_str(text, form).is_ok()),
            Self::DateTime => {
                let local = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
                DateTime::parse_from_rfc3339(text).is_ok()
                    || local
                        .iter()
                        .any(|form| NaiveDateTime::parse_from_str(text, form).is_ok())
            }
            Self::Email => EMAIL.as_ref().is_some_and(|pattern| pattern.is_match(text)),
            Self::Phone => {
                let digits = text.chars().filter(char::is_ascii_digit).count();
                let rest = text.strip_prefix('+').unwrap_or(text);
                (5..=15).contains(&digits)
                    && rest
                        .chars()
                        .all(|c| c.is_ascii_digit() || " ()-.".contains(c))
            }
            Self::Name => {
                let is_part = |c: char| c.is_alphabetic() || " -.'’".contains(c);
                text.starts_with(char::is_alphabetic) && text.chars().all(is_part)
            }
        }
    }
}

/// The sample number for slots without limits.
const SAMPLE: f64 = 10.0;

impl SlotDeclaration {
    /// Whether the type is declared.
    pub fn is_typed(&self) -> bool {
        self.kind.is_some()
    }

    /// The value as the slot stores it: unchanged, or converted to the type of the slot (`"50"` to 50). `None` if the
    /// slot does not accept the value. Null and the empty string are always accepted.
    pub fn admit(&self, value: &Value) -> Option<Value> {
        let Some(kind) = self.kind.filter(|_| !is_empty_value(value)) else {
            return Some(value.clone());
        };
        if kind == SlotKind::List {
            let item = |item: &Value| self.known(item.clone());
            return match value {
                Value::List(items) => {
                    Some(Value::List(items.iter().map(item).collect::<Option<_>>()?))
                }
                Value::Map(_) => None,
                single => Some(Value::List(List::from([item(single)?]))),
            };
        }
        let value = value_of_kind(kind, value)?;
        let in_bounds = value
            .as_number()
            .filter(|_| kind != SlotKind::Boolean)
            .is_none_or(|number| {
                self.least.is_none_or(|least| number >= least.get())
                    && self.most.is_none_or(|most| number <= most.get())
            });
        let has_format =
            |format: SlotFormat| value.as_text().is_some_and(|text| format.admits(text));
        if !in_bounds || !self.format.is_none_or(has_format) {
            return None;
        }
        self.known(value)
    }

    /// The allowed value that equals `value`, ignoring case; without declared values, `value` itself.
    fn known(&self, value: Value) -> Option<Value> {
        if self.values.is_empty() {
            return Some(value);
        }
        let folded = value.as_text().map(|text| text.trim().to_lowercase());
        let same = |known: &&Value| {
            **known == value || folded.is_some() && known.as_text().map(str::to_lowercase) == folded
        };
        self.values.iter().find(same).cloned()
    }

    /// A sample value; `None` if the slot accepts any value.
    pub fn sample(&self) -> Option<Value> {
        if let Some(value) = self.values.first() {
            return Some(value.clone());
        }
        let bound = || self.least.or(self.most).map_or(SAMPLE, Float::get);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the bounds of integer slots are integers in the range of `i64`"
        )]
        let whole = |number: f64| Value::Int(number.ceil() as i64);
        Some(match (self.kind?, self.format) {
            (_, Some(format)) => Value::text(format.sample()),
            (SlotKind::Integer, None) => whole(bound()),
            (SlotKind::Number, None) => Value::Float(Float::new(bound())),
            (SlotKind::Boolean, None) => Value::Bool(true),
            (SlotKind::Text | SlotKind::List, None) => Value::text("known"),
        })
    }

    /// A description of the type: "a whole number from 1 to 50", "one of these: small, large".
    pub fn in_words(&self) -> String {
        let values = || self.values.iter().map(Value::in_words).joined(", ");
        let from = self
            .least
            .map(|least| format!(" from {}", number(least)))
            .unwrap_or_default();
        let to = self
            .most
            .map(|most| format!(" up to {}", number(most)))
            .unwrap_or_default();
        let to = if from.is_empty() {
            to
        } else {
            to.replace(" up to ", " to ")
        };
        match (self.kind, self.format) {
            (None, _) => "anything".to_owned(),
            (Some(SlotKind::List), _) if self.values.is_empty() => "a list".to_owned(),
            (Some(SlotKind::List), _) => format!("a list of any of these: {}", values()),
            (Some(_), _) if !self.values.is_empty() => format!("one of these: {}", values()),
            (Some(_), Some(format)) => format.in_words().to_owned(),
            (Some(SlotKind::Text), None) => "a text".to_owned(),
            (Some(SlotKind::Integer), None) => format!("a whole number{from}{to}"),
            (Some(SlotKind::Number), None) => format!("a number{from}{to}"),
            (Some(SlotKind::Boolean), None) => "true or false".to_owned(),
        }
    }
}

/// Whether a value counts as missing data.
fn is_empty_value(value: &Value) -> bool {
    value.is_null() || value.as_text() == Some("")
}

/// Converts a value to a type, if this does not change its meaning.
fn value_of_kind(kind: SlotKind, value: &Value) -> Option<Value> {
    let text = value.as_text().map(str::trim);
    match (kind, value) {
        (SlotKind::Text, Value::Text(_))
        | (SlotKind::Boolean, Value::Bool(_))
        | (SlotKind::Integer | SlotKind::Number, Value::Int(_)) => Some(value.clone()),
        (SlotKind::Text, Value::Int(number)) => Some(Value::text(&number.to_string())),
        (SlotKind::Number, Value::Float(number)) => number.get().is_finite().then(|| value.clone()),
        (SlotKind::Integer, Value::Float(number)) => whole(number.get()),
        (SlotKind::Integer | SlotKind::Number, Value::Text(_)) => {
            let text = text.filter(|text| text.ends_with(|c: char| c.is_ascii_digit()))?;
            match (text.parse(), kind) {
                (Ok(number), _) => Some(Value::Int(number)),
                (Err(_), SlotKind::Integer) => None,
                (Err(_), _) => text
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite())
                    .map(|number| Value::Float(Float::new(number))),
            }
        }
        (SlotKind::Boolean, Value::Text(_)) => text?.to_lowercase().parse().ok().map(Value::Bool),
        _ => None,
    }
}

/// The float as an integer, if it is whole.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole, and floats represent such numbers exactly"
)]
pub fn whole(number: f64) -> Option<Value> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(Value::Int(number as i64))
}

fn number(number: Float) -> String {
    whole(number.get()).map_or_else(|| number.get().to_string(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(kind: SlotKind) -> SlotDeclaration {
        SlotDeclaration {
            kind: Some(kind),
            ..SlotDeclaration::default()
        }
    }

    #[test]
    fn admit_converts_equivalent_values_only() {
        let (float, text) = (|number| Value::Float(Float::new(number)), Value::text);
        let same = |kind, value: Value, kept: Value| {
            assert_eq!(slot(kind).admit(&value), Some(kept), "{value}");
        };
        same(SlotKind::Integer, text(" 50 "), Value::Int(50));
        same(SlotKind::Integer, float(50.0), Value::Int(50));
        same(SlotKind::Number, text("0.5"), float(0.5));
        same(SlotKind::Number, text("-3"), Value::Int(-3));
        same(SlotKind::Text, Value::Int(7), text("7"));
        same(SlotKind::Boolean, text("True"), Value::Bool(true));
        same(
            SlotKind::List,
            text("a"),
            Value::List(List::from([text("a")])),
        );
        for kind in SlotKind::VARIANTS {
            same(*kind, Value::Null, Value::Null);
            same(*kind, text(""), text(""));
        }
        let not = |kind, value: Value| assert_eq!(slot(kind).admit(&value), None, "{value}");
        for wrong in ["fifty", "50 people", "1 000", "inf", "NaN", "0x10", "1e400"] {
            not(SlotKind::Integer, text(wrong));
            not(SlotKind::Number, text(wrong));
        }
        not(SlotKind::Integer, float(0.5));
        not(SlotKind::Integer, float(1e300));
        not(SlotKind::Integer, Value::Bool(true));
        not(SlotKind::Boolean, Value::Int(1));
        not(SlotKind::Text, Value::Bool(true));
        not(SlotKind::Text, Value::List(List::default()));
        not(SlotKind::List, Value::map([("a", Value::Int(1))]));
    }

    #[test]
    fn admit_checks_values_limits_and_formats() {
        let values = ["Retail", "Wholesale"].map(Value::text);
        let industry = SlotDeclaration {
            values: values.into(),
            ..slot(SlotKind::Text)
        };
        assert_eq!(
            industry.admit(&Value::text("retail")),
            Some(Value::text("Retail"))
        );
        assert_eq!(industry.admit(&Value::text("farming")), None);
        let some = SlotDeclaration {
            kind: Some(SlotKind::List),
            ..industry
        };
        let list =
            |texts: &[&str]| Value::List(texts.iter().map(|text| Value::text(text)).collect());
        assert_eq!(
            some.admit(&list(&["wholesale", "RETAIL"])),
            Some(list(&["Wholesale", "Retail"]))
        );
        assert_eq!(some.admit(&list(&["Retail", "farming"])), None);
        let bound = |number| Some(Float::new(number));
        let few = SlotDeclaration {
            least: bound(1.0),
            most: bound(9.0),
            ..slot(SlotKind::Integer)
        };
        assert_eq!(
            [0, 1, 9, 10].map(|number| few.admit(&Value::Int(number)).is_some()),
            [false, true, true, false]
        );
        assert_eq!(few.in_words(), "a whole number from 1 to 9");
        let format = |format, text: &str| {
            SlotDeclaration {
                format: Some(format),
                ..slot(SlotKind::Text)
            }
            .admit(&Value::text(text))
            .is_some()
        };
        for (kind, good, bad) in [
            (SlotFormat::Date, "2026-02-28", "2026-02-30"),
            (SlotFormat::Date, "2024-02-29", "31.01.2026"),
            (SlotFormat::DayMonthYear, "29.02.2024", "30.02.2024"),
            (SlotFormat::Time, "09:30", "9.30"),
            (SlotFormat::DateTime, "2026-01-31T09:30", "2026-01-31"),
            (
                SlotFormat::DateTime,
                "2026-01-31T09:30:00+03:00",
                "tomorrow",
            ),
            (SlotFormat::Email, "anna@example.org", "anna at example.org"),
            (SlotFormat::Phone, "+7 (900) 123-45-67", "call me"),
            (SlotFormat::Phone, "112233", "11"),
            (SlotFormat::Name, "Anne-Marie O'Neil", "Anne 2"),
        ] {
            assert!(format(kind, good), "{good}");
            assert!(!format(kind, bad), "{bad}");
        }
    }
}
