//! Effects, and limits that replies went past, as records show them.

use super::sink::{Sink, key};
use crate::engine::policy::instructions::LimitViolation;
use crate::engine::{Effect, EffectKind, Machine, Verdict};
use crate::machine::Value;

/// An effect as records show it: what it is, of which state, what it is about, whether the gates let it pass, and what the
/// world did or why it was denied.
pub(super) fn write_effect(effect: &Effect, machine: &Machine, out: &mut impl Sink) {
    let names = &machine.names;
    out.object(|out| {
        match &effect.kind {
            EffectKind::Read { state, keys } => {
                out.key(key!("effect")).word("read");
                out.key(key!("state")).text(names.states.name(*state));
                out.key(key!("keys")).texts(keys.iter().map(|slot| names.slots.name(*slot)));
            }
            EffectKind::Write { state, schema, payload } => {
                out.key(key!("effect")).word("write");
                out.key(key!("state")).text(names.states.name(*state));
                out.key(key!("schema")).text(machine.instructions().map_or("", |own| own.schema_name(*schema)));
                out.key(key!("payload")).value(payload);
            }
        }
        match &effect.verdict {
            Verdict::Allowed => out.key(key!("verdict")).word("allowed"),
            Verdict::Denied(denial) => {
                out.key(key!("verdict")).word("denied");
                out.key(key!("why")).text(denial.words());
            }
        }
        if let Some(outcome) = effect.outcome {
            out.key(key!("outcome")).word(outcome.name());
        }
    });
}

/// A limit that replies went past, as records show it.
pub(super) fn write_limit_violation(violation: &LimitViolation, machine: &Machine, out: &mut impl Sink) {
    let limit = machine.instructions().and_then(|own| own.limits.get(violation.limit));
    out.object(|out| {
        out.key(key!("limit")).text_or_null(limit.map(|limit| &*limit.name));
        out.key(key!("found")).int(violation.found);
        out.key(key!("most")).value_or_null(limit.map(|limit| Value::Int(limit.most.into())).as_ref());
    });
}
