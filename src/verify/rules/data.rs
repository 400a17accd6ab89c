//! What was collected stays, what is missing is what the state requires, and the carryover is what changed.

use std::collections::BTreeMap;

use super::{CheckContext, Finding};
use crate::engine::is_missing;
use crate::machine::SlotId;
use crate::trace::RecordField;
use crate::verify::import::BorrowedJson;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let Some(data) = context.now.map(RecordField::Data) else { return };
    missing(context, data, breaches);
    let Some(before) = context.shadow.slots() else { return };
    lost(context, data, &before, breaches);
    if let Some(carryover) = context.now.map(RecordField::Carryover) {
        carried(context, data, &before, carryover, breaches);
    }
}

/// Required data of the new state that is missing.
fn missing(context: &CheckContext<'_>, data: &BorrowedJson<'_>, breaches: &mut Vec<Finding>) {
    let told = context.now.field(RecordField::Missing).and_then(BorrowedJson::items);
    let (Some(told), Some(to)) = (told, context.state_after()) else { return };
    let machine = context.machine();
    let name = |slot: &SlotId| machine.names.slots.name(*slot);
    let lacks = |slot: &&SlotId| is_missing(&data.at(name(slot)).to_value(), context.settings);
    let required = machine.state(to).required.iter();
    let mut lacking: Vec<&str> = required.filter(lacks).map(name).collect();
    let mut told: Vec<&str> = told.iter().filter_map(BorrowedJson::text).collect();
    lacking.sort_unstable();
    told.sort_unstable();
    if lacking != told {
        let found = format!("missing: {}", listed(&told));
        let declared = format!("`{}` lacks {}", context.to, listed(&lacking));
        breaches.push(context.breach("wrong_missing", Some(to), found, declared));
    }
}

/// What was known and is not any more. Only operations, entering a state, and the end of consent drop data.
fn lost(context: &CheckContext<'_>, data: &BorrowedJson<'_>, before: &[&str], breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    let entered = context.state_after().map(|state| &machine.state(state).set_flags);
    let reads = |slot: SlotId| {
        machine.instructions().is_some_and(|own| own.all().any(|(_, guide)| guide.reads.contains(&slot)))
    };
    let may_drop = |name: &str| {
        machine.names.slots.id(name).is_some_and(|slot| {
            let set = entered.is_some_and(|set| set.iter().any(|(known, value)| *known == slot && value.is_null()));
            set || context.shadow.withdrawn && reads(slot)
        })
    };
    let lost: Vec<&str> = before.iter().copied().filter(|name| data.at(name).is_null() && !may_drop(name)).collect();
    if !lost.is_empty() {
        let declared = "nothing that the turn did drops data".to_owned();
        breaches.push(context.breach("lost_data", context.state_after(), format!("lost: {}", listed(&lost)), declared));
    }
}

/// What a turn says about what it kept, added, changed and dropped: of data, and of frames where both sides tell them.
fn carried(
    context: &CheckContext<'_>,
    data: &BorrowedJson<'_>,
    before: &[&str],
    told: &BorrowedJson<'_>,
    breaches: &mut Vec<Finding>,
) {
    let known = before.iter().filter_map(|name| Some(((*name).to_owned(), context.shadow.slot(name)?)));
    let mut known: BTreeMap<String, &BorrowedJson<'_>> = known.collect();
    let now = data.pairs().unwrap_or_default().iter();
    let mut now: BTreeMap<String, &BorrowedJson<'_>> =
        now.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_string(), value)).collect();
    let frames = context.now.map(RecordField::Frames);
    let tells_frames = match (context.shadow.frames, frames) {
        (Some(before), Some(after)) => {
            known.extend(fields(before));
            now.extend(fields(after));
            true
        }
        _ => false,
    };
    let machine = context.machine();
    let is_field = |name: &str| machine.names.slots.id(name).is_some_and(|slot| machine.frames.field(slot).is_some());
    let (mut kept, mut added, mut changed): (Vec<&str>, Vec<&str>, Vec<&str>) = Default::default();
    for (name, value) in &now {
        let list = match known.get(name) {
            None => &mut added,
            Some(before) if before.agrees(&value.to_value()) => &mut kept,
            Some(_) => &mut changed,
        };
        list.push(name);
    }
    let gone = known.keys().filter(|name| !now.contains_key(*name));
    let dropped: Vec<&str> = gone.map(String::as_str).collect();
    for (key, actual) in [("kept", kept), ("added", added), ("changed", changed), ("dropped", dropped)] {
        let Some(listed_there) = told.at(key).items() else { continue };
        let mut named: Vec<&str> = listed_there.iter().filter_map(BorrowedJson::text).collect();
        named.retain(|name| tells_frames || !is_field(name));
        named.sort_unstable();
        if named != actual {
            let found = format!("{key}: {}", listed(&named));
            let declared = format!("by the data it is {}", listed(&actual));
            breaches.push(context.breach("illegal_carryover", context.state_after(), found, declared));
        }
    }
}

/// The fields of frames, as `FRAME.FIELD`.
fn fields<'j>(frames: &'j BorrowedJson<'j>) -> impl Iterator<Item = (String, &'j BorrowedJson<'j>)> {
    frames.pairs().unwrap_or_default().iter().flat_map(|(frame, fields)| {
        let known = fields.pairs().unwrap_or_default().iter().filter(|(_, value)| !value.is_null());
        known.map(move |(field, value)| (format!("{frame}.{field}"), value))
    })
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { format!("`{}`", names.join("`, `")) }
}
