//! The agenda policy: assesses answers for the points of an interview, and checks questions for repetitions.
//!
//! States, branches and operations of the machine define the flow, the stored data and the questions. The policy adds
//! what they cannot express. Answers are assessed before the turn starts, by a model or by the criteria of the point.
//! Records contain the points. Repeated questions are violations, and so are other questions of an agent in a transcript.

mod assessment;
mod other_question;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::hooks::NoReason;
use super::{
    Hooks, Inquiry, ItemMark, Point, PointState, PolicyHooks, PolicyItem, PolicyReading, TurnInputs,
};
use crate::engine::{
    Answer, CommitTurn, Decision, Input, Machine, Need, PolicyFacts, Reads, RecordPart, RecordView,
    SavedNames, Session, Settings, Sink, Slots, Symbol, TurnContext, first_answer, key, pairs,
};
use crate::limits::MAX_QUESTION_SENTENCES;
use crate::machine::{CounterId, IntentId, List, NeedKind, SlotId, StateId, Value};
use assessment::AnswerGiven;
use other_question::OtherQuestion;

/// The points of an interview, and the states that ask about them.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    /// The points.
    pub inquiry: Inquiry,
    /// The state before the first question.
    pub start: StateId,
    /// The intents of the user.
    pub intents: AgendaIntents,
    /// The slots for the assessment of an answer.
    pub brings: AgendaSlots,
    /// Words that confirm a summary.
    pub agree: Box<[Box<str>]>,
    /// Words that reject a summary.
    pub disagree: Box<[Box<str>]>,
    /// The messages at the end.
    pub closing: Box<[Box<str>]>,
    /// The counter of follow-ups.
    pub follow_ups: CounterId,
}

/// The intents of the user.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgendaIntents {
    pub answer: IntentId,
    /// The summary is correct.
    pub agree: IntentId,
    /// The user wants to change an answer.
    pub edit: IntentId,
}

/// The slots for the assessment of an answer. Their values last for one turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgendaSlots {
    /// The answer, if it has more than whitespace.
    pub answer: SlotId,
    /// The points that the answer covers.
    pub answers: SlotId,
    /// The missing parts of the point.
    pub missing: SlotId,
    /// The point to change.
    pub point: SlotId,
    /// The time of the turn.
    pub now: SlotId,
}

impl Agenda {
    /// Whether utterances in a state are assessed.
    fn assesses(&self, state: StateId) -> bool {
        state == self.start || self.asks(state)
    }

    /// Whether a state asks a question.
    fn asks(&self, state: StateId) -> bool {
        self.inquiry.summary == Some(state) || self.inquiry.point_of(state).is_some()
    }
}

/// The policy has no reasons.
pub type AgendaReason = NoReason<'a'>;

/// The questions so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgendaMemory {
    asked: List,
}

/// The notes on a turn of an interview.
#[derive(Clone, Debug, Default)]
pub struct AgendaNotes {
    /// The rules that the question of the turn violates.
    broken: Vec<BrokenQuestion>,
    /// The question of the agent in a transcript, if it is about another point.
    other: Option<OtherQuestion>,
}

/// The saved questions.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedAgenda {
    asked: Vec<String>,
}

impl PolicyFacts for Agenda {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            words: true,
            ..TurnInputs::default()
        }
    }

    fn is_like(&self, one: IntentId, other: IntentId) -> bool {
        one == other
    }

    fn inquiry(&self) -> Option<&Inquiry> {
        Some(&self.inquiry)
    }

    fn coverage_items(&self, machine: &Machine) -> Vec<PolicyItem> {
        let points = self.inquiry.points.iter().enumerate();
        let item = |(number, point): (usize, &Point)| PolicyItem {
            kind: "points",
            name: point.id.to_string(),
            span: machine.state(point.first).span,
            mark: ItemMark::Own(Self::NAME, number, 0),
        };
        points.map(item).collect()
    }

    /// The points that the turn completed.
    fn covered(&self, line: &RecordView<'_>) -> Vec<ItemMark> {
        let carryover = &line.record.carryover;
        let is_completed = |point: &Point| {
            let slot = point.kept.state;
            carryover
                .added
                .iter()
                .chain(&carryover.changed)
                .any(|name| name.known() == Some(slot))
                && line.session.slots.get(slot).as_text() == Some(PointState::Completed.name())
        };
        self.inquiry
            .points
            .iter()
            .enumerate()
            .filter(|(_, point)| is_completed(point))
            .map(|(number, _)| ItemMark::Own(Self::NAME, number, 0))
            .collect()
    }
}

