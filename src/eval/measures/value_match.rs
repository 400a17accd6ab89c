//! Whether a value that was read is the one that was said.

use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;

use crate::machine::Stems;

/// How a value that was read compares to the one that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueMatch {
    /// The same, whatever its case, its marks and its form as a number.
    Same,
    /// It has half of the words, or more than the value.
    Partial,
    /// Another one.
    Different,
}

/// The share of common words from which a text is partly right.
const HALF: f64 = 0.5;

impl ValueMatch {
    /// Compares what was said to what was read.
    pub(super) fn of(said: &Json, read: &Json) -> Self {
        if let (Some(said), Some(read)) = (number(said), number(read)) {
            return if (said - read).abs() < 1e-9 { Self::Same } else { Self::Different };
        }
        if let (Json::Array(said), Json::Array(read)) = (said, read) {
            return list(said, read);
        }
        let (said, read) = (words(said), words(read));
        if letters(&said) == letters(&read) {
            return Self::Same;
        }
        let stems = Stems::default();
        // Any number is the same word there; a wrong one is no part of the right one.
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let (one, other) = (stems.of(&said), stems.of(&read));
        let common = u32::try_from(one.intersection(&other).count()).unwrap_or(u32::MAX);
        let all = u32::try_from(one.len() + other.len()).unwrap_or(u32::MAX).max(1);
        let is_inside = common > 0 && (one.is_subset(&other) || other.is_subset(&one));
        let is_near = 2.0 * f64::from(common) / f64::from(all) >= HALF;
        let digits_fit = digits(&said).is_empty() || digits(&read).is_empty() || digits(&said) == digits(&read);
        if digits_fit && (is_inside || is_near) { Self::Partial } else { Self::Different }
    }
}

/// Lists in any order.
fn list(said: &[Json], read: &[Json]) -> ValueMatch {
    let has = |list: &[Json], item: &Json| list.iter().any(|other| ValueMatch::of(item, other) == ValueMatch::Same);
    let found = said.iter().filter(|item| has(read, item)).count();
    if found == said.len() && read.iter().all(|item| has(said, item)) {
        ValueMatch::Same
    } else if found > 0 {
        ValueMatch::Partial
    } else {
        ValueMatch::Different
    }
}

/// A number, also where it is written as a text, with blanks between its digits or a comma.
fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => {
            let digits: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
            // A telephone number is no number.
            let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '-');
            digits.replace(',', ".").parse().ok().filter(|number: &f64| is_number && number.is_finite())
        }
        _ => None,
    }
}

fn words(value: &Json) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.nfkc().collect::<String>().to_lowercase().replace('ё', "е")
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ValueMatch::{self, Different, Partial, Same};

    #[test]
    fn values_are_compared_as_people_would() {
        let known = [
            (json!(50), json!("50"), Same),
            (json!(50), json!(50.0), Same),
            (json!("1 000"), json!(1000), Same),
            (json!("2,5"), json!("2.50"), Same),
            (json!(15), json!("1.5"), Different),
            (json!("+7 900 123-45-67"), json!("+79001234567"), Same),
            (json!("Ещё Теплее!"), json!("еще теплее"), Same),
            (json!("теряем клиентов"), json!("теряем клиента"), Partial),
            (json!("теряем клиентов"), json!("Клиентов"), Partial),
            (json!("теряем клиентов"), json!("склад"), Different),
            (json!(50), json!("50 человек"), Partial),
            (json!(50), json!("60 человек"), Different),
            (json!(true), json!("true"), Same),
            (json!(["a", "b"]), json!(["B", "a"]), Same),
            (json!(["a", "b"]), json!(["a"]), Partial),
            (json!(["a"]), json!([]), Different),
            (json!("10:30"), json!("10.30"), Same),
        ];
        for (said, read, expected) in known {
            assert_eq!(ValueMatch::of(&said, &read), expected, "{said} {read}");
        }
    }
}
