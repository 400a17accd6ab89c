//! State diagrams as text, parsed line by line: Mermaid `stateDiagram-v2`, `flowchart` and `PlantUML`.

mod arrow;
mod arrow_label;
mod diagram_line;
mod diagram_syntax;
mod flowchart;
mod state_diagram;

pub use arrow_label::{ArrowLabel, plain_label};
pub use diagram_line::DiagramLine;
pub use diagram_syntax::DiagramSyntax;
pub use state_diagram::StateDiagram;
