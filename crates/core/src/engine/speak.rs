//! Speaking: the messages of the machine, after the gates (docs/src/explanation/effects-and-consent.md).

use super::{Decision, Need, TurnContext, TurnFacts, answer_of};
use crate::machine::{NeedKey, NeedKind, Op, OpKind, SlotId, Speech, StateId, TextTemplate, Value};
use fsmsim_syntax::terminal::Joined;

/// Sends all messages, in order; the reply to the action comes first. Returns a need if a model must generate the
/// text.
pub(super) fn speak(turn: &TurnContext<'_>, decision: &mut Decision) -> Option<Need> {
    let mut wording = Wording {
        state: decision.to,
        index: 0,
    };
    wording
        .reply(turn, decision)
        .or_else(|| wording.speeches(turn, decision))
}

/// The messages of a turn.
struct Wording {
    /// The state after the turn.
    state: StateId,
    /// The number of generated messages so far.
    index: u32,
}

/// A message, or the need for its text.
type Spoken = Result<Option<Box<str>>, Need>;

impl Wording {
    /// The reply to the action of the turn: the first of its alternatives that can be filled in, evaluated in the state
    /// after the turn.
    fn reply(&mut self, turn: &TurnContext<'_>, decision: &mut Decision) -> Option<Need> {
        let machine = turn.machine;
        let rule = *machine
            .replies
            .get(&decision.final_action(turn))
            .filter(|_| !decision.failed)?;
        let draft = decision.draft.as_deref();
        let facts = draft.map_or(*turn.facts, |draft| draft.facts(turn));
        let facts = TurnFacts {
            from: Some(turn.state),
            ..facts
        };
        let seen = draft.map_or(*turn, |draft| draft.seen_by(turn));
        let seen = TurnContext {
            facts: &facts,
            state: self.state,
            ..seen
        };
        for Op { kind, when, .. } in machine.ops(rule) {
            let OpKind::Say(speech) = kind else { continue };
            if when.is_none_or(|when| seen.holds(when)) {
                match self.say(speech, &seen) {
                    Ok(Some(words)) => {
                        decision.replies.push(words);
                        break;
                    }
                    Ok(None) => {}
                    Err(need) => return Some(need),
                }
            }
        }
        None
    }

    /// Sends the messages of operations.
    fn speeches(&mut self, turn: &TurnContext<'_>, decision: &mut Decision) -> Option<Need> {
        let draft = decision
            .draft
            .as_deref_mut()
            .filter(|draft| !draft.speeches.is_empty())?;
        for pending in std::mem::take(&mut draft.speeches) {
            let facts = draft.facts(turn);
            let seen = TurnContext {
                facts: &facts,
                ..draft.seen_by(turn)
            };
            if pending.when.is_none_or(|when| seen.holds(when)) {
                match self.say(&pending.speech, &seen) {
                    Ok(words) => decision.replies.extend(words),
                    Err(need) => return Some(need),
                }
            }
        }
        None
    }

    /// The text of one message; `None` if a value is unknown.
    fn say(&mut self, speech: &Speech, seen: &TurnContext<'_>) -> Spoken {
        match speech {
            Speech::Text(text) => Ok(Some(text.clone())),
            Speech::Known {
                before,
                values,
                after,
            } => Ok(Some(seen.list_known(before, values, after))),
            Speech::Filled { text, is_phrased } => {
                match seen.fill(text).filter(|text| !text.trim().is_empty()) {
                    Some(text) if *is_phrased => self.phrase(&text, None, Some(&text), seen),
                    text => Ok(text),
                }
            }
            Speech::Phrase {
                about,
                missing,
                otherwise,
            } => self.phrase(about, *missing, otherwise.as_deref(), seen),
        }
    }

    /// The text that a model generates.
    fn phrase(
        &mut self,
        about: &str,
        missing: Option<SlotId>,
        otherwise: Option<&str>,
        seen: &TurnContext<'_>,
    ) -> Spoken {
        let index = self.index;
        let Some(answer) = answer_of(
            seen.answers,
            NeedKey {
                kind: NeedKind::Phrase,
                index,
            },
        ) else {
            let missing = missing
                .into_iter()
                .flat_map(|slot| seen.said(slot).texts())
                .map(Into::into)
                .collect();
            let state = self.state;
            let about = about.into();
            let is_optional = otherwise.is_some();
            return Err(Need::Phrase {
                state,
                index,
                about,
                missing,
                is_optional,
            });
        };
        self.index += 1;
        Ok(answer
            .value
            .as_ref()
            .and_then(words)
            .or(otherwise)
            .map(Into::into))
    }
}

impl TurnContext<'_> {
    /// The known values, one line each, between an introduction and a conclusion.
    fn list_known(&self, before: &str, items: &[(Box<str>, SlotId)], after: &str) -> Box<str> {
        let lines = items
            .iter()
            .filter_map(|(name, slot)| Some(format!("{name}: {}", self.known(*slot)?)));
        let lines: Vec<String> = std::iter::once(before.to_owned())
            .chain(lines)
            .chain([after.to_owned()])
            .collect();
        lines
            .into_iter()
            .filter(|line| !line.is_empty())
            .joined("\n")
            .into()
    }

    /// The text with all values filled in; `None` if a value is unknown.
    fn fill(&self, text: &TextTemplate) -> Option<Box<str>> {
        text.fill(|slot| self.known(slot)).map(Into::into)
    }

    /// The human-readable value of a slot; `None` if it is empty.
    fn known(&self, slot: SlotId) -> Option<String> {
        let value = self.slots.get(slot);
        value.filled().then(|| value.in_words())
    }
}

/// The generated text: the answer itself, or its `reply`.
fn words(answer: &Value) -> Option<&str> {
    answer
        .as_text()
        .or_else(|| answer.get("reply")?.as_text())
        .filter(|words| !words.trim().is_empty())
}
