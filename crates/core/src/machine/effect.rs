//! Declared effects: changes outside the session, their gates, and the meaning of their outcomes
//! (docs/src/explanation/effects-and-consent.md).

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ConditionId, EffectId, NeedKey, OutcomeId, RuleId, SchemaId, SlotId, StateId, Value};

/// A kind of effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectDefinition {
    /// The operation of the effect.
    pub kind: EffectKind,
    /// The schema of the payload.
    pub schema: Option<SchemaId>,
    /// The schema of the data that a successful effect returns.
    pub returns: Option<SchemaId>,
    /// The gates, in the order of their evaluation.
    pub gates: Box<[Gate]>,
    /// The outcomes; the first that matches applies.
    pub outcomes: Box<[OutcomeId]>,
}

/// The operation of an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum EffectKind {
    /// Reads data of the user.
    Read,
    /// Writes data of the user.
    Write,
    /// Saves data with the session.
    Keep,
    /// Queries the memory.
    Recall,
    /// Stores data in the memory, for the task or for all tasks.
    Remember,
    /// Invokes a capability.
    #[default]
    Invoke,
}

/// A condition that must hold before an effect is performed.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The condition on the payload, the session and the input.
    pub holds: ConditionId,
    /// The outcome of the effect if the condition does not hold.
    pub outcome: Box<str>,
    /// The reason for the denial.
    pub words: Box<str>,
}

/// The meaning of an outcome of an effect. The operations of its rule run when it occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The name in records.
    pub name: Box<str>,
    /// The status that the performer of the effect or a gate returns.
    pub status: Box<str>,
    /// The outcome applies only if this condition holds.
    pub when: Option<ConditionId>,
    /// The state in which the dialogue continues.
    pub leads: NextState,
    /// The mark of the turn.
    pub mark: OutcomeMark,
    /// The reason code of a turn that the outcome redirects or marks.
    pub code: Box<str>,
    /// The reason as a clause that can follow "because".
    pub words: Box<str>,
    /// The location of the outcome.
    pub rule: RuleId,
}

/// The target of a dialogue after an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextState {
    /// The dialogue continues as decided.
    On,
    /// The dialogue stays in its state.
    Nowhere,
    /// Another state.
    To(StateId),
    /// Another state, with the decided target as the return state.
    Digress(StateId),
}

impl NextState {
    pub fn state(self) -> Option<StateId> {
        match self {
            Self::To(state) | Self::Digress(state) => Some(state),
            Self::On | Self::Nowhere => None,
        }
    }
}

/// The mark that an outcome sets on its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutcomeMark {
    /// No mark.
    #[default]
    None,
    /// The dialogue goes to a different state than decided.
    WhyNotResult,
    /// The dialogue continues without something that is unavailable.
    Degrade,
}

/// An effect to perform when a rule, an edge or a branch is taken, or when a state is entered.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectUse {
    pub effect: EffectId,
    pub payload: Payload,
    /// The outcomes for this use; they are checked before the outcomes of the kind.
    pub outcomes: Box<[OutcomeId]>,
    /// Whether it is performed even if an earlier effect holds or redirects the turn.
    pub always: bool,
}

/// The payload of an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// The names of the requested data.
    Names(Box<[SlotId]>),
    /// The value of the slot that has the name of the schema; otherwise, the values of the slots named like its
    /// properties.
    Known(SchemaId),
    /// These values by name, without nulls.
    Values(Box<[(Box<str>, ValueSource)]>),
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSource {
    /// A constant.
    Constant(Value),
    /// The value with this name in the data of the turn; if the turn has none, the target slot is unchanged.
    Said(SlotId),
    /// The value of a slot, after the previous operations.
    Slot(SlotId),
    /// The value of another slot before the turn.
    Was(SlotId),
    /// The value that another slot would have if the class of the turn had not been replaced.
    Attempted(SlotId),
    /// The value at a path in the data that the effect returned.
    Outcome(Box<[Box<str>]>),
    /// The value at a path in the answer to this need; if there is no answer, the target slot is unchanged.
    Answer(NeedKey, Box<[Box<str>]>),
    /// The number of the turn.
    Turn,
    /// The recognized intent.
    Reading,
    /// The items with the first name in the data of the turn that were in the list of the second slot before the turn.
    Among(SlotId, SlotId),
}
