//! Markdown as sections of blocks with positions.
//!
//! Only this module uses the Markdown parser.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag, TagEnd};

use super::node::Node;
use super::yaml::parse_yaml;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use crate::limits::MAX_BLOCK_DEPTH;

/// A Markdown document.
#[derive(Clone, Debug, Default)]
pub struct Markdown {
    /// The YAML between two lines `---` at the start.
    pub front: Option<Node>,
    /// The byte offset of the text after the front matter.
    pub body: usize,
    /// The sections in order. The first one has no heading if there is text before all headings.
    pub sections: Vec<Section>,
}

/// A heading and the blocks up to the next heading of any level.
#[derive(Clone, Debug)]
pub struct Section {
    pub heading: Option<Prose>,
    /// The level of the heading, 1 to 6; 0 without one.
    pub level: u8,
    pub blocks: Vec<Block>,
    /// The range from the heading to the last block.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Block {
    Paragraph(Prose),
    MarkdownList(MarkdownList),
    MarkdownTable(MarkdownTable),
    /// A code block or an HTML block.
    Code(Prose),
    /// The blocks of a quotation.
    Quote(Vec<Block>),
}

impl Block {
    /// The nested blocks.
    pub fn inner(&self) -> impl Iterator<Item = &Block> {
        let (quoted, items): (&[Block], &[ListItem]) = match self {
            Self::Quote(blocks) => (blocks, &[]),
            Self::MarkdownList(list) => (&[], &list.items),
            Self::Paragraph(_) | Self::MarkdownTable(_) | Self::Code(_) => (&[], &[]),
        };
        quoted
            .iter()
            .chain(items.iter().flat_map(|item| &item.blocks))
    }
}

#[derive(Clone, Debug)]
pub struct MarkdownList {
    /// The number of the first item in a numbered list.
    pub first: Option<u64>,
    pub items: Vec<ListItem>,
}

#[derive(Clone, Debug)]
pub struct ListItem {
    /// The text at the start of the item.
    pub prose: Prose,
    /// The blocks after this text.
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
pub struct MarkdownTable {
    /// The cells of the first row.
    pub header: Vec<Prose>,
    /// The cells of the other rows. Each row has as many cells as the header.
    pub rows: Vec<Vec<Prose>>,
    pub span: Span,
}

/// A piece of text without Markdown markup.
#[derive(Clone, Debug)]
pub struct Prose {
    /// The text, with a line feed for each line break.
    pub text: Box<str>,
    /// The parts in backticks.
    pub codes: Vec<Quoted>,
    pub span: Span,
}

/// A part of a text in backticks.
#[derive(Clone, Debug)]
pub struct Quoted {
    pub text: Box<str>,
    /// The position, with the backticks.
    pub span: Span,
}

impl Prose {
    /// An empty text at a position.
    fn empty(span: Span) -> Self {
        Self {
            text: Box::default(),
            codes: Vec::new(),
            span,
        }
    }

