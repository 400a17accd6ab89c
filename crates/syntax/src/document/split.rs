//! The documents of a YAML stream. They are found by their separator lines, so they can be parsed one at a time.

use std::ops::Range;

/// The byte ranges of the documents in `text`. Ranges with only blank lines and comments are omitted.
///
/// A line `---` or `...` separates documents everywhere: YAML forbids it at the start of a line inside any scalar (YAML
/// 1.2, rule `c-forbidden`).
pub fn documents(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let marker = ["---", "..."].into_iter().any(|mark| {
            bare.strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        });
        if marker {
            push(&mut ranges, text, start..at);
            // The rest of the marker line belongs to the next document.
            start = at + 3;
        }
        at += line.len();
    }
    push(&mut ranges, text, start..text.len());
    ranges
}

fn push(ranges: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let body = text.get(range.clone()).unwrap_or_default();
    let blank = body.lines().all(|line| {
        let line = line.trim_start();
        line.is_empty()
            || line.starts_with('#')
            || line.starts_with("%YAML")
            || line.starts_with("%TAG")
    });
    if !blank {
        ranges.push(range);
    }
}

#[cfg(test)]
mod tests {
    use super::documents;

    fn bodies(text: &str) -> Vec<&str> {
        documents(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn one_document_needs_no_separator() {
        assert_eq!(bodies("a: 1\n"), ["a: 1\n"]);
        assert_eq!(bodies(""), [""; 0]);
        assert_eq!(bodies("---\n# only a comment\n---\n"), [""; 0]);
    }

    #[test]
    fn separators_and_end_markers_split_documents() {
        assert_eq!(
            bodies("---\na: 1\n---\nb: 2\n...\n"),
            ["\na: 1\n", "\nb: 2\n"]
        );
        assert_eq!(bodies("a: 1\r\n---\r\nb: 2"), ["a: 1\r\n", "\r\nb: 2"]);
        assert_eq!(bodies("--- {a: 1}\n"), [" {a: 1}\n"]);
    }

    #[test]
    fn dashes_inside_text_do_not_split_it() {
        assert_eq!(
            bodies("a: |\n  ---\n  x\n----\n"),
            ["a: |\n  ---\n  x\n----\n"]
        );
    }
}
