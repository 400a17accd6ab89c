//! What models are asked in words: a template for each need (`prompts/` of this crate), what comes from people in delimiters, and
//! what a project says instead.
//!
//! The part that is the same for all turns of a dialogue stands first, so that servers which keep what they have read once
//! read it once. Then comes what changes, and last what was said.

mod answer_schema;
mod jinja_value;
mod prompt;
mod prompt_failure;
mod prompt_parts;
mod prompt_templates;
mod quoted;
mod template_variables;

pub use prompt::Prompt;
pub use prompt_failure::PromptFailure;
pub use prompt_templates::PromptTemplates;