impl PolicyHooks for Agenda {
    const NAME: &'static str = "agenda";
    const HOOKS: Hooks = Hooks::READ.union(Hooks::COMMIT);
    type Settings = ();
    type Memory = AgendaMemory;
    type Turn = AgendaNotes;

    /// Treats an utterance, or the new text of a changed answer, as an answer to assess.
    fn read<'i>(
        &self,
        _: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        let intent = input.known_intent();
        let with_intent = |intent| {
            let values = input.data.values().to_vec();
            PolicyReading::Ready(Cow::Owned(input.meant(intent, values, self.brings.now)))
        };
        let turn_value = |slot| {
            input
                .data
                .values()
                .iter()
                .find(|(name, _)| *name == Symbol::Known(slot))
                .and_then(|(_, value)| value.as_text())
        };
        let here = self.inquiry.point_of(state);
        let changed = turn_value(self.brings.point).and_then(|id| self.inquiry.point(id));
        let (point, said, meant) = match (intent, &input.say) {
            (None, None) => return PolicyReading::Pass,
            // A new text for the current point is its answer.
            (Some(intent), _) if intent == self.intents.edit => {
                let answers = here
                    .zip(changed)
                    .is_some_and(|(here, changed)| here.id == changed.id);
                let said = changed
                    .filter(|_| state != self.start)
                    .and_then(|_| turn_value(self.brings.answer));
                (
                    changed,
                    said,
                    if answers { self.intents.answer } else { intent },
                )
            }
            (Some(intent), _) if intent != self.intents.answer => return with_intent(intent),
            (_, said) => (here, said.as_deref(), self.intents.answer),
        };
        let edits = meant == self.intents.edit;
        let assesses = edits || self.assesses(state);
        let Some(said) = said
            .map(str::trim)
            .filter(|said| !said.is_empty() && assesses)
        else {
            return with_intent(meant);
        };
        let Some(answer) = first_answer(answers, NeedKind::Assess) else {
            return PolicyReading::Need(Need::Assess { state });
        };
        let given = AnswerGiven {
            agenda: self,
            state,
            point,
            said,
            input,
        };
        PolicyReading::Ready(Cow::Owned(given.read(answer.value.as_ref(), edits)))
    }

    /// Continues with the question of the agent in a transcript if it is about another point.
    fn steer(&self, notes: &mut AgendaNotes, turn: &TurnContext<'_>, decision: &mut Decision) {
        notes.other = OtherQuestion::find(self, turn, decision);
        if let Some(other) = notes.other {
            other.apply(self, turn, decision);
        }
    }

    /// Checks the question. In a state that asks about a point, the last reply is the question. A summary lists all
    /// answers, so it is not a question.
    fn commit(
        &self,
        (): &(),
        memory: &mut AgendaMemory,
        notes: &mut AgendaNotes,
        turn: &mut CommitTurn<'_>,
    ) {
        let asks = self.inquiry.point_of(turn.decision.to).is_some();
        let said = turn.decision.replies.last();
        if let Some(question) = said.filter(|_| asks && !turn.decision.failed) {
            notes.broken = ask(question, &mut memory.asked);
        }
    }

    fn describe(
        &self,
        part: RecordPart,
        notes: &AgendaNotes,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        match part {
            RecordPart::Points => {
                out.each(&self.inquiry.points, |point, out| {
                    self.inquiry.write_point(point, &line.session.slots, out);
                });
            }
            RecordPart::Violations => {
                if let Some(other) = notes.other {
                    other.write(self, out.item());
                }
                for broken in &notes.broken {
                    out.item().object(|out| match broken {
                        BrokenQuestion::Repeated => key!(out, "fault").word("repeated_question"),
                        BrokenQuestion::TooLong(sentences) => {
                            pairs!(
                                out,
                                fault = word("long_question"),
                                found = int(*sentences),
                                max = int(MAX_QUESTION_SENTENCES),
                            );
                        }
                    });
                }
            }
            _ => return false,
        }
        true
    }

    /// The questions so far only decide about violations.
    fn reduce(&self, memory: &mut AgendaMemory, _: &Reads, _: &Settings) {
        *memory = AgendaMemory::default();
    }

    fn save(&self, memory: &AgendaMemory, _: &SavedNames<'_>) -> Option<serde_json::Value> {
        let asked = memory
            .asked
            .iter()
            .filter_map(Value::as_text)
            .map(str::to_owned)
            .collect();
        serde_json::to_value(SavedAgenda { asked }).ok()
    }

    fn restore(
        &self,
        saved: serde_json::Value,
        _: &mut Session,
        _: &Machine,
    ) -> Result<AgendaMemory, serde_json::Error> {
        let SavedAgenda { asked } = serde_json::from_value(saved)?;
        Ok(AgendaMemory {
            asked: asked.iter().map(|text| Value::text(text)).collect(),
        })
    }
}

