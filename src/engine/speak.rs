//! Speaking: what the machine says by itself, behind the gates (docs/effects.md, "What is said").

use super::condition::TurnContext;
use super::decision::Decision;
use super::io::{Need, answer_of};
use crate::machine::{List, NeedKey, NeedKind, SlotId, Speech, Value};

/// Says what is to be said, in order. A need, where somebody must find the words.
pub(super) fn speak(turn: &TurnContext<'_>, decision: &mut Decision) -> Option<Need> {
    let draft = decision.draft.as_deref_mut().filter(|draft| !draft.speeches.is_empty())?;
    let mut index = 0;
    for pending in std::mem::take(&mut draft.speeches) {
        let facts = draft.facts(turn);
        let seen = TurnContext { facts: &facts, ..draft.seen_by(turn) };
        if !pending.when.is_none_or(|when| seen.holds(when)) {
            continue;
        }
        let words = match &*pending.speech {
            Speech::Text(text) => Some(text.clone()),
            Speech::Known { before, told, behind } => Some(seen.tell(before, told, behind)),
            Speech::Phrase { about, missing, otherwise } => {
                let Some(answer) = answer_of(turn.answers, NeedKey { kind: NeedKind::Phrase, index }) else {
                    let (state, is_optional) = (decision.to, otherwise.is_some());
                    let missing = missing.map_or_else(Box::default, |slot| texts(seen.said(slot)));
                    return Some(Need::Phrase { state, index, about: about.clone(), missing, is_optional });
                };
                index += 1;
                let found = answer.value.as_ref().and_then(words);
                found.map(Into::into).or_else(|| otherwise.clone())
            }
        };
        draft.replies.extend(words);
    }
    None
}

impl TurnContext<'_> {
    /// What is known, a line each, between what is said before and behind it.
    fn tell(&self, before: &str, told: &[(Box<str>, SlotId)], behind: &str) -> Box<str> {
        let lines = told.iter().filter_map(|(name, slot)| {
            let value = self.slots.get(*slot);
            value.filled().then(|| format!("{name}: {}", value.in_words()))
        });
        let lines: Vec<String> = std::iter::once(before.to_owned()).chain(lines).chain([behind.to_owned()]).collect();
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n").into()
    }
}

/// The texts of a list.
fn texts(value: &Value) -> Box<[Box<str>]> {
    value.list().into_iter().flat_map(List::iter).filter_map(Value::as_text).map(Into::into).collect()
}

/// The words that somebody found: the answer itself, or its `reply`.
fn words(answer: &Value) -> Option<&str> {
    answer.as_text().or_else(|| answer.get("reply")?.as_text()).filter(|words| !words.trim().is_empty())
}
