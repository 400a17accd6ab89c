//! Lint: what is probably not meant in a machine that can be played.
//!
//! Rules for all machines ([`paths`]: states that cannot be reached or left; [`ends`]: circles without an end;
//! [`lonely_intents`]: intents that are nearly others), for sales
//! dialogues ([`idle_data`], [`objection_state`]), for those whose assistant is led by instructions
//! ([`instruction_design`]), and for those with a contract ([`class_overlap`], [`idle_parts`], [`held_values`]). What loading
//! says already is not looked at again.

mod class_overlap;
mod ends;
mod held_values;
mod idle_data;
mod idle_parts;
mod instruction_design;
mod linter;
mod lonely_intents;
mod objection_state;
mod paths;

pub use self::linter::{LintReport, Linter};
use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// All findings about a machine, rule by rule. With `permissive`, moves that no state declares are taken,
/// and nothing is said of them.
pub fn lint(machine: &Machine, permissive: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let map = StateGraph::of(machine);
    // Where nodes are taken for places, where they lead is known to nobody.
    if let Some(finding) = idle_node(machine) {
        found.push(finding);
    } else {
        paths::check(machine, &map, &mut found);
        ends::check(machine, &map, &mut found);
    }
    idle_data::check(machine, &mut found);
    objection_state::check(machine, &mut found);
    instruction_design::check(machine, permissive, &mut found);
    class_overlap::check(machine, &mut found);
    idle_parts::check(machine, &mut found);
    held_values::check(machine, &mut found);
    lonely_intents::check(machine, &mut found);
    found
}

/// The first state that is more than a place, where the profile takes it for one. It stands for all.
fn idle_node(machine: &Machine) -> Option<Diagnostic> {
    let id = machine.well_known.idle_node?;
    let span = machine.state(id).span?;
    let title = format!(
        "the profile `reference` takes `{}` for a place like any other",
        machine.names.states.name(id)
    );
    let finding = Diagnostic::warning(Code::NodesIdle, title).at(span, "not carried out");
    Some(finding.help("play it under the profile `documented`"))
}
