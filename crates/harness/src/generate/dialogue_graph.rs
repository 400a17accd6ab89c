//! The turns of all dialogues that show goals, and the paths to them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::goals::Goals;
use crate::coverage::{
    AllDialogues, CoverageEvent, CoverageSet, ModelReport, reached_bound, untried,
};
use crate::limits::{MAX_KEPT_TURNS, MAX_TURNS_OF_STATE, MORE_SAMPLED_TURNS};
use crate::scenario::TurnCollector;
use fsmsim_core::engine::{Answer, Machine, RecordView, ScriptedTurn};
use fsmsim_search::search::{
    Bounds, ReplayedTurn, SearchBound, SearchProgress, SearchedModel, Space,
};
use fsmsim_syntax::threads::Threads;

/// A state in which a turn starts, and the state that it leads to if the search visited it.
pub(super) type ShowingPlace = (u32, Option<u32>);

/// A turn that shows goals.
struct ShowingTurn {
    place: ShowingPlace,
    input: u16,
    answers: Vec<Answer>,
    events: Vec<CoverageEvent>,
    goals: BTreeSet<u32>,
}

/// The turns of some states.
#[derive(Default)]
struct TurnCollection {
    seen: CoverageSet,
    turns: Vec<ShowingTurn>,
    /// The state whose turns were added last, and what they showed.
    state: Option<u32>,
    known: FxHashSet<(Option<u32>, Vec<CoverageEvent>)>,
    kept: FxHashMap<CoverageEvent, u32>,
    places: FxHashMap<CoverageEvent, FxHashSet<ShowingPlace>>,
    shown: FxHashSet<Vec<CoverageEvent>>,
}

/// All dialogues of a machine as a graph.
pub(super) struct DialogueGraph<'m> {
    searched: SearchedModel<'m>,
    pub space: Space,
    /// The states that one turn leads to, by state.
    pub next: Vec<Vec<u32>>,
    turns: Vec<ShowingTurn>,
    /// For each missing item, the places of all turns that cover it.
    pub places: BTreeMap<u32, BTreeSet<ShowingPlace>>,
    /// The items that one turn covers together, for all turns.
    pub shown: BTreeSet<BTreeSet<u32>>,
}

/// A planned dialogue.
pub(super) struct PlannedDialogue {
    pub turns: Vec<ScriptedTurn>,
    /// The goals that it was planned for.
    pub goals: BTreeSet<u32>,
}

/// The goals that the planned dialogues do not cover yet.
struct OpenGoals {
    /// How many more turns should cover each goal.
    wanted: Vec<usize>,
    /// The turns that are planned, by number.
    planned: FxHashSet<usize>,
}

impl TurnCollection {
    fn add(
        &mut self,
        goals: &Goals<'_>,
        line: &RecordView<'_>,
        turn: ReplayedTurn<'_>,
        to: impl FnOnce() -> Option<u32>,
    ) {
        let mut own = CoverageSet::default();
        own.turn(line);
        self.seen.add(&own);
        let events = own.each().map(|(event, _)| event);
        let mut events: Vec<CoverageEvent> = events.filter(|event| goals.wants(event)).collect();
        if events.is_empty() {
            return;
        }
        events.sort_unstable();
        if self.state != Some(turn.from) {
            self.state = Some(turn.from);
            self.known.clear();
        }
        let to = to();
        if !self.known.insert((to, events.clone())) {
            return;
        }
        let place = (turn.from, to);
        for event in &events {
            self.places.entry(*event).or_default().insert(place);
        }
        self.shown.insert(events.clone());
        let kept = |event: &CoverageEvent| self.kept.get(event).copied().unwrap_or(0);
        if events.iter().any(|event| kept(event) < MAX_KEPT_TURNS) {
            for event in &events {
                *self.kept.entry(*event).or_default() += 1;
            }
            self.turns.push(ShowingTurn {
                place,
                input: turn.input,
                answers: turn.answers.to_vec(),
                events,
                goals: BTreeSet::new(),
            });
        }
    }
}

