//! Common YAML mistakes inside braces. Each is reported and interpreted as intended.

use super::node::{Content, Key, Map, Node, Scalar};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

/// Whether the first key of a map is itself a map of one bare name: `{{x}}`.
pub(super) fn is_placeholder(key: &Node, map: &Map) -> bool {
    map.entries.is_empty() && bare_name(key).is_some()
}

/// The name in `{{x}}`, with a finding.
pub(super) fn placeholder(key: &Node, found: &mut Diagnostics) -> Option<Box<str>> {
    let name = bare_name(key)?;
    Diagnostic::error(
        Code::YamlSlip,
        format!("unquoted placeholder `{{{{{name}}}}}`"),
    )
    .at(key.span, "read as a map")
    .help(format!("write `\"{{{{{name}}}}}\"`"))
    .add_to(found);
    Some(name.into())
}

fn bare_name(node: &Node) -> Option<&str> {
    match node.map()?.entries.as_slice() {
        [(key, value)] if is_missing(value) => Some(key.text.trim()),
        _ => None,
    }
}

/// Adds an entry to a map in braces. A key without a value is either the rest of a text after a comma, or lacks the
/// space after its colon.
pub(super) fn push(map: &mut Map, key: Key, value: Node, found: &mut Diagnostics) {
    // Quotation marks make the span longer than the text.
    let is_plain = (key.span.end - key.span.start) as usize == key.text.len();
    if !is_plain || !is_missing(&value) {
        map.entries.push((key, value));
        return;
    }
    let without_space = key
        .text
        .split_once(':')
        .filter(|(name, rest)| !name.is_empty() && !rest.is_empty());
    if let Some((name, rest)) = without_space {
        Diagnostic::error(
            Code::YamlSlip,
            format!("missing space after the colon in `{}`", key.text),
        )
        .at(key.span, "read as one key")
        .help(format!("write `{name}: {rest}`"))
        .add_to(found);
        let content = Content::Scalar(Scalar {
            text: rest.into(),
            plain: true,
        });
        let value = Node {
            span: key.span,
            content,
        };
        map.entries.push((
            Key {
                text: name.into(),
                span: key.span,
            },
            value,
        ));
        return;
    }
    if let Some((before, node)) = map.entries.last_mut()
        && let Content::Scalar(scalar) = &mut node.content
        && scalar.plain
        && !scalar.text.is_empty()
        && (scalar.text.contains(' ') || key.text.contains(' '))
    {
        let whole = format!("{}, {}", scalar.text, key.text);
        Diagnostic::error(
            Code::YamlSlip,
            format!("value of `{}` ends at an unquoted comma", before.text),
        )
        .at(key.span, "read as a separate key")
        .help(format!("quote the text: `{}: \"{whole}\"`", before.text))
        .add_to(found);
        *scalar = Scalar {
            text: whole.into(),
            plain: false,
        };
        return;
    }
    map.entries.push((key, value));
}

/// Whether the value is missing, rather than `null`.
fn is_missing(node: &Node) -> bool {
    matches!(&node.content, Content::Scalar(Scalar { text, plain: true }) if text.is_empty() || &**text == "~")
        && node.span.start == node.span.end
}

/// The fix for a line in which the parser stops at `rest`, if it contains a known mistake.
pub(super) fn remedy(line: &str, rest: &str) -> Option<&'static str> {
    let after_colon = |at: usize| {
        line.get(at + 1..)
            .is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
    };
    if line.contains("{{") {
        return Some("quote text that contains `{{…}}`: `\"{{name}}\"`");
    }
    if rest.starts_with(": ") {
        return Some("quote text that contains a colon: `goal: \"Ask: the budget\"`");
    }
    let first = line.find(':')?;
    let quoted = line.contains(['"', '\'']);
    (!quoted && !line.contains(": ") && after_colon(first))
        .then_some("add a space after the colon: `name: value`")
}
