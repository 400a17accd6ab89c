//! The contracts of cycles as data: a JSON Schema for each of what comes in and goes out.

use serde_json::{Value as Json, json};
use strum::{IntoStaticStr, VariantArray};

use crate::machine::{MachineBuilder, Schema};

/// What a cycle has a JSON Schema for. It is what `fsmsim schema` prints, and what values are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum CycleSchema {
    /// A fact about the world.
    Observation,
    /// A piece of memory.
    MemoryArtifact,
    /// Something that may be done in the world.
    Capability,
    /// What came of something that was done.
    ActionResult,
    /// How far a task is.
    AgentState,
}

/// The name under which effects ask for what memory gives: artifacts as it has them.
const RECALLED: &str = "recalled";

impl CycleSchema {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name, as it is asked for.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it is the schema of, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Observation => "a fact about the world, as a sensor reports it",
            Self::MemoryArtifact => "a piece of memory",
            Self::Capability => "something that may be done in the world",
            Self::ActionResult => "what the world answers to an action",
            Self::AgentState => "how far a task is",
        }
    }

    /// The schema as it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Observation => include_str!("schemas/observation.json"),
            Self::MemoryArtifact => include_str!("schemas/memory-artifact.json"),
            Self::Capability => include_str!("schemas/capability.json"),
            Self::ActionResult => include_str!("schemas/action-result.json"),
            Self::AgentState => include_str!("schemas/agent-state.json"),
        }
    }

    /// The schema, ready to hold values against.
    pub fn schema(self) -> Result<Schema, String> {
        Schema::new(self.name(), self.json()?)
    }

    fn json(self) -> Result<Json, String> {
        serde_json::from_str(self.text()).map_err(|error| error.to_string())
    }
}

/// Declares the schemas by name, so that effects may ask for them.
pub fn declare_schemas(builder: &mut MachineBuilder) -> Result<(), String> {
    let mut schemas = vec![Schema::new(RECALLED, recalled()?)?];
    for schema in [
        CycleSchema::Observation,
        CycleSchema::MemoryArtifact,
        CycleSchema::ActionResult,
    ] {
        schemas.push(schema.schema()?);
    }
    for schema in schemas {
        builder.schemas.push(schema);
    }
    Ok(())
}

/// What memory gives: artifacts, each of which has its id by then.
fn recalled() -> Result<Json, String> {
    let mut artifact = CycleSchema::MemoryArtifact.json()?;
    if let Some(fields) = artifact.as_object_mut() {
        // Only a whole schema has a name and a version.
        fields.retain(|key, _| !key.starts_with('$'));
        if let Some(required) = fields.get_mut("required").and_then(Json::as_array_mut) {
            required.push(json!("id"));
        }
    }
    Ok(json!({"type": "object", "properties": {"found": {"type": "array", "items": artifact}}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_can_be_used_and_says_what_its_fields_are() {
        for kind in CycleSchema::ALL {
            let json = kind.json().unwrap();
            jsonschema::meta::validate(&json).unwrap();
            kind.schema().unwrap();
            assert_eq!(json["$id"], format!("urn:fsmsim:cycle:{}", kind.name()));
            assert_eq!(json["additionalProperties"], false);
            let fields = json["properties"].as_object().unwrap();
            assert!(
                fields
                    .values()
                    .all(|field| field["description"].is_string()),
                "{}",
                kind.name()
            );
        }
        declare_schemas(&mut MachineBuilder::default()).unwrap();
    }
}
