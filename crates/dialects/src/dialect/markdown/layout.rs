//! The text layout of a state: its goals, the states in its steps, and the words in backticks. The quality rules for
//! states (docs/src/explanation/state-sets.md) check this layout.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::plain::{ARROWS, NamedText, clean, each_prose, text_at};
use super::words as vocabulary;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Block, Prose, Quoted, Section};

/// The name of the tool call in front of a state name (docs/src/explanation/state-sets.md).
pub(super) const CALL: &str = "get_instruction";

/// The text layout of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The goals: paragraphs and items of lists.
    pub goals: Vec<Span>,
    /// Possible names of states that the steps lead to, without duplicates.
    pub leads: Vec<NamedText>,
    /// All occurrences of these names.
    pub named: Vec<NamedText>,
    /// The name of the state in its heading.
    pub called: Option<NamedText>,
    /// The texts in backticks.
    pub quoted: Vec<NamedText>,
    /// The texts in backticks, complete and split into words.
    pub words: BTreeSet<Box<str>>,
}

impl Layout {
    /// The layout of a state. `acts` are the blocks that describe its behavior, and `text` is the complete file.
    pub(super) fn of(goal: &[&Block], acts: &[&Block], sections: &[Section], text: &str) -> Self {
        let mut layout = Self::default();
        layout.take_goals(goal);
        let mut seen = FxHashSet::default();
        for block in acts {
            each_prose(block, &mut |prose| {
                let mut leads = leads_of(prose, text);
                layout.named.extend(leads.iter().cloned());
                leads.retain(|lead| seen.insert(lead.text.clone()));
                layout.leads.append(&mut leads);
            });
        }
        for section in sections {
            section
                .heading
                .iter()
                .for_each(|heading| layout.take_words(heading));
            for block in &section.blocks {
                each_prose(block, &mut |prose| layout.take_words(prose));
                layout.take_code(block);
            }
        }
        layout
    }

    fn take_goals(&mut self, blocks: &[&Block]) {
        for (number, block) in blocks.iter().enumerate() {
            match block {
                Block::Paragraph(prose) => {
                    let heads_list = matches!(blocks.get(number + 1), Some(Block::MarkdownList(_)));
                    let introduces = heads_list && prose.trimmed().ends_with(':');
                    if !introduces && !prose.trimmed().is_empty() {
                        self.goals.push(prose.span);
                    }
                }
                Block::MarkdownList(list) => {
                    for item in &list.items {
                        if item.prose.trimmed().is_empty() {
                            self.take_goals(&item.blocks.iter().collect::<Vec<_>>());
                        } else {
                            // The blocks below an item explain it.
                            self.goals.push(item.prose.span);
                        }
                    }
                }
                Block::MarkdownTable(table) => self.goals.push(table.span),
                Block::Quote(blocks) => self.take_goals(&blocks.iter().collect::<Vec<_>>()),
                Block::Code(_) => {}
            }
        }
    }

    fn take_words(&mut self, prose: &Prose) {
        for code in &prose.codes {
            let name = NamedText::of(code);
            self.words.insert(name.text.clone());
            self.quoted.push(name);
            self.words.extend(words(&code.text).map(Into::into));
        }
    }

    fn take_code(&mut self, block: &Block) {
        // HTML is usually a comment.
        if let Block::Code(prose) = block
            && !prose.trimmed().starts_with('<')
        {
            self.words.extend(words(&prose.text).map(Into::into));
        }
        block.inner().for_each(|block| self.take_code(block));
    }
}

/// Possible names of states in instructions: the names in backticks, and the words after arrows.
fn leads_of(prose: &Prose, text: &str) -> Vec<NamedText> {
    let mut leads = Vec::new();
    let mut lead = |name: &str, span: Span| {
        if !name.is_empty() {
            leads.push(NamedText::new(name, span));
        }
    };
    for code in prose.codes.iter().filter(|code| !is_origin(code, text)) {
        if code.text.contains(CALL) {
            words(&code.text).for_each(|word| lead(word, code.span));
        } else {
            lead(clean(&code.text), code.span);
        }
    }
    let start = prose.span.start as usize;
    let raw = text_at(text, prose.span);
    // The end of a comment looks like an arrow.
    let raw = raw.split("<!--").next().unwrap_or_default();
    for arrow in ARROWS {
        for (at, _) in raw.match_indices(arrow) {
            let after = raw.get(at + arrow.len()..).unwrap_or_default();
            let rest = after.trim_start_matches([' ', '*', '_', '[', '«', '"']);
            let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default().trim_matches('-');
            let at = start + raw.len() - rest.len();
            let span = Span::new(prose.span.file, at, at + word.len());
            let next = prose.codes.partition_point(|code| code.span.end < span.end);
            if !prose
                .codes
                .get(next)
                .is_some_and(|code| code.span.contains(span))
            {
                lead(word, span);
            }
        }
    }
    leads
}

/// The words of a text that can be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !in_word(c))
        .map(|word| word.trim_matches('-'))
        .filter(|word| !word.is_empty())
}

pub(super) fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether the word before a name marks it as an origin, such as "from".
fn is_origin(code: &Quoted, text: &str) -> bool {
    let before = text.get(..code.span.start as usize).unwrap_or_default();
    let before = before
        .trim_end_matches(|c: char| matches!(c, '*' | '_' | '[' | '«' | '"') || c.is_whitespace());
    let word = before
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let word = word.to_lowercase();
    vocabulary::words("states", "origins").any(|origin| origin == word)
}
