//! What a project adds to the bodies of requests, and takes out of them.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// What a project adds to the bodies of requests, and takes out of them. Nothing else goes there but what the request
/// itself is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyParameters {
    /// What is added; tables are added to tables, all else takes the place of what was there.
    set: Map<String, Json>,
    /// What is taken out before: keys, or paths of them with dots.
    without: Vec<String>,
}

/// `params` and `without` as they are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct RawParameters(toml::Table);

/// What the request itself is made of, each with what to write instead.
const OWN: [(&str, &str); 4] = [
    ("model", "name the model by the key `model` of the link"),
    ("messages", "what is said is written by the prompts"),
    ("system", "what is said is written by the prompts"),
    ("stream", "answers are asked for whole"),
];

impl BodyParameters {
    /// What is written, as far as it can be used; what is wrong with it, each in half a sentence with its key, goes to `tell`.
    pub(super) fn build(
        params: RawParameters,
        without: Vec<String>,
        tell: &mut dyn FnMut(&str, &str),
    ) -> Self {
        let mut set = Map::new();
        for (key, value) in params.0 {
            if let Some((_, instead)) = OWN.iter().find(|(own, _)| *own == key) {
                tell("params", &format!("may not hold `{key}`: {instead}"));
            }
            match json(value) {
                Some(value) => {
                    set.insert(key, value);
                }
                None => tell(
                    "params",
                    &format!("has a number for `{key}` that JSON has not"),
                ),
            }
        }
        for key in &without {
            if key.split('.').any(str::is_empty) {
                tell(
                    "without",
                    "names no key: write `\"response_format\"`, or `\"options.seed\"` for one inside another",
                );
            } else if key == "model" || key == "messages" {
                tell(
                    "without",
                    &format!("may not name `{key}`: nothing could be asked"),
                );
            }
        }
        Self { set, without }
    }

    /// Changes a body.
    pub fn apply(&self, body: &mut Json) {
        for path in &self.without {
            take_out(body, path);
        }
        merge(body, &self.set);
    }

    /// Whether it has a say about a key of bodies, given by its path.
    pub fn decides(&self, path: &str) -> bool {
        let is_out = |out: &String| {
            path == out
                || path
                    .strip_prefix(out.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        self.without.iter().any(is_out) || self.value(path).is_some()
    }

    /// The keys that it adds.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.set.keys().map(String::as_str)
    }

    /// Whether it adds a key, given by its path.
    pub fn adds(&self, path: &str) -> bool {
        self.value(path).is_some()
    }

    /// What it adds under a path.
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

/// A value of TOML as JSON; nothing where JSON has no such number. Points in time become texts.
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

    fn built(params: &str, without: &[&str]) -> (BodyParameters, Vec<String>) {
        let mut told = Vec::new();
        let without = without.iter().map(|key| (*key).to_owned()).collect();
        let mut tell = |key: &str, what: &str| told.push(format!("{key} {what}"));
        let built = BodyParameters::build(
            RawParameters(toml::from_str(params).unwrap()),
            without,
            &mut tell,
        );
        (built, told)
    }

    #[test]
    fn what_is_named_goes_and_what_is_given_comes_table_into_table() {
        let (parameters, told) = built(
            "temperature = 0.5\nwhen = 2026-01-02\nstop = [\"a\"]\noutput_config = {effort = \"low\"}",
            &["a.b", "c", "no.such", "output_config.format.schema"],
        );
        assert_eq!(told, [""; 0]);
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
    fn what_the_request_is_made_of_is_not_for_projects() {
        let (_, told) = built(
            "model = \"x\"\nstream = true\nx = nan",
            &["messages", "a..b"],
        );
        assert_eq!(told.len(), 5, "{told:?}");
    }
}
