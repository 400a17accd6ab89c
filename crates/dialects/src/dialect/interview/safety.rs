//! The properties of every interview. They are checked after each turn, and in recorded dialogues.

use super::conditions::compared;
use super::lower::{InterviewLowering, OwnStates, PointPlan};
use super::storing::SAVE;
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    Bound, Comparison, ConditionId, CounterId, LimitId, MachineProperty, PropertyKind, StateId,
    Subject, Test, Value,
};

impl PointPlan<'_> {
    /// The name of a property of the point.
    fn property(&self, what: &str) -> String {
        format!("{}_{what}", self.draft.id)
    }
}

impl InterviewLowering<'_> {
    /// Declares the properties of every interview.
    pub(super) fn properties(&mut self) {
        self.phases();
        self.within("questions_within_limit", self.questions);
        self.within("follow_ups_within_budget", self.follow_ups);
        for point in self.points.clone() {
            self.asked_in_its_turn(point);
            self.asked_as_it_should_be(point);
            self.answered(point);
            self.completed(point);
        }
        let answered = self.test(Subject::Said(self.brings.answers), Test::Filled(true));
        let save = self.builder.effect(SAVE);
        let saved = self.test(Subject::Effect(save), Test::Known(true));
        let unanswered = self.not(answered);
        self.always_one_of("answers_are_saved", &[unanswered, saved]);
        self.endings();
    }

    /// An interview ends only if no point remains or the question limit is reached. It records the rule that ends it.
    fn endings(&mut self) {
        let done = self.in_states(&[self.states.done]);
        let was_done = self.was_in(&[self.states.done]);
        let was_running = self.not(was_done);
        let spent = self.at_limit(self.questions);
        let left = self.not(spent);
        let ready: Vec<ConditionId> = self
            .points
            .clone()
            .into_iter()
            .map(|point| self.is_ready(point))
            .collect();
        let waits = self.or(&ready);
        self.never_all(
            "it_ends_only_when_nothing_is_left_to_ask",
            &[done, was_running, left, waits],
        );
        let named = self.test(Subject::Slot(self.kept.finished_by), Test::Filled(true));
        let is_running = self.not(done);
        self.always_one_of("the_end_names_its_rule", &[is_running, named]);
    }

    /// Transitions follow the order of the phases.
    fn phases(&mut self) {
        let OwnStates {
            start,
            summary,
            done,
            ..
        } = self.states;
        let later: Vec<StateId> = self
            .points
            .iter()
            .flat_map(|point| [point.first, point.again])
            .chain(summary)
            .chain([done])
            .collect();
        let again: Vec<StateId> = self.points.iter().map(|point| point.again).collect();
        // Transitions that must not occur.
        let mut parts = Vec::new();
        for (from, to) in [(later, vec![start]), (vec![start], again)] {
            let from = self.was_in(&from);
            let to = self.in_states(&to);
            parts.push(self.and(&[from, to]));
        }
        // A completed interview is resumed only if the user changes an answer.
        let over = self.was_in(&[done]);
        let stays = self.in_states(&[done]);
        let edit = self.is_meant(self.intents.edit);
        let leaves = self.not(stays);
        let unasked = self.not(edit);
        parts.push(self.and(&[over, leaves, unasked]));
        let broken = self.or(&parts);
        self.property("phases_follow_their_edges", broken, PropertyKind::Never);
    }

    fn within(&mut self, name: &str, (counter, limit): (CounterId, LimitId)) {
        let holds = self.test(
            Subject::Counter(counter),
            Test::Compare(Comparison::AtMost, Bound::Limit(limit, 0)),
        );
        self.property(name, holds, PropertyKind::Always);
    }

    /// A point is asked only if no other point must be asked first.
    fn asked_in_its_turn(&mut self, point: PointPlan<'_>) {
        let elsewhere = self.elsewhere(point);
        let enters = self.and(&[point.known.here, elsewhere]);
        // Points with a higher priority are asked first.
        let ready: Vec<ConditionId> = self
            .points
            .clone()
            .into_iter()
            .filter(|other| other.draft.priority < point.draft.priority)
            .map(|other| self.is_ready(other))
            .collect();
        if !ready.is_empty() {
            let waits = self.or(&ready);
            self.never_all(
                &point.property("waits_for_what_matters_more"),
                &[enters, waits],
            );
        }
        // Its dependencies must be complete.
        let complete: Vec<ConditionId> = self.others(point).map(|other| other.completed).collect();
        if !complete.is_empty() {
            let ready = self.and(&complete);
            let unready = self.not(ready);
            self.never_all(
                &point.property("waits_for_what_it_depends_on"),
                &[enters, unready],
            );
        }
    }

    /// The first question about a point is asked only once. Further questions follow only an insufficient answer.
    fn asked_as_it_should_be(&mut self, point: PointPlan<'_>) {
        let known = point.known;
        let is_first = self.in_states(&[point.first]);
        let asked = Subject::Counter(point.asked);
        let twice = self.test(asked, compared(Comparison::MoreThan, 1));
        self.never_all(&point.property("is_asked_once"), &[is_first, twice]);
        let is_again = self.in_states(&[point.again]);
        let elsewhere = self.elsewhere(point);
        self.never_all(
            &point.property("is_asked_again_only_after_its_answer"),
            &[is_again, elsewhere],
        );
        self.never_all(
            &point.property("is_not_asked_where_it_is_complete"),
            &[known.completed, known.here],
        );
        let skipped = self.is_one_of(point.kept.state, &[PointState::Skipped]);
        self.never_all(
            &point.property("is_not_asked_where_it_is_passed_over"),
            &[skipped, known.here],
        );
    }

    /// A point contains only answers to its own questions.
    fn answered(&mut self, point: PointPlan<'_>) {
        let answers = point.kept.answers;
        let as_before = self.test(Subject::Slot(answers), Test::SameAs(answers));
        let asked_here = self.was_in(&[point.first, point.again]);
        let edit = self.is_meant(self.intents.edit);
        self.always_one_of(
            &point.property("holds_its_own_answers"),
            &[as_before, asked_here, point.known.answered, edit],
        );
        let answer = self.is_meant(self.intents.answer);
        let said = self.test(Subject::Said(self.brings.answer), Test::Filled(true));
        let empty = self.test(Subject::Slot(answers), Test::Filled(false));
        self.never_all(
            &point.property("loses_no_answer"),
            &[asked_here, answer, said, empty],
        );
    }

    /// Only an answer completes a point, and the confidence of a complete point is sufficient.
    fn completed(&mut self, point: PointPlan<'_>) {
        let kept = point.kept;
        let known = point.known;
        let completed = Test::Is([Value::text(PointState::Completed.name())].into());
        let was = self.test(Subject::Was(kept.state), completed);
        let was_not = self.not(was);
        let becomes = self.and(&[known.completed, was_not]);
        let empty = self.test(Subject::Slot(kept.answers), Test::Filled(false));
        self.never_all(
            &point.property("is_not_complete_without_an_answer"),
            &[becomes, empty],
        );
        let asked_here = self.was_in(&[point.first, point.again]);
        let answered = self.or(&[asked_here, known.answered]);
        let unanswered = self.not(answered);
        self.never_all(
            &point.property("is_completed_by_its_own_answer"),
            &[becomes, unanswered],
        );
        let sure = self.is_sure(Subject::Slot(kept.confidence));
        let unsure = self.not(sure);
        self.never_all(
            &point.property("is_complete_only_when_it_is_sure_enough"),
            &[known.completed, unsure],
        );
    }

    /// Tests whether the point was not asked before the turn, and the user does not change an answer.
    fn elsewhere(&mut self, point: PointPlan<'_>) -> ConditionId {
        let was_here = self.was_in(&[point.first, point.again]);
        let edit = self.is_meant(self.intents.edit);
        let either = self.or(&[was_here, edit]);
        self.not(either)
    }

    fn always_one_of(&mut self, name: &str, conditions: &[ConditionId]) {
        let holds = self.or(conditions);
        self.property(name, holds, PropertyKind::Always);
    }

    fn never_all(&mut self, name: &str, conditions: &[ConditionId]) {
        let broken = self.and(conditions);
        self.property(name, broken, PropertyKind::Never);
    }

    fn property(&mut self, name: &str, condition: ConditionId, kind: PropertyKind) {
        let rule = self.builder.rule(self.file.span, self.origin);
        self.builder.properties.push(MachineProperty {
            name: name.into(),
            condition,
            kind,
            rule,
        });
    }
}
