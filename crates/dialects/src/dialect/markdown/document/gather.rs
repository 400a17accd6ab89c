//! Collects the transitions of a document: from tables, otherwise from sections of states, otherwise from arrows,
//! otherwise from a diagram. A diagram with more connected transitions replaces the others.

use rustc_hash::{FxHashMap, FxHashSet};

use super::arrow_groups::{branches, connected, is_connected};
use super::arrows;
use super::columns::{by_content, is_named};
use super::diagram::Diagram;
use super::ends::SaidEnds;
use super::matrix::{Matrix, MatrixReading};
use super::names::{Named, StateName, TransitionEnd, of_prose, of_text};
use super::outline::{Outline, Piece, PieceKind, TextLine, Title, language};
use super::row::{Row, events};
use crate::dialect::markdown::draft::SetShape;
use crate::dialect::markdown::moves::{Columns, span_of};
use crate::dialect::markdown::plain::{fold, line};
use crate::dialect::markdown::state_file::{looks_like_state, no_targets};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{DocumentReading, Markdown, MarkdownTable, Prose, ReadingKind};
use fsmsim_syntax::terminal::Joined;

/// The maximum number of tables that a finding points to.
const MAX_TABLES: usize = 4;

/// The help for a table without a source state.
const NAME_THE_STATE: &str =
    "add a column `State`, or add the state name to the heading above the table";

/// The reason why other transitions are ignored.
const OTHER_SOURCE: &str = "another part has the transitions";

