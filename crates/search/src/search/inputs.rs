//! The inputs that a search tries in a state.

use std::collections::{BTreeMap, BTreeSet};

use super::partition::Partition;
use super::untried::untried;
use crate::limits::{MAX_ASSIGNMENTS, MAX_INPUTS, MAX_PAIRS, MAX_VALUES};
use fsmsim_core::engine::{
    Consent, Input, Machine, Reads, ScriptedTurn, Settings, SlotReads, StateGraph, Symbol, TurnData,
};
use fsmsim_core::machine::{
    Condition, ControlNode, Counted, IdVec, IntentId, Signal, SlotId, StateId, Subject, Test,
    Traits, Value,
};

/// An input, with what it stands for.
#[derive(Clone, Debug)]
pub(crate) struct TriedInput {
    pub(crate) turn: ScriptedTurn,
    /// The number of declared intents that the input stands for.
    pub(crate) weight: u32,
}

/// The inputs of all states.
#[derive(Debug)]
pub(crate) struct Inputs {
    by_state: IdVec<StateId, Vec<TriedInput>>,
    /// The reasons why the inputs do not represent all inputs.
    pub(crate) loose: BTreeSet<Box<str>>,
    /// The values that a user can give to each slot, one for each block.
    pub(crate) values: BTreeMap<SlotId, Vec<Value>>,
    /// The intent that represents the class of each intent.
    pub(crate) class_of: BTreeMap<IntentId, IntentId>,
    /// The slots that the turn of each state reads.
    pub(crate) wanted: BTreeMap<StateId, BTreeSet<SlotId>>,
}

/// The values and intents that another model distinguishes.
#[derive(Debug, Default)]
pub(crate) struct Refinement {
    /// The values of slots, in place of those that this model distinguishes.
    pub(crate) values: BTreeMap<SlotId, Vec<Value>>,
    /// The intents that represent only themselves.
    pub(crate) distinct: BTreeSet<IntentId>,
    /// More slots that the turn of a state reads.
    pub(crate) wanted: BTreeMap<StateId, BTreeSet<SlotId>>,
}

/// A class of intents that no reader distinguishes.
struct IntentClass {
    intent: IntentId,
    weight: u32,
}

impl Inputs {
    /// Collects the inputs. `reads` is what turns and properties read.
    pub(crate) fn new(machine: &Machine, settings: &Settings, reads: &Reads) -> Self {
        Self::refined(machine, settings, reads, Refinement::default())
    }

    /// Collects the inputs that this model or another one distinguishes.
    pub(crate) fn refined(
        machine: &Machine,
        settings: &Settings,
        reads: &Reads,
        other: Refinement,
    ) -> Self {
        let mut inputs = Self {
            by_state: IdVec::filled(machine.states.len(), Vec::new()),
            loose: BTreeSet::new(),
            values: values(machine, settings, reads),
            class_of: BTreeMap::new(),
            wanted: other.wanted,
        };
        inputs.values.extend(other.values);
        inputs.loose = untried(machine, settings, reads, &inputs.values);
        let classes = classes(machine, reads, &other.distinct, &mut inputs.class_of);
        let graph = StateGraph::of(machine);
        for (id, _) in machine.declared_states() {
            let moves = inputs.of_state(machine, settings, (reads, &classes, &graph), id);
            inputs.by_state[id] = moves;
        }
        inputs
    }

    /// The inputs in a state, the plain ones first.
    pub(crate) fn of(&self, state: StateId) -> &[TriedInput] {
        self.by_state.lookup(state).map_or(&[], Vec::as_slice)
    }

