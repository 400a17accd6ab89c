//! Requests to models, independent of the server.

use serde_json::{Value as Json, json};

use super::strict_schema::StrictSchema;
use crate::llm::kind::TaskKind;
use crate::llm::prompt::Prompt;
use crate::llm::provider::Structured;
use crate::llm::utterance::Speaker;

/// A request to a model, independent of the server.
#[derive(Clone, Debug)]
pub(super) struct ChatRequest<'a> {
    pub model: &'a str,
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The messages after the prompt, if the first answer was invalid.
    pub since: &'a [(Speaker, String)],
    /// The kind of task.
    pub kind: TaskKind,
    /// The structured output mode.
    pub structured: Structured,
    /// The strict form of the schema, if it has one.
    pub strict: Option<&'a StrictSchema>,
    /// The fixed part is marked for caching by the server.
    pub cache: bool,
}

/// The description of the tool, which servers require.
pub(super) const TOOL: &str = "Gives the answer.";

impl ChatRequest<'_> {
    /// The name of the schema or the tool.
    pub(super) fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The messages without the system message.
    pub(super) fn messages(&self) -> impl Iterator<Item = Json> {
        let first = json!({"role": "user", "content": self.prompt.user});
        let since = self
            .since
            .iter()
            .map(|(speaker, text)| json!({"role": speaker, "content": text}));
        std::iter::once(first).chain(since)
    }

    /// The messages, with the system message first.
    pub(super) fn messages_with_system(&self) -> Vec<Json> {
        let system = json!({"role": "system", "content": self.prompt.system});
        std::iter::once(system).chain(self.messages()).collect()
    }
}

pub(super) fn add<const N: usize>(body: &mut Json, keys: [(&str, Json); N]) {
    if let Some(body) = body.as_object_mut() {
        body.extend(keys.map(|(key, value)| (key.to_owned(), value)));
    }
}
