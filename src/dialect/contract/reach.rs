//! Which classes can be taken at all: what each requires, some class or outcome must produce.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::policy::contract::Contract;
use crate::machine::{Condition, ConditionId, Frame, FrameId, MachineBuilder, Moment, SlotId, Subject, Test};

/// Findings for classes that require what nobody produces.
pub(super) fn check(contract: &Contract, builder: &MachineBuilder, found: &mut Diagnostics) {
    let classes = contract.classes.iter().flat_map(|class| class.sets.iter());
    let outcomes = contract.outcomes.iter().flat_map(|outcome| outcome.sets.iter());
    let mut produced: Vec<SlotId> = classes.chain(outcomes).map(|set| set.slot).collect();
    produced.extend(contract.answer);
    let makes = |frame: &Frame| frame.fields.iter().any(|field| produced.contains(&field.slot));
    for class in &contract.classes {
        let mut needs = Vec::new();
        if let Some(condition) = class.requires {
            collect(condition, builder, &mut needs);
        }
        for need in needs {
            let (name, there) = match need {
                Requirement::Frame(frame) => match builder.frames.lookup(frame) {
                    Some(frame) => (frame.name.to_string(), makes(frame)),
                    None => continue,
                },
                Requirement::Field(slot) => (builder.names.slots.name(slot).to_owned(), produced.contains(&slot)),
            };
            if !there {
                let title = format!("the class `{}` requires `{name}`, which no class produces", class.name);
                Diagnostic::error(Code::NoProducer, title)
                    .at(builder.rule_span(class.rule), "can never be taken")
                    .help("let some class or outcome set it, or do not require it")
                    .add_to(found);
            }
        }
    }
}

/// Something that has to be there.
enum Requirement {
    Frame(FrameId),
    Field(SlotId),
}

/// What must be there for a condition to hold; only what every way of holding needs.
fn collect(condition: ConditionId, builder: &MachineBuilder, needs: &mut Vec<Requirement>) {
    match builder.condition_node(condition) {
        Some(Condition::And(parts)) => parts.iter().for_each(|part| collect(*part, builder, needs)),
        Some(Condition::Active(frame, Moment::Now)) => needs.push(Requirement::Frame(*frame)),
        Some(Condition::Test(Subject::Slot(slot), test)) if wants_something(test) => {
            needs.push(Requirement::Field(*slot));
        }
        _ => {}
    }
}

fn wants_something(test: &Test) -> bool {
    match test {
        Test::Truthy | Test::Known(true) | Test::Filled(true) | Test::FilledText => true,
        Test::Is(values) => values.iter().all(|value| !value.is_null()),
        _ => false,
    }
}
