//! Reading: the input becomes signals, a counted intent and stored data (docs/sales.md, "A turn").

use std::borrow::Cow;

use super::policy::{BeginTurn, PolicyReading, StoreTurn};
use super::session::{NOTHING_KNOWN, Secondary};
use super::{
    Answer, Fault, Input, Machine, Need, PolicyNotes, ReadingDecision, Session, Settings,
    SignalMode, Signals, Symbol, TurnContext, TurnData, certainty, first_answer, no_intent,
};
use crate::machine::{ConditionId, IntentId, NeedKind, Signal, StateId, Value};

/// What becomes of an input.
#[expect(
    clippy::large_enum_variant,
    reason = "one value a turn, which stays on the stack"
)]
pub(super) enum Reading<'i> {
    /// It is read; how a reading from outside was taken, where that said how certain it is, and what of it is no data.
    Ready(Cow<'i, Input>, Option<ReadingDecision>, Vec<Fault>),
    /// Somebody outside has to say something first.
    Need(Need),
    /// Nobody could read it.
    Unread,
}

/// What is meant by an input: as a policy reads it, as it says itself, as a phrase of the machine reads it, else as somebody
/// does who is asked.
#[inline]
pub(super) fn read<'i>(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &'i Input,
    answers: &[Answer],
) -> Reading<'i> {
    match read_whole(machine, settings, session, input, answers) {
        Reading::Ready(input, taken, mut faults)
            if machine.has_typed_slots && !input.fits(machine) =>
        {
            let mut input = input.into_owned();
            input.fit(machine, |slot, value| {
                faults.push(Fault::WrongValue { slot, value });
            });
            Reading::Ready(Cow::Owned(input), taken, faults)
        }
        reading => reading,
    }
}

/// The same, with values that slots cannot hold.
#[inline]
fn read_whole<'i>(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &'i Input,
    answers: &[Answer],
) -> Reading<'i> {
    let state = session.position.state;
    match machine.policies.read(machine, state, input, answers) {
        PolicyReading::Pass => {}
        PolicyReading::Need(need) => return Reading::Need(need),
        PolicyReading::Unread => return Reading::Unread,
        PolicyReading::Ready(input) => {
            let read = read_by_phrase(machine, settings, session, &input);
            return Reading::Ready(read.map_or(input, Cow::Owned), None, Vec::new());
        }
    }
    if !input.is_unread() {
        return Reading::Ready(Cow::Borrowed(input), None, Vec::new());
    }
    if let Some(read) = read_by_phrase(machine, settings, session, input) {
        return Reading::Ready(Cow::Owned(read), None, Vec::new());
    }
    let Some(answer) = first_answer(answers, NeedKind::Classify) else {
        return Reading::Need(Need::Classify { state });
    };
    let read = answer
        .value
        .as_ref()
        .and_then(|reading| read_by_answer(machine, settings, session, input, reading));
    let Some((read, taken, faults)) = read else {
        let read = read_otherwise(machine, settings, session, input);
        return read.map_or(Reading::Unread, |read| {
            Reading::Ready(Cow::Owned(read), None, Vec::new())
        });
    };
    Reading::Ready(Cow::Owned(read), taken, faults)
}

/// The input as somebody outside reads it, how that is taken where it says how certain it is, and what of it is no data. Nothing,
/// where it names no intent.
pub fn read_by_answer(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
    reading: &Value,
) -> Option<(Input, Option<ReadingDecision>, Vec<Fault>)> {
    let (mut read, invented) = input.read_as(reading, machine)?;
    let faults = invented
        .into_iter()
        .map(|(name, value)| Fault::UnknownSlot { name, value });
    let certain = certainty(reading.get("confidence")).is_some();
    let taken = certain.then(|| {
        let clarification = &session.clarification;
        let assessed =
            machine
                .policies
                .assess(machine, settings, clarification, reading, &mut read);
        assessed.unwrap_or(ReadingDecision::Execute)
    });
    Some((read, taken, faults.collect()))
}

/// The input as a policy of the machine reads it; nothing, where it is for others to read.
pub fn read_by_policy(
    machine: &Machine,
    state: StateId,
    input: &Input,
    answers: &[Answer],
) -> Result<Option<Input>, Need> {
    match machine.policies.read(machine, state, input, answers) {
        PolicyReading::Pass | PolicyReading::Unread => Ok(None),
        PolicyReading::Need(need) => Err(need),
        PolicyReading::Ready(read) => Ok(Some(read.into_owned())),
    }
}

