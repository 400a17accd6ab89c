//! The projection of sessions to keys: sessions with equal keys have the same future.

use std::collections::BTreeSet;

use super::interner::Interner;
use super::partition::Partition;
use fsmsim_core::engine::{
    ActiveBranches, Counters, Machine, PolicyMemories, Reads, RecentTurns, ReturnStack, Session,
    Settings, Tracker,
};
use fsmsim_core::machine::{Id, SlotId, StateId, Value};

/// The parts of a key that every machine has: the state, the return states, the branches, the tracker, the counters, the
/// recent turns, and the memories of policies. The blocks of slots follow.
pub(crate) const FIXED: [&str; 7] = [
    "states",
    "return states",
    "branches",
    "counts of intents",
    "counters",
    "signals",
    "limits of policies",
];

/// The position of the counters in a key.
const COUNTERS: usize = 4;

/// The block of a carried slot that a turn leaves unchanged.
pub(crate) const KEEP: u32 = u32::MAX;

/// The projection of sessions to keys.
///
/// A *carried* slot is a slot that no turn reads, only a property. It is not part of the key. A session that is restored
/// from a key has a value in it that no turn can set. So a turn that sets the slot is recognized.
#[derive(Debug)]
pub(crate) struct KeyProjection {
    pub(crate) reads: Reads,
    pub(crate) partitions: Vec<Partition>,
    pub(crate) carried: Vec<Partition>,
    /// The blocks of the carried slots at the start of a dialogue.
    pub(crate) starts: Vec<u32>,
    marks: Vec<Value>,
    returns: Interner<ReturnStack>,
    branches: Interner<ActiveBranches>,
    trackers: Interner<Tracker>,
    counters: Interner<Counters>,
    recent: Interner<RecentTurns>,
    memories: Interner<PolicyMemories>,
    blank: Session,
}

/// The changes of a turn to the carried slots and to the number of the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Writes {
    /// The new blocks, or [`KEEP`]; empty if all slots keep theirs.
    pub(crate) blocks: Vec<u32>,
    pub(crate) turns: u32,
}

impl KeyProjection {
    pub(crate) fn new(
        reads: Reads,
        carried: &Reads,
        machine: &Machine,
        settings: &Settings,
    ) -> Self {
        let mut blank = Session::new(machine);
        blank.slots.clear();
        let mut marks = Vec::new();
        let partition = |slot: SlotId, all: &Reads| {
            let slot_reads = all.slots.get(&slot).cloned().unwrap_or_default();
            let mut partition = Partition::new(slot, &slot_reads, machine);
            partition.block(&Value::Null, machine, settings);
            partition
        };
        let own: Vec<Partition> = reads
            .slots
            .keys()
            .map(|slot| partition(*slot, &reads))
            .collect();
        let only_carried = carried
            .slots
            .keys()
            .filter(|slot| !reads.slots.contains_key(slot));
        let mut carried: Vec<Partition> =
            only_carried.map(|slot| partition(*slot, carried)).collect();
        let start = Session::new(machine);
        let block = |carried: &mut Partition| {
            carried.block(start.slots.get(carried.slot), machine, settings)
        };
        let starts = carried.iter_mut().map(block).collect();
        for carried in &carried {
            let mark = Value::text(&format!("\u{1}{}", carried.slot.index()));
            blank.slots.set(carried.slot, mark.clone());
            marks.push(mark);
        }
        Self {
            reads,
            partitions: own,
            carried,
            starts,
            marks,
            returns: Interner::default(),
            branches: Interner::default(),
            trackers: Interner::default(),
            counters: Interner::default(),
            recent: Interner::default(),
            memories: Interner::default(),
            blank,
        }
    }

    /// The number of parts of a key.
    pub(crate) fn width(&self) -> usize {
        FIXED.len() + self.partitions.len()
    }

    /// The key of a reduced session; `None` if one of its parts never occurred before.
    pub(crate) fn find(&self, session: &Session, key: &mut Vec<u32>) -> Option<()> {
        key.clear();
        key.push(state_number(session.position.state));
        key.push(self.returns.find(&session.returns)?);
        key.push(self.branches.find(&session.branches)?);
        key.push(self.trackers.find(&session.tracker)?);
        key.push(self.counters.find(&session.counters)?);
        key.push(self.recent.find(&session.recent_turns)?);
        key.push(self.memories.find(&session.policies)?);
        for partition in &self.partitions {
            key.push(partition.find(session.slots.get(partition.slot))?);
        }
        Some(())
    }

    /// The key of a reduced session, whose parts are added.
    pub(crate) fn learn(
        &mut self,
        session: &Session,
        key: &mut Vec<u32>,
        machine: &Machine,
        settings: &Settings,
    ) {
        key.clear();
        key.push(state_number(session.position.state));
        key.push(self.returns.number(&session.returns));
        key.push(self.branches.number(&session.branches));
        key.push(self.trackers.number(&session.tracker));
        key.push(self.counters.number(&session.counters));
        key.push(self.recent.number(&session.recent_turns));
        key.push(self.memories.number(&session.policies));
        for partition in &mut self.partitions {
            let value = session.slots.get(partition.slot);
            key.push(partition.block(value, machine, settings));
        }
    }

