//! Collects the transitions of a document: from tables, otherwise from sections of states, otherwise from arrows,
//! otherwise from a diagram.

use rustc_hash::{FxHashMap, FxHashSet};

use super::arrows;
use super::diagram::Diagram;
use super::ends::SaidEnds;
use super::matrix::{Matrix, MatrixReading};
use super::names::{Named, StateName, TransitionEnd, of_prose, of_text};
use super::outline::{Outline, Piece, PieceKind, TextLine, Title};
use super::row::{Row, events};
use crate::dialect::markdown::draft::SetShape;
use crate::dialect::markdown::moves::{Columns, span_of};
use crate::dialect::markdown::plain::{fold, line};
use crate::dialect::markdown::state_file::{looks_like_state, no_targets};
use crate::limits::{MAX_CODES_IN_LINE, MAX_COMPARED_TABLES};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{DocumentReading, Markdown, MarkdownTable, Prose, ReadingKind};
use fsmsim_syntax::terminal::Joined;

/// The maximum number of tables that a finding points to.
const MAX_TABLES: usize = 4;

/// The help for a table without a source state.
const NAME_THE_STATE: &str =
    "add a column `State`, or add the state name to the heading above the table";

/// The transitions of a document.
#[derive(Default)]
pub(super) struct Gathered<'m> {
    /// The transitions of the machine.
    pub rows: Vec<Row>,
    /// Transitions in other places of the document, which are only compared with `rows`.
    pub beside: Vec<Row>,
    /// The names in tables of states.
    pub listed: Vec<StateName>,
    /// The initial and final states in tables of states.
    pub said: SaidEnds,
    pub diagrams: Vec<Diagram>,
    /// The extracted elements.
    pub reading: DocumentReading,
    /// The tables without transitions.
    left: Vec<&'m MarkdownTable>,
}

