//! Prompts for models.

use serde_json::{Value as Json, json};

use super::answer_schema;
use super::prompt_failure::PromptFailure;
use super::prompt_parts::{PromptParts, matter};
use super::prompt_templates::PromptTemplates;
use super::template_variables as variables;
use crate::llm::task::Task;

/// The date in prompts that are recorded or shown: they must not depend on the clock.
const ANY_DAY: &str = "<date>, <weekday>";

/// The prompt of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The instructions: how to answer.
    pub system: String,
    /// The input: what to answer.
    pub user: String,
    /// The JSON Schema of the answer, with the names to choose from.
    pub schema: Json,
}

impl Prompt {
    /// The prompt of a task, from the templates of the project or the built-in ones.
    ///
    /// # Errors
    /// Returns an error if a template fails. There is no fallback prompt.
    pub fn with(task: &Task<'_>, templates: &PromptTemplates) -> Result<Self, Box<PromptFailure>> {
        Self::on(ANY_DAY, task, templates)
    }

    /// The prompt of a task on this day.
    pub(in crate::llm) fn on(
        today: &str,
        task: &Task<'_>,
        templates: &PromptTemplates,
    ) -> Result<Self, Box<PromptFailure>> {
        let kind = task.kind();
        let variables = variables::of(task, today);
        let standard = PromptParts::of(kind, &variables)?.words();
        let (system, user) = templates.fill(kind, &variables, standard)?;
        Ok(Self {
            system,
            user,
            schema: answer_schema::of(task),
        })
    }

    /// The context of the prompt without the utterance, for patterns of mocks. Omits the part that is common to all
    /// tasks of a kind, and delimiters around the main content.
    pub(in crate::llm) fn context_text(task: &Task<'_>) -> Result<String, Box<PromptFailure>> {
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
                let parts = PromptParts::of(task.kind(), &variables::of(task, ANY_DAY))?;
                Ok(format!("{}\n{}", parts.fixed, parts.changing))
            }
        }
    }
}
