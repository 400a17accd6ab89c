//! All turns of a search, played again for an observer.

use std::collections::{BTreeMap, BTreeSet};

use super::player::Player;
use super::searched_model::SearchedModel;
use super::space::Space;
use crate::limits::REPLAY_CHUNK;
use fsmsim_core::engine::{Answer, RecordView, Session, StateGraph, WatchEvent};
use fsmsim_core::machine::{ConditionId, StateId};
use fsmsim_syntax::threads::Threads;

/// All turns of a search, played again.
#[derive(Debug)]
pub struct Replay<C> {
    /// The results for each part of the states.
    pub collected: Vec<C>,
    /// The conditions that no turn reads, or that were evaluated in a turn that does not read them. Other turns can
    /// give them other values.
    pub unread: BTreeSet<ConditionId>,
    /// The reason why other turns between these states can exist.
    pub gap: Option<Box<str>>,
}

/// The place of a turn in a search.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedTurn<'t> {
    /// The state in which the turn starts.
    pub from: u32,
    /// The number of the input among those of the state.
    pub input: u16,
    pub answers: &'t [Answer],
}

impl Space {
    /// Plays every turn of the visited states again, with the values of its conditions. `begin` creates the collector
    /// of a part of the states.
    pub fn replay<C: Send>(
        &self,
        searched: &SearchedModel<'_>,
        threads: &Threads,
        begin: impl Fn() -> C + Sync + Send,
        each: impl Fn(&mut C, &RecordView<'_>, ReplayedTurn<'_>) + Sync + Send,
    ) -> Replay<C> {
        let (machine, settings) = (searched.machine, &searched.settings);
        let graph = StateGraph::of(machine);
        let places: BTreeSet<StateId> = self.places.iter().copied().collect();
        let read: BTreeMap<StateId, BTreeSet<ConditionId>> = places
            .into_iter()
            .map(|place| (place, machine.reads_in(settings, &graph, place).conditions))
            .collect();
        // The turns of states that a bounded search does not expand lead to unknown states.
        let is_played = |state: &u32| self.bound.is_none() || !self.edges(*state).is_empty();
        let numbers: Vec<u32> = self.numbers().filter(is_played).collect();
        let chunks: Vec<&[u32]> = numbers.chunks(REPLAY_CHUNK).collect();
        let parts = threads.map(&chunks, |chunk| {
            let mut collector = begin();
            let mut unread: BTreeSet<ConditionId> = BTreeSet::new();
            let mut is_cut = false;
            let sees = (true, &*searched.is_carried);
            let mut player = Player::new(machine, settings, sees).watching();
            let mut session = Session::new(machine);
            for number in *chunk {
                searched
                    .projection
                    .restore(&self.key(*number), &mut session, machine);
                let place = session.position.state;
                let is_over = session.is_final(machine);
                for (at, input) in (0_u16..).zip(searched.inputs.of(place)) {
                    let intent = input.turn.input.known_intent();
                    if is_over && !intent.is_some_and(|intent| machine.reopens(place, intent)) {
                        continue;
                    }
                    let values = &searched.inputs.values;
                    is_cut |= !player.each_record(
                        &session,
                        input,
                        values,
                        |after, record, watch, answers| {
                            let view = RecordView {
                                machine,
                                settings,
                                session: after,
                                scripted: &input.turn,
                                record,
                                watch,
                            };
                            let turn = ReplayedTurn {
                                from: *number,
                                input: at,
                                answers: &answers,
                            };
                            each(&mut collector, &view, turn);
                            let Some(watch) = watch else { return };
                            watch.each(|event| {
                                if let WatchEvent::Condition(id, _) = event
                                    && !read.get(&place).is_some_and(|read| read.contains(&id))
                                {
                                    unread.insert(id);
                                }
                            });
                        },
                    );
                }
            }
            (collector, unread, is_cut)
        });
        let turns = machine.reads(settings, |_| false);
        let mut replay = Replay {
            collected: Vec::with_capacity(parts.len()),
            unread: machine.conditions.ids().collect(),
            gap: turns
                .hides_actions
                .then(|| "the search does not distinguish all actions".into()),
        };
        replay.unread.retain(|id| !turns.conditions.contains(id));
        for (collector, unread, is_cut) in parts {
            replay.collected.push(collector);
            replay.unread.extend(unread);
            if is_cut {
                replay.gap = Some("a turn requests too many answers".into());
            }
        }
        replay
    }
}
