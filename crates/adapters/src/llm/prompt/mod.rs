//! Prompts for models: one template per need (`prompts/` of this crate), with external text in delimiters, and the
//! templates of projects that replace them.
//!
//! The part that is the same for all turns of a dialogue comes first, so that servers can cache it. Then come the parts
//! that change, and finally the utterance.

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
