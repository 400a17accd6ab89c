//! The questions that the ways of an interview hang on.

use super::lower::{InterviewLowering, PointConditions};
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    Bound, Comparison, Condition, ConditionId, CounterId, Float, LimitId, SlotId, StateId, Subject,
    Test, Value,
};

impl InterviewLowering<'_> {
    pub(super) fn test(&mut self, subject: Subject, test: Test) -> ConditionId {
        self.builder.condition(Condition::Test(subject, test))
    }

    pub(super) fn and(&mut self, parts: &[ConditionId]) -> ConditionId {
        self.builder.condition(Condition::And(parts.into()))
    }

    pub(super) fn or(&mut self, parts: &[ConditionId]) -> ConditionId {
        self.builder.condition(Condition::Or(parts.into()))
    }

    pub(super) fn not(&mut self, part: ConditionId) -> ConditionId {
        self.builder.condition(Condition::Not(part))
    }

    pub(super) fn is_one_of(&mut self, slot: SlotId, states: &[PointState]) -> ConditionId {
        let names = states.iter().map(|state| Value::text(state.name()));
        self.test(Subject::Slot(slot), Test::Is(names.collect()))
    }

    /// The test holds, or there is nothing yet to compare with and the turn brings something.
    fn beside_nothing(&mut self, known: SlotId, subject: Subject, test: Test) -> ConditionId {
        let nothing = self.test(Subject::Slot(known), Test::Known(false));
        let brings = self.test(
            subject.clone(),
            Test::Compare(Comparison::MoreThan, Bound::Number(Float::new(0.0))),
        );
        let first = self.and(&[nothing, brings]);
        let holds = self.test(subject, test);
        self.or(&[first, holds])
    }

    /// A counter has come to its limit.
    pub(super) fn at_limit(&mut self, counter: CounterId, limit: LimitId) -> ConditionId {
        self.test(
            Subject::Counter(counter),
            Test::Compare(Comparison::AtLeast, Bound::Limit(limit, 0)),
        )
    }

    /// The dialogue is in one of these states.
    pub(super) fn in_states(&mut self, states: &[StateId]) -> ConditionId {
        self.builder.condition(Condition::States(states.into()))
    }

    /// The questions about a point.
    pub(super) fn point_conditions(&mut self, place: usize) -> Option<PointConditions> {
        let plan = self.points.get(place)?;
        let (kept, states, id) = (plan.kept, [plan.first, plan.again], Value::text(&plan.id));
        let said = || Subject::Said(kept.confidence);
        let threshold = Bound::Number(Float::new(self.file.threshold));
        let known = Bound::Slot(kept.confidence);
        let brings_point = self.brings.point;
        Some(PointConditions {
            completed: self.is_one_of(kept.state, &[PointState::Completed]),
            open: {
                let settled = [
                    PointState::Completed,
                    PointState::Incomplete,
                    PointState::Skipped,
                ];
                let settled = self.is_one_of(kept.state, &settled);
                self.not(settled)
            },
            given_up: self.is_one_of(kept.state, &[PointState::Incomplete, PointState::Skipped]),
            answered: self.test(said(), Test::Known(true)),
            enough: self.test(said(), Test::Compare(Comparison::AtLeast, threshold)),
            more: self.beside_nothing(
                kept.confidence,
                said(),
                Test::Compare(Comparison::MoreThan, known),
            ),
            no_less: self.beside_nothing(
                kept.confidence,
                said(),
                Test::Compare(Comparison::AtLeast, known),
            ),
            here: self.in_states(&states),
            named: self.test(Subject::Said(brings_point), Test::Is([id].into())),
        })
    }
}
