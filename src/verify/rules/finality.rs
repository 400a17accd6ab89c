//! A dialogue that is over stays so, and a turn says rightly whether it is.

use super::super::check_context::{CheckContext, RuleBreach};
use crate::machine::{Machine, StateId};
use crate::trace::RecordField;
use crate::verify::import::BorrowedJson;

pub(super) fn check(sight: &CheckContext<'_>, breaches: &mut Vec<RuleBreach>) {
    let machine = sight.machine();
    if let Some(from) = sight.from_id()
        && sight.settings.switches.final_state
        && sight.moved()
        && (machine.state(from).is_final || over_softly(machine, from) && sight.memory.is_final == Some(true))
    {
        let found = format!("`{}` → `{}`", sight.from.unwrap_or_default(), sight.to);
        let declared = format!("`{}` is final", sight.from.unwrap_or_default());
        breaches.push(sight.breach("left_final_state", Some(from), found, declared));
    }
    let told = sight.now.field(RecordField::Final).and_then(BorrowedJson::boolean);
    let (Some(told), Some(to)) = (told, sight.to_id()) else { return };
    let is_final = machine.state(to).is_final;
    if told != is_final && !(told && over_softly(machine, to)) {
        let declared = format!("`{}` is {}", sight.to, if is_final { "final" } else { "not final" });
        breaches.push(sight.breach("wrong_final", Some(to), format!("final: {told}"), declared));
    }
}

/// Whether a state is final where the objection limit has led to it.
fn over_softly(machine: &Machine, state: StateId) -> bool {
    machine.vocabulary.places.soft_close == Some(state)
        && machine.vocabulary.slots.objection_limit_final.is_some()
}
