//! The arguments of a call, held against the schema of the tool.

use serde_json::{Map, Value as Json};
use strum::VariantArray;

use super::cycle_tool::CycleTool;
use crate::mcp::argument_schema::{ArgumentSchema, shown};
use fsmsim_runtime::script::is_time;

/// The arguments of a call, which fit the schema of its tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolArguments {
    given: Map<String, Json>,
}

/// The schemas of the tools, ready to hold arguments against.
#[derive(Debug)]
pub(super) struct ToolSchemas {
    schemas: Vec<(CycleTool, ArgumentSchema)>,
}

/// The arguments that are times.
const TIMES: [&str; 2] = ["at", "deadline"];

impl ToolSchemas {
    /// Compiles them.
    ///
    /// # Errors
    /// Why one cannot be used.
    pub(super) fn new() -> Result<Self, String> {
        let compiled = CycleTool::VARIANTS
            .iter()
            .map(|tool| Ok((*tool, ArgumentSchema::new(tool.name(), tool.schema())?)));
        Ok(Self {
            schemas: compiled.collect::<Result<_, String>>()?,
        })
    }

    /// Reads the arguments of a call. Models write `null` for what they leave out.
    ///
    /// # Errors
    /// What is wrong with them, for the client.
    pub(super) fn read(
        &self,
        tool: CycleTool,
        given: Option<&Map<String, Json>>,
    ) -> Result<ToolArguments, String> {
        let Some((_, schema)) = self.schemas.iter().find(|(known, _)| *known == tool) else {
            return Ok(ToolArguments::default());
        };
        let given = schema.read(given)?;
        for name in TIMES {
            if let Some(text) = given
                .get(name)
                .and_then(Json::as_str)
                .filter(|text| !is_time(text))
            {
                let text = shown(text);
                return Err(format!(
                    "`{name}` of {} is no time: `{text}`. Write it as `2026-01-31T18:00:00Z`.",
                    tool.name()
                ));
            }
        }
        Ok(ToolArguments { given })
    }
}

impl ToolArguments {
    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name)?.as_str()
    }

    /// Whether something is said to be so.
    pub(super) fn is(&self, name: &str) -> bool {
        self.given.get(name) == Some(&Json::Bool(true))
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.given.get(name)?.as_u64()
    }

    /// Whatever is given under a name; null where nothing is.
    pub(super) fn value(&self, name: &str) -> Json {
        self.given.get(name).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_is_wrong_with_its_arguments() {
        let schemas = ToolSchemas::new().unwrap();
        let read = |tool: CycleTool, text: &str| {
            schemas.read(tool, Some(&serde_json::from_str(text).unwrap()))
        };
        for tool in CycleTool::VARIANTS {
            assert!(
                read(*tool, r#"{"tusk_id": "a"}"#)
                    .unwrap_err()
                    .contains("but not `tusk_id`")
            );
        }
        assert_eq!(
            read(CycleTool::Cancel, "{}").unwrap_err(),
            "cancel lacks `task_id`."
        );
        assert_eq!(
            read(CycleTool::Cancel, r#"{"task_id": null}"#).unwrap_err(),
            "cancel lacks `task_id`."
        );
        assert!(
            read(CycleTool::Cancel, r#"{"task_id": "../x"}"#)
                .unwrap_err()
                .starts_with("`task_id` of cancel does not fit")
        );
        assert!(
            read(CycleTool::Cancel, r#"{"task_id": "x", "at": "soon"}"#)
                .unwrap_err()
                .contains("is no time")
        );
        assert_eq!(
            read(CycleTool::Cancel, r#"{"task_id": "x"}"#)
                .unwrap()
                .text("task_id"),
            Some("x")
        );
    }
}
