//! What a trace shows of the properties of the model (docs/operations.md, "Properties").

use super::super::known_frames::KnownFrames;
use super::CheckContext;
use super::told::{input, session};
use crate::engine::{FinishedTurn, KnownTurn, PropertyView};
use crate::trace::RecordField;

/// What a turn shows of each property, as far as the trace tells what it asks.
pub(in crate::verify) fn sights(context: &CheckContext<'_>) -> Vec<PropertyView> {
    let (machine, shadow) = (context.machine(), context.shadow);
    if machine.properties.is_empty() {
        return Vec::new();
    }
    let has_frames = !machine.frames.is_empty();
    let (had, has) = (shadow.data, context.now.map(RecordField::Data));
    let known = KnownTurn {
        from: context.state_before(),
        to: context.state_after(),
        // What was set between the turns is no part of what the last one told.
        before: had.is_some() && shadow.set.is_empty() && (!has_frames || shadow.frames.is_some()),
        after: has.is_some() && (!has_frames || context.frames.is_some()),
    };
    let none = KnownFrames::default();
    let before = session(machine, context.from, shadow.frames.as_ref().unwrap_or(&none), had, shadow.counters);
    let after = session(
        machine,
        Some(context.to),
        context.frames.unwrap_or(&none),
        has,
        context.now.field(RecordField::Counters),
    );
    let input = input(machine, context.settings, &before, &context.now.input, &context.now.answers);
    FinishedTurn::outside(machine, context.settings, &before, &after, &input, known).sights(|_| true).collect()
}
