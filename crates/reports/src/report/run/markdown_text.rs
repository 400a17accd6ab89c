//! Markdown of a limited length, in which foreign text is only text.

use crate::limits::MAX_COMMENT_LENGTH;
use fsmsim_syntax::terminal::printable;

/// Characters that are kept for the sentence that says that something is missing.
const KEPT: usize = 200;

/// Markdown that grows until it is as long as a comment may be.
#[derive(Debug, Default)]
pub(super) struct MarkdownText {
    text: String,
    length: usize,
    /// Parts that were left out.
    left_out: usize,
}

impl MarkdownText {
    /// Adds something short that is always there.
    pub(super) fn always(&mut self, part: &str) {
        self.length += part.chars().count();
        self.text += part;
    }

    /// Adds a part where there is room for it, and tells whether there was.
    pub(super) fn section(&mut self, part: &str) -> bool {
        let length = part.chars().count();
        if self.length + length > MAX_COMMENT_LENGTH - KEPT {
            self.left_out += 1;
            return false;
        }
        self.length += length;
        self.text += part;
        true
    }

    /// Adds a list that is folded, as much of it as there is room for. Its title is our own.
    pub(super) fn folded(&mut self, title: &str, lines: impl ExactSizeIterator<Item = String>) {
        let (begin, end) = (
            format!("\n<details><summary>{title}</summary>\n\n"),
            "\n</details>\n",
        );
        let room = (MAX_COMMENT_LENGTH - KEPT)
            .saturating_sub(self.length + begin.chars().count() + end.len());
        let all = lines.len();
        let (mut shown, mut length, mut count) = (String::new(), 0, 0);
        for line in lines {
            // The line that says how many more there are needs room, too.
            length += line.chars().count();
            if length + 40 > room {
                break;
            }
            shown += &line;
            count += 1;
        }
        if count == 0 && all > 0 {
            self.left_out += 1;
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

    /// The text, which says where something is missing.
    pub(super) fn finish(mut self) -> String {
        if self.left_out > 0 {
            let parts = self.left_out;
            let told = format!(
                "\n**Cut:** {parts} more of these parts do not fit into a comment; other reports have them.\n"
            );
            self.text.push_str(&told);
        }
        self.text
    }
}

/// Text as code in a line: nothing in it is a mention, a reference, a link or a tag.
pub(in crate::report) fn code(text: &str) -> String {
    let text = printable(text);
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // One blank at each end is taken away again where there are any at both.
    let blank = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Lines as a block of code.
pub(super) fn block(lines: &[String]) -> String {
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

/// The backticks that stand behind each other, where most do.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_holds_whatever_it_is_told() {
        assert_eq!(code("a `b` @c <d> | #1"), "``a `b` @c <d> | #1``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\n```\n@b"), "````a ``` @b````");
        assert_eq!(code(""), "");
        assert_eq!(block(&["```".to_owned()]), "````text\n```\n````\n");
    }

    #[test]
    fn a_text_ends_before_it_is_too_long_and_says_so() {
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
            text.contains(" more\n\n</details>\n") && text.contains("**Cut:** 2 more"),
            "{}",
            &text[text.len() - 300..]
        );
    }
}
