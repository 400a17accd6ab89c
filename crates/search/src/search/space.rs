//! The states that a search has visited, and the turns between them.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::bounds::{Bounds, SearchBound, SearchProgress, Watch};
use super::inputs::TriedInput;
use super::interner::Interner;
use super::player::Player;
use super::projection::{KeyPart, Writes};
use super::searched_model::SearchedModel;
use super::sight::Sight;
use super::tuple_table::TupleTable;
use super::witness::{Witness, WitnessStep};
use crate::limits::{BATCH, CHUNK, MAX_EDGES, MAX_MEASURED_STATES};
use fsmsim_core::engine::{Answer, Machine, ScriptedTurn, Session};
use fsmsim_core::machine::{Id, StateId, Value};
use fsmsim_syntax::threads::Threads;

/// A turn between two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    /// The number of the input among those of the state.
    pub(crate) input: u16,
    /// The number of intents and data that lead to the same turn.
    pub(crate) count: u16,
    pub(crate) answers: u32,
    pub(crate) sight: u32,
    pub(crate) writes: u32,
}

/// The states that a search has visited, in the order of their first visit, and the turns between them.
#[derive(Debug)]
pub struct Space {
    states: TupleTable,
    /// The state from which each state was first reached, and the edge.
    parents: Vec<(u32, u16)>,
    /// The position in the dialogue of each state.
    pub(crate) places: Vec<StateId>,
    /// The first state of each level.
    pub(crate) levels: Vec<u32>,
    edges: Vec<Edge>,
    /// The end of the edges of each expanded state.
    ends: Vec<u32>,
    pub(crate) answers: Interner<Vec<Answer>>,
    pub(crate) sights: Interner<Sight>,
    pub(crate) writes: Interner<Writes>,
    /// The number of turns, counted per declared intent.
    pub transitions: u64,
    /// The number of played turns.
    pub(crate) played: usize,
    /// The bound that ended the search; `None` if it is complete.
    pub bound: Option<SearchBound>,
}

/// Turns with the same result from one state, played by a thread.
struct SearchedTurn {
    /// The first input with this result.
    input: u16,
    /// The number of intents with this result.
    weight: u32,
    answers: Vec<Answer>,
    sight: Sight,
    changes: Vec<Option<Value>>,
    turns: u32,
    /// The key of the session after the turn; empty if a part of it is new.
    key: Vec<u32>,
    session: Option<Box<Session>>,
}

/// A search for one goal: it directs the search of a space, and ends it.
pub(crate) trait Pursuit {
    /// Whether the turns from a state are played. `depth` is the number of turns that reach the state.
    fn enters(
        &mut self,
        searched: &SearchedModel<'_>,
        space: &Space,
        state: u32,
        depth: u32,
    ) -> bool;

    /// Whether the search ends after the turns from a state.
    fn ends(&mut self, space: &Space, state: u32) -> bool;
}

impl Space {
    /// Visits all states from the start of a dialogue, breadth first. The result does not depend on the number of
    /// threads: states are numbered in the order of their parents and inputs.
    pub fn search(
        searched: &mut SearchedModel<'_>,
        bounds: &Bounds,
        threads: &Threads,
        watch: &mut Watch<'_>,
    ) -> Self {
        let start = Session::new(searched.machine);
        Self::search_from(searched, start, None, bounds, threads, watch)
    }

