//! What a class lacks that would take a turn: field by field, and whether the coverage gate took it away.

use crate::engine::Machine;
use crate::engine::condition::TurnContext;
use crate::machine::{ClassId, Condition, ConditionId, FrameId, SlotId, Subject, Test, Value};

/// A class that would take a turn, but lacks the prior state that it requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedClass {
    pub class: ClassId,
    /// What is not there; nothing, where the condition asks for something else.
    pub lacks: Vec<Lack>,
}

/// Something that a class requires and that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// What.
    pub of: Lacked,
    /// It was there, and the coverage gate of the last turn took it away.
    pub withdrawn: bool,
}

/// What is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacked {
    Field(SlotId),
    /// A whole frame.
    Frame(FrameId),
}

impl Lacked {
    /// The name, as the contract has it.
    pub fn name(self, machine: &Machine) -> &str {
        match self {
            Self::Field(slot) => machine.names.slots.name(slot),
            Self::Frame(frame) => machine.frames.lookup(frame).map_or("", |frame| &frame.name),
        }
    }
}

/// What must be there for a condition to hold and is not; of several ways of holding, what the first of them needs.
pub(super) fn lacks(
    condition: ConditionId,
    turn: &TurnContext<'_>,
    withdrawn: &[(SlotId, Value)],
    lacking: &mut Vec<Lack>,
) {
    let machine = turn.machine;
    let was_taken = |slot: SlotId| withdrawn.iter().any(|(taken, _)| *taken == slot);
    let (of, withdrawn) = match &machine.conditions[condition] {
        Condition::And(parts) => {
            parts
                .iter()
                .for_each(|part| lacks(*part, turn, withdrawn, lacking));
            return;
        }
        Condition::Or(ways) if !turn.holds(condition) => {
            ways.iter()
                .take(1)
                .for_each(|way| lacks(*way, turn, withdrawn, lacking));
            return;
        }
        Condition::Named(named) => {
            return lacks(
                machine.named_conditions[*named].condition,
                turn,
                withdrawn,
                lacking,
            );
        }
        Condition::Active(frame, _) => {
            let fields = machine
                .frames
                .lookup(*frame)
                .map_or(&[][..], |frame| &frame.fields);
            (
                Lacked::Frame(*frame),
                fields.iter().any(|field| was_taken(field.slot)),
            )
        }
        Condition::Test(Subject::Slot(slot), test)
            if !matches!(test, Test::Known(false) | Test::Filled(false)) =>
        {
            (Lacked::Field(*slot), was_taken(*slot))
        }
        _ => return,
    };
    if !turn.holds(condition) {
        lacking.push(Lack { of, withdrawn });
    }
}
