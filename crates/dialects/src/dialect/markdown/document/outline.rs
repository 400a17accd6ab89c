//! The pieces of a document: tables, lines of text and code blocks, with the titles above them.

use crate::dialect::markdown::plain::{ARROWS, line, prose_lines, text_at};
use crate::dialect::markdown::words::{self, SectionTopic, state_heading};
use crate::limits::MAX_CODES_IN_LINE;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{
    Block, ListItem, MarkdownTable, Prose, Quoted, Section, StateDiagram,
};

/// The level of bold lines that act as headings. List items with nested blocks have higher levels.
const BOLD_LEVEL: u8 = 7;

/// The pieces of a document.
#[derive(Debug, Default)]
pub(super) struct Outline<'m> {
    /// The headings, and the lines that act as headings.
    titles: Vec<Title>,
    /// The other pieces, in order.
    pub pieces: Vec<Piece<'m>>,
}

/// The content that a title announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TitleTopic {
    Transitions,
    /// Transitions that do not exist.
    NoTransitions,
    States,
    /// Another known topic, such as goals.
    Known,
    Other,
}

/// A heading, or a bold line or a list item that acts as one.
#[derive(Debug)]
pub(super) struct Title {
    /// The text without leading numbers.
    pub text: String,
    /// Possible names in the text, the most likely one first.
    pub names: Vec<String>,
    /// Whether the text contains a word, such as "State", that marks it as the name of a state.
    pub names_state: bool,
    topic: TitleTopic,
    level: u8,
    parent: Option<usize>,
    /// The number of titles before this one.
    pub number: usize,
    pub span: Span,
}

/// A piece of a document and the nearest title above it.
#[derive(Debug)]
pub(super) struct Piece<'m> {
    pub title: Option<usize>,
    pub kind: PieceKind<'m>,
}

impl Piece<'_> {
    pub(super) fn span(&self) -> Span {
        match &self.kind {
            PieceKind::Table(table) => table.span,
            PieceKind::Line(line) | PieceKind::Fenced(line) => line.span,
            PieceKind::Code(code) => code.span,
        }
    }
}

