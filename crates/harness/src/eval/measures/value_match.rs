//! Compares an extracted value with the labeled one.

use serde_json::Value as Json;

use super::value_text::ValueText;
use fsmsim_core::machine::Stems;

/// The result of comparing an extracted value with the labeled one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueMatch {
    /// Equal, ignoring case, punctuation and number format.
    Same,
    /// At least half of the words are equal, or one value contains the other.
    Partial,
    /// Different.
    Different,
}

/// The minimum proportion of common words for a partial match.
const HALF: f64 = 0.5;

impl ValueMatch {
    /// Compares the labeled value with the extracted value.
    pub(super) fn of(labeled: &Json, read: &Json) -> Self {
        if let (Some(labeled), Some(read)) = (number(labeled), number(read)) {
            return if (labeled - read).abs() < 1e-9 {
                Self::Same
            } else {
                Self::Different
            };
        }
        if let (Json::Array(labeled), Json::Array(read)) = (labeled, read) {
            return list(labeled, read);
        }
        let labeled = text(labeled);
        let read = text(read);
        if labeled.key == read.key {
            return Self::Same;
        }
        // Different numbers, symbols or negations make values different, even if most words are equal.
        let numbers_fit = labeled.numbers == read.numbers
            || labeled.numbers.is_empty()
            || read.numbers.is_empty();
        let symbols_fit =
            labeled.signs == read.signs || labeled.signs.is_empty() || read.signs.is_empty();
        if !numbers_fit || !symbols_fit || labeled.denials != read.denials {
            return Self::Different;
        }
        let stems = Stems::default();
        let one = stems.of(&labeled.text);
        let other = stems.of(&read.text);
        let common = u32::try_from(one.intersection(&other).count()).unwrap_or(u32::MAX);
        let all = u32::try_from(one.len() + other.len())
            .unwrap_or(u32::MAX)
            .max(1);
        let is_inside = common > 0 && (one.is_subset(&other) || other.is_subset(&one));
        let is_near = 2.0 * f64::from(common) / f64::from(all) >= HALF;
        if is_inside || is_near {
            Self::Partial
        } else {
            Self::Different
        }
    }
}

/// Compares lists, ignoring their order.
fn list(labeled: &[Json], read: &[Json]) -> ValueMatch {
    let has = |list: &[Json], item: &Json| {
        list.iter()
            .any(|other| ValueMatch::of(item, other) == ValueMatch::Same)
    };
    let found = labeled.iter().filter(|item| has(read, item)).count();
    if found == labeled.len() && read.iter().all(|item| has(labeled, item)) {
        ValueMatch::Same
    } else if found > 0 {
        ValueMatch::Partial
    } else {
        ValueMatch::Different
    }
}

/// The number in a value. A text may have spaces or commas between groups of three digits, and a decimal comma.
fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => {
            let text = ValueText::of(text);
            let [number] = &*text.numbers else {
                return None;
            };
            // Text with additional symbols is not a number, and neither is a telephone number.
            let is_all = text.key == *number && !text.text.starts_with('+');
            number
                .parse()
                .ok()
                .filter(|number: &f64| is_all && number.is_finite())
        }
        _ => None,
    }
}

fn text(value: &Json) -> ValueText {
    match value.as_str() {
        Some(text) => ValueText::of(text),
        None => ValueText::of(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ValueMatch::{self, Different, Partial, Same};

    #[test]
    fn values_are_compared_by_meaning() {
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
            (json!("2,5 млн"), json!("25 млн"), Different),
            (json!("2,5 млн"), json!("2.5 млн"), Same),
            (json!("3/4"), json!("34"), Different),
            (json!("3/4"), json!("3 / 4"), Same),
            (json!("10-15"), json!("1015"), Different),
            (json!("10-15"), json!("10 – 15"), Same),
            (json!("10-15"), json!("10 15"), Partial),
            (json!("-5"), json!("5"), Different),
            (json!("-5 °C"), json!("5 °C"), Different),
            (json!("−5 °C"), json!("-5°C"), Same),
            (json!("C++"), json!("C#"), Different),
            (json!("C++"), json!("c++"), Same),
            (json!("!!!"), json!("???"), Different),
            (json!("!!!"), json!(" !!!"), Same),
            (json!("1,000"), json!(1000), Same),
            (json!("1,000,000 руб."), json!("1 000 000 руб"), Same),
            (json!("1,0000"), json!(10000), Different),
            (json!("0,500"), json!(0.5), Same),
            (json!("не работает"), json!("работает"), Different),
            (json!("does not work"), json!("does work"), Different),
            (json!("it doesn't work"), json!("work"), Different),
            (json!("не работает экран"), json!("не работает"), Partial),
            (json!("iPhone 15"), json!("iphone15"), Same),
            (json!("ул. Ленина, 5"), json!("улица Ленина 5"), Partial),
            (json!("2026-01-31"), json!("2026-01-13"), Different),
            (json!("8 (900) 123-45-67"), json!("89001234567"), Same),
        ];
        for (labeled, read, expected) in known {
            assert_eq!(
                ValueMatch::of(&labeled, &read),
                expected,
                "{labeled} {read}"
            );
        }
    }
}
