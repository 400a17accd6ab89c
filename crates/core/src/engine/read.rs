//! Reading: the input becomes signals, a counted intent and stored data (docs/src/explanation/how-a-turn-works.md).

use std::borrow::Cow;

use super::policy::{BeginTurn, PolicyReading, StoreTurn};
use super::session::{NOTHING_KNOWN, OTHER, Secondary};
use super::{
    Answer, Fault, Input, Machine, Need, PolicyNotes, ReadingDecision, Session, Settings,
    SignalMode, Signals, Symbol, TurnContext, TurnData, certainty, first_answer, no_intent,
};
use crate::machine::{ConditionId, IntentId, NeedKind, Signal, StateId, Value};

/// The result of reading an input.
#[expect(
    clippy::large_enum_variant,
    reason = "one value per turn, which stays on the stack"
)]
pub(super) enum Reading<'i> {
    /// The intent is known. Contains how the answer of a recognizer was accepted, if it has a confidence, and
    /// rejected data.
    Ready(Cow<'i, Input>, Option<ReadingDecision>, Vec<Fault>),
    /// An answer from outside is needed first.
    Need(Need),
    /// No recognizer classified the input.
    Unread,
}

/// Determines the intent of the input. It comes from a policy, otherwise from the input, from a phrase of the machine,
/// or from a recognizer.
#[inline]
pub(super) fn read<'i>(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &'i Input,
    answers: &[Answer],
) -> Reading<'i> {
    match read_unchecked(machine, settings, session, input, answers) {
        Reading::Ready(input, disposition, mut violations)
            if machine.has_typed_slots && !input.fits(machine) =>
        {
            let mut input = input.into_owned();
            input.fit(machine, |slot, value| {
                violations.push(Fault::WrongValue { slot, value });
            });
            Reading::Ready(Cow::Owned(input), disposition, violations)
        }
        reading => reading,
    }
}

/// Determines the intent, without checking the values against the slots.
#[inline]
fn read_unchecked<'i>(
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
    let known = answer.value.as_ref().filter(|_| read.is_some());
    if let Some(read) = read_fallback(machine, settings, session, input, known) {
        let disposition = known.map(|_| ReadingDecision::Fallback);
        return Reading::Ready(Cow::Owned(read), disposition, Vec::new());
    }
    read.map_or(Reading::Unread, |(read, disposition, violations)| {
        Reading::Ready(Cow::Owned(read), disposition, violations)
    })
}

/// The input with the answer of a recognizer, how the answer was accepted if it has a confidence, and rejected data.
/// `None` if the answer has no intent.
pub fn read_by_answer(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
    reading: &Value,
) -> Option<(Input, Option<ReadingDecision>, Vec<Fault>)> {
    let (mut read, spurious) = input.read_as(reading, machine)?;
    let violations = spurious
        .into_iter()
        .map(|(name, value)| Fault::UnknownSlot { name, value });
    let disposition = certainty(reading.get("confidence")).is_some().then(|| {
        let clarification = &session.clarification;
        let assessed =
            machine
                .policies
                .assess(machine, settings, clarification, reading, &mut read);
        assessed.unwrap_or(ReadingDecision::Execute)
    });
    Some((read, disposition, violations.collect()))
}

/// The input as classified by a policy of the machine; `None` if no policy classifies it.
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

/// The input as classified by the open clarification question or by a phrase of the machine; `None` if it neither
/// chooses an option nor matches a phrase. If several phrases match, the first that the policies accept is used;
/// otherwise, the first.
pub fn read_by_phrase(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
) -> Option<Input> {
    if let Some(read) = read_by_choice(machine, session, input) {
        return Some(read);
    }
    let mut found = machine
        .phrases_in(input.say.as_deref()?)
        .filter_map(|found| {
            let read = input.read_by_phrase(&found, machine);
            applies(machine, settings, session, &read, found.when).then_some(read)
        });
    let first = found.next()?;
    let is_accepted = |read: &Input| machine.policies.accept(machine, settings, session, read);
    if is_accepted(&first) {
        return Some(first);
    }
    Some(found.find(is_accepted).unwrap_or(first))
}

/// The input with the intent that it chooses from the options of the open clarification question. If it chooses none of
/// them, the utterance is unclear.
fn read_by_choice(machine: &Machine, session: &Session, input: &Input) -> Option<Input> {
    let question = session.clarification.asked.as_ref();
    let question = question.filter(|_| input.is_unread())?;
    let name = question.chosen(input.say.as_deref()?)?;
    let unclear = machine.policies.inputs().unclear;
    let intent = match (Symbol::of(name, &machine.names.intents), unclear) {
        (Symbol::Unknown(_), Some(unclear)) if name == OTHER => Symbol::Known(unclear),
        (chosen, _) => chosen,
    };
    Some(Input {
        intent: Some(intent),
        ..input.clone()
    })
}

/// The input with the fallback intent, if the machine has one that applies. Without thresholds, the intent of a recognizer
/// prevails over it only if it is more probable than all others together.
pub fn read_fallback(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
    reading: Option<&Value>,
) -> Option<Input> {
    let is_likely = |reading: &Value| {
        machine.policies.disambiguation().is_some()
            || certainty(reading.get("confidence")).is_none_or(|confidence| confidence >= 0.5)
    };
    if reading.is_some_and(is_likely) {
        return None;
    }
    machine
        .phrases
        .iter()
        .filter(|phrases| phrases.fallback)
        .find_map(|phrases| {
            let read = Input {
                intent: Some(Symbol::Known(phrases.intent)),
                ..input.clone()
            };
            applies(machine, settings, session, &read, phrases.when).then_some(read)
        })
}

/// Whether the condition for the intent of an input holds.
fn applies(
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

/// The branch that the turn belongs to, if branches are running.
pub(super) fn branch_of(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
) -> Option<usize> {
    if !session.branches.is_open() {
        return None;
    }
    let in_turn = settings.switches.round_robin;
    session
        .branches
        .route(input.known_intent(), machine, in_turn)
}

#[inline]
pub(super) fn intent_of(machine: &Machine, session: &mut Session, input: &Input) -> IntentId {
    match &input.intent {
        Some(name) => session.intent_id(name, machine),
        None => no_intent(),
    }
}

/// Starts the turn: counts the intent and stores the data. Signals must be derived before. Returns whether the turn has
/// null instead of data, which the profile `reference` cannot process.
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
        // Null and the empty string leave the slot unchanged; 0, false and empty lists are stored.
        let has_value = match value {
            Value::Null => false,
            Value::Text(text) => !text.is_empty(),
            _ => true,
        };
        if has_value {
            slots.set_name(name, value.clone());
        }
    }
    let mut turn = StoreTurn {
        input,
        slots,
        tracker,
    };
    machine.policies.store(policies, notes, &mut turn, machine);
    input.data == TurnData::Null && !settings.switches.null_data
}

/// The signals of a turn that starts now, if anything reads them.
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
            let counts_all = settings.switches.signals;
            let mut derived = session.recent_turns.derive(
                session.position.state,
                intent,
                objections,
                counts_all,
                machine,
            );
            derived.has_extracted_data = brings_data(machine, input);
            derived
        }
    };
    // The profile `reference` separates given signals from the arguments of the turn.
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

/// Whether the turn has meaningful data.
fn brings_data(machine: &Machine, input: &Input) -> bool {
    input.data.values().iter().any(|(name, value)| {
        let matters = name
            .known()
            .is_some_and(|slot| machine.well_known.meaningful.contains(&slot));
        matters && !value.is_null() && value.as_text() != Some("")
    })
}
