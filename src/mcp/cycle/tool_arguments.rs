//! The arguments of a call, held against the schema of the tool.

use serde_json::{Map, Value as Json};
use strum::VariantArray;

use super::cycle_tool::CycleTool;
use crate::diagnostic::{did_you_mean, nearest};
use crate::machine::{Schema, Value};
use crate::script::is_time;
use crate::terminal::printable;

/// The arguments of a call, which fit the schema of its tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolArguments {
    given: Map<String, Json>,
}

/// The schemas of the tools, ready to hold arguments against.
#[derive(Debug)]
pub(super) struct ToolSchemas {
    schemas: Vec<(CycleTool, Json, Schema)>,
}

/// Letters that are shown of what is wrong.
const SHOWN: usize = 300;
/// The arguments that are times.
const TIMES: [&str; 2] = ["at", "deadline"];

impl ToolSchemas {
    /// Compiles them.
    ///
    /// # Errors
    /// Why one cannot be used.
    pub(super) fn new() -> Result<Self, String> {
        let compiled = CycleTool::VARIANTS.iter().map(|tool| {
            let schema = tool.schema();
            Ok((*tool, schema.clone(), Schema::new(tool.name(), schema)?))
        });
        Ok(Self { schemas: compiled.collect::<Result<_, String>>()? })
    }

    /// Reads the arguments of a call. Models write `null` for what they leave out.
    ///
    /// # Errors
    /// What is wrong with them, for the client.
    pub(super) fn read(&self, tool: CycleTool, given: Option<&Map<String, Json>>) -> Result<ToolArguments, String> {
        let given: Map<String, Json> = given
            .into_iter()
            .flatten()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let Some((_, text, schema)) = self.schemas.iter().find(|(known, ..)| *known == tool) else {
            return Ok(ToolArguments { given });
        };
        let known: Vec<&str> = keys(text.get("properties"));
        if let Some(strange) = given.keys().find(|name| !known.contains(&name.as_str())) {
            // What is longer than any name is like none.
            let near = if strange.len() <= SHOWN { nearest(strange, known.iter().copied()) } else { None };
            let near = did_you_mean("", near);
            return Err(format!("{} takes {}, but not `{}`.{near}", tool.name(), listed(&known), shown(strange)));
        }
        let required = text.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        if let Some(missing) = required.into_iter().find(|name| !given.contains_key(*name)) {
            return Err(format!("{} lacks `{missing}`.", tool.name()));
        }
        if let Some(error) = schema.error(&Value::from(Json::Object(given.clone()))) {
            let place = error.place.trim_start_matches('/');
            let wrong = shown_in_part(&error.message);
            let about = text.pointer(&format!("/properties/{place}/description")).and_then(Json::as_str);
            let about = about.map(|about| format!(" {about}")).unwrap_or_default();
            return Err(format!("`{}` of {} does not fit: {wrong}.{about}", shown(place), tool.name()));
        }
        for name in TIMES {
            if let Some(text) = given.get(name).and_then(Json::as_str).filter(|text| !is_time(text)) {
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

/// The keys of a map.
fn keys(map: Option<&Json>) -> Vec<&str> {
    map.and_then(Json::as_object).into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// Names in a sentence.
pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What anybody may have written, cut to what can be shown.
pub(super) fn shown(text: &str) -> String {
    let text = printable(text);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The same of a text whose end says most: what it quotes is cut.
fn shown_in_part(text: &str) -> String {
    let text = printable(text);
    let letters = text.chars().count();
    if letters <= SHOWN {
        return text;
    }
    let (first, last) = (text.chars().take(SHOWN / 3), text.chars().skip(letters - SHOWN / 3));
    first.chain(['…']).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_is_wrong_with_its_arguments() {
        let schemas = ToolSchemas::new().unwrap();
        let read = |tool: CycleTool, text: &str| schemas.read(tool, Some(&serde_json::from_str(text).unwrap()));
        for tool in CycleTool::VARIANTS {
            assert!(read(*tool, r#"{"tusk_id": "a"}"#).unwrap_err().contains("but not `tusk_id`"));
        }
        assert_eq!(read(CycleTool::Cancel, "{}").unwrap_err(), "cancel lacks `task_id`.");
        assert_eq!(read(CycleTool::Cancel, r#"{"task_id": null}"#).unwrap_err(), "cancel lacks `task_id`.");
        assert!(
            read(CycleTool::Cancel, r#"{"task_id": "../x"}"#)
                .unwrap_err()
                .starts_with("`task_id` of cancel does not fit")
        );
        assert!(read(CycleTool::Cancel, r#"{"task_id": "x", "at": "soon"}"#).unwrap_err().contains("is no time"));
        assert_eq!(read(CycleTool::Cancel, r#"{"task_id": "x"}"#).unwrap().text("task_id"), Some("x"));
    }
}
