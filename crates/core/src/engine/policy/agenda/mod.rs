//! The policy of an agenda: what is said is held against the points of an interview, and questions against each other.
//!
//! Where the dialogue goes, what is stored and what is asked are states, ways and operations of the machine. Left for a
//! policy is what those cannot say: that an answer is judged before the turn begins, by somebody outside or by the
//! criteria of its point, what records tell of points, and that no question is asked twice.

mod agenda;
mod assessment;
mod describe;
mod questions;

pub use self::agenda::{Agenda, AgendaIntents, AgendaSlots};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use self::assessment::{AnswerGiven, read_as};
use self::questions::BrokenQuestion;
use crate::engine::Machine;
use crate::engine::commit::CommitTurn;
use crate::engine::io::{Answer, Input, Need, first_answer};
use crate::engine::policy::no_reason::NoReason;
use crate::engine::policy::{
    Hooks, Inquiry, ItemMark, Point, PointState, PolicyFacts, PolicyHooks, PolicyItem,
    PolicyReading, TurnInputs,
};
use crate::engine::record_view::{RecordPart, RecordView};
use crate::engine::session::{SavedNames, Session, Symbol};
use crate::engine::sink::Sink;
use crate::machine::{List, NeedKind, StateId, Value};

/// It gives no reasons.
pub type AgendaReason = NoReason<'a'>;

/// What was asked so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgendaMemory {
    asked: List,
}

/// What is noted of a turn of an interview.
#[derive(Clone, Debug, Default)]
pub struct AgendaNotes {
    /// What is wrong with its question.
    broken: Vec<BrokenQuestion>,
}

/// What was asked, as it is saved.
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
            let mut moved = carryover.added.iter().chain(&carryover.changed);
            moved.any(|name| name.known() == Some(slot))
                && line.session.slots.get(slot).as_text() == Some(PointState::Completed.name())
        };
        let points = self.inquiry.points.iter().enumerate();
        points
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

    /// What is said is an answer, and is judged; so is the new text of an answer that is changed.
    fn read<'i>(
        &self,
        _: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        let intent = input.intent.as_ref().and_then(Symbol::known);
        let as_meant = |intent| {
            PolicyReading::Ready(Cow::Owned(read_as(
                input,
                intent,
                input.data.values().to_vec(),
                self.brings.now,
            )))
        };
        let brought = |slot| {
            let mut values = input.data.values().iter();
            values
                .find(|(name, _)| *name == Symbol::Known(slot))
                .and_then(|(_, value)| value.as_text())
        };
        let here = self.inquiry.point_of(state);
        let changed = brought(self.brings.point).and_then(|id| self.inquiry.point(id));
        let (point, said, meant) = match (intent, &input.say) {
            (None, None) => return PolicyReading::Pass,
            // A new text of what is just asked is its answer.
            (Some(intent), _) if intent == self.intents.edit => {
                let answers = here
                    .zip(changed)
                    .is_some_and(|(here, changed)| here.id == changed.id);
                let said = changed
                    .filter(|_| state != self.start)
                    .and_then(|_| brought(self.brings.answer));
                (
                    changed,
                    said,
                    if answers { self.intents.answer } else { intent },
                )
            }
            (Some(intent), _) if intent != self.intents.answer => return as_meant(intent),
            (_, said) => (here, said.as_deref(), self.intents.answer),
        };
        let edits = meant == self.intents.edit;
        let judges = edits || self.judges(state);
        let Some(said) = said
            .map(str::trim)
            .filter(|said| !said.is_empty() && judges)
        else {
            return as_meant(meant);
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

    /// The last thing that is said where something is asked is the question.
    fn commit(
        &self,
        (): &(),
        memory: &mut AgendaMemory,
        notes: &mut AgendaNotes,
        turn: &mut CommitTurn<'_>,
    ) {
        let asks = self.asks(turn.decision.to);
        let said = turn.decision.replies.last();
        if let Some(question) = said.filter(|_| asks && !turn.decision.failed) {
            notes.broken = questions::ask(question, &mut memory.asked);
        }
    }

    fn describe(
        &self,
        part: RecordPart,
        notes: &AgendaNotes,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        describe::describe(self, part, notes, line, out)
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
