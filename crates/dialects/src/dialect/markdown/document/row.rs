//! What a document says of one move, wherever it says so.

use super::names::{Named, StateName};
use fsmsim_syntax::diagnostic::Span;

/// What a document says of one move: a row of a table, a line, an arrow of a diagram.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// What is left.
    pub(super) from: Named,
    /// What is gone to.
    pub(super) to: Named,
    /// When, in words.
    pub(super) condition: String,
    /// What takes it when it is said, word for word.
    pub(super) events: Vec<Box<str>>,
    /// Where the target stands.
    pub(super) span: Span,
    /// All of it.
    pub(super) whole: Span,
}

impl Row {
    /// The states that it leaves and leads to, as names are compared.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let names = self.from.names().iter().chain(self.to.names());
        names.map(StateName::folded)
    }
}

/// What may be said to take a move, by the words of its condition: all of it, what stands in backticks, and what is
/// divided by slashes, commas and "or". `event` is the part without what must hold besides.
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