    /// The text without white space around it.
    pub fn trimmed(&self) -> &str {
        self.text.trim()
    }
}

/// Parses Markdown with tables and YAML front matter. Reports front matter that is not closed or not valid YAML, and
/// parses the rest.
pub fn parse_markdown(file: FileId, text: &str, found: &mut Diagnostics) -> Markdown {
    let (front, body) = front_matter(file, text, found);
    let rest = with_operators(text.get(body..).unwrap_or_default());
    let mut reader = MarkdownReader {
        events: Parser::new_ext(&rest, Options::ENABLE_TABLES).into_offset_iter(),
        file,
        base: body,
        depth: 0,
    };
    let mut markdown = Markdown {
        front,
        body,
        sections: Vec::new(),
    };
    while let Some((event, span)) = reader.next() {
        if let Event::Start(Tag::Heading { level, .. }) = event {
            let heading = reader.prose(span);
            let level = level as u8;
            markdown.sections.push(Section {
                heading: Some(heading),
                level,
                blocks: Vec::new(),
                span,
            });
            continue;
        }
        let Some(block) = reader.block(&event, span) else {
            continue;
        };
        match markdown.sections.last_mut() {
            Some(section) => {
                section.span = section.span.to(span);
                section.blocks.push(block);
            }
            None => {
                markdown.sections.push(Section {
                    heading: None,
                    level: 0,
                    blocks: vec![block],
                    span,
                });
            }
        }
    }
    markdown
}

/// A control character in place of each bar of the operator `||`.
const BAR: &str = "\u{1}";

/// Replaces `||` in rows of tables that would have too many cells otherwise: there, it is an operator in a cell, not an
/// empty cell. The length of the text stays the same.
fn with_operators(text: &str) -> String {
    if !text.contains("||") {
        return text.to_owned();
    }
    let mut bars = usize::MAX;
    let line = |line: &str| {
        let count = line.matches('|').count();
        if count == 0 {
            bars = usize::MAX;
        } else if line.trim().chars().all(|c| "|-: \t>".contains(c)) {
            bars = count;
        }
        if count > bars {
            line.replace("||", &BAR.repeat(2))
        } else {
            line.to_owned()
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The front matter, and the offset of the text after it.
fn front_matter(file: FileId, text: &str, found: &mut Diagnostics) -> (Option<Node>, usize) {
    if let Some((yaml, body)) = front_of(text) {
        let inside = text.get(yaml.clone()).unwrap_or_default();
        return (
            parse_yaml(file, inside, yaml.start, found).filter(|node| !node.is_null()),
            body,
        );
    }
    if text
        .lines()
        .next()
        .is_some_and(|line| line.trim_end() == FENCE)
    {
        // A line `---` at the start can also be a thematic break, which carries no information.
        Diagnostic::warning(Code::Markdown, "unclosed front matter is treated as text")
            .at(Span::new(file, 0, FENCE.len()), "opened here")
            .help("add a line `---` after the front matter")
            .add_to(found);
    }
    (None, 0)
}

/// The range of the YAML in the front matter, and the offset of the text after it.
pub fn front_of(text: &str) -> Option<(Range<usize>, usize)> {
    let mut lines = text.split_inclusive('\n');
    let start = lines.next().filter(|line| line.trim_end() == FENCE)?.len();
    let mut end = start;
    for line in lines {
        if line.trim_end() == FENCE {
            return Some((start..end, end + line.len()));
        }
        end += line.len();
    }
    None
}

const FENCE: &str = "---";

struct MarkdownReader<'t> {
    events: OffsetIter<'t>,
    file: FileId,
    base: usize,
    depth: usize,
}

impl<'t> MarkdownReader<'t> {
    fn next(&mut self) -> Option<(Event<'t>, Span)> {
        let (event, range) = self.events.next()?;
        Some((
            event,
            Span::new(self.file, self.base + range.start, self.base + range.end),
        ))
    }

    /// The block that starts with this event; `None` for other elements, such as thematic breaks.
    fn block(&mut self, event: &Event<'t>, span: Span) -> Option<Block> {
        if self.depth >= MAX_BLOCK_DEPTH {
            self.skip(event, span);
            return None;
        }
        self.depth += 1;
        let block = match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) => {
                Some(Block::Paragraph(self.prose(span)))
            }
            Event::Start(Tag::List(first)) => Some(Block::MarkdownList(self.list(*first))),
            Event::Start(Tag::Table(_)) => Some(Block::MarkdownTable(self.table(span))),
            Event::Start(
                Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) | Tag::HtmlBlock,
            ) => Some(Block::Code(self.prose(span))),
            Event::Start(Tag::BlockQuote(_)) => Some(Block::Quote(self.blocks())),
            _ => {
                self.skip(event, span);
                None
            }
        };
        self.depth -= 1;
        block
    }

