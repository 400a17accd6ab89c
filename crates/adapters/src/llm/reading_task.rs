//! The prompt data for recognizing an utterance.

use super::utterance::{Utterance, before, last_lines};
use crate::recognizer::{IntentOption, SlotOffer};
use fsmsim_core::engine::{Machine, Session};
use fsmsim_core::machine::{SlotId, StateId, Value};

/// Maximum confidence of the most similar intent if none matches and the machine has no intent for that case.
pub const NEAREST_AT_MOST: f64 = 0.1;

/// The prompt data for recognizing an utterance. Data that is the same for all turns comes first.
#[derive(Clone, Debug)]
pub struct ReadingTask<'a> {
    /// The machine, if the request belongs to one.
    pub machine: Option<&'a Machine>,
    /// The purpose of the machine.
    pub about: &'a str,
    /// The intents to choose from, in the order of the machine.
    pub intents: Vec<IntentOption<'a>>,
    /// The slots to fill from the utterance.
    pub slots: Vec<SlotOffer<'a>>,
    /// The intent for utterances that match no other intent, if the machine has one.
    pub unclear: Option<&'a str>,
    /// The confidence thresholds, if they affect the result.
    pub certainty: Option<Certainty>,
    /// The current state.
    pub state: &'a str,
    /// The goal of the state.
    pub goal: &'a str,
    /// The intents that the state handles.
    pub here: Vec<&'a str>,
    /// The slots that the state still requests.
    pub wanted: Vec<&'a str>,
    pub known: Vec<(&'a str, Value)>,
    /// The last lines before the utterance.
    pub history: &'a [Utterance],
    /// The utterance, verbatim.
    pub utterance: &'a str,
    /// The time of the turn (RFC 3339), if the turn has one.
    pub at: Option<&'a str>,
}

/// The confidence thresholds of an interpretation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// The minimum confidence for acceptance.
    pub carried_out: f64,
    /// The minimum confidence. Interpretations below it are rejected.
    pub understood: f64,
    /// The minimum difference in confidence from the next interpretation.
    pub gap: f64,
}

impl<'a> ReadingTask<'a> {
    /// The prompt data for an utterance in a state.
    pub(super) fn of(
        machine: &'a Machine,
        session: &Session,
        state: StateId,
        utterance: &'a str,
        history: &'a [Utterance],
    ) -> Self {
        let here = machine.state(state);
        let slots = SlotOffer::all(machine);
        let wanted = here
            .required
            .iter()
            .chain(&here.optional)
            .filter(|slot| !session.slots.get(**slot).filled());
        let earlier = before(history, utterance);
        Self {
            machine: Some(machine),
            about: &machine.header.description,
            intents: IntentOption::all(machine),
            unclear: IntentOption::unclear(machine),
            certainty: certainty(machine),
            state: machine.names.states.name(state),
            goal: here.goal.as_deref().unwrap_or_default(),
            here: IntentOption::here(machine, here),
            wanted: wanted.map(|slot| machine.names.slots.name(*slot)).collect(),
            known: known(machine, session, &slots),
            history: last_lines(earlier),
            utterance,
            at: None,
            slots,
        }
    }
}

/// The values of frames, and of slots that users fill.
pub(super) fn known<'a>(
    machine: &'a Machine,
    session: &Session,
    slots: &[SlotOffer<'_>],
) -> Vec<(&'a str, Value)> {
    let names = &machine.names.slots;
    let is_offered = |slot: SlotId| {
        machine.frames.field(slot).is_some()
            || slots.iter().any(|offer| offer.name == names.name(slot))
    };
    names
        .ids()
        .filter(|slot| session.slots.get(*slot).filled())
        .filter(|slot| is_offered(*slot))
        .map(|slot| (names.name(slot), session.slots.get(slot).clone()))
        .collect()
}

fn certainty(machine: &Machine) -> Option<Certainty> {
    let rules = machine.policies.disambiguation()?;
    let thresholds = &rules.thresholds;
    rules.ambiguous.map(|_| Certainty {
        carried_out: thresholds.high.min(thresholds.medium),
        understood: thresholds.minimum,
        gap: thresholds.gap,
    })
}
