//! Compiled JSON Schemas.

use std::collections::BTreeSet;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value as Json, json};

use super::Value;
use super::schema_cost::{parts, too_costly, too_many_steps};
use fsmsim_syntax::diagnostic::typo_of;
use fsmsim_syntax::document::{PatternBudget, is_pattern};

/// The keywords of JSON Schema. Validators ignore unknown keywords, so a misspelled one would check nothing.
const KEYWORDS: &str = include_str!("schema_keywords.txt");

/// A named JSON Schema. It is compiled once.
#[derive(Clone, Debug)]
pub struct Schema {
    pub name: Box<str>,
    /// The schema as written.
    pub text: Value,
    /// The schema as JSON, for estimating the cost of validation.
    source: Json,
    validator: Validator,
}

/// A violation of a schema: its location and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The JSON pointer to the location; empty for the root.
    pub place: String,
    /// The message. It quotes the value, which can be long and have any content.
    pub message: String,
}

impl Schema {
    /// Compiles a schema.
    pub fn new(name: &str, schema: Json) -> Result<Self, String> {
        if let Some(why) = too_costly(&schema) {
            return Err(why);
        }
        if let Some((key, near)) = misspelled_keyword(&schema) {
            return Err(format!(
                "unknown keyword `{key}`; a similar keyword exists: `{near}`"
            ));
        }
        let validator = compile(&schema)?;
        Ok(Self {
            name: name.into(),
            text: schema.clone().into(),
            source: schema,
            validator,
        })
    }

    /// The first violation in a value; `None` if the value is valid. A value that is too expensive to validate is
    /// invalid.
    pub fn error(&self, value: &Value) -> Option<SchemaError> {
        let value = serde_json::to_value(value).unwrap_or_default();
        if let Some(message) = too_many_steps(&self.source, &value) {
            return Some(SchemaError {
                place: String::new(),
                message,
            });
        }
        let error = self.validator.iter_errors(&value).next()?;
        Some(SchemaError {
            place: error.instance_path().to_string(),
            message: error.to_string(),
        })
    }
}

/// Compiles a schema. Its patterns have the same limits as patterns in files.
fn compile(schema: &Json) -> Result<Validator, String> {
    let mut budget = PatternBudget::default();
    for pattern in parts(schema)
        .into_iter()
        .filter_map(Json::as_object)
        .flat_map(patterns)
    {
        let alone = json!({"pattern": pattern});
        let spent = budget.spend(|size, cache| compiled(&alone, size, cache).ok().map(Ok));
        if let Err(why) = spent {
            // A pattern that is too large fails like invalid syntax, so `is_pattern` distinguishes them.
            let (size, cache) = PatternBudget::most();
            let known = if is_pattern(pattern) {
                None
            } else {
                compiled(&alone, size, cache).err()
            };
            return Err(known.unwrap_or_else(|| format!("`{pattern}`: {why}")));
        }
    }
    let (size, cache) = PatternBudget::most();
    compiled(schema, size, cache)
}

/// The first key that is probably a typo of a keyword, and that keyword.
fn misspelled_keyword(schema: &Json) -> Option<(&str, &'static str)> {
    let known: BTreeSet<&'static str> = KEYWORDS.split_whitespace().collect();
    let mut subschemas = vec![schema];
    while let Some(part) = subschemas.pop() {
        subschemas.extend(part.as_array().into_iter().flatten());
        for (key, value) in part.as_object().into_iter().flatten() {
            match key.as_str() {
                "const" | "default" | "enum" | "example" | "examples" => {}
                "properties" | "patternProperties" | "$defs" | "definitions"
                | "dependentSchemas" => {
                    subschemas.extend(value.as_object().into_iter().flat_map(Map::values));
                }
                key => {
                    if !known.contains(key)
                        && let Some(near) = typo_of(key, &known)
                    {
                        return Some((key, near));
                    }
                    subschemas.push(value);
                }
            }
        }
    }
    None
}

/// The patterns directly in a part of a schema.
fn patterns(part: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let of_names = part
        .get("patternProperties")
        .and_then(Json::as_object)
        .into_iter()
        .flat_map(|names| names.keys().map(String::as_str));
    part.get("pattern")
        .and_then(Json::as_str)
        .into_iter()
        .chain(of_names)
}

fn compiled(schema: &Json, size: usize, cache: usize) -> Result<Validator, String> {
    let patterns = PatternOptions::fancy_regex()
        .size_limit(size)
        .dfa_size_limit(cache);
    jsonschema::options()
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|error| error.to_string())
}
