//! What one request asks of a model.

use serde_json::{Value as Json, json};

use super::strict_schema::StrictSchema;
use crate::llm::kind::TaskKind;
use crate::llm::prompt::Prompt;
use crate::llm::provider::Structured;
use crate::llm::utterance::Speaker;

/// What one request asks of a model, whichever server it goes to.
#[derive(Clone, Debug)]
pub(super) struct ChatRequest<'a> {
    pub(super) model: &'a str,
    /// What it is asked in words.
    pub(super) prompt: &'a Prompt,
    /// What it said and was told since, where its first answer could not be used.
    pub(super) since: &'a [(Speaker, String)],
    /// What is asked for.
    pub(super) kind: TaskKind,
    /// How it is brought to answer in the right shape.
    pub(super) structured: Structured,
    /// The schema as servers that are strict want it, where it can be said so.
    pub(super) strict: Option<&'a StrictSchema>,
    /// The fixed part is marked for the server to keep.
    pub(super) cache: bool,
}

/// What a tool is for, in the words that servers want of it.
pub(super) const TOOL: &str = "Gives the answer.";

impl ChatRequest<'_> {
    /// The name of what is asked for: of the schema, or of the tool.
    pub(super) fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// What is said, without the words of the system.
    pub(super) fn messages(&self) -> impl Iterator<Item = Json> {
        let first = json!({"role": "user", "content": self.prompt.user});
        let since = self.since.iter();
        let since = since.map(|(speaker, text)| json!({"role": speaker, "content": text}));
        std::iter::once(first).chain(since)
    }

    /// What is said, the words of the system first.
    pub(super) fn messages_with_system(&self) -> Vec<Json> {
        let system = json!({"role": "system", "content": self.prompt.system});
        std::iter::once(system).chain(self.messages()).collect()
    }
}

/// Adds keys to a JSON object.
pub(super) fn add<const N: usize>(body: &mut Json, keys: [(&str, Json); N]) {
    if let Some(body) = body.as_object_mut() {
        body.extend(keys.map(|(key, value)| (key.to_owned(), value)));
    }
}