    /// Visits the states from a session, until the pursuit ends.
    pub(crate) fn search_from(
        searched: &mut SearchedModel<'_>,
        mut start: Session,
        mut pursuit: Option<&mut dyn Pursuit>,
        bounds: &Bounds,
        threads: &Threads,
        watch: &mut Watch<'_>,
    ) -> Self {
        let mut space = Self {
            states: TupleTable::new(searched.projection.width()),
            parents: Vec::new(),
            places: Vec::new(),
            levels: vec![0],
            edges: Vec::new(),
            ends: Vec::new(),
            answers: Interner::default(),
            sights: Interner::default(),
            writes: Interner::default(),
            transitions: 0,
            played: 0,
            bound: None,
        };
        let mut key = searched.learn(&mut start);
        space.visit(&mut key, (0, 0));
        let mut from = 0;
        while from < space.parents.len() {
            let depth = u32::try_from(space.levels.len() - 1).unwrap_or(u32::MAX);
            let is_last = bounds.depth.is_some_and(|most| depth >= most);
            if is_last && !space.is_over(searched, from) {
                space.bound = Some(SearchBound::Depth);
                return space;
            }
            let end = space.parents.len();
            while from < end {
                // A pursuit ends at the first turn that reaches its goal, so it expands single states.
                let batch = if pursuit.is_some() { 1 } else { BATCH };
                let batch_end = end.min(from + batch);
                let state = u32::try_from(from).unwrap_or(u32::MAX);
                let is_skipped = pursuit
                    .as_mut()
                    .is_some_and(|pursuit| !pursuit.enters(searched, &space, state, depth));
                if is_skipped {
                    space.merge(searched, state, Vec::new());
                } else {
                    space.expand(searched, from..batch_end, threads);
                }
                from = batch_end;
                let is_over = pursuit
                    .as_mut()
                    .is_some_and(|pursuit| pursuit.ends(&space, state));
                if is_over {
                    return space;
                }
                let progress = space.progress();
                space.bound = bounds.reached(&progress).or_else(|| watch(&progress));
                if space.bound.is_some() {
                    return space;
                }
            }
            space.levels.push(u32::try_from(end).unwrap_or(u32::MAX));
        }
        space.levels.pop();
        space
    }

    fn expand(
        &mut self,
        searched: &mut SearchedModel<'_>,
        range: std::ops::Range<usize>,
        threads: &Threads,
    ) {
        let numbers: Vec<u32> = range
            .map(|at| u32::try_from(at).unwrap_or(u32::MAX))
            .collect();
        let chunks: Vec<&[u32]> = numbers.chunks(CHUNK).collect();
        let (shared, states) = (&*searched, &self.states);
        let played = threads.map(&chunks, |chunk| {
            let mut player = Player::new(
                shared.machine,
                &shared.settings,
                (shared.projection.reads.actions, &shared.is_carried),
            );
            let mut session = Session::new(shared.machine);
            let expanded = chunk.iter().map(|number| {
                shared
                    .projection
                    .restore(&states.get(*number), &mut session, shared.machine);
                played_from(shared, &mut player, &session)
            });
            expanded.collect::<Vec<(Vec<SearchedTurn>, usize)>>()
        });
        for (from, (turns, played)) in numbers.iter().zip(played.into_iter().flatten()) {
            self.played += played;
            self.merge(searched, *from, turns);
        }
    }

    /// Adds the turns from a state, in the order of inputs.
    fn merge(&mut self, searched: &mut SearchedModel<'_>, from: u32, played: Vec<SearchedTurn>) {
        let first = self.edges.len();
        // Turns with different values can still lead to the same state.
        let mut seen: FxHashMap<(u32, u32, u32), usize> = FxHashMap::default();
        for mut turn in played {
            if let Some(mut session) = turn.session {
                turn.key = searched.learn(&mut session);
            }
            let writes = searched.projection.writes(
                &turn.changes,
                turn.turns,
                searched.machine,
                &searched.settings,
            );
            let mut edge = Edge {
                to: 0,
                input: turn.input,
                count: u16::try_from(turn.weight).unwrap_or(u16::MAX),
                answers: self.answers.number(&turn.answers),
                sight: self.sights.number(&turn.sight),
                writes: self.writes.number(&writes),
            };
            self.transitions += u64::from(turn.weight);
            let number = u16::try_from(self.edges.len() - first).unwrap_or(u16::MAX);
            edge.to = self.visit(&mut turn.key, (from, number));
            let known = *seen
                .entry((edge.to, edge.sight, edge.writes))
                .or_insert(self.edges.len());
            match self.edges.get_mut(known) {
                Some(known) => known.count = known.count.saturating_add(edge.count),
                None if usize::from(number) < MAX_EDGES => self.edges.push(edge),
                None => {}
            }
        }
        self.ends
            .push(u32::try_from(self.edges.len()).unwrap_or(u32::MAX));
    }

    fn visit(&mut self, key: &mut Vec<u32>, parent: (u32, u16)) -> u32 {
        let place = StateId::from_index(key.first().copied().unwrap_or(0) as usize);
        let (number, is_new) = self.states.insert(key);
        if is_new {
            self.parents.push(parent);
            self.places.push(place);
        }
        number
    }

