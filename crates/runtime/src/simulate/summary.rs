//! The counts of many dialogues with one user.

use std::collections::BTreeMap;

use strum::EnumCount;

use super::end_cause::{EndCause, Ending};
use fsmsim_core::engine::{Counters, Machine};
use fsmsim_core::machine::{CounterId, IdVec, IntentId, PhaseId, StateId};

/// The counts of many dialogues with one user. Contains only sums, so shards can be merged in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Dialogues by last state and kind of ending.
    ends: IdVec<StateId, [u64; Ending::COUNT]>,
    /// Dialogues by number of turns.
    lengths: Vec<u64>,
    /// Dialogues by the phases that they reached.
    covered: IdVec<PhaseId, u64>,
    /// Turns by contract class.
    classes: BTreeMap<Box<str>, u64>,
    /// The total of each counter at the end of all dialogues.
    counters: IdVec<CounterId, i64>,
    /// For each end cause, the count of dialogues and the number of the first one.
    causes: BTreeMap<EndCause, (u64, u64)>,
    /// Dialogues by last phase, kind of ending and final state, if any.
    last_phases: BTreeMap<(Option<PhaseId>, Ending, Option<StateId>), u64>,
    /// The number of turns from each state to each next state. The next states are sorted.
    transitions: IdVec<StateId, Vec<(StateId, u64)>>,
    /// For each pair of an intended and a recognized intent: the turns, the dialogues that they spoiled, and the number
    /// of the first such dialogue.
    pub(super) misread: BTreeMap<(IntentId, Option<IntentId>), (u64, u64, u64)>,
}

impl Summary {
    /// Empty counts for dialogues with at most `max_turns` turns.
    pub fn new(machine: &Machine, max_turns: u32) -> Self {
        Self {
            ends: IdVec::filled(machine.states.len(), [0; Ending::COUNT]),
            lengths: vec![0; max_turns as usize + 1],
            covered: IdVec::filled(machine.phases.len(), 0),
            classes: BTreeMap::new(),
            counters: IdVec::filled(machine.counters.len(), 0),
            causes: BTreeMap::new(),
            last_phases: BTreeMap::new(),
            transitions: IdVec::filled(machine.states.len(), Vec::new()),
            misread: BTreeMap::new(),
        }
    }

    /// Counts the misread turns of a dialogue with its number from 1. If they spoiled it, the first one is the cause.
    pub fn misread(
        &mut self,
        number: u64,
        turns: &[(IntentId, Option<IntentId>)],
        is_spoiled: bool,
    ) {
        for (at, pair) in turns.iter().enumerate() {
            let is_cause = is_spoiled && at == 0;
            let first = if is_cause { number } else { u64::MAX };
            self.add_misread(*pair, (1, u64::from(is_cause), first));
        }
    }

    fn add_misread(&mut self, pair: (IntentId, Option<IntentId>), counts: (u64, u64, u64)) {
        let mine = self.misread.entry(pair).or_insert((0, 0, u64::MAX));
        *mine = (mine.0 + counts.0, mine.1 + counts.1, mine.2.min(counts.2));
    }

    /// Counts turns from one state to another or to the same state.
    pub fn passed(&mut self, from: StateId, to: StateId, turns: u64) {
        let Some(transitions) = self.transitions.lookup_mut(from) else {
            return;
        };
        // A state has few transitions, so a linear search is as fast as a lookup.
        match transitions.iter_mut().find(|(known, _)| *known == to) {
            Some((_, count)) => *count += turns,
            None => {
                let place = transitions.partition_point(|(known, _)| *known < to);
                transitions.insert(place, (to, turns));
            }
        }
    }

    /// Adds the final counter values of a dialogue.
    pub fn counted(&mut self, counters: &Counters) {
        for id in self.counters.ids() {
            if let Some(sum) = self.counters.lookup_mut(id) {
                *sum = sum.saturating_add(counters.get(id));
            }
        }
    }

