//! Numbers with their nouns, and texts that fit into a line.

/// A number with its noun: `1 turn`, `2 turns`.
pub(super) fn plural(number: impl std::fmt::Display, noun: &str) -> String {
    let number = number.to_string();
    let end = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{end}")
}

/// A text of as many characters at most, cut with an ellipsis.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
