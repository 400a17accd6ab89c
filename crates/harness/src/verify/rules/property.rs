//! Evaluates the properties of the model in a recorded turn (docs/src/explanation/properties-and-counters.md).

use std::sync::Arc;

use super::super::known_frames::KnownFrames;
use super::CheckContext;
use super::observed_turn::{ObservedInput, effects, session};
use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::{
    FinishedTurn, KnownData, KnownState, KnownTurn, Machine, OpenQuestion, PropertyView,
};
use fsmsim_core::machine::SlotId;
use fsmsim_core::trace::RecordField;

/// The view of each property in a turn, as far as the trace contains the fields that it requires.
pub(crate) fn sights(context: &CheckContext<'_>) -> Vec<PropertyView> {
    let machine = context.machine();
    let shadow = context.shadow;
    if machine.properties.is_empty() {
        return Vec::new();
    }
    let had = shadow.data;
    let has = context.now.map(RecordField::Data);
    let counters = context.now.field(RecordField::Counters);
    let has_frames = !machine.frames.is_empty();
    // Data set between turns is not part of the previous record.
    let untouched = shadow.set.is_empty();
    let none = KnownFrames::default();
    let mut before = session(
        machine,
        context.from,
        shadow.frames.as_ref().unwrap_or(&none),
        had,
        shadow.counters,
    );
    before.clarification.asked = shadow.options.map(|options| {
        Arc::new(OpenQuestion {
            options: options.items().iter().map(BorrowedJson::to_value).collect(),
            ..OpenQuestion::default()
        })
    });
    let after = session(
        machine,
        Some(context.to),
        context.frames.unwrap_or(&none),
        has,
        counters,
    );
    let ObservedInput { input, is_whole } = ObservedInput::read(context, &before);
    let recorded: Vec<_> = counters
        .into_iter()
        .flat_map(BorrowedJson::entries)
        .filter(|(_, count)| count.integer().is_some())
        .filter_map(|(name, _)| machine.names.counters.id(name))
        .collect();
    let old = only(machine, had, shadow.has_some_data);
    let new = only(machine, has, context.now.tells_some_data);
    let done = context
        .now
        .field(RecordField::Effects)
        .and_then(|recorded| effects(machine, recorded));
    let known = KnownTurn {
        from: place(machine, context.from),
        to: place(machine, Some(context.to)),
        before: KnownData {
            frames: untouched && (!has_frames || shadow.frames.is_some()),
            rest: untouched && had.is_some(),
            only: old.as_deref(),
        },
        after: KnownData {
            frames: !has_frames || context.frames.is_some(),
            rest: has.is_some(),
            only: new.as_deref(),
        },
        counters: &recorded,
        said: is_whole,
        meant: input.intent.is_some(),
        effects: done.as_deref(),
    };
    FinishedTurn::outside(machine, context.settings, &before, &after, &input, known)
        .sights(|_| true)
        .collect()
}

/// The recorded slots, if only some of the data is recorded.
fn only(
    machine: &Machine,
    recorded: Option<&BorrowedJson<'_>>,
    is_some: bool,
) -> Option<Vec<SlotId>> {
    let names = recorded?.entries().iter();
    is_some.then(|| {
        names
            .filter_map(|(name, _)| machine.names.slots.id(name))
            .collect()
    })
}

fn place(machine: &Machine, recorded: Option<&str>) -> KnownState {
    let known = |name| {
        machine
            .state_id(name)
            .map_or(KnownState::Strange, KnownState::Known)
    };
    recorded.map_or(KnownState::Untold, known)
}
