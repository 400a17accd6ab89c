//! Converts blocks to plain text, and finds the names in them.

use crate::limits::MAX_CODES_IN_LINE;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Block, Prose, Quoted};
use fsmsim_syntax::terminal::Joined;

/// The text in one line.
pub(super) fn line(prose: &Prose) -> String {
    prose.text.split_whitespace().joined(" ")
}

/// Normalizes a text for comparisons: case, `ё` and white space are ignored.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace()
        .joined(" ")
        .to_lowercase()
        .replace('ё', "е")
}

/// The lines of blocks: one per paragraph, list item and table row. Code is omitted.
pub(super) fn lines<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> Vec<String> {
    let mut lines = Vec::new();
    for block in blocks {
        push_lines(block, &mut lines);
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn push_lines(block: &Block, lines: &mut Vec<String>) {
    match block {
        Block::Paragraph(prose) => lines.push(line(prose)),
        Block::MarkdownList(list) => {
            for item in &list.items {
                lines.push(line(&item.prose));
                item.blocks
                    .iter()
                    .for_each(|block| push_lines(block, lines));
            }
        }
        Block::MarkdownTable(table) => {
            for row in &table.rows {
                let cells: Vec<String> = row.iter().map(line).collect();
                lines.push(cells.join(" | "));
            }
        }
        Block::Quote(blocks) => blocks.iter().for_each(|block| push_lines(block, lines)),
        Block::Code(_) => {}
    }
}

/// The nonempty lines of a paragraph. `text` is the complete file.
pub(super) fn prose_lines(prose: &Prose, text: &str) -> Vec<Prose> {
    let mut at = prose.span.start as usize;
    let mut spans = text_at(text, prose.span).split_inclusive('\n').map(|raw| {
        let span = Span::new(prose.span.file, at, at + raw.trim_end().len());
        at += raw.len();
        span
    });
    let lines = prose.text.split('\n').map(|line| {
        let span = spans.next().unwrap_or(prose.span);
        let codes = prose
            .codes
            .iter()
            .take(MAX_CODES_IN_LINE)
            .filter(|code| span.contains(code.span))
            .cloned()
            .collect();
        Prose {
            text: line.trim().into(),
            codes,
            span,
        }
    });
    lines.filter(|line| !line.text.is_empty()).collect()
}

/// Visits each piece of text in a block.
pub(super) fn each_prose<'a>(block: &'a Block, visit: &mut impl FnMut(&'a Prose)) {
    match block {
        Block::Paragraph(prose) => visit(prose),
        Block::MarkdownList(list) => {
            for item in &list.items {
                visit(&item.prose);
                item.blocks
                    .iter()
                    .for_each(|block| each_prose(block, visit));
            }
        }
        Block::MarkdownTable(table) => table
            .header
            .iter()
            .chain(table.rows.iter().flatten())
            .for_each(visit),
        Block::Quote(blocks) => blocks.iter().for_each(|block| each_prose(block, visit)),
        Block::Code(_) => {}
    }
}

/// The names in backticks with this prefix, without duplicates.
pub(super) fn quoted_names(block: &Block, prefix: &str, names: &mut Vec<NamedText>) {
    each_prose(block, &mut |prose| {
        for code in &prose.codes {
            let text = code.text.trim();
            if text.starts_with(prefix) && !names.iter().any(|known| &*known.text == text) {
                names.push(NamedText::of(code));
            }
        }
    });
}

/// All texts in backticks.
pub(super) fn every_quoted(block: &Block, names: &mut Vec<NamedText>) {
    each_prose(block, &mut |prose| {
        names.extend(prose.codes.iter().map(NamedText::of));
    });
}

/// A name with its position.
#[derive(Clone, Debug)]
pub(super) struct NamedText {
    pub text: Box<str>,
    pub span: Span,
}

impl NamedText {
    pub(super) fn new(text: impl Into<Box<str>>, span: Span) -> Self {
        let text = text.into();
        Self { text, span }
    }

    /// The text in backticks.
    pub(super) fn of(code: &Quoted) -> Self {
        Self::new(code.text.trim(), code.span)
    }
}

/// The text at a span.
pub(super) fn text_at(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

/// Arrows between a condition and a state. Longer ones come first.
pub(super) const ARROWS: [&str; 9] = ["-->", "==>", "->", "=>", "→", "⇒", "➜", "➔", "⟶"];

/// A name without punctuation, remarks in parentheses, and the extension `.md`.
pub(super) fn clean(text: &str) -> &str {
    let text = text
        .split('(')
        .next()
        .unwrap_or_default()
        .trim_matches(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '[' | ']' | '«' | '»' | '"' | '\'' | '.' | ':' | '→' | '`' | '>'
                )
        });
    text.strip_suffix(".md").unwrap_or(text)
}

/// The text of a heading as in the address of a section: `Life cycle` and `life-cycle` are equal.
pub(in crate::dialect) fn anchor(text: &str) -> String {
    let text = fold(text).replace(' ', "-");
    text.replace(|c: char| !c.is_alphanumeric() && c != '-', "")
}
