//! Texts of so many characters at most.

/// The first characters of a text, so many at most.
pub fn beginning(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .and_then(|(end, _)| text.get(..end))
        .unwrap_or(text)
}

/// The first characters of a text, so many at most, with an ellipsis where there are more.
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
    fn a_text_is_cut_between_characters_only_where_it_is_longer() {
        assert_eq!(beginning("привет", 3), "при");
        assert_eq!(shortened("привет", 6), "привет");
        assert_eq!(shortened("привет", 5), "приве…");
        assert_eq!(
            (shortened("", 0), shortened("a", 0)),
            (String::new(), "…".to_owned())
        );
    }
}
