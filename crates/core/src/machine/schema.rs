//! JSON Schemas, ready to hold values against.

use jsonschema::Validator;

use super::schema_cost::{too_costly, too_many_steps};
use super::schema_patterns;
use super::value::Value;

/// A JSON Schema with its name. It is compiled once.
#[derive(Clone, Debug)]
pub struct Schema {
    pub name: Box<str>,
    /// The schema as it is written.
    pub text: Value,
    /// The same, as it is compiled.
    source: serde_json::Value,
    validator: Validator,
}

/// Where and how a value breaks a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The JSON pointer to the place; empty for the whole value.
    pub place: String,
    /// What is wrong there. It quotes the value, which may be long and may hold anything.
    pub message: String,
}

impl Schema {
    /// Compiles a schema.
    pub fn new(name: &str, schema: serde_json::Value) -> Result<Self, String> {
        if let Some(why) = too_costly(&schema) {
            return Err(why);
        }
        let validator = schema_patterns::compile(&schema)?;
        Ok(Self {
            name: name.into(),
            text: schema.clone().into(),
            source: schema,
            validator,
        })
    }

    /// The first thing that is wrong with a value; nothing where it fits. A value that nobody could wait for is wrong.
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
