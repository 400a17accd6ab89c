//! What the names in files name.

/// What kind of thing a name in a file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NamedKind {
    /// A state, a mode of a contract, a node of a cycle.
    State,
    /// An intent, a reading of a contract.
    Intent,
    /// A slot.
    Slot,
    /// A phase.
    Phase,
    /// An action.
    Action,
    /// A mixin.
    Mixin,
    /// A condition.
    Condition,
    /// A category of intents.
    Category,
    /// A class of turns of a contract.
    Class,
    /// A point of an interview.
    Point,
    /// A kind of effect.
    Effect,
    /// A counter.
    Counter,
    /// A structural class of turns.
    #[strum(serialize = "class")]
    TurnClass,
    /// A branch.
    Branch,
    /// A reason.
    Reason,
    /// The value of a parameter: a state where there is one of this name, else an action.
    #[strum(serialize = "action")]
    Parameter,
    /// The path of a model.
    Model,
    /// The path of a file.
    File,
}

impl NamedKind {
    /// The kind in words.
    pub fn noun(self) -> &'static str {
        self.into()
    }

    /// Whether a name of the kind can be given another one in all its places.
    pub fn can_be_renamed(self) -> bool {
        matches!(
            self,
            Self::State | Self::Intent | Self::Slot | Self::Phase | Self::Mixin | Self::Condition
        )
    }
}

/// What a name does in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedRole {
    /// It is what defines the thing.
    Defines,
    /// It tells of the thing, which nothing else need define.
    Introduces,
    /// It names the thing.
    Uses,
}

/// What stands where a name is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameUse {
    /// What kind of thing it names.
    pub kind: NamedKind,
    /// What it does here.
    pub role: NamedRole,
}
