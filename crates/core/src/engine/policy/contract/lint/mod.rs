//! What is probably not meant in a contract.

mod class_overlap;
mod held_values;
mod idle_parts;

use super::contract::Contract;
use crate::engine::Machine;
use fsmsim_syntax::diagnostic::Diagnostic;

pub(super) fn check(contract: &Contract, machine: &Machine, found: &mut Vec<Diagnostic>) {
    class_overlap::check(contract, machine, found);
    if !contract.classes.is_empty() {
        idle_parts::check(contract, machine, found);
        held_values::check(contract, machine, found);
    }
}
