//! The lines of a Markdown text, without the surrounding marks of quotes and fences.
//!
//! A Markdown parser is not suitable. For a parser, `[User]: hi` defines a link, and a line above `---` is a heading. A
//! fence that is indented below its speaker is text, and notes in code are code.

/// A piece of a Markdown text.
#[derive(Clone, Debug)]
pub(super) enum Item<'t> {
    Heading(Heading<'t>),
    Rule,
    /// An opening fence, with its info string and its indentation.
    Open(&'t str, usize),
    /// A closing fence.
    Close,
    /// An empty line.
    Blank,
    /// A line with text.
    Line(Line<'t>),
    /// A comment, with its start and end, including its marks.
    Comment(usize, usize),
    /// A message in the notation of a chat.
    Said(TranscriptMessage),
}

/// A message of a chat.
#[derive(Clone, Debug)]
pub(super) struct TranscriptMessage {
    pub name: String,
    pub text: String,
    /// The offset of the text.
    pub at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Heading<'t> {
    pub level: usize,
    pub text: &'t str,
    /// The offset of the text.
    pub at: usize,
}

/// A line, or the rest of a line after a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The text, without surrounding white space.
    pub text: &'t str,
    /// The offset of the text.
    pub at: usize,
    /// The white space before the text, in bytes.
    pub indent: usize,
    /// The length of the list marker in bytes.
    pub bullet: usize,
    /// Whether nothing but comments comes before it in the line.
    pub leads: bool,
}

/// The pieces of a text, starting at byte `from`.
pub(super) fn items(text: &str, from: usize) -> Vec<Item<'_>> {
    let mut lexer = Lexer {
        text,
        items: Vec::new(),
        fence: None,
        may_close: true,
    };
    let mut at = from;
    while at < text.len() {
        at = lexer.line(at);
    }
    lexer.items
}

/// A fence that has not been closed yet.
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    quoted: bool,
}

struct Lexer<'t> {
    text: &'t str,
    items: Vec<Item<'t>>,
    fence: Option<Fence>,
    /// Whether the remaining text can still contain the end of a comment.
    may_close: bool,
}

impl<'t> Lexer<'t> {
    /// Processes the line that starts at `start`, including further lines into which its comments extend. Returns the
    /// start of the next line.
    fn line(&mut self, start: usize) -> usize {
        let mut from = start;
        let mut leads = true;
        loop {
            let end = self.end_of_line(from);
            let Some((open, close)) = self.comment(from, end) else {
                self.piece(from, end, leads, from == start);
                return end;
            };
            leads &= !self.piece(from, open, leads, false);
            self.items.push(Item::Comment(open, close));
            from = close;
        }
    }

    fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn end_of_line(&self, from: usize) -> usize {
        let rest = self.slice(from, self.text.len());
        from + rest.find('\n').map_or(rest.len(), |length| length + 1)
    }

    /// The first comment that starts in this range. An unclosed comment is treated as text.
    fn comment(&mut self, from: usize, to: usize) -> Option<(usize, usize)> {
        let open = from
            + self
                .slice(from, to)
                .find("<!--")
                .filter(|_| self.may_close)?;
        let inside = open + "<!--".len();
        let length = self.slice(inside, self.text.len()).find("-->");
        self.may_close = length.is_some();
        Some((open, inside + length? + "-->".len()))
    }

    /// Processes a line or part of a line. Returns whether it contains text.
    fn piece(&mut self, from: usize, to: usize, leads: bool, whole: bool) -> bool {
        let mut raw = self.slice(from, to).trim_end();
        let quoted = raw.trim_start().starts_with('>');
        if leads && quoted && self.fence.as_ref().is_none_or(|fence| fence.quoted) {
            while let Some(rest) = raw.trim_start().strip_prefix('>') {
                raw = rest;
            }
            raw = raw.strip_prefix(' ').unwrap_or(raw);
        }
        let text = raw.trim_start();
        if text.is_empty() {
            if whole {
                self.items.push(Item::Blank);
            }
            return false;
        }
        let at = from + self.slice(from, to).trim_end().len() - text.len();
        let indent = raw.len() - text.len();
        let item = if leads {
            self.structure(text, at, indent, quoted)
        } else {
            None
        };
        let inside = self.fence.as_ref().map_or(0, |fence| fence.indent);
        self.items.push(item.unwrap_or(Item::Line(Line {
            text,
            at,
            indent: indent.saturating_sub(inside),
            bullet: if leads { bullet(text) } else { 0 },
            leads,
        })));
        true
    }

