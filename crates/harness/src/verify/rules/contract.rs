//! The class of a turn by the contract of the model: whether it takes such a turn, what it carries over, what it leaves as it
//! is, how it answers, and what must and must not hold after it (docs/contracts.md, "Classes").

use super::super::check_context::{instead, rule_place};
use super::told::{ToldInput, answer_to, session};
use super::{CheckContext, Finding};
use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::Session;
use fsmsim_core::engine::policy::contract::{Contract, ForeignTurn, TransitionClass, Violation};
use fsmsim_core::machine::{FrameId, SlotId};
use fsmsim_core::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let Some(contract) = context.machine().contract() else {
        return;
    };
    let Some(told) = context
        .now
        .field(RecordField::ContractClass)
        .filter(|_| !contract.classes.is_empty())
    else {
        return;
    };
    let name = told.text().unwrap_or(Contract::UNCLASSIFIED);
    let Some((id, class)) = contract.class(name) else {
        breaches.push(stranger(context, contract, name));
        return;
    };
    let (Some(before), Some(after)) = (&context.shadow.frames, context.frames) else {
        return;
    };
    let machine = context.machine();
    let mut before = session(
        machine,
        context.from,
        before,
        context.shadow.data,
        context.shadow.counters,
    );
    let number = context
        .now
        .field(RecordField::TurnNumber)
        .and_then(BorrowedJson::integer);
    let number = number.and_then(|number| u32::try_from(number).ok());
    before.tracker.set_turn(number.unwrap_or_default());
    let after = session(
        machine,
        Some(context.to),
        after,
        context.now.field(RecordField::Data),
        context.now.field(RecordField::Counters),
    );
    let ToldInput { input, .. } = ToldInput::read(
        machine,
        context.settings,
        &before,
        &context.now.input,
        &context.now.answers,
    );
    let outcome = outcome(&context.now.input, &context.now.answers);
    let given = answer_to(Contract::EXECUTE, &context.now.input, &context.now.answers)
        .map(BorrowedJson::to_value);
    // Where nothing is known of what came in, nobody can say which class takes it.
    let is_read = context
        .now
        .input
        .pairs()
        .is_some_and(|pairs| !pairs.is_empty());
    let turn = ForeignTurn {
        machine,
        contract,
        settings: context.settings,
        before: &before,
        after: &after,
        input: &input,
        class: id,
        outcome,
        given: given.as_ref(),
        executed: outcome.is_some(),
        is_read,
        tells_data: tells_data(context),
        number,
    };
    let violations = turn.violations().into_iter();
    let violations =
        violations.filter(|violation| is_read || !matches!(violation, Violation::OtherClass(_)));
    let class = ToldClass {
        context,
        contract,
        class,
        after: &after,
    };
    breaches.extend(violations.filter_map(|violation| class.breach(&violation)));
}

/// Whether all data are known, before the turn and after it. What was set between the turns is no part of what the last one
/// told.
fn tells_data(context: &CheckContext<'_>) -> bool {
    let shadow = context.shadow;
    let is_whole = !shadow.has_some_data && !context.now.tells_some_data;
    is_whole
        && shadow.data.is_some()
        && shadow.set.is_empty()
        && context.now.field(RecordField::Data).is_some()
}

/// A class that the contract does not have, or none.
fn stranger(context: &CheckContext<'_>, contract: &Contract, name: &str) -> Finding {
    let declared = match name {
        Contract::UNCLASSIFIED => "every turn has a class".to_owned(),
        _ => instead(
            name,
            contract.classes.iter().map(|class| &*class.name),
            "no such class",
        ),
    };
    let place = contract
        .classes
        .iter()
        .next()
        .map(|class| rule_place(context.machine(), class.rule));
    Finding {
        place,
        ..context.breach(
            "forbidden_class",
            None,
            format!("the class `{name}`"),
            declared,
        )
    }
}

