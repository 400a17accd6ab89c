//! The properties of the model, as far as a trace tells what they ask (docs/operations.md, "Properties").

use super::super::check_context::rule_place;
use super::super::known_frames::KnownFrames;
use super::told::{input, session};
use super::{CheckContext, Finding};
use crate::engine::broken_properties;
use crate::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let (machine, shadow) = (context.machine(), context.shadow);
    // What was set between the turns is no part of what the last one told.
    if machine.properties.is_empty() || !shadow.set.is_empty() {
        return;
    }
    let none = KnownFrames::default();
    let frames =
        if machine.frames.is_empty() { Some((&none, &none)) } else { shadow.frames.as_ref().zip(context.frames) };
    let (Some((before, after)), Some(had), Some(has)) = (frames, shadow.data, context.now.map(RecordField::Data))
    else {
        return;
    };
    let before = session(machine, context.from, before, Some(had));
    let after = session(machine, Some(context.to), after, Some(has));
    let input = input(machine, &context.now.input, &context.now.answers);
    for property in broken_properties(machine, context.settings, &before, &after, &input) {
        let found = format!("`{}` does not hold", property.name);
        let declared = if property.always { "it always holds" } else { "what it asks for never holds" };
        let place = Some(rule_place(machine, property.rule));
        breaches.push(Finding { place, ..context.breach("broken_property", None, found, declared.to_owned()) });
    }
}
