//! Mermaid's diagrams of states into a chart.

mod forks;
mod read;

pub(super) use read::read;
