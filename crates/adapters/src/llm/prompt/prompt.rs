//! What a model is asked in words.

use serde_json::Value as Json;

use super::prompt_failure::PromptFailure;
use super::prompt_parts::PromptParts;
use super::prompt_templates::PromptTemplates;
use super::{answer_schema, assess, classify, decide, judge, navigate, phrase, play_user, work};
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
        Self::standard(task, &parts(task))
    }

    /// The words for a task, as a project says them, where it does.
    ///
    /// # Errors
    /// Where the words of the project come to nothing: nothing else is asked then.
    pub fn with(task: &Task<'_>, templates: &PromptTemplates) -> Result<Self, Box<PromptFailure>> {
        let parts = parts(task);
        Ok(match templates.fill(task, &parts)? {
            Some((system, user)) => Self {
                system,
                user,
                schema: answer_schema::of(task),
            },
            None => Self::standard(task, &parts),
        })
    }

    /// The built-in words.
    fn standard(task: &Task<'_>, parts: &PromptParts) -> Self {
        Self {
            system: parts.fixed.clone(),
            user: parts.user(),
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
            } => phrase::plain(about, known, missing, knowledge),
            Task::Judge { rubric, .. } => (*rubric).to_owned(),
            _ => {
                let PromptParts {
                    fixed, changing, ..
                } = parts(task);
                format!("{fixed}\n{changing}")
            }
        }
    }
}

/// The parts of what is asked, as they are where a project says nothing else.
fn parts(task: &Task<'_>) -> PromptParts {
    match task {
        Task::Classify(reading) => classify::parts(reading),
        Task::Navigate {
            state,
            instruction,
            history,
            targets,
            conditions,
        } => navigate::parts(state, instruction, history, targets, conditions),
        Task::Decide {
            state,
            goal,
            utterance,
            targets,
            known,
            history,
        } => decide::parts((state, goal), utterance, targets, known, history),
        Task::Assess {
            point,
            sums_up,
            points,
            enough,
            utterance,
            history,
            ..
        } => assess::parts(*point, *sums_up, (points, *enough), utterance, history),
        Task::Work {
            state,
            role,
            goal,
            known,
            brings,
            capabilities,
        } => work::parts((state, role, goal), known, brings, capabilities),
        Task::Phrase {
            about,
            known,
            missing,
            knowledge,
            history,
            ..
        } => phrase::parts(about, known, missing, knowledge, history),
        Task::Judge {
            rubric,
            history,
            replies,
            ..
        } => judge::parts(rubric, history, replies),
        Task::PlayUser(user) => play_user::parts(user),
    }
}
