//! Expectations for the replies in a turn.

use super::rubric::Rubric;
use super::turn_replies::TurnReplies;
use crate::scenario::matcher::{
    Matcher, MatcherMode, Mismatch, all, list_of, read_all, read_operator,
};
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, plural};
use fsmsim_syntax::document::{Key, Node, count_of};
use fsmsim_syntax::shapes;
use fsmsim_syntax::terminal::Joined;

/// The expectations for the replies in a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplyExpectation {
    rules: Vec<(ReplyRule, Span)>,
    /// The rubrics that a judge evaluates.
    pub rubrics: Vec<Rubric>,
}

impl ReplyExpectation {
    /// Reads a matcher for the replies, or a map of rules. `judges` states whether the map may contain `judge`.
    pub(crate) fn read(node: &Node, judges: bool, found: &mut Diagnostics) -> Option<Self> {
        let mut read = Self::default();
        let Some(map) = node.map() else {
            read.rules.push((
                ReplyRule::Like(Matcher::read(node, mode(), found)?),
                node.span,
            ));
            return Some(read);
        };
        for (key, value) in &map.entries {
            read.entry(key, value, judges, found);
        }
        if map.entries.is_empty() {
            return nothing(node, "`replies` contains no expectation", found);
        }
        Some(read)
    }

    fn entry(&mut self, key: &Key, value: &Node, judges: bool, found: &mut Diagnostics) {
        let rule = match &*key.text {
            "contains" => texts(key, value, found)
                .map(Matcher::Contains)
                .map(ReplyRule::Like),
            "not_contains" => texts(key, value, found).map(ReplyRule::NotContains),
            "matches" => patterns(key, value, found)
                .map(Matcher::All)
                .map(ReplyRule::Like),
            "not_matches" => patterns(key, value, found).map(ReplyRule::NotMatches),
            "in_order" | "any" | "in" | "exactly" => {
                read_operator(&key.text, value, mode(), found).map(ReplyRule::Like)
            }
            "not" => Self::read(value, false, found).map(|inner| ReplyRule::Not(Box::new(inner))),
            "max_sentences" => most(key, value, found).map(ReplyRule::Sentences),
            "max_characters" => most(key, value, found).map(ReplyRule::Characters),
            "judge" if judges => {
                let rubrics = items(key, value, found).unwrap_or_default();
                self.rubrics
                    .extend(rubrics.iter().filter_map(|item| Rubric::read(item, found)));
                None
            }
            "judge" => Diagnostic::error(
                Code::BadExpectation,
                "cannot use `judge` under `never` or `not`",
            )
            .at(key.span, "not allowed here")
            .help("write the opposite as a rubric under `expect` or `always`")
            .refuse(found),
            _ => {
                shapes::EXPECTED_REPLIES.check_key(key, found);
                None
            }
        };
        self.rules.extend(rule.map(|rule| (rule, value.span)));
    }

    /// Whether all rules are met. Does not check rubrics.
    pub(crate) fn holds(&self, said: &TurnReplies) -> bool {
        self.rules.iter().all(|(rule, _)| rule.holds(said))
    }

    /// Returns each rule that is not met, and its location.
    pub(crate) fn check(&self, said: &TurnReplies) -> impl Iterator<Item = (Span, Mismatch)> {
        let broken = self.rules.iter().filter(|(rule, _)| !rule.holds(said));
        broken.map(|(rule, span)| {
            let mismatch = Mismatch {
                nearest: rule.offender(said).map(|item| format!("found {item}")),
                ..Mismatch::new("replies", rule.to_string(), rule.actual(said))
            };
            (*span, mismatch)
        })
    }
}

/// The items under a key, written as a list or as a single item. Reports an empty list.
fn items<'n>(key: &Key, value: &'n Node, found: &mut Diagnostics) -> Option<&'n [Node]> {
    let items = value.items();
    if items.is_empty() {
        nothing(
            value,
            &format!("`{}` contains no expectation", key.text),
            found,
        )
    } else {
        Some(items)
    }
}

/// How texts are compared with replies.
fn mode() -> MatcherMode {
    MatcherMode::of(RecordField::Replies)
}

