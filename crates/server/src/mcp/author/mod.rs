//! Serving the workbench to a coding assistant: models are linted, drawn and played, scenarios run and saved, by tools. The files
//! themselves the assistant writes with its own means; here nothing is written but scenarios, and these only where the user said so.
//!
//! Each call looks at the project as its files are now (`fenced_project.rs`), behind a fence around its folder. What goes on from call
//! to call are the dialogues that are played (`author_session.rs`).

mod author_answer;
mod author_desk;
mod author_handler;
mod author_prompt;
mod author_resources;
mod author_session;
mod bounded_parts;
mod client_words;
mod fenced_project;
mod named_answerers;
mod result_page;
mod server;
mod tools;

pub use author_desk::AuthorService;
pub use server::serve_author;
