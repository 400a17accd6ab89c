//! What a turn did by its contract, as records show it: the class, the frames, breaches and events.

use super::record_view::RecordView;
use super::sink::{Sink, key};
use crate::engine::Symbol;
use crate::engine::policy::contract::{ContractOutcome, Depth, Violation};
use crate::machine::{ClassId, Value};

/// What stands for the class of a turn that no class takes.
const UNCLASSIFIED: &str = "unclassified";

impl<'a> RecordView<'a> {
    /// The class of the turn by the contract of the machine; nothing where it has none.
    pub fn contract_class(&self) -> Option<&'a str> {
        Some(self.contract_outcome()?.class.map_or(UNCLASSIFIED, |class| self.class_name(class)))
    }

    /// To what the turn came by the contract of the machine; nothing where it has none.
    pub fn contract_outcome(&self) -> Option<&'a ContractOutcome> {
        self.record.contract()?.outcome.as_deref()
    }

    /// The name of a class of the contract.
    pub fn class_name(&self, class: ClassId) -> &'a str {
        self.machine.contract().map_or("", |contract| contract.class_name(class))
    }

    /// How much was carried over; nothing for a machine without frames.
    pub fn depth(&self) -> Option<Depth> {
        self.machine.contract()?;
        if let Some(depth) = self.contract_outcome().and_then(|outcome| outcome.depth) {
            return Some(depth);
        }
        let kept = self.record.carryover.kept.iter().filter_map(Symbol::known);
        let frames = kept.filter_map(|slot| self.machine.frames.field(slot).map(|(frame, _)| frame));
        Some(frames.fold(Depth::NONE, |depth, frame| depth.with(frame.part)))
    }
}

/// The frames with what is known in them; null for a machine without frames.
pub(super) fn write_frames(line: &RecordView<'_>, out: &mut impl Sink) {
    if line.machine.contract().is_none() {
        return out.value(&Value::Null);
    }
    out.object(|out| {
        for frame in &line.machine.frames {
            let fields = frame.fields.iter().map(|field| (&*field.name, line.session.slots.get(field.slot)));
            let mut known = fields.filter(|(_, value)| !value.is_null()).peekable();
            if known.peek().is_some() {
                out.name(&frame.name).map(known);
            }
        }
    });
}

/// Something that was done and the contract does not allow.
pub(super) fn write_violation(violation: &Violation, line: &RecordView<'_>, out: &mut impl Sink) {
    let machine = line.machine;
    out.object(|out| {
        out.key(key!("fault")).text(violation.name());
        match violation {
            Violation::Unclassified
            | Violation::OtherClass(_)
            | Violation::TooDeep(..)
            | Violation::Forbidden(_)
            | Violation::Changed(..) => {}
            Violation::UnknownOutcome(outcome) => out.key(key!("outcome")).text(outcome),
            Violation::Value { slot, value, .. } => {
                out.key(key!("field")).text(machine.names.slots.name(*slot));
                out.key(key!("value")).value(value);
            }
            Violation::Answer { class: id, mode } => {
                out.key(key!("class")).text(line.class_name(*id));
                out.key(key!("answer")).value(mode);
            }
            Violation::Property { class: id, property } => {
                let contract = machine.contract();
                let rule = contract.and_then(|contract| contract.classes.lookup(*id)?.properties.get(*property));
                out.key(key!("class")).text(line.class_name(*id));
                out.key(key!("property")).text_or_null(rule.map(|rule| &*rule.name));
            }
        }
    });
}

/// What happened while the class was chosen: several took the turn, some lacked what they require, another took over.
pub(super) fn write_class_events(line: &RecordView<'_>, out: &mut impl Sink) {
    let Some(outcome) = line.contract_outcome() else { return };
    let name = |class| line.class_name(class);
    let matching = &outcome.matching;
    if !matching.refused.is_empty() {
        out.item().object(|out| {
            out.key(key!("event")).word("class_refused");
            out.key(key!("classes")).texts(matching.refused.iter().map(|class| name(*class)));
        });
    }
    if let Some(chosen) = matching.class.filter(|_| !matching.also.is_empty()) {
        out.item().object(|out| {
            out.key(key!("event")).word("class_ambiguous");
            out.key(key!("taken")).text(name(chosen));
            out.key(key!("also")).texts(matching.also.iter().map(|class| name(*class)));
        });
    }
    if let (Some(chosen), Some(class)) = (matching.class, outcome.class)
        && chosen != class
    {
        out.item().object(|out| {
            out.key(key!("event")).word("class_replaced");
            out.key(key!("from")).text(name(chosen));
            out.key(key!("to")).text(name(class));
            out.key(key!("outcome")).text_or_null(outcome.outcome.as_deref());
        });
    }
}
