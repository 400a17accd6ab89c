//! One document with tables of transitions, as engineers write them.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::{Base, MoveText, NamedText, SetShape, StateDraft, StateSet, Written};
use super::folder::read_markdown;
use super::front;
use super::moves::{Columns, clean, span_of, targets};
use super::plain::line;
use super::state_file::{looks_like_state, no_targets};
use super::words::state_heading;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span, nearest};
use crate::document::{Block, Markdown, MarkdownTable, Prose, Section};

/// How many tables a finding points at.
const SHOWN: usize = 4;

/// Targets without rows that are held against the states for slips of the finger.
const COMPARED: usize = 200;

/// Reads the document. `None`, with findings, where it has no table of transitions.
pub(super) fn read(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<StateSet> {
    let (file, markdown, text) = read_markdown(path, sources, found)?;
    let mut all = Vec::new();
    for block in markdown.sections.iter().flat_map(|section| &section.blocks) {
        tables(block, &mut all);
    }
    let (taken, left): (Vec<&MarkdownTable>, Vec<&MarkdownTable>) = all.into_iter().partition(|table| {
        let columns = Columns::of(table);
        columns.state.is_some() && columns.next.is_some()
    });
    let Some(first) = taken.first() else {
        found.push(no_table(&markdown, &left, Span::start_of(file)));
        return None;
    };
    tell(&taken, &left, header_of(first), found);
    let mut states = StateRows::default();
    for table in &taken {
        states.take(table, &text, found);
    }
    states.add_ends();
    let (initial, ends) = match &markdown.front {
        Some(node) => front::of_document(node, found),
        None => (None, Vec::new()),
    };
    states.mark_final(&ends, found);
    states.take_texts(&markdown.sections, &text);
    let title = markdown.sections.iter().find_map(|section| section.heading.as_ref()).map(line);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = title.filter(|title| !title.is_empty()).unwrap_or(stem);
    let base = Base { initial, ..Base::default() };
    Some(StateSet { name, shape: SetShape::Document, base, states: states.drafts, contract: None })
}

fn tables<'m>(block: &'m Block, all: &mut Vec<&'m MarkdownTable>) {
    if let Block::MarkdownTable(table) = block {
        all.push(table);
    }
    block.inner().for_each(|block| tables(block, all));
}

fn header_of(table: &MarkdownTable) -> Span {
    span_of(&table.header).unwrap_or(table.span)
}

fn no_table(markdown: &Markdown, left: &[&MarkdownTable], start: Span) -> Diagnostic {
    if looks_like_state(markdown) {
        return Diagnostic::error(Code::UnknownModel, "this is one state, and a model has several")
            .at(start, "")
            .help("name the folder that holds the states");
    }
    match left.first() {
        Some(table) => {
            let finding = no_targets(header_of(table), SetShape::Document);
            let rest = left.iter().skip(1).take(SHOWN);
            rest.fold(finding, |finding, table| finding.at(header_of(table), "nor here"))
        }
        None => Diagnostic::error(Code::UnknownModel, "the document has no table")
            .at(start, "")
            .help("a document that is a model has a table with the columns `State`, `Condition` and `Next state`"),
    }
}

/// Tells what was taken and what was not.
fn tell(taken: &[&MarkdownTable], left: &[&MarkdownTable], first: Span, found: &mut Diagnostics) {
    if taken.len() > 1 {
        let title = format!("the transitions of {} tables are taken together", taken.len());
        let finding = taken
            .iter()
            .take(SHOWN)
            .fold(Diagnostic::warning(Code::NotTaken, title), |finding, table| finding.at(header_of(table), "taken"));
        found.push(finding.help("if they describe different machines, give each a document of its own"));
    }
    for table in left {
        let lacks = match (Columns::of(table).state, Columns::of(table).next) {
            (None, Some(_)) => "it has no column for the state that is left",
            (Some(_), None) => "it has no column for the next state",
            _ => "it has no columns for states",
        };
        Diagnostic::warning(Code::NotTaken, format!("a table is not taken: {lacks}"))
            .at(header_of(table), "only text")
            .at(first, "transitions are taken from here")
            .help("if it holds transitions, call its columns `State`, `Condition` and `Next state`")
            .add_to(found);
    }
    for table in taken {
        for cell in Columns::of(table).others(table) {
            Diagnostic::warning(Code::NotTaken, format!("the column `{}` is not taken", cell.trimmed()))
                .at(cell.span, "only text")
                .help("the state, the condition and the next state are taken")
                .add_to(found);
        }
    }
}

