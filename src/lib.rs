//! `fsmsim`: a dialogue simulator and scenario test harness.
//!
//! Every dialect of dialogue definition becomes one [`machine`]; the [`engine`] plays one turn of it as a pure step and
//! leaves one record; everything else makes, plays, compares or shows records. What lives in which room, and which rooms a
//! room may use, stands in `docs/architecture.md`.
//!
//! The library is made for the program of the same name and for its tests. It has no stable API: any version may change any
//! of it. What people and scripts may rely on are the formats, commands and exit codes that `docs/` describes.
//!
//! The features `cli`, `live`, `lsp`, `mcp`, `sqlite`, `studio` and `subject` bring the faces, live models, databases and
//! dialogue systems of others; without them
//! nothing is compiled from C.

#[cfg(feature = "cli")]
pub mod cli;
pub mod convert;
pub mod coverage;
pub mod diagnostic;
pub mod dialect;
pub mod diff;
pub mod document;
pub mod engine;
pub mod eval;
pub mod files;
pub mod flakiness;
pub mod graph;
pub mod harness;
#[cfg(any(feature = "mcp", feature = "studio"))]
pub mod http;
pub mod lint;
pub mod llm;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod machine;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod project;
pub mod reference;
pub mod rehearsal;
#[cfg(feature = "cli")]
pub mod repl;
pub mod report;
pub mod review;
pub mod runtime;
pub mod scenario;
pub mod schema;
pub mod script;
pub mod selection;
pub mod simulate;
pub mod snapshot;
pub mod statistics;
#[cfg(feature = "studio")]
pub mod studio;
pub mod subject;
pub mod terminal;
pub mod threads;
pub mod trace;
pub mod verify;
pub mod view;
pub mod world;
