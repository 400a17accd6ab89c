//! Diagrams of machines.

mod coverage_overlay;
mod dot;
mod mermaid;
mod node_transition;
mod sections;
mod svg;
mod text;
mod text_transitions;
mod traffic_transitions;

pub use coverage_overlay::coverage_overlay;
pub use dot::write_dot;
pub use mermaid::write_mermaid;
pub use svg::{SvgUse, write_svg};
pub use text::write_graph_text;
pub use traffic_transitions::traffic_ways;

pub(super) use node_transition::{NodeTransition, kind_of_node, ways_of};
pub(super) use sections::{GraphSection, about_node, comes_from, sections_of};
pub(super) use svg::overview_svg;

use fsmsim_harness::graph::{Covered, EdgeLabel};
use fsmsim_syntax::terminal::Joined;

/// The condition of a transition as text. Empty if unconditional.
fn condition_words(label: &EdgeLabel) -> String {
    match &*label.condition {
        "" | "otherwise" => label.condition.clone(),
        condition => format!("if {condition}"),
    }
}

/// The label of a transition.
fn label_text(label: &EdgeLabel) -> String {
    let parts = [label.trigger.clone(), condition_words(label)]
        .into_iter()
        .filter(|part| !part.is_empty());
    parts.joined(" ")
}

fn covered_words(covered: Covered) -> &'static str {
    match covered {
        Covered::Full => "covered",
        Covered::Part => "partly covered",
        Covered::Nothing => "not covered",
    }
}

/// How often each trace passed: `×3`, or `A×3 B×1` for two traces.
pub(super) fn passed_label(passed: &[u64]) -> String {
    match passed {
        [] => String::new(),
        [count] => format!("×{count}"),
        sides => {
            let parts = ["A", "B"]
                .iter()
                .zip(sides)
                .filter(|(_, count)| **count > 0);
            parts
                .map(|(side, count)| format!("{side}×{count}"))
                .joined(" ")
        }
    }
}

/// The overlay of a state or transition as text: the passes of each trace, and the coverage.
pub(super) fn mark_label(passed: &[u64], covered: Option<Covered>) -> String {
    let covered = covered.map_or("", covered_words);
    let parts = [passed_label(passed), covered.to_owned()];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .joined(", ")
}
