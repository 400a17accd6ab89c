//! Numbers, ranges and approximations, with their units.

use super::found_value::FoundValue;
use super::said_text::Groups;
use super::value_words::{index_of, number_of};
use crate::machine::{Float, Value, whole};

/// Characters of the longest number: every such number is exact as a float.
const MAX_NUMBER: usize = 15;
/// The greatest quotient of the numbers of a range: `12-345` is a code.
const MAX_RANGE: f64 = 10.0;
/// The numbers of units in `value_words.txt`.
const MONEY: u32 = 1;
const PERCENT: u32 = 2;
pub(super) const PEOPLE: u32 = 3;

/// A number, or the least number of a range.
pub(super) fn number(group: &Groups<'_>) -> Option<FoundValue> {
    let said = group("n")?;
    let mut number = parsed(said)?;
    if let Some(most) = group("most") {
        let most = parsed(most)?;
        // "5-10 thousand" starts at 5000.
        let scale = [1e9, 1e6, 1e3].into_iter();
        let scale = scale.filter(|scale| number < 1e3 && most / scale > number);
        number *= scale.fold(1.0, f64::max);
        if number >= most || most > number * MAX_RANGE {
            return None;
        }
    }
    if group("minus").is_some() {
        number = -number;
    }
    let sign = group("sign").or(group("currency"));
    let unit = group("unit").or(group("inverted"));
    let unit = match sign {
        Some("%") => Some(PERCENT),
        Some(_) => Some(MONEY),
        None => unit.and_then(|word| index_of("unit", word)),
    };
    let is_thing = |word: &&str| {
        let mut roles = ["function", "about"].into_iter();
        unit.is_none() && roles.all(|role| number_of(role, word).is_none())
    };
    // "Человек 60" is an approximation.
    let is_uncertain = ["most", "about", "inverted"]
        .into_iter()
        .any(|name| group(name).is_some());
    let value = whole(number).unwrap_or(Value::Float(Float::new(number)));
    Some(FoundValue {
        unit,
        counted: group("counted").filter(is_thing).map(Into::into),
        ..FoundValue::new(value).doubted(is_uncertain || said.starts_with('~'))
    })
}

/// A number in digits. `1.500` is ambiguous.
fn parsed(number: &str) -> Option<f64> {
    let digits = number.trim_start_matches('~');
    let fraction = digits.split_once('.').map_or("", |(_, fraction)| fraction);
    let is_clear = fraction.len() != 3 || digits.starts_with("0.");
    digits
        .parse()
        .ok()
        .filter(|_| is_clear && digits.len() <= MAX_NUMBER)
}
