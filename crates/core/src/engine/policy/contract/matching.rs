//! Matching: finds the first class whose entry condition and required prior state hold, and the parts that other
//! classes lack.

use std::collections::BTreeSet;

use super::carryover::withdraw;
use crate::engine::{Contract, Input, Machine, Session, Settings, TurnContext, no_intent};
use crate::machine::{ClassId, Condition, ConditionId, FrameId, SlotId, Subject, Test, Value};

/// The class of a turn, and other candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The class; `None` if no class matches the turn.
    pub class: Option<ClassId>,
    /// Later classes that also match.
    pub also: Vec<ClassId>,
    /// Classes whose entry condition holds, but not the required prior state.
    pub refused: Vec<RefusedClass>,
}

/// Finds the classes of a turn; `None` for a machine without classes. `withdrawn` is the data that the coverage gate
/// removed.
pub(super) fn matching(
    contract: &Contract,
    turn: &TurnContext<'_>,
    withdrawn: &[(SlotId, Value)],
) -> Option<Matching> {
    if contract.classes.is_empty() {
        return None;
    }
    let mut matching = Matching::default();
    // A condition without a value does not hold.
    let holds =
        |condition: Option<ConditionId>| condition.is_none_or(|condition| turn.holds(condition));
    let by = |fallback| {
        contract
            .classes
            .pairs()
            .filter(move |(_, class)| class.fallback == fallback)
    };
    for (id, class) in by(false).chain(by(true)) {
        if class.fallback
            && matching
                .class
                .is_some_and(|taken| !contract.takes_the_rest(taken))
        {
            break;
        }
        let accepts = class.intents.is_empty() || class.intents.contains(&turn.intent);
        if !accepts || !holds(class.entry) {
            continue;
        }
        if !holds(class.requires) {
            let mut lacking = Vec::new();
            if let Some(condition) = class.requires {
                // These evaluations are not part of the turn, so they are not recorded.
                lacks(
                    condition,
                    &TurnContext {
                        watch: None,
                        ..*turn
                    },
                    withdrawn,
                    &mut BTreeSet::new(),
                    &mut lacking,
                );
            }
            matching.refused.push(RefusedClass {
                class: id,
                lacks: lacking,
            });
        } else if matching.class.is_none() {
            matching.class = Some(id);
        } else if !class.fallback {
            matching.also.push(id);
        }
    }
    Some(matching)
}

impl Contract {
    /// The classes that match an input in a session, without running the turn.
    pub fn classes_of(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> Option<Matching> {
        let intent = input.known_intent().unwrap_or_else(no_intent);
        let (carried, withdrawn) = self.carried_over(machine, session);
        matching(
            self,
            &TurnContext::new(machine, settings, session, &carried, input, intent),
            &withdrawn,
        )
    }

    /// The classes, each with whether its required prior state holds after the coverage gate of the last turn.
    pub fn prior_states(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
    ) -> Vec<(ClassId, bool)> {
        let (carried, _) = self.carried_over(machine, session);
        let intent = session.tracker.recent().next().unwrap_or_else(no_intent);
        let input = Input::default();
        let turn = TurnContext::new(machine, settings, session, &carried, &input, intent);
        let holds = |condition| turn.holds(condition);
        self.classes
            .pairs()
            .map(|(id, class)| (id, class.requires.is_none_or(holds)))
            .collect()
    }

    /// The session at the start of the next turn, and the data that the coverage gate removes.
    pub(super) fn carried_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> (Session, Vec<(SlotId, Value)>) {
        let mut carried = session.clone();
        let withdrawn = withdraw(self, &machine.frames, &mut carried.slots);
        (carried, withdrawn)
    }
}

/// A class that would match a turn, but lacks the required prior state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedClass {
    pub class: ClassId,
    /// The missing parts; empty if the condition tests neither fields nor frames.
    pub lacks: Vec<UnmetRequirement>,
}

/// A missing part of a required prior state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnmetRequirement {
    pub of: MissingPart,
    /// Whether the part was present before the coverage gate of the last turn removed it.
    pub withdrawn: bool,
}

/// A missing field or frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPart {
    Field(SlotId),
    /// A complete frame.
    Frame(FrameId),
}

impl MissingPart {
    /// The name in the contract.
    pub fn name(self, machine: &Machine) -> &str {
        match self {
            Self::Field(slot) => machine.names.slots.name(slot),
            Self::Frame(frame) => machine.frames.name(frame),
        }
    }
}

/// Collects the parts that a condition lacks; for alternatives, the parts that the first alternative lacks. `seen`
/// contains the conditions so far.
pub(super) fn lacks(
    condition: ConditionId,
    turn: &TurnContext<'_>,
    withdrawn: &[(SlotId, Value)],
    seen: &mut BTreeSet<ConditionId>,
    lacking: &mut Vec<UnmetRequirement>,
) {
    if !seen.insert(condition) {
        return;
    }
    let machine = turn.machine;
    let was_taken = |slot: SlotId| withdrawn.iter().any(|(taken, _)| *taken == slot);
    let (of, withdrawn) = match &machine.conditions[condition] {
        Condition::And(parts) => {
            parts
                .iter()
                .for_each(|part| lacks(*part, turn, withdrawn, seen, lacking));
            return;
        }
        Condition::Or(alternatives) if !turn.holds(condition) => {
            alternatives
                .iter()
                .take(1)
                .for_each(|part| lacks(*part, turn, withdrawn, seen, lacking));
            return;
        }
        Condition::Named(named) => {
            return lacks(
                machine.named_conditions[*named].condition,
                turn,
                withdrawn,
                seen,
                lacking,
            );
        }
        Condition::Active(frame, _) => {
            let fields = machine
                .frames
                .lookup(*frame)
                .map_or(&[][..], |frame| &frame.fields);
            (
                MissingPart::Frame(*frame),
                fields.iter().any(|field| was_taken(field.slot)),
            )
        }
        Condition::Test(Subject::Slot(slot), test)
            if !matches!(test, Test::Known(false) | Test::Filled(false)) =>
        {
            (MissingPart::Field(*slot), was_taken(*slot))
        }
        _ => return,
    };
    if !turn.holds(condition) {
        lacking.push(UnmetRequirement { of, withdrawn });
    }
}
