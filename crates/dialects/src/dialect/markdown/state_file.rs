//! Reads the files in a folder of states.

use super::draft::{MoveText, SetShape, StateDraft};
use super::front;
use super::layout::Layout;
use super::moves::{Columns, move_of_line, of_list};
use super::plain::{NamedText, lines, prose_lines, quoted_names};
use super::words::{Match, SectionTopic, heading, near_heading, near_state_heading, state_heading};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Block, Markdown, Prose, Section};

/// The prefix of states that load data.
pub(super) const LOADS: &str = "dt_load_";

/// The blocks of a state by topic.
#[derive(Default)]
struct StateSections<'m> {
    name: Option<NamedText>,
    goal: Vec<&'m Block>,
    triggers: Vec<&'m Block>,
    steps: Vec<&'m Block>,
    transitions: Vec<&'m Block>,
    degradation: Vec<&'m Block>,
    /// Sections with an unknown topic.
    text: Vec<&'m Block>,
}

/// Reads a state. `stem` is its default name, and `text` is the complete file.
pub(super) fn read(
    file: FileId,
    stem: &str,
    markdown: &Markdown,
    text: &str,
    found: &mut Diagnostics,
) -> StateDraft {
    let parts = StateSections::of(&markdown.sections, found);
    let by_file = NamedText::new(stem, Span::new(file, markdown.body, markdown.body));
    let mut draft = StateDraft::named(parts.name.clone().unwrap_or(by_file));
    if let Some(front) = &markdown.front {
        front::of_state(front, &mut draft, found);
    }
    draft.instruction = text.get(markdown.body..).unwrap_or_default().into();
    let joined = |blocks: &[&Block]| {
        let lines = lines(blocks.iter().copied());
        (!lines.is_empty()).then(|| lines.join("\n").into_boxed_str())
    };
    draft.goal = joined(&parts.goal);
    draft.degradation = joined(&parts.degradation);
    draft.triggers = lines(parts.triggers.iter().copied())
        .into_iter()
        .map(Into::into)
        .collect();
    let errors = found.error_count();
    draft.moves = moves(parts.transitions.iter().copied(), text, found);
    draft.moves_lost = found.error_count() > errors;
    let steps = if parts.steps.is_empty() {
        &parts.text
    } else {
        &parts.steps
    };
    for block in steps {
        quoted_names(block, LOADS, &mut draft.loads);
    }
    let acts = [steps.as_slice(), &parts.degradation].concat();
    let layout = Layout::of(&parts.goal, &acts, &markdown.sections, text);
    draft.layout = Some(Layout {
        called: parts.name,
        ..layout
    });
    draft
}

/// Whether the file is a state: by its front matter, its heading, or a section with transitions.
pub(super) fn looks_like_state(markdown: &Markdown) -> bool {
    let parts = StateSections::of(&markdown.sections, &mut Diagnostics::default());
    let front = markdown
        .front
        .as_ref()
        .is_some_and(|front| front.get("state").is_some());
    front || parts.name.is_some() || !parts.transitions.is_empty()
}

/// The topic whose known heading is similar to this heading. Reports the similarity.
fn near(title: &Prose, found: &mut Diagnostics) -> Option<SectionTopic> {
    let (kind, word) = near_heading(title.trimmed())?;
    similar_heading(title, "treated as the known heading")
        .help(format!("write `{word}`"))
        .add_to(found);
    Some(kind)
}

fn similar_heading(title: &Prose, consequence: &str) -> Diagnostic {
    let heading = title.trimmed();
    Diagnostic::warning(
        Code::SimilarHeading,
        format!("heading `{heading}` is similar to a known heading"),
    )
    .at(title.span, consequence)
}