#[derive(Debug)]
pub(super) enum PieceKind<'m> {
    Table(&'m MarkdownTable),
    /// A line of a paragraph, or an item of a list.
    Line(TextLine),
    /// A line with arrows in a code block with plain text.
    Fenced(TextLine),
    Code(&'m Prose),
}

#[derive(Clone, Debug)]
pub(super) struct TextLine {
    /// The text without markup.
    pub text: String,
    /// The texts in backticks.
    pub codes: Vec<Quoted>,
    pub span: Span,
}

impl TextLine {
    /// A cell or an item in one line.
    pub(super) fn of(prose: &Prose) -> Self {
        Self {
            text: line(prose),
            codes: prose
                .codes
                .iter()
                .take(MAX_CODES_IN_LINE)
                .cloned()
                .collect(),
            span: prose.span,
        }
    }
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
        let topic = match (words::heading(bare), words::names_transitions(bare)) {
            (_, (_, true, _)) => TitleTopic::NoTransitions,
            (Some((SectionTopic::Transitions, _)), _) | (_, (true, ..)) => TitleTopic::Transitions,
            (Some(_), _) => TitleTopic::Known,
            (None, (.., true)) => TitleTopic::States,
            _ => TitleTopic::Other,
        };
        let state_name = state_heading(bare);
        let mut names: Vec<String> = codes
            .iter()
            .take(1)
            .map(|code| code.text.trim().to_owned())
            .collect();
        let mut add = |name: &str| {
            let name = name
                .split(['(', '['])
                .next()
                .unwrap_or_default()
                .trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        if let Some(name) = state_name {
            add(name.split(" — ").next().unwrap_or_default());
        }
        let folded = bare.to_lowercase();
        // The length of the folded text is used to cut the text, so folding must not change the length.
        if folded.len() == bare.len() {
            let prefixes = ["state ", "состояние ", "статус "];
            for rest in prefixes.iter().filter_map(|word| folded.strip_prefix(word)) {
                add(bare.get(bare.len() - rest.len()..).unwrap_or_default());
            }
            let suffixes = [" state", " status"];
            for rest in suffixes.iter().filter_map(|word| folded.strip_suffix(word)) {
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
            names_state: state_name.is_some_and(|name| !name.is_empty()),
            topic,
            level,
            parent,
            number,
            span,
        }
    }

    /// The level and the parent, which sibling titles share.
    pub(super) fn place(&self) -> (u8, Option<usize>) {
        (self.level, self.parent)
    }
}

impl<'m> Outline<'m> {
    /// The outline of a document. `text` is the complete file.
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

    /// Adds a title. Its parents are the open titles of lower levels.
    fn open(&mut self, open: &mut Vec<usize>, text: &str, codes: &[Quoted], level: u8, span: Span) {
        open.retain(|at| {
            self.titles
                .get(*at)
                .is_some_and(|title| title.level < level)
        });
        let number = self.titles.len();
        let parent = open.last().copied();
        open.push(number);
        self.titles
            .push(Title::new(text, codes, level, (number, parent), span));
    }

    fn take(&mut self, block: &'m Block, open: &mut Vec<usize>, text: &str) {
        match block {
            Block::MarkdownTable(table) => self.push(open, PieceKind::Table(table)),
            Block::Code(prose) => {
                self.push(open, PieceKind::Code(prose));
                for line in arrow_lines(prose, text) {
                    self.push(open, PieceKind::Fenced(line));
                }
            }
            Block::Quote(blocks) => blocks.iter().for_each(|block| self.take(block, open, text)),
            Block::Paragraph(prose) => {
                for (line, is_bold) in lines_of(prose, text) {
                    if is_bold {
                        let codes = line.codes.clone();
                        self.open(open, &line.text, &codes, BOLD_LEVEL, line.span);
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

    /// Adds a list item. If it contains blocks, it is also a title for them.
    fn take_item(&mut self, item: &'m ListItem, open: &[usize], text: &str) {
        let item_line = TextLine::of(&item.prose);
        let item_text = item_line.text.clone();
        self.push(open, PieceKind::Line(item_line));
        if item.blocks.is_empty() {
            return;
        }
        let mut inner = open.to_vec();
        let level = inner
            .last()
            .and_then(|at| self.titles.get(*at))
            .map_or(BOLD_LEVEL, |title| title.level.max(BOLD_LEVEL));
        self.open(
            &mut inner,
            &item_text,
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

    /// The nearest title above a piece.
    pub(super) fn title(&self, piece: &Piece<'_>) -> Option<&Title> {
        self.titles.get(piece.title?)
    }

    /// The title that can name the state of a piece: the nearest title that does not announce a topic.
    pub(super) fn owner(&self, piece: &Piece<'_>) -> Option<&Title> {
        let mut title = self.title(piece)?;
        let is_open = |topic| matches!(topic, TitleTopic::States | TitleTopic::Other);
        while !is_open(title.topic) && !title.names_state {
            title = self.titles.get(title.parent?)?;
        }
        Some(title)
    }

    /// Whether the nearest title above a piece announces transitions.
    pub(super) fn is_transitions(&self, piece: &Piece<'_>) -> bool {
        self.title(piece).is_some_and(|title| {
            let is_fenced = matches!(piece.kind, PieceKind::Fenced(_));
            title.topic == TitleTopic::Transitions || is_fenced && title.topic == TitleTopic::States
        })
    }

    /// Whether a title above a piece, or its line, announces transitions that do not exist.
    pub(super) fn is_excluded(&self, piece: &Piece<'_>) -> bool {
        let parent = |title: &&Title| self.titles.get(title.parent?);
        let says_so = match &piece.kind {
            PieceKind::Line(line) => words::names_transitions(&line.text).1,
            _ => false,
        };
        let mut titles = std::iter::successors(self.title(piece), parent);
        says_so || titles.any(|title| title.topic == TitleTopic::NoTransitions)
    }
}

/// The language of a code block with a fence. Returns `None` for other blocks.
pub(super) fn language<'t>(code: &Prose, text: &'t str) -> Option<&'t str> {
    let fence = text_at(text, code.span).lines().next()?.trim();
    let info = fence.trim_start_matches(['`', '~']);
    (info.len() + 3 <= fence.len()).then(|| info.split_whitespace().next().unwrap_or_default())
}

/// The lines with arrows in a code block that is not a diagram. A line that ends with an arrow continues in the next
/// one.
fn arrow_lines(code: &Prose, text: &str) -> Vec<TextLine> {
    let block = text_at(text, code.span);
    let has_plain_text = matches!(language(code, text), Some("" | "text" | "txt"));
    if !has_plain_text || StateDiagram::of_block(block).is_some() {
        return Vec::new();
    }
    let has_arrow = |text: &str| ARROWS.iter().any(|arrow| text.contains(arrow));
    let ends_open = |text: &str| ARROWS.iter().any(|arrow| text.ends_with(arrow));
    let mut at = code.span.start as usize;
    let mut lines: Vec<TextLine> = Vec::new();
    for raw in block.split_inclusive('\n') {
        let trimmed = raw.trim();
        let start = at + raw.find(trimmed).unwrap_or(0);
        at += raw.len();
        let span = Span::new(code.span.file, start, start + trimmed.len());
        match lines.last_mut().filter(|line| ends_open(&line.text)) {
            Some(open) => {
                open.text.push(' ');
                open.text.push_str(trimmed);
                open.span = open.span.to(span);
            }
            None if has_arrow(trimmed) => lines.push(TextLine {
                text: trimmed.to_owned(),
                codes: Vec::new(),
                span,
            }),
            None => {}
        }
    }
    lines
}

/// The lines of a paragraph, each with a flag for completely bold lines.
fn lines_of(prose: &Prose, text: &str) -> Vec<(TextLine, bool)> {
    let lines = prose_lines(prose, text).into_iter();
    let titled = lines.map(|line| {
        let is_bold = is_bold(text_at(text, line.span).trim());
        let line = TextLine {
            text: line.text.into(),
            codes: line.codes,
            span: line.span,
        };
        (line, is_bold)
    });
    titled.collect()
}

fn is_bold(raw: &str) -> bool {
    ["**", "__"].iter().any(|mark| {
        raw.strip_prefix(mark)
            .map(|rest| rest.trim_end_matches(':'))
            .and_then(|rest| rest.strip_suffix(mark))
            .is_some_and(|rest| !rest.is_empty() && !rest.contains(mark))
    })
}
