//! The counts of many dialogues of one user.

use std::collections::BTreeMap;

use strum::EnumCount;

use super::end_cause::{EndCause, Ending};
use fsmsim_core::engine::{Counters, Machine};
use fsmsim_core::machine::{CounterId, IdVec, PhaseId, StateId};

/// The counts of many dialogues of one user. Sums only, so that parts can be added in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Dialogues by the state in which they ended, and how.
    ends: IdVec<StateId, [u64; Ending::COUNT]>,
    /// Dialogues by their turns.
    lengths: Vec<u64>,
    /// Dialogues that were in a phase.
    covered: IdVec<PhaseId, u64>,
    /// Turns by the class that they have by the contract of the machine.
    classes: BTreeMap<Box<str>, u64>,
    /// What each counter came to in the end, of all dialogues together.
    counters: IdVec<CounterId, i64>,
    /// Dialogues by why they ended, with the number of the first.
    causes: BTreeMap<EndCause, (u64, u64)>,
    /// Dialogues by the phase in which they were last, and how they ended; where that was in a final state, in which.
    last_phases: BTreeMap<(Option<PhaseId>, Ending, Option<StateId>), u64>,
    /// Turns by the state before and the state behind; of each state before, those behind in their order.
    ways: IdVec<StateId, Vec<(StateId, u64)>>,
}

impl Summary {
    /// No dialogue yet, of at most `max_turns` turns each.
    pub fn new(machine: &Machine, max_turns: u32) -> Self {
        Self {
            ends: IdVec::filled(machine.states.len(), [0; Ending::COUNT]),
            lengths: vec![0; max_turns as usize + 1],
            covered: IdVec::filled(machine.phases.len(), 0),
            classes: BTreeMap::new(),
            counters: IdVec::filled(machine.counters.len(), 0),
            causes: BTreeMap::new(),
            last_phases: BTreeMap::new(),
            ways: IdVec::filled(machine.states.len(), Vec::new()),
        }
    }

    /// Counts turns that led from a state to another, or stayed.
    pub fn passed(&mut self, from: StateId, to: StateId, turns: u64) {
        let Some(ways) = self.ways.lookup_mut(from) else {
            return;
        };
        // From a state there are few ways: to look them through takes no longer than to look one up.
        match ways.iter_mut().find(|(known, _)| *known == to) {
            Some((_, count)) => *count += turns,
            None => {
                let place = ways.partition_point(|(known, _)| *known < to);
                ways.insert(place, (to, turns));
            }
        }
    }

    /// Adds what the counters of a dialogue came to.
    pub fn counted(&mut self, counters: &Counters) {
        for id in self.counters.ids() {
            if let Some(sum) = self.counters.lookup_mut(id) {
                *sum = sum.saturating_add(counters.get(id));
            }
        }
    }

    /// Counts a dialogue by its number from 1: why it ended, after how many turns, and in which phase it was last.
    pub fn ended(&mut self, number: u64, cause: EndCause, turns: u32, phase: Option<PhaseId>) {
        let EndCause { how, state, .. } = cause;
        let (count, first) = self.causes.entry(cause).or_insert((0, number));
        (*count, *first) = (*count + 1, number.min(*first));
        let end = Some(state).filter(|_| how == Ending::Finished);
        *self.last_phases.entry((phase, how, end)).or_default() += 1;
        if let Some(count) = self
            .ends
            .lookup_mut(state)
            .and_then(|counts| counts.get_mut(how as usize))
        {
            *count += 1;
        }
        if let Some(count) = self.lengths.get_mut(turns as usize) {
            *count += 1;
        }
    }

    /// Counts a dialogue that was in a phase.
    pub fn covered(&mut self, phase: PhaseId) {
        if let Some(count) = self.covered.lookup_mut(phase) {
            *count += 1;
        }
    }

    /// Counts a turn of a class of the contract.
    pub fn classified(&mut self, class: &str) {
        match self.classes.get_mut(class) {
            Some(count) => *count += 1,
            None => {
                self.classes.insert(class.into(), 1);
            }
        }
    }