    fn of_state(
        &mut self,
        machine: &Machine,
        settings: &Settings,
        (reads, classes, graph): (&Reads, &[IntentClass], &StateGraph),
        id: StateId,
    ) -> Vec<TriedInput> {
        let here = machine.reads_in(settings, graph, id);
        let policies = machine.policies.inputs();
        let mut moves: Vec<TriedInput> = Vec::new();
        let mut add = |input: Input, weight| {
            let turn = ScriptedTurn::from(input);
            moves.push(TriedInput { turn, weight });
        };
        let with = |input: &Input, data: &[(SlotId, Value)]| {
            let values = data
                .iter()
                .map(|(slot, value)| (Symbol::Known(*slot), value.clone()));
            let data = if data.is_empty() {
                TurnData::Absent
            } else {
                TurnData::Given(values.collect())
            };
            Input {
                data,
                ..input.clone()
            }
        };
        let mut plain: Vec<(Input, u32)> = Vec::new();
        if policies.navigation {
            let goto = |to| Input {
                goto: Some(Symbol::Known(to)),
                ..Input::default()
            };
            let declared = machine.moves(id).iter().map(|declared| declared.target);
            let mut targets: BTreeSet<StateId> = declared.chain([id]).collect();
            if machine.state(id).aside.is_some()
                || machine.policies.lead(machine, settings, id).aside
            {
                targets.extend(machine.declared_states().map(|(target, _)| target));
            }
            plain.extend(targets.into_iter().map(|to| (goto(to), 1)));
            let silent = Input {
                reply: Some("".into()),
                ..Input::default()
            };
            if reads.consent {
                for (read, write) in [
                    (Some(true), None),
                    (Some(false), None),
                    (None, Some(true)),
                    (None, Some(false)),
                ] {
                    let consent = Consent { read, write };
                    plain.push((
                        Input {
                            consent,
                            ..silent.clone()
                        },
                        1,
                    ));
                }
            }
        } else {
            let is_event = |class: &&IntentClass| machine.is_event(class.intent);
            for class in classes
                .iter()
                .filter(|class| !is_event(class) || takes(machine, id, class.intent))
            {
                plain.push((Input::intent(class.intent), class.weight));
            }
            if policies.words && machine.policies.inquiry().is_some() {
                plain.push((
                    Input {
                        say: Some("answer".into()),
                        ..Input::default()
                    },
                    1,
                ));
            }
        }
        let most = MAX_INPUTS / plain.len().max(1);
        let wanted = self.wanted.entry(id).or_default();
        wanted.extend(here.slots.keys().chain(here.said.keys()));
        let assignments = self.assignments(machine, id, most);
        for (input, weight) in &plain {
            add(input.clone(), *weight);
        }
        for data in &assignments {
            for (input, _) in &plain {
                add(with(input, data), 1);
            }
        }
        for (input, _) in plain.iter().filter(|_| !policies.navigation) {
            for level in &reads.frustration {
                add(
                    Input {
                        frustration: Some(*level),
                        ..input.clone()
                    },
                    1,
                );
            }
            for tone in &reads.tones {
                add(
                    Input {
                        tone: Some((&**tone).into()),
                        ..input.clone()
                    },
                    1,
                );
            }
            for also in &reads.also {
                add(
                    Input {
                        also: vec![Symbol::Known(*also)],
                        ..input.clone()
                    },
                    1,
                );
            }
        }
        moves
    }

    /// The assignments of data that a turn in a state can distinguish: all combinations, if they are few.
    ///
    /// A value that no reader of this turn reads can be said in the turn that first reads it, so it is not tried here.
    fn assignments(
        &mut self,
        machine: &Machine,
        id: StateId,
        most: usize,
    ) -> Vec<Vec<(SlotId, Value)>> {
        let wanted: Vec<(SlotId, Vec<Value>)> = self
            .wanted
            .get(&id)
            .into_iter()
            .flatten()
            .filter_map(|slot| Some((*slot, self.values.get(slot)?.clone())))
            .filter(|(_, values)| !values.is_empty())
            .collect();
        let count = wanted.iter().try_fold(1_usize, |count, (_, values)| {
            count
                .checked_mul(values.len() + 1)
                .filter(|count| *count <= most.min(MAX_ASSIGNMENTS))
        });
        let mut all: Vec<Vec<(SlotId, Value)>> = vec![Vec::new()];
        if count.is_some() {
            for (slot, values) in &wanted {
                let longer: Vec<Vec<(SlotId, Value)>> = all
                    .iter()
                    .flat_map(|data| {
                        values.iter().map(|value| {
                            let mut data = data.clone();
                            data.push((*slot, value.clone()));
                            data
                        })
                    })
                    .collect();
                all.extend(longer);
            }
        } else {
            for (slot, values) in &wanted {
                all.extend(values.iter().map(|value| vec![(*slot, value.clone())]));
            }
            let pairs = pairs(&wanted);
            if pairs.len() <= most.min(MAX_PAIRS) {
                all.extend(pairs);
            }
            let first =
                |(slot, values): &(SlotId, Vec<Value>)| Some((*slot, values.first()?.clone()));
            all.push(wanted.iter().filter_map(first).collect());
            let names: Vec<&str> = wanted
                .iter()
                .map(|(slot, _)| machine.names.slots.name(*slot))
                .collect();
            let reason = format!(
                "one turn can bring {} slots, and not all combinations are tried",
                names.len()
            );
            self.loose.insert(reason.into());
        }
        all.sort_by_key(Vec::len);
        all.retain(|data| !data.is_empty());
        all
    }
}

