//! Stores answers in the points that they answer, and saves them with an effect.

use std::sync::Arc;

use super::lower::{Deed, InterviewLowering, PointConditions, PointPlan, always};
use fsmsim_core::engine::policy::agenda::AgendaSlots;
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    EffectDefinition, EffectKind, EffectUse, Gate, NextState, OpKind, Outcome, OutcomeMark,
    Payload, SlotId, Subject, Test, Value, ValueSource,
};

/// The effects of an interview: saving an answer, saving the completed interview, and requesting an audit.
pub(super) const SAVE: &str = "save";
pub(super) const FINISH: &str = "finish";
pub(super) const AUDIT: &str = "audit";

/// The status of the interview.
pub(super) const PENDING: &str = "pending";
pub(super) const IN_PROGRESS: &str = "in_progress";
pub(super) const COMPLETED: &str = "completed";

/// Descriptions of outcomes.
const OVER: &str = "the interview is not in progress";
const NOT_TAKEN: &str = "the store is unavailable; only the dialogue has the data";

impl InterviewLowering<'_> {
    /// Declares the effects.
    pub(super) fn declare_effects(&mut self) {
        // The last answer ends the interview in the same turn.
        let status = self.kept.status;
        let under_way = [Subject::Was(status), Subject::Slot(status)]
            .map(|subject| self.test(subject, Test::Is([Value::text(IN_PROGRESS)].into())));
        let under_way = self.or(&under_way);
        let gate = Gate {
            holds: under_way,
            outcome: "over".into(),
            words: OVER.into(),
        };
        for (name, kind, gates) in [
            (SAVE, EffectKind::Keep, vec![gate]),
            (FINISH, EffectKind::Keep, Vec::new()),
            (AUDIT, EffectKind::Invoke, Vec::new()),
        ] {
            let outcomes = [
                ("done", OutcomeMark::None, "the effect succeeded"),
                ("over", OutcomeMark::None, OVER),
                ("down", OutcomeMark::Degrade, NOT_TAKEN),
                ("error", OutcomeMark::Degrade, NOT_TAKEN),
            ];
            // The interview continues after any outcome, so an answer is never lost.
            let outcomes = outcomes.map(|(status, mark, words)| Outcome {
                name: status.into(),
                status: status.into(),
                when: None,
                leads: NextState::On,
                mark,
                code: format!("{name}_{status}").into(),
                words: words.into(),
                rule: self.builder.rule(self.file.span, self.origin),
            });
            let outcomes = outcomes.map(|outcome| self.builder.outcomes.push(outcome));
            let id = self.builder.effect(name);
            self.builder.effects[id] = EffectDefinition {
                kind,
                gates: gates.into(),
                outcomes: outcomes.into(),
                ..EffectDefinition::default()
            };
        }
    }

    /// An effect whose payload contains all answers so far and additional turn data.
    pub(super) fn effect(&mut self, name: &str, with: &[(&str, SlotId)]) -> OpKind {
        let said = with
            .iter()
            .map(|(name, slot)| ((*name).into(), ValueSource::Said(*slot)));
        let answers = self.points.iter();
        let answers = answers.map(|point| {
            let answers = ValueSource::Slot(point.kept.answers);
            (point.draft.field.into(), answers)
        });
        let payload = Payload::Values(said.chain(answers).collect());
        OpKind::Effect(Arc::new(EffectUse {
            effect: self.builder.effect(name),
            payload,
            outcomes: Box::default(),
            always: false,
        }))
    }

    /// The conditions of the points that a point depends on.
    pub(super) fn others(&self, point: PointPlan<'_>) -> impl Iterator<Item = PointConditions> {
        point
            .depends_on
            .iter()
            .filter_map(|place| Some(self.points.get(*place)?.known))
    }

    /// Stores and saves an answer for each point that it answers, no matter which point was asked.
    pub(super) fn store(&mut self) -> Vec<Deed> {
        use PointState::{Completed, InProgress, Incomplete};
        let mut deeds = Vec::new();
        for PointPlan {
            draft, kept, known, ..
        } in self.points.clone()
        {
            let started = self.is_one_of(kept.state, &[InProgress, Completed, Incomplete]);
            let not_started = self.not(started);
            let starts = self.and(&[known.answered, not_started]);
            let mut deed = |kind, when| deeds.push((kind, Some(when)));
            let answer = ValueSource::Said(kept.answers);
            deed(OpKind::Append(kept.answers, answer), known.answered);
            for name in &draft.fields {
                let slot = self.builder.slot(name);
                deed(OpKind::Set(slot, ValueSource::Said(slot)), known.answered);
            }
            deed(OpKind::Set(kept.state, state(InProgress)), starts);
            deed(OpKind::Set(kept.state, state(Completed)), known.enough);
            let confidence = ValueSource::Said(kept.confidence);
            deed(OpKind::Set(kept.confidence, confidence), known.no_less);
        }
        let AgendaSlots {
            answer, answers, ..
        } = self.brings;
        let answered = self.test(Subject::Said(answers), Test::Filled(true));
        // An interview can start at a point, without its first turn.
        let status = self.kept.status;
        let pending = Test::Is([Value::text(PENDING)].into());
        let pending = self.test(Subject::Slot(status), pending);
        deeds.push((OpKind::Set(status, constant(IN_PROGRESS)), Some(pending)));
        let save = self.effect(SAVE, &[("text", answer), ("for", answers)]);
        deeds.push((save, Some(answered)));
        deeds
    }

    /// Updates skipped points before the next point is selected. A point is skipped if one of its dependencies was
    /// given up. It becomes open again if all dependencies are complete.
    pub(super) fn skip_points(&mut self) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for place in &self.order.dependent {
            let Some(point) = self.points.get(*place).copied() else {
                continue;
            };
            if point.depends_on.is_empty() {
                continue;
            }
            let (completed, given_up): (Vec<_>, Vec<_>) = self
                .others(point)
                .map(|other| (other.completed, other.given_up))
                .unzip();
            let ready = self.and(&completed);
            let blocked = self.or(&given_up);
            let kept = point.kept.state;
            let skipped = self.is_one_of(kept, &[PointState::Skipped]);
            // The user can still answer the current question.
            let elsewhere = self.not(point.known.here);
            let after_all = self.and(&[skipped, ready]);
            let is_skipped = self.and(&[point.known.open, elsewhere, blocked]);
            deeds.push((OpKind::Clear(kept), Some(after_all)));
            let skips = OpKind::Set(kept, state(PointState::Skipped));
            deeds.push((skips, Some(is_skipped)));
        }
        deeds
    }

    /// Resets a point so that it can be answered again.
    pub(super) fn reopen(&self, point: PointPlan<'_>) -> Vec<Deed> {
        let kept = point.kept;
        always([
            OpKind::Append(kept.earlier, ValueSource::Slot(kept.answers)),
            OpKind::Clear(kept.answers),
            OpKind::Clear(kept.confidence),
            OpKind::Set(kept.state, state(PointState::InProgress)),
            OpKind::Set(self.kept.status, constant(IN_PROGRESS)),
            OpKind::Clear(self.kept.finished_by),
            OpKind::Clear(self.kept.completed_at),
        ])
    }
}

/// Converts the state of a point to a value.
pub(super) fn state(state: PointState) -> ValueSource {
    constant(state.name())
}

pub(super) fn constant(text: &str) -> ValueSource {
    ValueSource::Constant(Value::text(text))
}
