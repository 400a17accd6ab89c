//! What a turn did by its contract, as records show it: the class, the frames, breaches and events.

use super::record_view::RecordView;
use super::sink::{Sink, key};
use crate::engine::{Breach, Choice, Symbol};
use crate::machine::{Depth, Value};

/// What stands for the class of a turn that no class takes.
const UNCLASSIFIED: &str = "unclassified";

impl<'a> RecordView<'a> {
    /// The class of the turn by the contract of the machine; nothing where it has none.
    #[must_use]
    pub fn contract_class(&self) -> Option<&'a str> {
        let settled = self.record.settled.as_ref()?;
        Some(settled.class.map_or(UNCLASSIFIED, |class| Choice::name(self.machine, class)))
    }

    /// How much was carried over; nothing for a machine without frames.
    #[must_use]
    pub fn depth(&self) -> Option<Depth> {
        let contract = self.machine.contract.as_deref()?;
        let settled = self.record.settled.as_ref().and_then(|settled| settled.depth);
        if settled.is_some() {
            return settled;
        }
        let kept = self.record.carryover.kept.iter().filter_map(Symbol::known);
        let frames = kept.filter_map(|slot| contract.field(slot).map(|(frame, _)| frame));
        Some(frames.fold(Depth::NONE, |depth, frame| depth.with(frame.part)))
    }
}

/// The frames with what is known in them; null for a machine without frames.
pub(super) fn write_frames(line: &RecordView<'_>, out: &mut impl Sink) {
    let Some(contract) = line.machine.contract.as_deref() else { return out.value(&Value::Null) };
    out.object(|out| {
        for frame in &contract.frames {
            let fields = frame.fields.iter().map(|field| (&*field.name, line.session.slots.get(field.slot)));
            let mut known = fields.filter(|(_, value)| !value.is_null()).peekable();
            if known.peek().is_some() {
                out.name(&frame.name).map(known);
            }
        }
    });
}

/// A breach of the contract.
pub(super) fn write_breach(breach: &Breach, line: &RecordView<'_>, out: &mut impl Sink) {
    let machine = line.machine;
    let class = |class| Choice::name(machine, class);
    out.object(|out| {
        out.key(key!("fault")).text(breach.name());
        match breach {
            Breach::Unclassified => {}
            Breach::UnknownOutcome(outcome) => out.key(key!("outcome")).text(outcome),
            Breach::Value { slot, value, .. } => {
                out.key(key!("field")).text(machine.names.slots.name(*slot));
                out.key(key!("value")).value(value);
            }
            Breach::Answer { class: id, mode } => {
                out.key(key!("class")).text(class(*id));
                out.key(key!("answer")).value(mode);
            }
            Breach::Property { class: id, property } => {
                let contract = machine.contract.as_deref();
                let rule =
                    contract.and_then(|contract| contract.classes.lookup(*id)?.properties.get(*property));
                out.key(key!("class")).text(class(*id));
                out.key(key!("property")).text_or_null(rule.map(|rule| &*rule.name));
            }
        }
    });
}

/// What happened while the class was chosen: several took the turn, some lacked what they require, another took over.
pub(super) fn write_class_events(line: &RecordView<'_>, out: &mut impl Sink) {
    let Some(settled) = line.record.settled.as_ref() else { return };
    let name = |class| Choice::name(line.machine, class);
    let choice = &settled.choice;
    if !choice.refused.is_empty() {
        out.item().object(|out| {
            out.key(key!("event")).word("class_refused");
            out.key(key!("classes")).texts(choice.refused.iter().map(|class| name(*class)));
        });
    }
    if let Some(chosen) = choice.class.filter(|_| !choice.also.is_empty()) {
        out.item().object(|out| {
            out.key(key!("event")).word("class_ambiguous");
            out.key(key!("taken")).text(name(chosen));
            out.key(key!("also")).texts(choice.also.iter().map(|class| name(*class)));
        });
    }
    if let (Some(chosen), Some(class)) = (choice.class, settled.class)
        && chosen != class
    {
        out.item().object(|out| {
            out.key(key!("event")).word("class_replaced");
            out.key(key!("from")).text(name(chosen));
            out.key(key!("to")).text(name(class));
            out.key(key!("outcome")).text_or_null(settled.outcome.as_deref());
        });
    }
}