/// The assignments of two slots.
fn pairs(wanted: &[(SlotId, Vec<Value>)]) -> Vec<Vec<(SlotId, Value)>> {
    let mut all = Vec::new();
    for (at, (slot, values)) in wanted.iter().enumerate() {
        for (other, others) in wanted.iter().skip(at + 1) {
            for value in values {
                all.extend(
                    others
                        .iter()
                        .map(|second| vec![(*slot, value.clone()), (*other, second.clone())]),
                );
            }
        }
    }
    all
}

/// Whether a state reacts to an event.
fn takes(machine: &Machine, id: StateId, intent: IntentId) -> bool {
    machine.reopens(id, intent)
        || machine.state(id).rules.get(intent).is_some()
        || machine.policies.inquiry().is_some()
        || machine.policies.inputs().tasks
}

/// The values that a user can give to slots: those of slots that a model asks for, or that no operation sets.
fn values(machine: &Machine, settings: &Settings, reads: &Reads) -> BTreeMap<SlotId, Vec<Value>> {
    let asked: BTreeSet<SlotId> = machine
        .states
        .iter()
        .flat_map(|state| state.required.iter().chain(&state.optional))
        .copied()
        .collect();
    let flagged = |slot: SlotId| {
        let mut flags = machine.states.iter().flat_map(|state| &state.set_flags);
        flags.any(|(flag, _)| *flag == slot)
            || machine.initial_data.iter().any(|(known, _)| *known == slot)
            || machine.well_known.branch_results == Some(slot)
    };
    let slots: BTreeSet<SlotId> = reads
        .slots
        .keys()
        .chain(reads.said.keys())
        .copied()
        .collect();
    let mut all = BTreeMap::new();
    for slot in slots {
        let declared = machine.slot(slot);
        let is_said = declared.is_declared
            || asked.contains(&slot)
            || reads.said.contains_key(&slot)
            || !(machine.operates_on(slot) || flagged(slot) || reads.written.contains(&slot));
        if !is_said || machine.policies.inquiry().is_some() {
            continue;
        }
        let mut said = [SaidSlot::new(machine, settings, reads, slot)];
        let candidates = said.iter().flat_map(SaidSlot::candidates).collect();
        let mut chosen = SaidSlot::choose(&mut said, candidates);
        chosen.truncate(MAX_VALUES);
        all.insert(slot, chosen);
    }
    all
}

/// The values of a slot that a user can say.
pub(crate) struct SaidSlot<'m> {
    machine: &'m Machine,
    settings: &'m Settings,
    slot: SlotId,
    tests: SlotReads,
    /// Whether readers distinguish all values.
    is_exact: bool,
    partition: Partition,
}

impl<'m> SaidSlot<'m> {
    pub(crate) fn new(
        machine: &'m Machine,
        settings: &'m Settings,
        reads: &Reads,
        slot: SlotId,
    ) -> Self {
        let mut tests = SlotReads::default();
        for known in [reads.slots.get(&slot), reads.said.get(&slot)]
            .into_iter()
            .flatten()
        {
            tests.exact |= known.exact;
            tests.tests.extend(known.tests.iter().cloned());
        }
        let is_exact = std::mem::take(&mut tests.exact);
        let mut partition = Partition::new(slot, &tests, machine);
        partition.block(&Value::Null, machine, settings);
        Self {
            machine,
            settings,
            slot,
            tests,
            is_exact,
            partition,
        }
    }

    pub(crate) fn candidates(&self) -> Vec<Value> {
        Partition::candidates(&self.tests, self.slot, self.machine.slot(self.slot))
    }

    /// The block of a value; `None` if the slot does not accept it.
    fn block(&mut self, value: &Value) -> Option<u32> {
        let field = self.machine.frames.field(self.slot);
        let is_admitted = self.machine.slot(self.slot).admit(value).as_ref() == Some(value)
            && field.is_none_or(|(_, field)| field.kind.admits(value))
            && value.as_text() != Some("");
        is_admitted.then(|| self.partition.block(value, self.machine, self.settings))
    }

    /// A value for each combination of blocks of these slots, which are one slot of several models.
    pub(crate) fn choose(said: &mut [Self], candidates: Vec<Value>) -> Vec<Value> {
        let is_exact = said.iter().any(|said| said.is_exact);
        let mut seen: BTreeSet<Vec<Option<u32>>> = BTreeSet::from([vec![Some(0); said.len()]]);
        let mut chosen: Vec<Value> = Vec::new();
        for value in candidates {
            let blocks: Vec<Option<u32>> = said.iter_mut().map(|said| said.block(&value)).collect();
            let is_said = blocks.iter().any(Option::is_some);
            // Two values of a block suffice for readers that distinguish all values.
            let is_second = is_exact && chosen.len() < 2 && !chosen.contains(&value);
            if is_said && (seen.insert(blocks) || is_second) {
                chosen.push(value);
            }
        }
        chosen
    }
}

