//! Finds the edits that cause the differences of a dialogue, by running it without some of the edits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::cause::CauseKey;
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::model_edits::{Build, ModelEdits};
use super::sides::Sides;
use super::trace_comparison::JudgedDivergence;
use crate::limits::MAX_REVERSED_EDITS;
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::TurnReport;

/// Runs the dialogue with another model. `None` if it cannot run.
pub(super) type Play<'p> = &'p dyn Fn(&Arc<Machine>) -> Option<Vec<TurnReport>>;

/// The turns of the dialogue with a model, if it can run.
type PlayedTurns = Option<Rc<Vec<TurnReport>>>;

/// Edits by number, and the weightiest difference that they make.
type FoundEdits = (Vec<usize>, Divergence);

/// The search for the edits that cause the differences of a dialogue. An edit is a cause if undoing it changes the
/// dialogue, or if it alone makes the weightiest difference. Undoing one of two edits that make it changes nothing.
pub(super) struct EditCauses<'s> {
    edits: &'s ModelEdits,
    /// The kinds of differences that count; all kinds if empty.
    only: &'s [DifferenceKind],
    build: Build<'s>,
    play: Play<'s>,
    /// The numbers of all edits of texts.
    all: Vec<usize>,
    /// The dialogue with the first model.
    first: Rc<Vec<TurnReport>>,
    /// The dialogue with the second model without these edits.
    runs: RefCell<BTreeMap<Vec<usize>, PlayedTurns>>,
}

impl<'s> EditCauses<'s> {
    /// The search for the causes of a difference between these turns.
    pub(super) fn new(
        edits: &'s ModelEdits,
        only: &'s [DifferenceKind],
        build: Build<'s>,
        play: Play<'s>,
        turns: Sides<Vec<TurnReport>>,
    ) -> Self {
        let all: Vec<usize> = (0..edits.count).collect();
        let Sides { a, b } = turns.map(Rc::new);
        let mut runs = BTreeMap::new();
        // Files that were added or removed cannot be reverted.
        if edits.known.len() == edits.count {
            runs.insert(all.clone(), Some(Rc::clone(&a)));
        }
        runs.insert(Vec::new(), Some(b));
        Self {
            edits,
            only,
            build,
            play,
            all,
            first: a,
            runs: RefCell::new(runs),
        }
    }

    /// The causes of a divergence. The cause of the weightiest difference is the first.
    pub(super) fn find(&self, divergence: Divergence) -> JudgedDivergence {
        let mut found = Vec::new();
        // Of many edits, several are undone at a time.
        let size = self.all.len().div_ceil(MAX_REVERSED_EDITS).max(1);
        for part in self.all.chunks(size) {
            self.undo(part, &mut found);
        }
        let mut known: Vec<usize> = found.iter().flat_map(|(set, _)| set).copied().collect();
        if self.all.len() <= MAX_REVERSED_EDITS {
            let others = self.except(&known).into_iter();
            let alone: Vec<usize> = others
                .filter(|edit| self.makes(*edit, &divergence))
                .collect();
            known.extend(&alone);
            found.extend(
                alone
                    .into_iter()
                    .map(|edit| (vec![edit], divergence.clone())),
            );
        }
        found.extend(self.alternatives(&self.except(&known)));
        let mut found = self.joined(found);
        found.extend(self.of_files(&divergence, found.is_empty()));
        let is_main = |found: &Divergence| {
            found.kind == divergence.kind && found.numbers().b == divergence.numbers().b
        };
        found.sort_by_cached_key(|(set, found)| {
            (!is_main(found), found.kind, found.first.b, set.clone())
        });
        let key = |set: Vec<usize>| {
            let edits = set.iter().filter_map(|edit| self.edits.known.get(*edit));
            CauseKey::Edits(edits.cloned().collect())
        };
        let causes = found.into_iter().map(|(set, found)| (key(set), found));
        JudgedDivergence {
            causes: causes.collect(),
            divergence,
        }
    }

    /// The turns of the dialogue without these edits, which are in order.
    fn run(&self, undone: &[usize]) -> PlayedTurns {
        if let Some(known) = self.runs.borrow().get(undone) {
            return known.clone();
        }
        let model = self.edits.without(undone, self.build);
        let turns = model.and_then(|model| (self.play)(&model)).map(Rc::new);
        self.runs
            .borrow_mut()
            .insert(undone.to_vec(), turns.clone());
        turns
    }

