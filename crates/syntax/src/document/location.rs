//! Locations in JSON: a subset of `JSONPath` (RFC 9535), compiled to steps.

use std::borrow::Cow;

use super::fields::wrong_type;
use super::located_json::LocatedJson;
use super::location_step::LocationStep;
use super::location_text::{pointer_spelling, read_steps};
use super::node::Node;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::limits::LEVELS;

/// The help for an empty location or key.
const WRITE_KEYS: &str = "write keys separated by dots: `out.state`";

/// A location in JSON, such as `$.out.list[-1]['a.b']`. The leading `$.` is optional. With a final `?`, the value may be
/// missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// The location as written, without `$.` and the final `?`.
    pub text: Box<str>,
    pub steps: Box<[LocationStep]>,
    pub is_optional: bool,
    /// Whether the result is the list of all values, not the first one.
    is_list: bool,
}

/// The step at which a value was not found, and the value in which it was searched.
#[derive(Clone, Debug)]
pub struct LocationMiss<'s, 'j, T: Clone> {
    pub step: &'s LocationStep,
    pub at: Cow<'j, T>,
}

impl Location {
    /// Reads a location from a document. `code` is the code of its findings.
    pub fn read(node: &Node, code: Code, found: &mut Diagnostics) -> Option<Self> {
        let Some(text) = node.text() else {
            wrong_type(node, "a location is a string", found);
            return None;
        };
        Self::parse(text, node.span, code, found)
    }

    /// Parses a location from a string.
    pub fn parse(text: &str, span: Span, code: Code, found: &mut Diagnostics) -> Option<Self> {
        let is_optional = text.ends_with('?');
        let written = text.strip_suffix('?').unwrap_or(text);
        let error = |title: String, help: String| Diagnostic::error(code, title).help(help);
        let finding = if written.starts_with('/') || written.is_empty() {
            let spelling = pointer_spelling(written);
            let title = format!("expected a location such as `out.state`, found `{text}`");
            let mark = if is_optional { "?" } else { "" };
            error(title, format!("write `{spelling}{mark}`"))
        } else {
            let steps = written.strip_prefix('$').unwrap_or(written);
            let is_rooted =
                steps.len() < written.len() && !steps.starts_with(|c: char| c.is_alphanumeric());
            let steps = if is_rooted { steps } else { written };
            match read_steps(steps, is_rooted) {
                // The readers of JSON accept no deeper values. Long locations could overflow the stack.
                Ok(steps) if steps.len() > LEVELS => error(
                    format!("location has too many keys: limit {LEVELS}"),
                    "remove keys: a line has fewer levels".to_owned(),
                ),
                Ok(read) => {
                    let steps = steps.trim_start_matches('.');
                    return Some(Self {
                        text: if steps.is_empty() { "$" } else { steps }.into(),
                        is_list: read.contains(&LocationStep::Each),
                        steps: read.into(),
                        is_optional,
                    });
                }
                Err(reason) => error(
                    format!("invalid location `{text}`: {reason}"),
                    if reason == "empty key" {
                        WRITE_KEYS.to_owned()
                    } else {
                        "write `a.b`, `a[0]`, `a['b.c']`, `a[*]` or `a[?@.key == 'value']`"
                            .to_owned()
                    },
                ),
            }
        };
        finding.at(span, "location").refuse(found)
    }

    /// The location of a single key, which can contain any character.
    pub fn of_key(key: &str) -> Self {
        let name = key.strip_suffix('?').unwrap_or(key);
        Self {
            text: name.into(),
            steps: [LocationStep::Key(name.into())].into(),
            is_optional: name.len() < key.len(),
            is_list: false,
        }
    }

    /// The same location, whose result is the list of all matches of filters.
    pub fn as_list(mut self) -> Self {
        self.is_list |= !self.is_plain();
        self
    }

    /// Whether the location has only keys and indices.
    pub fn is_plain(&self) -> bool {
        self.plain_steps().count() == self.steps.len()
    }

    /// The keys before the first filter or wildcard.
    pub fn plain_steps(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map_while(|step| match step {
            LocationStep::Key(key) => Some(&**key),
            _ => None,
        })
    }