/// A rule that a question violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrokenQuestion {
    /// The same question was asked before, verbatim.
    Repeated,
    /// The question has too many sentences; contains the number of sentences.
    TooLong(u32),
}

/// Adds a question to the asked questions. Returns its violations.
fn ask(question: &str, asked: &mut List) -> Vec<BrokenQuestion> {
    let mut broken = Vec::new();
    let sentences = sentences(question);
    if sentences > MAX_QUESTION_SENTENCES {
        broken.push(BrokenQuestion::TooLong(sentences));
    }
    let question = Value::text(question.trim());
    if asked.contains(&question) {
        broken.push(BrokenQuestion::Repeated);
    } else {
        asked.push(question);
    }
    broken
}

/// The number of sentences: each ends in punctuation before whitespace or the end. Remaining text counts as another
/// sentence.
fn sentences(text: &str) -> u32 {
    let mut count = 0;
    let mut open = false;
    let mut marked = false;
    for character in text.chars() {
        let is_punctuation = matches!(character, '.' | '!' | '?' | '…');
        if character.is_whitespace() && marked {
            count += u32::from(open);
            open = false;
            marked = false;
        } else if is_punctuation {
            marked = true;
        } else if !character.is_whitespace() {
            open |= character.is_alphanumeric();
            marked &= !character.is_alphanumeric();
        }
    }
    count + u32::from(open)
}

/// The confidence of an unknown answer.
const NOTHING: Value = Value::Int(0);

impl Inquiry {
    /// Writes the progress of a point.
    fn write_point(&self, point: &Point, slots: &Slots, out: &mut impl Sink) {
        let known = |slot| slots.get(slot);
        out.object(|out| {
            key!(out, "id").text(&point.id);
            let state = known(point.kept.state).as_text();
            pairs!(
                out,
                state = text(state.unwrap_or(PointState::NotStarted.name())),
                confidence = value(known(point.kept.confidence).or(&NOTHING)),
                answers = value(known(point.kept.answers).or(&Value::List(List::default()))),
            );
            let earlier = Some(known(point.kept.earlier)).filter(|value| !value.is_null());
            out.optional(key!("earlier"), earlier, |value, out| out.value(value));
            let waits = self.waits_for(point, slots);
            out.optional_text(key!("waits_for"), waits.map(|other| &*other.id));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_in_punctuation() {
        let counted = [
            "",
            "Как?",
            "Отлично! А какой бюджет?",
            "Ну... 3.5 млн — это много?! Да. Нет",
            "«Да?» — спросил он.",
        ];
        assert_eq!(counted.map(sentences), [0, 1, 2, 4, 2]);
    }

    #[test]
    fn question_is_asked_once() {
        let mut asked = List::default();
        assert_eq!(ask("Кто вы?", &mut asked), []);
        assert_eq!(ask("Кто вы? ", &mut asked), [BrokenQuestion::Repeated]);
        assert_eq!(
            ask("Раз. Два. Три.", &mut asked),
            [BrokenQuestion::TooLong(3)]
        );
        assert_eq!(asked.len(), 2);
    }
}
