//! Reads transitions from tables and lists.

use super::draft::{MoveText, TargetText, Written};
use super::plain::{ARROWS, NamedText, clean, line};
use super::words::{Column, column};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Block, MarkdownList, MarkdownTable, Prose, Quoted};

/// Texts with the meaning "no target".
const NO_TARGET: [&str; 5] = ["—", "–", "-", "нет", "none"];

/// The relevant columns of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub state: Option<usize>,
    /// The condition or the event, depending on the columns.
    pub condition: Option<usize>,
    /// The guard, if it has a separate column.
    pub guard: Option<usize>,
    pub next: Option<usize>,
}

impl Columns {
    /// Detects the columns by the header of a table.
    pub(super) fn of(table: &MarkdownTable) -> Self {
        let place = |wanted| place(table, wanted);
        let acts = [Column::Event, Column::Action, Column::Guard];
        let acts = || acts.into_iter().any(|column| place(column).is_some());
        let next = place(Column::Next);
        let stage = place(Column::Stage).filter(|_| next.is_some());
        let next = next.or_else(|| place(Column::Outcome).filter(|_| acts()));
        Self::between(table, place(Column::State).or(stage), next)
    }

    /// The columns of a table with these columns of states.
    pub(super) fn between(
        table: &MarkdownTable,
        state: Option<usize>,
        next: Option<usize>,
    ) -> Self {
        let event = place(table, Column::Event);
        let guard = place(table, Column::Guard);
        // The action replaces the event if it comes before the guard.
        let action =
            place(table, Column::Action).filter(|action| guard.is_none_or(|guard| *action < guard));
        let event = event.or(action);
        let (mut condition, guard) = if event.is_some() {
            (event, guard)
        } else {
            (guard, None)
        };
        if condition.is_none() {
            // The only column without a known header is the condition.
            let known = [state, next, state.and(place(table, Column::Other))];
            let mut others = (0..table.header.len()).filter(|at| !known.contains(&Some(*at)));
            condition = others.next().filter(|_| others.next().is_none());
        }
        Self {
            state,
            condition,
            guard,
            next,
        }
    }

    /// The columns of a table for a single state. There, a column of states contains the targets.
    pub(super) fn of_one_state(table: &MarkdownTable) -> Self {
        match Self::of(table) {
            columns @ Self {
                next: None, state, ..
            } => Self {
                state: None,
                next: state,
                ..columns
            },
            columns => Self::between(table, place(table, Column::State), columns.next),
        }
    }

    /// Reports the columns that are not used for transitions.
    pub(super) fn report_others(&self, table: &MarkdownTable, help: &str, found: &mut Diagnostics) {
        let taken = [self.state, self.condition, self.guard, self.next];
        for (_, cell) in table
            .header
            .iter()
            .enumerate()
            .filter(|(at, _)| !taken.contains(&Some(*at)))
        {
            Diagnostic::warning(
                Code::NotTaken,
                format!("column `{}` is ignored", cell.trimmed()),
            )
            .at(cell.span, "ignored")
            .help(help)
            .add_to(found);
        }
    }

    /// The condition of a row: the event, followed by the guard in square brackets. Dashes count as empty.
    pub(super) fn condition(&self, row: &[Prose]) -> String {
        let cell = |at: Option<usize>| at.and_then(|at| row.get(at)).map(line).unwrap_or_default();
        let said = |text: String| {
            Some(text).filter(|text| text.chars().any(|c| !matches!(c, '—' | '–' | '-')))
        };
        let guard = said(cell(self.guard)).map(|guard| guard.trim_matches(['[', ']']).to_owned());
        match (said(cell(self.condition)), guard) {
            (Some(event), Some(guard)) => format!("{event} [{guard}]"),
            (Some(event), None) => event,
            (None, guard) => guard.unwrap_or_default(),
        }
    }

    /// The cell with the next state, or a finding if the row has none. Missing cells are empty, as on GitHub.
    pub(super) fn next_cell<'r>(
        &self,
        row: &'r [Prose],
        table: &MarkdownTable,
        found: &mut Diagnostics,
    ) -> Option<&'r Prose> {
        let next = row.get(self.next?)?;
        if next.trimmed().is_empty() {
            return Diagnostic::error(Code::BadTransition, "missing state in a row")
                .at(span_of(row).unwrap_or(table.span), "incomplete")
                .help("write `| condition | state |`; use `—` for no target state")
                .refuse(found);
        }
        Some(next)
    }

    /// The transition of a row. Returns `None`, with a finding for an empty cell, if it has no target.
    pub(super) fn row(
        &self,
        row: &[Prose],
        table: &MarkdownTable,
        found: &mut Diagnostics,
    ) -> Option<MoveText> {
        let next = self.next_cell(row, table, found)?;
        // In backticks, a word is a name.
        let is_name = !next.codes.is_empty() && next.text.contains(char::is_alphanumeric);
        if !is_name && NO_TARGET.contains(&next.trimmed()) {
            return None;
        }
        let condition = self.condition(row).into();
        Some(MoveText {
            condition,
            targets: targets(next, Written::Bare),
            events: Vec::new(),
        })
    }
}

