//! Syntaxes of diagrams.

/// The syntax of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramSyntax {
    /// Mermaid: `stateDiagram-v2`.
    Mermaid,
    /// `PlantUML`: `@startuml`.
    PlantUml,
    /// A flowchart of Mermaid: `flowchart LR`.
    Flowchart,
}
