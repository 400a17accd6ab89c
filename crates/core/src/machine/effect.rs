//! Effects as a definition declares them: what a turn may do to the world, what lets it pass, and what it means what came
//! of it (docs/effects.md).

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ConditionId, EffectId, NeedKey, OutcomeId, RuleId, SchemaId, SlotId, StateId, Value};

/// A kind of effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectDefinition {
    /// What it does.
    pub kind: EffectKind,
    /// What its payload must fit.
    pub schema: Option<SchemaId>,
    /// What the world gives where it did it must fit.
    pub gives: Option<SchemaId>,
    /// What lets it pass, in the order in which it is asked.
    pub gates: Box<[Gate]>,
    /// What its outcomes mean: the first that fits counts.
    pub outcomes: Box<[OutcomeId]>,
}

/// What an effect does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum EffectKind {
    /// Data of the user is read.
    Read,
    /// Data of the user is written.
    Write,
    /// Something is kept with the session, by whoever keeps that.
    Keep,
    /// Memory is asked what is known.
    Recall,
    /// Something is remembered, for the task or for all.
    Remember,
    /// A capability is invoked.
    #[default]
    Invoke,
}

/// Something that must hold before an effect is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The condition: over the payload, the session, the input.
    pub holds: ConditionId,
    /// What the effect comes to where it does not hold.
    pub outcome: Box<str>,
    /// Why it does not pass, in words.
    pub words: Box<str>,
}

/// What an outcome of an effect means. What is done there are the operations of its rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What records call it.
    pub name: Box<str>,
    /// What the world says, or a gate.
    pub status: Box<str>,
    /// It is only this one where this holds.
    pub when: Option<ConditionId>,
    /// Where the dialogue goes.
    pub leads: Lead,
    /// What it says of its turn.
    pub mark: OutcomeMark,
    /// The reason code of a turn that it leads elsewhere, or marks.
    pub code: Box<str>,
    /// The reason as the end of "because".
    pub words: Box<str>,
    /// Where it is written.
    pub rule: RuleId,
}

/// Where a dialogue goes after an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// On, as it was decided.
    On,
    /// Nowhere: the turn holds.
    Nowhere,
    /// Elsewhere.
    To(StateId),
    /// Elsewhere, to come back to where it was going.
    Aside(StateId),
}

impl Lead {
    pub fn state(self) -> Option<StateId> {
        match self {
            Self::To(state) | Self::Aside(state) => Some(state),
            Self::On | Self::Nowhere => None,
        }
    }
}

/// What an outcome says of its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutcomeMark {
    /// Nothing.
    #[default]
    None,
    /// The dialogue goes elsewhere than it was led.
    Detour,
    /// The dialogue goes on without something that was not to be had.
    Degrade,
}

/// An effect that is to be done, where a rule, an edge or a way is taken or a state is entered.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectUse {
    /// The kind.
    pub effect: EffectId,
    /// What it is done with.
    pub payload: Payload,
    /// What its outcomes mean here; those of the kind come after them.
    pub outcomes: Box<[OutcomeId]>,
}

/// What an effect is done with.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// The names of the data that is asked for.
    Names(Box<[SlotId]>),
    /// What is known under the name of the schema, else what is known of its properties.
    Known(SchemaId),
    /// These values by name, without those that are nothing.
    Values(Box<[(Box<str>, ValueSource)]>),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSource {
    /// It is always this one.
    Constant(Value),
    /// What the turn brings under this name; where it brings nothing, the slot stays as it is.
    Said(SlotId),
    /// What a slot holds, after the operations before this one.
    Slot(SlotId),
    /// What another slot held before the turn.
    Was(SlotId),
    /// What another slot would hold, had the class of the turn not been replaced.
    Attempted(SlotId),
    /// What the world gave under these keys, one inside the other.
    Outcome(Box<[Box<str>]>),
    /// What the answer to this need holds under these keys, one inside the other; where there is none, the slot stays as it
    /// is.
    Answer(NeedKey, Box<[Box<str>]>),
    /// The number of the turn.
    Turn,
    /// What was meant.
    Reading,
    /// Of what the turn brings under this name, what is in the list that another slot held before the turn.
    Among(SlotId, SlotId),
}
