//! Report writers and code that several front ends share.

pub mod harness;
mod limits;
pub mod report;
pub mod view;
