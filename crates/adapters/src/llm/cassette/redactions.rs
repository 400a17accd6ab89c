//! Ignored parts of requests that change between runs, for example dates and session numbers.

use regex::Regex;
use serde_json::Value as Json;

use crate::llm::prompt::{Prompt, PromptFailure, PromptTemplates};
use crate::llm::task::Task;
use fsmsim_syntax::document::PatternBudget;

/// The replacement for ignored parts.
const PLACEHOLDER: &str = "<ignored>";

/// Patterns for the parts of requests that cassettes neither store nor compare.
#[derive(Clone, Debug, Default)]
pub struct Redactions {
    patterns: Vec<Regex>,
    budget: PatternBudget,
    /// The prompt templates of the project, which replace the built-in ones.
    prompts: PromptTemplates,
}

impl Redactions {
    pub fn add(&mut self, pattern: &str) -> Result<(), String> {
        let pattern = self.budget.compile(pattern, true)?;
        if pattern.is_match("") {
            return Err("it matches the empty string".to_owned());
        }
        self.patterns.push(pattern);
        Ok(())
    }

    /// Uses the prompt templates of a project.
    #[must_use]
    pub fn asking_by(self, prompts: PromptTemplates) -> Self {
        Self { prompts, ..self }
    }

    /// The request of a task without its ignored parts.
    pub(super) fn request(&self, task: &Task<'_>) -> Result<Prompt, Box<PromptFailure>> {
        Prompt::with(task, &self.prompts).map(|prompt| self.mask(prompt))
    }

    /// Replaces the ignored parts of a request.
    fn mask(&self, mut prompt: Prompt) -> Prompt {
        if !self.patterns.is_empty() {
            self.mask_text(&mut prompt.system);
            self.mask_text(&mut prompt.user);
            self.mask_json(&mut prompt.schema);
        }
        prompt
    }

    fn mask_text(&self, text: &mut String) {
        for pattern in &self.patterns {
            if pattern.is_match(text) {
                *text = pattern
                    .replace_all(text, regex::NoExpand(PLACEHOLDER))
                    .into_owned();
            }
        }
    }

    fn mask_json(&self, value: &mut Json) {
        match value {
            Json::String(text) => self.mask_text(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.mask_json(item)),
            Json::Object(map) => map.values_mut().for_each(|value| self.mask_json(value)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ignored_parts_are_replaced_in_all_parts_of_a_request() {
        let mut redactions = Redactions::default();
        redactions.add(r"\d{4}-\d\d-\d\d").unwrap();
        let prompt = Prompt {
            system: "Today is 2024-01-31.".to_owned(),
            user: "2024-02-01 and $1".to_owned(),
            schema: json!({"enum": ["2024-01-31", 7]}),
        };
        let masked = redactions.mask(prompt);
        assert_eq!(masked.system, "Today is <ignored>.");
        assert_eq!(masked.user, "<ignored> and $1");
        assert_eq!(masked.schema, json!({"enum": ["<ignored>", 7]}));
    }
}