    /// Counts a dialogue with its number from 1, its end cause, its turns and its last phase.
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

    /// Counts a dialogue that reached a phase.
    pub fn covered(&mut self, phase: PhaseId) {
        if let Some(count) = self.covered.lookup_mut(phase) {
            *count += 1;
        }
    }

    /// Counts a turn of a contract class.
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
        for (from, to, turns) in other.transitions() {
            self.passed(from, to, turns);
        }
        for (pair, counts) in &other.misread {
            self.add_misread(*pair, *counts);
        }
        self
    }

    pub fn dialogues(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// The states in which dialogues had this kind of ending, with the number of dialogues, in machine order.
    pub fn ends(&self, how: Ending) -> impl Iterator<Item = (StateId, u64)> {
        self.ends.pairs().filter_map(move |(state, counts)| {
            let count = counts.get(how as usize).copied().unwrap_or(0);
            (count > 0).then_some((state, count))
        })
    }

    /// The end causes, each with the count of dialogues and the number of the first one.
    pub fn causes(&self) -> impl Iterator<Item = (EndCause, (u64, u64))> {
        self.causes.iter().map(|(cause, counts)| (*cause, *counts))
    }

    /// The endings of dialogues with this last phase: kind, final state if any, and number of dialogues.
    pub fn ends_in(
        &self,
        phase: Option<PhaseId>,
    ) -> impl Iterator<Item = (Ending, Option<StateId>, u64)> {
        self.last_phases
            .iter()
            .filter(move |((last, ..), _)| *last == phase)
            .map(|((_, how, state), count)| (*how, *state, *count))
    }

    /// The transitions between states with their numbers of turns, in machine order.
    pub fn transitions(&self) -> impl Iterator<Item = (StateId, StateId, u64)> {
        self.transitions
            .pairs()
            .flat_map(|(from, to)| to.iter().map(move |(to, turns)| (from, *to, *turns)))
    }

    /// The phases with the number of dialogues that reached them.
    pub fn phases(&self) -> impl Iterator<Item = (PhaseId, u64)> {
        self.covered.pairs().map(|(phase, count)| (phase, *count))
    }

    /// The number of turns in a contract class.
    pub fn class(&self, class: &str) -> u64 {
        self.classes.get(class).copied().unwrap_or(0)
    }

    /// The total of a counter at the end of all dialogues.
    pub fn counter(&self, id: CounterId) -> i64 {
        self.counters.lookup(id).copied().unwrap_or(0)
    }

    /// Dialogues by number of turns, without counts of 0.
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
            transitions: IdVec::filled(2, Vec::new()),
            misread: BTreeMap::new(),
        };
        let state = StateId::from_index(1);
        let cause = EndCause {
            how: Ending::Abandoned,
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
    fn shards_add_up_in_any_order() {
        let (one, other) = (summary(&[1, 5]), summary(&[5, 9, 100]));
        let sum = one.clone().plus(&other);
        assert_eq!(sum, other.plus(&one));
        assert_eq!(sum.dialogues(), 5);
        assert_eq!(
            sum.lengths().collect::<Vec<_>>(),
            [(1, 1), (5, 2), (9, 1), (100, 1)]
        );
        assert_eq!(
            sum.ends(Ending::Abandoned).collect::<Vec<_>>(),
            [(StateId::from_index(1), 5)]
        );
        assert_eq!(sum.ends(Ending::Finished).count(), 0);
        assert_eq!(
            sum.causes().map(|(_, counts)| counts).collect::<Vec<_>>(),
            [(5, 1)]
        );
        let to = |state, turns| (StateId::from_index(1), StateId::from_index(state), turns);
        assert_eq!(
            sum.transitions().collect::<Vec<_>>(),
            [to(0, 100), to(1, 20)]
        );
        assert_eq!(
            sum.ends_in(None).collect::<Vec<_>>(),
            [(Ending::Abandoned, None, 5)]
        );
    }
}
