//! The states of a document, built from its transitions.

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
    pub drafts: Vec<StateDraft>,
    places: FxHashMap<String, usize>,
    /// The initial state according to a row or a mark.
    pub marked_initial: Option<(usize, Span)>,
    /// The extracted elements.
    pub reading: DocumentReading,
    /// The states whose mark as a final state is ignored, or became a transition.
    reopened: FxHashSet<usize>,
    /// The number of states with their own rows or in tables of states.
    own: usize,
}

impl DocumentStates {
    /// The index of the state with this normalized name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(&fold(name)).copied()
    }

    /// The index of a state, by its name or by the name before a remark.
    pub(super) fn place_before_remark(&self, name: &str) -> Option<usize> {
        self.place(name)
            .or_else(|| self.place(before_remark(name)?))
    }

    /// The state with this normalized name.
    pub(super) fn draft(&mut self, name: &str) -> Option<&mut StateDraft> {
        let place = self.place(name)?;
        self.drafts.get_mut(place)
    }

    /// Marks a state as final, if it exists. A state with transitions to other states is not final, because its
    /// transitions would have no effect.
    pub(super) fn end(
        &mut self,
        place: Option<usize>,
        why: &str,
        span: Span,
        found: &mut Diagnostics,
    ) -> Option<()> {
        let place = place?;
        let draft = self.drafts.get_mut(place)?;
        draft.is_final = !is_left(draft);
        if !draft.is_final {
            if self.reopened.insert(place) {
                let title = format!(
                    "state `{}` is not final: it has transitions",
                    draft.name.text
                );
                Diagnostic::warning(Code::NotTaken, title)
                    .at(span, "marked as final")
                    .help("remove the mark or the transitions")
                    .add_to(found);
            }
            return Some(());
        }
        self.reading
            .add(ReadingKind::Final, &*draft.name.text, why, span);
        Some(())
    }

    /// Adds the states: first the sources of rows, then those in tables of states, then targets. Then adds their
    /// transitions.
    pub(super) fn take(
        &mut self,
        gathered: &mut Gathered<'_>,
        text: &str,
        found: &mut Diagnostics,
    ) {
        self.reading = std::mem::take(&mut gathered.reading);
        let mut left: Vec<(&Row, Vec<usize>)> = Vec::with_capacity(gathered.rows.len());
        // The positions of the rows of each state.
        let mut row_spans: Vec<Vec<Span>> = Vec::new();
        for row in &gathered.rows {
            let mut from = Vec::new();
            for name in row.from.names() {
                let place = self.declare(name, "source of a transition");
                row_spans.resize_with(self.drafts.len(), Vec::new);
                if let Some(row_spans) = row_spans
                    .get_mut(place)
                    .filter(|row_spans| row_spans.last() != Some(&row.whole))
                {
                    row_spans.push(row.whole);
                }
                from.push(place);
            }
            left.push((row, from));
        }
        for (draft, row_spans) in self.drafts.iter_mut().zip(&row_spans) {
            let rows = row_spans.iter().map(|span| text_at(text, *span).trim());
            draft.instruction = rows.joined("\n").into();
        }
        for name in &gathered.listed {
            self.declare(name, "listed");
        }
        self.own = self.drafts.len();
        self.ends(gathered, text, found);
        // The other transitions of a state decide whether it is final.
        left.sort_by_key(|(row, _)| row.to == Named::Outside);
        for (row, from) in left {
            if row.from == Named::Outside {
                self.begin(row);
            }
            for from in from {
                self.go(from, row, found);
            }
        }
    }

    /// Marks a state with a transition out of the machine as final. If other transitions leave the state, the transition
    /// leads to a final state of its own, as in imported diagrams.
    fn leave(&mut self, from: usize, row: &Row, found: &mut Diagnostics) {
        let Some(draft) = self.drafts.get_mut(from) else {
            return;
        };
        if row.condition.is_empty() || !is_left(draft) {
            draft.is_final = true;
            return;
        }
        let end = StateName {
            is_final: true,
            ..StateName::new("end", row.span)
        };
        self.declare(&end, "end of the dialogue");
        self.reopened.insert(from);
        let to = Named::States(vec![end]);
        self.go(from, &Row { to, ..row.clone() }, found);
    }

    /// Declares a state, unless it is known. The first spelling of a name is used.
    fn declare(&mut self, name: &StateName, why: &str) -> usize {
        let next = self.drafts.len();
        let place = *self.places.entry(name.folded()).or_insert(next);
        if place == next {
            self.drafts
                .push(StateDraft::named(NamedText::new(&*name.text, name.span)));
            self.reading
                .add(ReadingKind::State, &*name.text, why, name.span);
        }
        self.mark(place, name);
        place
    }

    /// Applies the marks of a name to its state.
    fn mark(&mut self, place: usize, name: &StateName) {
        if name.initial && self.marked_initial.is_none() {
            self.marked_initial = Some((place, name.span));
        }
        if let Some(draft) = self.drafts.get_mut(place) {
            draft.is_final |= name.is_final;
        }
    }

    /// Declares targets without rows as states without transitions. A name that is similar to a known one is reported.
    /// If a table lists the states, it is not declared, because it is certainly a typo.
    fn ends(&mut self, gathered: &Gathered<'_>, text: &str, found: &mut Diagnostics) {
        let mut ends: Vec<&StateName> = Vec::new();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let names: Vec<&str> = self.drafts.iter().map(|draft| &*draft.name.text).collect();
        let targets = || gathered.rows.iter().flat_map(|row| row.to.names());
        for target in targets() {
            let is_known = self.place_before_remark(&target.text).is_some();
            if is_known || !target.is_short() || !seen.insert(target.folded()) {
                continue;
            }
            let near = if seen.len() <= MAX_COMPARED_TARGETS {
                nearest(&target.text, names.iter().copied())
                    .filter(|near| !is_intended(target, near, text))
            } else {
                None
            };
            if let Some(near) = near.filter(|_| !gathered.declares) {
                let title = format!("name `{}` is used only here", target.text);
                Diagnostic::warning(Code::SimilarName, title)
                    .at(target.span, "only use")
                    .suggest_kind("state", near)
                    .add_to(found);
            }
            if near.is_none() || !gathered.declares {
                ends.push(target);
            }
        }
        for end in ends {
            self.declare(end, "only a target");
        }
        for target in targets() {
            if let Some(place) = self.place_before_remark(&target.text) {
                self.mark(place, target);
            }
        }
    }

    /// A row from outside of the machine marks the initial state.
    fn begin(&mut self, row: &Row) {
        let target = row.to.names().first();
        let place = target.and_then(|target| self.place_before_remark(&target.text));
        self.marked_initial = self.marked_initial.or_else(|| Some((place?, row.span)));
    }

    /// Adds the transition of a row to a state.
    fn go(&mut self, from: usize, row: &Row, found: &mut Diagnostics) {
        let target = |text: &str, span| TargetText {
            name: NamedText::new(text, span),
            written: Written::Quoted,
        };
        let is_sentence =
            |name: &StateName| !name.is_short() && self.place_before_remark(&name.text).is_none();
        let targets = match &row.to {
            Named::States(names) if names.iter().any(is_sentence) => {
                Diagnostic::warning(
                    Code::NotTaken,
                    "transition is ignored: its target is a sentence",
                )
                .at(row.span, "not the name of a state")
                .help("write only the names of states")
                .add_to(found);
                return;
            }
            Named::States(names) => names
                .iter()
                .map(|name| {
                    let place = self.place_before_remark(&name.text);
                    let text = place
                        .and_then(|place| self.drafts.get(place))
                        .map_or(&name.text, |draft| &draft.name.text);
                    target(text, name.span)
                })
                .collect(),
            // A row without a condition and without a target has no effect.
            Named::Same if row.condition.is_empty() => return,
            Named::Same => {
                let own = self.drafts.get(from).map(|draft| &*draft.name.text);
                vec![target(own.unwrap_or_default(), row.span)]
            }
            Named::Outside => return self.leave(from, row, found),
            Named::Nothing => return,
            Named::Every { .. } | Named::Before => {
                Diagnostic::warning(
                    Code::NotTaken,
                    "transition is ignored: unknown target state",
                )
                .at(row.span, "no target state")
                .help("add one row per target state")
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

    /// Removes the events that the state already handles from a row for every state.
    fn without_own_events(&self, place: usize, row: &Row) -> Row {
        let mut row = row.clone();
        if let Some(draft) = self.drafts.get(place) {
            row.events
                .retain(|event| !draft.moves.iter().any(|own| own.events.contains(event)));
        }
        row
    }

    /// Adds the rows for every state to each state that is not final. A state that is only a target receives no
    /// transition to itself.
    pub(super) fn take_every(&mut self, rows: &[Row], found: &mut Diagnostics) {
        let mut made = 0_usize;
        for row in rows {
            let Named::Every { except, loosely } = &row.from else {
                continue;
            };
            if *loosely {
                Diagnostic::warning(
                    Code::NotTaken,
                    "source is treated as all states that are not final",
                )
                .at(row.whole, "applies to all of them")
                .help("list the source states")
                .add_to(found);
            }
            let except: FxHashSet<usize> =
                except.iter().filter_map(|name| self.place(name)).collect();
            let target = row
                .to
                .names()
                .first()
                .and_then(|name| self.place_before_remark(&name.text));
            for place in 0..self.drafts.len() {
                let is_final = self.drafts.get(place).is_none_or(|draft| draft.is_final);
                let is_only_led_to = target == Some(place) && place >= self.own;
                if !is_final && !is_only_led_to && !except.contains(&place) {
                    made += 1;
                    self.go(place, &self.without_own_events(place, row), found);
                }
            }
            if made > MAX_DOCUMENT_MOVES {
                Diagnostic::error(Code::BadTransition, "document has too many transitions")
                    .at(row.whole, "applies to every state")
                    .help(format!(
                        "split the document: limit {MAX_DOCUMENT_MOVES} transitions for all states"
                    ))
                    .add_to(found);
                return;
            }
        }
    }
}

/// Whether a name is certainly not a typo of a similar one (`near`). Names can differ in a prefix, an ending or a number.
/// Names in uppercase or backticks, and names that occur several times in the document (`text`), are intended.
fn is_intended(name: &StateName, near: &str, text: &str) -> bool {
    let (folded, other) = (name.folded(), fold(near));
    let extends = |one: &str, other: &str| one.starts_with(other) || one.ends_with(other);
    extends(&folded, &other)
        || extends(&other, &folded)
        || without_digits(near) == without_digits(&name.text)
        || !name.text.contains(char::is_lowercase)
        || text_at(text, name.span).starts_with('`')
        || text.matches(&*name.text).nth(1).is_some()
}

/// Whether a transition leads from a state to another one.
fn is_left(draft: &StateDraft) -> bool {
    let mut targets = draft.targets();
    targets.any(|(_, target)| target.name.text != draft.name.text)
}

fn without_digits(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_numeric())
        .collect::<String>()
        .to_lowercase()
}