/// The first column with this content, according to the header.
fn place(table: &MarkdownTable, wanted: Column) -> Option<usize> {
    let mut header = table.header.iter();
    header.position(|cell| column(cell.trimmed()) == Some(wanted))
}

/// The range from the first to the last cell of a row.
pub(super) fn span_of(row: &[Prose]) -> Option<Span> {
    row.iter().map(|cell| cell.span).reduce(Span::to)
}

/// The transitions of a list: items with a name in backticks, with an arrow, or with the name of a state.
pub(super) fn of_list(list: &MarkdownList, moves: &mut Vec<MoveText>) {
    for item in &list.items {
        moves.extend(move_of_line(&item.prose, true));
        for block in &item.blocks {
            if let Block::MarkdownList(inner) = block {
                of_list(inner, moves);
            }
        }
    }
}

/// The transition in a list item or in a line of a paragraph. Without an arrow, only a list item names a target.
pub(super) fn move_of_line(prose: &Prose, is_item: bool) -> Option<MoveText> {
    let text = line(prose);
    let arrow = ARROWS
        .iter()
        .find_map(|arrow| Some((text.rfind(arrow)?, arrow.len())));
    let quoted = targets(prose, Written::Remark);
    if let Some((at, length)) = arrow {
        let left = text.get(..at)?;
        let right = text.get(at + length..)?;
        // The target follows the arrow. Other names can precede it, as in "after `a`".
        let mut after = quoted_from(at, &text, prose);
        if after.is_empty() {
            // Several words in a paragraph are probably a remark.
            let is_name = is_item || !right.trim().contains(' ');
            let written = if is_name {
                Written::Bare
            } else {
                Written::Remark
            };
            after = bare(right, prose.span, written);
        }
        let targets = if after.is_empty() { quoted } else { after };
        return (!targets.is_empty()).then(|| MoveText {
            condition: tidy(left).into(),
            targets,
            events: Vec::new(),
        });
    }
    let first = quoted.first().filter(|_| is_item)?;
    let condition = if first.written == Written::Quoted {
        other_side(&text, &first.name.text)
    } else {
        text
    };
    Some(MoveText {
        condition: condition.into(),
        targets: quoted,
        events: Vec::new(),
    })
}

/// The names in backticks that start at or after this offset in the line.
fn quoted_from(at: usize, line: &str, prose: &Prose) -> Vec<TargetText> {
    let mut cursor = 0;
    let mut found = Vec::new();
    for code in &prose.codes {
        let place = line
            .get(cursor..)
            .and_then(|rest| rest.find(code.text.trim()));
        cursor = place.map_or(cursor, |place| cursor + place);
        if cursor >= at {
            found.extend(quoted(code));
        }
        cursor += if place.is_some() {
            code.text.trim().len()
        } else {
            0
        };
    }
    found
}

/// The text on the other side of the colon or dash next to the name. If the name is part of a sentence, the complete
/// text.
fn other_side(text: &str, name: &str) -> String {
    const MARKS: [char; 4] = [':', '—', '–', '-'];
    if let Some(rest) = text.strip_prefix(name) {
        return tidy(rest).to_owned();
    }
    let before = text.strip_suffix(name).map(str::trim_end);
    match before.filter(|before| before.ends_with(MARKS)) {
        Some(before) => tidy(before).to_owned(),
        None => text.to_owned(),
    }
}

fn tidy(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '—' | '–' | '-' | ',' | ';'))
}

/// The targets in a text: the names in backticks, otherwise the words.
pub(super) fn targets(prose: &Prose, written: Written) -> Vec<TargetText> {
    if prose.codes.is_empty() {
        return bare(&prose.text, prose.span, written);
    }
    prose.codes.iter().filter_map(quoted).collect()
}

fn quoted(code: &Quoted) -> Option<TargetText> {
    let name = NamedText::new(clean(&code.text), code.span);
    (!name.text.is_empty()).then_some(TargetText {
        name,
        written: Written::Quoted,
    })
}

fn bare(text: &str, span: Span, written: Written) -> Vec<TargetText> {
    let mut text = text.to_owned();
    for arrow in ARROWS {
        text = text.replace(arrow, "\n");
    }
    for word in [" или ", " либо ", " or "] {
        text = text.replace(word, "\n");
    }
    text.split(['\n', ',', ';', '/', '|'])
        .map(clean)
        .filter(|name| !name.is_empty())
        .map(|name| TargetText {
            name: NamedText::new(name, span),
            written,
        })
        .collect()
}
