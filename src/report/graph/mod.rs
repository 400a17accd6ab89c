//! Pictures of machines.

mod dot;
mod mermaid;
mod svg;
mod svg_text;
mod text;
mod text_ways;

pub use dot::write_dot;
pub use mermaid::write_mermaid;
pub use svg::{SvgUse, write_svg};
pub use text::write_graph_text;

use crate::graph::EdgeLabel;

/// A way in words.
fn label_text(label: &EdgeLabel) -> String {
    match (&*label.trigger, &*label.condition) {
        (trigger, "") => trigger.to_owned(),
        ("", "otherwise") => "otherwise".to_owned(),
        (trigger, "otherwise") => format!("{trigger} otherwise"),
        ("", condition) => format!("if {condition}"),
        (trigger, condition) => format!("{trigger} if {condition}"),
    }
}
