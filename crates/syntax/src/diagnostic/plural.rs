//! Numbers with nouns.

/// A number with its noun: `1 turn`, `2 turns`.
pub fn plural(number: impl std::fmt::Display, noun: &str) -> String {
    let number = number.to_string();
    let end = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{end}")
}