    /// The location in which this step replaces the first wildcard or filter, or follows the location of a list.
    pub fn with_item(&self, item: &str) -> String {
        let at = self.text.find("[*]").or_else(|| self.text.find("[?"));
        let (list, rest) = self.text.split_at(at.unwrap_or(self.text.len()));
        let rest = rest.find(']').and_then(|end| rest.get(end + 1..));
        format!("{list}[{item}]{}", rest.unwrap_or_default())
    }

    /// The value at the location. A string that contains JSON is read as JSON if the location continues in it.
    ///
    /// # Errors
    /// Returns the step without a value.
    pub fn find<'s, 'j, T: LocatedJson>(
        &'s self,
        from: &'j T,
    ) -> Result<Cow<'j, T>, LocationMiss<'s, 'j, T>> {
        let mut at = from;
        for (number, step) in self.steps.iter().enumerate() {
            let LocationStep::Key(key) = step else {
                return self.matches(at, number);
            };
            match part(at, key) {
                Some(next) => at = next,
                None if at.as_string().is_some() => return self.matches(at, number),
                None => {
                    return Err(LocationMiss {
                        step,
                        at: Cow::Borrowed(at),
                    });
                }
            }
        }
        Ok(Cow::Borrowed(at))
    }

    /// The value at the rest of the location.
    fn matches<'s, 'j, T: LocatedJson>(
        &'s self,
        at: &'j T,
        number: usize,
    ) -> Result<Cow<'j, T>, LocationMiss<'s, 'j, T>> {
        let steps = self.steps.get(number..).unwrap_or_default();
        let mut values = Vec::new();
        collect(at, steps, self.is_list, &mut values)?;
        let value = if self.is_list {
            Some(T::of_list(values))
        } else {
            values.pop()
        };
        // A filter without a match is a miss at the filter.
        let step = steps
            .iter()
            .find(|step| !matches!(step, LocationStep::Key(_)));
        match (value, step.or(steps.first())) {
            (Some(value), _) => Ok(Cow::Owned(value)),
            (None, Some(step)) => Err(LocationMiss {
                step,
                at: Cow::Borrowed(at),
            }),
            (None, None) => Ok(Cow::Borrowed(at)),
        }
    }
}

impl<T: LocatedJson> LocationMiss<'_, '_, T> {
    /// The keys that exist instead; of a list, the keys of its first item.
    pub fn keys(&self) -> Vec<String> {
        let first = self.at.list_items().and_then(<[T]>::first);
        first.unwrap_or(&*self.at).key_names()
    }
}

/// The value of a key, or the item at an index.
fn part<'j, T: LocatedJson>(at: &'j T, key: &str) -> Option<&'j T> {
    match at.list_items() {
        Some(items) => items.get(index_in(key, items.len())?),
        None => at.member(key),
    }
}

/// Collects the values at the steps: all, or only the first one.
fn collect<'s, 'j, T: LocatedJson>(
    from: &'j T,
    steps: &'s [LocationStep],
    is_all: bool,
    values: &mut Vec<T>,
) -> Result<(), LocationMiss<'s, 'j, T>> {
    let Some((step, rest)) = steps.split_first() else {
        values.push(from.clone());
        return Ok(());
    };
    if let Some(parsed) = from.as_string().and_then(T::parse) {
        return collect(&parsed, steps, is_all, values).map_err(|miss| LocationMiss {
            step: miss.step,
            at: Cow::Owned(miss.at.into_owned()),
        });
    }
    let miss = LocationMiss {
        step,
        at: Cow::Borrowed(from),
    };
    let items = match (step, from.list_items()) {
        (LocationStep::Key(key), _) => {
            return collect(part(from, key).ok_or(miss)?, rest, is_all, values);
        }
        (_, None) => return Err(miss),
        (_, Some(items)) => items,
    };
    let mut has_keys = items.is_empty();
    let mut inner = None;
    for item in items {
        if let LocationStep::Where(keys, value) = step {
            let found = keys.iter().try_fold(item, |at, key| part(at, key));
            has_keys |= found.is_some();
            if !found.is_some_and(|found| value.as_ref().is_none_or(|value| found.equals(value))) {
                continue;
            }
        } else {
            has_keys = true;
        }
        // Items without the value are skipped, such as buttons without text.
        inner = collect(item, rest, is_all, values).err();
        if !is_all && !values.is_empty() {
            break;
        }
    }
    match inner {
        // The part that the selected item lacks is more specific than the filter.
        Some(inner) if !is_all => Err(inner),
        _ if has_keys => Ok(()),
        _ => Err(miss),
    }
}

