//! Checks a turn against its class in the model's contract: whether the class accepts the turn, and the carryover, the
//! unchanged fields, the reply, and the conditions after the turn (docs/src/explanation/contracts.md).

use super::super::check_context::rule_place;
use super::observed_turn::{ObservedInput, answer_to, session};
use super::{CheckContext, Finding};
use crate::verify::import::{BorrowedJson, ObservedTurn};
use fsmsim_core::engine::DOWN;
use fsmsim_core::engine::policy::ForeignTurn;
use fsmsim_core::machine::NeedKind;
use fsmsim_core::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let machine = context.machine();
    let Some(recorded) = context
        .now
        .field(RecordField::ContractClass)
        .filter(|_| machine.policies.inputs().classes)
    else {
        return;
    };
    let mut add = |turn: Option<&ForeignTurn<'_>>| {
        let policies = machine.policies.facts();
        let found = policies.flat_map(|policy| policy.breaches(recorded.text(), turn));
        breaches.extend(found.map(|breach| Finding {
            place: breach.place.map(|rule| rule_place(machine, rule)),
            ..context.breach(breach.rule, None, breach.found, breach.declared)
        }));
    };
    let (Some(before), Some(after)) = (&context.shadow.frames, context.frames) else {
        return add(None);
    };
    let mut before = session(
        machine,
        context.from,
        before,
        context.shadow.data,
        context.shadow.counters,
    );
    let number = context
        .now
        .turn_number()
        .and_then(|number| u32::try_from(number).ok());
    before.tracker.set_turn(number.unwrap_or_default());
    let after = session(
        machine,
        Some(context.to),
        after,
        context.now.field(RecordField::Data),
        context.now.field(RecordField::Counters),
    );
    let ObservedInput { input, .. } = ObservedInput::read(context, &before);
    let given = answer_to(NeedKind::EXECUTE, context.now).map(BorrowedJson::to_value);
    add(Some(&ForeignTurn {
        machine,
        settings: context.settings,
        before: &before,
        after: &after,
        input: &input,
        outcome: outcome(context.now),
        given: given.as_ref(),
        // Without a recorded input, it is unknown which class accepts it.
        is_read: !context.now.input.entries().is_empty(),
        tells_data: knows_all_data(context),
        number,
    }));
}

/// Whether all data before and after the turn is known. Data set between turns is not part of the previous record.
fn knows_all_data(context: &CheckContext<'_>) -> bool {
    let shadow = context.shadow;
    let is_whole = !shadow.has_some_data && !context.now.tells_some_data;
    is_whole
        && shadow.data.is_some()
        && shadow.set.is_empty()
        && context.now.field(RecordField::Data).is_some()
}

/// The outcome that the backend returned; `None` if it was not called. A scripted outcome counts only if the actual
/// outcome is not recorded.
fn outcome<'t>(turn: &'t ObservedTurn<'_>) -> Option<&'t str> {
    let word = |answer: &'t BorrowedJson<'_>| answer.text().or_else(|| answer.at("status").text());
    let given = || Some(word(answer_to(NeedKind::EXECUTE, turn)?).unwrap_or(DOWN));
    match turn.answers.list() {
        Some(_) => given(),
        None => word(turn.input.at("outcome")).or_else(given),
    }
}
