//! An effect as records show it.

use crate::engine::{Deed, Denial, Effect, Verdict};
use crate::machine::{Machine, SlotId, Value};

/// An effect as records show it: what it is, of which state, what it is about, whether the gates let it pass, and what the
/// world did or why it was denied.
pub(super) fn effect_value(effect: &Effect, machine: &Machine) -> Value {
    let state_name = |state| Value::text(machine.names.states.name(state));
    let slot = |slot: &SlotId| Value::text(machine.names.slots.name(*slot));
    let mut pairs = match &effect.deed {
        Deed::Read { state, keys } => vec![
            ("effect", Value::text("read")),
            ("state", state_name(*state)),
            ("keys", Value::List(keys.iter().map(slot).collect())),
        ],
        Deed::Write { state, schema, payload } => {
            let schemas = machine.guidance.as_deref().map(|guidance| &guidance.schemas);
            let name = schemas.and_then(|schemas| schemas.get(*schema)).map_or("", |(name, _)| name);
            vec![
                ("effect", Value::text("write")),
                ("state", state_name(*state)),
                ("schema", Value::text(name)),
                ("payload", payload.clone()),
            ]
        }
    };
    pairs.push(match &effect.verdict {
        Verdict::Allowed => ("verdict", Value::text("allowed")),
        Verdict::Denied(_) => ("verdict", Value::text("denied")),
    });
    match &effect.verdict {
        Verdict::Allowed => {}
        Verdict::Denied(denial) => pairs.push((
            "why",
            match denial {
                Denial::NotAsked => Value::text("consent was not asked for"),
                Denial::Refused => Value::text("consent was refused"),
                Denial::BreaksSchema(how) => Value::text(how),
            },
        )),
    }
    if let Some(outcome) = effect.outcome {
        pairs.push(("outcome", Value::text(outcome.name())));
    }
    Value::map(pairs)
}
