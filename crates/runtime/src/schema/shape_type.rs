//! The type of a value in a shape, as it is written: `many text`, `list of turn | null`.
//!
//! | written | what it is |
//! |---|---|
//! | `text` | a text; a number or a word of YAML is one, too |
//! | `string` | a text, where nothing else is one |
//! | `flag`, `integer`, `number`, `map`, `list`, `null`, `any` | what the word says |
//! | `count`, `share` | a whole number from 0; a number from 0 to 1 |
//! | `level` | how frustrated somebody is |
//! | `hole` | a text that is one placeholder |
//! | `=a/b` | one of these words |
//! | `word LIST` | a word of a list that the program has |
//! | `list of TYPE`, `map of TYPE`, `many TYPE` | a list, a map by name, one or a list |
//! | `NAME` | another shape |
//! | `TYPE \| TYPE` | one or the other |

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde_json::{Map as JsonMap, Value as Json, json};

use super::word_list::word_list;
use crate::script::MOST_FRUSTRATED;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ShapeType {
    /// What a schema says that needs no other.
    Plain(Json),
    /// One of these words.
    Words(Vec<String>),
    List(Box<Self>),
    Map(Box<Self>),
    Many(Box<Self>),
    /// Another shape.
    Named(String),
    /// One of these.
    Either(Vec<Self>),
}

impl ShapeType {
    /// Reads a type.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut either = text
            .split(" | ")
            .map(Self::one)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(if either.len() == 1 {
            either.swap_remove(0)
        } else {
            Self::Either(either)
        })
    }

    fn one(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let inner = |rest: &str| Self::one(rest).map(Box::new);
        if let Some(rest) = text.strip_prefix("list of ") {
            return Ok(Self::List(inner(rest)?));
        }
        if let Some(rest) = text.strip_prefix("map of ") {
            return Ok(Self::Map(inner(rest)?));
        }
        if let Some(rest) = text.strip_prefix("many ") {
            return Ok(Self::Many(inner(rest)?));
        }
        if let Some(words) = text.strip_prefix('=') {
            return Ok(Self::Words(words.split('/').map(str::to_owned).collect()));
        }
        if let Some(list) = text.strip_prefix("word ") {
            return Ok(Self::Words(
                word_list(list)?.into_iter().map(str::to_owned).collect(),
            ));
        }
        Ok(Self::Plain(match text {
            "text" => json!({"type": ["string", "number", "boolean"]}),
            "string" => json!({"type": "string"}),
            "flag" => json!({"type": "boolean"}),
            "integer" => json!({"type": "integer"}),
            "number" => json!({"type": "number"}),
            "count" => json!({"type": "integer", "minimum": 0}),
            "level" => json!({"type": "integer", "minimum": 0, "maximum": MOST_FRUSTRATED}),
            "share" => json!({"type": "number", "minimum": 0, "maximum": 1}),
            "map" => json!({"type": "object"}),
            "list" => json!({"type": "array"}),
            "null" => json!({"type": "null"}),
            "any" => json!({}),
            "hole" => json!({"type": "string", "pattern": "\\{\\{.*\\}\\}"}),
            name => return Ok(Self::Named(name.to_owned())),
        }))
    }

    /// The schema of the type; shapes that it names are noted.
    pub(super) fn schema(&self, named: &mut NamedShapes) -> Result<JsonMap<String, Json>, String> {
        let schema = match self {
            Self::Plain(schema) => schema.clone(),
            Self::Words(words) => {
                let word = |word: &String| {
                    if word == "true" {
                        true.into()
                    } else {
                        Json::from(word.as_str())
                    }
                };
                json!({"enum": words.iter().map(word).collect::<Vec<_>>()})
            }
            Self::List(of) => json!({"type": "array", "items": of.schema(named)?}),
            Self::Map(of) => json!({"type": "object", "additionalProperties": of.schema(named)?}),
            Self::Many(of) => {
                let one = of.schema(named)?;
                json!({"anyOf": [one.clone(), {"type": "array", "items": one}]})
            }
            Self::Named(name) => {
                named.insert(name.clone());
                json!({"$ref": format!("#/$defs/{name}")})
            }
            Self::Either(either) => {
                let either = either
                    .iter()
                    .map(|one| one.schema(named))
                    .collect::<Result<Vec<_>, _>>()?;
                json!({"anyOf": either})
            }
        };
        match schema {
            Json::Object(schema) => Ok(schema),
            other => Err(format!("{other} is no schema")),
        }
    }
}

/// The names of shapes that others name, in the order in which they are named.
pub(super) type NamedShapes = IndexSet<String, FxBuildHasher>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        let shown = |text: &str| {
            let mut named = NamedShapes::default();
            let schema = ShapeType::parse(text).unwrap().schema(&mut named).unwrap();
            (Json::Object(schema), named.into_iter().collect::<Vec<_>>())
        };
        assert_eq!(
            shown("list of turn | null"),
            (
                json!({"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/turn"}}, {"type": "null"}]}),
                vec!["turn".to_owned()]
            )
        );
        assert_eq!(shown("=a/b").0, json!({"enum": ["a", "b"]}));
        assert_eq!(
            shown("map of count").0["additionalProperties"]["minimum"],
            0
        );
        assert!(ShapeType::parse("word nothing").is_err());
    }
}
