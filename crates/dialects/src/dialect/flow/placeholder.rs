//! Placeholders `{{name}}` and their values (docs/src/explanation/flows.md).

use std::borrow::Cow;

use crate::dialect::NameTable;
use crate::limits::MAX_FILLED_TEXT;
use fsmsim_syntax::document::{Atom, Node};

/// The placeholder values for a state, in the order in which placeholders are filled.
#[derive(Clone, Debug, Default)]
pub(super) struct Parameters<'a> {
    pub values: NameTable<'a, &'a Node>,
}

/// The result of filling a text.
#[derive(Debug)]
pub(super) enum Filled<'a, 't> {
    /// The text with filled placeholders.
    Text(Cow<'t, str>),
    /// The value of a placeholder that is the entire text. It can have any type.
    Value(&'a Node),
    /// The text exceeds the limit.
    TooLarge,
}

impl<'a> Parameters<'a> {
    /// Fills a text. Each placeholder is filled once, in order. A placeholder inside a value is filled only if it comes
    /// later in this order.
    pub(super) fn fill<'t>(&self, text: &'t str) -> Filled<'a, 't> {
        let mut text = Cow::Borrowed(text);
        if !text.contains('{') {
            return Filled::Text(text);
        }
        for (name, value) in &self.values {
            let Some(is_entire_text) = occurrence(&text, name) else {
                continue;
            };
            if is_entire_text {
                return Filled::Value(value);
            }
            text = Cow::Owned(text.replace(&format!("{{{{{name}}}}}"), &shown(value)));
            if text.len() > MAX_FILLED_TEXT {
                return Filled::TooLarge;
            }
        }
        Filled::Text(text)
    }
}

/// Whether the entire text is `{{name}}`. Returns `None` if the text does not contain this placeholder.
fn occurrence(text: &str, name: &str) -> Option<bool> {
    let mut rest = text;
    let mut offset = 0;
    while let Some(at) = rest.find("{{") {
        let after = rest.get(at + 2..)?;
        if after
            .strip_prefix(name)
            .is_some_and(|tail| tail.starts_with("}}"))
        {
            return Some(offset + at == 0 && text.len() == name.len() + 4);
        }
        offset += at + 2;
        rest = after;
    }
    None
}

/// The form of a value inside a longer text.
fn shown(value: &Node) -> Cow<'_, str> {
    match value.atom() {
        Some(Atom::Null) => Cow::Borrowed("None"),
        Some(_) => Cow::Borrowed(value.text().unwrap_or_default()),
        None => Cow::Owned(fsmsim_core::machine::Value::from(value).to_string()),
    }
}

/// The names of the remaining placeholders: word characters between double braces.
pub(super) fn unfilled(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("{{").filter_map(|(at, _)| {
        let rest = text.get(at + 2..)?;
        let name = rest.get(..rest.find("}}")?)?;
        let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        word.then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
    use fsmsim_syntax::document::parse_yaml;

    fn filled(parameters: &str, text: &'static str) -> String {
        let mut map = SourceMap::default();
        let file = map.add("p", parameters);
        let node = parse_yaml(file, parameters, 0, &mut Diagnostics::default()).unwrap();
        let mut values = Parameters::default();
        for (key, value) in &node.map().unwrap().entries {
            values.values.insert(&key.text, value);
        }
        match values.fill(text) {
            Filled::Text(text) => format!("text {text}"),
            Filled::Value(node) => format!("value {}", fsmsim_core::machine::Value::from(node)),
            Filled::TooLarge => "too large".to_owned(),
        }
    }

    #[test]
    fn a_single_placeholder_results_in_its_value() {
        assert_eq!(filled("{n: 5}", "{{n}}"), "value 5");
        assert_eq!(filled("{n: [a, b]}", "{{n}}"), "value [\"a\", \"b\"]");
        assert_eq!(filled("{n: 5}", "to {{n}} and {{n}}"), "text to 5 and 5");
    }

    #[test]
    fn values_are_filled_in_only_if_their_names_come_later() {
        assert_eq!(filled("{a: '{{b}}!', b: x}", "-{{a}}"), "text -x!");
        assert_eq!(filled("{b: x, a: '{{b}}!'}", "-{{a}}"), "text -{{b}}!");
    }

    #[test]
    fn names_match_completely_and_contain_no_spaces() {
        assert_eq!(filled("{a: x, ab: y}", "{{ab}} {{ a }}"), "text y {{ a }}");
        assert_eq!(
            unfilled("{{ a }} {{b}} {{c-d}} {{").collect::<Vec<_>>(),
            ["b"]
        );
    }

    #[test]
    fn the_length_of_a_filled_text_is_limited() {
        let parameters = format!(
            "{{a: '{}', b: '{}', c: '{}'}}",
            "{{b}}".repeat(50),
            "{{c}}".repeat(50),
            "x".repeat(100)
        );
        assert_eq!(filled(&parameters, "{{a}} "), "too large");
    }
}
