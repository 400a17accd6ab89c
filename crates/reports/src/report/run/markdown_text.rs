//! Markdown of limited length, with escaped text.

use crate::limits::MAX_COMMENT_LENGTH;
use fsmsim_syntax::terminal::printable;

/// Characters that are reserved for the note about omitted parts.
const RESERVED_LENGTH: usize = 200;

/// Markdown that grows up to the maximum length of a comment.
#[derive(Debug, Default)]
pub(in crate::report) struct MarkdownText {
    text: String,
    length: usize,
    /// The number of omitted parts.
    omitted: usize,
}

impl MarkdownText {
    /// Adds a short part that is never omitted.
    pub(in crate::report) fn always(&mut self, part: &str) {
        self.length += part.chars().count();
        self.text += part;
    }

    /// Adds a part if there is enough space. Returns whether it was added.
    pub(in crate::report) fn section(&mut self, part: &str) -> bool {
        let length = part.chars().count();
        if self.length + length > MAX_COMMENT_LENGTH - RESERVED_LENGTH {
            self.omitted += 1;
            return false;
        }
        self.length += length;
        self.text += part;
        true
    }

    /// Adds a collapsed list with as many lines as there is space for. The title must not need escaping.
    pub(in crate::report) fn folded(
        &mut self,
        title: &str,
        lines: impl ExactSizeIterator<Item = String>,
    ) {
        let begin = format!("\n<details><summary>{title}</summary>\n\n");
        let end = "\n</details>\n";
        let space_left = (MAX_COMMENT_LENGTH - RESERVED_LENGTH)
            .saturating_sub(self.length + begin.chars().count() + end.len());
        let all = lines.len();
        let mut shown = String::new();
        let mut length = 0;
        let mut count = 0;
        for line in lines {
            // The line with the number of omitted lines also needs space.
            length += line.chars().count();
            if length + 40 > space_left {
                break;
            }
            shown += &line;
            count += 1;
        }
        if count == 0 && all > 0 {
            self.omitted += 1;
            return;
        }
        let more = all - count;
        let more = if more > 0 {
            format!("- and {more} more\n")
        } else {
            String::new()
        };
        self.always(&[&begin, &*shown, &more, end].concat());
    }

    /// The text, with a note if parts were omitted.
    pub(in crate::report) fn finish(mut self) -> String {
        if self.omitted > 0 {
            let parts = self.omitted;
            let note = format!(
                "\n**Truncated:** {parts} more sections do not fit into a comment. See the other reports.\n"
            );
            self.text.push_str(&note);
        }
        self.text
    }
}

/// Formats text as inline code, so that it cannot contain mentions, references, links or tags.
pub(in crate::report) fn code(text: &str) -> String {
    let text = printable(text);
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // Markdown removes one space at each end if both ends have one.
    let space = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Formats lines as a code block.
pub(in crate::report) fn block(lines: &[String]) -> String {
    let longest = lines
        .iter()
        .map(|line| longest_run(line))
        .max()
        .unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let lines: Vec<String> = lines.iter().map(|line| printable(line) + "\n").collect();
    let lines = lines.concat();
    format!("{fence}text\n{lines}{fence}\n")
}

/// The length of the longest sequence of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_formats_any_text() {
        assert_eq!(code("a `b` @c <d> | #1"), "``a `b` @c <d> | #1``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\n```\n@b"), "````a ``` @b````");
        assert_eq!(code(""), "");
        assert_eq!(block(&["```".to_owned()]), "````text\n```\n````\n");
    }

    #[test]
    fn a_long_text_is_cut_with_a_note() {
        let mut text = MarkdownText::default();
        assert!(text.section(&"ы".repeat(MAX_COMMENT_LENGTH / 2)));
        assert!(!text.section(&"ы".repeat(MAX_COMMENT_LENGTH / 2)));
        text.folded("many", (0..10_000).map(|number| format!("- {number}\n")));
        text.folded("no more", std::iter::once("-\n".repeat(100)));
        let text = text.finish();
        assert!(
            text.chars().count() <= MAX_COMMENT_LENGTH,
            "{}",
            text.chars().count()
        );
        assert!(
            text.contains(" more\n\n</details>\n") && text.contains("**Truncated:** 2 more"),
            "{}",
            &text[text.len() - 300..]
        );
    }
}
