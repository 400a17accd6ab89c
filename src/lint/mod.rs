//! Lint: what is probably not meant in a machine that can be played.
//!
//! Two rooms of rules: [`paths`] for all machines (states that cannot be reached or left), and [`design`] for those whose
//! assistant is guided by instructions (docs/markdown.md, "Rules of good states"). What loading says already is not
//! looked at again.

mod design;

mod overlap;
mod paths;
mod state_graph;

pub use self::state_graph::StateGraph;
use crate::diagnostic::{Diagnostic, Span};
use crate::machine::Machine;

/// All findings about a machine, file by file, from the top. With `permissive`, moves that no state declares are taken,
/// and nothing is said of them.
#[must_use]
pub fn lint(machine: &Machine, permissive: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    paths::check(machine, &StateGraph::of(machine), &mut found);
    design::check(machine, permissive, &mut found);
    overlap::check(machine, &mut found);
    let place = |finding: &Diagnostic| -> Option<Span> { finding.labels.first().map(|label| label.span) };
    // A stable sort: findings at one place stay in the order of the rules.
    found.sort_by_key(|finding| place(finding).map(|span| (span.file, span.start)));
    found
}