    /// Restores a session from its key.
    pub(crate) fn restore(&self, key: &[u32], session: &mut Session, machine: &Machine) {
        session.copy_from(&self.blank);
        let mut parts = key.iter().copied();
        let mut part = || parts.next().unwrap_or(0);
        let state = StateId::from_index(part() as usize);
        session.position.state = state;
        session.position.phase = machine.state(state).phase;
        copy(&self.returns, part(), &mut session.returns);
        copy(&self.branches, part(), &mut session.branches);
        copy(&self.trackers, part(), &mut session.tracker);
        copy(&self.counters, part(), &mut session.counters);
        copy(&self.recent, part(), &mut session.recent_turns);
        copy(&self.memories, part(), &mut session.policies);
        for partition in &self.partitions {
            session
                .slots
                .set(partition.slot, partition.value(part()).clone());
        }
    }

    /// The values that a turn gave to carried slots; `None` if it left the slot unchanged.
    pub(crate) fn changes(&self, session: &Session) -> Vec<Option<Value>> {
        let value = |(partition, mark): (&Partition, &Value)| {
            let value = session.slots.get(partition.slot);
            (value != mark).then(|| value.clone())
        };
        let changes: Vec<Option<Value>> = self.carried.iter().zip(&self.marks).map(value).collect();
        if changes.iter().all(Option::is_none) {
            Vec::new()
        } else {
            changes
        }
    }

    /// The blocks of the values that a turn gave to carried slots.
    pub(crate) fn writes(
        &mut self,
        changes: &[Option<Value>],
        turns: u32,
        machine: &Machine,
        settings: &Settings,
    ) -> Writes {
        let block = |(partition, change): (&mut Partition, &Option<Value>)| match change {
            Some(value) => partition.block(value, machine, settings),
            None => KEEP,
        };
        Writes {
            blocks: self.carried.iter_mut().zip(changes).map(block).collect(),
            turns,
        }
    }

    /// The parts of the key with more than one value.
    pub(crate) fn parts(&self, machine: &Machine) -> Vec<KeyPart> {
        let signals = self.reads.signals.keys().map(|signal| signal.name());
        let signals = signals.collect::<Vec<_>>().join("`, `");
        let fixed = [
            0,
            self.returns.len(),
            self.branches.len(),
            self.trackers.len(),
            0,
            self.recent.len(),
            self.memories.len(),
        ];
        let fixed = FIXED.iter().zip(fixed).enumerate();
        let fixed = fixed.map(|(at, (&kind, values))| KeyPart {
            kind,
            name: match kind {
                "signals" => format!("{kind} `{signals}`"),
                kind => kind.to_owned(),
            },
            at,
            values,
            without: Vec::new(),
        });
        let counters = machine.counters.ids().map(|counter| {
            let counts = || (0..).map_while(move |number| self.counters.value(number));
            let values: BTreeSet<i64> = counts().map(|counts| counts.get(counter)).collect();
            let mut known = Interner::default();
            let without = counts().map(|counts| {
                let others = machine.counters.ids().filter(|other| *other != counter);
                known.number(&others.map(|other| counts.get(other)).collect::<Vec<_>>())
            });
            KeyPart {
                kind: "counters",
                name: format!("counter `{}`", machine.names.counters.name(counter)),
                at: COUNTERS,
                values: values.len(),
                without: without.collect(),
            }
        });
        let slots = (FIXED.len()..).zip(&self.partitions);
        let slots = slots.map(|(at, partition)| KeyPart {
            kind: "slots",
            name: format!("slot `{}`", machine.names.slots.name(partition.slot)),
            at,
            values: partition.len(),
            without: Vec::new(),
        });
        let all = fixed.chain(counters).chain(slots);
        let mut parts: Vec<KeyPart> = all.filter(|part| part.values > 1).collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.values));
        parts
    }
}

/// A part of a key.
#[derive(Debug)]
pub(crate) struct KeyPart {
    /// One of [`FIXED`], or `slots`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// The position in the key.
    pub(crate) at: usize,
    pub(crate) values: usize,
    /// For each number at the position, a number of what remains without the part; empty if nothing remains.
    pub(crate) without: Vec<u32>,
}

fn state_number(state: StateId) -> u32 {
    u32::try_from(state.index()).unwrap_or(u32::MAX)
}

fn copy<T: Clone + Eq + std::hash::Hash>(known: &Interner<T>, number: u32, to: &mut T) {
    if let Some(value) = known.value(number) {
        to.clone_from(value);
    }
}
