//! What is stored of an answer: for each point that it answers, and with the session as a whole.

use std::sync::Arc;

use super::lower::InterviewLowering;
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    EffectDefinition, EffectKind, EffectUse, Gate, Lead, Op, OpKind, Outcome, OutcomeMark, Payload,
    RuleId, SlotId, Subject, Test, Value, ValueSource,
};

/// The effects of an interview: an answer is kept, the whole is kept in the end, and an audit is asked for.
pub(super) const SAVE: &str = "save";
pub(super) const FINISH: &str = "finish";
pub(super) const AUDIT: &str = "audit";

/// How far the interview is as a whole.
pub(super) const PENDING: &str = "pending";
pub(super) const IN_PROGRESS: &str = "in_progress";
pub(super) const COMPLETED: &str = "completed";

impl InterviewLowering<'_> {
    /// Declares the effects.
    pub(super) fn declare_effects(&mut self) {
        let under_way = self.test(
            Subject::Slot(self.kept.status),
            Test::Is([Value::text(IN_PROGRESS)].into()),
        );
        let gate = Gate {
            holds: under_way,
            outcome: "over".into(),
            words: "the interview is not under way".into(),
        };
        for (name, kind, gates) in [
            (SAVE, EffectKind::Keep, vec![gate]),
            (FINISH, EffectKind::Keep, Vec::new()),
            (AUDIT, EffectKind::Invoke, Vec::new()),
        ] {
            let outcomes = [
                self.outcome(name, "done", OutcomeMark::None, "it is done"),
                self.outcome(
                    name,
                    "over",
                    OutcomeMark::None,
                    "the interview is not under way",
                ),
                self.outcome(
                    name,
                    "down",
                    OutcomeMark::Degrade,
                    "nobody takes it; it is known in the dialogue alone",
                ),
                self.outcome(
                    name,
                    "error",
                    OutcomeMark::Degrade,
                    "nobody takes it; it is known in the dialogue alone",
                ),
            ];
            let outcomes = outcomes
                .into_iter()
                .map(|outcome| self.builder.outcomes.push(outcome))
                .collect();
            let id = self.builder.effect(name);
            self.builder.effects[id] = EffectDefinition {
                kind,
                gates: gates.into(),
                outcomes,
                ..EffectDefinition::default()
            };
        }
    }

    /// The interview goes on, whatever an effect comes to: an answer is never lost by it.
    fn outcome(&mut self, effect: &str, status: &str, mark: OutcomeMark, words: &str) -> Outcome {
        Outcome {
            name: status.into(),
            status: status.into(),
            when: None,
            leads: Lead::On,
            mark,
            code: format!("{effect}_{status}").into(),
            words: words.into(),
            rule: self.builder.rule(self.file.span, self.origin),
        }
    }

    /// An effect that is done with all that was answered so far, and with what else is given.
    pub(super) fn effect(&mut self, name: &str, with: &[(&str, SlotId)], rule: RuleId) -> Op {
        let answers = self
            .points
            .iter()
            .map(|point| (point.field.clone(), ValueSource::Slot(point.kept.answers)));
        let said = with
            .iter()
            .map(|(name, slot)| (Box::from(*name), ValueSource::Said(*slot)));
        let payload = Payload::Values(said.chain(answers).collect());
        let effect = self.builder.effect(name);
        let used = EffectUse {
            effect,
            payload,
            outcomes: Box::default(),
        };
        Op {
            kind: OpKind::Effect(Arc::new(used)),
            when: None,
            rule,
        }
    }

    /// What an answer does, whatever was asked: it is stored for each point that it answers, and saved.
    pub(super) fn store_ops(&mut self, rule: RuleId) -> Vec<Op> {
        let mut ops = Vec::new();
        for place in 0..self.points.len() {
            let Some((plan, known)) = self.point_at(place) else {
                continue;
            };
            let kept = plan.kept;
            let fields = plan.data.clone();
            let begun = [
                PointState::InProgress,
                PointState::Completed,
                PointState::Incomplete,
            ];
            let begun = self.is_one_of(kept.state, &begun);
            let anew = self.not(begun);
            let begins = self.and(&[known.answered, anew]);
            let mut op = |kind, when| {
                ops.push(Op {
                    kind,
                    when: Some(when),
                    rule,
                });
            };
            op(
                OpKind::Append(kept.answers, ValueSource::Said(kept.answers)),
                known.answered,
            );
            for slot in fields {
                op(OpKind::Set(slot, ValueSource::Said(slot)), known.answered);
            }
            op(
                OpKind::Set(kept.state, state(PointState::InProgress)),
                begins,
            );
            op(
                OpKind::Set(kept.state, state(PointState::Completed)),
                known.enough,
            );
            op(
                OpKind::Set(kept.confidence, ValueSource::Said(kept.confidence)),
                known.no_less,
            );
        }
        let answered = self.test(Subject::Said(self.brings.answers), Test::Filled(true));
        let (answer, answers) = (self.brings.answer, self.brings.answers);
        let mut save = self.effect(SAVE, &[("text", answer), ("for", answers)], rule);
        save.when = Some(answered);
        ops.push(save);
        ops
    }

    /// Before it is looked what is asked next: points whose others were given up are passed over, and those whose others are
    /// complete after all are not.
    pub(super) fn pass_over_ops(&mut self, rule: RuleId) -> Vec<Op> {
        let mut ops = Vec::new();
        for place in self.order.dependent.clone() {
            let others = self
                .order
                .depends_on
                .get(place)
                .cloned()
                .unwrap_or_default();
            let Some((plan, known)) = self.point_at(place) else {
                continue;
            };
            if others.is_empty() {
                continue;
            }
            let kept = plan.kept;
            let others: Vec<_> = others
                .iter()
                .filter_map(|place| self.conditions.get(*place).copied())
                .collect();
            let ready = self.and(
                &others
                    .iter()
                    .map(|other| other.completed)
                    .collect::<Vec<_>>(),
            );
            let hopeless = self.or(&others
                .iter()
                .map(|other| other.given_up)
                .collect::<Vec<_>>());
            let skipped = self.is_one_of(kept.state, &[PointState::Skipped]);
            // What is just asked may be answered all the same.
            let elsewhere = self.not(known.here);
            let after_all = self.and(&[skipped, ready]);
            let passed_over = self.and(&[known.open, elsewhere, hopeless]);
            let mut op = |kind, when| {
                ops.push(Op {
                    kind,
                    when: Some(when),
                    rule,
                });
            };
            op(OpKind::Clear(kept.state), after_all);
            op(
                OpKind::Set(kept.state, state(PointState::Skipped)),
                passed_over,
            );
        }
        ops
    }

    /// A point that was answered is to be answered anew.
    pub(super) fn reopen_ops(&mut self, place: usize, rule: RuleId) -> Vec<Op> {
        let Some(plan) = self.points.get(place) else {
            return Vec::new();
        };
        let kept = plan.kept;
        let ops = [
            OpKind::Append(kept.earlier, ValueSource::Slot(kept.answers)),
            OpKind::Clear(kept.answers),
            OpKind::Clear(kept.confidence),
            OpKind::Set(kept.state, state(PointState::InProgress)),
            OpKind::Set(
                self.kept.status,
                ValueSource::Constant(Value::text(IN_PROGRESS)),
            ),
            OpKind::Clear(self.kept.finished_by),
            OpKind::Clear(self.kept.completed_at),
        ];
        ops.into_iter()
            .map(|kind| Op {
                kind,
                when: None,
                rule,
            })
            .collect()
    }
}

/// How far a point is, as a value.
pub(super) fn state(state: PointState) -> ValueSource {
    ValueSource::Constant(Value::text(state.name()))
}
