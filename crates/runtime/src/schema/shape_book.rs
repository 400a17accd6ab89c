//! The shapes of formats, by name, and how they become JSON Schemas.
//!
//! A shape is a map. `about` says what it is. `is` says that it is a type; else it is a map of its own, closed unless `others`
//! says of which type its other keys are. `keys` has a line for each key, `NAME: TYPE - WORDS`, where `NAME!` must be there.
//! `also` takes the keys of other shapes, `require` makes some of these required. `names` says by a list of words which keys
//! there are, `match` by a pattern; `least` is how much is in it at least; `either`
//! are keys of which one must be there.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::shape_type::{NamedShapes, ShapeType};
use super::word_list::word_list;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Atom, Key, Map, Node, parse_yaml};

/// The files of shapes; the first one has the formats.
const FILES: [(&str, &str); 6] = [
    ("formats", include_str!("shapes/formats.yaml")),
    ("shared", include_str!("shapes/shared.yaml")),
    ("flows", include_str!("shapes/flows.yaml")),
    ("definitions", include_str!("shapes/definitions.yaml")),
    ("scenarios", include_str!("shapes/scenarios.yaml")),
    ("project", include_str!("shapes/project.yaml")),
];

/// The shapes of all formats.
pub(super) struct ShapeBook {
    formats: Map,
    shapes: Vec<Map>,
}

/// A JSON Schema in the making.
type Schema = JsonMap<String, Json>;

impl ShapeBook {
    /// The shapes, as they are written.
    pub(super) fn read() -> Result<Self, String> {
        let mut sources = SourceMap::default();
        let mut maps = Vec::new();
        for (name, text) in FILES {
            let mut found = Diagnostics::default();
            let file = sources.add_invented(name, text);
            let node = parse_yaml(file, text, 0, &mut found).filter(|_| found.is_empty());
            maps.push(
                node.and_then(Node::into_map)
                    .ok_or_else(|| format!("the shapes of `{name}` cannot be read"))?,
            );
        }
        let shapes = maps.split_off(1);
        Ok(Self {
            formats: maps.pop().unwrap_or_default(),
            shapes,
        })
    }

    /// The formats, each with its shape and what it is.
    pub(super) fn formats(&self) -> &[(Key, Node)] {
        &self.formats.entries
    }

    /// The schema of a format that is a shape, with all that it names.
    pub(super) fn whole(&self, shape: &str) -> Result<Schema, String> {
        let mut named = NamedShapes::default();
        let mut schema = self.schema(shape, &mut named)?;
        let mut parts = Schema::new();
        // What is named may name others, also itself.
        let mut next = 0;
        while let Some(name) = named.get_index(next).cloned() {
            parts.insert(name.clone(), Json::Object(self.schema(&name, &mut named)?));
            next += 1;
        }
        if !parts.is_empty() {
            schema.insert("$defs".to_owned(), Json::Object(parts));
        }
        Ok(schema)
    }

    fn schema(&self, name: &str, named: &mut NamedShapes) -> Result<Schema, String> {
        let shape = self.shape(name)?;
        let mut schema = Schema::new();
        let about = shape
            .get("about")
            .and_then(Node::text)
            .ok_or_else(|| format!("`{name}` is not described"))?;
        schema.insert("description".to_owned(), about.into());
        let least = match shape.get("least").and_then(Node::atom) {
            Some(Atom::Int(least)) => Some(Json::from(least)),
            _ => None,
        };
        if let Some(text) = shape.get("is").and_then(Node::text) {
            schema.extend(ShapeType::parse(text)?.schema(named)?);
            if let Some(least) = least {
                schema.insert("minItems".to_owned(), least);
            }
            return Ok(schema);
        }
        let (mut properties, mut required) = (Schema::new(), Vec::new());
        self.keys(shape, &mut properties, &mut required, named)?;
        let others = shape.get("others").and_then(Node::text);
        let others = others
            .map(|text| ShapeType::parse(text)?.schema(named))
            .transpose()?;
        schema.insert("type".to_owned(), "object".into());
        let words = shape.get("names").and_then(Node::text);
        if let Some(words) = words.and_then(|words| words.strip_prefix("word ")) {
            let value = Json::Object(others.unwrap_or_default());
            properties.extend(
                word_list(words)?
                    .into_iter()
                    .map(|word| (word.to_owned(), value.clone())),
            );
            schema.insert("x-names".to_owned(), words.into());
            schema.insert("properties".to_owned(), Json::Object(properties));
            schema.insert("additionalProperties".to_owned(), false.into());
            return Ok(schema);
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), Json::Object(properties));
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema.insert(
            "additionalProperties".to_owned(),
            others.map_or(false.into(), Json::Object),
        );
        let either = shape
            .get("either")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text);
        let either: Vec<Json> = either.map(|key| json!({"required": [key]})).collect();
        if !either.is_empty() {
            schema.insert("anyOf".to_owned(), either.into());
        }
        if let Some(least) = least {
            schema.insert("minProperties".to_owned(), least);
        }
        if let Some(pattern) = shape.get("match").and_then(Node::text) {
            schema.insert("propertyNames".to_owned(), json!({"pattern": pattern}));
        }
        Ok(schema)
    }

    /// The keys of a shape, and of those whose keys it takes.
    fn keys(
        &self,
        shape: &Map,
        properties: &mut Schema,
        required: &mut Vec<Json>,
        named: &mut NamedShapes,
    ) -> Result<(), String> {
        for (key, node) in shape.get("keys").into_iter().flat_map(Node::entries) {
            let said = node.text().and_then(|text| text.split_once(" - "));
            let (text, about) = said.ok_or_else(|| format!("`{}` is not described", key.text))?;
            let name = key.text.trim_end_matches('!');
            let mut schema = Schema::new();
            schema.insert("description".to_owned(), about.into());
            schema.extend(ShapeType::parse(text)?.schema(named)?);
            properties.insert(name.to_owned(), Json::Object(schema));
            if name.len() < key.text.len() {
                required.push(name.into());
            }
        }
        for name in shape
            .get("also")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
        {
            self.keys(self.shape(name)?, properties, required, named)?;
        }
        let more = shape
            .get("require")
            .map(Node::items)
            .unwrap_or_default()
            .iter();
        required.extend(more.filter_map(Node::text).map(Json::from));
        Ok(())
    }

    fn shape(&self, name: &str) -> Result<&Map, String> {
        let shape = self
            .shapes
            .iter()
            .find_map(|file| file.get(name))
            .and_then(Node::map);
        shape.ok_or_else(|| format!("there is no shape `{name}`"))
    }
}
