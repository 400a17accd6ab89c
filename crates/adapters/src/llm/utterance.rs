//! What was said in a dialogue, and by whom.

/// A line of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// Who says it.
    pub by: Speaker,
    /// What is said.
    pub text: Box<str>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
}

/// The lines before the last one, where that is what is asked about.
pub(super) fn before<'h>(history: &'h [Utterance], utterance: &str) -> &'h [Utterance] {
    match history.split_last() {
        Some((last, earlier)) if last.by == Speaker::User && *last.text == *utterance => earlier,
        _ => history,
    }
}

/// Lines of the dialogue before the utterance that are told.
pub const LINES: usize = 6;

/// The last lines of a dialogue that are told.
pub(super) fn last_lines(history: &[Utterance]) -> &[Utterance] {
    history
        .get(history.len().saturating_sub(LINES)..)
        .unwrap_or_default()
}
