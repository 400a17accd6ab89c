//! Paths in an answer.

use serde_json::Value as Json;

use crate::limits::MAX_NAMED;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{LEVELS, Node, text_of};

/// Matches every item of a list, or with `KEY=VALUE` after it, the items that have this string.
const EACH: &str = "*";

/// A path in an answer: a JSON Pointer (RFC 6901), in which `*` matches every item of a list, `*KEY=VALUE` some of them,
/// and `-1` the last one.
#[derive(Clone, Debug)]
pub struct AnswerPath {
    /// The path as written, without the final `?`.
    text: Box<str>,
    steps: Box<[Box<str>]>,
    /// An answer may omit the value.
    is_optional: bool,
}

impl AnswerPath {
    /// Parses a pointer. A final `?` makes the value optional.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let written = text_of(node, "a path in the answer", found)?;
        let (text, is_optional) = match written.strip_suffix('?') {
            Some(text) => (text, true),
            None => (written, false),
        };
        let Some(rest) = text.strip_prefix('/') else {
            if text.is_empty() {
                return Some(Self {
                    text: text.into(),
                    steps: Box::default(),
                    is_optional,
                });
            }
            let meant = format!("/{}", text.trim_start_matches("$.").replace('.', "/"));
            return Diagnostic::error(
                Code::BadSubject,
                format!("expected a JSON Pointer, found `{written}`"),
            )
            .at(node.span, "path in the answer")
            .help(format!("write `{meant}`; `*` matches every item of a list"))
            .refuse(found);
        };
        // The readers of answers accept no deeper values. Long paths could overflow the stack.
        if rest.split('/').count() > LEVELS {
            return Diagnostic::error(
                Code::BadSubject,
                format!("path has too many keys: limit {LEVELS}"),
            )
            .at(node.span, "path in the answer")
            .help("remove keys: an answer has fewer levels")
            .refuse(found);
        }
        let steps = rest
            .split('/')
            .map(|step| step.replace("~1", "/").replace("~0", "~").into());
        Some(Self {
            text: text.into(),
            steps: steps.collect(),
            is_optional,
        })
    }

    /// The path in which this step replaces the first `*`, or follows the path of a list.
    pub(super) fn with_item(&self, item: &str) -> String {
        let (list, rest) = self.text.split_once("/*").unwrap_or((&*self.text, ""));
        let rest = rest.find('/').and_then(|at| rest.get(at..));
        format!("{list}/{item}{}", rest.unwrap_or_default())
    }

    /// Whether an answer may omit the value.
    pub(super) fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// The value at the path. Returns `None` if an optional value is missing.
    pub fn find(&self, answer: &Json) -> Result<Option<Json>, String> {
        match find(answer, &self.steps) {
            Ok(value) => Ok(Some(value)),
            Err(_) if self.is_optional => Ok(None),
            Err(there) => Err(format!(
                "cannot find `{}` in the answer: {there}",
                self.text
            )),
        }
    }
}

/// The value at the path, or a description of the value found instead.
fn find(value: &Json, steps: &[Box<str>]) -> Result<Json, String> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(value.clone());
    };
    match value {
        Json::Array(items) if &**step == EACH || step.starts_with(EACH) && step.contains('=') => {
            let pair = step.trim_start_matches(EACH).split_once('=');
            if let Some((key, _)) = pair.filter(|_| !items.is_empty())
                && items.iter().all(|item| item.get(key).is_none())
            {
                return Err(format!("no item of the list has `{key}`"));
            }
            let is_wanted = |item: &&Json| {
                pair.is_none_or(|(key, value)| item.get(key).is_some_and(|found| found == value))
            };
            // Items without the value are skipped, such as buttons without text.
            let there = items
                .iter()
                .filter(is_wanted)
                .filter_map(|item| find(item, rest).ok());
            Ok(Json::Array(there.collect()))
        }
        Json::Array(items) => {
            let back = step.strip_prefix('-');
            let number = back
                .unwrap_or(step)
                .parse::<usize>()
                .ok()
                .filter(|_| !step.contains('+'));
            let number = number.and_then(|number| match back {
                Some(_) => items.len().checked_sub(number),
                None => Some(number),
            });
            let item = number.and_then(|number| items.get(number));
            item.map_or_else(
                || Err(format!("no item `{step}` in a list of {}", items.len())),
                |item| find(item, rest),
            )
        }
        Json::Object(pairs) => match pairs.get(&**step) {
            Some(inner) => find(inner, rest),
            None if pairs.is_empty() => Err("the map is empty".to_owned()),
            None => {
                let keys: Vec<String> = pairs
                    .keys()
                    .take(MAX_NAMED)
                    .map(|key| format!("`{key}`"))
                    .collect();
                Err(format!("no `{step}` among the keys {}", keys.join(", ")))
            }
        },
        Json::Null => Err(format!("found null instead of a map with `{step}`")),
        _ => Err(format!("found no map or list with `{step}`")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use fsmsim_syntax::diagnostic::{SourceMap, Span};

    fn found(path: &str) -> Result<Option<Json>, String> {
        let answer = json!([{"text": "a", "x/y": 1}, {"image": "b"}, {"text": "c"}]);
        let node = Node::quoted(path, Span::start_of(SourceMap::default().add("t", "")));
        AnswerPath::read(&node, &mut Diagnostics::default())
            .unwrap()
            .find(&answer)
    }

    #[test]
    fn pointer_finds_the_named_value() {
        assert_eq!(found("/0/text"), Ok(Some(json!("a"))));
        assert_eq!(found("/0/x~1y"), Ok(Some(json!(1))));
        assert_eq!(found("/*/text"), Ok(Some(json!(["a", "c"]))));
        assert_eq!(found("/-1/text"), Ok(Some(json!("c"))));
        assert_eq!(found("/*image=b/image"), Ok(Some(json!(["b"]))));
        assert_eq!(found("/*text=b/text"), Ok(Some(json!([]))));
        assert_eq!(found("/*role=b/text?"), Ok(None));
        assert_eq!(found("/*text/text?"), Ok(None));
        assert_eq!(found("/9/text?"), Ok(None));
        assert_eq!(found("/-0/text?"), Ok(None));
        assert_eq!(found("/-4/text?"), Ok(None));
        assert_eq!(found("").map(|all| all.is_some()), Ok(true));
    }

    #[test]
    fn error_describes_the_value_found_instead() {
        assert_eq!(
            found("/1/text"),
            Err("cannot find `/1/text` in the answer: no `text` among the keys `image`".into())
        );
        assert_eq!(
            found("/7"),
            Err("cannot find `/7` in the answer: no item `7` in a list of 3".into())
        );
        assert_eq!(
            found("/0/text/x"),
            Err("cannot find `/0/text/x` in the answer: found no map or list with `x`".into())
        );
    }
}
