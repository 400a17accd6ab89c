//! The cost of validating a value against a JSON Schema. A small schema can cause excessive work: for example
//! if each of its parts refers twice to the next part, at one location of a value or at each level.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::limits::{
    MAX_SCHEMA_PARTS, MAX_SCHEMA_REFERENCES, MAX_SCHEMA_STEP_DEPTH, MAX_SCHEMA_STEPS,
};

/// Keys whose target is known only during validation, or that change the target of other references.
const FAR_REFERENCES: [&str; 2] = ["$dynamicRef", "$recursiveRef"];
/// Keys whose parts apply to the same location of a value.
const IN_PLACE: [&str; 9] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "$ref",
];

/// The reason why a schema is too expensive; `None` if it is not.
pub(super) fn too_costly(schema: &Json) -> Option<String> {
    let mut costs = Costs {
        root: schema,
        known: BTreeMap::new(),
    };
    if let Some(why) = parts(schema)
        .into_iter()
        .find_map(|part| far_reference(part, schema))
    {
        return Some(why);
    }
    parts(schema)
        .into_iter()
        .find_map(|part| match costs.of(part, 0) {
            Err(why) => Some(why),
            Ok(cost) if cost > MAX_SCHEMA_PARTS => Some(format!(
                "more than {MAX_SCHEMA_PARTS} subschemas apply to one value"
            )),
            Ok(_) => None,
        })
}

/// The reason why the target of a reference is unknown; `None` if it is known.
fn far_reference(part: &Json, root: &Json) -> Option<String> {
    if let Some(key) = FAR_REFERENCES
        .into_iter()
        .find(|key| part.get(key).is_some_and(Json::is_string))
    {
        return Some(format!("`{key}` is not supported; use `$ref`"));
    }
    // Below an inner `$id`, references are relative to another base.
    let is_named = !std::ptr::eq(part, root) && part.get("$id").is_some_and(Json::is_string);
    is_named.then(|| "only the root schema can have an `$id`".to_owned())
}

/// The part that a reference targets.
fn referred_part<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    root.pointer(reference.strip_prefix('#')?)
}

fn no_part(reference: &str) -> String {
    format!("cannot resolve `{reference}`; use `#`, or `#/` and a path in the schema")
}

/// A schema and all its parts.
pub(super) fn parts(schema: &Json) -> Vec<&Json> {
    let mut parts = vec![schema];
    let mut at = 0;
    while let Some(part) = parts.get(at).copied() {
        at += 1;
        match part {
            Json::Object(map) => parts.extend(
                map.values()
                    .filter(|value| value.is_object() || value.is_array()),
            ),
            Json::Array(items) => parts.extend(
                items
                    .iter()
                    .filter(|value| value.is_object() || value.is_array()),
            ),
            _ => {}
        }
    }
    parts
}

/// The costs of the parts that references target.
struct Costs<'s> {
    root: &'s Json,
    /// The cost by reference; `None` while the cost is being computed.
    known: BTreeMap<&'s str, Option<u64>>,
}

impl<'s> Costs<'s> {
    /// The number of parts that apply to one location of a value because of this part.
    fn of(&mut self, part: &'s Json, depth: usize) -> Result<u64, String> {
        if depth > MAX_SCHEMA_REFERENCES {
            return Err(format!(
                "more than {MAX_SCHEMA_REFERENCES} subschemas are nested"
            ));
        }
        let mut cost: u64 = 1;
        for (key, value) in part
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| IN_PLACE.contains(&key.as_str()))
        {
            cost = cost.saturating_add(match value {
                Json::String(reference) if key == "$ref" => self.referred(reference, depth)?,
                Json::Array(items) => self.all(items.iter(), depth)?,
                Json::Object(map) if key == "dependentSchemas" => self.all(map.values(), depth)?,
                value => self.of(value, depth + 1)?,
            });
        }
        Ok(cost)
    }

    fn all(&mut self, parts: impl Iterator<Item = &'s Json>, depth: usize) -> Result<u64, String> {
        parts
            .map(|part| self.of(part, depth + 1))
            .try_fold(0_u64, |sum, cost| Ok(sum.saturating_add(cost?)))
    }

    fn referred(&mut self, reference: &'s str, depth: usize) -> Result<u64, String> {
        let part = referred_part(self.root, reference).ok_or_else(|| no_part(reference))?;
        match self.known.get(reference) {
            Some(Some(cost)) => return Ok(*cost),
            Some(None) => return Err(format!("`{reference}` refers to itself")),
            None => {}
        }
        self.known.insert(reference, None);
        let cost = self.of(part, depth + 1)?;
        self.known.insert(reference, Some(cost));
        Ok(cost)
    }
}

/// The reason why validating a value is too expensive; `None` if it is not. Validation errors do not stop the count. If
/// parts of a schema refer to its root several times, each level of the value multiplies the steps.
pub(super) fn too_many_steps(schema: &Json, value: &Json) -> Option<String> {
    let mut steps = Steps {
        root: schema,
        left: MAX_SCHEMA_STEPS,
    };
    let counted = steps.count(schema, value, MAX_SCHEMA_STEP_DEPTH);
    counted.is_none().then(|| {
        format!(
            "validation takes more than {MAX_SCHEMA_STEPS} steps or {MAX_SCHEMA_STEP_DEPTH} levels"
        )
    })
}

/// The remaining steps.
struct Steps<'s> {
    root: &'s Json,
    left: u32,
}

