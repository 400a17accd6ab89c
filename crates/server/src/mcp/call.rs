//! Arguments of a tool call.

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::argument_schema::unknown_argument;
use super::consent_question::ConsentAnswer;
use crate::limits::{MAX_NAME, MAX_TEXT};
use fsmsim_syntax::terminal::shortened;

/// The arguments of a tool call. Each tool accepts some of them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ToolCall {
    /// ID of the dialogue (`session` of the last answer). Without it, a new dialogue starts, unless this connection has
    /// one.
    #[schemars(length(max = MAX_NAME))]
    pub session: Option<String>,
    /// End the dialogue, if there is one, and start a new one.
    pub new: bool,
    /// Repeat the instructions that apply to every state. Otherwise, only the first answer contains them.
    pub full: bool,
    /// State to enter. Without it, the answer describes the current state.
    #[schemars(length(max = MAX_NAME))]
    pub state: Option<String>,
    pub data: Option<JsonObject>,
    /// The user's words since your last call, verbatim.
    #[serde(alias = "say")]
    #[schemars(length(max = MAX_TEXT))]
    pub said: Option<String>,
    /// Your words to the user since your last call, in the state of the last answer. They are checked against the
    /// limits of that state.
    #[schemars(length(max = MAX_TEXT))]
    pub reply: Option<String>,
    #[schemars(length(max = MAX_NAME))]
    pub intent: Option<String>,
    /// Whether the client can ask the user before the call is answered.
    #[serde(skip)]
    pub can_ask: bool,
    /// The answer of the user, if the call waited for it.
    #[serde(skip)]
    pub answer: Option<ConsentAnswer>,
}

impl ToolCall {
    /// Validates the arguments. LLMs write `null` and empty strings for omitted arguments, and some write an object as
    /// a string.
    pub(super) fn read(tool: &Tool, arguments: Option<&JsonObject>) -> Result<Self, String> {
        let name = &tool.name;
        let mut given = JsonObject::new();
        let known = tool
            .input_schema
            .get("properties")
            .and_then(Json::as_object);
        for (argument, value) in arguments.into_iter().flatten() {
            let Some(about) = known.and_then(|known| known.get(argument)) else {
                let known: Vec<&str> = known
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| &**name)
                    .collect();
                return Err(unknown_argument(name, argument, &known));
            };
            let kind = about.get("type").and_then(Json::as_str).unwrap_or_default();
            let most = about
                .get("maxLength")
                .and_then(Json::as_u64)
                .unwrap_or_default();
            let read = match (kind, value) {
                (_, Json::Null) => continue,
                ("string" | "object", Json::String(text)) if text.trim().is_empty() => continue,
                ("string", Json::String(text)) if text.chars().count() as u64 > most => {
                    return Err(format!(
                        "`{argument}` of {name} is longer than {most} characters. Nothing has changed."
                    ));
                }
                ("string", Json::String(text)) if most == MAX_NAME as u64 => {
                    Json::from(text.trim())
                }
                ("object", Json::String(text)) => serde_json::from_str(text).unwrap_or_default(),
                (_, value) => value.clone(),
            };
            let expected = match (kind, &read) {
                ("string", Json::String(_)) | ("boolean", Json::Bool(_)) => None,
                ("object", Json::Object(map)) => {
                    if map.keys().any(|name| name.chars().count() > MAX_NAME) {
                        return Err(format!(
                            "A name in `{argument}` of {name} is longer than {MAX_NAME} characters. Nothing has changed."
                        ));
                    }
                    None
                }
                ("string", _) => Some("a string"),
                ("boolean", _) => Some("`true` or `false`"),
                _ => Some("an object"),
            };
            if let Some(expected) = expected {
                let shown = shortened(&value.to_string(), MAX_NAME);
                return Err(format!(
                    "Expected {expected} for `{argument}` of {name}, found `{shown}`."
                ));
            }
            given.insert(argument.clone(), read);
        }
        let mut call: Self = serde_json::from_value(Json::Object(given))
            .map_err(|error| format!("Cannot parse the arguments of {name}: {error}."))?;
        call.data = call.data.filter(|data| !data.is_empty());
        Ok(call)
    }

    /// Whether another call has the same content, in any dialogue.
    pub(super) fn brings_the_same_as(&self, other: &Self) -> bool {
        let content = |call: &Self| {
            (
                call.state.clone(),
                call.data.clone(),
                call.said.clone(),
                call.reply.clone(),
            )
        };
        content(self) == content(other)
    }

    /// Whether the call has no content for a turn.
    pub(super) fn only_asks(&self) -> bool {
        let leads = self.state.is_some() || self.intent.is_some() || self.data.is_some();
        !leads && self.said.is_none() && self.reply.is_none()
    }
}

#[cfg(test)]
mod tests {
    use schemars::generate::Contract;

    use super::*;
    use crate::mcp::typed_tool::schema_of;

    fn tool() -> Tool {
        Tool::new(
            "get_instruction",
            "",
            schema_of::<ToolCall>(Contract::Deserialize),
        )
    }

    fn read(arguments: &str) -> Result<ToolCall, String> {
        ToolCall::read(&tool(), Some(&serde_json::from_str(arguments).unwrap()))
    }

    #[test]
    fn omitted_arguments_may_be_null_or_empty() {
        assert_eq!(ToolCall::read(&tool(), None), Ok(ToolCall::default()));
        assert_eq!(read("{}"), Ok(ToolCall::default()));
        let nothing = r#"{"state": null, "session": "", "data": {}, "said": " ", "new": null, "full": false}"#;
        assert_eq!(read(nothing), Ok(ToolCall::default()));
        let call = read(r#"{"state": " brew ", "session": "a1", "data": "{\"a\": 1}"}"#).unwrap();
        assert_eq!(
            (call.state.as_deref(), call.session.as_deref()),
            (Some("brew"), Some("a1"))
        );
        assert_eq!(call.data.unwrap().len(), 1);
    }

    #[test]
    fn too_long_arguments_are_rejected_before_any_lookup() {
        let name = "x".repeat(MAX_NAME + 1);
        let long = |key: &str| read(&format!(r#"{{"{key}": "{name}"}}"#)).unwrap_err();
        assert_eq!(
            long("state"),
            "`state` of get_instruction is longer than 200 characters. Nothing has changed."
        );
        assert!(long("session").contains("longer than 200 characters"));
        assert!(long(&name).starts_with("Unknown argument `xxx"));
        let named = read(&format!(r#"{{"data": {{"{name}": 1}}}}"#)).unwrap_err();
        assert_eq!(
            named,
            "A name in `data` of get_instruction is longer than 200 characters. Nothing has changed."
        );
        let data = read(&format!(r#"{{"data": ["{name}"]}}"#)).unwrap_err();
        assert!(
            data.chars().count() < 300 && data.ends_with("…`."),
            "{data}"
        );
    }
}
