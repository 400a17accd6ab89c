//! Rubrics: requirements for replies that a judge checks.

use crate::limits::MAX_VOTES;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Node, text_of};
use fsmsim_syntax::shapes;

/// A requirement for the replies, and the number of votes that decide on it.
#[derive(Clone, Debug)]
pub(crate) struct Rubric {
    /// The text of the requirement.
    pub text: Box<str>,
    /// The number of votes. It is odd so that there is always a majority.
    pub votes: u32,
    /// How many votes must be in favor of the replies.
    pub at_least: u32,
    pub span: Span,
}

impl Rubric {
    /// Reads a rubric: a string, or `{rubric: TEXT, votes: 3, at_least: 2}`.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let (text, votes, at_least) = if node.map().is_some() {
            let mut fields = Fields::of(node, &shapes::RUBRIC_VOTES, found)?;
            let read = (
                fields.required_text("rubric"),
                fields.count("votes"),
                fields.count("at_least"),
            );
            fields.finish();
            read
        } else {
            (text_of(node, "judge", found), None, None)
        };
        let text = text?;
        let mut wrong = |title: String, help: &str| {
            Diagnostic::error(Code::BadExpectation, title)
                .at(node.span, "rubric")
                .help(help)
                .refuse(found)
        };
        if text.trim().is_empty() {
            return wrong(
                "the `judge` rubric is empty".to_owned(),
                "describe the requirement for the reply",
            );
        }
        let votes = votes.unwrap_or(1);
        if votes.is_multiple_of(2) || votes > MAX_VOTES {
            let title =
                format!("expected an odd number from 1 to {MAX_VOTES} for `votes`, found {votes}");
            return wrong(
                title,
                "use an odd number, so that the votes have a majority",
            );
        }
        let at_least = at_least.unwrap_or(votes / 2 + 1);
        if at_least == 0 || at_least > votes {
            let title =
                format!("expected a number from 1 to {votes} for `at_least`, found {at_least}");
            return wrong(
                title,
                "write how many votes must be in favor, or omit `at_least` to require a majority",
            );
        }
        Some(Self {
            text: text.into(),
            votes,
            at_least,
            span: node.span,
        })
    }
}
