//! Patterns: named parts of phrases. `{NAME}` in a phrase or another pattern refers to a pattern
//! (docs/src/explanation/contracts.md).

use regex::Regex;

use crate::limits::MAX_FILLED_TEXT;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Map, Node, PatternBudget, text_of};

/// The patterns of a contract.
#[derive(Debug, Default)]
pub(super) struct Patterns<'n> {
    /// The names and texts of the patterns, with references expanded.
    known: Vec<(&'n str, String)>,
    /// The budget for the regular expressions of the contract.
    budget: PatternBudget,
}

impl<'n> Patterns<'n> {
    /// Reads patterns. A pattern can refer only to earlier ones, so references cannot be circular.
    pub(super) fn read(map: &'n Map, found: &mut Diagnostics) -> Self {
        let mut patterns = Self::default();
        for (key, node) in &map.entries {
            if key.text.is_empty()
                || !key.text.chars().all(is_word)
                || key.text.starts_with(|first| !is_first(first))
            {
                Diagnostic::error(
                    Code::InvalidIntent,
                    format!("invalid pattern name `{}`", key.text),
                )
                .at(key.span, "invalid name")
                .help("use letters, digits and `_`; do not start with a digit")
                .add_to(found);
            }
            // An invalid pattern is still declared, to avoid further findings.
            let text = patterns.phrase(node, "a pattern", found);
            let text = text.map(|(text, _)| text).unwrap_or_default();
            patterns.known.push((&key.text, text));
        }
        patterns
    }

    /// Expands and compiles a phrase. Returns `None`, with findings, if it is invalid.
    pub(super) fn phrase(
        &mut self,
        node: &Node,
        what: &str,
        found: &mut Diagnostics,
    ) -> Option<(String, Regex)> {
        let text = self.expand(text_of(node, what, found)?, node, found)?;
        let expression = self.budget.compile(&text, false).or_else(|error| {
            Diagnostic::error(Code::InvalidIntent, "invalid pattern")
                .at(node.span, error)
                .help("write a valid regular expression")
                .fail()
        });
        Some((text, found.take(expression)?))
    }

    /// Expands the patterns in a phrase. Returns `None`, with findings, if a pattern is unknown.
    fn expand(&self, phrase: &str, node: &Node, found: &mut Diagnostics) -> Option<String> {
        let mut text = String::with_capacity(phrase.len());
        let mut rest = phrase;
        while let Some(at) = rest.find(['\\', '{']) {
            let (before, after) = rest.split_at(at);
            text.push_str(before);
            rest = match name(after) {
                Some(name) => {
                    text.push_str("(?:");
                    text.push_str(self.pattern(name, node, found)?);
                    text.push(')');
                    after.get(name.len() + 2..).unwrap_or_default()
                }
                None => {
                    let (literal, after) = after.split_at(literal(after));
                    text.push_str(literal);
                    after
                }
            };
            if text.len() > MAX_FILLED_TEXT {
                return Diagnostic::error(
                    Code::InvalidIntent,
                    format!("phrase is too large: limit {MAX_FILLED_TEXT} bytes"),
                )
                .at(node.span, "with expanded patterns")
                .help("use fewer nested patterns")
                .refuse(found);
            }
        }
        text.push_str(rest);
        Some(text)
    }

    fn pattern(&self, name: &str, node: &Node, found: &mut Diagnostics) -> Option<&str> {
        self.known
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, text)| &**text)
            .or_else(|| {
                Diagnostic::undefined(Code::InvalidIntent, "pattern", name, node.span)
                    .near(
                        name,
                        self.known.iter().map(|(known, _)| *known),
                        "declare it earlier under `patterns`",
                    )
                    .refuse(found)
            })
    }
}

/// The name in braces at the start of a text. A number in braces is a repetition, not a name.
fn name(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    (name.starts_with(is_first) && name.chars().all(is_word)).then_some(name)
}

/// The length of the part at the start that is copied unchanged: a brace, or an escape with its braces (`\p{L}`).
fn literal(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    let Some((at, escaped)) = characters.next().filter(|_| text.starts_with('\\')) else {
        return text.chars().next().map_or(0, char::len_utf8);
    };
    let end = at + escaped.len_utf8();
    let after = text.get(end..).unwrap_or_default();
    let braced = "pPxuU".contains(escaped) && after.starts_with('{');
    end + after
        .find('}')
        .filter(|_| braced)
        .map_or(0, |close| close + 1)
}

fn is_first(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}
