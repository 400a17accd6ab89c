//! Imports Mermaid state diagrams.

mod forks;
mod read;

pub(super) use read::read;
