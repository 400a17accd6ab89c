//! The product of the states of a model with what one property reads in addition: carried slots, the number of the
//! turn, and the debt of a `leads_to`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::bounds::{Bounds, SearchBound, SearchProgress, Watch};
use super::graph::components;
use super::pair_table::PairTable;
use super::predicate::PredicateTable;
use super::projection::{KEEP, Writes};
use super::searched_model::SearchedModel;
use super::space::Space;
use super::witness::{Witness, WitnessStep};
use crate::limits::MAX_LOOP;
use fsmsim_core::engine::Cap;
use fsmsim_core::machine::PropertyKind;

/// A part of a key: its place and its bits.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    shift: u32,
    mask: u64,
}

impl Field {
    /// A field for numbers up to `most`, after the fields that take `used` bits.
    fn new(most: u64, used: &mut u32) -> Self {
        let bits = u64::BITS - most.leading_zeros();
        let field = Self {
            shift: (*used).min(63),
            mask: (1_u64.checked_shl(bits).unwrap_or(0)).wrapping_sub(1),
        };
        *used += bits;
        field
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a field has at most 32 bits"
    )]
    fn get(self, key: u64) -> u32 {
        (key >> self.shift & self.mask) as u32
    }

    #[inline]
    fn with(self, key: u64, value: u32) -> u64 {
        key & !(self.mask << self.shift) | (u64::from(value) & self.mask) << self.shift
    }
}

/// A turn as bit operations on a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jump {
    keep: u64,
    set: u64,
    turns: u32,
    edge: u16,
    count: u16,
    /// Whether the turn creates and settles the obligation, if the engine has evaluated the property.
    owed: bool,
    settles: bool,
}

/// The product of a space with what a property reads.
///
/// No turn reads the carried parts, so the turns of the space are the complete cache of all turns of the product: a turn
/// is a few bit operations, and the engine is not called.
#[derive(Debug)]
pub struct Product<'s> {
    space: &'s Space,
    searched: &'s SearchedModel<'s>,
    kind: PropertyKind,
    condition: Option<PredicateTable>,
    after: Option<PredicateTable>,
    turn: Field,
    turns: u32,
    debt: Field,
    /// The carried slots that the property reads; the others are absent.
    slots: Vec<Option<Field>>,
    place: Field,
    jumps: Vec<Jump>,
    ends: Vec<u32>,
    /// The number of turns from each state, counted per intent.
    counts: Vec<u32>,
    table: PairTable,
    parents: Vec<u32>,
    edges: Vec<u16>,
    pub transitions: u64,
    pub bound: Option<SearchBound>,
    /// Whether every turn increases the number of the turn.
    always_counts: bool,
}

impl<'s> Product<'s> {
    /// Prepares the product for the property with this index. `None` if a key does not fit in 64 bits.
    pub fn new(searched: &'s SearchedModel<'s>, space: &'s Space, property: usize) -> Option<Self> {
        let declared = searched.machine.properties.get(property)?;
        let is_carried = searched.is_carried.get(property) == Some(&true);
        let reads = searched.machine.reads_of(&searched.settings, declared);
        let turns = match reads.turn {
            Cap::At(most) if is_carried => u32::try_from(most.max(0)).ok()?,
            _ => 0,
        };
        let predicate =
            |condition| is_carried.then(|| PredicateTable::new(searched, space, condition, turns));
        let (after, most_debt) = match declared.kind {
            PropertyKind::LeadsTo { after, within } => (
                predicate(after),
                within.map_or(1, |within| u64::from(within.get()) + 2),
            ),
            _ => (None, 0),
        };
        let mut used = 0;
        let turn = Field::new(u64::from(turns), &mut used);
        let debt = Field::new(most_debt, &mut used);
        let slots = searched.projection.carried.iter().map(|slot| {
            let is_read = is_carried && reads.slots.contains_key(&slot.slot);
            is_read.then(|| Field::new(slot.len() as u64, &mut used))
        });
        let slots = slots.collect();
        let place = Field::new(space.len() as u64, &mut used);
        if used > 64 {
            return None;
        }
        let mut product = Self {
            space,
            searched,
            kind: declared.kind,
            condition: predicate(declared.condition),
            after,
            turn,
            turns,
            debt,
            slots,
            place,
            jumps: Vec::new(),
            ends: Vec::new(),
            counts: Vec::new(),
            table: PairTable::default(),
            parents: Vec::new(),
            edges: Vec::new(),
            transitions: 0,
            bound: space.bound,
            always_counts: turns > 0,
        };
        product.compile(property);
        Some(product)
    }

