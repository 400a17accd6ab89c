//! Two models: whether they play equal in every dialogue.

use std::collections::{BTreeMap, BTreeSet};

use super::bounds::{Bounds, SearchBound, SearchProgress, Watch};
use super::finding::SearchVerdict;
use super::interner::Interner;
use super::pair_player::{Given, PairPlayer, PairTurn};
use super::pair_side::{PairSide, SeenTurn, refine};
use super::pair_table::PairTable;
use crate::limits::{BATCH, CHUNK};
use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Session};
use fsmsim_core::machine::StateId;
use fsmsim_core::trace::turn_line;
use fsmsim_syntax::threads::Threads;

/// The result of the comparison of two models.
#[derive(Clone, Debug)]
pub struct Equivalence {
    /// `Found` if a dialogue differs.
    pub verdict: SearchVerdict,
    /// The number of pairs of states.
    pub states: usize,
    pub transitions: u64,
    /// The number of turns of the longest shortest dialogue.
    pub depth: usize,
    /// Whether actions are compared.
    pub has_actions: bool,
    /// The reasons why equality does not hold for all dialogues.
    pub loose: Vec<Box<str>>,
    /// The shortest dialogue that differs.
    pub steps: Vec<PairedTurn>,
    /// Whether the engine played the dialogue with the same result.
    pub is_played: bool,
}

/// A turn of a dialogue with both models.
#[derive(Clone, Debug)]
pub struct PairedTurn {
    /// The turn as a JSON line, with the names of each model.
    pub lines: [String; 2],
    /// An example of the intent; empty if neither model has one.
    pub words: Box<str>,
    pub seen: [SeenTurn; 2],
}

/// An input with the names of each model, and the answers to its needs.
type PlayedPair = ([Input; 2], Vec<Given>);

/// The pairs of states that a search has visited, in the order of their first visit.
struct Pairs<'m> {
    sides: [PairSide<'m>; 2],
    keys: PairTable,
    /// The pair from which each pair was first reached, the input and the answers.
    parents: Vec<(u32, u32, u32)>,
    given: Interner<Vec<Given>>,
    /// The inputs that either model distinguishes in a pair of states.
    inputs: BTreeMap<[StateId; 2], Vec<[Input; 2]>>,
    expanded: usize,
    levels: usize,
    transitions: u64,
}

/// Plays two models in every dialogue, and compares what is seen of each turn. `renames` has states of the first model
/// with their names in the second. The result does not depend on the number of threads.
pub fn compare(
    machines: [&Machine; 2],
    renames: &[(String, String)],
    bounds: &Bounds,
    threads: &Threads,
    watch: &mut Watch<'_>,
) -> Equivalence {
    let [one, other] = machines;
    let mut sides = [PairSide::new(one, renames), PairSide::new(other, &[])];
    let mut loose = refine(&mut sides);
    loose.extend(
        sides
            .iter()
            .flat_map(|side| side.searched.loose.iter().cloned()),
    );
    let has_actions = sides.iter().all(|side| side.has_actions);
    let mut pairs = Pairs {
        sides,
        keys: PairTable::default(),
        parents: Vec::new(),
        given: Interner::default(),
        inputs: BTreeMap::new(),
        expanded: 0,
        levels: 0,
        transitions: 0,
    };
    let (bound, last) = match pairs.search(bounds, threads, watch) {
        Ok(bound) => (bound, None),
        Err(last) => (None, Some(last)),
    };
    let played = last.map(|(from, turn)| {
        let mut path = pairs.path(from);
        path.extend(pairs.played(from, turn.input, turn.given));
        pairs.replay(&path)
    });
    let verdict = match (&played, bound, loose.first()) {
        (Some(_), ..) => SearchVerdict::Found,
        (None, Some(bound), _) => SearchVerdict::WithinBound(bound),
        (None, None, Some(reason)) => SearchVerdict::WithinValues(reason.clone()),
        (None, None, None) => SearchVerdict::Proved,
    };
    let (steps, is_played) = played.unwrap_or((Vec::new(), true));
    Equivalence {
        verdict,
        states: pairs.keys.len(),
        transitions: pairs.transitions,
        depth: pairs.levels,
        has_actions,
        loose: loose.into_iter().collect(),
        steps,
        is_played,
    }
}