/// Searches all dialogues. If the search reaches a bound, another one samples the states, so that it gets deeper.
fn search(searched: &mut SearchedModel<'_>, states: usize, threads: &Threads) -> Space {
    let bounds = Bounds {
        states: Some(states),
        ..Bounds::default()
    };
    let most = u64::try_from(states.saturating_mul(MAX_TURNS_OF_STATE)).unwrap_or(u64::MAX);
    let ends = |progress: &SearchProgress, most: u64| {
        (progress.transitions > most).then_some(SearchBound::Turns)
    };
    let space = Space::search(searched, &bounds, threads, &mut |progress| {
        ends(progress, most)
    });
    if space.bound.is_none() {
        return space;
    }
    // Sampled turns lead to many states that are only counted.
    let most = most.saturating_mul(MORE_SAMPLED_TURNS);
    let bounds = Bounds::default();
    let mut sample = Space::sample(searched, &bounds, threads, &mut |progress| {
        ends(progress, most)
    });
    sample.bound = space.bound;
    sample
}

impl<'m> DialogueGraph<'m> {
    /// Searches the dialogues of a machine, and plays their turns again. Adds the goals of conditions whose parts are
    /// missing in the report. Also returns the events of all dialogues, or why other dialogues can exist.
    pub(super) fn new(
        machine: &'m Machine,
        goals: &mut Goals<'_>,
        report: &ModelReport,
        states: usize,
        threads: &Threads,
    ) -> (Self, Result<AllDialogues, String>) {
        let mut searched = SearchedModel::new(machine, machine.settings());
        let space = search(&mut searched, states, threads);
        let wanted = &*goals;
        let add =
            |collection: &mut TurnCollection, line: &RecordView<'_>, turn: ReplayedTurn<'_>| {
                let to = || space.state_of(&searched, line.session);
                collection.add(wanted, line, turn, to);
            };
        let replay = space.replay(&searched, threads, TurnCollection::default, add);
        let mut seen = CoverageSet::default();
        let mut turns: Vec<ShowingTurn> = Vec::new();
        let mut places: BTreeMap<u32, BTreeSet<ShowingPlace>> = BTreeMap::new();
        let mut shown = BTreeSet::new();
        for part in replay.collected {
            seen.add(&part.seen);
            turns.extend(part.turns);
            for (event, found) in part.places {
                for item in goals.items_of(event) {
                    places.entry(*item).or_default().extend(&found);
                }
            }
            for events in part.shown {
                let items = events.into_iter().flat_map(|event| goals.items_of(event));
                shown.insert(items.copied().collect::<BTreeSet<u32>>());
            }
        }
        let events = turns.iter().flat_map(|turn| {
            let events = turn.events.iter();
            events.map(move |event| (*event, turn.place.0))
        });
        goals.add_vectors(report, events);
        for turn in &mut turns {
            turn.goals = goals.of(turn.events.drain(..));
        }
        let all = match untried(machine, &searched).or_else(|| reached_bound(&space)) {
            Some(reason) => Err(reason),
            None => AllDialogues::played(machine, &space, seen, (replay.gap, replay.unread)),
        };
        let count = u32::try_from(space.len()).unwrap_or(u32::MAX);
        let graph = Self {
            next: (0..count).map(|state| space.successors(state)).collect(),
            searched,
            space,
            turns,
            places,
            shown,
        };
        (graph, all)
    }

