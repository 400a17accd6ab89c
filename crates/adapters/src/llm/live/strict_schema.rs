//! Strict schemas: the subset of JSON Schema that strict servers accept.

use serde_json::{Map, Value as Json, json};

use crate::llm::provider::Wire;

/// A strict schema: every object lists all its properties, and no type is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StrictSchema {
    schema: Json,
}

/// The rules of a server for strict schemas.
struct StrictDialect {
    /// Every property is required. An optional property becomes nullable.
    all_required: bool,
    /// The supported limit keywords.
    limits: &'static [&'static str],
}

/// The rules of `OpenAI` and compatible servers.
const OPENAI: StrictDialect = StrictDialect {
    all_required: true,
    limits: &[
        "minimum", "maximum", "minItems", "maxItems", "pattern", "format",
    ],
};
const ANTHROPIC: StrictDialect = StrictDialect {
    all_required: false,
    limits: &[],
};

/// Unsupported keywords whose meaning a strict schema would lose.
const UNSAYABLE: [&str; 8] = [
    "$ref",
    "oneOf",
    "allOf",
    "not",
    "if",
    "patternProperties",
    "dependentSchemas",
    "prefixItems",
];
/// The property with the data of an interpretation.
const DATA: &str = "data";

impl StrictSchema {
    /// The strict form of a schema, if it has one. If `data` is open, its properties are `slots`.
    pub(super) fn of(schema: &Json, slots: &[&str], wire: &Wire) -> Option<Self> {
        let dialect = match wire {
            Wire::OpenAi | Wire::GigaChat { .. } => &OPENAI,
            Wire::Anthropic => &ANTHROPIC,
        };
        let mut schema = schema.clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut)
            && properties
                .get(DATA)
                .is_some_and(|data| is_object(data) && data.get("properties").is_none())
        {
            if slots.is_empty() {
                properties.shift_remove(DATA);
            } else if let Some(data) = properties.get_mut(DATA).and_then(Json::as_object_mut) {
                let value =
                    json!({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]});
                let slots: Map<String, Json> = slots
                    .iter()
                    .map(|slot| ((*slot).to_owned(), value.clone()))
                    .collect();
                data.insert("properties".to_owned(), Json::Object(slots));
            }
        }
        Some(Self {
            schema: dialect.lower(&schema)?,
        })
    }

    pub(super) fn schema(&self) -> &Json {
        &self.schema
    }
}

impl StrictDialect {
    /// The strict form of a schema, if it has one.
    fn lower(&self, schema: &Json) -> Option<Json> {
        let schema = schema.as_object()?;
        if UNSAYABLE.iter().any(|word| schema.contains_key(*word)) {
            return None;
        }
        let mut lowered = Map::new();
        for (key, value) in schema {
            let is_kept = matches!(key.as_str(), "type" | "enum" | "description")
                || self.limits.contains(&key.as_str());
            if is_kept {
                lowered.insert(key.clone(), value.clone());
            }
        }
        if let Some(choices) = schema.get("enum").and_then(Json::as_array) {
            lowered.entry("type").or_insert_with(|| types_of(choices));
            return Some(Json::Object(lowered));
        }
        if let Some(choices) = schema.get("anyOf").and_then(Json::as_array) {
            let choices: Option<Vec<Json>> =
                choices.iter().map(|choice| self.lower(choice)).collect();
            lowered.insert("anyOf".to_owned(), Json::Array(choices?));
            return Some(Json::Object(lowered));
        }
        schema.get("type")?;
        if has_type(schema, "array") {
            lowered.insert("items".to_owned(), self.lower(schema.get("items")?)?);
        }
        if has_type(schema, "object") {
            if schema
                .get("additionalProperties")
                .is_some_and(|more| *more != json!(false))
            {
                return None;
            }
            let required = required(schema);
            let mut properties = Map::new();
            for (name, property) in schema.get("properties")?.as_object()? {
                let mut property = self.lower(property)?;
                if self.all_required && !required.contains(&name.as_str()) {
                    admit_null(&mut property);
                }
                properties.insert(name.clone(), property);
            }
            let all: Vec<&str> = properties.keys().map(String::as_str).collect();
            let required = json!(if self.all_required { all } else { required });
            lowered.insert("properties".to_owned(), Json::Object(properties));
            lowered.insert("required".to_owned(), required);
            lowered.insert("additionalProperties".to_owned(), json!(false));
        }
        Some(Json::Object(lowered))
    }
}

/// Converts an answer to a strict schema into one to the original schema: removes nulls of omitted properties.
pub(super) fn without_nulls(answer: Json, schema: &Json) -> Json {
    match answer {
        // A value of any type stays unchanged.
        _ if schema.get("type").is_none() => answer,
        Json::Object(pairs) => {
            let known = schema.get("properties").and_then(Json::as_object);
            let required = schema.as_object().map(required).unwrap_or_default();
            let is_said = |name: &String, value: &Json| {
                let property = known.and_then(|known| known.get(name));
                !value.is_null()
                    || required.contains(&name.as_str())
                    || property.is_some_and(admits_null)
            };
            let pairs = pairs
                .into_iter()
                .filter(|(name, value)| is_said(name, value));
            let inner = |name: &String| {
                known
                    .and_then(|known| known.get(name))
                    .unwrap_or(&Json::Null)
            };
            Json::Object(
                pairs
                    .map(|(name, value)| {
                        let value = without_nulls(value, inner(&name));
                        (name, value)
                    })
                    .collect(),
            )
        }
        Json::Array(items) => {
            let inner = schema.get("items").unwrap_or(&Json::Null);
            Json::Array(
                items
                    .into_iter()
                    .map(|item| without_nulls(item, inner))
                    .collect(),
            )
        }
        _ => answer,
    }
}