    /// The structural element that a line represents: a fence, a heading or a rule. `None` if it is text.
    fn structure(
        &mut self,
        text: &'t str,
        at: usize,
        indent: usize,
        quoted: bool,
    ) -> Option<Item<'t>> {
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| text.len() - text.trim_start_matches(mark).len());
        let after = text.get(length..).unwrap_or_default();
        if let Some(fence) = &self.fence {
            let closes = mark == Some(fence.mark) && length >= fence.length && after.is_empty();
            return closes.then(|| {
                self.fence = None;
                Item::Close
            });
        }
        if let Some(mark) = mark
            && length >= 3
            && (mark == '~' || !after.contains('`'))
        {
            self.fence = Some(Fence {
                mark,
                length,
                indent,
                quoted,
            });
            return Some(Item::Open(after.trim(), indent));
        }
        if quoted || indent > 3 {
            return None;
        }
        let title = text.trim_start_matches('#');
        let level = text.len() - title.len();
        if (1..=6).contains(&level) && (title.is_empty() || title.starts_with([' ', '\t'])) {
            let at = at + text.len() - title.trim_start().len();
            let text = title.trim().trim_end_matches('#').trim_end();
            return Some(Item::Heading(Heading { level, text, at }));
        }
        let rule = text
            .chars()
            .next()
            .filter(|mark| matches!(mark, '-' | '*' | '_'))?;
        let marks = text.chars().filter(|c| *c == rule).count();
        let bare = text.chars().all(|c| c == rule || c.is_whitespace());
        (bare && marks >= 3).then_some(Item::Rule)
    }
}

/// The length of the list marker at the start of the text, in bytes.
fn bullet(text: &str) -> usize {
    let rest = match text.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = if rest.len() < text.len() {
                rest.strip_prefix(['.', ')'])
            } else {
                None
            };
            rest.unwrap_or_default()
        }
    };
    if rest.starts_with([' ', '\t']) {
        text.len() - rest.trim_start().len()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |item: &Item<'_>| match item {
            Item::Heading(heading) => format!("{} {}@{}", heading.level, heading.text, heading.at),
            Item::Rule => "rule".to_owned(),
            Item::Open(info, indent) => format!("open {info}+{indent}"),
            Item::Close => "close".to_owned(),
            Item::Blank => String::new(),
            Item::Line(line) => format!("{}+{}/{}", line.indent, line.text, line.bullet),
            Item::Comment(from, to) => text[*from..*to].to_owned(),
            Item::Said(message) => message.text.clone(),
        };
        items(text, 0).iter().map(show).collect()
    }

    #[test]
    fn marks_around_lines_are_removed() {
        assert_eq!(
            shown(
                "## A b ##\r\n\n> x: y\n> > z\n- a\n  12. b\n---\n  ~~~ text\n  # no\n    a\n  ~~~\nend"
            ),
            [
                "2 A b@3",
                "",
                "0+x: y/0",
                "0+z/0",
                "0+- a/2",
                "2+12. b/4",
                "rule",
                "open text+2",
                "0+# no/0",
                "2+a/0",
                "close",
                "0+end/0"
            ]
        );
    }

    #[test]
    fn comments_are_found_within_and_across_lines() {
        assert_eq!(
            shown("a <!-- b --> c <!--\nd\n--> e\n<!-- f -->\n<!-- open"),
            [
                "0+a/0",
                "<!-- b -->",
                "1+c/0",
                "<!--\nd\n-->",
                "1+e/0",
                "<!-- f -->",
                "0+<!-- open/0"
            ]
        );
    }

    #[test]
    fn hostile_text_does_not_panic() {
        for text in [
            "",
            "```",
            "> ```\na\n> ```",
            "#",
            "\u{0}",
            &"<!--".repeat(20_000),
            &">".repeat(20_000),
        ] {
            let _ = items(text, 0);
        }
    }
}
