//! Email addresses and phone numbers.

use std::ops::RangeInclusive;

use super::found_value::FoundValue;
use super::value_words::patterns;
use crate::machine::Value;

/// Digits of a phone number (E.164), at least five for a local number.
const PHONE_DIGITS: RangeInclusive<usize> = 5..=15;
/// Digits of a phone number that needs no word such as "phone".
const FULL_PHONE_DIGITS: usize = 10;

/// All contacts of a kind, as said.
pub(super) fn contacts(kind: &str, say: &str) -> Vec<FoundValue> {
    let matches = patterns(kind);
    let matches = matches.flat_map(|pattern| pattern.captures_iter(say));
    matches
        .filter_map(|groups| groups.name("v"))
        .map(|found| FoundValue::new(Value::text(found.as_str())).at(found.range()))
        .collect()
}

/// All phone numbers outside other values.
pub(super) fn phones(say: &str, masked: &[FoundValue]) -> Vec<FoundValue> {
    let mut found = contacts("phone", say);
    found.retain_mut(|phone| {
        let number = phone.value.plain();
        let digits = number.chars().filter(char::is_ascii_digit).count();
        phone.is_weak = digits < FULL_PHONE_DIGITS;
        let number = number.replace(char::is_whitespace, " ");
        phone.value = Value::text(&number.replace('–', "-"));
        let is_masked = masked.iter().any(|masked| phone.overlaps(masked));
        PHONE_DIGITS.contains(&digits) && !is_masked
    });
    found
}