/// A table or a line with transitions, and the title that names their source state.
type Owned<'o, 'm> = (&'o Title, &'o Piece<'m>);

impl<'m> Gathered<'m> {
    /// Searches a document. `text` is the complete file.
    pub(super) fn of(outline: &Outline<'m>, text: &str, found: &mut Diagnostics) -> Self {
        let mut gathered = Self::default();
        let mut full = Vec::new();
        let mut lists = Vec::new();
        let mut matrices = Vec::new();
        let mut owned: Vec<Owned<'_, 'm>> = Vec::new();
        let mut arrows: Vec<(&Piece<'m>, &TextLine)> = Vec::new();
        for piece in &outline.pieces {
            match &piece.kind {
                PieceKind::Table(table) if gathered.take_matrix(table, found) => {
                    matrices.push(*table);
                }
                PieceKind::Table(table) => {
                    let columns = Columns::of(table);
                    match (columns.state, columns.next, outline.owner(piece)) {
                        (Some(_), Some(_), _) => full.push((*table, columns)),
                        (None, Some(_), Some(title)) => owned.push((title, piece)),
                        (Some(_), None, _) => lists.push((*table, columns)),
                        _ => gathered.left.push(table),
                    }
                }
                PieceKind::Line(line) => arrows.push((piece, line)),
                PieceKind::Code(code) => gathered.diagrams.extend(Diagram::read(code, text, found)),
            }
        }
        for (table, columns) in &full {
            gathered.take_table(table, columns, None, found);
            gathered.record_source(format!("the table `{}`", header(table)), header_of(table));
        }
        let mut tables: Vec<&MarkdownTable> = full
            .into_iter()
            .map(|(table, _)| table)
            .chain(matrices)
            .collect();
        if tables.is_empty() && owned.is_empty() {
            gathered.take_branches(&mut tables);
        }
        gathered.report_unrelated(&tables, found);
        gathered.take_sections(outline, owned, &arrows, tables.is_empty(), found);
        gathered.take_arrows(outline, &arrows);
        gathered.take_diagrams(found);
        gathered.take_lists(lists, found);
        gathered.report_left(found);
        gathered
    }

    /// Records a part of the document as a source of transitions.
    fn record_source(&mut self, what: impl Into<String>, span: Span) {
        self.reading.add(ReadingKind::Source, what, "", span);
    }

    /// Adds the transitions of a table of states and events. Returns whether the table has this form.
    fn take_matrix(&mut self, table: &MarkdownTable, found: &mut Diagnostics) -> bool {
        match Matrix::of(table) {
            MatrixReading::Matrix(Matrix { rows, listed }) => {
                self.rows.extend(rows);
                self.listed.extend(listed);
                let what = format!("the table of states and events `{}`", header(table));
                self.record_source(what, header_of(table));
                true
            }
            MatrixReading::Almost(cell) => {
                Diagnostic::warning(Code::NotTaken, "table of states and events is ignored")
                    .at(cell.span, "not in the first column")
                    .help(
                        "add one row per state, leave cells without a transition empty, and move remarks out of the table",
                    )
                    .add_to(found);
                false
            }
            MatrixReading::Other => false,
        }
    }

    /// Adds the transitions in tables of branches, and moves these tables to `tables`.
    fn take_branches(&mut self, tables: &mut Vec<&'m MarkdownTable>) {
        for table in std::mem::take(&mut self.left) {
            let rows = branches(table);
            if rows.is_empty() {
                self.left.push(table);
                continue;
            }
            self.rows.extend(rows);
            let what = format!("the table of branches `{}`", header(table));
            self.record_source(what, header_of(table));
            tables.push(table);
        }
    }

    /// Adds the rows of a table. `from` is the source state if the table belongs to a single state.
    fn take_table(
        &mut self,
        table: &MarkdownTable,
        columns: &Columns,
        from: Option<&Named>,
        found: &mut Diagnostics,
    ) {
        let mut above = from.cloned();
        for row in &table.rows {
            let whole = span_of(row).unwrap_or(table.span);
            if let Some(cell) = columns.state.and_then(|at| row.get(at)) {
                // An empty cell repeats the cell above.
                match of_prose(cell, TransitionEnd::From) {
                    Named::Nothing if cell.trimmed().is_empty() && above.is_some() => {}
                    Named::Nothing | Named::Same | Named::Before => {
                        Diagnostic::error(Code::BadTransition, "missing source state in a row")
                            .at(whole, "no source state")
                            .help("add the name of the state")
                            .add_to(found);
                        continue;
                    }
                    named => above = Some(named),
                }
            }
            let Some(from) = above.clone() else { continue };
            let Some(next) = columns.next_cell(row, table, found) else {
                continue;
            };
            let condition = columns.condition(row);
            let cell = columns.condition.and_then(|at| row.get(at));
            let event = cell.map(line).unwrap_or_default();
            let codes = cell
                .into_iter()
                .flat_map(|cell| &cell.codes)
                .map(|code| &*code.text);
            let events = events(&condition, &event, codes);
            self.rows.push(Row {
                from,
                to: of_prose(next, TransitionEnd::To),
                condition,
                events,
                span: next.span,
                whole,
            });
        }
        let help = "use only the columns `State`, `Condition` and `Next state` for transitions";
        columns.report_others(table, help, found);
    }

    /// Reports tables that share no state with the others, because they might describe different machines.
    fn report_unrelated(&self, full: &[&MarkdownTable], found: &mut Diagnostics) {
        if full.len() < 2 || full.len() > MAX_COMPARED_TABLES {
            return;
        }
        let states = |table: &&MarkdownTable| -> FxHashSet<String> {
            self.rows
                .iter()
                .filter(|row| table.span.contains(row.whole))
                .flat_map(Row::names)
                .collect()
        };
        let all: Vec<FxHashSet<String>> = full.iter().map(states).collect();
        let is_unrelated = all.iter().enumerate().any(|(at, one)| {
            all.iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .all(|(_, other)| one.is_disjoint(other))
        });
        if is_unrelated {
            let headers: Vec<Span> = full.iter().map(|table| header_of(table)).collect();
            found.push(taken_together("tables", &headers, MAX_TABLES));
        }
    }

    /// Adds the transitions in sections of states. A title names a state if it is marked as one, is the target of a
    /// transition, or has a sibling that names one.
    ///
    /// Most documents have titles that are not states, so the names in transitions decide. Let `Idle` and `Busy` be
    /// titles of one level, with `start → Busy` below the first and `stop → Off` below the second. The first transition
    /// makes `Busy` a state. `Idle` is a state, too, because it has transitions and is a sibling of `Busy`.
    fn take_sections<'o>(
        &mut self,
        outline: &'o Outline<'m>,
        mut owned: Vec<Owned<'o, 'm>>,
        lines: &[(&'o Piece<'m>, &'o TextLine)],
        with_lines: bool,
        found: &mut Diagnostics,
    ) {
        let drawn = self
            .diagrams
            .iter()
            .flat_map(|diagram| &diagram.rows)
            .flat_map(|row| row.from.names())
            .map(StateName::folded);
        let mut known: FxHashSet<String> =
            self.rows.iter().flat_map(Row::names).chain(drawn).collect();
        for (_, piece) in &owned {
            let PieceKind::Table(table) = &piece.kind else {
                continue;
            };
            let next = Columns::of(table).next;
            for cell in table.rows.iter().filter_map(|row| row.get(next?)) {
                let to = of_prose(cell, TransitionEnd::To);
                known.extend(to.names().iter().map(StateName::folded));
            }
        }
        if with_lines {
            for (piece, line) in lines {
                let Some(title) = outline.owner(piece) else {
                    continue;
                };
                let rows = moves_of_line(outline, piece, line, title);
                if !rows.is_empty() {
                    let led_to = rows.iter().flat_map(|row| row.to.names());
                    known.extend(led_to.map(StateName::folded));
                    owned.push((title, piece));
                }
            }
        }
        let is_certain = |title: &Title| {
            title.names_state || title.names.iter().any(|name| known.contains(&fold(name)))
        };
        let certain: Vec<&Title> = owned
            .iter()
            .map(|(title, _)| *title)
            .filter(|title| is_certain(title))
            .collect();
        let sibling_places: FxHashSet<_> = certain.iter().map(|title| title.place()).collect();
        let states: FxHashSet<String> = certain
            .iter()
            .flat_map(|title| &title.names)
            .map(|name| fold(name))
            .collect();
        let first = self.rows.len();
        owned.sort_by_key(|(_, piece)| match &piece.kind {
            PieceKind::Table(table) => table.span,
            PieceKind::Line(line) => line.span,
            PieceKind::Code(code) => code.span,
        });
        let mut owners: FxHashMap<usize, &Title> = FxHashMap::default();
        for (title, piece) in owned {
            if !is_certain(title) && !sibling_places.contains(&title.place()) {
                if let PieceKind::Table(table) = piece.kind {
                    self.left.push(table);
                }
                continue;
            }
            let Some(from) = owner(title, &known) else {
                continue;
            };
            let before = self.rows.len();
            match &piece.kind {
                PieceKind::Table(table) => {
                    self.take_table(table, &Columns::of(table), Some(&from), found);
                }
                PieceKind::Line(line) => {
                    // An arrow between two states names its own source state.
                    let is_known = |name: String| states.contains(&name) || known.contains(&name);
                    let is_between = arrows::rows(line, None)
                        .iter()
                        .flat_map(|row| row.from.names())
                        .any(|name| is_known(name.folded()));
                    if !is_between {
                        let rows = moves_of_line(outline, piece, line, title).into_iter();
                        self.rows.extend(rows.map(|row| Row {
                            from: from.clone(),
                            ..row
                        }));
                    }
                }
                PieceKind::Code(_) => {}
            }
            if self.rows.len() > before && owners.insert(title.number, title).is_none() {
                let what = format!("the section of the state `{}`", title.text);
                self.record_source(what, title.span);
            }
        }
        // A document with a single section is a state file.
        if first == 0 && owners.len() == 1 {
            let is_alone = self
                .rows
                .iter()
                .all(|row| matches!(&row.from, Named::States(_)));
            if is_alone && owners.values().all(|title| title.names_state) {
                self.rows.clear();
            }
        }
    }

    /// Adds the transitions in lines with arrows: those below a title for transitions, otherwise groups of connected
    /// arrows.
    fn take_arrows(&mut self, outline: &Outline<'m>, lines: &[(&Piece<'m>, &TextLine)]) {
        let mut below = Vec::new();
        let mut groups: Vec<(Option<usize>, Vec<Row>)> = Vec::new();
        for (piece, line) in lines {
            let rows = arrows::rows(line, None);
            if outline.is_transitions(piece) {
                below.extend(rows);
            } else if let Some((_, group)) =
                groups.last_mut().filter(|(title, _)| *title == piece.title)
            {
                group.extend(rows);
            } else {
                groups.push((piece.title, rows));
            }
        }
        let (connected, unconnected): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(_, rows)| is_connected(rows));
        let rows_of = |groups: Vec<(_, Vec<Row>)>| {
            groups
                .into_iter()
                .flat_map(|(_, rows)| rows)
                .collect::<Vec<Row>>()
        };
        let mut free = rows_of(connected);
        let unconnected = rows_of(unconnected);
        let taken = match (self.rows.is_empty(), below.is_empty()) {
            (true, false) => std::mem::take(&mut below),
            (true, true) if self.diagrams.iter().all(|diagram| diagram.rows.is_empty()) => {
                std::mem::take(&mut free)
            }
            _ => Vec::new(),
        };
        if let Some(first) = taken.first() {
            self.record_source("lines with arrows", first.whole);
        }
        self.rows.extend(taken);
        self.beside
            .extend(below.into_iter().chain(free).chain(unconnected));
    }

    /// Adds the transitions of the diagrams, if the document has no other transitions.
    fn take_diagrams(&mut self, found: &mut Diagnostics) {
        let drawn: Vec<Span> = self
            .diagrams
            .iter()
            .filter_map(|diagram| diagram.span)
            .collect();
        let rows = self
            .diagrams
            .iter_mut()
            .flat_map(|diagram| std::mem::take(&mut diagram.rows));
        let reason = if self.rows.is_empty() {
            self.rows.extend(rows);
            if drawn.len() > 1 {
                found.push(taken_together("diagrams", &drawn, 2));
            }
            ""
        } else {
            self.beside.extend(rows);
            "only initial and final states"
        };
        for span in drawn {
            self.reading
                .add(ReadingKind::Source, "a diagram", reason, span);
        }
    }

    /// Adds the tables of states. At least half of the names in a table must occur in transitions.
    fn take_lists(&mut self, lists: Vec<(&'m MarkdownTable, Columns)>, found: &mut Diagnostics) {
        let known: FxHashSet<String> = self.rows.iter().flat_map(Row::names).collect();
        for (table, columns) in lists {
            let (listed, said) = SaidEnds::of_list(table, &columns);
            let known_count = listed
                .iter()
                .map(StateName::folded)
                .filter(|name| known.contains(name))
                .count();
            if known_count > 0 && known_count * 2 >= listed.len() {
                self.listed.extend(listed);
                self.said.extend(&said);
                continue;
            }
            if let Some(first) = self.rows.first() {
                Diagnostic::warning(
                    Code::NotTaken,
                    "table is ignored: no column for the next state",
                )
                .at(header_of(table), "ignored")
                .at(first.whole, "source of transitions")
                .help("if the table has transitions, name its columns `State`, `Condition` and `Next state`")
                .add_to(found);
            }
            self.left.push(table);
        }
    }

    /// Reports the tables without transitions.
    fn report_left(&mut self, found: &mut Diagnostics) {
        for table in &self.left {
            let columns = Columns::of(table);
            let reason = match (columns.state, columns.next) {
                (Some(_), _) => "no column for the next state",
                (None, Some(_)) => {
                    "no column for the source state, and no state in the heading above"
                }
                (None, None) => "no columns for states",
            };
            let what = format!("the table `{}`", header(table));
            self.reading
                .add(ReadingKind::Left, what, reason, header_of(table));
            if columns.state.is_none() && columns.next.is_some() && !self.rows.is_empty() {
                Diagnostic::warning(
                    Code::NotTaken,
                    "table is ignored: no column for the source state",
                )
                .at(header_of(table), "ignored")
                .help(NAME_THE_STATE)
                .add_to(found);
            }
        }
    }

    /// The finding about a document without transitions.
    pub(super) fn refusal(&self, markdown: &Markdown, start: Span) -> Diagnostic {
        if looks_like_state(markdown) {
            return Diagnostic::error(Code::UnknownModel, "expected a model, found one state")
                .at(start, "")
                .help("use the directory that contains the states");
        }
        match self.left.first() {
            Some(table) if Columns::of(table).next.is_some() => {
                Diagnostic::error(Code::BadTransition, "missing column for the source state in the table")
                    .at(header_of(table), "no source state")
                    .help(NAME_THE_STATE)
            }
            Some(table) => {
                let rest = self.left.iter().skip(1).take(MAX_TABLES);
                no_targets(header_of(table), SetShape::Document)
                    .at_each(rest.map(|table| header_of(table)), "no next state")
            }
            None => Diagnostic::error(Code::UnknownModel, "document has no transitions").at(start, "").help(
                "add a table with the columns `State`, `Condition` and `Next state`, a list of `A → B: condition` below \
                 `## Transitions`, or a state diagram in mermaid (`stateDiagram-v2`) or PlantUML",
            ),
        }
    }
}

/// Whether the lines below a title describe one machine. Each line must share a state with another line, and some state
/// must be both a source and a target. Documents also use arrows for other purposes.
///
/// `A → B` and `B → C` are connected. `name → string` and `age → number` are not. Neither are `red → color` and
/// `blue → color`, because no state is both a source and a target.
fn is_connected(rows: &[Row]) -> bool {
    let mut lines: FxHashMap<String, FxHashSet<Span>> = FxHashMap::default();
    for row in rows {
        for name in row.names() {
            lines.entry(name).or_default().insert(row.whole);
        }
    }
    let is_shared = |name: &String| lines.get(name).is_some_and(|lines| lines.len() > 1);
    let left: FxHashSet<String> = rows
        .iter()
        .flat_map(|row| row.from.names())
        .map(StateName::folded)
        .collect();
    let mut led_to = rows.iter().flat_map(|row| row.to.names());
    rows.iter()
        .all(|row| row.names().any(|name| is_shared(&name)))
        && led_to.any(|name| left.contains(&name.folded()) && is_shared(&name.folded()))
}

/// The transitions in a table with a name and a chain of states such as `a → b → c` in each row. The name is the
/// condition of the first transition.
fn branches(table: &MarkdownTable) -> Vec<Row> {
    let chains = |at: usize| {
        let mut rows = Vec::new();
        for cells in &table.rows {
            let cell = cells.get(at)?;
            let chain = TextLine {
                text: line(cell),
                codes: cell.codes.iter().take(MAX_CODES_IN_LINE).cloned().collect(),
                span: cell.span,
            };
            let mut chain = arrows::rows(&chain, None);
            if chain.len() < 2 {
                return None;
            }
            let name = cells
                .get(usize::from(at == 0))
                .map(line)
                .unwrap_or_default();
            if let Some(first) = chain.first_mut().filter(|first| first.condition.is_empty()) {
                first.events = events(&name, &name, std::iter::empty());
                first.condition = name;
            }
            rows.extend(chain);
        }
        Some(rows)
    };
    (0..table.header.len()).find_map(chains).unwrap_or_default()
}

/// The transitions in a line below the title of a state: an arrow, or names in backticks below "Transitions".
fn moves_of_line(
    outline: &Outline<'_>,
    piece: &Piece<'_>,
    line: &TextLine,
    title: &Title,
) -> Vec<Row> {
    let from = Named::States(Vec::new());
    let rows = arrows::rows(line, Some(&from));
    if !rows.is_empty() || !title.names_state || !outline.is_transitions(piece) {
        return rows;
    }
    let names: Vec<StateName> = line
        .codes
        .iter()
        .flat_map(|code| {
            let to = of_text(&code.text, code.span, TransitionEnd::To);
            to.names().to_vec()
        })
        .collect();
    if names.is_empty() {
        return rows;
    }
    let mut condition = line.text.clone();
    for name in &names {
        condition = condition.replace(&*name.text, "");
    }
    let condition = condition.trim_matches(|c: char| !c.is_alphanumeric());
    vec![Row {
        from,
        to: Named::States(names),
        condition: condition.to_owned(),
        events: events(condition, condition, std::iter::empty()),
        span: line.span,
        whole: line.span,
    }]
}

/// The state that a title names: a name that occurs in transitions, otherwise the most likely name.
fn owner(title: &Title, known: &FxHashSet<String>) -> Option<Named> {
    let name = title
        .names
        .iter()
        .find(|name| known.contains(&fold(name)))
        .or_else(|| title.names.first())?;
    let marked = of_text(&title.text, title.span, TransitionEnd::From);
    let marked = marked.names().first();
    Some(Named::States(vec![StateName {
        initial: marked.is_some_and(|name| name.initial),
        is_final: marked.is_some_and(|name| name.is_final),
        ..StateName::new(name, title.span)
    }]))
}

/// The finding about tables or diagrams that are combined, although they might describe different machines.
fn taken_together(what: &str, places: &[Span], shown: usize) -> Diagnostic {
    Diagnostic::warning(
        Code::NotTaken,
        format!("transitions of {} {what} are merged", places.len()),
    )
    .at_each(places.iter().copied().take(shown), "merged")
    .help("if they describe different machines, split the document")
}

fn header_of(table: &MarkdownTable) -> Span {
    span_of(&table.header).unwrap_or(table.span)
}

fn header(table: &MarkdownTable) -> String {
    table.header.iter().map(Prose::trimmed).joined(" | ")
}
