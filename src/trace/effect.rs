//! Effects, and limits that replies went past, as records show them.

use crate::engine::{Effect, EffectKind, LimitViolation, Verdict};
use crate::machine::{Machine, SlotId, Value};

/// An effect as records show it: what it is, of which state, what it is about, whether the gates let it pass, and what the
/// world did or why it was denied.
pub(super) fn effect_value(effect: &Effect, machine: &Machine) -> Value {
    let state_name = |state| Value::text(machine.names.states.name(state));
    let slot = |slot: &SlotId| Value::text(machine.names.slots.name(*slot));
    let mut pairs = match &effect.deed {
        EffectKind::Read { state, keys } => vec![
            ("effect", Value::text("read")),
            ("state", state_name(*state)),
            ("keys", Value::List(keys.iter().map(slot).collect())),
        ],
        EffectKind::Write { state, schema, payload } => {
            vec![
                ("effect", Value::text("write")),
                ("state", state_name(*state)),
                ("schema", Value::text(machine.schema_name(*schema))),
                ("payload", payload.clone()),
            ]
        }
    };
    pairs.push(match &effect.verdict {
        Verdict::Allowed => ("verdict", Value::text("allowed")),
        Verdict::Denied(_) => ("verdict", Value::text("denied")),
    });
    if let Verdict::Denied(denial) = &effect.verdict {
        pairs.push(("why", Value::text(denial.words())));
    }
    if let Some(outcome) = effect.outcome {
        pairs.push(("outcome", Value::text(outcome.name())));
    }
    Value::map(pairs)
}

/// A limit that replies went past, as records show it.
pub(super) fn excess_value(excess: &LimitViolation, machine: &Machine) -> Value {
    let limit = machine.reply_limit(excess.limit);
    Value::map([
        ("limit", limit.map_or(Value::Null, |limit| Value::text(&limit.name))),
        ("found", Value::Int(excess.found.into())),
        ("most", limit.map_or(Value::Null, |limit| Value::Int(limit.most.into()))),
    ])
}
