//! Splits a JSON array into its items.

use std::collections::VecDeque;

/// An array that is read line by line.
#[derive(Debug, Default)]
pub(super) struct JsonItems {
    open: usize,
    in_text: bool,
    is_escaped: bool,
    /// The item that is not complete yet.
    item: String,
}

impl JsonItems {
    /// Adds a line. Appends the items that are complete to `items`.
    pub(super) fn push(&mut self, line: &str, items: &mut VecDeque<String>) {
        let mut start = 0;
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.in_text,
                b'"' => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' | b'[' => {
                    self.open += 1;
                    if self.open == 1 {
                        start = at + 1;
                    }
                }
                b',' | b']' if self.open == 1 => {
                    self.item.push_str(line.get(start..at).unwrap_or_default());
                    start = at + 1;
                    self.open -= usize::from(byte == b']');
                    let item = std::mem::take(&mut self.item);
                    items.extend(Some(item.trim().to_owned()).filter(|item| !item.is_empty()));
                }
                b'}' | b']' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
        if self.open > 0 {
            self.item.push_str(line.get(start..).unwrap_or_default());
            self.item.push('\n');
        }
    }

    /// The size of the incomplete item, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.item.len()
    }

    /// The incomplete item at the end of the stream, unless it is empty.
    pub(super) fn rest(&mut self) -> Option<String> {
        let is_open = std::mem::take(&mut self.open) > 0;
        let item = std::mem::take(&mut self.item);
        // The text is invalid JSON, which is reported.
        is_open.then(|| format!("[{item}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_an_array_are_found_in_any_layout() {
        for lines in [
            &[r#"[{"a":"],[\""},{"b":[1,{}]}, 3]"#][..],
            &[
                "[",
                r#"{"a":"],[\""}"#,
                ",",
                r#"{"b":"#,
                "[1,{}]}",
                ",3",
                "]",
            ],
            &["[ ", r#"  {"a":"],[\""},"#, r#"  {"b":[1,{}]},3]"#],
        ] {
            let (mut array, mut items) = (JsonItems::default(), VecDeque::new());
            for line in lines {
                array.push(line, &mut items);
            }
            assert_eq!(array.rest(), None);
            let compact = items.iter().map(|item| item.replace('\n', ""));
            let all: Vec<String> = compact.collect();
            assert_eq!(all, [r#"{"a":"],[\""}"#, r#"{"b":[1,{}]}"#, "3"]);
        }
        let mut array = JsonItems::default();
        array.push(r#"[{"a":1},{"b":"#, &mut VecDeque::new());
        assert_eq!(array.rest().as_deref(), Some("[{\"b\":\n"));
    }
}
