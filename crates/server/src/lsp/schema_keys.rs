//! The keys and words that may stand in a place, by the JSON Schemas of the formats.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::file_format::FileFormat;
use fsmsim_runtime::schema::FormatSchema;

/// Parts of a schema that are looked at in one place at most: parts may name each other.
const MOST_PARTS: usize = 256;

/// The schemas of the formats.
#[derive(Debug, Default)]
pub(super) struct SchemaKeys {
    schemas: BTreeMap<Box<str>, Json>,
}

/// A key or a word that may stand in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaWord {
    /// The word.
    pub(super) word: String,
    /// What it is for.
    pub(super) about: String,
    /// It is a key that must be there.
    pub(super) is_required: bool,
}

impl SchemaKeys {
    /// The schemas of all formats; none where they cannot be made.
    pub(super) fn load() -> Self {
        let all = FormatSchema::all().unwrap_or_default();
        let parsed = all
            .into_iter()
            .filter_map(|format| Some((format.name, serde_json::from_str(&format.text).ok()?)));
        Self {
            schemas: parsed.collect(),
        }
    }

    /// The keys that may stand below a path.
    pub(super) fn keys(&self, format: FileFormat, path: &[String]) -> Vec<SchemaWord> {
        let mut words: Vec<SchemaWord> = Vec::new();
        for part in self.parts(format, path) {
            let required = part.get("required").and_then(Json::as_array);
            for (key, value) in part
                .get("properties")
                .and_then(Json::as_object)
                .into_iter()
                .flatten()
            {
                let about = value.get("description").or(part.get("description"));
                let about = about.and_then(Json::as_str).unwrap_or_default().to_owned();
                let is_required =
                    required.is_some_and(|required| required.iter().any(|name| name == key));
                if !words.iter().any(|word| word.word == *key) {
                    words.push(SchemaWord {
                        word: key.clone(),
                        about,
                        is_required,
                    });
                }
            }
        }
        words
    }

    /// The words that may be the value of a path.
    pub(super) fn values(&self, format: FileFormat, path: &[String]) -> Vec<SchemaWord> {
        let mut words: Vec<SchemaWord> = Vec::new();
        for part in self.parts(format, path) {
            let is_flag = part.get("type").is_some_and(|kind| kind == "boolean");
            let given = part
                .get("enum")
                .and_then(Json::as_array)
                .into_iter()
                .flatten();
            let given = given.filter_map(|word| {
                word.as_str()
                    .map(str::to_owned)
                    .or_else(|| word.as_bool().map(|flag| flag.to_string()))
            });
            let flags = ["true", "false"]
                .into_iter()
                .filter(|_| is_flag)
                .map(str::to_owned);
            for word in given.chain(flags) {
                if !words.iter().any(|known| known.word == word) {
                    words.push(SchemaWord {
                        word,
                        about: String::new(),
                        is_required: false,
                    });
                }
            }
        }
        words
    }

    /// What a key is for.
    pub(super) fn about(&self, format: FileFormat, path: &[String]) -> Option<String> {
        let (key, above) = path.split_last()?;
        self.keys(format, above)
            .into_iter()
            .find(|word| word.word == *key)
            .map(|word| word.about)
    }

    /// The parts of the schema that hold for the value of a path.
    fn parts(&self, format: FileFormat, path: &[String]) -> Vec<&Json> {
        let Some(schema) = format.schema().and_then(|name| self.schemas.get(name)) else {
            return Vec::new();
        };
        let mut parts = resolve(schema, vec![schema]);
        for key in path {
            let inner = parts.iter().filter_map(|part| {
                let own = part.get("properties").and_then(|keys| keys.get(key));
                own.or_else(|| {
                    part.get("additionalProperties")
                        .filter(|others| others.is_object())
                })
            });
            parts = resolve(schema, inner.collect());
        }
        parts
    }
}

/// Parts with all that they name or are one of; lists are passed through.
fn resolve<'s>(schema: &'s Json, mut open: Vec<&'s Json>) -> Vec<&'s Json> {
    let mut parts: Vec<&Json> = Vec::new();
    while let Some(part) = open.pop() {
        if parts.len() >= MOST_PARTS || parts.iter().any(|known| std::ptr::eq(*known, part)) {
            continue;
        }
        parts.push(part);
        let named = part
            .get("$ref")
            .and_then(Json::as_str)
            .and_then(|name| schema.pointer(name.strip_prefix('#')?));
        let either = part
            .get("anyOf")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        open.extend(named.into_iter().chain(either).chain(part.get("items")));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_words_are_those_of_the_schemas() {
        let schemas = SchemaKeys::load();
        let path = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        let keys = schemas.keys(FileFormat::States, &path("states/a"));
        assert!(
            keys.iter()
                .any(|key| key.word == "goal" && !key.about.is_empty())
        );
        let keys = schemas.keys(FileFormat::States, &path("states/a/transitions/x"));
        assert!(keys.iter().any(|key| key.word == "then" && key.is_required));
        let words = schemas.values(FileFormat::Scenario, &path("turns/expect/class"));
        assert!(words.iter().any(|word| word.word == "advance"), "{words:?}");
        assert!(
            schemas
                .about(FileFormat::Scenario, &path("turns/expect"))
                .is_some()
        );
        assert!(schemas.keys(FileFormat::Other, &[]).is_empty());
    }
}
