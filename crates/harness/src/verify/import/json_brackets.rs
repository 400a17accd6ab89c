//! Finds the end of a JSON document that spans several lines.

/// The number of brackets that are open in a JSON document.
#[derive(Debug, Default)]
pub(super) struct JsonBrackets {
    open: usize,
}

impl JsonBrackets {
    /// Adds a line. JSON strings cannot span lines.
    pub(super) fn push(&mut self, line: &str) {
        let mut in_text = false;
        let mut is_escaped = false;
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

    /// Whether the document continues on the next line.
    pub(super) fn are_open(&self) -> bool {
        self.open > 0
    }
}

#[cfg(test)]
mod tests {
    use super::JsonBrackets;

    #[test]
    fn brackets_within_strings_are_ignored() {
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
