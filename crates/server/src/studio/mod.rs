//! The studio: a page on the loopback interface to run and test dialogues.
//!
//! One worker owns the dialogue and runs the requests of all tabs in sequence (`server.rs`, `studio_state.rs`). One
//! table lists all operations (`operations.rs`), with one file per family. Until the project has a model, the page
//! offers templates (`empty_project.rs`). Long operations run on other threads, which report their progress as events
//! (`event_hub.rs`). `gate.rs` authorizes all requests.

mod bench_dialogue;
mod browser_file;
mod dialogue_view;
mod empty_project;
mod event_hub;
mod gate;
mod operation;
mod operations;
mod project_watch;
mod refusal;
mod routes;
mod server;
mod studio_desk;
mod studio_event;
mod studio_model;
mod studio_settings;
mod studio_state;

pub use browser_file::BrowserFile;
pub use empty_project::{BenchOpener, EmptyProject};
pub use server::Studio;
pub use studio_desk::StudioDesk;
pub use studio_settings::StudioSettings;
pub use studio_state::{DialogueOpener, StudioState};
