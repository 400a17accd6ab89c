//! `fsmsim`: a dialogue simulator and scenario test harness.
//!
//! The rooms, from the ground up; each uses only those above it in this list:
//!
//! | room | what lives there |
//! |---|---|
//! | [`diagnostic`] | spans, source map, codes, rendering, did-you-mean |
//! | [`document`] | YAML and JSON as a tree with places |

pub mod cli;
pub mod diagnostic;
pub mod dialect;
pub mod document;
pub mod drive;
pub mod engine;
pub mod machine;
pub mod repl;
pub mod report;
pub mod scenario;
pub mod snapshot;
pub mod trace;
