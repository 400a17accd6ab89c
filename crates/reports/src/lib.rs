//! Report writers and code that several front ends share.

pub mod dialogue_view;
pub mod harness;
mod limits;
pub mod report;
