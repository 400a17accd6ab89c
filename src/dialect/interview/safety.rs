//! What every interview keeps to, whatever way it takes: properties that are checked after each turn, and held against
//! recorded dialogues.

use super::asking::compared;
use super::lower::InterviewLowering;
use super::storing::SAVE;
use crate::engine::policy::agenda::PointState;
use crate::machine::{
    Bound, Comparison, Condition, ConditionId, CounterId, LimitId, MachineProperty, PropertyKind, Subject, Test,
};

impl InterviewLowering<'_> {
    /// The properties of every interview.
    pub(super) fn properties(&mut self) {
        self.phases();
        self.within("questions_within_limit", self.questions);
        self.within("follow_ups_within_budget", self.follow_ups);
        for place in 0..self.points.len() {
            self.properties_of(place);
        }
        let answered = self.test(Subject::Said(self.brings.answers), Test::Filled(true));
        let save = self.builder.effect(SAVE);
        let saved = self.test(Subject::Effect(save), Test::Known(true));
        let unanswered = self.not(answered);
        let holds = self.or(&[unanswered, saved]);
        self.always("answers_are_saved", holds);
        let done = self.in_states(&[self.states.done]);
        let named = self.test(Subject::Slot(self.kept.finished_by), Test::Filled(true));
        let goes_on = self.not(done);
        let holds = self.or(&[goes_on, named]);
        self.always("the_end_names_its_rule", holds);
    }

    /// Phases follow each other along these edges.
    fn phases(&mut self) {
        let states = self.states.clone();
        let all: Vec<_> = self.points.iter().flat_map(|point| [point.first, point.again]).collect();
        let again: Vec<_> = self.points.iter().map(|point| point.again).collect();
        let summary: Vec<_> = states.summary.into_iter().collect();
        // From where to where no dialogue goes.
        let broken = [
            (all.iter().chain(&summary).copied().chain([states.done]).collect::<Vec<_>>(), vec![states.start]),
            (vec![states.start], again.clone()),
        ];
        let mut parts = Vec::new();
        for (from, to) in broken {
            let from = self.builder.condition(Condition::From(from.into()));
            let to = self.in_states(&to);
            parts.push(self.and(&[from, to]));
        }
        // What is over is opened again only where somebody changes an answer.
        let over = self.builder.condition(Condition::From([states.done].into()));
        let stays = self.in_states(&[states.done]);
        let edit = self.builder.condition(Condition::Intents([self.intents.edit].into()));
        let (leaves, unasked) = (self.not(stays), self.not(edit));
        parts.push(self.and(&[over, leaves, unasked]));
        let broken = self.or(&parts);
        self.never("phases_follow_their_edges", broken);
    }

    fn within(&mut self, name: &str, (counter, limit): (CounterId, LimitId)) {
        let holds = self.test(Subject::Counter(counter), Test::Compare(Comparison::AtMost, Bound::Limit(limit, 0)));
        self.always(name, holds);
    }

    /// What holds of each point.
    fn properties_of(&mut self, place: usize) {
        let Some((plan, known)) = self.points.get(place).zip(self.conditions.get(place).copied()) else { return };
        let (kept, id, asked, first, again) = (plan.kept, plan.id.clone(), plan.asked, plan.first, plan.again);
        let is_first = self.in_states(&[first]);
        let was_first = self.builder.condition(Condition::From([first].into()));
        let enters = self.not(was_first);
        let enters = self.and(&[is_first, enters]);
        // Points that matter more are asked before.
        let mine = self.file.points.get(place).map(|point| point.priority);
        let before: Vec<usize> = (0..self.points.len())
            .filter(|other| self.file.points.get(*other).map(|point| point.priority) < mine)
            .collect();
        let ready: Vec<ConditionId> = before.into_iter().filter_map(|other| self.is_ready(other)).collect();
        if !ready.is_empty() {
            let waits = self.or(&ready);
            let broken = self.and(&[enters, waits]);
            self.never(&format!("{id}_waits_for_what_matters_more"), broken);
        }
        let twice = self.test(Subject::Counter(asked), compared(Comparison::MoreThan, 1));
        let broken = self.and(&[enters, twice]);
        self.never(&format!("{id}_is_asked_once"), broken);
        // Only what was answered to it is known of it.
        let as_before = self.test(Subject::Slot(kept.answers), Test::SameAs(kept.answers));
        let asked_here = self.builder.condition(Condition::From([first, again].into()));
        let edit = self.builder.condition(Condition::Intents([self.intents.edit].into()));
        let holds = self.or(&[as_before, asked_here, known.answered, edit]);
        self.always(&format!("{id}_holds_its_own_answers"), holds);
        // What is complete was answered.
        let empty = self.test(Subject::Slot(kept.answers), Test::Filled(false));
        let broken = self.and(&[known.completed, empty]);
        self.never(&format!("{id}_is_not_complete_without_an_answer"), broken);
        let skipped = self.is_one_of(kept.state, &[PointState::Skipped]);
        let broken = self.and(&[skipped, known.here]);
        self.never(&format!("{id}_is_not_asked_where_it_is_passed_over"), broken);
    }

    fn always(&mut self, name: &str, condition: ConditionId) {
        self.property(name, condition, PropertyKind::Always);
    }

    fn never(&mut self, name: &str, condition: ConditionId) {
        self.property(name, condition, PropertyKind::Never);
    }

    fn property(&mut self, name: &str, condition: ConditionId, kind: PropertyKind) {
        let rule = self.builder.rule(self.file.span, self.origin);
        self.builder.properties.push(MachineProperty { name: name.into(), condition, kind, rule });
    }
}
