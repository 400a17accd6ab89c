//! Declarations of an interview: states, phases, the frames of its points, counters, events.

use super::interview_file::InterviewFile;
use super::lower::{
    InterviewEvents, InterviewLowering, InterviewSlots, OwnStates, PointConditions, PointPlan,
};
use super::order::PointOrder;
use super::point_draft::PointDraft;
use super::storing::PENDING;
use super::{AGAIN, AGENDA, DONE, FOLLOW_UPS, QUESTIONS, START, SUMMARY};
use crate::dialect::state_declaration::declare_state;
use fsmsim_core::engine::policy::agenda::{AgendaIntents, AgendaSlots};
use fsmsim_core::engine::policy::inquiry::{PointSlots, PointState};
use fsmsim_core::machine::{
    Counter, CounterId, FieldKind, Frame, FrameField, FramePart, LimitId, MachineBuilder, Origin,
    OriginId, RuleId, Traits, Value,
};

/// The phases, in order.
const PHASES: [&str; 5] = ["INIT", "EXPLORING", "DEEPENING", "VALIDATING", "FINALIZING"];

/// The counter of questions since the summary.
const SINCE_SUMMARY: &str = "since_summary";

impl<'f> InterviewLowering<'f> {
    /// Declares everything that the states and edges refer to.
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
        let own = file.span;
        let start = declare_state(START, own, Some(init), None, &mut builder);
        let agenda = declare_state(AGENDA, own, None, None, &mut builder);
        let mut points = Vec::with_capacity(file.points.len());
        let mut frames = Vec::with_capacity(file.points.len());
        for (draft, depends_on) in file.points.iter().zip(&order.depends_on) {
            let goal = if draft.about.is_empty() {
                draft.name
            } else {
                draft.about
            };
            let goal = Some(goal).filter(|goal| !goal.is_empty());
            let mut state = |name: &str, phase| {
                let goal = goal.map(Into::into);
                declare_state(name, draft.span, Some(phase), goal, &mut builder)
            };
            let first = state(draft.id, exploring);
            let again = state(&format!("{}{AGAIN}", draft.id), deepening);
            let (frame, kept) = frame(draft, origin, &mut builder);
            frames.push(frame);
            let asked = counter(&format!("asked_{}", draft.id), None, &mut builder);
            for name in &draft.fields {
                builder.slot(name);
            }
            points.push(PointPlan {
                draft,
                depends_on,
                first,
                again,
                kept,
                asked,
                // Set later, because these conditions and rules refer to the declarations below.
                known: PointConditions::default(),
                replaces: RuleId::default(),
            });
        }
        for frame in frames {
            builder.frames.push(frame);
        }
        let summary = file
            .validating
            .then(|| declare_state(SUMMARY, own, Some(validating), None, &mut builder));
        let done = declare_state(DONE, own, Some(finalizing), None, &mut builder);
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
            points: Vec::new(),
            states,
            kept,
            brings,
            intents,
            questions,
            follow_ups,
            events,
            stores,
            since_summary,
        };
        for point in &mut points {
            point.known = lowering.point_conditions(*point);
        }
        lowering.points = points;
        lowering
    }
}

/// The frame of a point: its state and its answers.
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
    let fields = kinds.map(|(name, kind)| FrameField {
        name: name.into(),
        slot: builder.slot(&format!("{}.{name}", point.id)),
        kind,
    });
    let [state, confidence, answers, earlier] = fields.each_ref().map(|field| field.slot);
    let frame = Frame {
        name: point.id.into(),
        fields: fields.into(),
        part: FramePart::None,
        rule: builder.rule(point.span, origin),
    };
    let kept = PointSlots {
        state,
        confidence,
        answers,
        earlier,
    };
    (frame, kept)
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
