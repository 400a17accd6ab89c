//! `fsmsim`: a dialogue simulator and scenario test harness.
//!
//! Every dialect of dialogue definition becomes one [`machine`]; the [`engine`] plays one turn of it as a pure step and
//! leaves one record; everything else makes, plays, compares or shows records. The library is what the binary and its
//! tests are made of: it has no stable API.
//!
//! The rooms, from the ground up; a room uses only the floors below its own, which a test checks:
//!
//! | floor | room | what lives there |
//! |---|---|---|
//! | 1 | [`diagnostic`] | spans, source map, codes, rendering, did-you-mean |
//! | 2 | [`document`] | YAML, JSON and markdown as trees in which everything knows its place |
//! | 3 | [`machine`] | the compiled definition: dense tables by ids, settings, profiles, the language of conditions |
//! | 4 | [`engine`] | the turn: read, contribute, resolve, gate, speak, commit, classify, record |
//! | 4 | [`dialect`] | front ends: files to a machine |
//! | 4 | [`world`] | what answers effects: stores of users' data in memory and in SQLite, backends |
//! | 5 | [`trace`] | the record as JSON lines, as a table, and field by field, written and read |
//! | 5 | [`llm`] | who answers what the engine needs: mocks, live models, cassettes, a classifier by examples |
//! | 6 | [`project`], [`script`], [`runtime`] | projects and models by path; turns as people write them; the loop that plays them |
//! | 7 | [`snapshot`], [`scenario`] | accepted records and what differs from them; scenarios, expectations, the runner |
//! | 8 | [`lint`], [`coverage`], [`simulate`], [`diff`], [`verify`] | one room a question |
//! | 9 | [`report`] | results for people |
//! | 10 | `repl`, `mcp`, `cli` | the faces |
//!
//! The features `cli`, `live`, `mcp` and `sqlite` bring the faces, live models and databases; without them nothing is
//! compiled from C.

#[cfg(feature = "cli")]
pub mod cli;
pub mod coverage;
pub mod diagnostic;
pub mod dialect;
pub mod diff;
pub mod document;
pub mod engine;
pub mod lint;
pub mod llm;
pub mod machine;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod project;
#[cfg(feature = "cli")]
pub mod repl;
pub mod report;
pub mod runtime;
pub mod scenario;
pub mod script;
pub mod simulate;
pub mod snapshot;
pub mod trace;
pub mod verify;
pub mod world;
