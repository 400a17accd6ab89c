//! The data formats of cycles: a JSON Schema for each input and output.

use serde_json::{Value as Json, json};
use strum::{IntoStaticStr, VariantArray};

use crate::machine::{MachineBuilder, Schema};

/// The JSON Schemas of a cycle. `fsmsim schema` prints them, and values are validated against them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum CycleSchema {
    /// A fact about the environment.
    Observation,
    /// An artifact in memory.
    MemoryArtifact,
    /// An available action.
    Capability,
    /// The result of an action.
    ActionResult,
    /// The progress of a task.
    AgentState,
}

/// The name of the schema for recalled artifacts in effects.
const RECALLED: &str = "recalled";

impl CycleSchema {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        match self {
            Self::Observation => "a fact that a sensor reports",
            Self::MemoryArtifact => "an artifact in memory",
            Self::Capability => "an action that an agent can perform",
            Self::ActionResult => "the result of an action",
            Self::AgentState => "the progress of a task",
        }
    }

    /// The schema as written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Observation => include_str!("schemas/observation.json"),
            Self::MemoryArtifact => include_str!("schemas/memory-artifact.json"),
            Self::Capability => include_str!("schemas/capability.json"),
            Self::ActionResult => include_str!("schemas/action-result.json"),
            Self::AgentState => include_str!("schemas/agent-state.json"),
        }
    }

    /// The compiled schema.
    pub fn schema(self) -> Result<Schema, String> {
        Schema::new(self.name(), self.json()?)
    }

    fn json(self) -> Result<Json, String> {
        serde_json::from_str(self.text()).map_err(|error| error.to_string())
    }
}

/// Declares the schemas by name, so that effects can use them.
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

/// The schema of recalled artifacts, which always have an ID.
fn recalled() -> Result<Json, String> {
    let mut artifact = CycleSchema::MemoryArtifact.json()?;
    if let Some(fields) = artifact.as_object_mut() {
        // Only a top-level schema has a name and a version.
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
    fn schemas_compile_and_describe_all_fields() {
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