    /// Compiles the edges of all states; edges with the same effect become one.
    fn compile(&mut self, property: usize) {
        let nothing = Writes::default();
        for state in self.space.numbers() {
            let first = self.jumps.len();
            let mut count = 0_u32;
            for (number, edge) in (0_u16..).zip(self.space.edges(state)) {
                let writes = self.space.writes.value(edge.writes).unwrap_or(&nothing);
                let mut set = self.place.with(0, edge.to);
                let mut cleared = self.place.mask << self.place.shift;
                for (field, block) in self.slots.iter().zip(&writes.blocks) {
                    if let Some(field) = field.filter(|_| *block != KEEP) {
                        set = field.with(set, *block);
                        cleared |= field.mask << field.shift;
                    }
                }
                let lasting = self
                    .space
                    .sight(edge)
                    .lasting
                    .iter()
                    .find(|(of, ..)| *of == property);
                let jump = Jump {
                    keep: !cleared,
                    set,
                    turns: if self.turns > 0 { writes.turns } else { 0 },
                    edge: number,
                    count: edge.count,
                    owed: lasting.is_some_and(|(_, owed, _)| *owed),
                    settles: lasting.is_some_and(|(.., holds)| *holds),
                };
                self.always_counts &= jump.turns == 1;
                count += u32::from(edge.count);
                let same = |known: &&mut Jump| {
                    let plain = Jump {
                        edge: known.edge,
                        count: known.count,
                        ..jump
                    };
                    **known == plain
                };
                if self
                    .jumps
                    .get_mut(first..)
                    .into_iter()
                    .flatten()
                    .find(same)
                    .is_none()
                {
                    self.jumps.push(jump);
                }
            }
            self.ends
                .push(u32::try_from(self.jumps.len()).unwrap_or(u32::MAX));
            self.counts.push(count);
        }
    }

