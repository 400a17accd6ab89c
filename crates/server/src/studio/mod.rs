//! The studio: the workbench as a page on loopback.
//!
//! One worker owns the dialogue and does what the tabs ask for, one request after another (`worker.rs`, `workbench.rs`). What can
//! be asked for stands in one table (`operations.rs`), a file for each family. Until the project has a model, the page offers
//! templates instead (`empty_project.rs`). What takes long is done by other threads, which tell what becomes of it by events
//! (`event_hub.rs`). Before anything is asked, `gate.rs` looks who asks.

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
mod workbench;

pub use browser_file::BrowserFile;
pub use empty_project::{BenchOpener, EmptyProject};
pub use server::Studio;
pub use studio_desk::StudioDesk;
pub use studio_settings::StudioSettings;
pub use workbench::{DialogueOpener, Workbench};