    /// Adds the counts of other dialogues with the same machine and the same user.
    pub fn plus(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.ends.entries_mut().zip(other.ends.iter()) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine += theirs;
            }
        }
        for (mine, theirs) in self.lengths.iter_mut().zip(&other.lengths) {
            *mine += theirs;
        }
        for (mine, theirs) in self.covered.entries_mut().zip(other.covered.iter()) {
            *mine += theirs;
        }
        for (mine, theirs) in self.counters.entries_mut().zip(other.counters.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
        for (class, theirs) in &other.classes {
            *self.classes.entry(class.clone()).or_default() += theirs;
        }
        for (cause, (theirs, other_first)) in &other.causes {
            let (count, first) = self.causes.entry(*cause).or_insert((0, *other_first));
            (*count, *first) = (*count + theirs, (*first).min(*other_first));
        }
        for (end, theirs) in &other.last_phases {
            *self.last_phases.entry(*end).or_default() += theirs;
        }
        for (from, to, turns) in other.ways() {
            self.passed(from, to, turns);
        }
        self
    }

    pub fn dialogues(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// The states in which dialogues ended this way, with how many did, in the order of the machine.
    pub fn ends(&self, how: Ending) -> impl Iterator<Item = (StateId, u64)> {
        self.ends.pairs().filter_map(move |(state, counts)| {
            let count = counts.get(how as usize).copied().unwrap_or(0);
            (count > 0).then_some((state, count))
        })
    }

    /// Why dialogues ended, each with how many did and the number of the first.
    pub fn causes(&self) -> impl Iterator<Item = (EndCause, (u64, u64))> {
        self.causes.iter().map(|(cause, counts)| (*cause, *counts))
    }

    /// How the dialogues ended that were in this phase last, or in none; where that was in a final state, in which.
    pub fn ends_in(
        &self,
        phase: Option<PhaseId>,
    ) -> impl Iterator<Item = (Ending, Option<StateId>, u64)> {
        let all = self
            .last_phases
            .iter()
            .filter(move |((last, ..), _)| *last == phase);
        all.map(|((_, how, state), count)| (*how, *state, *count))
    }

    /// From which state to which turns led, with how many did, in the order of the machine.
    pub fn ways(&self) -> impl Iterator<Item = (StateId, StateId, u64)> {
        self.ways
            .pairs()
            .flat_map(|(from, ways)| ways.iter().map(move |(to, turns)| (from, *to, *turns)))
    }

    /// The phases, each with the dialogues that were in it.
    pub fn phases(&self) -> impl Iterator<Item = (PhaseId, u64)> {
        self.covered.pairs().map(|(phase, count)| (phase, *count))
    }

    /// The turns of a class of the contract.
    pub fn class(&self, class: &str) -> u64 {
        self.classes.get(class).copied().unwrap_or(0)
    }

    /// What a counter came to in the end, of all dialogues together.
    pub fn counter(&self, id: CounterId) -> i64 {
        self.counters.lookup(id).copied().unwrap_or(0)
    }

    /// The dialogues by their turns; nothing of turns after which none ended.
    pub fn lengths(&self) -> impl Iterator<Item = (u32, u64)> {
        (0..)
            .zip(self.lengths.iter().copied())
            .filter(|(_, dialogues)| *dialogues > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::end_cause::EndReason;
    use super::*;
    use fsmsim_core::machine::Id;

    fn summary(lengths: &[u32]) -> Summary {
        let mut summary = Summary {
            ends: IdVec::filled(2, [0; Ending::COUNT]),
            lengths: vec![0; 101],
            covered: IdVec::filled(1, 0),
            classes: BTreeMap::new(),
            counters: IdVec::default(),
            causes: BTreeMap::new(),
            last_phases: BTreeMap::new(),
            ways: IdVec::filled(2, Vec::new()),
        };
        let state = StateId::from_index(1);
        let cause = EndCause {
            how: Ending::Left,
            state,
            reason: EndReason::Patience,
            intent: None,
            action: None,
        };
        for turns in lengths {
            summary.ended(u64::from(*turns), cause, *turns, None);
            summary.passed(
                state,
                StateId::from_index(*turns as usize % 2),
                u64::from(*turns),
            );
        }
        summary
    }

    #[test]
    fn parts_add_up_in_any_order() {
        let (one, other) = (summary(&[1, 5]), summary(&[5, 9, 100]));
        let sum = one.clone().plus(&other);
        assert_eq!(sum, other.plus(&one));
        assert_eq!(sum.dialogues(), 5);
        assert_eq!(
            sum.lengths().collect::<Vec<_>>(),
            [(1, 1), (5, 2), (9, 1), (100, 1)]
        );
        assert_eq!(
            sum.ends(Ending::Left).collect::<Vec<_>>(),
            [(StateId::from_index(1), 5)]
        );
        assert_eq!(sum.ends(Ending::Finished).count(), 0);
        assert_eq!(
            sum.causes().map(|(_, counts)| counts).collect::<Vec<_>>(),
            [(5, 1)]
        );
        let to = |state, turns| (StateId::from_index(1), StateId::from_index(state), turns);
        assert_eq!(sum.ways().collect::<Vec<_>>(), [to(0, 100), to(1, 20)]);
        assert_eq!(
            sum.ends_in(None).collect::<Vec<_>>(),
            [(Ending::Left, None, 5)]
        );
    }
}
