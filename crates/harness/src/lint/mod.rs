//! Lint: likely mistakes in a valid machine.
//!
//! The rules for all machines are [`paths`] (unreachable states and dead ends), [`ends`] (cycles without an end) and
//! [`asides`] (asides without a return). [`unreferenced_intents`] finds intents that are probably typos. [`examples`]
//! and [`unreadable_slots`] find models that a recognizer cannot read well. Policies have their own rules
//! (`engine::policy`). Findings from loading are not repeated.

mod asides;
mod ends;
mod examples;
mod linter;
mod paths;
mod unreadable_slots;
mod unreferenced_intents;

pub use linter::{LintReport, Linter};

use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// All findings about a machine, in the order of the rules. With `permissive`, transitions that no state declares are
/// allowed.
pub fn lint(machine: &Machine, permissive: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut of_policies = Vec::new();
    for policy in machine.policies.facts() {
        policy.lint(machine, permissive, &mut of_policies);
    }
    let map = StateGraph::of(machine);
    // If nodes are treated as plain states, their targets are unknown.
    if let Some(finding) = unused_node(machine) {
        found.push(finding);
    } else {
        paths::check(machine, &map, &of_policies, &mut found);
        ends::check(machine, &map, &mut found);
        asides::check(machine, &map, &mut found);
    }
    found.extend(of_policies);
    unreferenced_intents::check(machine, &mut found);
    examples::check(machine, &mut found);
    unreadable_slots::check(machine, &mut found);
    found
}

/// The first node that the profile treats as a plain state. One finding covers all such nodes.
fn unused_node(machine: &Machine) -> Option<Diagnostic> {
    let id = machine.well_known.unused_node?;
    let span = machine.state(id).span?;
    Some(
        Diagnostic::warning(
            Code::NodesIdle,
            format!(
                "the profile `reference` treats `{}` as a plain state",
                machine.names.states.name(id)
            ),
        )
        .at(span, "this node is ignored")
        .help("use the profile `documented`"),
    )
}
