//! Names in a mock that the machine must define.

use fsmsim_syntax::diagnostic::{SourceMap, Span};
use fsmsim_syntax::document::Node;

/// A name in a mock rule that the machine must define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockName {
    pub kind: MockNameKind,
    pub name: Box<str>,
    /// The location: file, line and column.
    pub place: String,
}

/// The kind of a name in a mock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MockNameKind {
    Intent,
    State,
    /// A data key.
    Slot,
}

/// The names in a rule: its states, intents, data keys and targets.
pub(super) fn names_of(rule: &Node, sources: &SourceMap) -> Vec<MockName> {
    let mut names = Vec::new();
    let mut note = |kind, name: &str, span: Span| {
        let place = sources.place(span);
        let place = format!("{}:{}:{}", place.path, place.line, place.column);
        names.push(MockName {
            kind,
            name: name.into(),
            place,
        });
    };
    let of = |key: &str| rule.get("answer").and_then(|answer| answer.get(key));
    let places = [
        (MockNameKind::State, rule.get("state")),
        (MockNameKind::Intent, of("intent")),
        (MockNameKind::Intent, of("also")),
        (MockNameKind::State, of("target")),
        (MockNameKind::State, of("next_state")),
    ];
    for (kind, node) in places
        .into_iter()
        .filter_map(|(kind, node)| Some((kind, node?)))
    {
        node.items().iter().for_each(|item| {
            item.text()
                .into_iter()
                .for_each(|name| note(kind, name, item.span));
        });
    }
    let data = ["data", "output"]
        .into_iter()
        .filter_map(of)
        .flat_map(Node::entries);
    for (key, _) in data {
        note(MockNameKind::Slot, &key.text, key.span);
    }
    names
}
