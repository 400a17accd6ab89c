//! Formats with a JSON Schema.

use serde_json::Value as Json;

use super::shape_schema::SchemaWriter;
use fsmsim_core::engine::policy;
use fsmsim_syntax::shapes::{FORMATS, Format};

/// A format with its JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatSchema {
    /// The name used to request it.
    pub name: Box<str>,
    /// A short description of the format.
    pub about: Box<str>,
    /// The schema as formatted JSON.
    pub text: Box<str>,
}

impl FormatSchema {
    /// All schemas: first the schemas of files, then the schemas of data that policies exchange with other systems.
    pub fn all() -> Vec<Self> {
        let of_policies = policy::SCHEMAS.iter().map(|schema| Self {
            name: schema.name().into(),
            about: schema.about().into(),
            text: schema.text().into(),
        });
        FORMATS.iter().map(Self::of).chain(of_policies).collect()
    }

    fn of(format: &Format) -> Self {
        let Format {
            name, shape, about, ..
        } = *format;
        let mut schema = serde_json::Map::new();
        schema.insert(
            "$schema".to_owned(),
            "https://json-schema.org/draft/2020-12/schema".into(),
        );
        schema.insert("$id".to_owned(), format!("urn:fsmsim:{name}").into());
        schema.insert("title".to_owned(), format!("fsmsim: {about}").into());
        schema.extend(SchemaWriter::whole(shape));
        Self {
            name: name.into(),
            about: about.into(),
            text: format!("{:#}\n", Json::Object(schema)).into(),
        }
    }

    pub fn file_name(&self) -> String {
        format!("{}.schema.json", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_valid_and_describe_their_keys() {
        let all = FormatSchema::all();
        for format in &all {
            let schema: Json = serde_json::from_str(&format.text).unwrap();
            jsonschema::draft202012::meta::validate(&schema).unwrap();
            let parts = schema["$defs"]
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::values);
            for part in parts.chain([&schema]) {
                assert!(part["description"].is_string(), "{}: {part:#}", format.name);
                for (key, value) in part["properties"].as_object().into_iter().flatten() {
                    assert!(
                        value["description"].is_string() || part["x-names"].is_string(),
                        "{}: {key}",
                        format.name
                    );
                }
            }
        }
        let mut names: Vec<&str> = all.iter().map(|format| &*format.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
    }
}
