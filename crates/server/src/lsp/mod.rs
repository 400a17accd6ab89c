//! The language server: definitions and scenarios as editors see them while they are written.
//!
//! The main loop (`language_server.rs`) answers requests from the texts that are open and from what is known of the workspace;
//! what is wrong is worked out beside it, by an `Analyst` on a thread of its own. Names and keys are found by the
//! declarations of the formats (`shape_cursor.rs`).

mod analyst;
mod capabilities;
mod case_places;
mod completion;
mod completion_offer;
mod cursor_context;
mod definition;
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
mod mended_text;
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
