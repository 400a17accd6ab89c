//! What it takes to hold a value against a JSON Schema. A few bytes of a schema may stand for more work than anybody waits for:
//! parts that refer to parts that refer to parts, each of them twice.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// Parts of a schema that may be held against one place of a value.
const MOST: u64 = 20_000;
/// How many references may lead from one to the next.
const DEEPEST: usize = 64;

/// Keys below which parts are held against the same place of a value.
const IN_PLACE: [&str; 9] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref"];

/// Why a schema costs too much to be used; nothing where it does not.
pub(super) fn too_costly(schema: &Json) -> Option<String> {
    let mut costs = Costs { root: schema, known: BTreeMap::new() };
    parts(schema).into_iter().find_map(|part| match costs.of(part, 0) {
        Err(why) => Some(why),
        Ok(cost) if cost > MOST => Some(format!("more than {MOST} of its parts are held against one value")),
        Ok(_) => None,
    })
}

/// A schema, and all that stands inside it.
fn parts(schema: &Json) -> Vec<&Json> {
    let mut parts = vec![schema];
    let mut at = 0;
    while let Some(part) = parts.get(at).copied() {
        at += 1;
        match part {
            Json::Object(map) => parts.extend(map.values().filter(|value| value.is_object() || value.is_array())),
            Json::Array(items) => parts.extend(items.iter().filter(|value| value.is_object() || value.is_array())),
            _ => {}
        }
    }
    parts
}

/// The costs of the parts that references name.
struct Costs<'s> {
    root: &'s Json,
    /// By reference; nothing while it is being worked out.
    known: BTreeMap<&'s str, Option<u64>>,
}

impl<'s> Costs<'s> {
    /// How many parts are held against the place of a value against which this one is held.
    fn of(&mut self, part: &'s Json, depth: usize) -> Result<u64, String> {
        if depth > DEEPEST {
            return Err(format!("more than {DEEPEST} of its parts lead from one to the next"));
        }
        let mut cost: u64 = 1;
        for (key, value) in part.as_object().into_iter().flatten().filter(|(key, _)| IN_PLACE.contains(&key.as_str())) {
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
        parts.map(|part| self.of(part, depth + 1)).try_fold(0_u64, |sum, cost| Ok(sum.saturating_add(cost?)))
    }

    fn referred(&mut self, reference: &'s str, depth: usize) -> Result<u64, String> {
        // Whoever compiles the schema says what is wrong with other references.
        let Some(part) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            return Ok(1);
        };
        match self.known.get(reference) {
            Some(Some(cost)) => return Ok(*cost),
            Some(None) => return Err(format!("`{reference}` leads back to itself")),
            None => {}
        }
        self.known.insert(reference, None);
        let cost = self.of(part, depth + 1)?;
        self.known.insert(reference, Some(cost));
        Ok(cost)
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
        let parts: serde_json::Map<String, Json> = parts.chain([(format!("d{levels}"), json!(true))]).collect();
        json!({"$ref": "#/$defs/d0", "$defs": parts})
    }

    #[test]
    fn parts_that_multiply_are_too_many() {
        assert_eq!(too_costly(&diamond(8)), None);
        assert!(too_costly(&diamond(16)).unwrap().contains("more than 20000"));
        assert!(too_costly(&diamond(40)).unwrap().contains("lead from one"));
    }

    #[test]
    fn a_part_may_lead_back_to_itself_only_further_inside_a_value() {
        let tree = json!({"$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}}}},
                          "$ref": "#/$defs/tree"});
        assert_eq!(too_costly(&tree), None);
        assert!(too_costly(&json!({"anyOf": [{"$ref": "#"}]})).unwrap().contains("back to itself"));
        let circle = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}});
        assert!(too_costly(&circle).unwrap().contains("back to itself"));
    }
}