/// What the backend came to; nothing where it was not asked. What was scripted counts only where nobody tells what was used.
fn outcome<'a>(told: &'a BorrowedJson<'_>, answers: &'a BorrowedJson<'_>) -> Option<&'a str> {
    let word = |answer: &'a BorrowedJson<'_>| answer.text().or_else(|| answer.at("status").text());
    let scripted = || word(told.at("outcome"));
    let used = answers.items().is_some();
    let given =
        || Some(word(answer_to(Contract::EXECUTE, told, answers)?).unwrap_or(Contract::DOWN));
    if used {
        given()
    } else {
        scripted().or_else(given)
    }
}

/// What a turn did against its class, to be told.
struct ToldClass<'m> {
    context: &'m CheckContext<'m>,
    contract: &'m Contract,
    class: &'m TransitionClass,
    after: &'m Session,
}

impl ToldClass<'_> {
    fn breach(&self, violation: &Violation) -> Option<Finding> {
        let class = &self.class.name;
        let mut place = self.class.rule;
        let (rule, found, declared) = match violation {
            Violation::OtherClass(instead) => {
                let declared = match instead {
                    Some(instead) => {
                        format!("`{}` takes such a turn", self.contract.class_name(*instead))
                    }
                    None => "no class takes such a turn".to_owned(),
                };
                ("forbidden_class", format!("the class `{class}`"), declared)
            }
            Violation::TooDeep(frame, depth) => (
                "illegal_carryover",
                format!("`{}` was carried over", self.frame(*frame)),
                format!(
                    "`{class}` may carry over {}, as the coverage gate stands",
                    depth.name()
                ),
            ),
            Violation::Forbidden(frame) => (
                "illegal_carryover",
                format!("`{}` was carried over", self.frame(*frame)),
                format!("`{class}` must not carry it over"),
            ),
            Violation::Changed(slot, rule) => {
                place = *rule;
                let now = self.after.slots.get(*slot);
                let found = format!("`{}` is {now}, and was something else", self.slot(*slot));
                (
                    "not_preserved",
                    found,
                    format!("`{class}` leaves it as it is"),
                )
            }
            Violation::NotDone(slot, expected, rule) => {
                place = *rule;
                let found = format!("`{}` is {}", self.slot(*slot), self.after.slots.get(*slot));
                let declared = if expected.is_null() {
                    format!("`{class}` leaves nothing there")
                } else {
                    format!("`{class}` puts {expected} there")
                };
                ("not_as_declared", found, declared)
            }
            Violation::Value { slot, value } => {
                if let Some((frame, _)) = self.context.machine().frames.field(*slot) {
                    place = frame.rule;
                }
                let verb = if self.after.slots.get(*slot) == value {
                    "is"
                } else {
                    "was to be"
                };
                let found = format!("`{}` {verb} {value}", self.slot(*slot));
                (
                    "value_not_allowed",
                    found,
                    "the field may not hold that".to_owned(),
                )
            }
            Violation::Answer { mode, .. } => {
                let modes: Vec<String> =
                    self.class.answers.iter().map(ToString::to_string).collect();
                let declared = format!("`{class}` answers {}", modes.join(" or "));
                (
                    "answer_not_allowed",
                    format!("it was answered {mode}"),
                    declared,
                )
            }
            Violation::Property {
                property: number, ..
            } => {
                let property = self.class.properties.get(*number)?;
                place = property.rule;
                let must = if property.must { "must" } else { "must not" };
                let found = if property.must {
                    "it does not hold"
                } else {
                    "it holds"
                };
                let declared = format!("`{class}` {must} `{}`", property.name);
                (
                    "broken_property",
                    format!("`{}`: {found}", property.name),
                    declared,
                )
            }
            Violation::UnknownOutcome(word) => {
                let declared = "the contract says nothing of that".to_owned();
                (
                    "unknown_outcome",
                    format!("the backend came to `{word}`"),
                    declared,
                )
            }
            // Only a turn that is played here does such a thing.
            Violation::Unclassified => return None,
        };
        let place = Some(rule_place(self.context.machine(), place));
        Some(Finding {
            place,
            ..self.context.breach(rule, None, found, declared)
        })
    }

    fn frame(&self, frame: FrameId) -> &str {
        self.context
            .machine()
            .frames
            .lookup(frame)
            .map_or("", |frame| &frame.name)
    }

    fn slot(&self, slot: SlotId) -> &str {
        self.context.machine().names.slots.name(slot)
    }
}
