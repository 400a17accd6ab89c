//! The conditions for the edges of an interview.

use super::lower::{InterviewLowering, PointConditions, PointPlan};
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    Bound, Comparison, Condition, ConditionId, CounterId, Float, IntentId, LimitId, SlotId,
    StateId, Subject, Test, Value,
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

    /// Tests whether the turn data passes a test, or is the first value of the slot.
    fn is_first_or(&mut self, slot: SlotId, test: Test) -> ConditionId {
        let nothing = self.test(Subject::Slot(slot), Test::Known(false));
        let brings = self.test(Subject::Said(slot), compared(Comparison::MoreThan, 0));
        let first = self.and(&[nothing, brings]);
        let holds = self.test(Subject::Said(slot), test);
        self.or(&[first, holds])
    }

    /// Tests whether the confidence reaches the threshold for a complete point.
    pub(super) fn is_sure(&mut self, confidence: Subject) -> ConditionId {
        let threshold = Bound::Number(Float::new(self.file.threshold));
        self.test(confidence, Test::Compare(Comparison::AtLeast, threshold))
    }

    /// Tests whether the counter has reached its limit.
    pub(super) fn at_limit(&mut self, (counter, limit): (CounterId, LimitId)) -> ConditionId {
        self.test(
            Subject::Counter(counter),
            Test::Compare(Comparison::AtLeast, Bound::Limit(limit, 0)),
        )
    }

    /// Tests whether the dialogue is in one of these states.
    pub(super) fn in_states(&mut self, states: &[StateId]) -> ConditionId {
        self.builder.condition(Condition::States(states.into()))
    }

    /// Tests whether the dialogue was in one of these states before the turn.
    pub(super) fn was_in(&mut self, states: &[StateId]) -> ConditionId {
        self.builder.condition(Condition::From(states.into()))
    }

    /// Tests whether the user has this intent.
    pub(super) fn is_meant(&mut self, intent: IntentId) -> ConditionId {
        self.builder.condition(Condition::Intents([intent].into()))
    }

    /// Builds the conditions of a point.
    pub(super) fn point_conditions(&mut self, point: PointPlan<'_>) -> PointConditions {
        use PointState::{Completed, Incomplete, Skipped};
        let kept = point.kept;
        let said = || Subject::Said(kept.confidence);
        let than_known = |how| Test::Compare(how, Bound::Slot(kept.confidence));
        PointConditions {
            completed: self.is_one_of(kept.state, &[Completed]),
            open: {
                let settled = self.is_one_of(kept.state, &[Completed, Incomplete, Skipped]);
                self.not(settled)
            },
            given_up: self.is_one_of(kept.state, &[Incomplete, Skipped]),
            answered: self.test(said(), Test::Known(true)),
            enough: self.is_sure(said()),
            more: self.is_first_or(kept.confidence, than_known(Comparison::MoreThan)),
            no_less: self.is_first_or(kept.confidence, than_known(Comparison::AtLeast)),
            here: self.in_states(&[point.first, point.again]),
            named: {
                let id = Value::text(point.draft.id);
                self.test(Subject::Said(self.brings.point), Test::Is([id].into()))
            },
        }
    }
}

pub(super) fn compared(comparison: Comparison, number: usize) -> Test {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    Test::Compare(comparison, Bound::Number(Float::new(number.into())))
}
