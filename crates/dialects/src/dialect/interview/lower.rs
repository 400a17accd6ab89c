//! Lowers an interview to a machine.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::interview_file::InterviewFile;
use super::order::PointOrder;
use super::point_draft::PointDraft;
use crate::dialect::condition::Conditions;
use fsmsim_core::engine::policy::agenda::{Agenda, AgendaIntents, AgendaSlots};
use fsmsim_core::engine::policy::assemble;
use fsmsim_core::engine::policy::inquiry::{
    Criteria, Inquiry, KnowledgeSection, Point, PointSlots,
};
use fsmsim_core::engine::{Machine, PolicyList, Settings, SourceKind};
use fsmsim_core::machine::{
    ConditionId, CounterId, IntentId, LimitId, MachineBuilder, Op, OpKind, OriginId, RuleId,
    SlotId, StateId, Variant,
};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The action of turns for which no other action is selected.
const NO_ACTION: &str = "wait";

/// An operation of a rule, with an optional condition.
pub(super) type Deed = (OpKind, Option<ConditionId>);

/// Operations without conditions.
pub(super) fn always(kinds: impl IntoIterator<Item = OpKind>) -> Vec<Deed> {
    kinds.into_iter().map(|kind| (kind, None)).collect()
}

/// A point with its declared states, frame and counter.
#[derive(Clone, Copy)]
pub(super) struct PointPlan<'f> {
    pub(super) draft: &'f PointDraft<'f>,
    /// The indexes of the points that must be complete first.
    pub(super) depends_on: &'f [usize],
    pub(super) first: StateId,
    pub(super) again: StateId,
    pub(super) kept: PointSlots,
    pub(super) asked: CounterId,
    pub(super) known: PointConditions,
    /// The rule that replaces an old answer.
    pub(super) replaces: RuleId,
}

/// The states that every interview has.
#[derive(Clone, Copy)]
pub(super) struct OwnStates {
    pub(super) start: StateId,
    pub(super) agenda: StateId,
    pub(super) summary: Option<StateId>,
    pub(super) done: StateId,
}

/// The slots about the entire interview.
#[derive(Clone, Copy)]
pub(super) struct InterviewSlots {
    pub(super) status: SlotId,
    pub(super) finished_by: SlotId,
    pub(super) started_at: SlotId,
    pub(super) completed_at: SlotId,
}

pub(super) struct InterviewLowering<'f> {
    pub(super) file: &'f InterviewFile<'f>,
    pub(super) order: &'f PointOrder,
    pub(super) builder: MachineBuilder,
    pub(super) origin: OriginId,
    pub(super) points: Vec<PointPlan<'f>>,
    pub(super) states: OwnStates,
    pub(super) kept: InterviewSlots,
    pub(super) brings: AgendaSlots,
    pub(super) intents: AgendaIntents,
    pub(super) questions: (CounterId, LimitId),
    pub(super) follow_ups: (CounterId, LimitId),
    /// The events of the interview.
    pub(super) events: InterviewEvents,
    /// The rule that stores an answer in any state.
    pub(super) stores: RuleId,
    /// The counter of questions since the summary.
    pub(super) since_summary: CounterId,
}

/// The events of an interview, except the change of an answer.
#[derive(Clone, Copy)]
pub(super) struct InterviewEvents {
    pub(super) open: IntentId,
    pub(super) timeout: IntentId,
    pub(super) audit: IntentId,
}

/// Lowers an interview. Returns `None`, with findings, if it is invalid.
pub(super) fn lower(
    file: &InterviewFile<'_>,
    order: &PointOrder,
    knowledge: Arc<[KnowledgeSection]>,
    variant: Variant,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let errors = found.error_count();
    let mut lowering = InterviewLowering::declare(file, order);
    lowering.check_questions(found);
    lowering.declare_effects();
    lowering.declare_storing();
    lowering.states();
    lowering.properties();
    let mut conditions = Conditions::new(variant.switches(), FxHashMap::default());
    if let Some(own) = file.conditions {
        conditions.define(own, false, found);
    }
    file.tables.declare(&mut lowering.builder, found);
    file.tables
        .compile(&mut conditions, &mut lowering.builder, found);
    conditions.compile_own(&mut lowering.builder, found);
    if found.error_count() > errors {
        return None;
    }
    let agenda = lowering.policy(knowledge);
    let InterviewLowering {
        mut builder,
        states,
        ..
    } = lowering;
    let mut settings = Settings::for_one_source(
        variant,
        SourceKind::TransitionResolver,
        NO_ACTION,
        &mut builder,
    );
    settings.enabled = settings.enabled.with(SourceKind::IntentProcessor, true);
    let policies = PolicyList {
        agenda: Some(Box::new(agenda)),
        ..PolicyList::default()
    };
    Some(assemble(
        builder,
        file.header.clone(),
        settings,
        states.start,
        sources.clone(),
        policies,
    ))
}

impl InterviewLowering<'_> {
    /// Sets the operations of a rule.
    pub(super) fn give(&mut self, rule: RuleId, deeds: Vec<Deed>) {
        let ops = deeds
            .into_iter()
            .map(|(kind, when)| Op { kind, when, rule });
        self.builder.give_ops(rule, ops.collect());
    }

    /// The policy that evaluates the answers.
    fn policy(&mut self, knowledge: Arc<[KnowledgeSection]>) -> Agenda {
        let texts = |texts: &[&str]| -> Box<[Box<str>]> {
            texts.iter().map(|text| (*text).into()).collect()
        };
        let builder = &mut self.builder;
        let points = self.points.iter().map(|plan| {
            let draft = plan.draft;
            let fields = draft.fields.iter();
            Point {
                id: draft.id.into(),
                name: draft.name.into(),
                about: draft.about.into(),
                label: draft.label.into(),
                field: draft.field.into(),
                priority: draft.priority,
                depends_on: plan.depends_on.into(),
                hints: texts(&draft.hints),
                tags: texts(&draft.tags),
                criteria: Criteria {
                    min_length: draft.min_length,
                    keywords: texts(&draft.keywords),
                    any_keyword: texts(&draft.any_keyword),
                    fields: fields
                        .map(|name| (builder.slot(name), (*name).into()))
                        .collect(),
                },
                first: plan.first,
                again: plan.again,
                kept: plan.kept,
                asked: plan.asked,
            }
        });
        Agenda {
            inquiry: Inquiry {
                points: points.collect(),
                threshold: self.file.threshold,
                summary: self.states.summary,
                title: self.file.title.map(Into::into),
                words: self.file.texts.words,
                knowledge,
            },
            start: self.states.start,
            intents: self.intents,
            brings: self.brings,
            agree: texts(&self.file.texts.agree),
            disagree: texts(&self.file.texts.disagree),
        }
    }
}

/// The conditions of a point that several rules use.
#[derive(Clone, Copy, Default)]
pub(super) struct PointConditions {
    /// The answers are sufficient.
    pub(super) completed: ConditionId,
    /// The point is not complete, incomplete or skipped.
    pub(super) open: ConditionId,
    /// The point is incomplete or skipped.
    pub(super) given_up: ConditionId,
    /// The turn answers the point.
    pub(super) answered: ConditionId,
    /// The turn answers the point sufficiently.
    pub(super) enough: ConditionId,
    /// The turn has a higher confidence than before.
    pub(super) more: ConditionId,
    /// The turn has the same or a higher confidence than before.
    pub(super) no_less: ConditionId,
    /// The dialogue asks about the point.
    pub(super) here: ConditionId,
    /// The turn names the point as the one to change.
    pub(super) named: ConditionId,
}
