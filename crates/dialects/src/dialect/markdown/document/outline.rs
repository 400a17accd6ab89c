//! A document piece by piece: tables, lines of text and code, each with the titles under which it stands.

use crate::dialect::markdown::plain::{line, text_at};
use crate::dialect::markdown::words::{self, SectionTopic, state_heading};
use crate::limits::MAX_CODES_IN_LINE;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Block, ListItem, MarkdownTable, Prose, Quoted, Section};

/// The level of what stands in bold and heads what follows; below it, items of lists that head others.
const PSEUDO: u8 = 7;

/// A document piece by piece.
#[derive(Debug, Default)]
pub(super) struct Outline<'m> {
    /// The headings, and what stands for headings.
    titles: Vec<Title>,
    /// The rest, in order.
    pub(super) pieces: Vec<Piece<'m>>,
}

/// A heading, or a line in bold or an item of a list that heads what follows.
#[derive(Debug)]
pub(super) struct Title {
    /// What it says, without numbers in front.
    pub(super) text: String,
    /// The names in it, the likeliest first.
    pub(super) names: Vec<String>,
    /// It says that it names a state.
    pub(super) names_state: bool,
    /// Below it stand transitions.
    is_transitions: bool,
    /// Below it stands something else that is known.
    is_topic: bool,
    level: u8,
    parent: Option<usize>,
    /// How many titles stand before it.
    pub(super) number: usize,
    /// Where it stands.
    pub(super) span: Span,
}

/// A piece of a document, and the title next above it.
#[derive(Debug)]
pub(super) struct Piece<'m> {
    pub(super) title: Option<usize>,
    pub(super) kind: PieceKind<'m>,
}

#[derive(Debug)]
pub(super) enum PieceKind<'m> {
    Table(&'m MarkdownTable),
    /// A line of a paragraph, or an item of a list.
    Line(TextLine),
    /// A block of code.
    Code(&'m Prose),
}

#[derive(Clone, Debug)]
pub(super) struct TextLine {
    /// The text, without marks.
    pub(super) text: String,
    /// The names in backticks.
    pub(super) codes: Vec<Quoted>,
    /// Where it stands.
    pub(super) span: Span,
}

impl Title {
    fn new(
        text: &str,
        codes: &[Quoted],
        level: u8,
        (number, parent): (usize, Option<usize>),
        span: Span,
    ) -> Self {
        let text = text.trim().trim_end_matches(':').trim();
        let numbered = text
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')') || c == ' ');
        let bare = if numbered.is_empty() { text } else { numbered };
        let topic = words::heading(bare).map(|(topic, _)| topic);
        let said = state_heading(bare);
        let mut names: Vec<String> = codes
            .iter()
            .take(1)
            .map(|code| code.text.trim().to_owned())
            .collect();
        let mut add = |name: &str| {
            let name = name.split(['(', '[']).next().unwrap_or_default();
            let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        if let Some(name) = said {
            add(name.split(" — ").next().unwrap_or_default());
        }
        let folded = bare.to_lowercase();
        // The words are cut by their length, so it must be the same in both.
        if folded.len() == bare.len() {
            let behind = ["state ", "состояние ", "статус "];
            for rest in behind.iter().filter_map(|word| folded.strip_prefix(word)) {
                add(bare.get(bare.len() - rest.len()..).unwrap_or_default());
            }
            let before = [" state", " status"];
            for rest in before.iter().filter_map(|word| folded.strip_suffix(word)) {
                add(bare.get(..rest.len()).unwrap_or_default());
            }
        }
        add(bare);
        add(text);
        if let Some(name) = super::names::before_remark(bare) {
            add(name);
        }
        Self {
            text: text.to_owned(),
            names,
            names_state: said.is_some_and(|name| !name.is_empty()),
            is_transitions: topic == Some(SectionTopic::Transitions),
            is_topic: topic.is_some(),
            level,
            parent,
            number,
            span,
        }
    }

    /// Where it belongs: the same for titles beside each other.
    pub(super) fn place(&self) -> (u8, Option<usize>) {
        (self.level, self.parent)
    }
}

impl<'m> Outline<'m> {
    /// The outline of a document. `text` is the whole file.
    pub(super) fn of(sections: &'m [Section], text: &str) -> Self {
        let mut outline = Self::default();
        let mut open: Vec<usize> = Vec::new();
        for section in sections {
            if let Some(heading) = &section.heading {
                outline.open(
                    &mut open,
                    &line(heading),
                    &heading.codes,
                    section.level,
                    heading.span,
                );
            } else {
                open.clear();
            }
            for block in &section.blocks {
                outline.take(block, &mut open, text);
            }
        }
        outline
    }

