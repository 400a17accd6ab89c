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
    /// The words for a task.
    pub fn of(task: &Task<'_>) -> Self {
        let parts = PromptParts::of(task.kind(), &variables::of(task));
        Self::saying(parts.words(), task)
    }

    /// The words for a task, as a project says them, where it does.
    ///
    /// # Errors
    /// Where the words of the project come to nothing: nothing else is asked then.
    pub fn with(task: &Task<'_>, templates: &PromptTemplates) -> Result<Self, Box<PromptFailure>> {
        let (kind, variables) = (task.kind(), variables::of(task));
        let standard = PromptParts::of(kind, &variables).words();
        let words = templates.fill(kind, &variables, standard)?;
        Ok(Self::saying(words, task))
    }

    fn saying((system, user): (String, String), task: &Task<'_>) -> Self {
        Self {
            system,
            user,
            schema: answer_schema::of(task),
        }
    }

    /// What a model is told besides what was said, for patterns of mocks: without what holds for all tasks of a kind, and without
    /// delimiters, where that is the matter itself.
    pub(in crate::llm) fn told_besides(task: &Task<'_>) -> String {
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
            Task::Judge { rubric, .. } => (*rubric).to_owned(),
            _ => {
                let parts = PromptParts::of(task.kind(), &variables::of(task));
                format!("{}\n{}", parts.fixed, parts.changing)
            }
        }
    }
}