    /// The text up to the end of the element that starts at `span`.
    fn prose(&mut self, span: Span) -> Prose {
        let mut prose = Prose::empty(span);
        let mut text = String::new();
        let mut open = 1_usize;
        while open > 0 {
            let Some((event, place)) = self.next() else {
                break;
            };
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                event => take(event, place, &mut text, &mut prose.codes),
            }
        }
        prose.text = text.into();
        prose
    }

    fn list(&mut self, first: Option<u64>) -> MarkdownList {
        let mut list = MarkdownList {
            first,
            items: Vec::new(),
        };
        while let Some((event, span)) = self.next() {
            match event {
                Event::Start(Tag::Item) => {
                    let mut blocks = self.blocks();
                    let starts_with_text = matches!(blocks.first(), Some(Block::Paragraph(_)));
                    let prose = match starts_with_text.then(|| blocks.remove(0)) {
                        Some(Block::Paragraph(prose)) => prose,
                        _ => Prose::empty(span),
                    };
                    list.items.push(ListItem { prose, blocks });
                }
                Event::End(TagEnd::List(_)) => break,
                _ => {}
            }
        }
        list
    }

    /// The blocks up to the end of the current element. Text outside of blocks, as in the items of a tight list,
    /// becomes a paragraph.
    fn blocks(&mut self) -> Vec<Block> {
        let mut lead: Option<(String, Prose)> = None;
        let mut blocks = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => break,
                // Emphasis and links inside the text of a tight item.
                Event::Start(
                    Tag::Emphasis
                    | Tag::Strong
                    | Tag::Strikethrough
                    | Tag::Link { .. }
                    | Tag::Image { .. },
                )
                | Event::End(_) => {}
                Event::Start(_) => blocks.extend(self.block(&event, span)),
                event => {
                    let (text, prose) =
                        lead.get_or_insert_with(|| (String::new(), Prose::empty(span)));
                    prose.span = prose.span.to(span);
                    take(event, span, text, &mut prose.codes);
                }
            }
        }
        if let Some((text, prose)) = lead {
            blocks.insert(
                0,
                Block::Paragraph(Prose {
                    text: text.into(),
                    ..prose
                }),
            );
        }
        blocks
    }

    fn table(&mut self, span: Span) -> MarkdownTable {
        let mut table = MarkdownTable {
            header: Vec::new(),
            rows: Vec::new(),
            span,
        };
        let mut row = Vec::new();
        while let Some((event, span)) = self.next() {
            match event {
                Event::Start(Tag::TableCell) => row.push(self.prose(span)),
                Event::End(TagEnd::TableHead) => table.header = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => table.rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        table
    }

    /// Skips the element that has just started.
    fn skip(&mut self, event: &Event<'t>, span: Span) {
        if matches!(event, Event::Start(_)) {
            self.prose(span);
        }
    }
}

/// Adds the text of an event.
fn take(event: Event<'_>, span: Span, text: &mut String, codes: &mut Vec<Quoted>) {
    match event {
        Event::Text(piece) | Event::Html(piece) | Event::InlineHtml(piece) => {
            text.push_str(&piece.replace(BAR, "|"));
        }
        Event::Code(piece) => {
            let piece = piece.replace(BAR, "|");
            text.push_str(&piece);
            codes.push(Quoted {
                text: piece.into(),
                span,
            });
        }
        Event::SoftBreak | Event::HardBreak => text.push('\n'),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;

    fn parse(text: &str) -> (Markdown, SourceMap, Diagnostics) {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let file = sources.add("a.md", text);
        (parse_markdown(file, text, &mut found), sources, found)
    }

    /// The text that a span covers.
    fn at(sources: &SourceMap, span: Span) -> String {
        let text = sources.file(span.file).unwrap().text().clone();
        text[span.start as usize..span.end as usize].to_owned()
    }

    #[test]
    fn sections_tables_and_lists_have_positions() {
        let text = "---\nneeds: [week]\n---\n# Состояние: x\r\n\nЦель `a`\r\nи всё\n\n## Переходы\n\n\
            | Условие | Куда |\n|---|---|\n| Да \\| нет | `init` |\n| a || b | c |\n|| d |\n| Пусто |\n\n3. **Раз** `dt_load`\n   - внутри\n4. Два\n";
        let (markdown, sources, found) = parse(text);
        assert!(found.is_empty());
        assert!(markdown.front.unwrap().get("needs").is_some());
        let [state, moves] = &markdown.sections[..] else {
            panic!("{:?}", markdown.sections)
        };
        assert_eq!(
            (state.level, state.heading.as_ref().unwrap().trimmed()),
            (1, "Состояние: x")
        );
        let Block::Paragraph(goal) = &state.blocks[0] else {
            panic!("{:?}", state.blocks)
        };
        assert_eq!(&*goal.text, "Цель a\nи всё");
        assert_eq!(at(&sources, goal.codes[0].span), "`a`");
        let [Block::MarkdownTable(table), Block::MarkdownList(list)] = &moves.blocks[..] else {
            panic!("{:?}", moves.blocks)
        };
        let cells: Vec<Vec<&str>> = table
            .rows
            .iter()
            .map(|row| row.iter().map(Prose::trimmed).collect())
            .collect();
        assert_eq!(
            cells,
            [
                ["Да | нет", "init"],
                ["a || b", "c"],
                ["", "d"],
                ["Пусто", ""]
            ]
        );
        assert_eq!(at(&sources, table.rows[0][1].codes[0].span), "`init`");
        assert_eq!((list.first, list.items.len()), (Some(3), 2));
        assert_eq!(list.items[0].prose.trimmed(), "Раз dt_load");
        assert!(
            matches!(&list.items[0].blocks[..], [Block::MarkdownList(inner)] if inner.items.len() == 1)
        );
    }

    #[test]
    fn hostile_markdown_causes_no_panic() {
        for text in [
            "",
            "---",
            "---\n",
            "---\n: [\n---\n# x",
            "|",
            "| a |\n|---|",
            "\u{0}",
            &"> ".repeat(5000),
            &"- ".repeat(5000),
        ] {
            let _ = parse(text);
        }
        assert!(!parse("---\nopen").2.is_empty());
    }
}
