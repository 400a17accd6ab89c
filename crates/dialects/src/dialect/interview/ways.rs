//! The ways of an interview: from each state, what an answer and what else happens leads to.

use std::sync::Arc;

use super::asking::Asking;
use super::lower::InterviewLowering;
use super::storing::{AUDIT, COMPLETED, FINISH, IN_PROGRESS, state};
use fsmsim_core::engine::policy::inquiry::PointState;
use fsmsim_core::machine::{
    Bound, ChainTable, Clause, Comparison, ConditionId, Consequent, ControlNode, Float, IntentId,
    Op, OpKind, RuleId, Speech, StateId, Subject, Test, Value, ValueSource, Way,
};
use fsmsim_syntax::diagnostic::Span;

/// The action of storing an answer.
const STORE: &str = "store_answer";

/// The rules by which an interview ends.
const QUESTION_LIMIT: &str = "question_limit";
const ALL_SETTLED: &str = "every_point_settled";
const SUMMARY_AGREED: &str = "summary_agreed";
const SUMMARY_UNANSWERED: &str = "summary_unanswered";

impl InterviewLowering<'_> {
    /// The ways out of all states.
    pub(super) fn states(&mut self) {
        self.start();
        for place in 0..self.points.len() {
            self.point(place);
        }
        self.agenda();
        self.summary();
        self.done();
    }

    /// The interview begins where the agent speaks first, or where the user does.
    fn start(&mut self) {
        let begins = self.edge(
            self.file.span,
            None,
            self.states.agenda,
            |lowering, rule| {
                let set = |slot, source| Op {
                    kind: OpKind::Set(slot, source),
                    when: None,
                    rule,
                };
                let mut ops = vec![
                    set(
                        lowering.kept.status,
                        ValueSource::Constant(Value::text(IN_PROGRESS)),
                    ),
                    set(
                        lowering.kept.started_at,
                        ValueSource::Said(lowering.brings.now),
                    ),
                ];
                ops.extend(says(&lowering.file.texts.greeting, rule));
                ops.extend(lowering.pass_over_ops(rule));
                ops
            },
        );
        let ways = [self.events.open, self.intents.answer].map(|intent| (intent, vec![begins]));
        self.finish_state(self.states.start, ways.into(), true);
    }

    /// A point that is asked: its answer is enough, or it is asked again, or it is set aside.
    fn point(&mut self, place: usize) {
        let Some((plan, known)) = self.point_at(place) else {
            return;
        };
        let (span, first, again) = (plan.span, plan.first, plan.again);
        let settled = self.or(&[known.completed, known.enough]);
        let unsettled = self.not(settled);
        let may_ask = self.may_ask();
        let spent = self.at_limit(self.follow_ups.0, self.follow_ups.1);
        let left = self.not(spent);
        let asks_again = self.and(&[unsettled, may_ask, left]);
        // Once it was asked again, there must be something new in the answer to go on.
        let asks_more = self.and(&[asks_again, known.more]);
        for (here, when) in [(first, asks_again), (again, asks_more)] {
            let asks = self.edge(span, Some(when), again, |lowering, rule| {
                lowering.ask_ops(place, Asking::Again, rule)
            });
            let goes_on = self.edge(span, None, self.states.agenda, |lowering, rule| {
                let unsettled = lowering.not(known.completed);
                let mut ops = lowering.set_aside(place, unsettled, rule);
                ops.extend(lowering.pass_over_ops(rule));
                ops
            });
            let edits: Vec<Clause> = (0..self.points.len())
                .filter(|other| *other != place)
                .filter_map(|other| self.replacement(other, here))
                .collect();
            self.finish_state(
                here,
                vec![
                    (self.intents.answer, vec![asks, goes_on]),
                    (self.intents.edit, edits),
                ],
                true,
            );
        }
    }

    /// The next point, in the order of what matters most; else all is summed up, or it is over.
    fn agenda(&mut self) {
        let mut ways = Vec::new();
        let may_ask = self.may_ask();
        let over = self.not(may_ask);
        ways.push(self.end(over, QUESTION_LIMIT));
        for place in self.order.agenda.clone() {
            let Some((ready, plan)) = self.is_ready(place).zip(self.points.get(place)) else {
                continue;
            };
            let (span, first) = (plan.span, plan.first);
            ways.push(self.edge(span, Some(ready), first, |lowering, rule| {
                lowering.ask_ops(place, Asking::First, rule)
            }));
        }
        let always = self.and(&[]);
        match self.states.summary {
            Some(summary) => {
                ways.push(self.edge(self.file.span, Some(always), summary, Self::sum_up));
            }
            None => ways.push(self.end(always, ALL_SETTLED)),
        }
        let ways = ways.into_iter().filter_map(|way| match way {
            Clause {
                when: Some(when),
                then: Consequent::State(next),
                rule,
            } => Some(Way { when, next, rule }),
            _ => None,
        });
        let node = ControlNode::Choice {
            ways: ways.collect(),
            default: None,
        };
        self.builder.states[self.states.agenda].node = Some(Box::new(node));
    }

    /// All that is known is told, and the user is asked whether it is right.
    fn sum_up(&mut self, rule: RuleId) -> Vec<Op> {
        let texts = &self.file.texts;
        let told = self
            .file
            .points
            .iter()
            .zip(&self.points)
            .map(|(draft, plan)| (draft.label.into(), plan.kept.answers));
        let speech = Speech::Known {
            before: texts.summary.into(),
            told: told.collect(),
            behind: texts.confirm.into(),
        };
        let ops = [
            OpKind::Count(self.questions.0, 1),
            OpKind::Recount(self.since_summary, 0),
            OpKind::Say(Arc::new(speech)),
        ];
        ops.into_iter()
            .map(|kind| Op {
                kind,
                when: None,
                rule,
            })
            .collect()
    }

    /// The user agrees, changes an answer, or says something else.
    fn summary(&mut self) {
        let Some(summary) = self.states.summary else {
            return;
        };
        let span = self.file.span;
        let always = self.and(&[]);
        let agreed = self.end(always, SUMMARY_AGREED);
        let changes = self.changes();
        let asked = Test::Compare(Comparison::AtLeast, Bound::Number(Float::new(1.0)));
        let asked = self.test(Subject::Counter(self.since_summary), asked);
        let may_ask = self.may_ask();
        let spent = self.not(may_ask);
        let over = [
            self.end(spent, QUESTION_LIMIT),
            self.end(asked, SUMMARY_UNANSWERED),
        ];
        let asks = self.edge(span, None, summary, |lowering, rule| {
            let counts = [lowering.questions.0, lowering.since_summary];
            let mut ops: Vec<Op> = counts
                .into_iter()
                .map(|counter| Op {
                    kind: OpKind::Count(counter, 1),
                    when: None,
                    rule,
                })
                .collect();
            ops.extend(says(&[lowering.file.texts.unclear], rule));
            ops
        });
        let answers = over.into_iter().chain([asks]).collect();
        let ways = vec![
            (self.intents.agree, vec![agreed]),
            (self.intents.edit, changes),
            (self.intents.answer, answers),
        ];
        self.finish_state(summary, ways, true);
    }

    /// What is over can be audited, and an answer can be changed after all.
    fn done(&mut self) {
        let (done, span) = (self.states.done, self.file.span);
        let changes = self.changes();
        let audits = self.edge(span, None, done, |lowering, rule| {
            vec![lowering.effect(AUDIT, &[], rule)]
        });
        self.finish_state(
            done,
            vec![
                (self.intents.edit, changes),
                (self.events.audit, vec![audits]),
            ],
            false,
        );
    }

    /// The ways of changing answers, with the new one or without.
    fn changes(&mut self) -> Vec<Clause> {
        let agenda = self.states.agenda;
        let may_ask = self.may_ask();
        let mut ways = Vec::new();
        for place in 0..self.points.len() {
            ways.extend(self.replacement(place, agenda));
            let Some((plan, known)) = self.point_at(place) else {
                continue;
            };
            let (span, again) = (plan.span, plan.again);
            let when = self.and(&[known.named, may_ask]);
            ways.push(self.edge(span, Some(when), again, |lowering, rule| {
                let mut ops = lowering.reopen_ops(place, rule);
                ops.extend(lowering.ask_ops(place, Asking::Change, rule));
                ops
            }));
        }
        ways
    }

    /// A new answer to a point takes the place of the old one.
    fn replacement(&mut self, place: usize, to: StateId) -> Option<Clause> {
        let (known, rule) = (
            self.conditions.get(place).copied()?,
            *self.replaces.get(place)?,
        );
        let when = self.and(&[known.named, known.answered]);
        Some(Clause {
            when: Some(when),
            then: Consequent::State(to),
            rule,
        })
    }

    /// What stores answers, and what puts one in the place of another.
    pub(super) fn declare_storing(&mut self) {
        let ops = self.store_ops(self.stores);
        self.builder.give_ops(self.stores, ops);
        for place in 0..self.points.len() {
            let Some((plan, known)) = self.point_at(place) else {
                continue;
            };
            let (span, asked) = (plan.span, plan.asked);
            let rule = self.builder.rule(span, self.origin);
            let mut ops = self.reopen_ops(place, rule);
            ops.extend(self.store_ops(rule));
            // One that was asked already is not asked for the first time again.
            let was_asked = Test::Compare(Comparison::AtLeast, Bound::Number(Float::new(1.0)));
            let was_asked = self.test(Subject::Counter(asked), was_asked);
            let unsettled = self.not(known.completed);
            let when = self.and(&[was_asked, unsettled]);
            ops.extend(self.set_aside(place, when, rule));
            ops.extend(self.pass_over_ops(rule));
            self.builder.give_ops(rule, ops);
            self.replaces.push(rule);
        }
    }

    fn set_aside(&self, place: usize, when: ConditionId, rule: RuleId) -> Vec<Op> {
        let slot = self.points.get(place).map(|plan| plan.kept.state);
        let set = |slot| Op {
            kind: OpKind::Set(slot, state(PointState::Incomplete)),
            when: Some(when),
            rule,
        };
        slot.map(set).into_iter().collect()
    }

    /// The way to the end, by a rule that it names.
    fn end(&mut self, when: ConditionId, by: &str) -> Clause {
        self.edge(
            self.file.span,
            Some(when),
            self.states.done,
            |lowering, rule| {
                let set = |slot, source| Op {
                    kind: OpKind::Set(slot, source),
                    when: None,
                    rule,
                };
                let constant = |text| ValueSource::Constant(Value::text(text));
                let kept = lowering.kept;
                let mut ops = vec![
                    set(kept.status, constant(COMPLETED)),
                    set(kept.finished_by, constant(by)),
                    set(kept.completed_at, ValueSource::Said(lowering.brings.now)),
                    lowering.effect(FINISH, &[], rule),
                ];
                ops.extend(says(&lowering.file.texts.closing, rule));
                ops
            },
        )
    }

    /// There may be one more question.
    fn may_ask(&mut self) -> ConditionId {
        let spent = self.at_limit(self.questions.0, self.questions.1);
        self.not(spent)
    }

    /// A point can be asked: it is open, and all that it depends on is complete.
    pub(super) fn is_ready(&mut self, place: usize) -> Option<ConditionId> {
        let known = self.conditions.get(place).copied()?;
        let others = self
            .order
            .depends_on
            .get(place)?
            .iter()
            .filter_map(|other| self.conditions.get(*other));
        let parts: Vec<ConditionId> = std::iter::once(known.open)
            .chain(others.map(|other| other.completed))
            .collect();
        Some(self.and(&parts))
    }

    fn edge(
        &mut self,
        span: Span,
        when: Option<ConditionId>,
        to: StateId,
        does: impl FnOnce(&mut Self, RuleId) -> Vec<Op>,
    ) -> Clause {
        let rule = self.builder.rule(span, self.origin);
        let ops = does(self, rule);
        self.builder.give_ops(rule, ops);
        Clause {
            when,
            then: Consequent::State(to),
            rule,
        }
    }

    /// Gives a state its ways. Nothing is lost where nobody answers in time: the interview stays where it is.
    fn finish_state(&mut self, id: StateId, ways: Vec<(IntentId, Vec<Clause>)>, stores: bool) {
        let waits = self.edge(self.file.span, None, id, |lowering, rule| {
            says(&lowering.file.texts.waiting, rule)
        });
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
            let rule = Clause {
                when: None,
                then: Consequent::Action(action),
                rule: self.stores,
            };
            let chain = self.builder.chain(&[rule]);
            self.builder.states[id].rules = ChainTable::new(vec![(self.intents.answer, chain)]);
        }
    }
}

/// Says these texts, a message each.
fn says(texts: &[&str], rule: RuleId) -> Vec<Op> {
    let say = |text: &&str| OpKind::Say(Arc::new(Speech::Text((*text).into())));
    texts
        .iter()
        .map(|text| Op {
            kind: say(text),
            when: None,
            rule,
        })
        .collect()
}