/// The transitions of a document.
#[derive(Default)]
pub(super) struct Gathered<'m> {
    /// The transitions of the machine.
    pub rows: Vec<Row>,
    /// Transitions in other tables, diagrams and sections, which are not used.
    pub untaken: Vec<Row>,
    /// Lines with arrows that might be transitions. They are only compared with `rows`.
    pub beside: Vec<Row>,
    /// The names in tables of states.
    pub listed: Vec<StateName>,
    /// Whether a table lists the states of the document.
    pub declares: bool,
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
        let mut tables = Vec::new();
        let mut arrows: Vec<(&Piece<'m>, &TextLine)> = Vec::new();
        for piece in &outline.pieces {
            if outline.is_excluded(piece) {
                gathered.leave(
                    "a part of a section",
                    "excluded by its heading",
                    piece.span(),
                );
                continue;
            }
            match &piece.kind {
                PieceKind::Table(table) => tables.push((piece, *table)),
                PieceKind::Line(line) | PieceKind::Fenced(line) => arrows.push((piece, line)),
                PieceKind::Code(code) => gathered.take_code(code, text, found),
            }
        }
        let (owned, lists) = gathered.take_tables(outline, tables, found);
        let in_tables = !gathered.rows.is_empty();
        gathered.take_sections(outline, owned, &arrows, !in_tables, found);
        gathered.take_arrows(outline, &arrows);
        gathered.take_diagrams(in_tables, found);
        gathered.take_lists(lists, found);
        gathered.report_left(found);
        gathered
    }

    /// Reads a diagram. Other diagrams are ignored.
    fn take_code(&mut self, code: &Prose, text: &str, found: &mut Diagnostics) {
        if let Some(diagram) = Diagram::read(code, text, found) {
            return self.diagrams.push(diagram);
        }
        let language = language(code, text);
        if matches!(language, Some("mermaid" | "plantuml" | "puml")) {
            self.leave("a code block", "not a state diagram", code.span);
        }
    }

    /// Adds the transitions in tables. Returns the tables whose source state is in a heading, and the tables of states.
    fn take_tables<'o>(
        &mut self,
        outline: &'o Outline<'m>,
        tables: Vec<(&'o Piece<'m>, &'m MarkdownTable)>,
        found: &mut Diagnostics,
    ) -> (Vec<Owned<'o, 'm>>, Vec<(&'m MarkdownTable, Columns)>) {
        let drawn = self.diagrams.iter().flat_map(|diagram| &diagram.rows);
        let drawn: FxHashSet<String> = drawn.flat_map(Row::names).collect();
        let (mut full, mut unsure) = (Vec::new(), Vec::new());
        let (mut owned, mut lists, mut chains) = (Vec::new(), Vec::new(), Vec::new());
        for (piece, table) in tables {
            let columns = Columns::of(table);
            if self.take_matrix(table, found) {
                continue;
            }
            if is_named(table, &columns) {
                full.push((table, columns));
            } else {
                unsure.push((piece, table, columns));
            }
        }
        // If the header does not decide, the contents do, unless a header of another table decides.
        let is_only = full.is_empty() && self.rows.is_empty();
        for (piece, table, columns) in unsure {
            let heading = outline.owner(piece);
            let is_complete = columns.state.is_some() && columns.next.is_some();
            let is_open = is_only && heading.is_none_or(|title| !title.names_state);
            let by_content = (is_complete || is_open).then(|| by_content(table, &drawn));
            let columns = by_content.flatten().unwrap_or(columns);
            let branches = if is_open { branches(table) } else { Vec::new() };
            match (columns.state, columns.next, heading) {
                (Some(_), Some(_), _) => full.push((table, columns)),
                (None, ..) if !branches.is_empty() => chains.push((table, branches)),
                (None, Some(_), Some(title)) => owned.push((title, piece)),
                (Some(_), None, _) => lists.push((table, columns)),
                _ => self.left.push(table),
            }
        }
        for (table, columns) in &full {
            self.take_table(table, columns, None, found);
            self.record_source(format!("the table `{}`", header(table)), header_of(table));
        }
        let is_only = self.rows.is_empty() && owned.is_empty();
        for (table, rows) in chains {
            if is_only {
                self.rows.extend(rows);
                let what = format!("the table of branches `{}`", header(table));
                self.record_source(what, header_of(table));
            } else {
                self.left.push(table);
            }
        }
        (owned, lists)
    }

    /// Records a part of the document that is ignored.
    fn leave(&mut self, what: impl Into<String>, why: &str, span: Span) {
        self.reading.add(ReadingKind::Left, what, why, span);
    }

    /// Records a part of the document as a source of transitions.
    fn record_source(&mut self, what: impl Into<String>, span: Span) {
        self.reading.add(ReadingKind::Source, what, "", span);
    }

    /// Adds the transitions of a table of states and events. Returns whether the table has this form.
    fn take_matrix(&mut self, table: &MarkdownTable, found: &mut Diagnostics) -> bool {
        match Matrix::of(table) {
            MatrixReading::Matrix(Matrix { rows, listed }) => {
                self.declares = true;
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
            let condition = columns.condition(row);
            let next = columns.next.and_then(|at| row.get(at));
            let names_only_source = condition.is_empty() && !from.names().is_empty();
            if names_only_source && next.is_some_and(|cell| cell.trimmed().is_empty()) {
                self.listed.extend_from_slice(from.names());
                continue;
            }
            let Some(next) = columns.next_cell(row, table, found) else {
                continue;
            };
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
            let is_prose = |piece: &Piece<'_>| matches!(piece.kind, PieceKind::Line(_));
            for (piece, line) in lines.iter().filter(|line| is_prose(line.0)) {
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
        owned.sort_by_key(|(_, piece)| piece.span());
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
                PieceKind::Fenced(_) | PieceKind::Code(_) => {}
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
    /// arrows, if they have more than twice as many as the diagrams.
    fn take_arrows(&mut self, outline: &Outline<'m>, lines: &[(&Piece<'m>, &TextLine)]) {
        type Key = (Option<usize>, bool);
        let mut groups: Vec<(Key, Vec<Row>)> = Vec::new();
        for (piece, line) in lines {
            let rows = arrows::rows(line, None);
            let key = (piece.title, outline.is_transitions(piece));
            match groups.last_mut() {
                Some((last, group)) if *last == key => group.extend(rows),
                _ => groups.push((key, rows)),
            }
        }
        groups.retain(|(_, rows)| !rows.is_empty());
        let drawn: usize = self
            .diagrams
            .iter()
            .map(|diagram| connected(&diagram.rows))
            .sum();
        let has_below = groups.iter().any(|((_, is_below), _)| *is_below);
        let is_open = self.rows.is_empty();
        let used: FxHashSet<Span> = self.rows.iter().map(|row| row.whole).collect();
        for ((_, is_below), rows) in groups {
            let is_connected = is_connected(&rows);
            let Some(first) = rows.iter().find(|row| !used.contains(&row.whole)) else {
                self.beside.extend(rows);
                continue;
            };
            let is_source = if has_below {
                is_below
            } else {
                is_connected && connected(&rows) > 2 * drawn
            };
            if is_open && is_source {
                if self.rows.is_empty() {
                    self.record_source("lines with arrows", first.whole);
                }
                self.rows.extend(rows);
                continue;
            }
            let why = if is_below || is_connected {
                OTHER_SOURCE
            } else {
                "not connected with other lines"
            };
            self.leave("lines with arrows", why, first.whole);
            if is_below {
                self.untaken.extend(rows);
            } else {
                self.beside.extend(rows);
            }
        }
    }

    /// Adds the transitions of the diagrams, if the document has no other transitions or fewer connected ones. A table
    /// also has conditions, so diagrams replace tables only if they have more than twice as many transitions.
    fn take_diagrams(&mut self, in_tables: bool, found: &mut Diagnostics) {
        let drawn: Vec<Span> = self
            .diagrams
            .iter()
            .filter_map(|diagram| diagram.span)
            .collect();
        let rows: Vec<Row> = self
            .diagrams
            .iter_mut()
            .flat_map(|diagram| std::mem::take(&mut diagram.rows))
            .collect();
        let others = if in_tables {
            2 * self.rows.len()
        } else {
            connected(&self.rows)
        };
        let reason = if self.rows.is_empty() || connected(&rows) > others {
            self.untaken
                .append(&mut std::mem::replace(&mut self.rows, rows));
            for item in &mut self.reading.items {
                if item.kind == ReadingKind::Source {
                    item.kind = ReadingKind::Left;
                    OTHER_SOURCE.clone_into(&mut item.why);
                }
            }
            if drawn.len() > 1 {
                found.push(taken_together("diagrams", &drawn, 2));
            }
            ""
        } else {
            self.untaken.extend(rows);
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
                self.declares = true;
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
        // Tables are the cause only if no other part has arrows.
        let left = self.reading.of(ReadingKind::Left);
        match self.left.first() {
            Some(table) if Columns::of(table).next.is_some() => Diagnostic::error(
                Code::BadTransition,
                "missing column for the source state in the table",
            )
            .at(header_of(table), "no source state")
            .help(NAME_THE_STATE),
            Some(table) if left.len() == self.left.len() => {
                let rest = self.left.iter().skip(1).take(MAX_TABLES);
                no_targets(header_of(table), SetShape::Document)
                    .at_each(rest.map(|table| header_of(table)), "no next state")
            }
            _ => {
                let none = Diagnostic::error(Code::UnknownModel, "document has no transitions");
                let none = if left.is_empty() {
                    none.at(start, "")
                } else {
                    none
                };
                let left = left.iter().take(MAX_TABLES);
                left.fold(none, |finding, item| finding.at(item.span, &*item.why)).help(
                    "add a table with the columns `State`, `Condition` and `Next state`, a list of `A → B: condition` below \
                     `## Transitions`, or a state diagram in mermaid (`stateDiagram-v2`) or PlantUML",
                )
            }
        }
    }
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
    .help("if they describe different machines, use a section as the model: `FILE.md#HEADING`")
}

fn header_of(table: &MarkdownTable) -> Span {
    span_of(&table.header).unwrap_or(table.span)
}

fn header(table: &MarkdownTable) -> String {
    table.header.iter().map(Prose::trimmed).joined(" | ")
}
