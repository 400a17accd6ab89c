//! The turns of a search that cover events.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::coverage::{CoverageEvent, CoverageSet};
use crate::limits::MAX_COVERING_TURNS;
use crate::scenario::TurnCollector;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_search::search::{ReplayedTurn, SearchedModel, Space};
use fsmsim_syntax::threads::Threads;

/// A turn that covers events.
#[derive(Clone, Debug)]
pub(super) struct CoveringTurn {
    /// The state before the turn.
    pub from: u32,
    /// The state after the turn; `None` if the search did not visit it.
    pub to: Option<u32>,
    pub turn: ScriptedTurn,
    pub events: Vec<CoverageEvent>,
}

/// The first turns of each event.
#[derive(Debug, Default)]
pub(super) struct CoveringTurns {
    pub turns: Vec<CoveringTurn>,
    /// The number of kept turns of each event.
    counts: FxHashMap<CoverageEvent, usize>,
    /// The events of turns after which the dialogue goes on.
    open: BTreeSet<CoverageEvent>,
    /// The events of each turn that ends the dialogue.
    last: BTreeSet<Vec<CoverageEvent>>,
}

impl CoveringTurns {
    /// Plays every turn of a search, and keeps the first turns of each event that `is_wanted`.
    pub(super) fn find(
        space: &Space,
        searched: &SearchedModel<'_>,
        is_wanted: &(dyn Fn(&CoverageEvent) -> bool + Sync),
        threads: &Threads,
    ) -> Self {
        let replay = space.replay(searched, threads, Self::default, |found, turn| {
            found.add(turn, is_wanted, || space.find(searched, turn.view.session));
        });
        let mut all = Self::default();
        for part in replay.collected {
            all.open.extend(part.open);
            all.last.extend(part.last);
            for turn in part.turns {
                all.keep(&turn.events.clone(), || turn);
            }
        }
        all
    }

    fn add(
        &mut self,
        turn: &ReplayedTurn<'_>,
        is_wanted: &dyn Fn(&CoverageEvent) -> bool,
        to: impl Fn() -> Option<u32>,
    ) {
        let mut seen = CoverageSet::default();
        seen.turn(&turn.view);
        let mut events: Vec<CoverageEvent> = seen
            .each()
            .map(|(event, _)| event)
            .filter(is_wanted)
            .collect();
        if events.is_empty() {
            return;
        }
        events.sort_unstable();
        if turn.view.session.is_final(turn.view.machine) {
            self.last.insert(events.clone());
        } else {
            self.open.extend(&events);
        }
        self.keep(&events.clone(), || CoveringTurn {
            from: turn.from,
            to: to(),
            turn: turn.scripted(),
            events,
        });
    }

    /// Keeps a turn if one of its events has too few turns.
    fn keep(&mut self, events: &[CoverageEvent], turn: impl FnOnce() -> CoveringTurn) {
        let count = |event| self.counts.get(event).copied().unwrap_or(0);
        if events
            .iter()
            .all(|event| count(event) >= MAX_COVERING_TURNS)
        {
            return;
        }
        for event in events {
            *self.counts.entry(*event).or_default() += 1;
        }
        self.turns.push(turn());
    }

    /// The events that only turns have which end the dialogue, no two of them in one turn. Each needs a scenario of its
    /// own.
    pub(super) fn separate(&self, is_needed: impl Fn(&CoverageEvent) -> bool) -> usize {
        let mut chosen: Vec<CoverageEvent> = Vec::new();
        let events: BTreeSet<CoverageEvent> = self.last.iter().flatten().copied().collect();
        for event in events {
            let meets = |other: &CoverageEvent| {
                let mut turns = self.last.iter();
                turns.any(|turn| turn.contains(&event) && turn.contains(other))
            };
            if !self.open.contains(&event) && is_needed(&event) && !chosen.iter().any(meets) {
                chosen.push(event);
            }
        }
        chosen.len()
    }
}
