//! Lookup of the names that conditions and operations refer to.

use fsmsim_core::machine::{EffectId, Id, MachineBuilder, SlotId, StateId};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// The slot with this name. `frame.field` must be a declared field; any other name is valid.
pub fn slot_named(
    name: &str,
    span: Span,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Option<SlotId> {
    if name.contains('.') {
        field_named(name, span, builder, found)
    } else {
        Some(builder.slot(name))
    }
}

/// The slot of the field `frame.field`, or a finding.
pub fn field_named(
    name: &str,
    span: Span,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) -> Option<SlotId> {
    let full = |slot| builder.names.slots.name(slot);
    let known = || builder.frames.fields().map(|(_, field)| full(field.slot));
    if let Some((_, field)) = builder
        .frames
        .fields()
        .find(|(_, field)| full(field.slot) == name)
    {
        return Some(field.slot);
    }
    let (frame, field) = name.split_once('.').unwrap_or(("", name));
    let title = match builder.frames.iter().find(|known| &*known.name == frame) {
        Some(_) => format!("unknown field `{field}` in the frame `{frame}`"),
        None => format!("unknown field `{name}`"),
    };
    Diagnostic::error(Code::UnknownField, title)
        .at(span, "not defined")
        .near(
            name,
            known(),
            "write `FRAME.FIELD` with names declared under `frames`",
        )
        .refuse(found)
}

/// The declared kind of effect with this name.
pub(in crate::dialect) fn effect_named(
    name: &str,
    span: Span,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) -> Option<EffectId> {
    let effects = &builder.names.effects;
    effects.id(name).or_else(|| {
        Diagnostic::undefined(Code::UnknownEffect, "effect", name, span)
            .near(name, effects.iter(), "declare it under `effects`")
            .refuse(found)
    })
}

/// The names of the declared states.
pub(in crate::dialect) fn state_names(builder: &MachineBuilder) -> impl Iterator<Item = &str> {
    builder
        .states
        .pairs()
        .filter(|(_, state)| state.declared)
        .map(|(id, _)| builder.names.states.name(id))
}

/// The declared state with this name.
pub(in crate::dialect) fn state_named(name: &str, builder: &MachineBuilder) -> Option<StateId> {
    let id = builder.names.states.id(name)?;
    builder.states.lookup(id)?.declared.then_some(id)
}

/// Pairs names with their IDs.
pub(in crate::dialect) fn numbered<'n, I: Id>(
    names: impl Iterator<Item = &'n str>,
) -> impl Iterator<Item = (I, &'n str)> {
    names
        .enumerate()
        .map(|(number, name)| (I::from_index(number), name))
}

/// Splits a path through nested maps, such as `a.b`, into keys.
pub(in crate::dialect) fn keys(path: &str) -> Box<[Box<str>]> {
    path.split('.')
        .filter(|key| !key.is_empty())
        .map(Into::into)
        .collect()
}
