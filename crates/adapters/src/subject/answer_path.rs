//! Paths in an answer.

use serde_json::Value as Json;

use crate::limits::MAX_NAMED;
use fsmsim_syntax::diagnostic::{Code, Diagnostics};
use fsmsim_syntax::document::{Location, LocationMiss, LocationStep, Node};

/// The location of a value in an answer.
#[derive(Clone, Debug)]
pub struct AnswerPath(Location);

impl AnswerPath {
    /// Parses a location. A final `?` makes the value optional. If `is_list`, a filter selects all items that match.
    pub(super) fn read(node: &Node, is_list: bool, found: &mut Diagnostics) -> Option<Self> {
        let location = Location::read(node, Code::BadSubject, found)?;
        Some(Self(if is_list {
            location.as_list()
        } else {
            location
        }))
    }

    /// The path in which this step replaces the first wildcard, or follows the path of a list.
    pub(super) fn with_item(&self, item: &str) -> String {
        self.0.with_item(item)
    }

    /// Whether an answer may omit the value.
    pub(super) fn is_optional(&self) -> bool {
        self.0.is_optional
    }

    /// The value at the path. Returns `None` if an optional value is missing.
    pub fn find(&self, answer: &Json) -> Result<Option<Json>, String> {
        match self.0.find(answer) {
            Ok(value) => Ok(Some(value.into_owned())),
            Err(_) if self.0.is_optional => Ok(None),
            Err(miss) => Err(format!(
                "cannot find `{}` in the answer: {}",
                self.0.text,
                reason(&miss)
            )),
        }
    }
}

/// A description of the value found instead.
fn reason(miss: &LocationMiss<'_, '_, Json>) -> String {
    let step = miss.step.name();
    match (miss.at.as_ref(), miss.step) {
        (Json::Array(_), LocationStep::Where(keys, _)) => {
            format!("no item of the list has `{}`", keys.join("."))
        }
        (Json::Array(items), _) => format!("no item `{step}` in a list of {}", items.len()),
        (Json::Object(pairs), _) if pairs.is_empty() => "the map is empty".to_owned(),
        (Json::Object(pairs), _) => {
            let keys = pairs.keys().take(MAX_NAMED);
            let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
            format!("no `{step}` among the keys {}", keys.join(", "))
        }
        (Json::Null, _) => format!("found null instead of a map with `{step}`"),
        _ => format!("found no map or list with `{step}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use fsmsim_syntax::diagnostic::{SourceMap, Span};

    #[test]
    fn error_describes_the_value_found_instead() {
        let answer = json!([{"text": "a"}, {"image": "b"}, {}, null]);
        let error = |path| {
            let node = Node::quoted(path, Span::start_of(SourceMap::default().add("t", "")));
            let path = AnswerPath::read(&node, true, &mut Diagnostics::default());
            path.unwrap().find(&answer).unwrap_err()
        };
        for (path, reason) in [
            ("[1].text", "no `text` among the keys `image`"),
            ("[7]", "no item `7` in a list of 4"),
            ("[0].text.x", "found no map or list with `x`"),
            ("[2].x", "the map is empty"),
            ("[3].x", "found null instead of a map with `x`"),
            ("[?@.y == 1].z", "no item of the list has `y`"),
            ("[1][*]", "no `*` among the keys `image`"),
        ] {
            let expected = format!("cannot find `{path}` in the answer: {reason}");
            assert_eq!(error(path), expected);
        }
    }
}
