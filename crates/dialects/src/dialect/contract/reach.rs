//! Checks that each class is reachable: some class or outcome must set the slots that it requires.

use std::collections::BTreeSet;

use fsmsim_core::engine::policy::contract::Contract;
use fsmsim_core::machine::{
    Condition, ConditionId, MachineBuilder, Moment, Op, SlotId, Subject, Test,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// Reports classes that require a slot that no class or outcome sets.
pub(super) fn check(contract: &Contract, builder: &MachineBuilder, found: &mut Diagnostics) {
    let mut produced: Vec<SlotId> = builder.all_ops().iter().filter_map(Op::slot).collect();
    produced.extend(contract.answer);
    for class in &contract.classes {
        let mut needs = Vec::new();
        if let Some(condition) = class.requires {
            collect(condition, builder, &mut BTreeSet::new(), &mut needs);
        }
        for (name, producers) in needs {
            if !producers.iter().any(|slot| produced.contains(slot)) {
                Diagnostic::error(
                    Code::NoProducer,
                    format!(
                        "class `{}` requires `{name}`, which is never set",
                        class.name
                    ),
                )
                .at(builder.rule_span(class.rule), "unreachable")
                .help("set it in a class or an outcome, or remove the requirement")
                .add_to(found);
            }
        }
    }
}

/// Collects the slots and frames that a condition requires, each with the slots that can satisfy the requirement. Only
/// conjunctions are searched. `seen` contains the conditions so far.
fn collect<'b>(
    condition: ConditionId,
    builder: &'b MachineBuilder,
    seen: &mut BTreeSet<ConditionId>,
    needs: &mut Vec<(&'b str, Vec<SlotId>)>,
) {
    if !seen.insert(condition) {
        return;
    }
    match builder.condition_node(condition) {
        Some(Condition::And(parts)) => parts
            .iter()
            .for_each(|part| collect(*part, builder, seen, needs)),
        Some(Condition::Active(frame, Moment::Now)) => {
            let frame = builder.frames.lookup(*frame);
            needs.extend(frame.map(|frame| {
                (
                    &*frame.name,
                    frame.fields.iter().map(|field| field.slot).collect(),
                )
            }));
        }
        Some(Condition::Test(Subject::Slot(slot), test)) if needs_value(test) => {
            needs.push((builder.names.slots.name(*slot), vec![*slot]));
        }
        _ => {}
    }
}

fn needs_value(test: &Test) -> bool {
    match test {
        Test::Truthy | Test::Known(true) | Test::Filled(true) | Test::FilledText => true,
        Test::Is(values) => values.iter().all(|value| !value.is_null()),
        _ => false,
    }
}
