//! Values of slots and entities, and utterances with annotated entities.

use indexmap::IndexMap;

use crate::convert::flow_text::scalar;
use crate::convert::names::{clean, slot_name};
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Atom, Content, Node};
use fsmsim_syntax::terminal::Joined;

/// Names of entities or slots, with values in YAML syntax; `None` is null.
pub(super) type NamedValues = IndexMap<String, Option<String>>;

/// A value in YAML syntax; `None` for null.
pub(super) fn value_of(node: &Node) -> Option<String> {
    match &node.content {
        Content::Scalar(value) => match value.datum() {
            Atom::Null => None,
            Atom::Text(text) => Some(scalar(text)),
            _ => Some(value.text.to_lowercase()),
        },
        Content::List(items) => {
            let items = items.iter().filter_map(value_of);
            Some(format!("[{}]", items.joined(", ")))
        }
        Content::Map(_) => Some("{}".to_owned()),
    }
}

/// Calls `each` with the names of a list or map. In a list, a map of one name has its options.
pub(super) fn each_named<'n>(
    node: &'n Node,
    mut each: impl FnMut(&'n str, Span, Option<&'n Node>),
) {
    for item in node.items() {
        if let Some(name) = item.text() {
            each(name, item.span, None);
        }
        for (key, options) in item.entries() {
            each(&key.text, key.span, Some(options));
        }
    }
}

/// The values of a list of names, or of maps of names and values. A name without a value is true.
pub(super) fn named_values(node: &Node) -> Vec<(&str, Option<String>)> {
    let mut values = Vec::new();
    each_named(node, |name, _, value| {
        values.push((
            name,
            value.map_or_else(|| Some("true".to_owned()), value_of),
        ));
    });
    values
}

/// The name of an intent without a payload (`/inform{"size": "big"}`) and without the part that selects a response
/// (`faq/hours`).
pub(super) fn intent_name(text: &str) -> String {
    let text = text.trim().trim_start_matches('/');
    let name = text.split(['{', '/']).next().unwrap_or_default();
    clean(name, "intent")
}

/// Parses an utterance with annotated entities: `in [Rome](city)` or `in [Rome]{"entity": "city", "value": "roma"}`.
///
/// Returns its text and its entities. Of several values of one entity, Rasa stores the last one.
pub(super) fn read_utterance(text: &str) -> (String, NamedValues) {
    let (mut said, mut entities) = (String::new(), NamedValues::new());
    let mut rest = text;
    while let Some((before, marked)) = rest.split_once('[') {
        said.push_str(before);
        let read = marked
            .split_once(']')
            .and_then(|(word, after)| Some((word, annotation(word, after)?)));
        rest = match read {
            Some((word, (entity, value, after))) => {
                said.push_str(word);
                entities.insert(slot_name(&entity, "entity"), Some(scalar(&value)));
                after
            }
            None => {
                said.push('[');
                marked
            }
        };
    }
    said.push_str(rest);
    (said, entities)
}

/// The entity and its value by the annotation of `word` at the start of `after`, and the text after the annotation.
fn annotation<'t>(word: &str, after: &'t str) -> Option<(String, String, &'t str)> {
    let round = after.strip_prefix('(').and_then(|it| it.split_once(')'));
    if let Some((entity, after)) = round {
        return Some((entity.to_owned(), word.to_owned(), after));
    }
    let (marks, after) = after.strip_prefix('{')?.split_once('}')?;
    let marks: serde_json::Value = serde_json::from_str(&format!("{{{marks}}}")).ok()?;
    let text = |key: &str| marks.get(key).and_then(serde_json::Value::as_str);
    let value = text("value").unwrap_or(word);
    Some((text("entity")?.to_owned(), value.to_owned(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<(String, Option<String>)>) {
        let (said, entities) = read_utterance(text);
        (said, entities.into_iter().collect())
    }

    #[test]
    fn entities_are_extracted_from_an_utterance() {
        let (said, entities) =
            read("from [Rome](city) to [NYC]{\"entity\": \"goal\", \"value\": \"new york\"} [now");
        assert_eq!(said, "from Rome to NYC [now");
        let expected = [("city", "Rome"), ("goal", "new york")];
        let expected = expected.map(|(name, value)| (name.to_owned(), Some(value.to_owned())));
        assert_eq!(entities, expected);
    }

    #[test]
    fn last_value_of_an_entity_counts() {
        let (said, entities) = read("[two](size) or [red]{\"entity\": \"size\"}");
        assert_eq!(said, "two or red");
        assert_eq!(entities, [("size".to_owned(), Some("red".to_owned()))]);
    }
}
