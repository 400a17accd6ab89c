//! The lines of a markdown text, without the marks of quotations and fences around them.
//!
//! The tree of a markdown parser will not do: to such a parser `[User]: hi` defines a link and says nothing, a line above
//! `---` is a heading, a fence that is indented below its speaker is text, and notes within code are code.

/// A piece of a markdown text.
#[derive(Debug)]
pub(super) enum Item<'t> {
    Heading(Heading<'t>),
    Rule,
    /// A fence that opens: what stands behind it, and white space in front of it.
    Open(&'t str, usize),
    /// A fence that closes.
    Close,
    /// An empty line.
    Blank,
    /// A line with text.
    Line(Line<'t>),
    /// A comment: where it begins and ends, with its marks.
    Comment(usize, usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Heading<'t> {
    pub level: usize,
    pub text: &'t str,
    /// Where the text begins.
    pub at: usize,
}

/// A line, or the rest of one behind a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The text without white space around it.
    pub text: &'t str,
    /// Where it begins.
    pub at: usize,
    /// White space in front of it.
    pub indent: usize,
    /// Bytes of the text that mark an item of a list.
    pub bullet: usize,
    /// Nothing but comments stands in front of it.
    pub leads: bool,
}

/// The pieces of a text from the byte `from` on.
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

/// A fence that is open.
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
    /// Some comment may still be closed behind this place.
    may_close: bool,
}

impl<'t> Lexer<'t> {
    /// Takes the line that begins at `start`, with the lines that its comments reach into. Where the next begins.
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

    /// The first comment that begins between two places. One that is not closed is text.
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

    /// Takes a line, or a part of one; whether there was anything in it.
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

    /// What a line is that is no text.
    fn structure(
        &mut self,
        text: &'t str,
        at: usize,
        indent: usize,
        quoted: bool,
    ) -> Option<Item<'t>> {
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| text.len() - text.trim_start_matches(mark).len());
        let behind = text.get(length..).unwrap_or_default();
        if let Some(fence) = &self.fence {
            let closes = mark == Some(fence.mark) && length >= fence.length && behind.is_empty();
            return closes.then(|| {
                self.fence = None;
                Item::Close
            });
        }
        if let Some(mark) = mark
            && length >= 3
            && (mark == '~' || !behind.contains('`'))
        {
            self.fence = Some(Fence {
                mark,
                length,
                indent,
                quoted,
            });
            return Some(Item::Open(behind.trim(), indent));
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

/// Bytes at the beginning of a text that mark an item of a list.
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
        };
        items(text, 0).iter().map(show).collect()
    }

    #[test]
    fn marks_around_lines_are_taken_off() {
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
    fn comments_are_found_within_lines_and_over_lines() {
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
    fn hostile_text_is_cut_somehow() {
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
