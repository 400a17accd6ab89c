//! One thing that is expected of all that was said in a turn.

use super::reply_expectation::ReplyExpectation;
use super::turn_replies::TurnReplies;
use crate::scenario::matcher::{Matcher, list_of};

/// One thing that is expected of all that was said in a turn.
#[derive(Clone, Debug)]
pub(super) enum ReplyRule {
    /// It is like this: the list of messages, or all of it as one text.
    Like(Matcher),
    /// None of these is in it.
    NotContains(Vec<Matcher>),
    /// None of these patterns is found in it.
    NotMatches(Vec<Matcher>),
    /// It has no more sentences.
    Sentences(usize),
    /// It has no more characters.
    Characters(usize),
    /// It is not all this.
    Not(Box<ReplyExpectation>),
}

impl ReplyRule {
    /// Whether it is so.
    pub(super) fn holds(&self, said: &TurnReplies) -> bool {
        match self {
            Self::Like(matcher) => is_like(matcher, said),
            Self::NotContains(_) | Self::NotMatches(_) => self.offender(said).is_none(),
            Self::Sentences(most) => said.sentences() <= *most,
            Self::Characters(most) => said.characters() <= *most,
            Self::Not(inner) => !inner.holds(said),
        }
    }

    /// The part that must not be there and is.
    fn offender(&self, said: &TurnReplies) -> Option<&Matcher> {
        match self {
            Self::NotContains(items) => items.iter().find(|item| {
                let contains = Matcher::Contains(vec![(*item).clone()]);
                is_like(&contains, said)
            }),
            Self::NotMatches(items) => items.iter().find(|item| item.matches(&said.whole)),
            _ => None,
        }
    }

    /// What there is, in words that say why that is not what is expected.
    pub(super) fn actual(&self, said: &TurnReplies) -> String {
        let counted =
            |count: usize, what: &str| format!("{}: {}", counted(count, what), said.messages);
        match self {
            Self::Sentences(_) => counted(said.sentences(), "sentence"),
            Self::Characters(_) => counted(said.characters(), "character"),
            _ => said.messages.to_string(),
        }
    }

    /// What says more of it.
    pub(super) fn nearest(&self, said: &TurnReplies) -> Option<String> {
        self.offender(said).map(|item| format!("it has {item}"))
    }
}

/// Whether the messages, or all of them as one text, are what is expected.
fn is_like(matcher: &Matcher, said: &TurnReplies) -> bool {
    matcher.matches(&said.messages) || matcher.matches(&said.whole)
}

/// A number of something, in words.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// As people read it in a failure.
impl std::fmt::Display for ReplyRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Like(matcher) => matcher.fmt(f),
            Self::NotContains(items) => write!(f, "none of [{}] in it", list_of(items)),
            Self::NotMatches(items) => write!(f, "not {}", list_of(items)),
            Self::Sentences(most) => write!(f, "at most {}", counted(*most, "sentence")),
            Self::Characters(most) => write!(f, "at most {}", counted(*most, "character")),
            Self::Not(inner) => write!(f, "not {inner}"),
        }
    }
}