impl<'m> StateSections<'m> {
    fn of(sections: &'m [Section], found: &mut Diagnostics) -> Self {
        let mut parts = Self::default();
        // The current section with the level of its heading.
        let mut open: Option<(SectionTopic, u8)> = None;
        for section in sections {
            let title = section.heading.as_ref();
            let inside = open.is_some_and(|(_, level)| section.level > level);
            let state = title.and_then(|title| Some((title, state_heading(title.trimmed())?)));
            if let Some((title, rest)) = state.filter(|_| !inside) {
                open = None;
                parts.name_by(title, rest, found);
                parts.text.extend(&section.blocks);
                continue;
            }
            if let Some((title, word)) =
                title.and_then(|title| Some((title, near_state_heading(title.trimmed())?)))
                && !inside
                && parts.name.is_none()
            {
                let help = format!("write `{word}`; otherwise the state has the name of the file");
                similar_heading(title, "does not name a state")
                    .help(help)
                    .add_to(found);
            }
            open = match title.and_then(|title| heading(title.trimmed())) {
                Some((kind, how)) if how == Match::Exact || !inside => Some((kind, section.level)),
                _ if inside => open,
                // Use the similar heading to avoid further findings.
                _ => title
                    .and_then(|title| near(title, found))
                    .map(|kind| (kind, section.level)),
            };
            let part = match open.map(|(kind, _)| kind) {
                Some(SectionTopic::Goal) => &mut parts.goal,
                Some(SectionTopic::Triggers) => &mut parts.triggers,
                Some(SectionTopic::Steps) => &mut parts.steps,
                Some(SectionTopic::Transitions) => &mut parts.transitions,
                Some(SectionTopic::Degradation) => &mut parts.degradation,
                None => &mut parts.text,
            };
            part.extend(&section.blocks);
        }
        parts
    }

    /// Extracts the name from a heading such as "State: x". Only the first such heading names the state.
    fn name_by(&mut self, title: &Prose, rest: &str, found: &mut Diagnostics) {
        if let Some(first) = &self.name {
            Diagnostic::warning(
                Code::Markdown,
                "second heading with a state name is treated as text",
            )
            .at(title.span, "second heading")
            .at(first.span, "name of the state")
            .help("move each state to a separate file")
            .add_to(found);
            return;
        }
        let quoted = title.codes.first().map(NamedText::of);
        let bare = rest
            .split(" — ")
            .next()
            .unwrap_or_default()
            .split(" (")
            .next()
            .unwrap_or_default()
            .trim();
        let bare = (!bare.is_empty()).then(|| NamedText::new(bare, title.span));
        self.name = quoted.filter(|name| !name.text.is_empty()).or(bare);
    }
}

/// The transitions of a state, from all tables, lists and lines with arrows in their section. `text` is the complete
/// file.
fn moves<'m>(
    blocks: impl IntoIterator<Item = &'m Block>,
    text: &str,
    found: &mut Diagnostics,
) -> Vec<MoveText> {
    let mut moves = Vec::new();
    for block in blocks {
        match block {
            Block::MarkdownTable(table) => {
                let columns = Columns::of_one_state(table);
                if columns.next.is_none() {
                    found.push(no_targets(
                        table.header.first().map_or(table.span, |cell| cell.span),
                        SetShape::Folder,
                    ));
                    continue;
                }
                let help = "use one column for the condition and one for the next state";
                columns.report_others(table, help, found);
                moves.extend(
                    table
                        .rows
                        .iter()
                        .filter_map(|row| columns.row(row, table, found)),
                );
            }
            Block::MarkdownList(list) => of_list(list, &mut moves),
            Block::Paragraph(prose) => {
                let lines = prose_lines(prose, text);
                moves.extend(lines.iter().filter_map(|line| move_of_line(line, false)));
            }
            Block::Quote(_) | Block::Code(_) => {}
        }
    }
    moves
}

/// The finding about a table without a target column.
pub(super) fn no_targets(place: Span, shape: SetShape) -> Diagnostic {
    let remedy = match shape {
        SetShape::Folder => {
            "name the columns `Condition` and `Next state` (`Условие`, `Следующее состояние`)"
        }
        SetShape::Document => {
            "name the columns `State`, `Condition` and `Next state` (`Состояние`, `Условие`, `Следующее состояние`)"
        }
    };
    Diagnostic::error(
        Code::BadTransition,
        "missing column for the next state in the table",
    )
    .at(place, "no next state")
    .help(remedy)
}
