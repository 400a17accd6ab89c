//! Writers of results, and what several front ends share.

pub mod harness;
pub mod report;
pub mod view;
