//! The speakers in a transcript, who are identified by labels at the start of lines.

use std::collections::BTreeMap;

use crate::limits::MAX_SPEAKER_LABEL;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Node, text_of};
use fsmsim_syntax::shapes;

/// The role of a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpeakerRole {
    /// The user. Each line of the user starts a turn.
    User,
    Assistant,
    /// The narrator, who describes events outside the dialogue. These lines are ignored.
    Narrator,
}

/// The built-in labels for each role, in lowercase.
const LABELS: &str = include_str!("speakers.txt");

/// The words with which a call in brackets can start, in lowercase.
pub(super) const CALL_WORDS: &str = include_str!("call_words.txt");

/// The speakers in a transcript.
#[derive(Debug)]
pub(super) struct Speakers {
    labels: BTreeMap<String, SpeakerRole>,
}

impl Default for Speakers {
    fn default() -> Self {
        let roles = [
            SpeakerRole::User,
            SpeakerRole::Assistant,
            SpeakerRole::Narrator,
        ];
        let labels = roles
            .into_iter()
            .zip(LABELS.lines())
            .flat_map(|(role, labels)| {
                labels.split(' ').map(move |label| (label.to_owned(), role))
            });
        Self {
            labels: labels.collect(),
        }
    }
}

impl Speakers {
    /// The built-in labels and those in the front matter.
    pub(super) fn read(node: Option<&Node>, found: &mut Diagnostics) -> Self {
        let mut speakers = Self::default();
        let Some(mut fields) = node.and_then(|node| Fields::of(node, &shapes::SPEAKERS, found))
        else {
            return speakers;
        };
        let named = [
            (SpeakerRole::User, fields.node("user")),
            (SpeakerRole::Assistant, fields.node("assistant")),
            (SpeakerRole::Narrator, fields.node("narrator")),
        ];
        fields.finish();
        let mut own: BTreeMap<String, SpeakerRole> = BTreeMap::new();
        for (speaker, node) in named {
            let Some(node) = node else { continue };
            for label in node.items() {
                let Some(text) = text_of(label, "a speaker label", found) else {
                    continue;
                };
                let name = normal(text);
                if name.is_empty()
                    || own
                        .insert(name, speaker)
                        .is_some_and(|other| other != speaker)
                {
                    Diagnostic::error(
                        Code::UnknownSpeaker,
                        format!("invalid speaker label `{text}`"),
                    )
                    .at(label.span, "empty or already used")
                    .help("give each speaker a unique label")
                    .add_to(found);
                }
            }
        }
        speakers.labels.extend(own);
        speakers
    }

    /// The role that this label stands for.
    pub(super) fn who(&self, label: &str) -> Option<SpeakerRole> {
        self.labels.get(&normal(label)).copied()
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.keys().map(String::as_str)
    }
}

/// A label in the form for comparison: lowercase, without brackets, emphasis and colon.
fn normal(label: &str) -> String {
    label
        .trim_matches(|c: char| c.is_whitespace() || "[]*_:".contains(c))
        .to_lowercase()
}

/// The label of a line: `Symbol:`, `**Symbol:**`, `**Symbol**:` or `[Symbol]`.
#[derive(Debug)]
pub(super) struct SpeakerLabel<'t> {
    /// The name as written.
    pub name: &'t str,
    /// The index at which the text after the label starts.
    pub said: usize,
    /// Whether it is certainly a label, even if the speaker is unknown.
    pub certain: bool,
}

impl<'t> SpeakerLabel<'t> {
    /// The label of a line, if the line starts with one.
    pub(super) fn of(line: &'t str) -> Option<Self> {
        let inner = line.trim_start_matches(['*', '_']);
        let mark = line.get(..line.len() - inner.len())?;
        let (name, rest, certain) = match inner.strip_prefix('[') {
            Some(inner) => {
                let (name, rest) = inner.split_once(']')?;
                let rest = rest.strip_prefix(':').unwrap_or(rest);
                let rest = rest.strip_prefix(mark)?;
                let rest = rest.strip_prefix(':').unwrap_or(rest);
                let proper = is_word(name) || name.starts_with(char::is_uppercase);
                (
                    name,
                    rest,
                    proper && (rest.is_empty() || rest.starts_with(char::is_whitespace)),
                )
            }
            None if mark.is_empty() => {
                let (name, rest) = inner.split_once(':')?;
                if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
                    return None;
                }
                (name, rest, is_word(name))
            }
            None => {
                let (name, rest) = inner.split_once(':')?;
                match name.strip_suffix(mark) {
                    Some(name) => (name, rest, true),
                    None => (name, rest.trim_start().strip_prefix(mark)?, true),
                }
            }
        };
        // A link in square brackets is not a label.
        let is_link = inner.starts_with('[') && rest.starts_with(['(', '[']);
        let fits = !is_link && !name.trim().is_empty() && name.chars().count() <= MAX_SPEAKER_LABEL;
        let said = line.len() - rest.trim_start().len();
        fits.then_some(Self {
            name,
            said,
            certain: certain && name.starts_with(char::is_alphabetic),
        })
    }
}

fn is_word(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_in_all_formats() {
        let said = |line: &'static str| {
            SpeakerLabel::of(line).map(|label| (label.name, &line[label.said..]))
        };
        for line in [
            "User: hi",
            "**User:** hi",
            "**User**: hi",
            "[User] hi",
            "[User]: hi",
            "**[User]** hi",
            "*User:* hi",
        ] {
            assert_eq!(said(line), Some(("User", "hi")), "{line}");
        }
        assert_eq!(said("User:"), Some(("User", "")));
        for line in [
            "hi",
            "https://a.b",
            "12:30",
            "**Stage: one**",
            "[page](a.md)",
            "[a][b]",
            ": x",
            "[] x",
            "**",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }

    #[test]
    fn unknown_label_must_look_like_a_name() {
        let certain = |line| SpeakerLabel::of(line).is_some_and(|label| label.certain);
        assert!(
            ["Word: x", "**Two words:** x", "[GUEST 1] x"]
                .into_iter()
                .all(certain)
        );
        assert!(
            ![
                "To go on from here: x",
                "[laughs at it] x",
                "1: x",
                "[x](y)"
            ]
            .into_iter()
            .any(certain)
        );
    }
}
