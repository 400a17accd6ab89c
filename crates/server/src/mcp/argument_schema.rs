//! The arguments of a tool, held against its schema.

use std::fmt::Display;

use serde_json::{Map, Value as Json};

use crate::limits::MAX_SHOWN_LETTERS;
use fsmsim_core::machine::{Schema, Value};
use fsmsim_runtime::script::is_time;
use fsmsim_syntax::diagnostic::{did_you_mean, nearest};
use fsmsim_syntax::terminal::{Joined, printable, shortened};

/// The schema of what a tool takes, ready to hold arguments against.
#[derive(Debug)]
pub(super) struct ArgumentSchema {
    tool: &'static str,
    text: Json,
    schema: Schema,
}

impl ArgumentSchema {
    /// Compiles the schema of a tool.
    pub(super) fn new(tool: &'static str, text: Json) -> Result<Self, String> {
        Ok(Self {
            tool,
            schema: Schema::new(tool, text.clone())?,
            text,
        })
    }

    /// The arguments of a call, which fit. Models write `null` for what they leave out.
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
        let (tool, text) = (self.tool, &self.text);
        let known = text.get("properties").and_then(Json::as_object);
        let known = known.into_iter().flatten().map(|(key, _)| key.as_str());
        let known: Vec<&str> = known.collect();
        if let Some(strange) = given.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(strange_argument(tool, strange, &known));
        }
        let required = text
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        if let Some(missing) = required.into_iter().find(|name| !given.contains_key(*name)) {
            return Err(format!("{tool} lacks `{missing}`."));
        }
        if let Some(error) = self.schema.error(&Value::from(Json::Object(given.clone()))) {
            let place = error.place.trim_start_matches('/');
            let wrong = shown_in_part(&error.message);
            let about = text
                .pointer(&format!("/properties/{place}/description"))
                .and_then(Json::as_str);
            let about = about.map(|about| format!(" {about}")).unwrap_or_default();
            return Err(format!(
                "`{}` of {tool} does not fit: {wrong}.{about}",
                shown(place)
            ));
        }
        let is_time_of = |name: &str| {
            text.pointer(&format!("/properties/{name}/format"))
                .is_some()
        };
        for (name, value) in given.iter().filter(|(name, _)| is_time_of(name)) {
            if let Some(told) = value.as_str().filter(|told| !is_time(told)) {
                let told = shown(told);
                return Err(format!(
                    "`{name}` of {tool} is no time: `{told}`. Write it as `2026-01-31T18:00:00Z`."
                ));
            }
        }
        Ok(given)
    }

    /// A value as the tool takes it: to JSON `1.0` is a whole number too.
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

/// What was most likely meant.
pub(super) fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    did_you_mean("", nearest(name, known))
}

/// What is told where something takes no argument of this name.
pub(super) fn strange_argument(of: &str, name: &str, known: &[&str]) -> String {
    let (listed, near) = (listed(known), near(name, known.iter().copied()));
    format!("{of} takes {listed}, but not `{}`.{near}", shown(name))
}

/// What is told where nothing of a kind has this name.
pub(super) fn no_such(kind: &str, name: &str, known: &[&str]) -> String {
    let (listed, near) = (listed(known), near(name, known.iter().copied()));
    format!("there is no {kind} `{}`, but {listed}.{near}", shown(name))
}

/// Names in a sentence, each in backticks.
pub(super) fn listed(names: &[impl Display]) -> String {
    names.iter().map(|name| format!("`{name}`")).joined(", ")
}

/// What anybody may have written, cut to what can be shown.
pub(super) fn shown(text: &str) -> String {
    shortened(&printable(text), MAX_SHOWN_LETTERS)
}

/// The same of a text whose end says most: what it quotes is cut.
fn shown_in_part(text: &str) -> String {
    let text = printable(text);
    let letters = text.chars().count();
    if letters <= MAX_SHOWN_LETTERS {
        return text;
    }
    let (first, last) = (
        text.chars().take(MAX_SHOWN_LETTERS / 3),
        text.chars().skip(letters - MAX_SHOWN_LETTERS / 3),
    );
    first.chain(['…']).chain(last).collect()
}
