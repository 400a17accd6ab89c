//! How a diagram is written.

/// How a diagram is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramSyntax {
    /// As mermaid has it: `stateDiagram-v2`.
    Mermaid,
    /// As `PlantUML` has it: `@startuml`.
    PlantUml,
}
