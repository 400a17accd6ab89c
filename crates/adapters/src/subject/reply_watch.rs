//! Recognizes a mapping of replies that includes messages of earlier turns or of the user.

use super::answer_field::ReplyScope;
use super::answer_map::AnswerMap;
use crate::limits::MAX_FORGOTTEN_REPLIES;
use fsmsim_core::machine::{List, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Compares the mapped replies of each turn with those of the turn before, and with the message of the user. A system
/// can repeat itself or the user in some turns, so only evidence that no turn contradicts counts.
#[derive(Debug, Default)]
pub(super) struct ReplyWatch {
    /// The mapped replies of the turn before.
    before: Vec<Value>,
    /// Whether the replies of all turns begin with those of the turn before, as far as is known.
    repeats: Option<bool>,
    /// Whether the replies of all turns contain the message of the user, as far as is known.
    quotes: Option<bool>,
}

impl ReplyWatch {
    /// Adds the mapped replies of a turn. If they count since the turn began, removes the replies of the turn before.
    pub(super) fn add(&mut self, say: Option<&str>, scope: Option<ReplyScope>, replies: &mut List) {
        let now: Vec<Value> = replies.iter().cloned().collect();
        // A system that returns only its last messages omits the first ones.
        let mut starts = 0..self.before.len().min(MAX_FORGOTTEN_REPLIES);
        let old = starts
            .find_map(|start| {
                let kept = self.before.get(start..)?;
                now.starts_with(kept).then_some(kept.len())
            })
            .unwrap_or_default();
        match scope {
            Some(ReplyScope::Answer) => return,
            Some(ReplyScope::Turn) => *replies = now.iter().skip(old).cloned().collect(),
            None if self.before.is_empty() => {}
            // The same replies again prove nothing: the system might ask the same question again.
            None if old == 0 || old == self.before.len() && now.len() > old => {
                self.repeats = Some(old > 0 && self.repeats != Some(false));
            }
            None => {}
        }
        self.before = now;
        if let Some(say) = say.map(str::trim) {
            let is_said = |reply: &Value| reply.as_text().map(str::trim) == Some(say);
            let is_quoted = replies.iter().any(is_said);
            // A system that repeats the message as its only reply is an echo.
            if !is_quoted || replies.len() > 1 {
                self.quotes = Some(is_quoted && self.quotes != Some(false));
            }
        }
    }

    /// The finding about the mapping, if the turns so far prove that it is wrong.
    pub(super) fn fault(&self, map: &AnswerMap) -> Option<Diagnostic> {
        let part = map.replies()?;
        let path = part.path()?;
        let what = match (self.quotes, self.repeats) {
            (Some(true), _) => "the message of the user",
            (_, Some(true)) => "the replies of the turn before",
            _ => return None,
        };
        let title = format!("the mapped replies of each turn contain {what}");
        let finding = Diagnostic::error(Code::StaleReplies, title)
            .at(part.span, "path of the replies")
            .help(format!(
                "map the last item, `{}`; or select items by a key, `{}`, and add `since: turn`",
                path.with_item("-1"),
                path.with_item("?@.role == 'assistant'"),
            ));
        Some(finding.note("if the system repeats these messages itself, add `since: answer`"))
    }
}
