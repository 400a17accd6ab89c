//! One of two models that are compared, with the names that it has in the other.

use std::collections::{BTreeMap, BTreeSet};

use super::inputs::{Refinement, SaidSlot};
use super::searched_model::SearchedModel;
use super::tuple_table::TupleTable;
use crate::limits::MAX_VALUES;
use fsmsim_core::engine::{
    Fault, Input, Machine, Session, Symbol, TurnData, TurnRecord, Verdict as Performed,
};
use fsmsim_core::machine::{
    Float, Id, IntentId, NeedKey, NeedKind, OpKind, Payload, SlotId, Speech, StateId, TextTemplate,
    Value, ValueSource,
};

/// The prefix of a transition's default action.
const ARRIVAL: &str = "transition_to_";

/// The observations of a turn, with the names of the second model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenTurn {
    pub from: String,
    pub to: String,
    pub phase: String,
    /// Empty if actions are not compared.
    pub action: String,
    pub class: &'static str,
    /// The class in the contract; empty without a contract.
    pub contract_class: String,
    pub is_final: bool,
    /// The effects with their outcomes.
    pub effects: Vec<String>,
    /// The messages, with the names of slots in place of their values.
    pub replies: Vec<String>,
    /// The violated rules of the contract, and the exceeded counters.
    pub violations: Vec<String>,
}

impl SeenTurn {
    /// The parts of the turn, by name.
    pub fn parts(&self) -> [(&'static str, String); 10] {
        [
            ("state", self.to.clone()),
            ("state before", self.from.clone()),
            ("phase", self.phase.clone()),
            ("action", self.action.clone()),
            ("class", self.class.to_owned()),
            ("contract class", self.contract_class.clone()),
            ("final", self.is_final.to_string()),
            ("effects", self.effects.join(", ")),
            ("replies", self.replies.join(" | ")),
            ("violations", self.violations.join(", ")),
        ]
    }
}

/// One of two models.
pub(crate) struct PairSide<'m> {
    pub(crate) searched: SearchedModel<'m>,
    pub(crate) states: TupleTable,
    /// Whether actions are compared.
    pub(crate) has_actions: bool,
    /// Renamed states: the name in this model, and the name in the second.
    renames: Vec<(String, String)>,
    /// Messages with values, and their texts with the names of slots.
    templates: Vec<(&'m TextTemplate, String)>,
    /// The first and last lines of messages that list known values.
    lists: Vec<(&'m str, &'m str)>,
}

impl<'m> PairSide<'m> {
    pub(crate) fn new(machine: &'m Machine, renames: &[(String, String)]) -> Self {
        let searched = SearchedModel::new(machine, machine.settings());
        let (mut templates, mut lists) = (Vec::new(), Vec::new());
        for op in machine.all_ops() {
            let OpKind::Say(speech) = &op.kind else {
                continue;
            };
            match &**speech {
                Speech::Filled { text, .. } if text.slots().next().is_some() => {
                    let name = |slot| Some(format!("{{{{{}}}}}", machine.names.slots.name(slot)));
                    templates.push((text, text.fill(name).unwrap_or_default()));
                }
                Speech::Known { before, after, .. } => lists.push((&**before, &**after)),
                Speech::Filled { .. } | Speech::Text(_) | Speech::Phrase { .. } => {}
            }
        }
        Self {
            states: TupleTable::new(searched.projection.width()),
            has_actions: !searched.projection.reads.hides_actions,
            searched,
            renames: renames.to_vec(),
            templates,
            lists,
        }
    }

    /// The name of a state in the second model.
    pub(crate) fn shared<'n>(&'n self, name: &'n str) -> &'n str {
        let mut renames = self.renames.iter();
        let found = renames.find(|(own, _)| own == name);
        found.map_or(name, |(_, shared)| shared)
    }

    /// The name of a state in this model.
    pub(crate) fn own<'n>(&'n self, name: &'n str) -> &'n str {
        let mut renames = self.renames.iter();
        let found = renames.find(|(_, shared)| shared == name);
        found.map_or(name, |(own, _)| own)
    }

    /// The position in the dialogue of a state.
    pub(crate) fn place(&self, state: u32) -> StateId {
        let key = self.states.get(state);
        StateId::from_index(key.first().copied().unwrap_or(0) as usize)
    }

    /// The name of a need, the same in both models.
    pub(crate) fn need_name(&self, key: NeedKey) -> (Box<str>, u32) {
        let name = match key.kind {
            NeedKind::Effect(effect) => self.searched.machine.names.effects.name(effect),
            kind => kind.name(),
        };
        (name.into(), key.index)
    }