    /// The edges of a state; empty if the state is not expanded.
    pub(crate) fn edges(&self, state: u32) -> &[Edge] {
        let at = state as usize;
        let Some(end) = self.ends.get(at) else {
            return &[];
        };
        let start = at
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        self.edges
            .get(start as usize..*end as usize)
            .unwrap_or_default()
    }

    /// The observation of the turn that first reached a state.
    pub(crate) fn reached_by(&self, state: u32) -> u32 {
        let parent = self.parents.get(state as usize).copied();
        let edge = parent.and_then(|(from, number)| self.edges(from).get(usize::from(number)));
        edge.map_or(0, |edge| edge.sight)
    }

    pub(crate) fn is_expanded(&self, state: u32) -> bool {
        (state as usize) < self.ends.len()
    }

    /// The observation of an edge.
    pub(crate) fn sight(&self, edge: &Edge) -> &Sight {
        static NOTHING: std::sync::OnceLock<Sight> = std::sync::OnceLock::new();
        self.sights
            .value(edge.sight)
            .unwrap_or_else(|| NOTHING.get_or_init(Sight::default))
    }

    /// Whether dialogues have ended in all states from this one on.
    fn is_over(&self, searched: &SearchedModel<'_>, from: usize) -> bool {
        let machine = searched.machine;
        let mut session = Session::new(machine);
        self.numbers().skip(from).all(|state| {
            searched
                .projection
                .restore(&self.key(state), &mut session, machine);
            let place = session.position.state;
            let mut inputs = searched.inputs.of(place).iter();
            session.is_final(machine) && !inputs.any(|input| reopens(machine, place, input))
        })
    }