    fn jumps(&self, place: u32) -> &[Jump] {
        let at = place as usize;
        let start = at
            .checked_sub(1)
            .and_then(|at| self.ends.get(at))
            .copied()
            .unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(0);
        self.jumps
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    #[inline]
    fn holds(&self, predicate: Option<&PredicateTable>, key: u64) -> bool {
        let block = |slot: usize| {
            let field = self.slots.get(slot).copied().flatten();
            field.map_or(0, |field| field.get(key))
        };
        let value = |predicate: &PredicateTable| {
            predicate.value(self.place.get(key), self.turn.get(key), &block)
        };
        predicate.and_then(value).unwrap_or(false)
    }

    /// The key after a turn.
    #[inline]
    fn after(&self, key: u64, jump: &Jump) -> u64 {
        let mut next = key & jump.keep | jump.set;
        if self.turns > 0 {
            let turn = (self.turn.get(key) + jump.turns).min(self.turns);
            next = self.turn.with(next, turn);
        }
        if self.debt.mask > 0 {
            let (owed, settles) = match (&self.condition, &self.after) {
                (Some(condition), Some(after)) => (
                    self.holds(Some(after), next),
                    self.holds(Some(condition), next),
                ),
                _ => (jump.owed, jump.settles),
            };
            let debt = self.debt.get(key);
            let most = match self.kind {
                PropertyKind::LeadsTo {
                    within: Some(within),
                    ..
                } => within.get() + 2,
                _ => 1,
            };
            let debt = match debt {
                _ if settles => 0,
                0 => u32::from(owed),
                debt => (debt + 1).min(most),
            };
            next = self.debt.with(next, debt);
        }
        next
    }

    /// Whether a state decides the search: it violates the property or, for `reachable`, satisfies it.
    fn decides(&self, key: u64) -> bool {
        match self.kind {
            PropertyKind::Always => !self.holds(self.condition.as_ref(), key),
            PropertyKind::Never | PropertyKind::Reachable => {
                self.holds(self.condition.as_ref(), key)
            }
            PropertyKind::LeadsTo {
                within: Some(within),
                ..
            } => self.debt.get(key) > within.get() + 1,
            PropertyKind::LeadsTo { within: None, .. } => false,
        }
    }

    /// Visits all states of the product, breadth first, up to the first state that decides. Returns the dialogue to
    /// it, and the first turn that repeats for ever.
    pub fn search(
        &mut self,
        bounds: &Bounds,
        watch: &mut Watch<'_>,
    ) -> Option<(Witness, Option<usize>)> {
        let starts = self.slots.iter().zip(&self.searched.projection.starts);
        let start = starts.fold(0, |key, (field, block)| match field {
            Some(field) => field.with(key, *block),
            None => key,
        });
        self.add(start, 0, 0);
        let mut from = 0;
        let mut depth = 0;
        while from < self.table.len() {
            let end = self.table.len();
            // Dialogues that have ended get no more turns.
            let mut level = number(from)..number(end);
            if bounds.depth.is_some_and(|most| depth >= most)
                && !level.all(|state| self.is_over(state))
            {
                self.bound = Some(SearchBound::Depth);
                break;
            }
            // If every turn increases the number of the turn, states of different levels differ until the number
            // reaches its cap.
            if self.always_counts && depth < self.turns {
                self.table.forget();
            }
            if let Some(state) = self.level(from, end) {
                return Some((self.witness(state), None));
            }
            from = end;
            depth += 1;
            let progress = SearchProgress {
                states: self.table.len(),
                transitions: self.transitions,
                frontier: self.table.len() - end,
                depth,
                memory: self.memory(),
            };
            if let Some(bound) = bounds.reached(&progress).or_else(|| watch(&progress)) {
                self.bound = Some(bound);
                break;
            }
        }
        match self.kind {
            PropertyKind::LeadsTo { within: None, .. } => self.unpaid(),
            _ => None,
        }
    }

    /// Visits the successors of the states of a level. Returns the first new state that decides.
    fn level(&mut self, from: usize, end: usize) -> Option<u32> {
        let decides = self.condition.is_some() || self.debt.mask > 0;
        let mut found = None;
        for state in number(from)..number(end) {
            let key = self.table.key(state);
            let place = self.place.get(key);
            self.transitions += u64::from(self.counts.get(place as usize).copied().unwrap_or(0));
            let at = place as usize;
            let start = at
                .checked_sub(1)
                .and_then(|at| self.ends.get(at))
                .copied()
                .unwrap_or(0);
            for jump in start..self.ends.get(at).copied().unwrap_or(0) {
                let Some(jump) = self.jumps.get(jump as usize).copied() else {
                    break;
                };
                let next = self.after(key, &jump);
                let added = self.add(next, state, jump.edge);
                if found.is_none() && decides {
                    found = added.filter(|_| self.decides(next));
                }
            }
        }
        found
    }

    /// Adds a state. Returns its number if it is new.
    #[inline]
    fn add(&mut self, key: u64, parent: u32, edge: u16) -> Option<u32> {
        let (number, is_new) = self.table.insert(key);
        if !is_new {
            return None;
        }
        self.link(parent, edge);
        Some(number)
    }

    /// Stores the parent of a new state.
    #[inline]
    fn link(&mut self, parent: u32, edge: u16) {
        if self.parents.len() == self.parents.capacity() {
            let more = (self.parents.len() / 4).max(64);
            self.parents.reserve_exact(more);
            self.edges.reserve_exact(more);
        }
        self.parents.push(parent);
        self.edges.push(edge);
    }

    /// The number of visited states.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether no state was visited.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory in bytes.
    pub fn memory(&self) -> usize {
        self.table.memory() + self.parents.capacity() * 4 + self.edges.capacity() * 2
    }

    fn place_of(&self, state: u32) -> u32 {
        self.place.get(self.table.key(state))
    }

    fn witness(&self, state: u32) -> Witness {
        let mut steps = Vec::new();
        let mut at = state;
        while at != 0 {
            let (parent, edge) = match (self.parents.get(at as usize), self.edges.get(at as usize))
            {
                (Some(parent), Some(edge)) => (*parent, *edge),
                _ => break,
            };
            self.push_step(parent, edge, &mut steps);
            at = parent;
        }
        steps.reverse();
        Witness { steps }
    }

    fn push_step(&self, from: u32, edge: u16, steps: &mut Vec<WitnessStep>) {
        let place = self.place_of(from);
        if let Some(edge) = self.space.edges(place).get(usize::from(edge)) {
            steps.push(self.space.step(self.searched, place, edge));
        }
    }

    /// The successors of a state that keep its debt, with their edges.
    fn indebted(&self, state: u32) -> Vec<(u32, u16)> {
        let key = self.table.key(state);
        let next = self.jumps(self.place.get(key)).iter().filter_map(|jump| {
            let next = self.after(key, jump);
            (self.debt.get(next) > 0).then(|| Some((self.table.find(next)?, jump.edge)))?
        });
        next.collect()
    }

    /// Whether a dialogue has ended in a state.
    fn is_over(&self, state: u32) -> bool {
        let place = self.place_of(state);
        self.space.is_expanded(place) && self.jumps(place).is_empty()
    }

    /// A dialogue that never settles an obligation: it ends with the debt, or repeats a loop.
    ///
    /// Turns are strongly fair: a turn that is possible again and again is taken at some time. So an obligation lasts
    /// for ever exactly in a component that none of its turns leaves.
    fn unpaid(&self) -> Option<(Witness, Option<usize>)> {
        let count = self.table.len();
        let owes = |state: &u32| self.debt.get(self.table.key(*state)) > 0;
        let all = 0..number(count);
        if let Some(state) = all
            .clone()
            .find(|state| owes(state) && self.is_over(*state))
        {
            return Some((self.witness(state), None));
        }
        let component = components(count, |state, open| {
            if owes(&state) {
                open.extend(self.indebted(state).into_iter().map(|(to, _)| to));
            }
        });
        let of = |state: u32| component.get(state as usize).map_or(0, |at| *at as usize);
        let mut is_left = vec![false; count];
        for state in all.clone().filter(owes) {
            let next = self.indebted(state);
            // A turn that settles the debt, or that leads to a state outside the bounds, is not among them.
            let all_owe = next.len() == self.jumps(self.place_of(state)).len();
            let stays = all_owe && !next.is_empty();
            if let Some(entry) = is_left.get_mut(of(state)) {
                *entry |= !stays || next.iter().any(|(to, _)| of(*to) != of(state));
            }
        }
        let is_closed = |state: &u32| owes(state) && is_left.get(of(*state)) == Some(&false);
        let state = all.clone().find(is_closed)?;
        let mut steps = self.witness(state).steps;
        let start = steps.len();
        self.tour(state, &mut steps);
        Some((Witness { steps }, Some(start)))
    }

    /// Appends a walk through a component that comes back to its start. It takes each turn of the component, so that
    /// its repetition is fair, unless there are too many.
    fn tour(&self, home: u32, steps: &mut Vec<WitnessStep>) {
        let mut taken: BTreeSet<(u32, u16)> = BTreeSet::new();
        let most = steps.len() + MAX_LOOP;
        let mut at = home;
        while steps.len() < most {
            let new = |state: u32| {
                let mut next = self.indebted(state).into_iter();
                next.find(|(_, edge)| !taken.contains(&(state, *edge)))
            };
            let Some((way, state)) = self.way(at, &|state| new(state).is_some()) else {
                break;
            };
            let Some((to, edge)) = new(state) else { break };
            for (from, edge) in way.into_iter().chain([(state, edge)]) {
                self.push_step(from, edge, steps);
            }
            taken.insert((state, edge));
            at = to;
        }
        let back = self.way(at, &|state| state == home);
        for (from, edge) in back.into_iter().flat_map(|(way, _)| way) {
            self.push_step(from, edge, steps);
        }
    }

    /// The shortest way with the debt from one state to a state that is wanted, and this state.
    fn way(&self, from: u32, is_wanted: &dyn Fn(u32) -> bool) -> Option<(Vec<(u32, u16)>, u32)> {
        let mut parents: BTreeMap<u32, (u32, u16)> = BTreeMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            if is_wanted(state) {
                let mut way = Vec::new();
                let mut at = state;
                while let Some((parent, edge)) = parents.get(&at) {
                    way.push((*parent, *edge));
                    at = *parent;
                }
                way.reverse();
                return Some((way, state));
            }
            for (next, edge) in self.indebted(state) {
                if next != from && !parents.contains_key(&next) {
                    parents.insert(next, (state, edge));
                    open.push_back(next);
                }
            }
        }
        None
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
