//! Lint: what is probably not meant in a machine that can be played.
//!
//! Rules for all machines ([`paths`]: states that cannot be reached or left; [`ends`]: circles without an end;
//! [`lonely_intents`]: intents that are nearly others), and those of policies (`engine::policy`). What loading says already is
//! not looked at again.

mod ends;
mod linter;
mod lonely_intents;
mod paths;

pub use self::linter::{LintReport, Linter};
use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// All findings about a machine, rule by rule. With `permissive`, moves that no state declares are taken,
/// and nothing is said of them.
pub fn lint(machine: &Machine, permissive: bool) -> Vec<Diagnostic> {
    let (mut found, mut of_policies) = (Vec::new(), Vec::new());
    for policy in machine.policies.facts() {
        policy.lint(machine, permissive, &mut of_policies);
    }
    let map = StateGraph::of(machine);
    // Where nodes are taken for places, where they lead is known to nobody.
    if let Some(finding) = idle_node(machine) {
        found.push(finding);
    } else {
        paths::check(machine, &map, &of_policies, &mut found);
        ends::check(machine, &map, &mut found);
    }
    found.extend(of_policies);
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
