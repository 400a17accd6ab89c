//! Recognizes contacts in text (docs/src/explanation/sales-policy.md).

use std::sync::LazyLock;

use regex::Regex;

use crate::limits::{MAX_EMAIL_DOMAIN_BYTES, MAX_EMAIL_LOCAL_BYTES};

/// A recognized contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContactText {
    /// An email address, in lowercase.
    Email(String),
    /// A phone number, as `+7` and ten digits.
    Phone(String),
}

static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$").ok());

/// Patterns of phone numbers: `+7` or `8`, then ten digits whose prefix can be in parentheses; or only ten digits.
static PHONES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let rest = r"[\s\-.]?([0-9]{3})[\s\-.]?([0-9]{2})[\s\-.]?([0-9]{2})$";
    [
        r"^\+7[\s\-.]?\(?([0-9]{3})\)?",
        r"^8[\s\-.]?\(?([0-9]{3})\)?",
        r"^([0-9]{3})",
    ]
    .iter()
    .filter_map(|start| Regex::new(&format!("{start}{rest}")).ok())
    .collect()
});

/// The email address, if the text is one.
pub fn email(text: &str) -> Option<String> {
    let text = text.trim();
    let shape = EMAIL.as_ref()?;
    if !shape.is_match(text) {
        return None;
    }
    let (local, domain) = text.rsplit_once('@')?;
    (local.len() <= MAX_EMAIL_LOCAL_BYTES && domain.len() <= MAX_EMAIL_DOMAIN_BYTES)
        .then(|| text.to_lowercase())
}

/// The phone number, if the text is one and its prefix is in one of the ranges.
pub fn phone(text: &str, prefixes: &[(u16, u16)]) -> Option<String> {
    let text = text.trim();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let last_ten = digits.get(digits.len().saturating_sub(10)..)?;
    if is_made_up(last_ten) {
        return None;
    }
    let parts = PHONES.iter().find_map(|shape| shape.captures(text))?;
    let prefix: u16 = parts.get(1)?.as_str().parse().ok()?;
    if !prefixes
        .iter()
        .any(|(low, high)| (*low..=*high).contains(&prefix))
    {
        return None;
    }
    let number: String = parts
        .iter()
        .skip(1)
        .flatten()
        .map(|part| part.as_str())
        .collect();
    Some(format!("+7{number}"))
}

/// The email address or the phone number, if the text is one.
pub fn any(text: &str, prefixes: &[(u16, u16)]) -> Option<ContactText> {
    if text.contains('@')
        && let Some(email) = email(text)
    {
        return Some(ContactText::Email(email));
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if digits >= 10 {
        return phone(text, prefixes).map(ContactText::Phone);
    }
    None
}

/// Whether a number looks made up, such as ten equal digits.
fn is_made_up(digits: &str) -> bool {
    if digits.len() != 10 {
        return false;
    }
    let first = digits.chars().next();
    digits.chars().all(|digit| matches!(digit, '0' | '1'))
        || digits.chars().all(|digit| Some(digit) == first)
        || digits == "1234567890"
        || digits == "0987654321"
}
