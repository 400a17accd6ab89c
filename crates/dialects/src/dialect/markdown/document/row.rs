//! A transition in any notation.

use super::names::{Named, StateName};
use fsmsim_syntax::diagnostic::Span;

/// A transition in a document: a row of a table, a line, or an arrow of a diagram.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub from: Named,
    pub to: Named,
    /// The text of the condition.
    pub condition: String,
    /// Utterances that trigger the transition if they match literally.
    pub events: Vec<Box<str>>,
    /// The position of the target.
    pub span: Span,
    /// The position of the entire transition.
    pub whole: Span,
}

impl Row {
    /// The normalized names of the source and target states.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.from
            .names()
            .iter()
            .chain(self.to.names())
            .map(StateName::folded)
    }
}

/// The utterances that trigger a transition, derived from its condition: the complete text, the texts in backticks, and
/// the parts between slashes, commas and "or". `event` is the condition without the guard.
pub(super) fn events<'t>(
    condition: &'t str,
    event: &'t str,
    codes: impl Iterator<Item = &'t str>,
) -> Vec<Box<str>> {
    let mut events: Vec<Box<str>> = Vec::new();
    let mut add = |text: &str| {
        let text = text
            .trim()
            .trim_matches(['«', '»', '"', '“', '”', '`'])
            .trim();
        if text.chars().any(char::is_alphanumeric) && !events.iter().any(|known| **known == *text) {
            events.push(text.into());
        }
    };
    add(event);
    add(condition);
    codes.for_each(&mut add);
    for piece in event
        .split([',', '/', ';', '|'])
        .flat_map(|piece| piece.split(" или "))
    {
        piece.split(" or ").for_each(&mut add);
    }
    events
}