/// The states of the tables.
#[derive(Default)]
struct StateRows {
    drafts: Vec<StateDraft>,
    places: FxHashMap<Box<str>, usize>,
}

impl StateRows {
    fn take(&mut self, table: &MarkdownTable, text: &str, found: &mut Diagnostics) {
        let columns = Columns::of(table);
        let mut last: Vec<NamedText> = Vec::new();
        for row in &table.rows {
            let Some(cell) = columns.state.and_then(|at| row.get(at)) else { continue };
            let names = targets(cell, Written::Bare).into_iter().map(|target| target.name);
            let names: Vec<NamedText> = names.filter(|name| name.text.contains(char::is_alphanumeric)).collect();
            // A cell left empty says "as above".
            if !names.is_empty() {
                last = names;
            } else if !cell.trimmed().is_empty() || last.is_empty() {
                Diagnostic::error(Code::BadTransition, "the row does not say which state is left")
                    .at(span_of(row).unwrap_or(table.span), "this row")
                    .help("write the name of the state")
                    .add_to(found);
                continue;
            }
            let written = columns.row(row, table, found);
            for name in &last {
                self.add(name, written.clone(), row, text);
            }
        }
    }

    fn add(&mut self, name: &NamedText, written: Option<MoveText>, row: &[Prose], text: &str) {
        let next = self.drafts.len();
        let place = *self.places.entry(name.text.clone()).or_insert(next);
        if place == next {
            self.drafts.push(StateDraft::named(name.clone()));
        }
        let Some(draft) = self.drafts.get_mut(place) else { return };
        draft.moves.extend(written);
        if let Some(span) = span_of(row) {
            let row = text.get(span.start as usize..span.end as usize).unwrap_or_default().trim();
            let above = std::mem::take(&mut draft.instruction);
            draft.instruction = if above.is_empty() { row.into() } else { format!("{above}\n{row}").into() };
        }
    }

    /// A target without rows is a state that leads nowhere; but one that is nearly the name of another is a slip of the
    /// finger, and no state.
    fn add_ends(&mut self) {
        let mut ends: Vec<NamedText> = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let names: Vec<&str> = self.drafts.iter().map(|draft| &*draft.name.text).collect();
        for target in self.drafts.iter().flat_map(|draft| &draft.moves).flat_map(|written| &written.targets) {
            let text = &*target.name.text;
            let mut words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
            if self.places.contains_key(text)
                || (target.written == Written::Bare && words.any(|word| self.places.contains_key(word)))
                || !seen.insert(text)
            {
                continue;
            }
            let near = if seen.len() <= COMPARED { nearest(text, names.iter().copied()) } else { None };
            if near.is_none_or(|near| without_digits(near) == without_digits(text)) {
                ends.push(target.name.clone());
            }
        }
        for name in ends {
            self.places.insert(name.text.clone(), self.drafts.len());
            self.drafts.push(StateDraft::named(name));
        }
    }

    fn mark_final(&mut self, ends: &[NamedText], found: &mut Diagnostics) {
        for end in ends {
            match self.places.get(&end.text).and_then(|place| self.drafts.get_mut(*place)) {
                Some(draft) => draft.is_final = true,
                None => {
                    let names = self.drafts.iter().map(|draft| &*draft.name.text);
                    let title = format!("`final` names `{}`, which is not a state", end.text);
                    Diagnostic::error(Code::UnknownState, title)
                        .at(end.span, "no such state")
                        .near(&end.text, names, "name a state of the table")
                        .add_to(found);
                }
            }
        }
    }

    /// The instruction of a state is the section with its name in the heading; without one, its rows.
    fn take_texts(&mut self, sections: &[Section], text: &str) {
        for (number, section) in sections.iter().enumerate() {
            let Some(heading) = &section.heading else { continue };
            let code = heading.codes.first().map(|code| clean(&code.text));
            let title = heading.trimmed();
            let named = [Some(title), code, state_heading(title).map(clean)];
            let place = named.into_iter().flatten().find_map(|name| self.places.get(name));
            let Some(draft) = place.and_then(|place| self.drafts.get_mut(*place)) else { continue };
            let below = sections.iter().skip(number + 1).take_while(|other| other.level > section.level);
            let span = below.fold(section.span, |span, other| span.to(other.span));
            draft.instruction = text.get(span.start as usize..span.end as usize).unwrap_or_default().trim().into();
        }
    }
}

fn without_digits(name: &str) -> String {
    name.chars().filter(|c| !c.is_numeric()).collect::<String>().to_lowercase()
}
