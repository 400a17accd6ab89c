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

/// The action of a turn in which no other action is selected.
const NO_ACTION: &str = "wait";

/// An operation of a rule, with an optional condition.
pub(super) type Deed = (OpKind, Option<ConditionId>);

/// Converts operations to operations without conditions.
pub(super) fn always(kinds: impl IntoIterator<Item = OpKind>) -> Vec<Deed> {
    kinds.into_iter().map(|kind| (kind, None)).collect()
}

/// A point with its declared states, frame and counter.
#[derive(Clone, Copy)]
pub(super) struct PointPlan<'f> {
    pub draft: &'f PointDraft<'f>,
    /// The indexes of the points that must be complete first.
    pub depends_on: &'f [usize],
    pub first: StateId,
    pub again: StateId,
    pub kept: PointSlots,
    pub asked: CounterId,
    pub known: PointConditions,
    /// The rule that replaces an old answer.
    pub replaces: RuleId,
}

/// The states that every interview has.
#[derive(Clone, Copy)]
pub(super) struct OwnStates {
    pub start: StateId,
    pub agenda: StateId,
    pub summary: Option<StateId>,
    pub done: StateId,
}

/// The slots for the entire interview.
#[derive(Clone, Copy)]
pub(super) struct InterviewSlots {
    pub status: SlotId,
    pub finished_by: SlotId,
    pub started_at: SlotId,
    pub completed_at: SlotId,
}

pub(super) struct InterviewLowering<'f> {
    pub file: &'f InterviewFile<'f>,
    pub order: &'f PointOrder,
    pub builder: MachineBuilder,
    pub origin: OriginId,
    pub points: Vec<PointPlan<'f>>,
    pub states: OwnStates,
    pub kept: InterviewSlots,
    pub brings: AgendaSlots,
    pub intents: AgendaIntents,
    pub questions: (CounterId, LimitId),
    pub follow_ups: (CounterId, LimitId),
    /// The events of the interview.
    pub events: InterviewEvents,
    /// The rule that stores an answer in any state.
    pub stores: RuleId,
    /// The counter of questions since the summary.
    pub since_summary: CounterId,
}

/// The events of an interview, except the change of an answer.
#[derive(Clone, Copy)]
pub(super) struct InterviewEvents {
    pub open: IntentId,
    pub timeout: IntentId,
    pub audit: IntentId,
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
    conditions.check_names(None, &lowering.builder, found);
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

    /// Builds the policy that evaluates the answers.
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
                questions: texts(&draft.questions),
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
            closing: texts(&self.file.texts.closing),
            follow_ups: self.follow_ups.0,
        }
    }
}

/// The conditions of a point that several rules use.
#[derive(Clone, Copy, Default)]
pub(super) struct PointConditions {
    /// The answers are sufficient.
    pub completed: ConditionId,
    /// The point is open: neither complete, incomplete nor skipped.
    pub open: ConditionId,
    /// The point is incomplete or skipped.
    pub given_up: ConditionId,
    /// The turn answers the point.
    pub answered: ConditionId,
    /// The turn answers the point sufficiently.
    pub enough: ConditionId,
    /// The turn has a higher confidence than before.
    pub more: ConditionId,
    /// The turn has the same or a higher confidence than before.
    pub no_less: ConditionId,
    /// The dialogue asks about the point.
    pub here: ConditionId,
    /// The turn names this point as the point to change.
    pub named: ConditionId,
}
