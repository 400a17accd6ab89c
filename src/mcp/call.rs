//! A call of the tool, as it arrives.

use serde_json::{Map, Value as Json};

use crate::diagnostic::{did_you_mean, nearest};

/// The name of the tool.
pub(super) const TOOL: &str = "get_instruction";

/// A call of the tool: `get_instruction(state?, session?)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolCall {
    /// Where the assistant goes; nothing where it only asks what holds here.
    pub(super) state: Option<String>,
    /// The dialogue; nothing where the caller names none.
    pub(super) session: Option<String>,
    /// The dialogue that the connection began, for a caller that names none.
    pub(super) own: Option<String>,
}

impl ToolCall {
    /// Reads the arguments. Models write `null` and empty texts for what they leave out.
    ///
    /// # Errors
    /// What is wrong with them, for the model.
    pub(super) fn read(arguments: Option<&Map<String, Json>>) -> Result<Self, String> {
        let mut call = Self::default();
        for (name, value) in arguments.into_iter().flatten() {
            let place = match name.as_str() {
                "state" => &mut call.state,
                "session" => &mut call.session,
                other => {
                    let near = did_you_mean("", nearest(other, ["state", "session"]));
                    return Err(format!("{TOOL} takes `state` and `session`, but not `{other}`.{near}"));
                }
            };
            match value {
                Json::Null => {}
                Json::String(text) => *place = Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
                _ => return Err(format!("`{name}` of {TOOL} is a text, but this is `{value}`.")),
            }
        }
        Ok(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &str) -> Result<ToolCall, String> {
        ToolCall::read(Some(&serde_json::from_str(arguments).unwrap()))
    }

    #[test]
    fn what_is_left_out_may_be_written_as_nothing() {
        assert_eq!(ToolCall::read(None), Ok(ToolCall::default()));
        assert_eq!(read("{}"), Ok(ToolCall::default()));
        assert_eq!(read(r#"{"state": null, "session": ""}"#), Ok(ToolCall::default()));
        let call = read(r#"{"state": " brew ", "session": "a1"}"#).unwrap();
        assert_eq!((call.state.as_deref(), call.session.as_deref()), (Some("brew"), Some("a1")));
    }
}
