//! The answers that a search tries for a need.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::MAX_ANSWERS;
use fsmsim_core::engine::{DOWN, Machine, Need};
use fsmsim_core::machine::{
    Condition, EffectId, Float, List, OpKind, SlotId, StateId, Subject, Value, ValueSource,
};

/// The values that answer a need, the simplest first. `values` has a value for each block of each slot.
pub(crate) fn answers(
    need: &Need,
    machine: &Machine,
    values: &BTreeMap<SlotId, Vec<Value>>,
) -> Vec<Option<Value>> {
    let mut all = match need {
        Need::Classify { .. } | Need::Navigate { .. } => vec![None],
        Need::Phrase { .. } => vec![Some(Value::text("reply"))],
        Need::Decide { .. } => decisions(machine),
        Need::Assess { state } => assessments(machine, *state),
        Need::Work { state } => work(machine, *state, values),
        Need::Effect { effect, .. } => outcomes(machine, *effect, values),
    };
    all.truncate(MAX_ANSWERS);
    all
}

fn decisions(machine: &Machine) -> Vec<Option<Value>> {
    let states = machine
        .declared_states()
        .filter(|(_, state)| !state.is_target_only());
    let to = states.map(|(id, _)| {
        Some(Value::map([
            ("next_state", Value::text(machine.names.states.name(id))),
            ("should_transition", Value::Bool(true)),
        ]))
    });
    std::iter::once(None).chain(to).collect()
}

fn assessments(machine: &Machine, state: StateId) -> Vec<Option<Value>> {
    let number = |number: f64| Value::Float(Float::new(number));
    let whole = |completeness: f64| Value::map([("completeness", number(completeness))]);
    let mut all = vec![Some(whole(1.0)), Some(whole(0.0))];
    let Some(inquiry) = machine.policies.inquiry() else {
        return all;
    };
    if inquiry.summary == Some(state) {
        all.insert(0, Some(Value::map([("approved", Value::Bool(true))])));
    }
    for point in &inquiry.points {
        let item = Value::map([
            ("point", Value::text(&point.id)),
            ("completeness", number(1.0)),
        ]);
        all.push(Some(Value::map([
            ("completeness", number(1.0)),
            ("for", Value::List(List::from([item]))),
        ])));
        if inquiry.summary == Some(state) {
            let item = Value::map([("point", Value::text(&point.id))]);
            all.push(Some(Value::map([("for", Value::List(List::from([item])))])));
        }
    }
    all
}

fn work(
    machine: &Machine,
    state: StateId,
    values: &BTreeMap<SlotId, Vec<Value>>,
) -> Vec<Option<Value>> {
    let Some(worker) = machine.policies.worker(state) else {
        return vec![None];
    };
    let outputs: Vec<(&str, Vec<Value>)> = worker
        .brings
        .iter()
        .filter(|(name, _)| !name.contains('.'))
        .map(|(name, slot)| {
            let known = values
                .get(slot)
                .filter(|values| !values.is_empty())
                .cloned();
            (&**name, known.unwrap_or_else(|| vec![Value::text("done")]))
        })
        .collect();
    variants(&outputs)
        .into_iter()
        .map(Some)
        .chain([None])
        .collect()
}

/// Maps with the first value of each key, and those that differ from it in one value.
fn variants(keys: &[(&str, Vec<Value>)]) -> Vec<Value> {
    let with = |changed: Option<(usize, &Value)>| {
        let pairs = keys.iter().enumerate().filter_map(|(at, (name, values))| {
            let value = changed
                .filter(|(key, _)| *key == at)
                .map(|(_, value)| value);
            Some((*name, value.or(values.first())?.clone()))
        });
        Value::map(pairs)
    };
    let others = keys
        .iter()
        .enumerate()
        .flat_map(|(at, (_, values))| values.iter().skip(1).map(move |value| (at, value)));
    std::iter::once(with(None))
        .chain(others.map(|other| with(Some(other))))
        .collect()
}

/// Every status that an outcome of the effect names, success and failure, each with the data that it can return.
fn outcomes(
    machine: &Machine,
    effect: EffectId,
    values: &BTreeMap<SlotId, Vec<Value>>,
) -> Vec<Option<Value>> {
    let definition = &machine.effects[effect];
    let mut ids: Vec<_> = definition.outcomes.to_vec();
    for op in machine.all_ops() {
        if let OpKind::Effect(used) = &op.kind
            && used.effect == effect
        {
            ids.extend(used.outcomes.iter().copied());
        }
    }
    let policies = machine.policies.facts();
    ids.extend(policies.flat_map(|policy| policy.outcomes(effect)));
    let mut keys: BTreeMap<Box<str>, Vec<Value>> = BTreeMap::new();
    for id in &ids {
        for op in machine.ops(machine.outcomes[*id].rule) {
            if let (Some(ValueSource::Outcome(path)), Some(slot)) = (op.source(), op.slot()) {
                let known = values.get(&slot).cloned().unwrap_or_default();
                if let Some(key) = path.first() {
                    keys.entry(key.clone()).or_default().extend(known);
                }
            }
        }
    }
    for condition in &machine.conditions {
        if let Condition::Test(Subject::Returned(path), test) = condition
            && let Some(key) = path.first()
        {
            let named = match test {
                fsmsim_core::machine::Test::Is(values) => values.to_vec(),
                _ => vec![Value::Bool(true), Value::Bool(false)],
            };
            keys.entry(key.clone()).or_default().extend(named);
        }
    }
    let returned: Vec<(&str, Vec<Value>)> = keys
        .iter()
        .map(|(key, values)| (&**key, values.clone()))
        .collect();
    let data = variants(&returned);
    let statuses = ids.iter().map(|id| &*machine.outcomes[*id].status);
    let mut seen = BTreeSet::new();
    let statuses: Vec<&str> = std::iter::once("ok")
        .chain(statuses)
        .chain(["error", DOWN])
        .filter(|status| seen.insert(*status))
        .collect();
    let answer = |status: &str, data: &Value| {
        let pairs = match data {
            Value::Map(pairs) => pairs
                .iter()
                .map(|(key, value)| (&**key, value.clone()))
                .collect(),
            _ => Vec::new(),
        };
        Some(Value::map(
            std::iter::once(("status", Value::text(status))).chain(pairs),
        ))
    };
    statuses
        .iter()
        .flat_map(|status| data.iter().map(|data| answer(status, data)))
        .collect()
}