fn is_object(schema: &Json) -> bool {
    schema
        .as_object()
        .is_some_and(|schema| has_type(schema, "object"))
}

fn has_type(schema: &Map<String, Json>, name: &str) -> bool {
    match schema.get("type") {
        Some(Json::String(one)) => one == name,
        Some(Json::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    }
}

fn required(schema: &Map<String, Json>) -> Vec<&str> {
    schema
        .get("required")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect()
}

/// The types of enum values.
fn types_of(choices: &[Json]) -> Json {
    let mut types: Vec<&str> = Vec::new();
    for choice in choices {
        let name = match choice {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        };
        if !types.contains(&name) {
            types.push(name);
        }
    }
    match types.as_slice() {
        [one] => json!(one),
        _ => json!(types),
    }
}

fn admits_null(schema: &Json) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    let choices = |key: &str| schema.get(key).and_then(Json::as_array);
    match (choices("enum"), choices("anyOf")) {
        (Some(values), _) => values.iter().any(Json::is_null),
        (None, Some(choices)) => choices.iter().any(admits_null),
        (None, None) => has_type(schema, "null"),
    }
}

fn admit_null(schema: &mut Json) {
    if admits_null(schema) {
        return;
    }
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    if let Some(choices) = schema.get_mut("anyOf").and_then(Json::as_array_mut) {
        choices.push(json!({"type": "null"}));
        return;
    }
    if let Some(values) = schema.get_mut("enum").and_then(Json::as_array_mut) {
        values.push(Json::Null);
    }
    match schema.get_mut("type") {
        Some(Json::Array(several)) => several.push(json!("null")),
        Some(one) => *one = json!([one, "null"]),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::kind::TaskKind;
    use fsmsim_core::machine::{Schema, Value};

    /// Paths of objects that are open, or have optional properties.
    fn open_places(schema: &Json, at: &str, found: &mut Vec<String>) {
        match schema {
            Json::Object(map) => {
                if has_type(map, "object") {
                    let names: Vec<&str> = map["properties"]
                        .as_object()
                        .unwrap()
                        .keys()
                        .map(String::as_str)
                        .collect();
                    if map.get("additionalProperties") != Some(&json!(false))
                        || required(map) != names
                    {
                        found.push(at.to_owned());
                    }
                }
                map.iter()
                    .for_each(|(key, inner)| open_places(inner, &format!("{at}/{key}"), found));
            }
            Json::Array(items) => items.iter().for_each(|item| open_places(item, at, found)),
            _ => {}
        }
    }

    #[test]
    fn every_kind_except_work_has_a_strict_schema() {
        for kind in TaskKind::ALL {
            for wire in [Wire::OpenAi, Wire::Anthropic] {
                let strict = StrictSchema::of(&kind.schema(), &["budget"], &wire);
                assert_eq!(strict.is_some(), *kind != TaskKind::Work, "{}", kind.name());
                let Some(strict) = strict else { continue };
                let mut open = Vec::new();
                if wire == Wire::OpenAi {
                    open_places(&strict.schema, "", &mut open);
                }
                let text = strict.schema.to_string();
                assert!(
                    open.is_empty() && !text.contains("minLength"),
                    "{} {open:?}",
                    kind.name()
                );
                assert!(wire == Wire::OpenAi || !text.contains("minimum"), "{text}");
            }
        }
    }

    #[test]
    fn strict_answer_converts_to_the_original_schema() {
        let schema = TaskKind::Classify.schema();
        let strict = StrictSchema::of(&schema, &["budget", "size"], &Wire::OpenAi).unwrap();
        let answer = json!({
            "intent": "a", "confidence": null, "alternatives": [{"intent": "b", "confidence": 0.5}], "also": null,
            "data": {"budget": null, "size": 50}, "tone": null, "frustration": null,
        });
        let checks = Schema::new("strict", strict.schema.clone()).unwrap();
        assert!(checks.error(&Value::from(answer.clone())).is_none());
        assert!(
            TaskKind::Classify
                .check(&Value::from(answer.clone()))
                .is_err()
        );
        let plain = without_nulls(answer, &schema);
        assert_eq!(
            TaskKind::Classify.check(&Value::from(plain.clone())),
            Ok(())
        );
        assert_eq!(
            plain,
            json!({
                "intent": "a", "alternatives": [{"intent": "b", "confidence": 0.5}], "data": {"size": 50}, "tone": null,
                "frustration": null,
            })
        );
    }

    #[test]
    fn enums_have_types_and_open_types_have_no_strict_form() {
        let object = |property: Json| json!({"type": "object", "properties": {"a": property}});
        let lowered = |schema: &Json| {
            StrictSchema::of(schema, &[], &Wire::OpenAi).map(|strict| strict.schema)
        };
        let of = |property: Json| {
            lowered(&object(property)).map(|schema| schema["properties"]["a"].clone())
        };
        assert_eq!(
            of(json!({"enum": ["x"]})),
            Some(json!({"enum": ["x", null], "type": ["string", "null"]}))
        );
        assert_eq!(
            of(json!({"enum": ["x", null]})),
            Some(json!({"enum": ["x", null], "type": ["string", "null"]}))
        );
        for open in [
            json!({}),
            json!({"type": "array"}),
            json!({"type": "object"}),
            json!({"$ref": "#"}),
            json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
            json!(true),
        ] {
            assert_eq!(of(open.clone()), None, "{open}");
        }
        // Without slots there is no data.
        assert_eq!(
            lowered(&json!({"type": "object", "properties": {"data": {"type": "object"}}}))
                .unwrap()["properties"],
            json!({})
        );
    }
}
