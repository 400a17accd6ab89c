//! The patterns of a JSON Schema, within what all of them may cost.

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value as Json, json};

use super::schema_cost::parts;
use fsmsim_syntax::document::{PatternBudget, is_pattern};

/// Compiles a schema, whose patterns take no more than those of a file may.
pub(super) fn compile(schema: &Json) -> Result<Validator, String> {
    let mut budget = PatternBudget::default();
    for pattern in parts(schema)
        .into_iter()
        .filter_map(Json::as_object)
        .flat_map(patterns)
    {
        let alone = json!({"pattern": pattern});
        let spent = budget.spend(|size, cache| compiled(&alone, size, cache).ok().map(Ok));
        if let Err(why) = spent {
            // One that is too large fails like a text that is no pattern.
            let (size, cache) = PatternBudget::most();
            let known = if is_pattern(pattern) {
                None
            } else {
                compiled(&alone, size, cache).err()
            };
            return Err(known.unwrap_or_else(|| format!("`{pattern}`: {why}")));
        }
    }
    let (size, cache) = PatternBudget::most();
    compiled(schema, size, cache)
}

/// The patterns that stand in a part itself.
fn patterns(part: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let of_names = part.get("patternProperties").and_then(Json::as_object);
    let of_names = of_names
        .into_iter()
        .flat_map(|names| names.keys().map(String::as_str));
    part.get("pattern")
        .and_then(Json::as_str)
        .into_iter()
        .chain(of_names)
}

fn compiled(schema: &Json, size: usize, cache: usize) -> Result<Validator, String> {
    let patterns = PatternOptions::fancy_regex()
        .size_limit(size)
        .dfa_size_limit(cache);
    jsonschema::options()
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|error| error.to_string())
}
