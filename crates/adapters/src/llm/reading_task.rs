//! What somebody is told who reads an utterance.

use super::offer::Offer;
use super::slot_offer::SlotOffer;
use super::utterance::{Utterance, before, last_lines};
use fsmsim_core::engine::{Machine, Session};
use fsmsim_core::machine::{SlotId, StateId, Value};

/// How certain the nearest intent is at most where none fits, and the machine has no intent for that.
pub const NEAREST_AT_MOST: f64 = 0.1;

/// What somebody is told who reads an utterance: first what is the same for all turns of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingTask<'a> {
    /// What the machine is for.
    pub about: &'a str,
    /// The intents to choose from, in the order of the machine.
    pub intents: Vec<Offer<'a>>,
    /// The slots to fill from what was said.
    pub slots: Vec<SlotOffer<'a>>,
    /// The intent where none fits, where the machine has one.
    pub unclear: Option<&'a str>,
    /// What becomes of a confidence, where that decides anything.
    pub certainty: Option<Certainty>,
    /// The state in which it was said.
    pub state: &'a str,
    /// What the state is for.
    pub goal: &'a str,
    /// The intents to which the state has an answer.
    pub here: Vec<&'a str>,
    /// The slots that the state still asks for.
    pub wanted: Vec<&'a str>,
    pub known: Vec<(&'a str, Value)>,
    /// The last lines before the utterance.
    pub history: &'a [Utterance],
    /// What was said, word for word.
    pub utterance: &'a str,
}

/// What becomes of the confidence of a reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// From here on it is carried out.
    pub carried_out: f64,
    /// Below this nothing counts as understood.
    pub understood: f64,
    /// How far the next reading has to be behind.
    pub gap: f64,
}

impl<'a> ReadingTask<'a> {
    /// What is told of an utterance in a state.
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
            about: &machine.header.description,
            intents: Offer::all(machine),
            unclear: Offer::unclear(machine),
            certainty: certainty(machine),
            state: machine.names.states.name(state),
            goal: here.goal.as_deref().unwrap_or_default(),
            here: Offer::here(machine, here),
            wanted: wanted.map(|slot| machine.names.slots.name(*slot)).collect(),
            known: known(machine, session, &slots),
            history: last_lines(earlier),
            utterance,
            slots,
        }
    }

    /// The intents with those of the state first, in its order.
    pub fn nearest_first(&self) -> Vec<Offer<'a>> {
        let place = |offer: &Offer<'_>| {
            self.here
                .iter()
                .position(|name| *name == offer.intent)
                .unwrap_or(usize::MAX)
        };
        let mut intents = self.intents.clone();
        intents.sort_by_key(place);
        intents
    }
}

/// What is known of slots that people fill, and of frames.
pub(super) fn known<'a>(
    machine: &'a Machine,
    session: &Session,
    slots: &[SlotOffer<'_>],
) -> Vec<(&'a str, Value)> {
    let names = &machine.names.slots;
    let is_told = |slot: SlotId| {
        machine.frames.field(slot).is_some()
            || slots.iter().any(|offer| offer.name == names.name(slot))
    };
    let ids = names
        .iter()
        .filter_map(|name| names.id(name))
        .filter(|slot| session.slots.get(*slot).filled());
    ids.filter(|slot| is_told(*slot))
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
