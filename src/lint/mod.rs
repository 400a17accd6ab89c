//! Lint: what is probably not meant in a machine that can be played.
//!
//! Rules for all machines ([`paths`]: states that cannot be reached or left; [`lonely_intents`]: intents that are
//! nearly others), for those whose assistant is led by
//! instructions ([`instruction_design`]), and for those with a contract ([`class_overlap`], [`idle_parts`]). What loading says already is
//! not looked at again.

mod class_overlap;
mod idle_parts;
mod instruction_design;
mod linter;
mod lonely_intents;
mod paths;
mod state_graph;

pub use self::linter::{LintReport, Linter};
pub use self::state_graph::StateGraph;
use crate::diagnostic::{Diagnostic, Span};
use crate::engine::Machine;

/// All findings about a machine, file by file, from the top. With `permissive`, moves that no state declares are taken,
/// and nothing is said of them.
pub fn lint(machine: &Machine, permissive: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    paths::check(machine, &StateGraph::of(machine), &mut found);
    instruction_design::check(machine, permissive, &mut found);
    class_overlap::check(machine, &mut found);
    idle_parts::check(machine, &mut found);
    lonely_intents::check(machine, &mut found);
    let place = |finding: &Diagnostic| -> Option<Span> { finding.labels.first().map(|label| label.span) };
    // A stable sort: findings at one place stay in the order of the rules.
    found.sort_by_key(|finding| place(finding).map(|span| (span.file, span.start)));
    found
}
