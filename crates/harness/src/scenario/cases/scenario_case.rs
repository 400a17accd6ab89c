//! A single case of a scenario.

use xxhash_rust::xxh3::xxh3_64;

use super::parameter_values::ParameterValues;
use crate::limits::MAX_SHOWN_VALUE;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Atom, Content, Node, Scalar};
use fsmsim_syntax::terminal::{Joined, beginning};

#[derive(Clone, Debug)]
pub struct ScenarioCase {
    /// The name: `k=v,…`. Cases with different values have different names.
    pub name: String,
    pub span: Span,
    pub values: ParameterValues,
}

impl ScenarioCase {
    pub(super) fn new(values: ParameterValues, span: Span) -> Self {
        let name = values
            .pairs()
            .map(|(name, value)| format!("{name}={}", shown(value)))
            .joined(",");
        Self { name, span, values }
    }
}

/// A value in the name of a case: as written or, if it is long, shortened with a checksum.
fn shown(value: &Node) -> String {
    let text = written(value);
    if text.chars().count() <= MAX_SHOWN_VALUE {
        return text;
    }
    let begin = beginning(&text, MAX_SHOWN_VALUE - 9);
    format!("{begin}…{:08x}", xxh3_64(text.as_bytes()) >> 32)
}

/// A value on a single line. Different values result in different texts.
fn written(value: &Node) -> String {
    let join = |items: Vec<String>| items.join(", ");
    match &value.content {
        Content::Scalar(_) if value.is_null() => "null".to_owned(),
        // The text is the same with and without quotation marks.
        Content::Scalar(scalar) if is_plain(&scalar.text) && (scalar.plain || is_text(scalar)) => {
            scalar.text.to_string()
        }
        Content::Scalar(scalar) => serde_json::to_string(&scalar.text).unwrap_or_default(),
        Content::List(items) => format!("[{}]", join(items.iter().map(written).collect())),
        Content::Map(map) => {
            let entries = map.entries.iter();
            format!(
                "{{{}}}",
                join(
                    entries
                        .map(|(key, value)| format!("{}: {}", key.text, written(value)))
                        .collect()
                )
            )
        }
    }
}

/// Whether a scalar would still be text without its quotation marks.
fn is_text(scalar: &Scalar) -> bool {
    matches!(
        Scalar {
            text: scalar.text.clone(),
            plain: true
        }
        .atom(),
        Atom::Text(_)
    )
}

/// Whether a text needs no quotation marks in a case name.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !",=[]{}\"'`$\\:#".contains(c);
    !text.is_empty() && text.trim() == text && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
    use fsmsim_syntax::document::parse_yaml;

    fn name(text: &str) -> String {
        let file = SourceMap::default().add("t", text);
        let node = parse_yaml(file, text, 0, &mut Diagnostics::default()).unwrap();
        ScenarioCase::new(ParameterValues::from_map(node.map().unwrap()), node.span).name
    }

    #[test]
    fn case_name_shows_the_values_as_written() {
        assert_eq!(name("{intent: agreement, n: 5}"), "intent=agreement,n=5");
        assert_eq!(name("{say: Сколько стоит?}"), "say=Сколько стоит?");
        assert_eq!(name("{say: 'a, b'}"), "say=\"a, b\"");
        assert_eq!(name("{x: [a, {b: 1}]}"), "x=[a, {b: 1}]");
    }

    #[test]
    fn different_values_have_different_names() {
        let texts = [
            "5", "'5'", "05", "null", "'null'", "''", "[5]", "[5, 5]", "'[5]'", "true", "'true'",
            "-5", "5.0", "'a '", "a",
        ];
        let names: std::collections::BTreeSet<String> = texts
            .iter()
            .map(|text| name(&format!("{{x: {text}}}")))
            .collect();
        assert_eq!(names.len(), texts.len(), "{names:?}");
        assert_ne!(
            name(&format!("{{x: {}a}}", "x".repeat(99))),
            name(&format!("{{x: {}b}}", "x".repeat(99)))
        );
        assert!(name(&format!("{{x: {}a}}", "x".repeat(99))).chars().count() <= 44);
        assert_eq!(name("{x: 'a'}"), name("{x: a}"));
    }
}
