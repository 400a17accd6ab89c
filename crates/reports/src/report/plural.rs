//! Numbers with their nouns, and texts that fit into a line.

pub(super) use fsmsim_syntax::diagnostic::plural;

/// A text of as many characters at most, cut with an ellipsis.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
