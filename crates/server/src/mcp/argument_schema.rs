//! Validates the arguments of a tool against its schema.

use std::fmt::Display;

use serde_json::{Map, Value as Json};

use crate::limits::MAX_SHOWN_LETTERS;
use fsmsim_core::machine::{Schema, Value};
use fsmsim_runtime::script::is_time;
use fsmsim_syntax::diagnostic::{nearest, similar_name_hint};
use fsmsim_syntax::terminal::{Joined, printable, shortened};

/// The compiled argument schema of a tool.
#[derive(Debug)]
pub(super) struct ArgumentSchema {
    tool: &'static str,
    text: Json,
    schema: Schema,
}

impl ArgumentSchema {
    pub(super) fn new(tool: &'static str, text: Json) -> Result<Self, String> {
        Ok(Self {
            tool,
            schema: Schema::new(tool, text.clone())?,
            text,
        })
    }

    /// Validates the arguments of a call. LLMs write `null` for omitted arguments, so nulls are removed.
    pub(super) fn read(
        &self,
        given: Option<&Map<String, Json>>,
    ) -> Result<Map<String, Json>, String> {
        let given: Map<String, Json> = given
            .into_iter()
            .flatten()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), self.whole(name, value)))
            .collect();
        let tool = self.tool;
        let text = &self.text;
        let known: Vec<&str> = text
            .get("properties")
            .and_then(Json::as_object)
            .into_iter()
            .flatten()
            .map(|(key, _)| key.as_str())
            .collect();
        if let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(unknown_argument(tool, unknown, &known));
        }
        let required = text
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        if let Some(missing) = required.into_iter().find(|name| !given.contains_key(*name)) {
            return Err(lacks(tool, missing));
        }
        if let Some(error) = self.schema.error(&Value::from(Json::Object(given.clone()))) {
            let place = error.place.trim_start_matches('/');
            let wrong = shown_in_part(&error.message);
            let about = text
                .pointer(&format!("/properties/{place}/description"))
                .and_then(Json::as_str);
            let about = about.map(|about| format!(" {about}")).unwrap_or_default();
            return Err(format!(
                "Invalid `{}` of {tool}: {wrong}.{about}",
                shown(place)
            ));
        }
        let is_time_of = |name: &str| {
            text.pointer(&format!("/properties/{name}/format"))
                .is_some()
        };
        for (name, value) in given.iter().filter(|(name, _)| is_time_of(name)) {
            if let Some(text) = value.as_str().filter(|text| !is_time(text)) {
                let value = shown(text);
                return Err(format!(
                    "Expected a time such as `2026-01-31T18:00:00Z` for `{name}` of {tool}, found `{value}`."
                ));
            }
        }
        Ok(given)
    }

    /// Converts `1.0` to `1` for an integer argument: in JSON Schema both are integers.
    fn whole(&self, name: &str, value: &Json) -> Json {
        let kind = self
            .text
            .get("properties")
            .and_then(|known| known.get(name)?.get("type")?.as_str());
        let number = value
            .as_f64()
            .filter(|number| kind == Some("integer") && value.is_f64() && number.fract() == 0.0);
        let whole = number.and_then(|number| format!("{number:.0}").parse::<i64>().ok());
        whole.map_or_else(|| value.clone(), Json::from)
    }
}

/// A sentence that suggests the most similar name, if there is one.
pub(super) fn near<'k>(kind: &str, name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    similar_name_hint(kind, nearest(name, known))
}

/// The error for an unknown argument.
pub(super) fn unknown_argument(of: &str, name: &str, known: &[&str]) -> String {
    let listed = listed(known);
    let near = near("argument", name, known.iter().copied());
    format!(
        "Unknown argument `{}` of {of}. Arguments: {listed}.{near}",
        shown(name)
    )
}

/// The error for a missing argument.
pub(super) fn lacks(of: &str, name: &str) -> String {
    format!("Missing argument `{name}` of {of}.")
}

/// The error for an unknown name.
pub(super) fn no_such(kind: &str, name: &str, known: &[&str]) -> String {
    let listed = listed(known);
    let near = near(kind, name, known.iter().copied());
    format!(
        "unknown {kind} `{}`. The {kind}s are: {listed}.{near}",
        shown(name)
    )
}

/// Names in a sentence, each in backticks.
pub(super) fn listed(names: &[impl Display]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).joined(", ")
}

/// Untrusted text, shortened and safe to show.
pub(super) fn shown(text: &str) -> String {
    shortened(&printable(text), MAX_SHOWN_LETTERS)
}

/// Like `shown`, for text whose end is important: removes the middle.
fn shown_in_part(text: &str) -> String {
    let text = printable(text);
    let length = text.chars().count();
    if length <= MAX_SHOWN_LETTERS {
        return text;
    }
    let first = text.chars().take(MAX_SHOWN_LETTERS / 3);
    let last = text.chars().skip(length - MAX_SHOWN_LETTERS / 3);
    first.chain(['…']).chain(last).collect()
}
