//! `fsmsim`: a dialogue simulator and scenario test harness.
//!
//! Every dialect of dialogue definition becomes one [`machine`]; the [`engine`] plays one turn of it as a pure step and
//! leaves one record; everything else makes, plays, compares or shows records. The rooms, from the ground up; a room
//! uses only the floors below its own, which a test checks:
//!
//! | floor | room | what lives there |
//! |---|---|---|
//! | 1 | [`diagnostic`] | spans, source map, codes, rendering, did-you-mean |
//! | 1 | [`document`] | YAML and JSON as a tree in which everything knows its place |
//! | 1 | [`machine`] | the compiled definition: dense tables by ids, settings, profiles, the language of conditions |
//! | 2 | [`dialect`] | front ends: files to a machine |
//! | 2 | [`engine`] | the turn: read, contribute, resolve, commit, classify, record |
//! | 3 | [`trace`] | the record as JSON lines, as a table, and field by field; reading traces, ours and others, and what differs between two |
//! | 3 | [`llm`] | who speaks where the script says nothing: mocks, live models, cassettes, simulated users |
//! | 3 | [`world`] | where data are kept: the store of a user's data in memory and in SQLite |
//! | 4 | [`drive`] | projects, models by path, turns as people write them, the loop that plays them |
//! | 5 | [`snapshot`] | accepted records and what differs from them |
//! | 5 | [`scenario`] | scenarios, expectations, the runner |
//! | 5 | [`analysis`] | what is probably not meant: lint; what many dialogues come to: simulation; whether recorded ones keep to a model: verification |
//! | 6 | [`report`] | results for people |
//! | 7 | [`repl`], `mcp`, [`cli`] | the faces |

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