    /// An input with the names of another model. A name that it does not know is an unknown name, as in a scenario.
    pub(crate) fn input_for(&self, input: &Input, to: &Self) -> Input {
        let (own, other) = (&self.searched.machine.names, &to.searched.machine.names);
        let intent = |name: &Symbol<IntentId>| Symbol::of(name.text(&own.intents), &other.intents);
        let goto = |name: &Symbol<StateId>| {
            let shared = self.shared(name.text(&own.states));
            Symbol::of(to.own(shared), &other.states)
        };
        let data = match &input.data {
            TurnData::Given(values) => {
                let values = values.iter().map(|(slot, value)| {
                    let slot = Symbol::of(slot.text(&own.slots), &other.slots);
                    (slot, value.clone())
                });
                TurnData::Given(values.collect())
            }
            other => other.clone(),
        };
        Input {
            intent: input.intent.as_ref().map(intent),
            also: input.also.iter().map(intent).collect(),
            goto: input.goto.as_ref().map(goto),
            data,
            ..input.clone()
        }
    }

    /// The observations of a turn. `session` is the session after the turn.
    pub(crate) fn seen(&self, record: &TurnRecord, session: &Session, acts: bool) -> SeenTurn {
        let Some(outcome) = &record.outcome else {
            return SeenTurn::default();
        };
        let names = &self.searched.machine.names;
        let state = |id| self.shared(names.states.name(id)).to_owned();
        let action = names.actions.name(outcome.action);
        let action = match action.strip_prefix(ARRIVAL) {
            Some(to) => [ARRIVAL, self.shared(to)].concat(),
            None => action.to_owned(),
        };
        let policies = &self.searched.machine.policies;
        let contract_class = policies.registered_class(record);
        let phase = outcome.phase.to;
        let effects = record.effects.iter().map(|effect| {
            let name = names.effects.name(effect.kind);
            match &effect.verdict {
                Performed::Allowed(outcome) => format!("{name}: {outcome}"),
                Performed::Broken { outcome, .. } => format!("{name}: {outcome}, invalid data"),
                Performed::Denied(why) => format!("{name}: denied ({why})"),
            }
        });
        let replies = record.replies.iter();
        let exceeded = record.violations.iter().filter_map(|fault| match fault {
            Fault::PastLimit { counter, .. } => Some(names.counters.name(*counter).to_owned()),
            _ => None,
        });
        let observed = policies.observe(record, self.searched.machine);
        let breaches = observed.breaches.into_iter().map(str::to_owned);
        SeenTurn {
            from: state(outcome.state.from),
            to: state(outcome.state.to),
            phase: phase
                .map_or("", |phase| names.phases.name(phase))
                .to_owned(),
            action: if acts { action } else { String::new() },
            class: outcome.class.into(),
            contract_class: contract_class.unwrap_or_default().to_owned(),
            is_final: outcome.is_final,
            effects: effects.collect(),
            replies: replies.map(|text| self.valueless(text, session)).collect(),
            violations: breaches.chain(exceeded).collect(),
        }
    }

    /// A message with the names of slots in place of their values. A restored session has any value of a block, so values
    /// are not compared.
    fn valueless(&self, text: &str, session: &Session) -> String {
        let known = |slot: SlotId| {
            let value = session.slots.get(slot);
            value.filled().then(|| value.in_words())
        };
        let mut templates = self.templates.iter();
        let template =
            templates.find(|(template, _)| template.fill(known).as_deref() == Some(text));
        let list = || {
            let mut lists = self.lists.iter();
            lists.find(|(before, after)| text.starts_with(*before) && text.ends_with(*after))
        };
        match template {
            Some((_, shown)) => shown.clone(),
            None => match list() {
                Some((before, after)) => format!("{before}\n…\n{after}"),
                None => text.to_owned(),
            },
        }
    }

    /// The payloads of each effect, as written.
    fn payloads(&self) -> BTreeMap<&'m str, BTreeSet<String>> {
        let machine = self.searched.machine;
        let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for op in machine.all_ops() {
            if let OpKind::Effect(used) = &op.kind {
                let name = machine.names.effects.name(used.effect);
                let text = payload_text(&used.payload, machine);
                all.entry(name).or_default().insert(text);
            }
        }
        all
    }
}

