//! Strings that are cut to a number of characters.

/// The first `most` characters of a string.
pub fn beginning(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .and_then(|(end, _)| text.get(..end))
        .unwrap_or(text)
}

/// The first `most` characters of a string, followed by an ellipsis if it is longer.
pub fn shortened(text: &str, most: usize) -> String {
    let begin = beginning(text, most);
    if begin.len() < text.len() {
        format!("{begin}…")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_longer_strings_are_cut() {
        assert_eq!(beginning("привет", 3), "при");
        assert_eq!(shortened("привет", 6), "привет");
        assert_eq!(shortened("привет", 5), "приве…");
        assert_eq!(
            (shortened("", 0), shortened("a", 0)),
            (String::new(), "…".to_owned())
        );
    }
}
