//! A call of the tool, as it arrives.

use serde_json::{Map, Value as Json};

use super::consent_question::ConsentAnswer;
use super::served_tool::{MAX_NAME, MAX_TEXT, ServedTool};
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};
use fsmsim_syntax::terminal::shortened;

/// A call of the tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolCall {
    /// The dialogue; nothing where the caller names none.
    pub(super) session: Option<String>,
    /// The dialogue that there is ends, and another one begins.
    pub(super) new: bool,
    /// What holds in every state is told once more.
    pub(super) full: bool,
    /// Where the assistant goes; nothing where it stays.
    pub(super) state: Option<String>,
    /// What it brings.
    pub(super) data: Option<Map<String, Json>>,
    /// What the user said.
    pub(super) said: Option<String>,
    /// What the assistant has said since its last call.
    pub(super) reply: Option<String>,
    /// What was meant by what the user said.
    pub(super) intent: Option<String>,
    /// The user can be asked before the call is answered.
    pub(super) can_ask: bool,
    /// What the user answered, where the call was held up to ask.
    pub(super) answer: Option<ConsentAnswer>,
}

impl ToolCall {
    /// Reads the arguments. Models write `null` and empty texts for what they leave out.
    ///
    /// # Errors
    /// What is wrong with them, for the model.
    pub(super) fn read(
        tool: ServedTool,
        arguments: Option<&Map<String, Json>>,
    ) -> Result<Self, String> {
        let mut call = Self::default();
        for (name, value) in arguments.into_iter().flatten() {
            let known = tool.arguments();
            if !known.contains(&name.as_str()) {
                if name.chars().count() > MAX_NAME {
                    return Err(format!(
                        "{} takes {}, but no name of that length.",
                        tool.name(),
                        tool.takes()
                    ));
                }
                let near = did_you_mean("", nearest(name, known.iter().copied()));
                return Err(format!(
                    "{} takes {}, but not `{name}`.{near}",
                    tool.name(),
                    tool.takes()
                ));
            }
            match name.as_str() {
                "state" => call.state = named(tool, name, value)?,
                "session" => call.session = named(tool, name, value)?,
                "intent" => call.intent = named(tool, name, value)?,
                "said" | "say" => call.said = text(tool, name, value, MAX_TEXT)?,
                "reply" => call.reply = text(tool, name, value, MAX_TEXT)?,
                "data" => call.data = data(tool, value)?,
                "new" => call.new = flag(tool, name, value)?,
                _ => call.full = flag(tool, name, value)?,
            }
        }
        Ok(call)
    }

    /// Whether another call brings the same, in whichever dialogue.
    pub(super) fn brings_the_same_as(&self, other: &Self) -> bool {
        let brought = |call: &Self| {
            (
                call.state.clone(),
                call.data.clone(),
                call.said.clone(),
                call.reply.clone(),
            )
        };
        brought(self) == brought(other)
    }

    /// Whether the call brings nothing that could be played.
    pub(super) fn only_asks(&self) -> bool {
        let leads = self.state.is_some() || self.intent.is_some() || self.data.is_some();
        !leads && self.said.is_none() && self.reply.is_none()
    }
}

/// A name: without what stands around it.
fn named(tool: ServedTool, name: &str, value: &Json) -> Result<Option<String>, String> {
    Ok(text(tool, name, value, MAX_NAME)?
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty()))
}

/// A text of so many letters at most.
fn text(tool: ServedTool, name: &str, value: &Json, most: usize) -> Result<Option<String>, String> {
    match value {
        Json::Null => Ok(None),
        Json::String(text) if text.trim().is_empty() => Ok(None),
        Json::String(text) if text.chars().count() > most => Err(format!(
            "`{name}` of {} is longer than {most} letters. Nothing has changed.",
            tool.name()
        )),
        Json::String(text) => Ok(Some(text.clone())),
        other => Err(wrong(tool, name, "a text", other)),
    }
}

/// Something that is so or not.
fn flag(tool: ServedTool, name: &str, value: &Json) -> Result<bool, String> {
    match value {
        Json::Null => Ok(false),
        Json::Bool(flag) => Ok(*flag),
        other => Err(wrong(tool, name, "true or false", other)),
    }
}

/// What is brought. Some models write an object as a text.
fn data(tool: ServedTool, value: &Json) -> Result<Option<Map<String, Json>>, String> {
    let map = match value {
        Json::Null => return Ok(None),
        Json::Object(map) => map.clone(),
        Json::String(text) if text.trim().is_empty() => return Ok(None),
        Json::String(text) => match serde_json::from_str(text) {
            Ok(Json::Object(map)) => map,
            _ => return Err(wrong(tool, "data", "an object", value)),
        },
        other => return Err(wrong(tool, "data", "an object", other)),
    };
    if map.keys().any(|name| name.chars().count() > MAX_NAME) {
        let tool = tool.name();
        return Err(format!(
            "A name in `data` of {tool} is longer than {MAX_NAME} letters. Nothing has changed."
        ));
    }
    Ok(Some(map).filter(|map| !map.is_empty()))
}

/// What is said of an argument of another kind.
fn wrong(tool: ServedTool, name: &str, kind: &str, value: &Json) -> String {
    format!(
        "`{name}` of {} is {kind}, but this is `{}`.",
        tool.name(),
        shortened(&value.to_string(), MAX_NAME)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &str) -> Result<ToolCall, String> {
        ToolCall::read(
            ServedTool::GetInstruction,
            Some(&serde_json::from_str(arguments).unwrap()),
        )
    }

    #[test]
    fn what_is_left_out_may_be_written_as_nothing() {
        assert_eq!(
            ToolCall::read(ServedTool::Turn, None),
            Ok(ToolCall::default())
        );
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
    fn what_is_too_long_is_refused_before_anything_looks_for_it() {
        let name = "x".repeat(MAX_NAME + 1);
        let long = |key: &str| read(&format!(r#"{{"{key}": "{name}"}}"#)).unwrap_err();
        assert_eq!(
            long("state"),
            "`state` of get_instruction is longer than 200 letters. Nothing has changed."
        );
        assert!(long("session").contains("longer than 200 letters"));
        assert!(long(&name).ends_with("but no name of that length."));
        let named = read(&format!(r#"{{"data": {{"{name}": 1}}}}"#)).unwrap_err();
        assert_eq!(
            named,
            "A name in `data` of get_instruction is longer than 200 letters. Nothing has changed."
        );
        let data = read(&format!(r#"{{"data": ["{name}"]}}"#)).unwrap_err();
        assert!(
            data.chars().count() < 300 && data.ends_with("…`."),
            "{data}"
        );
    }
}
