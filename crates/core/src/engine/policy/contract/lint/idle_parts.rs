//! Parts of a contract that no dialogue ever uses: fields into which nothing is put, and readings that no class takes.

use std::collections::BTreeSet;

use super::Contract;
use crate::engine::Machine;
use crate::machine::{Op, SlotId};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Looks for fields into which nothing is put, and, where the contract is all there is, for readings that no class takes.
pub(in crate::engine::policy) fn check(
    contract: &Contract,
    machine: &Machine,
    found: &mut Vec<Diagnostic>,
) {
    fields(machine, contract, found);
    if contract.is_whole {
        readings(machine, contract, found);
    }
}

fn fields(machine: &Machine, contract: &Contract, found: &mut Vec<Diagnostic>) {
    let initial = machine.initial_data.iter().map(|(slot, _)| *slot);
    let written: BTreeSet<SlotId> = machine
        .all_ops()
        .iter()
        .filter_map(Op::slot)
        .chain(initial)
        .chain(contract.answer)
        .collect();
    for frame in &machine.frames {
        let idle: Vec<String> = frame
            .fields
            .iter()
            .filter(|field| !written.contains(&field.slot))
            .map(|field| format!("`{}.{}`", frame.name, field.name))
            .collect();
        if idle.is_empty() {
            continue;
        }
        let what = if idle.len() == frame.fields.len() {
            format!("the frame `{}`", frame.name)
        } else {
            idle.join(", ")
        };
        found.push(
            Diagnostic::warning(Code::IdleField, format!("nothing is ever put into {what}"))
                .at(machine.rules[frame.rule].span, "declared here")
                .help("let a class or an outcome set it, or take it out"),
        );
    }
}

fn readings(machine: &Machine, contract: &Contract, found: &mut Vec<Diagnostic>) {
    // A class without readings takes any.
    if contract
        .classes
        .iter()
        .any(|class| class.readings.is_empty())
    {
        return;
    }
    for reading in &machine.phrases {
        if contract
            .classes
            .iter()
            .any(|class| class.readings.contains(&reading.intent))
        {
            continue;
        }
        let name = machine.names.intents.name(reading.intent);
        found.push(
            Diagnostic::warning(
                Code::IdleReading,
                format!("no class takes the reading `{name}`"),
            )
            .at(reading.span, "turns that are read so are `unclassified`")
            .help("name it under `reads` of a class, or take it out"),
        );
    }
}
