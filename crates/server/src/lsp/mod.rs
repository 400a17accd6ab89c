//! The language server for definitions and scenarios.
//!
//! The main loop (`language_server.rs`) answers requests from the open documents and the index of the workspace. An
//! `Analyst` finds problems on a separate thread. The declarations of the formats determine names and keys
//! (`shape_cursor.rs`).

mod analyst;
mod capabilities;
mod case_places;
mod completion;
mod completion_offer;
mod cursor_context;
mod definition;
mod error_tolerant_parse;
mod file_format;
mod file_index;
mod file_uri;
mod finding;
mod hover;
mod language_server;
mod lens;
mod line_index;
mod machine_places;
mod markdown_cursor;
mod markdown_rename;
mod named_kind;
mod open_document;
mod project_map;
mod quick_fix;
mod rename;
mod requests;
mod shape_cursor;
mod state_visits;
mod workspace;
mod workspace_scan;

pub use language_server::{ServerEnd, serve};
