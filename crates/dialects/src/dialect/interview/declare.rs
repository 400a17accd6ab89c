//! What an interview declares: states, phases, the frames of its points, counters, events.

use super::interview_file::InterviewFile;
use super::lower::{InterviewEvents, InterviewLowering, InterviewSlots, OwnStates, PointPlan};
use super::order::PointOrder;
use super::point_draft::PointDraft;
use super::storing::PENDING;
use super::{AGAIN, AGENDA, DONE, FOLLOW_UPS, QUESTIONS, START, SUMMARY};
use fsmsim_core::engine::policy::agenda::{AgendaIntents, AgendaSlots};
use fsmsim_core::engine::policy::inquiry::{PointSlots, PointState};
use fsmsim_core::machine::{
    Counter, CounterId, FieldKind, Frame, FrameField, FramePart, LimitId, MachineBuilder, Origin,
    OriginId, PhaseId, RuleId, SlotId, State, Traits, Value,
};
use fsmsim_syntax::diagnostic::Span;

/// The phases, in their order.
const PHASES: [&str; 5] = ["INIT", "EXPLORING", "DEEPENING", "VALIDATING", "FINALIZING"];

/// Questions since all was summed up.
const SINCE_SUMMARY: &str = "since_summary";

impl<'f> InterviewLowering<'f> {
    /// Declares all that states and ways need.
    pub(super) fn declare(file: &'f InterviewFile<'f>, order: &'f PointOrder) -> Self {
        let mut builder = MachineBuilder::default();
        builder.data_passes = true;
        let origin = builder.origin(Origin::default());
        let limited = |name: &str, most: i64, builder: &mut MachineBuilder| {
            let limit = builder.limit(name);
            (counter(name, Some((limit, most)), builder), limit)
        };
        let questions = limited(QUESTIONS, file.questions, &mut builder);
        let follow_ups = limited(FOLLOW_UPS, file.follow_ups, &mut builder);
        let since_summary = counter(SINCE_SUMMARY, None, &mut builder);
        let phases = PHASES.map(|name| builder.phase(name));
        builder.ordered_phases = phases.len();
        let [init, exploring, deepening, validating, finalizing] = phases;
        let state = |builder: &mut MachineBuilder,
                     name: &str,
                     phase: Option<PhaseId>,
                     span: Span,
                     goal: &str| {
            let id = builder.state(name);
            let arrival = Some(builder.action(&format!("transition_to_{name}")));
            let goal = Some(goal).filter(|goal| !goal.is_empty()).map(Into::into);
            let state = State {
                declared: true,
                phase,
                seen_phase: phase,
                goal,
                arrival,
                span: Some(span),
                ..State::default()
            };
            builder.states[id] = state;
            id
        };
        let own = file.span;
        let start = state(&mut builder, START, Some(init), own, "");
        let agenda = state(&mut builder, AGENDA, None, own, "");
        let mut points = Vec::with_capacity(file.points.len());
        let mut frames = Vec::with_capacity(file.points.len());
        for draft in &file.points {
            let goal = if draft.about.is_empty() {
                draft.name
            } else {
                draft.about
            };
            let first = state(&mut builder, draft.id, Some(exploring), draft.span, goal);
            let again = state(
                &mut builder,
                &format!("{}{AGAIN}", draft.id),
                Some(deepening),
                draft.span,
                goal,
            );
            let (frame, kept) = frame(draft, origin, &mut builder);
            frames.push(frame);
            points.push(PointPlan {
                id: draft.id.into(),
                field: draft.field.into(),
                first,
                again,
                kept,
                asked: counter(&format!("asked_{}", draft.id), None, &mut builder),
                data: draft.fields.iter().map(|name| builder.slot(name)).collect(),
                span: draft.span,
            });
        }
        for frame in frames {
            builder.frames.push(frame);
        }
        let summary = file
            .validating
            .then(|| state(&mut builder, SUMMARY, Some(validating), own, ""));
        let done = state(&mut builder, DONE, Some(finalizing), own, "");
        builder.states[done].is_final = true;
        let kept = InterviewSlots {
            status: builder.slot("completion_status"),
            finished_by: builder.slot("finished_by"),
            started_at: builder.slot("started_at"),
            completed_at: builder.slot("completed_at"),
        };
        builder
            .initial_data
            .push((kept.status, Value::text(PENDING)));
        let brings = AgendaSlots {
            answer: builder.slot("text"),
            answers: builder.slot("for"),
            missing: builder.slot("missing"),
            point: builder.slot("point"),
            now: builder.slot("now"),
        };
        let intents = AgendaIntents {
            answer: builder.intent("answer"),
            agree: builder.intent("agree"),
            edit: builder.intent("edit"),
        };
        builder.give_trait("audit", Traits::EVENT);
        builder.category(fsmsim_core::machine::EVENT_CATEGORY);
        let events = InterviewEvents {
            open: builder.intent("open"),
            timeout: builder.intent("timeout"),
            audit: builder.intent("audit"),
        };
        let stores = builder.rule(own, origin);
        let states = OwnStates {
            start,
            agenda,
            summary,
            done,
        };
        let mut lowering = Self {
            file,
            order,
            builder,
            origin,
            points,
            conditions: Vec::new(),
            states,
            kept,
            brings,
            intents,
            questions,
            follow_ups,
            events,
            stores,
            replaces: Vec::new(),
            since_summary,
        };
        lowering.conditions = (0..lowering.points.len())
            .filter_map(|place| lowering.point_conditions(place))
            .collect();
        lowering
    }
}

/// The frame of a point: how far it is, and what was answered.
fn frame(
    point: &PointDraft<'_>,
    origin: OriginId,
    builder: &mut MachineBuilder,
) -> (Frame, PointSlots) {
    let states = <PointState as strum::VariantArray>::VARIANTS
        .iter()
        .map(|state| Value::text(state.name()));
    let kinds = [
        ("state", FieldKind::OneOf(states.collect())),
        ("confidence", FieldKind::Number),
        ("answers", FieldKind::List),
        ("earlier", FieldKind::List),
    ];
    let fields = kinds.map(|(name, kind)| {
        let slot: SlotId = builder.slot(&format!("{}.{name}", point.id));
        FrameField {
            name: name.into(),
            slot,
            kind,
        }
    });
    let [state, confidence, answers, earlier] = fields.each_ref().map(|field| field.slot);
    let rule: RuleId = builder.rule(point.span, origin);
    let frame = Frame {
        name: point.id.into(),
        fields: fields.into(),
        part: FramePart::None,
        rule,
    };
    (
        frame,
        PointSlots {
            state,
            confidence,
            answers,
            earlier,
        },
    )
}

fn counter(name: &str, limit: Option<(LimitId, i64)>, builder: &mut MachineBuilder) -> CounterId {
    let id = builder.counter(name);
    builder.counters[id] = Counter {
        is_declared: true,
        initial: 0,
        limit,
    };
    id
}