    /// Plans dialogues that show each goal in this number of different turns, or in all if there are fewer. A dialogue
    /// goes on to the nearest turn that shows goals, until it has `most` turns. It has more turns if no shorter dialogue
    /// reaches a goal.
    pub(super) fn plans(&self, goals: usize, most: usize, times: usize) -> Vec<PlannedDialogue> {
        let mut open = OpenGoals {
            wanted: vec![0; goals],
            planned: FxHashSet::default(),
        };
        for goal in self.turns.iter().flat_map(|turn| &turn.goals) {
            if let Some(wanted) = open.wanted.get_mut(*goal as usize) {
                *wanted = times.min(*wanted + 1);
            }
        }
        let mut plans = Vec::new();
        loop {
            let mut plan = PlannedDialogue {
                turns: Vec::new(),
                goals: BTreeSet::new(),
            };
            let mut at = Some(0);
            while let Some(state) = at {
                let left = most.saturating_sub(plan.turns.len());
                // A turn that ends the dialogue comes last.
                let next = self.nearest(state, left, false, &open);
                let next = next.or_else(|| self.nearest(state, left, true, &open));
                let is_first = plan.turns.is_empty();
                let far = || self.nearest(state, usize::MAX, true, &open);
                let Some((path, number)) = next.or_else(|| is_first.then(far).flatten()) else {
                    break;
                };
                let Some(turn) = self.turns.get(number) else {
                    break;
                };
                for (from, to) in path {
                    plan.turns
                        .extend(self.space.turn_to(&self.searched, from, to));
                }
                let from = turn.place.0;
                plan.turns.push(self.space.scripted(
                    &self.searched,
                    from,
                    turn.input,
                    &turn.answers,
                ));
                plan.goals.extend(open.close(number, &turn.goals));
                at = turn.place.1;
            }
            if plan.turns.is_empty() {
                return plans;
            }
            plans.push(plan);
        }
    }

    /// The path to the nearest turn that shows open goals, and its number. Of several turns, the one that shows most goals.
    /// `ends` allows turns after which no other turn is possible.
    fn nearest(
        &self,
        start: u32,
        most: usize,
        ends: bool,
        open: &OpenGoals,
    ) -> Option<(Vec<(u32, u32)>, usize)> {
        let next = |state: u32| self.next.get(state as usize).map_or(&[][..], Vec::as_slice);
        let mut parents: FxHashMap<u32, u32> = FxHashMap::from_iter([(start, start)]);
        let mut layer = vec![start];
        let mut depth = 0;
        while depth < most && !layer.is_empty() {
            let mut best: Option<(usize, usize, u32)> = None;
            for (number, turn) in layer.iter().flat_map(|state| self.turns_of(*state)) {
                let goes_on = turn.place.1.is_some_and(|to| !next(to).is_empty());
                let count = open.count(number, &turn.goals);
                if (ends || goes_on) && count > best.map_or(0, |(most, ..)| most) {
                    best = Some((count, number, turn.place.0));
                }
            }
            if let Some((_, number, state)) = best {
                let mut path = Vec::new();
                let mut to = state;
                while let Some(from) = parents.get(&to).copied().filter(|from| *from != to) {
                    path.push((from, to));
                    to = from;
                }
                path.reverse();
                return Some((path, number));
            }
            let mut after = Vec::new();
            for state in layer {
                for to in next(state) {
                    if let std::collections::hash_map::Entry::Vacant(new) = parents.entry(*to) {
                        new.insert(state);
                        after.push(*to);
                    }
                }
            }
            layer = after;
            depth += 1;
        }
        None
    }

    /// The turns of a state that show goals, with their numbers.
    fn turns_of(&self, state: u32) -> impl Iterator<Item = (usize, &ShowingTurn)> {
        let start = self.turns.partition_point(|turn| turn.place.0 < state);
        let turns = self.turns.iter().enumerate().skip(start);
        turns.take_while(move |(_, turn)| turn.place.0 == state)
    }
}

impl OpenGoals {
    fn is_open(&self, goal: u32) -> bool {
        self.wanted
            .get(goal as usize)
            .is_some_and(|wanted| *wanted > 0)
    }

    /// The number of open goals that a turn shows; 0 if the turn is planned.
    fn count(&self, number: usize, goals: &BTreeSet<u32>) -> usize {
        if self.planned.contains(&number) {
            return 0;
        }
        goals.iter().filter(|goal| self.is_open(**goal)).count()
    }

    /// Plans a turn with these goals. Returns those that were open.
    fn close(&mut self, number: usize, goals: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.planned.insert(number);
        let open = goals.iter().copied().filter(|goal| self.is_open(*goal));
        let closed: BTreeSet<u32> = open.collect();
        for goal in &closed {
            if let Some(wanted) = self.wanted.get_mut(*goal as usize) {
                *wanted -= 1;
            }
        }
        closed
    }
}
