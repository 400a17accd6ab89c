//! The edges of an interview: transitions on answers and other events.

use std::sync::Arc;

use super::asking::Asking;
use super::conditions::compared;
use super::lower::{Deed, InterviewLowering, PointPlan, always};
use super::storing::{AUDIT, COMPLETED, FINISH, IN_PROGRESS, constant, state};
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    Alternative, ChainTable, ChoiceBranch, Comparison, ConditionId, Consequent, ControlNode,
    IntentId, OpKind, Speech, StateId, Subject, ValueSource,
};
use fsmsim_syntax::diagnostic::Span;

/// The action that stores an answer.
const STORE: &str = "store_answer";

/// The names of the rules that end an interview.
const QUESTION_LIMIT: &str = "question_limit";
const ALL_SETTLED: &str = "every_point_settled";
const SUMMARY_AGREED: &str = "summary_agreed";
const SUMMARY_UNANSWERED: &str = "summary_unanswered";

impl InterviewLowering<'_> {
    /// Adds the edges of all states.
    pub(super) fn states(&mut self) {
        self.start();
        for point in self.points.clone() {
            self.point(point);
        }
        self.agenda();
        self.summary();
        self.done();
    }

    /// The edges from the initial state: the agent or the user starts the interview.
    fn start(&mut self) {
        let mut deeds = always([
            OpKind::Set(self.kept.status, constant(IN_PROGRESS)),
            OpKind::Set(self.kept.started_at, ValueSource::Said(self.brings.now)),
        ]);
        deeds.extend(says(&self.file.texts.greeting));
        deeds.extend(self.skip_points());
        let begins = self.edge(self.file.span, None, self.states.agenda, deeds);
        let ways = [self.events.open, self.intents.answer].map(|intent| (intent, vec![begins]));
        self.finish_state(self.states.start, ways.into(), true);
    }

    /// The edges from the states of a point: the point is complete, is asked again, or becomes incomplete.
    fn point(&mut self, point: PointPlan<'_>) {
        let span = point.draft.span;
        let known = point.known;
        let settled = self.or(&[known.completed, known.enough]);
        let unsettled = self.not(settled);
        let may_ask = self.may_ask();
        let spent = self.at_limit(self.follow_ups);
        let left = self.not(spent);
        let asks_again = self.and(&[unsettled, may_ask, left]);
        // After a repeated question, the point is asked again only if the answer increases the confidence.
        let asks_more = self.and(&[asks_again, known.more]);
        for (here, when) in [(point.first, asks_again), (point.again, asks_more)] {
            let deeds = self.ask(point, Asking::Again);
            let asks = self.edge(span, Some(when), point.again, deeds);
            let unsettled = self.not(known.completed);
            let mut deeds = vec![mark_incomplete(point, unsettled)];
            deeds.extend(self.skip_points());
            let continues = self.edge(span, None, self.states.agenda, deeds);
            let edits = self
                .points
                .clone()
                .into_iter()
                .filter(|other| other.first != point.first)
                .map(|other| self.replacement(other, here))
                .collect();
            let ways = vec![
                (self.intents.answer, vec![asks, continues]),
                (self.intents.edit, edits),
            ];
            self.finish_state(here, ways, true);
        }
    }

    /// Selects the next point by priority. If no point remains, the summary follows, or the interview ends.
    fn agenda(&mut self) {
        let may_ask = self.may_ask();
        let over = self.not(may_ask);
        let mut ways = vec![self.end(over, QUESTION_LIMIT)];
        for place in &self.order.agenda {
            let Some(point) = self.points.get(*place).copied() else {
                continue;
            };
            let ready = self.is_ready(point);
            let deeds = self.ask(point, Asking::First);
            ways.push(self.edge(point.draft.span, Some(ready), point.first, deeds));
        }
        let always = self.and(&[]);
        ways.push(match self.states.summary {
            Some(summary) => {
                let deeds = self.sum_up();
                self.edge(self.file.span, Some(always), summary, deeds)
            }
            None => self.end(always, ALL_SETTLED),
        });
        let ways = ways.into_iter().filter_map(|way| match way {
            Alternative {
                when: Some(when),
                then: Consequent::State(next),
                rule,
            } => Some(ChoiceBranch { when, next, rule }),
            _ => None,
        });
        let node = ControlNode::Choice {
            ways: ways.collect(),
            default: None,
        };
        self.builder.states[self.states.agenda].node = Some(Box::new(node));
    }

    /// The operations of the summary: they list all answers and ask the user for confirmation.
    fn sum_up(&self) -> Vec<Deed> {
        let answers = self
            .points
            .iter()
            .map(|point| (point.draft.label.into(), point.kept.answers));
        let speech = Speech::Known {
            before: self.file.texts.summary.into(),
            values: answers.collect(),
            after: self.file.texts.confirm.into(),
        };
        always([
            OpKind::Count(self.questions.0, 1),
            OpKind::Recount(self.since_summary, 0),
            OpKind::Say(Arc::new(speech)),
        ])
    }

    /// The edges from the summary: the user confirms it, changes an answer, or says something else.
    fn summary(&mut self) {
        let Some(summary) = self.states.summary else {
            return;
        };
        let always_so = self.and(&[]);
        let agreed = self.end(always_so, SUMMARY_AGREED);
        let changes = self.changes();
        let asked = Subject::Counter(self.since_summary);
        let asked = self.test(asked, compared(Comparison::AtLeast, 1));
        let may_ask = self.may_ask();
        let spent = self.not(may_ask);
        let over = self.end(spent, QUESTION_LIMIT);
        let unanswered = self.end(asked, SUMMARY_UNANSWERED);
        let counts = [self.questions.0, self.since_summary];
        let mut deeds = always(counts.map(|counter| OpKind::Count(counter, 1)));
        deeds.extend(says(&[self.file.texts.unclear]));
        let asks = self.edge(self.file.span, None, summary, deeds);
        let ways = vec![
            (self.intents.agree, vec![agreed]),
            (self.intents.edit, changes),
            (self.intents.answer, vec![over, unanswered, asks]),
        ];
        self.finish_state(summary, ways, true);
    }

    /// The edges from the final state: an audit, and changes of answers.
    fn done(&mut self) {
        let done = self.states.done;
        let changes = self.changes();
        let audit = always([self.effect(AUDIT, &[])]);
        let audits = self.edge(self.file.span, None, done, audit);
        let ways = vec![
            (self.intents.edit, changes),
            (self.events.audit, vec![audits]),
        ];
        self.finish_state(done, ways, false);
    }

    /// The edges for changing an answer, with or without the new answer in the same turn.
    fn changes(&mut self) -> Vec<Alternative> {
        let may_ask = self.may_ask();
        let mut ways = Vec::new();
        for point in self.points.clone() {
            ways.push(self.replacement(point, self.states.agenda));
            let when = self.and(&[point.known.named, may_ask]);
            let mut deeds = self.reopen(point);
            deeds.extend(self.ask(point, Asking::Change));
            ways.push(self.edge(point.draft.span, Some(when), point.again, deeds));
        }
        ways
    }

    /// The edge that replaces the old answer to a point by a new answer.
    fn replacement(&mut self, point: PointPlan<'_>, to: StateId) -> Alternative {
        Alternative {
            when: Some(self.and(&[point.known.named, point.known.answered])),
            then: Consequent::State(to),
            rule: point.replaces,
        }
    }

    /// Declares the rules that store and replace answers.
    pub(super) fn declare_storing(&mut self) {
        let deeds = self.store();
        self.give(self.stores, deeds);
        let mut points = self.points.clone();
        for point in &mut points {
            point.replaces = self.builder.rule(point.draft.span, self.origin);
            let mut deeds = self.reopen(*point);
            deeds.extend(self.store());
            // Marks a point that was already asked, so that its first question is not asked again.
            let asked = Subject::Counter(point.asked);
            let was_asked = self.test(asked, compared(Comparison::AtLeast, 1));
            let unsettled = self.not(point.known.completed);
            let when = self.and(&[was_asked, unsettled]);
            deeds.push(mark_incomplete(*point, when));
            deeds.extend(self.skip_points());
            self.give(point.replaces, deeds);
        }
        self.points = points;
    }

    /// The edge to the final state. It records the rule that ended the interview.
    fn end(&mut self, when: ConditionId, by: &str) -> Alternative {
        let kept = self.kept;
        let mut deeds = always([
            OpKind::Set(kept.status, constant(COMPLETED)),
            OpKind::Set(kept.finished_by, constant(by)),
            OpKind::Set(kept.completed_at, ValueSource::Said(self.brings.now)),
            self.effect(FINISH, &[]),
        ]);
        deeds.extend(says(&self.file.texts.closing));
        self.edge(self.file.span, Some(when), self.states.done, deeds)
    }

    /// Tests whether the question limit is not reached.
    fn may_ask(&mut self) -> ConditionId {
        let spent = self.at_limit(self.questions);
        self.not(spent)
    }

    /// Tests whether a point can be asked: it is open, and its dependencies are complete.
    pub(super) fn is_ready(&mut self, point: PointPlan<'_>) -> ConditionId {
        let mut parts = vec![point.known.open];
        parts.extend(self.others(point).map(|other| other.completed));
        self.and(&parts)
    }

    fn edge(
        &mut self,
        span: Span,
        when: Option<ConditionId>,
        to: StateId,
        deeds: Vec<Deed>,
    ) -> Alternative {
        let rule = self.builder.rule(span, self.origin);
        self.give(rule, deeds);
        Alternative {
            when,
            then: Consequent::State(to),
            rule,
        }
    }

    /// Sets the edges of a state. A timeout keeps the interview in the state.
    fn finish_state(&mut self, id: StateId, ways: Vec<(IntentId, Vec<Alternative>)>, stores: bool) {
        let waiting = says(&self.file.texts.waiting);
        let waits = self.edge(self.file.span, None, id, waiting);
        let ways = ways
            .into_iter()
            .chain([(self.events.timeout, vec![waits])])
            .filter(|(_, ways)| !ways.is_empty());
        let ways: Vec<_> = ways
            .map(|(intent, ways)| (intent, self.builder.chain(&ways)))
            .collect();
        self.builder.states[id].transitions = ChainTable::new(ways);
        if stores {
            let action = self.builder.action(STORE);
            let rule = Alternative {
                when: None,
                then: Consequent::Action(action),
                rule: self.stores,
            };
            let chain = self.builder.chain(&[rule]);
            self.builder.states[id].rules = ChainTable::new(vec![(self.intents.answer, chain)]);
        }
    }
}

fn mark_incomplete(point: PointPlan<'_>, when: ConditionId) -> Deed {
    let aside = OpKind::Set(point.kept.state, state(PointState::Incomplete));
    (aside, Some(when))
}

/// Says these texts as separate messages.
fn says(texts: &[&str]) -> Vec<Deed> {
    always(
        texts
            .iter()
            .map(|text| OpKind::Say(Arc::new(Speech::Text((*text).into())))),
    )
}