fn payload_text(payload: &Payload, machine: &Machine) -> String {
    let slot = |slot: &SlotId| machine.names.slots.name(*slot);
    match payload {
        Payload::Names(names) => names.iter().map(slot).collect::<Vec<_>>().join(", "),
        Payload::Known(schema) => machine.schemas[*schema].name.to_string(),
        Payload::Values(values) => {
            let text = |(key, source): &(Box<str>, ValueSource)| match source {
                ValueSource::Constant(value) => format!("{key}={value:?}"),
                ValueSource::Said(from) => format!("{key}=said {}", slot(from)),
                ValueSource::Slot(from) => format!("{key}=slot {}", slot(from)),
                ValueSource::Was(from) => format!("{key}=was {}", slot(from)),
                ValueSource::Attempted(from) => format!("{key}=attempted {}", slot(from)),
                ValueSource::Among(from, list) => {
                    format!("{key}={} among {}", slot(from), slot(list))
                }
                ValueSource::Outcome(path) => format!("{key}=outcome {path:?}"),
                ValueSource::Answer(need, path) => format!("{key}={} {path:?}", need.kind.name()),
                ValueSource::Turn => format!("{key}=turn"),
                ValueSource::Reading => format!("{key}=intent"),
            };
            values.iter().map(text).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Makes each model try what the other distinguishes. Returns the reasons why equality does not hold for all dialogues.
pub(crate) fn refine(sides: &mut [PairSide<'_>; 2]) -> BTreeSet<Box<str>> {
    let mut loose = BTreeSet::new();
    let mut refinements = [Refinement::default(), Refinement::default()];
    let said = sides.each_ref().map(|side| {
        let names = &side.searched.machine.names.slots;
        let slots = side.searched.inputs.values.keys();
        slots
            .map(|slot| names.name(*slot).to_owned())
            .collect::<BTreeSet<String>>()
    });
    for name in said.iter().flatten().collect::<BTreeSet<_>>() {
        let values = joint_values(sides, name);
        if values.len() > MAX_VALUES {
            loose.insert(format!("the slot `{name}` has many different values").into());
        }
        for ((side, refinement), said) in sides.iter().zip(&mut refinements).zip(&said) {
            let slot = side.searched.machine.names.slots.id(name);
            if let Some(slot) = slot.filter(|_| said.contains(name)) {
                let values = values.iter().take(MAX_VALUES).cloned();
                refinement.values.insert(slot, values.collect());
            }
        }
    }
    distinguish(sides, &mut refinements);
    let [one, other] = &*sides;
    let [first, second] = &mut refinements;
    for (to, from, refinement) in [(one, other, first), (other, one, second)] {
        let (names, others) = (&to.searched.machine.names, &from.searched.machine.names);
        for (state, slots) in &from.searched.inputs.wanted {
            let shared = from.shared(others.states.name(*state));
            if let Some(state) = names.states.id(to.own(shared)) {
                let known = slots
                    .iter()
                    .filter_map(|slot| names.slots.id(others.slots.name(*slot)));
                refinement.wanted.entry(state).or_default().extend(known);
            }
        }
    }
    let (payloads, others) = (one.payloads(), other.payloads());
    for (effect, payload) in &payloads {
        if others.get(effect).is_some_and(|other| other != payload) {
            loose.insert(format!("the payload of the effect `{effect}` is different").into());
        }
    }
    for (side, refinement) in sides.iter_mut().zip(refinements) {
        side.searched.refine(refinement);
    }
    loose
}

/// A value of the slot with this name for each combination of blocks in both models.
fn joint_values(sides: &[PairSide<'_>; 2], name: &str) -> Vec<Value> {
    let said = sides.iter().filter_map(|side| {
        let searched = &side.searched;
        let slot = searched.machine.names.slots.id(name)?;
        let reads = &searched.projection.reads;
        Some(SaidSlot::new(
            searched.machine,
            &searched.settings,
            reads,
            slot,
        ))
    });
    let mut said: Vec<SaidSlot<'_>> = said.collect();
    let mut candidates: Vec<Value> = said.iter().flat_map(SaidSlot::candidates).collect();
    let mut numbers: Vec<f64> = candidates.iter().filter_map(Value::as_number).collect();
    numbers.sort_by(f64::total_cmp);
    candidates.extend(numbers.windows(2).filter_map(|pair| match pair {
        [low, high] if low < high => Some(Value::Float(Float::new(f64::midpoint(*low, *high)))),
        _ => None,
    }));
    SaidSlot::choose(&mut said, candidates)
}

/// Finds an intent for each combination of classes in both models.
fn distinguish(sides: &[PairSide<'_>; 2], refinements: &mut [Refinement; 2]) {
    let classes = sides.iter().flat_map(|side| {
        let names = &side.searched.machine.names.intents;
        let classes = side.searched.inputs.class_of.iter();
        classes.map(move |(intent, class)| (intent != class, names.name(*intent)))
    });
    // Intents that represent a class come first.
    let mut intents: Vec<(bool, &str)> = classes.collect();
    intents.sort_by_key(|(is_member, _)| *is_member);
    let mut seen: BTreeSet<[Option<IntentId>; 2]> = BTreeSet::new();
    for (_, name) in intents {
        let ids = sides
            .each_ref()
            .map(|side| side.searched.machine.names.intents.id(name));
        let class = |(side, id): (&PairSide<'_>, Option<IntentId>)| {
            side.searched.inputs.class_of.get(&id?).copied()
        };
        let mut found = sides.iter().zip(ids).map(class);
        let signature = [(); 2].map(|()| found.next().flatten());
        if seen.insert(signature) {
            for ((refinement, id), class) in refinements.iter_mut().zip(ids).zip(signature) {
                refinement
                    .distinct
                    .extend(id.filter(|_| class.is_some() && id != class));
            }
        }
    }
}
