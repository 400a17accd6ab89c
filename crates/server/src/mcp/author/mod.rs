//! The authoring tools of `fsmsim mcp` for coding assistants: lint, draw and play models, run and save scenarios. The
//! assistant edits files with its own tools. This server writes only scenarios, and only if the user allows it.
//!
//! Each call uses the current files of the project (`fenced_project.rs`), and no file outside its folder. Only
//! dialogues persist between calls (`author_session.rs`).

mod author_answer;
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
mod tool_executor;
mod tools;

pub use server::serve_author;
pub use tool_executor::AuthorService;