/// The texts to find under a key, written as a list or as a single one.
fn texts(key: &Key, value: &Node, found: &mut Diagnostics) -> Option<Vec<Matcher>> {
    let items = read_all(items(key, value, found)?, mode(), found)?;
    Matcher::Contains(items.clone()).checked(value.span, found)?;
    Some(items)
}

/// The regular expressions under a key, written as a list or as a single one.
fn patterns(key: &Key, value: &Node, found: &mut Diagnostics) -> Option<Vec<Matcher>> {
    let items = items(key, value, found)?;
    all(items
        .iter()
        .map(|item| read_operator("matches", item, mode(), found)))
}

/// Reads a maximum.
fn most(key: &Key, value: &Node, found: &mut Diagnostics) -> Option<usize> {
    count_of(value, &key.text, found).and_then(|count| usize::try_from(count).ok())
}

fn nothing<T>(node: &Node, title: &str, found: &mut Diagnostics) -> Option<T> {
    Diagnostic::error(Code::BadExpectation, title)
        .at(node.span, "empty")
        .help(
            "write for example `replies: {contains: [TEXT], max_sentences: 2}`, or `replies: []` for no reply",
        )
        .refuse(found)
}

/// Formats the rules for failure messages.
impl std::fmt::Display for ReplyExpectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rules = self.rules.iter().map(|(rule, _)| rule.to_string());
        f.write_str(&rules.joined(" and "))
    }
}

/// A rule for the replies in a turn.
#[derive(Clone, Debug)]
enum ReplyRule {
    /// The list of messages, or all messages as one string, match this.
    Like(Matcher),
    /// The replies contain none of these.
    NotContains(Vec<Matcher>),
    /// The replies match none of these patterns.
    NotMatches(Vec<Matcher>),
    /// The replies have at most this number of sentences.
    Sentences(usize),
    /// The replies have at most this number of characters.
    Characters(usize),
    /// The replies do not meet the inner expectation.
    Not(Box<ReplyExpectation>),
}

impl ReplyRule {
    fn holds(&self, said: &TurnReplies) -> bool {
        match self {
            Self::Like(matcher) => is_like(matcher, said),
            Self::NotContains(_) | Self::NotMatches(_) => self.offender(said).is_none(),
            Self::Sentences(most) => said.sentences() <= *most,
            Self::Characters(most) => said.characters() <= *most,
            Self::Not(inner) => !inner.holds(said),
        }
    }

    /// The forbidden text or pattern that occurs.
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

    /// The replies or, for a maximum, their length.
    fn actual(&self, said: &TurnReplies) -> String {
        let counted =
            |count: usize, what: &str| format!("{}: {}", plural(count, what), said.messages);
        match self {
            Self::Sentences(_) => counted(said.sentences(), "sentence"),
            Self::Characters(_) => counted(said.characters(), "character"),
            _ => said.messages.to_string(),
        }
    }
}

/// Whether the list of messages, or all messages as one string, match.
fn is_like(matcher: &Matcher, said: &TurnReplies) -> bool {
    let like = |item: &Matcher| is_like(item, said);
    match matcher {
        // A list is never a string, so each string would match if the list matched the opposite.
        Matcher::Not(inner) => !like(inner),
        Matcher::All(items) => items.iter().all(like),
        Matcher::In(items) => items.iter().any(like),
        Matcher::Any(items) => {
            let mut messages = said.messages.items();
            items.iter().any(like) || messages.any(|message| matcher.matches(message))
        }
        _ => matcher.matches(&said.messages) || matcher.matches(&said.whole),
    }
}

/// Formats the rule for failure messages.
impl std::fmt::Display for ReplyRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Like(matcher) => matcher.fmt(f),
            Self::NotContains(items) => write!(f, "a reply without any of [{}]", list_of(items)),
            Self::NotMatches(items) => write!(f, "not {}", list_of(items)),
            Self::Sentences(most) => write!(f, "at most {}", plural(*most, "sentence")),
            Self::Characters(most) => write!(f, "at most {}", plural(*most, "character")),
            Self::Not(inner) => write!(f, "not {inner}"),
        }
    }
}
