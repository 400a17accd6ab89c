//! What a turn did by its contract, as records show it: the class, the frames, breaches and events.

use super::record_view::RecordView;
use crate::engine::{Breach, Choice, Symbol};
use crate::machine::{Depth, Value};

/// The name of the class of a turn; nothing where it has none.
pub(super) fn class_of<'a>(line: &RecordView<'a>) -> Option<&'a str> {
    let settled = line.record.settled.as_ref()?;
    Some(settled.class.map_or(UNCLASSIFIED, |class| Choice::name(line.machine, class)))
}

/// What stands for the class of a turn that no class takes.
const UNCLASSIFIED: &str = "unclassified";

/// The frames with what is known in them; null for a machine without frames.
pub(super) fn frames_value(line: &RecordView<'_>) -> Value {
    let Some(contract) = line.machine.contract.as_deref() else { return Value::Null };
    let frames = contract.frames.iter().filter_map(|frame| {
        let fields = frame.fields.iter().map(|field| (&*field.name, line.session.slots.get(field.slot)));
        let known: Vec<_> =
            fields.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, value.clone())).collect();
        (!known.is_empty()).then(|| (&*frame.name, Value::map(known)))
    });
    Value::map(frames)
}

/// How much was carried over; nothing for a machine without frames.
pub(super) fn depth_of(line: &RecordView<'_>) -> Option<Depth> {
    let contract = line.machine.contract.as_deref()?;
    let settled = line.record.settled.as_ref().and_then(|settled| settled.depth);
    if settled.is_some() {
        return settled;
    }
    let kept = line.record.carryover.kept.iter().filter_map(Symbol::known);
    let frames = kept.filter_map(|slot| contract.field(slot).map(|(frame, _)| frame));
    Some(frames.fold(Depth::NONE, |depth, frame| depth.with(frame.part)))
}

/// A breach of the contract.
pub(super) fn breach_value(breach: &Breach, line: &RecordView<'_>) -> Value {
    let machine = line.machine;
    let class = |class| Value::text(Choice::name(machine, class));
    let mut parts = vec![("fault", Value::text(breach.name()))];
    match breach {
        Breach::Unclassified => {}
        Breach::UnknownOutcome(outcome) => parts.push(("outcome", Value::text(outcome))),
        Breach::Value { slot, value, .. } => {
            parts.push(("field", Value::text(machine.names.slots.name(*slot))));
            parts.push(("value", value.clone()));
        }
        Breach::Answer { class: id, mode } => {
            parts.push(("class", class(*id)));
            parts.push(("answer", mode.clone()));
        }
        Breach::Property { class: id, property } => {
            let contract = machine.contract.as_deref();
            let rule = contract.and_then(|contract| contract.classes.lookup(*id)?.properties.get(*property));
            parts.push(("class", class(*id)));
            parts.push(("property", rule.map_or(Value::Null, |rule| Value::text(&rule.name))));
        }
    }
    Value::map(parts)
}

/// What happened while the class was chosen: several took the turn, some lacked what they require, another took over.
pub(super) fn class_events(line: &RecordView<'_>) -> Vec<Value> {
    let Some(settled) = line.record.settled.as_ref() else { return Vec::new() };
    let name = |class: &_| Value::text(Choice::name(line.machine, *class));
    let names = |classes: &[_]| Value::List(classes.iter().map(name).collect());
    let choice = &settled.choice;
    let mut events = Vec::new();
    if !choice.refused.is_empty() {
        events
            .push(Value::map([("event", Value::text("class_refused")), ("classes", names(&choice.refused))]));
    }
    if let Some(chosen) = choice.class.filter(|_| !choice.also.is_empty()) {
        events.push(Value::map([
            ("event", Value::text("class_ambiguous")),
            ("taken", name(&chosen)),
            ("also", names(&choice.also)),
        ]));
    }
    if let (Some(chosen), Some(class)) = (choice.class, settled.class)
        && chosen != class
    {
        events.push(Value::map([
            ("event", Value::text("class_replaced")),
            ("from", name(&chosen)),
            ("to", name(&class)),
            ("outcome", settled.outcome.as_deref().map_or(Value::Null, Value::text)),
        ]));
    }
    events
}