impl Pairs<'_> {
    /// Visits all pairs, breadth first. Returns the first turn that differs as an error.
    fn search(
        &mut self,
        bounds: &Bounds,
        threads: &Threads,
        watch: &mut Watch<'_>,
    ) -> Result<Option<SearchBound>, (u32, PairTurn)> {
        let starts = self.sides.each_mut().map(|side| {
            let mut start = Session::new(side.searched.machine);
            let mut key = side.searched.learn(&mut start);
            side.states.insert(&mut key).0
        });
        self.keys.insert(packed(starts, false));
        self.parents.push((0, 0, 0));
        while self.expanded < self.parents.len() {
            if bounds
                .depth
                .is_some_and(|most| self.levels >= most as usize)
            {
                return Ok(Some(SearchBound::Depth));
            }
            let end = self.parents.len();
            while self.expanded < end {
                let batch_end = end.min(self.expanded + BATCH);
                self.expand(batch_end, threads)?;
                let progress = self.progress();
                let bound = bounds.reached(&progress).or_else(|| watch(&progress));
                if bound.is_some() {
                    return Ok(bound);
                }
            }
            self.levels += usize::from(self.parents.len() > end);
        }
        Ok(None)
    }

    fn expand(&mut self, end: usize, threads: &Threads) -> Result<(), (u32, PairTurn)> {
        let numbers: Vec<u32> = (self.expanded..end)
            .map(|at| u32::try_from(at).unwrap_or(u32::MAX))
            .collect();
        for number in &numbers {
            let places = self.places(*number);
            if !self.inputs.contains_key(&places) {
                let inputs = self.inputs_in(places);
                self.inputs.insert(places, inputs);
            }
        }
        let chunks: Vec<&[u32]> = numbers.chunks(CHUNK).collect();
        let shared = &*self;
        let played = threads.map(&chunks, |chunk| {
            let mut player = PairPlayer::new(&shared.sides);
            let mut sessions = shared.starts();
            let turns = chunk
                .iter()
                .map(|number| shared.turns(&mut player, &mut sessions, *number));
            turns.collect::<Vec<Vec<PairTurn>>>()
        });
        for (from, turns) in numbers.iter().zip(played.into_iter().flatten()) {
            for turn in turns {
                self.merge(*from, turn)?;
            }
        }
        self.expanded = end;
        Ok(())
    }

    fn merge(&mut self, from: u32, mut turn: PairTurn) -> Result<(), (u32, PairTurn)> {
        self.transitions += 1;
        if !turn.is_equal {
            return Err((from, turn));
        }
        let mut numbers = [0; 2];
        let ends = turn.ends.iter_mut().zip(&mut numbers);
        for (side, ((key, session), number)) in self.sides.iter_mut().zip(ends) {
            if let Some(session) = session {
                *key = side.searched.learn(session);
            }
            *number = side.states.insert(key).0;
        }
        if self.keys.insert(packed(numbers, turn.has_entered)).1 {
            let given = self.given.number(&turn.given);
            self.parents.push((from, turn.input, given));
        }
        Ok(())
    }

    /// All turns from a pair. The search stops at final states, unless an event reopens them.
    fn turns(
        &self,
        player: &mut PairPlayer<'_, '_>,
        sessions: &mut [Session; 2],
        number: u32,
    ) -> Vec<PairTurn> {
        let (states, has_entered) = unpacked(self.keys.key(number));
        for ((side, session), state) in self.sides.iter().zip(&mut *sessions).zip(states) {
            let key = side.states.get(state);
            side.searched
                .projection
                .restore(&key, session, side.searched.machine);
            session.phase_entered = has_entered;
        }
        let places = sessions.each_ref().map(|session| session.position.state);
        let [first, _] = &self.sides;
        let is_over = sessions
            .first()
            .is_some_and(|session| session.is_final(first.searched.machine));
        let reopens = |inputs: &[Input; 2]| {
            let mut all = self.sides.iter().zip(inputs).zip(places);
            all.any(|((side, input), place)| {
                let intent = input.known_intent();
                intent.is_some_and(|intent| side.searched.machine.reopens(place, intent))
            })
        };
        let mut all = Vec::new();
        let inputs = self.inputs.get(&places).into_iter().flatten();
        for (at, inputs) in (0_u32..).zip(inputs) {
            if !is_over || reopens(inputs) {
                player.all(sessions, inputs, at, &mut all);
            }
        }
        all
    }

    /// The sessions at the start of a dialogue.
    fn starts(&self) -> [Session; 2] {
        self.sides
            .each_ref()
            .map(|side| Session::new(side.searched.machine))
    }

    fn places(&self, number: u32) -> [StateId; 2] {
        let (states, _) = unpacked(self.keys.key(number));
        let [one, other] = &self.sides;
        let [state, twin] = states;
        [one.place(state), other.place(twin)]
    }

    /// The inputs that either model distinguishes, those without data first.
    fn inputs_in(&self, places: [StateId; 2]) -> Vec<[Input; 2]> {
        let [_, second] = &self.sides;
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        for (side, place) in self.sides.iter().zip(places) {
            for known in side.searched.inputs.of(place) {
                let input = &known.turn.input;
                let inputs = self.sides.each_ref().map(|to| side.input_for(input, to));
                let [_, twin] = &inputs;
                if seen.insert(turn_line(&twin.clone().into(), second.searched.machine)) {
                    all.push(inputs);
                }
            }
        }
        all.sort_by_key(|[input, _]| input.data.values().len());
        all
    }

    fn played(&self, from: u32, input: u32, given: Vec<Given>) -> Option<PlayedPair> {
        let inputs = self.inputs.get(&self.places(from))?;
        Some((inputs.get(input as usize)?.clone(), given))
    }

    /// The shortest dialogue to a pair.
    fn path(&self, to: u32) -> Vec<PlayedPair> {
        let mut path = Vec::new();
        let mut at = to;
        while at != 0 {
            let Some((parent, input, given)) = self.parents.get(at as usize).copied() else {
                break;
            };
            let given = self.given.value(given).cloned().unwrap_or_default();
            path.extend(self.played(parent, input, given));
            at = parent;
        }
        path.reverse();
        path
    }

    /// Plays a dialogue with the engine, from the start. Returns whether only its last turn differs.
    fn replay(&self, path: &[PlayedPair]) -> (Vec<PairedTurn>, bool) {
        let mut player = PairPlayer::new(&self.sides);
        let mut sessions = self.starts();
        let mut is_played = true;
        let mut steps = Vec::new();
        for (number, (inputs, given)) in path.iter().enumerate() {
            let needs = player.play(&sessions, inputs, given);
            let seen = player.seen();
            let is_last = number + 1 == path.len();
            let [one, other] = &seen;
            is_played &= needs.iter().all(Option::is_none) && (one != other) == is_last;
            player.leave(&mut sessions);
            let machines = self.sides.each_ref().map(|side| side.searched.machine);
            let mut examples = machines.iter().zip(inputs).filter_map(|(machine, input)| {
                let description = machine.description(input.known_intent()?);
                description.examples.first()
            });
            let words = examples.next().cloned();
            let answers = player.answers();
            let turns = inputs
                .iter()
                .zip(answers)
                .map(|(input, answers)| ScriptedTurn {
                    answers,
                    ..ScriptedTurn::from(input.clone())
                });
            let mut lines = turns
                .zip(machines)
                .map(|(turn, machine)| turn_line(&turn, machine));
            steps.push(PairedTurn {
                lines: [(); 2].map(|()| lines.next().unwrap_or_default()),
                words: words.unwrap_or_default(),
                seen,
            });
        }
        (steps, is_played)
    }

    fn progress(&self) -> SearchProgress {
        let states = self.sides.iter().map(|side| side.states.memory());
        let parent = size_of::<(u32, u32, u32)>();
        SearchProgress {
            states: self.keys.len(),
            transitions: self.transitions,
            frontier: self.keys.len() - self.expanded,
            depth: u32::try_from(self.levels).unwrap_or(u32::MAX),
            memory: states.sum::<usize>() + self.keys.memory() + self.parents.capacity() * parent,
        }
    }
}

/// A pair as one key: the numbers of the states, and whether a phase was entered.
fn packed([state, twin]: [u32; 2], has_entered: bool) -> u64 {
    u64::from(state) << 33 | u64::from(twin) << 1 | u64::from(has_entered)
}

#[expect(clippy::cast_possible_truncation, reason = "the parts of a key")]
fn unpacked(key: u64) -> ([u32; 2], bool) {
    ([(key >> 33) as u32, (key >> 1) as u32], key & 1 == 1)
}
