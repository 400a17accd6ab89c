//! The states of a document, out of all that it says of moves.

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Named, StateName, before_remark, fold};
use super::row::Row;
use crate::dialect::markdown::draft::{MoveText, StateDraft, TargetText, Written};
use crate::dialect::markdown::plain::NamedText;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::{DocumentReading, ReadingKind};
use fsmsim_syntax::terminal::Joined;

/// Targets without rows that are held against the states for slips of the finger.
const COMPARED: usize = 200;

/// A row that holds in every state is a move of each; a document is no longer than that.
const MOVES: usize = 20_000;

#[derive(Default)]
pub(super) struct DocumentStates {
    pub(super) drafts: Vec<StateDraft>,
    places: FxHashMap<String, usize>,
    /// Where a dialogue starts, as a row or a mark says it.
    pub(super) marked_initial: Option<(usize, Span)>,
    /// How many states have rows of their own, or are listed.
    own: usize,
    /// The rows of each state, where they stand.
    told: Vec<Vec<Span>>,
}

/// What a row means.
struct KnownRow {
    from: Vec<usize>,
    row: usize,
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

    /// The states that rows leave, then those that they lead to, then their moves. `listed` are names of states that the
    /// document gives elsewhere.
    pub(super) fn take(
        &mut self,
        rows: &[Row],
        listed: &[StateName],
        text: &str,
        reading: &mut DocumentReading,
        found: &mut Diagnostics,
    ) {
        let mut known = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let mut from = Vec::new();
            if let Named::States(names) = &row.from {
                for name in names {
                    let place = self.declare(name, "left by a move", reading);
                    self.told.resize_with(self.drafts.len(), Vec::new);
                    if let Some(told) = self
                        .told
                        .get_mut(place)
                        .filter(|told| told.last() != Some(&row.whole))
                    {
                        told.push(row.whole);
                    }
                    from.push(place);
                }
            }
            known.push(KnownRow { from, row: number });
        }
        for (draft, told) in self.drafts.iter_mut().zip(&self.told) {
            let rows = told.iter().map(|span| {
                text.get(span.start as usize..span.end as usize)
                    .unwrap_or_default()
                    .trim()
            });
            draft.instruction = rows.joined("\n").into();
        }
        for name in listed {
            self.declare(name, "listed", reading);
        }
        self.own = self.drafts.len();
        self.ends(rows, reading);
        for KnownRow { from, row } in &known {
            let Some(row) = rows.get(*row) else { continue };
            if row.from == Named::Outside {
                self.begin(row);
            }
            for from in from {
                self.go(*from, row, found);
            }
        }
    }

    /// A state, once; the first spelling is its name.
    fn declare(&mut self, name: &StateName, why: &str, reading: &mut DocumentReading) -> usize {
        let next = self.drafts.len();
        let place = *self.places.entry(fold(&name.text)).or_insert(next);
        if place == next {
            self.drafts.push(StateDraft::named(NamedText {
                text: name.text.clone(),
                span: name.span,
            }));
            reading.tell(ReadingKind::State, &*name.text, why, name.span);
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
    fn ends(&mut self, rows: &[Row], reading: &mut DocumentReading) {
        let mut ends: Vec<&StateName> = Vec::new();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let names: Vec<&str> = self.drafts.iter().map(|draft| &*draft.name.text).collect();
        for row in rows {
            let Named::States(targets) = &row.to else {
                continue;
            };
            for target in targets {
                if self.place_before_remark(&target.text).is_some()
                    || !seen.insert(fold(&target.text))
                {
                    continue;
                }
                let near = if seen.len() <= COMPARED {
                    nearest(&target.text, names.iter().copied())
                } else {
                    None
                };
                if near.is_none_or(|near| without_digits(near) == without_digits(&target.text)) {
                    ends.push(target);
                }
            }
        }
        for end in ends {
            self.declare(end, "only led to", reading);
        }
        for row in rows {
            let Named::States(targets) = &row.to else {
                continue;
            };
            for target in targets {
                if let Some(place) = self.place_before_remark(&target.text) {
                    self.mark(place, target);
                }
            }
        }
    }

    /// A row that leads from nowhere says where a dialogue starts.
    fn begin(&mut self, row: &Row) {
        let Named::States(targets) = &row.to else {
            return;
        };
        let place = targets
            .first()
            .and_then(|target| self.place_before_remark(&target.text));
        if let (Some(place), None) = (place, self.marked_initial) {
            self.marked_initial = Some((place, row.span));
        }
    }

    /// The move of a row, from this state.
    fn go(&mut self, from: usize, row: &Row, found: &mut Diagnostics) {
        let bare = |name: NamedText| TargetText {
            name,
            written: Written::Quoted,
        };
        let own = self
            .drafts
            .get(from)
            .map(|draft| draft.name.text.clone())
            .unwrap_or_default();
        let targets = match &row.to {
            Named::States(names) => {
                let canonical = names.iter().map(|name| {
                    let place = self
                        .place_before_remark(&name.text)
                        .and_then(|place| self.drafts.get(place));
                    let text =
                        place.map_or_else(|| name.text.clone(), |draft| draft.name.text.clone());
                    bare(NamedText {
                        text,
                        span: name.span,
                    })
                });
                canonical.collect()
            }
            // A row without an event that leads nowhere says that nothing happens.
            Named::Same if row.condition.is_empty() => return,
            Named::Same => vec![bare(NamedText {
                text: own,
                span: row.span,
            })],
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
        let Some(draft) = self.drafts.get_mut(from) else {
            return;
        };
        draft.moves.push(MoveText {
            condition: row.condition.as_str().into(),
            targets,
            events: row.events.clone(),
        });
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
            let target = match &row.to {
                Named::States(names) => names
                    .first()
                    .and_then(|name| self.place_before_remark(&name.text)),
                _ => None,
            };
            for place in 0..self.drafts.len() {
                let skips = |draft: &StateDraft| {
                    draft.is_final || target == Some(place) && place >= self.own
                };
                if !except.contains(&place)
                    && self.drafts.get(place).is_some_and(|draft| !skips(draft))
                {
                    made += 1;
                    self.go(place, &self.behind_own(place, row), found);
                }
            }
            if made > MOVES {
                Diagnostic::error(Code::BadTransition, "the document has too many moves")
                    .at(row.whole, "holds in every state")
                    .help(format!(
                        "at most {MOVES} moves of every state are taken; divide the document"
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
