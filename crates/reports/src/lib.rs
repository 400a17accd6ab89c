//! Writers of results, and what several front ends share.

pub mod harness;
mod limits;
pub mod report;
pub mod view;
