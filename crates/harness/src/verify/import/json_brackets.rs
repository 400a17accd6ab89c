//! Where a JSON document that is written on several lines ends.

/// The brackets of a JSON document that are open behind its lines so far.
#[derive(Debug, Default)]
pub(super) struct JsonBrackets {
    open: usize,
}

impl JsonBrackets {
    /// Goes past a line. No text of JSON goes on in the next one.
    pub(super) fn push(&mut self, line: &str) {
        let (mut in_text, mut is_escaped) = (false, false);
        for byte in line.bytes() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = in_text,
                b'"' => in_text = !in_text,
                b'{' | b'[' if !in_text => self.open += 1,
                b'}' | b']' if !in_text => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether the document goes on.
    pub(super) fn are_open(&self) -> bool {
        self.open > 0
    }
}

#[cfg(test)]
mod tests {
    use super::JsonBrackets;

    #[test]
    fn brackets_in_texts_are_none() {
        let open = |lines: &[&str]| {
            let mut brackets = JsonBrackets::default();
            for line in lines {
                brackets.push(line);
            }
            brackets.are_open()
        };
        assert!(open(&["{"]) && open(&["{", r#""a\"}": "}""#]) && open(&["{", "[", "}"]));
        assert!(!open(&["{", r#""a\\": "{""#, "}"]) && !open(&["{", "}", "}"]));
    }
}
