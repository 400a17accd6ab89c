//! What is probably not meant in a sales dialogue.

mod idle_data;
mod objection_state;

use super::SalesConfig;
use crate::engine::Machine;
use fsmsim_syntax::diagnostic::Diagnostic;

pub(super) fn check(sales: &SalesConfig, machine: &Machine, found: &mut Vec<Diagnostic>) {
    idle_data::check(sales, machine, found);
    objection_state::check(sales, machine, found);
}
