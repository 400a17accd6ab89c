//! Mermaid's diagrams of states into a chart.

mod forks;
mod guard;
mod read;

pub(super) use read::read;