/// The input as a phrase of the machine reads it; nothing, where none is found in what was said. Of several readings the
/// first counts that the policies have a use for, else the first.
pub fn read_by_phrase(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
) -> Option<Input> {
    let mut found = machine
        .phrases_in(input.say.as_deref()?)
        .filter_map(|found| {
            let read = input.read_by_phrase(&found, machine);
            is_meant(machine, settings, session, &read, found.when).then_some(read)
        });
    let (first, second) = (found.next()?, found.next());
    if second.is_none() || machine.policies.accept(machine, settings, session, &first) {
        return Some(first);
    }
    let other = second
        .into_iter()
        .chain(found)
        .find(|read| machine.policies.accept(machine, settings, session, read));
    Some(other.unwrap_or(first))
}

/// The input where nobody could read what was said, if the machine says what is meant then.
pub fn read_otherwise(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
) -> Option<Input> {
    machine
        .phrases
        .iter()
        .filter(|reading| reading.otherwise)
        .find_map(|reading| {
            let read = Input {
                intent: Some(Symbol::Known(reading.intent)),
                ..input.clone()
            };
            is_meant(machine, settings, session, &read, reading.when).then_some(read)
        })
}

/// Whether what an input was read as may be meant.
fn is_meant(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    read: &Input,
    when: Option<ConditionId>,
) -> bool {
    let intent = read.known_intent().unwrap_or_else(no_intent);
    let turn = TurnContext::new(machine, settings, session, session, read, intent);
    when.is_none_or(|when| turn.holds(when))
}

/// The branch to which a turn belongs, where branches are running.
pub(super) fn branch_of(machine: &Machine, session: &Session, input: &Input) -> Option<usize> {
    if !session.branches.is_open() {
        return None;
    }
    session.branches.route(input.known_intent(), machine)
}

#[inline]
pub(super) fn intent_of(machine: &Machine, session: &mut Session, input: &Input) -> IntentId {
    match &input.intent {
        Some(name) => session.intent_id(name, machine),
        None => no_intent(),
    }
}

/// Begins the turn: the intent is counted and the data stored. Signals were derived from what was before. Whether the turn
/// brought null where data should be, which the profile `reference` cannot process.
#[inline]
pub(super) fn begin(
    machine: &Machine,
    settings: &Settings,
    session: &mut Session,
    input: &Input,
    intent: IntentId,
    notes: &mut PolicyNotes,
) -> bool {
    let Session {
        position,
        slots,
        tracker,
        clarification,
        policies,
        ..
    } = session;
    let turn = BeginTurn {
        settings,
        tracker,
        state: position.state,
        intent,
        input,
    };
    let counts = machine.policies.begin(policies, notes, &turn, machine);
    clarification.pass_turn();
    if input.intent.is_some() && counts {
        tracker.record(intent, machine);
    }
    for (name, value) in input.data.values().iter().filter(|_| !machine.data_passes) {
        // Nothing and the empty text leave what is known as it is; 0, false and empty lists are stored.
        let says_something = match value {
            Value::Null => false,
            Value::Text(text) => !text.is_empty(),
            _ => true,
        };
        if says_something {
            slots.set_name(name, value.clone());
        }
    }
    machine
        .policies
        .store(policies, notes, &mut StoreTurn { input, slots }, machine);
    input.data == TurnData::Null && !settings.switches.null_data
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
    (settings.signals != SignalMode::None)
        .then(|| gather(machine, settings, session, input, intent))
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
            let objections = session
                .tracker
                .category_total(machine.well_known.objections);
            let first_counts = settings.switches.signals;
            let mut derived = session.recent_turns.derive(
                session.position.state,
                intent,
                objections,
                first_counts,
                machine,
            );
            derived.has_extracted_data = brings_data(machine, input);
            derived
        }
    };
    // The profile `reference` keeps what is given as signals apart from the arguments of the turn.
    if settings.signals == SignalMode::Derived || settings.switches.signals {
        signals.frustration_level = input.frustration.unwrap_or(0);
        signals.tone = input.tone.as_deref();
        signals.secondary = Secondary::Names(&input.also);
        signals.options = input.options.len();
        signals.question = input.question.as_deref();
    }
    for (signal, value) in &input.signals {
        signals.give(*signal, value);
    }
    if settings.signals == SignalMode::Given && !given(input, Signal::DisambiguationOptions) {
        signals.options = input.options.len();
    }
    signals
}

fn given(input: &Input, signal: Signal) -> bool {
    input.signals.iter().any(|(known, _)| *known == signal)
}

/// Whether the turn brought data that matters.
fn brings_data(machine: &Machine, input: &Input) -> bool {
    input.data.values().iter().any(|(name, value)| {
        let matters = name
            .known()
            .is_some_and(|slot| machine.well_known.meaningful.contains(&slot));
        matters && !value.is_null() && value.as_text() != Some("")
    })
}
