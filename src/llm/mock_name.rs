//! The names of a machine that a mock uses.

use crate::diagnostic::{SourceMap, Span};
use crate::document::Node;

/// A name of a machine that a rule of a mock uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockName {
    /// What it is the name of.
    pub kind: MockNameKind,
    /// The name.
    pub name: Box<str>,
    /// Where it stands.
    pub span: Span,
    /// The same for people: file, line and column.
    pub place: String,
}

/// What a mock names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MockNameKind {
    /// An intent.
    Intent,
    /// A state.
    State,
    /// A piece of data.
    Slot,
}

impl MockName {
    /// The same with its place.
    pub(super) fn at(self, sources: &SourceMap) -> Self {
        let place = sources.place(self.span);
        Self { place: format!("{}:{}:{}", place.path, place.line, place.column), ..self }
    }
}

/// The names of a rule: where it applies, what was meant, what was told, and where it leads.
pub(super) fn names_of(rule: &Node) -> Vec<MockName> {
    let mut names = Vec::new();
    let mut note = |kind, node: Option<&Node>| {
        for node in node.map(Node::items).unwrap_or_default() {
            let name = |name: &str| MockName { kind, name: name.into(), span: node.span, place: String::new() };
            names.extend(node.text().map(name));
        }
    };
    let answer = rule.get("answer");
    let of = |key: &str| answer.and_then(|answer| answer.get(key));
    note(MockNameKind::State, rule.get("state"));
    note(MockNameKind::Intent, of("intent"));
    note(MockNameKind::Intent, of("also"));
    note(MockNameKind::State, of("target"));
    note(MockNameKind::State, of("next_state"));
    for (key, _) in of("data").and_then(Node::map).into_iter().flat_map(|map| &map.entries) {
        let (name, span) = (key.text.clone(), key.span);
        names.push(MockName { kind: MockNameKind::Slot, name, span, place: String::new() });
    }
    names
}
