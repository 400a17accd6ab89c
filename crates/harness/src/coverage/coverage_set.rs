//! Collects the machine events that turns cover.

use rustc_hash::FxHashMap;

use crate::scenario::TurnCollector;
use fsmsim_core::engine::policy::ItemMark;
use fsmsim_core::engine::{Change, Class, EventKind, RecordView, Symbol, WatchEvent};
use fsmsim_core::machine::{IntentId, PhaseId, RuleId, SlotId, StateId};

/// A machine event that a turn can cover, by ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoverageEvent {
    /// A turn entered the state, or the dialogue started in it because it is the initial state.
    State(StateId),
    /// A turn started in the state, regardless of how the dialogue got there.
    Begun(StateId),
    /// A turn ended in the phase.
    Phase(PhaseId),
    /// A turn had the intent.
    Intent(IntentId),
    /// The slot was filled or changed.
    Slot(SlotId),
    /// A policy reported that the turn covered this item.
    Policy(ItemMark),
    /// The rule decided the action or the transition.
    Rule(RuleId),
    /// The turn's watch recorded this event.
    Watched(WatchEvent),
}

impl CoverageEvent {
    /// The event that covers an item of a policy.
    pub(super) fn of(mark: ItemMark) -> Self {
        match mark {
            ItemMark::Intent(intent) => Self::Intent(intent),
            ItemMark::Own(..) => Self::Policy(mark),
        }
    }
}

/// The covered events of a machine, with the number of turns. They are valid only for the machine that was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageSet {
    seen: FxHashMap<CoverageEvent, u64>,
}

/// Counts only turns that are watched.
impl TurnCollector for CoverageSet {
    fn turn(&mut self, line: &RecordView<'_>) {
        let Some(watch) = line.watch else { return };
        watch.each(|event| self.count(CoverageEvent::Watched(event)));
        self.outcome(line);
        if let Some(intent) = line.record.intent {
            self.count(CoverageEvent::Intent(intent));
        }
        let carryover = &line.record.carryover;
        for slot in carryover
            .added
            .iter()
            .chain(&carryover.changed)
            .filter_map(Symbol::known)
        {
            self.count(CoverageEvent::Slot(slot));
        }
        let policies = line.machine.policies.facts();
        for mark in policies.flat_map(|policy| policy.covered(line)) {
            self.count(CoverageEvent::of(mark));
        }
    }

    fn join(&mut self, later: Self) {
        self.add(&later);
    }
}

impl CoverageSet {
    fn count(&mut self, seen: CoverageEvent) {
        *self.seen.entry(seen).or_default() += 1;
    }

    fn outcome(&mut self, line: &RecordView<'_>) {
        let Some(outcome) = &line.record.outcome else {
            return;
        };
        let Change { from, to } = outcome.state;
        self.count(CoverageEvent::Begun(from));
        let begins = (line.record.turn == 1 && from == line.machine.initial).then_some(from);
        let entered = (from != to).then_some(to);
        let branches = line
            .record
            .events
            .iter()
            .filter(|event| event.kind == EventKind::BranchActivated);
        let started = branches.filter_map(|event| event.to);
        // A dialogue can enter a state twice in a turn.
        let mut passed: Vec<StateId> = begins
            .into_iter()
            .chain(entered)
            .chain(line.record.path.iter().copied())
            .chain(started)
            .collect();
        passed.sort_unstable();
        passed.dedup();
        for state in passed
            .into_iter()
            .filter(|state| line.machine.is_declared(*state))
        {
            self.count(CoverageEvent::State(state));
        }
        if let Some(phase) = outcome.phase.to {
            self.count(CoverageEvent::Phase(phase));
        }
        let rules =
            [outcome.by_action, outcome.by_transition].map(|won| won.and_then(|won| won.rule));
        let second = rules[1].filter(|rule| rules[0] != Some(*rule));
        // The return from an aside can follow a declared transition, but no proposal names its rule.
        let resumes = outcome.class == Class::Resume;
        let mut declared = line.machine.moves(from).iter();
        let returned = declared.find(|declared| {
            let target = declared.target;
            target == to || resumes && line.machine.state(target).is_resume()
        });
        let returned = returned
            .filter(|_| rules[1].is_none() && from != to)
            .map(|declared| declared.rule);
        for rule in rules[0].into_iter().chain(second).chain(returned) {
            self.count(CoverageEvent::Rule(rule));
        }
    }

    /// Adds another set for the same machine.
    pub fn add(&mut self, other: &Self) {
        for (seen, turns) in &other.seen {
            *self.seen.entry(*seen).or_default() += turns;
        }
    }

    /// The events with the number of turns, in arbitrary order.
    pub(crate) fn each(&self) -> impl Iterator<Item = (CoverageEvent, u64)> {
        self.seen.iter().map(|(seen, turns)| (*seen, *turns))
    }

    /// The states in which turns started.
    pub(super) fn begun(&self) -> impl Iterator<Item = StateId> {
        self.seen.keys().filter_map(|seen| {
            if let CoverageEvent::Begun(state) = seen {
                Some(*state)
            } else {
                None
            }
        })
    }

    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }
}
