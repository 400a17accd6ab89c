//! What every interview keeps to, whatever way it takes: properties that are checked after each turn, and held against
//! recorded dialogues.

use super::asking::compared;
use super::lower::InterviewLowering;
use super::storing::SAVE;
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    Bound, Comparison, Condition, ConditionId, CounterId, Float, LimitId, MachineProperty,
    PropertyKind, StateId, Subject, Test, Value,
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
        self.endings();
    }

    /// How an interview ends: by a rule that it names, and not before it has to.
    fn endings(&mut self) {
        let done = self.in_states(&[self.states.done]);
        let was_done = self
            .builder
            .condition(Condition::From([self.states.done].into()));
        let went_on = self.not(was_done);
        let spent = self.at_limit(self.questions.0, self.questions.1);
        let left = self.not(spent);
        let ready: Vec<ConditionId> = (0..self.points.len())
            .filter_map(|place| self.is_ready(place))
            .collect();
        let waits = self.or(&ready);
        let broken = self.and(&[done, went_on, left, waits]);
        self.never("it_ends_only_when_nothing_is_left_to_ask", broken);
        let named = self.test(Subject::Slot(self.kept.finished_by), Test::Filled(true));
        let goes_on = self.not(done);
        let holds = self.or(&[goes_on, named]);
        self.always("the_end_names_its_rule", holds);
    }

    /// Phases follow each other along these edges.
    fn phases(&mut self) {
        let states = self.states.clone();
        let all: Vec<_> = self
            .points
            .iter()
            .flat_map(|point| [point.first, point.again])
            .collect();
        let again: Vec<_> = self.points.iter().map(|point| point.again).collect();
        let summary: Vec<_> = states.summary.into_iter().collect();
        // From where to where no dialogue goes.
        let broken = [
            (
                all.iter()
                    .chain(&summary)
                    .copied()
                    .chain([states.done])
                    .collect::<Vec<_>>(),
                vec![states.start],
            ),
            (vec![states.start], again.clone()),
        ];
        let mut parts = Vec::new();
        for (from, to) in broken {
            let from = self.builder.condition(Condition::From(from.into()));
            let to = self.in_states(&to);
            parts.push(self.and(&[from, to]));
        }
        // What is over is opened again only where somebody changes an answer.
        let over = self
            .builder
            .condition(Condition::From([states.done].into()));
        let stays = self.in_states(&[states.done]);
        let edit = self
            .builder
            .condition(Condition::Intents([self.intents.edit].into()));
        let (leaves, unasked) = (self.not(stays), self.not(edit));
        parts.push(self.and(&[over, leaves, unasked]));
        let broken = self.or(&parts);
        self.never("phases_follow_their_edges", broken);
    }

    fn within(&mut self, name: &str, (counter, limit): (CounterId, LimitId)) {
        let holds = self.test(
            Subject::Counter(counter),
            Test::Compare(Comparison::AtMost, Bound::Limit(limit, 0)),
        );
        self.always(name, holds);
    }

    /// What holds of each point.
    fn properties_of(&mut self, place: usize) {
        self.asked_in_its_turn(place);
        self.asked_as_it_should_be(place);
        self.answered(place);
        self.completed(place);
    }

    /// A point has its turn where nothing else comes before it.
    fn asked_in_its_turn(&mut self, place: usize) {
        let Some((plan, known)) = self.point_at(place) else {
            return;
        };
        let (id, first, again) = (plan.id.clone(), plan.first, plan.again);
        let elsewhere = self.elsewhere(&[first, again]);
        let enters = self.and(&[known.here, elsewhere]);
        // Points that matter more are asked before.
        let mine = self.file.points.get(place).map(|point| point.priority);
        let before: Vec<usize> = (0..self.points.len())
            .filter(|other| self.file.points.get(*other).map(|point| point.priority) < mine)
            .collect();
        let ready: Vec<ConditionId> = before
            .into_iter()
            .filter_map(|other| self.is_ready(other))
            .collect();
        if !ready.is_empty() {
            let waits = self.or(&ready);
            let broken = self.and(&[enters, waits]);
            self.never(&format!("{id}_waits_for_what_matters_more"), broken);
        }
        // And those that it depends on are complete.
        let others = self
            .order
            .depends_on
            .get(place)
            .cloned()
            .unwrap_or_default();
        let complete: Vec<ConditionId> = others
            .iter()
            .filter_map(|other| Some(self.conditions.get(*other)?.completed))
            .collect();
        if !complete.is_empty() {
            let ready = self.and(&complete);
            let unready = self.not(ready);
            let broken = self.and(&[enters, unready]);
            self.never(&format!("{id}_waits_for_what_it_depends_on"), broken);
        }
    }

    /// A point is asked once, and again only where its answer is not enough.
    fn asked_as_it_should_be(&mut self, place: usize) {
        let Some((plan, known)) = self.point_at(place) else {
            return;
        };
        let (kept, id, asked, first, again) = (
            plan.kept,
            plan.id.clone(),
            plan.asked,
            plan.first,
            plan.again,
        );
        let is_first = self.in_states(&[first]);
        let twice = self.test(Subject::Counter(asked), compared(Comparison::MoreThan, 1));
        let broken = self.and(&[is_first, twice]);
        self.never(&format!("{id}_is_asked_once"), broken);
        let is_again = self.in_states(&[again]);
        let elsewhere = self.elsewhere(&[first, again]);
        let broken = self.and(&[is_again, elsewhere]);
        self.never(
            &format!("{id}_is_asked_again_only_after_its_answer"),
            broken,
        );
        let broken = self.and(&[known.completed, known.here]);
        self.never(&format!("{id}_is_not_asked_where_it_is_complete"), broken);
        let skipped = self.is_one_of(kept.state, &[PointState::Skipped]);
        let broken = self.and(&[skipped, known.here]);
        self.never(
            &format!("{id}_is_not_asked_where_it_is_passed_over"),
            broken,
        );
    }

    /// What was answered to a point is known of it, and nothing else is.
    fn answered(&mut self, place: usize) {
        let Some((plan, known)) = self.point_at(place) else {
            return;
        };
        let (kept, id, first, again) = (plan.kept, plan.id.clone(), plan.first, plan.again);
        let as_before = self.test(Subject::Slot(kept.answers), Test::SameAs(kept.answers));
        let asked_here = self
            .builder
            .condition(Condition::From([first, again].into()));
        let edit = self
            .builder
            .condition(Condition::Intents([self.intents.edit].into()));
        let holds = self.or(&[as_before, asked_here, known.answered, edit]);
        self.always(&format!("{id}_holds_its_own_answers"), holds);
        let answer = self
            .builder
            .condition(Condition::Intents([self.intents.answer].into()));
        let said = self.test(Subject::Said(self.brings.answer), Test::Filled(true));
        let empty = self.test(Subject::Slot(kept.answers), Test::Filled(false));
        let broken = self.and(&[asked_here, answer, said, empty]);
        self.never(&format!("{id}_loses_no_answer"), broken);
    }

    /// A point becomes complete by an answer, and stays sure enough.
    fn completed(&mut self, place: usize) {
        let Some((plan, known)) = self.point_at(place) else {
            return;
        };
        let (kept, id, first, again) = (plan.kept, plan.id.clone(), plan.first, plan.again);
        let completed = Test::Is([Value::text(PointState::Completed.name())].into());
        let was = self.test(Subject::Was(kept.state), completed);
        let was_not = self.not(was);
        let becomes = self.and(&[known.completed, was_not]);
        let empty = self.test(Subject::Slot(kept.answers), Test::Filled(false));
        let broken = self.and(&[becomes, empty]);
        self.never(&format!("{id}_is_not_complete_without_an_answer"), broken);
        let asked_here = self
            .builder
            .condition(Condition::From([first, again].into()));
        let answered = self.or(&[asked_here, known.answered]);
        let unanswered = self.not(answered);
        let broken = self.and(&[becomes, unanswered]);
        self.never(&format!("{id}_is_completed_by_its_own_answer"), broken);
        let threshold = Bound::Number(Float::new(self.file.threshold));
        let sure = self.test(
            Subject::Slot(kept.confidence),
            Test::Compare(Comparison::AtLeast, threshold),
        );
        let unsure = self.not(sure);
        let broken = self.and(&[known.completed, unsure]);
        self.never(
            &format!("{id}_is_complete_only_when_it_is_sure_enough"),
            broken,
        );
    }

    /// The dialogue was in none of these states, and nobody asked to change an answer.
    fn elsewhere(&mut self, states: &[StateId]) -> ConditionId {
        let was_here = self.builder.condition(Condition::From(states.into()));
        let edit = self
            .builder
            .condition(Condition::Intents([self.intents.edit].into()));
        let either = self.or(&[was_here, edit]);
        self.not(either)
    }

    fn always(&mut self, name: &str, condition: ConditionId) {
        self.property(name, condition, PropertyKind::Always);
    }

    fn never(&mut self, name: &str, condition: ConditionId) {
        self.property(name, condition, PropertyKind::Never);
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
