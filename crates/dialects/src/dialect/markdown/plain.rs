//! Blocks as plain text, and the names in them.

use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Block, Prose, Quoted};
use fsmsim_syntax::terminal::Joined;

/// The text on one line.
pub(super) fn line(prose: &Prose) -> String {
    prose.text.split_whitespace().joined(" ")
}

/// A text as it is compared: case, `ё` and white space make no difference.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace()
        .joined(" ")
        .to_lowercase()
        .replace('ё', "е")
}

/// The lines of blocks: one a paragraph, an item of a list and a row of a table. Code is left out.
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

/// Each piece of text in the blocks.
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

/// The names in backticks that begin like this, each once.
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

/// Everything in backticks, wherever it stands.
pub(super) fn every_quoted(block: &Block, names: &mut Vec<NamedText>) {
    each_prose(block, &mut |prose| {
        names.extend(prose.codes.iter().map(NamedText::of));
    });
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct NamedText {
    /// The name.
    pub(super) text: Box<str>,
    /// Where it stands.
    pub(super) span: Span,
}

impl NamedText {
    pub(super) fn new(text: impl Into<Box<str>>, span: Span) -> Self {
        let text = text.into();
        Self { text, span }
    }

    /// What stands in backticks.
    pub(super) fn of(code: &Quoted) -> Self {
        Self::new(code.text.trim(), code.span)
    }
}

/// The part of a file at a place.
pub(super) fn text_at(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

/// Arrows that people write between a condition and a state. The longer ones first.
pub(super) const ARROWS: [&str; 9] = ["-->", "==>", "->", "=>", "→", "⇒", "➜", "➔", "⟶"];

/// A name without what people put around it.
pub(super) fn clean(text: &str) -> &str {
    let text = text.split('(').next().unwrap_or_default();
    let text = text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '[' | ']' | '«' | '»' | '"' | '\'' | '.' | ':' | '→' | '`' | '>'
            )
    });
    text.strip_suffix(".md").unwrap_or(text)
}