/// The index that a key denotes in a list of this length. A negative index counts from the end.
fn index_in(key: &str, length: usize) -> Option<usize> {
    match key.strip_prefix('-') {
        Some(from_end) => length.checked_sub(from_end.parse().ok().filter(|index| *index > 0)?),
        None => key.parse().ok().filter(|_| !key.starts_with('+')),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::diagnostic::SourceMap;

    fn location(text: &str) -> Result<Location, String> {
        let mut found = Diagnostics::default();
        let span = Span::start_of(SourceMap::default().add("t", ""));
        let location = Location::parse(text, span, Code::BadTraceMap, &mut found);
        location.ok_or_else(|| {
            let finding = &found.items()[0];
            format!(
                "{}: {}",
                finding.title,
                finding.help.clone().unwrap_or_default()
            )
        })
    }

    fn found(text: &str) -> Option<Json> {
        let from = json!({
            "out": {"state": "s", "a.b": 1, "it's": 2},
            "list": [{"k": "x", "v": 1}, {"k": "y", "v": {"w": 2}}, {"k": "x", "v": 3}],
            "text": "{\"args\": [{\"state\": \"t\"}]}",
        });
        let location = location(text).unwrap();
        location.find(&from).ok().map(Cow::into_owned)
    }

    #[test]
    fn location_finds_the_value() {
        for (text, value) in [
            ("out.state", json!("s")),
            ("$.out.state?", json!("s")),
            ("$['out'][\"state\"]", json!("s")),
            ("out['a.b']", json!(1)),
            (r"out['it\'s']", json!(2)),
            ("list[0].v", json!(1)),
            ("list.-1.v", json!(3)),
            ("list[*].v", json!([1, {"w": 2}, 3])),
            ("list.*.v.w", json!([2])),
            ("list[?@.k == 'y'].v.w", json!(2)),
            ("list[?@.v==3].k", json!("x")),
            ("list[?@.v.w].k", json!("y")),
            ("text.args[0].state", json!("t")),
            ("text.args[?@.state=='t'].state", json!("t")),
        ] {
            assert_eq!(found(text), Some(value), "{text}");
        }
        for text in [
            "out.x",
            "list[3]",
            "list[-0]",
            "list[?@.k == 'z'].v",
            "out[*]",
            "text.x",
            "out.state.x",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(
            location("$").unwrap().find(&json!(1)).unwrap().into_owned(),
            json!(1)
        );
        let all = location("list[?@.k == 'x'].v").unwrap().as_list();
        let from = json!({"list": [{"k": "x", "v": 1}, {"k": "x", "v": 3}]});
        assert_eq!(all.find(&from).unwrap().into_owned(), json!([1, 3]));
    }

    #[test]
    fn invalid_location_is_reported_with_the_new_spelling() {
        let error = |text| location(text).unwrap_err();
        for (text, spelling) in [
            ("/out/state?", "out.state?"),
            ("/*/text", "[*].text"),
            (
                "/messages/*role=assistant/text",
                "messages[?@.role == 'assistant'].text",
            ),
            ("/a~1b/-1/c.d", "['a/b'][-1]['c.d']"),
            ("", "$"),
        ] {
            let help = format!(": write `{spelling}`");
            assert!(error(text).ends_with(&help), "{}", error(text));
            assert!(location(spelling).is_ok());
        }
        for (text, reason) in [
            ("a..b", "empty key"),
            ("a[", "missing `]`"),
            ("a['b]", "missing quotation mark"),
            ("a[b]", "expected an index, a quoted key, `*` or `?`"),
            ("a[0]b", "expected `.` or `[` after `]`"),
            ("a[?k == 1]", "expected `@.key` in a filter"),
            ("a[?@.k = 1]", "missing `]`"),
            ("a[?@.k == x]", "expected a quoted string, a number"),
        ] {
            assert!(error(text).contains(reason), "{}", error(text));
        }
    }
}