    /// The number of visited states.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether no state was visited.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The number of turns of the longest shortest dialogue.
    pub fn depth(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// The numbers of all states, in the order of their first visit.
    pub(crate) fn numbers(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        0..u32::try_from(self.parents.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn key(&self, state: u32) -> Vec<u32> {
        self.states.get(state)
    }

    /// The memory in bytes.
    pub fn memory(&self) -> usize {
        self.states.memory()
            + self.parents.capacity() * 8
            + self.places.capacity() * 4
            + self.edges.capacity() * size_of::<Edge>()
            + self.ends.capacity() * 4
    }

    /// The factor by which a part of the key multiplies the states: their number, divided by the number of different
    /// keys without the part. It is measured in the first states.
    pub(crate) fn factor(&self, part: &KeyPart) -> f64 {
        let count = self.len().min(MAX_MEASURED_STATES);
        let key = |state: u32| {
            let mut key = self.key(state);
            if let Some(number) = key.get_mut(part.at) {
                *number = part.without.get(*number as usize).copied().unwrap_or(0);
            }
            key
        };
        let rest: FxHashSet<Vec<u32>> = self.numbers().take(count).map(key).collect();
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        number(count) / number(rest.len().max(1))
    }

    fn progress(&self) -> SearchProgress {
        SearchProgress {
            states: self.len(),
            transitions: self.transitions,
            frontier: self.len() - self.ends.len(),
            depth: u32::try_from(self.levels.len()).unwrap_or(u32::MAX),
            memory: self.memory(),
        }
    }

    /// The turn of an edge.
    pub(crate) fn turn(
        &self,
        searched: &SearchedModel<'_>,
        from: u32,
        edge: &Edge,
    ) -> ScriptedTurn {
        let answers = self.answers.value(edge.answers);
        let answers = answers.map(Vec::as_slice).unwrap_or_default();
        self.scripted(searched, from, edge.input, answers)
    }

    /// The turn with this input of a state, and with these answers.
    pub fn scripted(
        &self,
        searched: &SearchedModel<'_>,
        from: u32,
        input: u16,
        answers: &[Answer],
    ) -> ScriptedTurn {
        let place = self
            .places
            .get(from as usize)
            .copied()
            .unwrap_or(searched.machine.initial);
        let input = searched.inputs.of(place).get(usize::from(input));
        let mut turn = input.map(|input| input.turn.clone()).unwrap_or_default();
        for answer in answers {
            turn.answers.push((answer.key, answer.value.clone()));
        }
        turn
    }

    /// The states that one turn leads to, each once, in the order of inputs.
    pub fn successors(&self, state: u32) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        let edges = self.edges(state).iter().map(|edge| edge.to);
        edges.filter(|to| seen.insert(*to)).collect()
    }

    /// The first turn between two states.
    pub fn turn_to(
        &self,
        searched: &SearchedModel<'_>,
        from: u32,
        to: u32,
    ) -> Option<ScriptedTurn> {
        let edge = self.edges(from).iter().find(|edge| edge.to == to)?;
        Some(self.turn(searched, from, edge))
    }

    /// The visited state of a session; `None` if the search did not visit it.
    pub fn state_of(&self, searched: &SearchedModel<'_>, session: &Session) -> Option<u32> {
        self.states.find(&searched.key(&mut session.clone())?)
    }

    /// The shortest dialogue to a state, and one more turn if an edge is given.
    pub(crate) fn witness(
        &self,
        searched: &SearchedModel<'_>,
        state: u32,
        last: Option<&Edge>,
    ) -> Witness {
        let mut steps = Vec::new();
        let mut at = state;
        while at != 0 {
            let Some((parent, number)) = self.parents.get(at as usize).copied() else {
                break;
            };
            if let Some(edge) = self.edges(parent).get(usize::from(number)) {
                steps.push(self.step(searched, parent, edge));
            }
            at = parent;
        }
        steps.reverse();
        steps.extend(last.map(|edge| self.step(searched, state, edge)));
        Witness { steps }
    }

    pub(crate) fn step(&self, searched: &SearchedModel<'_>, from: u32, edge: &Edge) -> WitnessStep {
        WitnessStep {
            turn: self.turn(searched, from, edge),
            to: self
                .places
                .get(edge.to as usize)
                .copied()
                .unwrap_or(searched.machine.initial),
            action: self.sight(edge).action,
        }
    }
}

/// All turns from a session, merged by their results, and their number. The search stops at final states, unless an
/// event reopens them.
fn played_from(
    searched: &SearchedModel<'_>,
    player: &mut Player<'_>,
    session: &Session,
) -> (Vec<SearchedTurn>, usize) {
    let machine = searched.machine;
    let mut all: Vec<SearchedTurn> = Vec::new();
    let mut count = 0;
    // A state can have thousands of inputs, most of which have the same effect.
    let mut seen: FxHashMap<u64, usize> = FxHashMap::default();
    let mut key = Vec::with_capacity(searched.projection.width());
    let place = session.position.state;
    let is_over = session.is_final(machine);
    for (number, input) in (0_u16..).zip(searched.inputs.of(place)) {
        if is_over && !reopens(machine, place, input) {
            continue;
        }
        player.play(
            session,
            input,
            &searched.inputs.values,
            |after, sight, answers| {
                count += 1;
                let turns = after.tracker.turn().saturating_sub(session.tracker.turn());
                let changes = searched.projection.changes(after);
                after.reduce(&searched.projection.reads, machine, &searched.settings);
                let found = searched.projection.find(after, &mut key);
                let hash = FxBuildHasher.hash_one((&key, &sight, &changes, turns));
                let known = seen.get(&hash).and_then(|at| all.get_mut(*at));
                let is_same = |known: &&mut SearchedTurn| {
                    found.is_some()
                        && known.key == key
                        && known.sight == sight
                        && known.changes == changes
                        && known.turns == turns
                };
                if let Some(known) = known.filter(is_same) {
                    known.weight += input.weight;
                    return;
                }
                seen.insert(hash, all.len());
                all.push(SearchedTurn {
                    input: number,
                    weight: input.weight,
                    answers,
                    sight,
                    changes,
                    turns,
                    session: found.is_none().then(|| Box::new(after.clone())),
                    key: if found.is_some() {
                        key.clone()
                    } else {
                        Vec::new()
                    },
                });
            },
        );
    }
    (all, count)
}

/// Whether an input is an event that a dialogue handles even after its end.
fn reopens(machine: &Machine, place: StateId, input: &TriedInput) -> bool {
    let intent = input.turn.input.known_intent();
    intent.is_some_and(|intent| machine.reopens(place, intent))
}
