//! Checks that collected data is kept, that `missing` is consistent with the required data, and that the carryover is
//! consistent with the changes.

use std::collections::BTreeMap;

use super::{CheckContext, Finding};
use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::is_missing;
use fsmsim_core::machine::{SlotId, Value};
use fsmsim_core::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let Some(data) = context.now.map(RecordField::Data) else {
        return;
    };
    missing(context, data, breaches);
    let Some(before) = context.shadow.slots() else {
        return;
    };
    lost(context, data, &before, breaches);
    let is_whole = !context.now.tells_some_data && !context.shadow.has_some_data;
    if let Some(carryover) = context.now.map(RecordField::Carryover).filter(|_| is_whole) {
        carried(context, data, &before, carryover, breaches);
    }
}

/// Checks which required data of the new state is missing.
fn missing(context: &CheckContext<'_>, data: &BorrowedJson<'_>, breaches: &mut Vec<Finding>) {
    let recorded = context
        .now
        .field(RecordField::Missing)
        .and_then(BorrowedJson::list);
    let (Some(recorded), Some(to)) = (recorded, context.state_after()) else {
        return;
    };
    let machine = context.machine();
    let name = |slot: &SlotId| machine.names.slots.name(*slot);
    // Data that is not recorded might be present or missing.
    let is_recorded =
        |slot: &SlotId| !context.now.tells_some_data || data.get(name(slot)).is_some();
    if !machine.state(to).required.iter().all(is_recorded) {
        return;
    }
    let lacks = |slot: &&SlotId| is_missing(&data.at(name(slot)).to_value(), context.settings);
    let mut lacking: Vec<&str> = machine
        .state(to)
        .required
        .iter()
        .filter(lacks)
        .map(name)
        .collect();
    let mut recorded: Vec<&str> = recorded.iter().filter_map(BorrowedJson::text).collect();
    lacking.sort_unstable();
    recorded.sort_unstable();
    if lacking != recorded {
        let found = format!("missing: {}", listed(&recorded));
        let declared = format!("`{}` lacks {}", context.to, listed(&lacking));
        breaches.push(context.breach("wrong_missing", Some(to), found, declared));
    }
}

/// Checks for lost data. Data can be dropped only by operations, by entering a state, or when consent ends.
fn lost(
    context: &CheckContext<'_>,
    data: &BorrowedJson<'_>,
    before: &[&str],
    breaches: &mut Vec<Finding>,
) {
    let machine = context.machine();
    let entered = context
        .state_after()
        .map(|state| &machine.state(state).set_flags);
    let reads = |slot: SlotId| {
        let guidance = machine.policies.guidance();
        guidance.is_some_and(|own| own.all().any(|(_, guide)| guide.reads.contains(&slot)))
    };
    let may_drop = |name: &str| {
        machine.names.slots.id(name).is_some_and(|slot| {
            let set = entered.is_some_and(|set| {
                set.iter()
                    .any(|(known, value)| *known == slot && value.is_null())
            });
            set || machine.operates_on(slot) || context.shadow.withdrawn && reads(slot)
        })
    };
    let is_gone = |name: &str| match data.get(name) {
        Some(value) => value.is_null(),
        None => !context.now.tells_some_data,
    };
    let lost: Vec<&str> = before
        .iter()
        .copied()
        .filter(|name| is_gone(name) && !may_drop(name))
        .collect();
    if !lost.is_empty() {
        let declared = "the turn does not remove data".to_owned();
        breaches.push(context.breach(
            "lost_data",
            context.state_after(),
            format!("lost: {}", listed(&lost)),
            declared,
        ));
    }
}

/// Checks which names a turn kept, added, changed and dropped. These are names of data, and of frames if the frames
/// before and after the turn are known.
fn carried(
    context: &CheckContext<'_>,
    data: &BorrowedJson<'_>,
    before: &[&str],
    recorded: &BorrowedJson<'_>,
    breaches: &mut Vec<Finding>,
) {
    let known: BTreeMap<&str, &BorrowedJson<'_>> = before
        .iter()
        .filter_map(|name| Some((*name, context.shadow.slot(name)?)))
        .collect();
    let now: BTreeMap<&str, &BorrowedJson<'_>> = data
        .entries()
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (&**name, value))
        .collect();
    let frames = context.shadow.frames.as_ref().zip(context.frames);
    let machine = context.machine();
    let is_field = |name: &str| {
        machine
            .names
            .slots
            .id(name)
            .is_some_and(|slot| machine.frames.field(slot).is_some())
    };
    let (mut kept, mut added, mut changed): (Vec<&str>, Vec<&str>, Vec<&str>) = Default::default();
    let mut note = |name, is_same: Option<bool>| {
        let list = match is_same {
            None => &mut added,
            Some(true) => &mut kept,
            Some(false) => &mut changed,
        };
        list.push(name);
    };
    for (name, value) in &now {
        let before = known.get(name);
        note(*name, before.map(|before| before.agrees(&value.to_value())));
    }
    let mut dropped: Vec<&str> = known
        .keys()
        .copied()
        .filter(|name| !now.contains_key(name))
        .collect();
    if let Some((before, after)) = frames {
        for (name, value) in after.iter() {
            note(name, before.get(name).map(|before| is_same(before, value)));
        }
        dropped.extend(
            before
                .iter()
                .map(|(name, _)| name)
                .filter(|name| after.get(name).is_none()),
        );
        for list in [&mut kept, &mut added, &mut changed, &mut dropped] {
            list.sort_unstable();
        }
    }
    for (key, actual) in [
        ("kept", kept),
        ("added", added),
        ("changed", changed),
        ("dropped", dropped),
    ] {
        let Some(listed_there) = recorded.at(key).list() else {
            continue;
        };
        let mut named: Vec<&str> = listed_there.iter().filter_map(BorrowedJson::text).collect();
        named.retain(|name| frames.is_some() || !is_field(name));
        named.sort_unstable();
        if named != actual {
            let found = format!("{key}: {}", listed(&named));
            let declared = format!("according to the data: {}", listed(&actual));
            breaches.push(context.breach(
                "illegal_carryover",
                context.state_after(),
                found,
                declared,
            ));
        }
    }
}

/// Whether the value of a field is unchanged, regardless of number format.
fn is_same(before: &Value, now: &Value) -> bool {
    before == now
        || matches!(before, Value::Int(_) | Value::Float(_))
            && BorrowedJson::from(before).agrees(now)
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        format!("`{}`", names.join("`, `"))
    }
}
