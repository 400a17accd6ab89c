//! The states of a document, out of all that it says of moves.

use rustc_hash::{FxHashMap, FxHashSet};

use super::gather::Gathered;
use super::names::{Named, StateName, before_remark};
use super::row::Row;
use crate::dialect::markdown::draft::{MoveText, StateDraft, TargetText, Written};
use crate::dialect::markdown::plain::{NamedText, fold, text_at};
use crate::limits::{MAX_COMPARED_TARGETS, MAX_DOCUMENT_MOVES};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::{DocumentReading, ReadingKind};
use fsmsim_syntax::terminal::Joined;

#[derive(Default)]
pub(super) struct DocumentStates {
    pub(super) drafts: Vec<StateDraft>,
    places: FxHashMap<String, usize>,
    /// Where a dialogue starts, as a row or a mark says it.
    pub(super) marked_initial: Option<(usize, Span)>,
    /// What is taken from where.
    pub(super) reading: DocumentReading,
    /// How many states have rows of their own, or are listed.
    own: usize,
}

impl DocumentStates {
    /// The number of a state, by a name in any spelling.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(&fold(name)).copied()
    }

    /// The number of a state, by its name or by what stands in front of a remark.
    pub(super) fn place_before_remark(&self, name: &str) -> Option<usize> {
        self.place(name)
            .or_else(|| self.place(before_remark(name)?))
    }

    /// The state of a name in any spelling.
    pub(super) fn draft(&mut self, name: &str) -> Option<&mut StateDraft> {
        let place = self.place(name)?;
        self.drafts.get_mut(place)
    }

    /// Marks a state as one in which dialogues end, where there is one.
    pub(super) fn end(&mut self, place: Option<usize>, why: &str, span: Span) -> Option<()> {
        let draft = self.drafts.get_mut(place?)?;
        draft.is_final = true;
        self.reading
            .tell(ReadingKind::Final, &*draft.name.text, why, span);
        Some(())
    }

    /// The states that rows leave, those that are listed elsewhere, then those that rows lead to; then their moves.
    pub(super) fn take(
        &mut self,
        gathered: &mut Gathered<'_>,
        text: &str,
        found: &mut Diagnostics,
    ) {
        self.reading = std::mem::take(&mut gathered.reading);
        let mut left: Vec<(&Row, Vec<usize>)> = Vec::with_capacity(gathered.rows.len());
        // The rows of each state, where they stand.
        let mut told: Vec<Vec<Span>> = Vec::new();
        for row in &gathered.rows {
            let mut from = Vec::new();
            for name in row.from.names() {
                let place = self.declare(name, "left by a move");
                told.resize_with(self.drafts.len(), Vec::new);
                if let Some(told) = told
                    .get_mut(place)
                    .filter(|told| told.last() != Some(&row.whole))
                {
                    told.push(row.whole);
                }
                from.push(place);
            }
            left.push((row, from));
        }
        for (draft, told) in self.drafts.iter_mut().zip(&told) {
            let rows = told.iter().map(|span| text_at(text, *span).trim());
            draft.instruction = rows.joined("\n").into();
        }
        for name in &gathered.listed {
            self.declare(name, "listed");
        }
        self.own = self.drafts.len();
        self.ends(&gathered.rows);
        for (row, from) in left {
            if row.from == Named::Outside {
                self.begin(row);
            }
            for from in from {
                self.go(from, row, found);
            }
        }
    }

    /// A state, once; the first spelling is its name.
    fn declare(&mut self, name: &StateName, why: &str) -> usize {
        let next = self.drafts.len();
        let place = *self.places.entry(name.folded()).or_insert(next);
        if place == next {
            self.drafts
                .push(StateDraft::named(NamedText::new(&*name.text, name.span)));
            self.reading
                .tell(ReadingKind::State, &*name.text, why, name.span);
        }
        self.mark(place, name);
        place
    }

    /// What the marks beside a name say of its state.
    fn mark(&mut self, place: usize, name: &StateName) {
        if name.initial && self.marked_initial.is_none() {
            self.marked_initial = Some((place, name.span));
        }
        if let Some(draft) = self.drafts.get_mut(place) {
            draft.is_final |= name.is_final;
        }
    }

    /// A target without rows is a state that leads nowhere; but one that is nearly the name of another is a slip of the
    /// finger, and no state.
    fn ends(&mut self, rows: &[Row]) {
        let mut ends: Vec<&StateName> = Vec::new();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let names: Vec<&str> = self.drafts.iter().map(|draft| &*draft.name.text).collect();
        let targets = || rows.iter().flat_map(|row| row.to.names());
        for target in targets() {
            if self.place_before_remark(&target.text).is_some() || !seen.insert(target.folded()) {
                continue;
            }
            let near = if seen.len() <= MAX_COMPARED_TARGETS {
                nearest(&target.text, names.iter().copied())
            } else {
                None
            };
            if near.is_none_or(|near| without_digits(near) == without_digits(&target.text)) {
                ends.push(target);
            }
        }
        for end in ends {
            self.declare(end, "only led to");
        }
        for target in targets() {
            if let Some(place) = self.place_before_remark(&target.text) {
                self.mark(place, target);
            }
        }
    }

    /// A row that leads from nowhere says where a dialogue starts.
    fn begin(&mut self, row: &Row) {
        let target = row.to.names().first();
        let place = target.and_then(|target| self.place_before_remark(&target.text));
        self.marked_initial = self.marked_initial.or_else(|| Some((place?, row.span)));
    }

    /// The move of a row, from this state.
    fn go(&mut self, from: usize, row: &Row, found: &mut Diagnostics) {
        let target = |text: &str, span| TargetText {
            name: NamedText::new(text, span),
            written: Written::Quoted,
        };
        let targets = match &row.to {
            Named::States(names) => {
                let canonical = names.iter().map(|name| {
                    let place = self.place_before_remark(&name.text);
                    let known = place.and_then(|place| self.drafts.get(place));
                    let text = known.map_or(&name.text, |draft| &draft.name.text);
                    target(text, name.span)
                });
                canonical.collect()
            }
            // A row without an event that leads nowhere says that nothing happens.
            Named::Same if row.condition.is_empty() => return,
            Named::Same => {
                let own = self.drafts.get(from).map(|draft| &*draft.name.text);
                vec![target(own.unwrap_or_default(), row.span)]
            }
            Named::Outside => {
                if let Some(draft) = self.drafts.get_mut(from) {
                    draft.is_final = true;
                }
                return;
            }
            Named::Nothing => return,
            Named::Every { .. } | Named::Before => {
                Diagnostic::warning(
                    Code::NotTaken,
                    "a move is not taken: it does not say to which state it leads",
                )
                .at(row.span, "no state")
                .help("write a row for each state that it may lead to")
                .add_to(found);
                return;
            }
        };
        if let Some(draft) = self.drafts.get_mut(from) {
            draft.moves.push(MoveText {
                condition: row.condition.as_str().into(),
                targets,
                events: row.events.clone(),
            });
        }
    }

    /// A row that holds in every state, as it is left by the rows of a state itself: what these say of an event counts.
    fn behind_own(&self, place: usize, row: &Row) -> Row {
        let mut row = row.clone();
        if let Some(draft) = self.drafts.get(place) {
            row.events
                .retain(|event| !draft.moves.iter().any(|own| own.events.contains(event)));
        }
        row
    }

    /// The rows that hold in every state: moves of each that is not final. A state that only they lead to stays by none
    /// of them where it is.
    pub(super) fn take_every(&mut self, rows: &[Row], found: &mut Diagnostics) {
        let mut made = 0_usize;
        for row in rows {
            let Named::Every { except, loosely } = &row.from else {
                continue;
            };
            if *loosely {
                Diagnostic::warning(
                    Code::NotTaken,
                    "the words are read as every state that is not final",
                )
                .at(row.whole, "holds in all of them")
                .help("name the states that are meant, one by one")
                .add_to(found);
            }
            let except: FxHashSet<usize> =
                except.iter().filter_map(|name| self.place(name)).collect();
            let target = row.to.names().first();
            let target = target.and_then(|name| self.place_before_remark(&name.text));
            for place in 0..self.drafts.len() {
                let is_final = self.drafts.get(place).is_none_or(|draft| draft.is_final);
                let is_only_led_to = target == Some(place) && place >= self.own;
                if !is_final && !is_only_led_to && !except.contains(&place) {
                    made += 1;
                    self.go(place, &self.behind_own(place, row), found);
                }
            }
            if made > MAX_DOCUMENT_MOVES {
                Diagnostic::error(Code::BadTransition, "the document has too many moves")
                    .at(row.whole, "holds in every state")
                    .help(format!(
                        "at most {MAX_DOCUMENT_MOVES} moves of every state are taken; divide the document"
                    ))
                    .add_to(found);
                return;
            }
        }
    }
}

fn without_digits(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_numeric())
        .collect::<String>()
        .to_lowercase()
}