/// The classes of the intents that a user can have, each represented by its first intent.
fn classes(
    machine: &Machine,
    reads: &Reads,
    distinct: &BTreeSet<IntentId>,
    class_of: &mut BTreeMap<IntentId, IntentId>,
) -> Vec<IntentClass> {
    let ruled = ruled(machine);
    let mut mentioned = mentioned(machine, reads, &ruled);
    mentioned.extend(distinct);
    let known: BTreeSet<IntentId> = machine.known_intents().iter().copied().collect();
    let unclear = machine.policies.inputs().unclear;
    let events = machine.intents.ids().filter(|id| machine.is_event(*id));
    let mut all: Vec<IntentId> = known.iter().copied().chain(unclear).chain(events).collect();
    // Intents of the model come first, so that they represent their class.
    let is_own = |id: &IntentId| {
        let places = &machine.description(*id);
        mentioned.contains(id) || places.is_given() && !places.examples.is_empty()
    };
    all.sort_by_key(|id| !is_own(id));
    all.dedup();
    let mut classes: Vec<IntentClass> = Vec::new();
    // Contracts and cycles name intents only in conditions.
    let counted = if ruled.is_empty() { &mentioned } else { &ruled };
    for id in all {
        let weight = u32::from(counted.contains(&id) || machine.description(id).is_given());
        let alike = |class: &&mut IntentClass| {
            !mentioned.contains(&id)
                && !mentioned.contains(&class.intent)
                && is_alike(machine, reads, id, class.intent)
        };
        let intent = match classes.iter_mut().find(alike) {
            Some(class) => {
                class.weight += weight;
                class.intent
            }
            None => {
                classes.push(IntentClass { intent: id, weight });
                id
            }
        };
        class_of.entry(id).or_insert(intent);
    }
    classes
}

fn is_alike(machine: &Machine, reads: &Reads, one: IntentId, other: IntentId) -> bool {
    let (a, b) = (machine.intent(one), machine.intent(other));
    let listed = |id| {
        let entries = machine.priorities.entries.iter();
        let lists = entries.flat_map(|entry| [&entry.intents, &entry.category]);
        lists
            .flatten()
            .map(|list| list.contains(&id))
            .collect::<Vec<bool>>()
    };
    machine.is_event(one) == machine.is_event(other)
        && a.categories == b.categories
        && a.traits == b.traits
        && a.default_answer == b.default_answer
        && a.repeat_group == b.repeat_group
        && !(a.has(Traits::QUESTION) && reads.signals.contains_key(&Signal::RepeatedQuestion))
        && a.source_filter == b.source_filter
        && a.anywhere == b.anywhere
        && listed(one) == listed(other)
        && machine
            .policies
            .facts()
            .all(|policy| policy.is_like(one, other))
}

/// The intents that rules and transitions name.
fn ruled(machine: &Machine) -> BTreeSet<IntentId> {
    let mut found: BTreeSet<IntentId> = BTreeSet::new();
    for state in &machine.states {
        let chains = state.rules.iter().chain(state.transitions.iter());
        found.extend(chains.map(|(intent, _)| intent));
        if let Some(ControlNode::Fork(fork)) = state.node.as_deref() {
            found.extend(
                fork.branches
                    .iter()
                    .flat_map(|plan| plan.handles.iter().copied()),
            );
        }
    }
    found
}

/// The intents that rules or conditions name.
fn mentioned(machine: &Machine, reads: &Reads, ruled: &BTreeSet<IntentId>) -> BTreeSet<IntentId> {
    let mut found = ruled.clone();
    found.extend(
        reads
            .intent_totals
            .keys()
            .chain(reads.intent_streaks.keys())
            .copied(),
    );
    found.extend(&reads.runs);
    for condition in &machine.conditions {
        match condition {
            Condition::Intents(intents) => found.extend(intents.iter().copied()),
            Condition::Test(Subject::Intent, Test::Is(values)) => {
                let names = values.iter().filter_map(Value::as_text);
                found.extend(names.filter_map(|name| machine.names.intents.id(name)));
            }
            Condition::Test(
                Subject::Streak(Counted::Intent(intent)) | Subject::Total(Counted::Intent(intent)),
                _,
            ) => {
                found.insert(*intent);
            }
            _ => {}
        }
    }
    found
}
