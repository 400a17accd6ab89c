//! What a model is asked in words.

use serde_json::{Value as Json, json};

use super::answer_schema;
use super::prompt_failure::PromptFailure;
use super::prompt_parts::{PromptParts, matter};
use super::prompt_templates::PromptTemplates;
use super::template_variables as variables;
use crate::llm::task::Task;

/// What a model is asked in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// How it is to answer.
    pub system: String,
    /// What it is to look at.
    pub user: String,
    /// The JSON Schema of the answer, with the names that may be chosen.
    pub schema: Json,
}

impl Prompt {
    /// The words for a task, as a project says them, where it does.
    ///
    /// # Errors
    /// Where a template cannot be filled in: nothing else is asked then.
    pub fn with(task: &Task<'_>, templates: &PromptTemplates) -> Result<Self, Box<PromptFailure>> {
        let (kind, variables) = (task.kind(), variables::of(task));
        let standard = PromptParts::of(kind, &variables)?.words();
        let (system, user) = templates.fill(kind, &variables, standard)?;
        Ok(Self {
            system,
            user,
            schema: answer_schema::of(task),
        })
    }

    /// What a model is told besides what was said, for patterns of mocks: without what holds for all tasks of a kind, and without
    /// delimiters, where that is the matter itself.
    pub(in crate::llm) fn told_besides(task: &Task<'_>) -> Result<String, Box<PromptFailure>> {
        match task {
            Task::Phrase {
                about,
                known,
                missing,
                knowledge,
                ..
            } => matter(
                &json!({"about": about, "known": known, "missing": missing, "knowledge": knowledge}),
            ),
            Task::Judge { rubric, .. } => Ok((*rubric).to_owned()),
            _ => {
                let parts = PromptParts::of(task.kind(), &variables::of(task))?;
                Ok(format!("{}\n{}", parts.fixed, parts.changing))
            }
        }
    }
}