    /// The weightiest difference between the dialogue without the edits `undone` and without the edits `fewer`.
    fn change(&self, undone: &[usize], fewer: &[usize]) -> Option<Divergence> {
        Divergence::find(&self.run(undone)?, &self.run(fewer)?, self.only, 0)
    }

    /// All edits of texts except these.
    fn except(&self, set: &[usize]) -> Vec<usize> {
        without(&self.all, set)
    }

    /// Adds those of the edits whose undoing changes the dialogue.
    fn undo(&self, set: &[usize], found: &mut Vec<FoundEdits>) {
        if let [edit] = set {
            if !found.iter().any(|(known, _)| known.contains(edit)) {
                found.extend(self.undo_one(*edit));
            }
            return;
        }
        let has_effect = self.run(set).is_none() || self.change(set, &[]).is_some();
        if has_effect {
            let (one, other) = set.split_at(set.len() / 2);
            self.undo(one, found);
            self.undo(other, found);
        }
    }

    fn undo_one(&self, edit: usize) -> Option<FoundEdits> {
        if self.run(&[edit]).is_some() {
            return Some((vec![edit], self.change(&[edit], &[])?));
        }
        // Other edits need this one, for example the transitions to a new state. They are undone before it.
        let needed = self.edits.needed(edit, self.build);
        let others = without(&needed, &[edit]);
        if self.run(&others).is_some() {
            return Some((vec![edit], self.change(&needed, &others)?));
        }
        let change = self.change(&needed, &[])?;
        Some((needed, change))
    }

    /// Whether an edit alone makes this difference.
    fn makes(&self, edit: usize, divergence: &Divergence) -> bool {
        let change = self.change(&self.all, &self.except(&[edit]));
        change.is_some_and(|change| change.is_alike_in_kind(divergence))
    }

    /// The causes among edits whose separate undoing changes nothing. If undoing all of them changes the dialogue, these
    /// are the edits that suffice alone, or else the fewest that suffice together.
    fn alternatives(&self, rest: &[usize]) -> Vec<FoundEdits> {
        let Some(change) = self.change(rest, &[]).filter(|_| rest.len() > 1) else {
            return Vec::new();
        };
        let suffice = |kept: &[usize]| {
            let undone = without(rest, kept);
            self.run(&undone).is_some() && self.change(&undone, &[]).is_none()
        };
        let alone = rest.iter().filter(|edit| suffice(&[**edit]));
        let alone: Vec<FoundEdits> = alone.map(|edit| (vec![*edit], change.clone())).collect();
        if !alone.is_empty() {
            return alone;
        }
        let kept = rest.iter().fold(rest.to_vec(), |kept, edit| {
            let fewer = without(&kept, &[*edit]);
            if suffice(&fewer) { fewer } else { kept }
        });
        vec![(kept, change)]
    }

    /// Joins pairs of edits that make a difference only together.
    fn joined(&self, found: Vec<FoundEdits>) -> Vec<FoundEdits> {
        // Without all other edits, these edits still make a difference.
        let acts = |set: &[usize]| self.change(&self.all, &self.except(set)).is_some();
        if found.len() < 2 {
            return found;
        }
        let (mut joined, mut dependent): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(set, _)| acts(set));
        while let Some((mut set, mut change)) = dependent.pop() {
            let partner = dependent
                .iter()
                .position(|(other, _)| acts(&[other.as_slice(), &set].concat()));
            if let Some((other, more)) = partner.map(|at| dependent.remove(at)) {
                set.extend(other);
                set.sort_unstable();
                set.dedup();
                if (more.kind, more.first.b) < (change.kind, change.first.b) {
                    change = more;
                }
            }
            joined.push((set, change));
        }
        joined
    }

    /// The files that only one model has, if they make a difference of their own. If the second model cannot run
    /// without all other edits, they are a cause only if no other is known.
    fn of_files(&self, divergence: &Divergence, is_only: bool) -> Option<FoundEdits> {
        let files: Vec<usize> = (self.edits.count..self.edits.known.len()).collect();
        if files.is_empty() {
            return None;
        }
        let change = match self.run(&self.all) {
            Some(turns) => Divergence::find(&self.first, &turns, self.only, 0),
            None => is_only.then(|| divergence.clone()),
        };
        Some((files, change?))
    }
}

/// The edits of a list that are not in the set.
fn without(list: &[usize], set: &[usize]) -> Vec<usize> {
    list.iter()
        .copied()
        .filter(|edit| !set.contains(edit))
        .collect()
}
