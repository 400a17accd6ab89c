//! Reading: the input becomes signals, a counted intent and stored data (docs/sales.md, "A turn").

use super::input::{Input, TurnData};
use super::name::Symbol;
use super::need::Need;
use super::session::Session;
use super::signals::{NOTHING_KNOWN, Secondary, Signals};
use crate::machine::{Id, IntentId, Machine, Roles, Settings, Signal, SignalMode, SourceKind, Value};

/// The branch to which a turn belongs, where branches are running.
pub(super) fn branch_of(machine: &Machine, session: &Session, input: &Input) -> Option<usize> {
    if !session.dag.is_open() {
        return None;
    }
    session.dag.route(input.intent.as_ref().and_then(Symbol::known), machine)
}

/// What a turn with a model needs from outside before it can begin; asked of the untouched session.
pub(super) fn need(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    branch: Option<usize>,
) -> Option<Need> {
    let state = branch.and_then(|at| session.dag.branches.get(at)?.state).unwrap_or(session.position.state);
    let decides = settings.sources.has(SourceKind::AutonomousDecision)
        && machine.state(state).interest.has(SourceKind::AutonomousDecision)
        && !(settings.switches.final_state && session.would_be_final(state, machine));
    decides.then_some(Need::Decide { state })
}

/// A turn that has begun: the intent is counted and the data is stored.
#[derive(Clone, Copy)]
pub(super) struct TurnReading {
    pub(super) objections_before: (u32, u32),
    /// The turn brought null where data should be, which the profile `reference` cannot process.
    pub(super) null_data: bool,
}

/// The intent of the input, as an id of the session.
#[inline]
pub(super) fn intent_of(machine: &Machine, session: &mut Session, input: &Input) -> IntentId {
    match &input.intent {
        Some(name) => session.intent_id(name, machine),
        None => IntentId::from_index(usize::MAX),
    }
}

/// Begins the turn: the intent is counted and the data stored. Signals were derived from what was before.
#[inline]
pub(super) fn read(
    machine: &Machine,
    settings: &Settings,
    session: &mut Session,
    input: &Input,
    intent: IntentId,
) -> TurnReading {
    let category = machine.vocabulary.categories.objection;
    let objections_before =
        (session.tracker.category_streak(category), session.tracker.category_total(category));
    if let Some(limits) = &settings.guard {
        // Under the profile `reference` silence is an empty message.
        let silence = (!settings.switches.conversation_guard).then_some("");
        session.guard.observe(session.position.state, input.say.as_deref().or(silence), limits);
    }
    session.clarification.pass_turn();
    if input.intent.is_some() && counts(machine, settings, intent, objections_before) {
        session.tracker.record(intent, machine);
    }
    // What a turn brings is gone with it where a contract says so.
    let passes = machine.contract.as_deref().is_some_and(|contract| contract.is_whole);
    for (name, value) in input.data.values().iter().filter(|_| !passes) {
        // Nothing and the empty text leave what is known as it is; 0, false and empty lists are stored.
        let says_something = match value {
            Value::Null => false,
            Value::Text(text) => !text.is_empty(),
            _ => true,
        };
        if says_something {
            session.slots.set_name(name, value.clone());
        }
    }
    if input.consent.is_said() {
        session.consent = session.consent.then(input.consent);
        if session.consent.read == Some(false) {
            forget_twin(machine, session);
        }
    }
    TurnReading { objections_before, null_data: input.data == TurnData::Null && !settings.switches.null_data }
}

/// The user does not want the data of the digital twin to be used: what was read of it is dropped.
fn forget_twin(machine: &Machine, session: &mut Session) {
    let guides = machine.states.iter().filter_map(|state| state.guide.as_deref());
    for slot in guides.flat_map(|guide| &guide.reads) {
        session.slots.set(*slot, Value::Null);
    }
}

/// Whether the intent is counted. Under the profile `reference` objections past the limit are not.
fn counts(machine: &Machine, settings: &Settings, intent: IntentId, (in_row, in_all): (u32, u32)) -> bool {
    let limits = &machine.settings.limits;
    settings.switches.objection_limits
        || !machine.intent(intent).roles.has(Roles::OBJECTION)
        || (i64::from(in_row) < limits.consecutive_objections && i64::from(in_all) < limits.total_objections)
}

/// The signals of a turn that begins now, where anybody looks at them.
#[inline]
pub(super) fn signals<'a>(
    machine: &'a Machine,
    settings: &Settings,
    session: &Session,
    input: &'a Input,
    intent: IntentId,
) -> Option<Signals<'a>> {
    (settings.signals != SignalMode::None).then(|| gather(machine, settings, session, input, intent))
}

fn gather<'a>(
    machine: &'a Machine,
    settings: &Settings,
    session: &Session,
    input: &'a Input,
    intent: IntentId,
) -> Signals<'a> {
    let mut signals = match settings.signals {
        SignalMode::None | SignalMode::Given => NOTHING_KNOWN,
        SignalMode::Derived => {
            let objections = session.tracker.category_total(machine.vocabulary.categories.objection);
            let first_counts = settings.switches.signals;
            let mut derived =
                session.window.derive(session.position.state, intent, objections, first_counts, machine);
            derived.has_extracted_data = brings_data(machine, input);
            derived
        }
    };
    // The profile `reference` keeps what is given as signals apart from the arguments of the turn.
    if settings.signals == SignalMode::Derived || settings.switches.signals {
        signals.frustration_level = input.frustration.unwrap_or(0);
        signals.tone = input.tone.as_deref();
        signals.secondary = Secondary::Names(&input.also);
        signals.options = &input.options;
        signals.question = input.question.as_deref();
    }
    for (signal, value) in &input.signals {
        signals.give(*signal, value);
    }
    if settings.signals == SignalMode::Given && !given(input, Signal::DisambiguationOptions) {
        signals.options = &input.options;
    }
    signals
}

fn given(input: &Input, signal: Signal) -> bool {
    input.signals.iter().any(|(known, _)| *known == signal)
}

/// Whether the turn brought data that matters.
fn brings_data(machine: &Machine, input: &Input) -> bool {
    input.data.values().iter().any(|(name, value)| {
        let matters = name.known().is_some_and(|slot| machine.vocabulary.meaningful.contains(&slot));
        matters && !value.is_null() && value.as_text() != Some("")
    })
}
