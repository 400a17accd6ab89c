//! What models are asked in words: a file for each need, what comes from people in delimiters, and what a project says
//! instead.
//!
//! The part that is the same for all turns of a dialogue stands first, so that servers which keep what they have read once
//! read it once. Then comes what changes, and last what was said.

mod answer_schema;
mod assess;
mod classify;
mod decide;
mod jinja_value;
mod judge;
mod navigate;
mod phrase;
mod play_user;
mod prompt;
mod prompt_failure;
mod prompt_parts;
mod prompt_templates;
mod quoted;
mod template_variables;
mod work;

pub use prompt::Prompt;
pub use prompt_failure::PromptFailure;
pub use prompt_templates::PromptTemplates;