impl Steps<'_> {
    /// Counts the steps of validating a value against a part. Returns `None` if there are too many.
    fn count(&mut self, part: &Json, value: &Json, deeper: u32) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let deeper = deeper.checked_sub(1)?;
        let Some(part) = part.as_object() else {
            return Some(());
        };
        // Finding the unevaluated items requires another validation by all parts that could evaluate them.
        let times = 1 + u32::from(
            ["unevaluatedProperties", "unevaluatedItems"]
                .iter()
                .any(|key| part.contains_key(*key)),
        );
        let named = part.get("properties").and_then(Json::as_object);
        let first = part
            .get("prefixItems")
            .or(part.get("items"))
            .and_then(Json::as_array);
        for (key, inner) in part {
            match (key.as_str(), inner, value) {
                ("$ref", Json::String(reference), _) => {
                    let target = referred_part(self.root, reference);
                    (0..times).try_for_each(|_| self.count(target?, value, deeper))?;
                }
                ("dependentSchemas" | "dependencies", Json::Object(parts), _) => {
                    parts
                        .values()
                        .try_for_each(|part| self.count(part, value, deeper))?;
                }
                (key, inner, _) if IN_PLACE.contains(&key) => {
                    let parts = inner
                        .as_array()
                        .map_or(std::slice::from_ref(inner), Vec::as_slice);
                    (0..times)
                        .flat_map(|_| parts)
                        .try_for_each(|part| self.count(part, value, deeper))?;
                }
                ("properties", Json::Object(parts), Json::Object(fields)) => {
                    parts
                        .iter()
                        .filter_map(|(name, part)| Some((part, fields.get(name)?)))
                        .try_for_each(|(part, value)| self.count(part, value, deeper))?;
                }
                ("patternProperties", Json::Object(parts), Json::Object(fields)) => {
                    parts
                        .values()
                        .flat_map(|part| fields.values().map(move |value| (part, value)))
                        .try_for_each(|(part, value)| self.count(part, value, deeper))?;
                }
                ("additionalProperties" | "unevaluatedProperties", part, Json::Object(fields)) => {
                    fields
                        .iter()
                        .filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name)))
                        .try_for_each(|(_, value)| self.count(part, value, deeper))?;
                }
                ("propertyNames", part, Json::Object(fields)) => {
                    fields
                        .keys()
                        .try_for_each(|_| self.count(part, &Json::Null, deeper))?;
                }
                ("items" | "prefixItems", Json::Array(parts), Json::Array(items)) => {
                    parts
                        .iter()
                        .zip(items)
                        .try_for_each(|(part, value)| self.count(part, value, deeper))?;
                }
                ("items" | "additionalItems", part, Json::Array(items)) => {
                    items
                        .iter()
                        .skip(first.map_or(0, Vec::len))
                        .try_for_each(|value| self.count(part, value, deeper))?;
                }
                ("contains" | "unevaluatedItems", part, Json::Array(items)) => {
                    items
                        .iter()
                        .try_for_each(|value| self.count(part, value, deeper))?;
                }
                _ => {}
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn diamond(levels: usize) -> Json {
        let parts = (0..levels).map(|level| {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            (format!("d{level}"), json!({"allOf": [next, next]}))
        });
        let parts: serde_json::Map<String, Json> =
            parts.chain([(format!("d{levels}"), json!(true))]).collect();
        json!({"$ref": "#/$defs/d0", "$defs": parts})
    }

    #[test]
    fn multiplying_parts_are_too_expensive() {
        assert_eq!(too_costly(&diamond(8)), None);
        assert!(
            too_costly(&diamond(16))
                .unwrap()
                .contains("more than 20000")
        );
        assert!(too_costly(&diamond(40)).unwrap().contains("are nested"));
    }

    #[test]
    fn part_can_refer_to_itself_only_at_a_deeper_level() {
        let tree = json!({"$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
                          "$ref": "#/$defs/tree"});
        assert_eq!(too_costly(&tree), None);
        assert!(
            too_costly(&json!({"anyOf": [{"$ref": "#"}]}))
                .unwrap()
                .contains("refers to itself")
        );
        let cycle =
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}});
        assert!(too_costly(&cycle).unwrap().contains("refers to itself"));
    }

    #[test]
    fn unresolvable_reference_is_rejected() {
        let diamond = json!({"$ref": "#a", "$defs": {"a": {"$anchor": "a", "allOf": [{"$ref": "#a"}, {"$ref": "#a"}]}}});
        assert!(
            too_costly(&diamond)
                .unwrap()
                .contains("cannot resolve `#a`")
        );
        assert!(
            too_costly(&json!({"$dynamicRef": "#a"}))
                .unwrap()
                .contains("`$dynamicRef` is not supported")
        );
        let inner = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$id": "x", "$ref": "#/$defs/a"}}});
        assert!(too_costly(&inner).unwrap().contains("`$id`"));
        assert_eq!(
            too_costly(
                &json!({"$id": "https://example.com/x", "properties": {"$id": {"$ref": "#"}}})
            ),
            None
        );
    }

    #[test]
    fn part_that_refers_back_twice_is_too_expensive() {
        let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!({"a": inner}));
        let once = json!({"anyOf": [{"type": "null"}, {"properties": {"a": {"$ref": "#"}}}]});
        let back = json!({"properties": {"a": {"$ref": "#"}}});
        assert_eq!(too_many_steps(&once, &nested(100)), None);
        for twice in [
            json!({"allOf": [back, back]}),
            json!({"anyOf": [back, {"additionalProperties": {"$ref": "#"}}]}),
            json!({"allOf": [back], "unevaluatedProperties": false}),
        ] {
            assert_eq!(too_many_steps(&twice, &nested(8)), None, "{twice}");
            assert!(too_many_steps(&twice, &nested(40)).is_some(), "{twice}");
        }
        let levels = (0..40).rev().fold(
            json!(true),
            |inner, _| json!({"properties": {"a": {"allOf": [inner]}}}),
        );
        assert_eq!(too_many_steps(&levels, &nested(100)), None);
    }
}
