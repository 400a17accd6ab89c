//! Parameters that a project adds to request bodies, or removes from them.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// Parameters that a project adds to request bodies, or removes from them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyParameters {
    /// Values to add. Tables are merged, and other values replace existing ones.
    set: Map<String, Json>,
    /// Keys to remove first, given as dotted paths.
    omit: Vec<String>,
}

/// The unvalidated `params` and `omit`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct RawParameters(toml::Table);

/// Keys that the request itself sets, each with advice for the user.
const OWN: [(&str, &str); 4] = [
    ("model", "use the key `model` of the provider"),
    ("messages", "the prompts determine the messages"),
    ("system", "the prompts determine the messages"),
    ("stream", "streaming is not supported"),
];

impl BodyParameters {
    /// Validates the settings. Reports each error to `report`, as a key and a partial sentence.
    pub(super) fn build(
        params: RawParameters,
        omit: Vec<String>,
        report: &mut dyn FnMut(&str, &str),
    ) -> Self {
        let mut set = Map::new();
        for (key, value) in params.0 {
            if let Some((_, instead)) = OWN.iter().find(|(own, _)| *own == key) {
                report("params", &format!("must not contain `{key}`: {instead}"));
            }
            match json(value) {
                Some(value) => {
                    set.insert(key, value);
                }
                None => report(
                    "params",
                    &format!("has a number for `{key}` that JSON cannot represent"),
                ),
            }
        }
        for key in &omit {
            if key.split('.').any(str::is_empty) {
                report(
                    "omit",
                    "contains an empty key: write `\"response_format\"`, or `\"options.seed\"` for a nested key",
                );
            } else if key == "model" || key == "messages" {
                report(
                    "omit",
                    &format!("must not contain `{key}`: every request needs it"),
                );
            }
        }
        Self { set, omit }
    }

    /// Applies the parameters to a body.
    pub fn apply(&self, body: &mut Json) {
        for path in &self.omit {
            take_out(body, path);
        }
        merge(body, &self.set);
    }

    /// Whether the parameters add or remove the key at a path.
    pub fn decides(&self, path: &str) -> bool {
        let is_out = |out: &String| {
            path == out
                || path
                    .strip_prefix(out.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        self.omit.iter().any(is_out) || self.value(path).is_some()
    }

    /// The added keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.set.keys().map(String::as_str)
    }

    /// Whether the parameters add the key at a path.
    pub fn adds(&self, path: &str) -> bool {
        self.value(path).is_some()
    }

    /// The added value at a path.
    pub fn value(&self, path: &str) -> Option<&Json> {
        let (first, rest) = path
            .split_once('.')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let value = self.set.get(first)?;
        match rest {
            Some(rest) => value.pointer(&format!("/{}", rest.replace('.', "/"))),
            None => Some(value),
        }
    }
}

fn take_out(body: &mut Json, path: &str) {
    match path.split_once('.') {
        Some((first, rest)) => {
            if let Some(inner) = body.get_mut(first) {
                take_out(inner, rest);
            }
        }
        None => {
            if let Some(body) = body.as_object_mut() {
                body.shift_remove(path);
            }
        }
    }
}

fn merge(into: &mut Json, more: &Map<String, Json>) {
    let Some(into) = into.as_object_mut() else {
        return;
    };
    for (key, value) in more {
        match (into.get_mut(key), value) {
            (Some(inner @ Json::Object(_)), Json::Object(more)) => merge(inner, more),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Converts a TOML value to JSON. Returns `None` if JSON has no such number. Dates and times become strings.
fn json(value: toml::Value) -> Option<Json> {
    Some(match value {
        toml::Value::String(text) => Json::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => Json::Number(serde_json::Number::from_f64(number)?),
        toml::Value::Boolean(flag) => Json::Bool(flag),
        toml::Value::Datetime(time) => Json::String(time.to_string()),
        toml::Value::Array(items) => {
            Json::Array(items.into_iter().map(json).collect::<Option<_>>()?)
        }
        toml::Value::Table(pairs) => {
            let pairs = pairs
                .into_iter()
                .map(|(key, value)| Some((key, json(value)?)));
            Json::Object(pairs.collect::<Option<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn built(params: &str, omit: &[&str]) -> (BodyParameters, Vec<String>) {
        let mut reported = Vec::new();
        let omit = omit.iter().map(|key| (*key).to_owned()).collect();
        let mut report = |key: &str, what: &str| reported.push(format!("{key} {what}"));
        let built = BodyParameters::build(
            RawParameters(toml::from_str(params).unwrap()),
            omit,
            &mut report,
        );
        (built, reported)
    }

    #[test]
    fn parameters_are_removed_and_merged_into_tables() {
        let (parameters, reported) = built(
            "temperature = 0.5\nwhen = 2026-01-02\nstop = [\"a\"]\noutput_config = {effort = \"low\"}",
            &["a.b", "c", "no.such", "output_config.format.schema"],
        );
        assert_eq!(reported, [""; 0]);
        let mut body = json!({
            "a": {"b": 1, "d": 2}, "c": [1], "temperature": 1, "output_config": {"format": {"type": "x", "schema": {}}},
        });
        parameters.apply(&mut body);
        assert_eq!(
            body,
            json!({
                "a": {"d": 2}, "temperature": 0.5, "output_config": {"format": {"type": "x"}, "effort": "low"},
                "when": "2026-01-02", "stop": ["a"],
            })
        );
        assert!(
            parameters.decides("c")
                && parameters.decides("output_config.effort")
                && parameters.decides("c.inner")
        );
        assert!(!parameters.decides("a") && !parameters.decides("output_config.format"));
        assert!(parameters.adds("output_config.effort") && !parameters.adds("c"));
    }

    #[test]
    fn projects_cannot_change_keys_that_the_request_sets() {
        let (_, reported) = built(
            "model = \"x\"\nstream = true\nx = nan",
            &["messages", "a..b"],
        );
        assert_eq!(reported.len(), 5, "{reported:?}");
    }
}