    /// Adds a title below those that are above its level.
    fn open(&mut self, open: &mut Vec<usize>, text: &str, codes: &[Quoted], level: u8, span: Span) {
        open.retain(|at| {
            self.titles
                .get(*at)
                .is_some_and(|title| title.level < level)
        });
        let (number, parent) = (self.titles.len(), open.last().copied());
        open.push(number);
        self.titles
            .push(Title::new(text, codes, level, (number, parent), span));
    }

    fn take(&mut self, block: &'m Block, open: &mut Vec<usize>, text: &str) {
        match block {
            Block::MarkdownTable(table) => self.push(open, PieceKind::Table(table)),
            Block::Code(prose) => self.push(open, PieceKind::Code(prose)),
            Block::Quote(blocks) => blocks.iter().for_each(|block| self.take(block, open, text)),
            Block::Paragraph(prose) => {
                for (line, is_bold) in lines_of(prose, text) {
                    if is_bold {
                        let codes = line.codes.clone();
                        self.open(open, &line.text, &codes, PSEUDO, line.span);
                    } else {
                        self.push(open, PieceKind::Line(line));
                    }
                }
            }
            Block::MarkdownList(list) => {
                for item in &list.items {
                    self.take_item(item, open, text);
                }
            }
        }
    }

    /// An item that has others below it heads them.
    fn take_item(&mut self, item: &'m ListItem, open: &[usize], text: &str) {
        let said = line(&item.prose);
        let codes = item
            .prose
            .codes
            .iter()
            .take(MAX_CODES_IN_LINE)
            .cloned()
            .collect();
        self.push(
            open,
            PieceKind::Line(TextLine {
                text: said.clone(),
                codes,
                span: item.prose.span,
            }),
        );
        if item.blocks.is_empty() {
            return;
        }
        let mut inner = open.to_vec();
        let level = inner
            .last()
            .and_then(|at| self.titles.get(*at))
            .map_or(PSEUDO, |title| title.level.max(PSEUDO));
        self.open(
            &mut inner,
            &said,
            &item.prose.codes,
            level.saturating_add(1),
            item.prose.span,
        );
        for block in &item.blocks {
            self.take(block, &mut inner, text);
        }
    }

    fn push(&mut self, open: &[usize], kind: PieceKind<'m>) {
        self.pieces.push(Piece {
            title: open.last().copied(),
            kind,
        });
    }

    /// The title next above a piece.
    pub(super) fn title(&self, piece: &Piece<'_>) -> Option<&Title> {
        self.titles.get(piece.title?)
    }

    /// The title that may name the state of what stands below it: the next one that is not about something else.
    pub(super) fn owner(&self, piece: &Piece<'_>) -> Option<&Title> {
        let mut title = self.title(piece)?;
        while title.is_topic && !title.names_state {
            title = self.titles.get(title.parent?)?;
        }
        Some(title)
    }

    /// Whether the next title above a piece says that transitions stand there.
    pub(super) fn is_transitions(&self, piece: &Piece<'_>) -> bool {
        self.title(piece).is_some_and(|title| title.is_transitions)
    }
}

/// The lines of a paragraph; each with whether all of it stands in bold.
fn lines_of(prose: &Prose, text: &str) -> Vec<(TextLine, bool)> {
    let mut at = prose.span.start as usize;
    let mut raws = text_at(text, prose.span).split_inclusive('\n').map(|raw| {
        let span = Span::new(prose.span.file, at, at + raw.trim_end().len());
        at += raw.len();
        (raw.trim(), span)
    });
    let lines = prose.text.split('\n').map(|line| {
        let (raw, span) = raws.next().unwrap_or(("", prose.span));
        let codes = prose
            .codes
            .iter()
            .take(MAX_CODES_IN_LINE)
            .filter(|code| span.contains(code.span))
            .cloned()
            .collect();
        (
            TextLine {
                text: line.trim().to_owned(),
                codes,
                span,
            },
            is_bold(raw),
        )
    });
    lines.filter(|(line, _)| !line.text.is_empty()).collect()
}

fn is_bold(raw: &str) -> bool {
    ["**", "__"].iter().any(|mark| {
        let inner = raw
            .strip_prefix(mark)
            .map(|rest| rest.trim_end_matches(':'));
        inner
            .and_then(|rest| rest.strip_suffix(mark))
            .is_some_and(|rest| !rest.is_empty() && !rest.contains(mark))
    })
}
