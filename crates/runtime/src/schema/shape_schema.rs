//! Converts the declaration of a format into a JSON Schema.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::word_list::word_list;
use crate::script::MAX_FRUSTRATION;
use fsmsim_syntax::shapes::{Shape, ShapeType};

type Schema = JsonMap<String, Json>;

/// Builds schemas and collects the shapes that they reference.
#[derive(Default)]
pub(super) struct SchemaWriter {
    named: Vec<&'static Shape>,
}

impl SchemaWriter {
    /// The schema of a complete file, with all referenced shapes under `$defs`.
    pub(super) fn whole(shape: &'static Shape) -> Schema {
        let mut writer = Self::default();
        let mut schema = writer.shape(shape);
        let mut parts = Schema::new();
        // A referenced shape may reference other shapes, and itself.
        let mut next = 0;
        while let Some(shape) = writer.named.get(next).copied() {
            parts.insert(shape.name.to_owned(), writer.shape(shape).into());
            next += 1;
        }
        if !parts.is_empty() {
            schema.insert("$defs".to_owned(), parts.into());
        }
        schema
    }

    fn shape(&mut self, shape: &'static Shape) -> Schema {
        let mut schema = Schema::new();
        let mut set = |key: &str, value: Json| {
            schema.insert(key.to_owned(), value);
        };
        set("description", shape.about.into());
        if let Some(is) = &shape.is {
            schema.extend(self.of(is));
            if shape.least > 0 {
                schema.insert("minItems".to_owned(), shape.least.into());
            }
            return schema;
        }
        let mut properties = Schema::new();
        for key in shape.keys {
            let mut value = Schema::new();
            value.insert("description".to_owned(), key.about.into());
            value.extend(self.of(&key.of));
            properties.insert(key.name.to_owned(), value.into());
        }
        let others = shape.others.as_ref().map(|of| self.of(of));
        set("type", "object".into());
        if let Some(list) = shape.words {
            let value = Json::Object(others.unwrap_or_default());
            let words = word_list(list).into_iter();
            properties.extend(words.map(|word| (word.to_owned(), value.clone())));
            set("x-names", list.into());
            set("properties", properties.into());
            set("additionalProperties", false.into());
            return schema;
        }
        if !properties.is_empty() {
            set("properties", properties.into());
        }
        let required: Vec<&str> = shape
            .keys
            .iter()
            .filter(|key| key.is_required)
            .map(|key| key.name)
            .collect();
        if !required.is_empty() {
            set("required", required.into());
        }
        set(
            "additionalProperties",
            others.map_or(false.into(), Json::Object),
        );
        let either = shape.either.iter().map(|key| json!({"required": [key]}));
        if !shape.either.is_empty() {
            set("anyOf", either.collect());
        }
        if shape.least > 0 {
            set("minProperties", shape.least.into());
        }
        if !shape.pattern.is_empty() {
            set("propertyNames", json!({"pattern": shape.pattern}));
        }
        schema
    }

    fn of(&mut self, of: &'static ShapeType) -> Schema {
        let schema = match of {
            ShapeType::Plain(word) => plain(word),
            ShapeType::Words(words) => {
                let word = |word: &&str| match *word {
                    "true" => true.into(),
                    word => Json::from(word),
                };
                json!({"enum": words.iter().map(word).collect::<Vec<_>>()})
            }
            ShapeType::Listed(list) => json!({"enum": word_list(list)}),
            ShapeType::Name(_) => plain("text"),
            ShapeType::List(of) => json!({"type": "array", "items": self.of(of)}),
            ShapeType::Map(_, of) => json!({"type": "object", "additionalProperties": self.of(of)}),
            ShapeType::Many(of) => {
                let one = self.of(of);
                json!({"anyOf": [one, {"type": "array", "items": one}]})
            }
            ShapeType::Named(shape) => {
                if !self.named.iter().any(|known| known.name == shape.name) {
                    self.named.push(shape);
                }
                json!({"$ref": format!("#/$defs/{}", shape.name)})
            }
            ShapeType::Either(either) => {
                json!({"anyOf": either.iter().map(|one| self.of(one)).collect::<Vec<_>>()})
            }
            ShapeType::As(of, _) | ShapeType::Expected(of) => return self.of(of),
        };
        match schema {
            Json::Object(schema) => schema,
            _ => Schema::new(),
        }
    }
}

/// The schema of a type that references no other type.
fn plain(word: &str) -> Json {
    match word {
        "text" => json!({"type": ["string", "number", "boolean"]}),
        "flag" => json!({"type": "boolean"}),
        "count" => json!({"type": "integer", "minimum": 0}),
        "level" => json!({"type": "integer", "minimum": 0, "maximum": MAX_FRUSTRATION}),
        "share" => json!({"type": "number", "minimum": 0, "maximum": 1}),
        "map" => json!({"type": "object"}),
        "list" => json!({"type": "array"}),
        "any" => json!({}),
        "hole" => json!({"type": "string", "pattern": "\\{\\{.*\\}\\}"}),
        word => json!({"type": word}),
    }
}
