//! Kinds and roles of names in files.

/// The kind of a name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NamedKind {
    /// A state, a mode of a contract, or a node of a cycle.
    State,
    /// An intent of a flow or a contract.
    Intent,
    Slot,
    Phase,
    Action,
    Mixin,
    Condition,
    /// A category of intents.
    Category,
    /// A contract class of turns.
    Class,
    /// A point of an interview.
    Point,
    Effect,
    Counter,
    /// A structural class of turns.
    #[strum(serialize = "class")]
    TurnClass,
    Branch,
    Reason,
    /// The value of a parameter: a state if a state has this name, otherwise an action.
    #[strum(serialize = "action")]
    Parameter,
    /// The path of a model.
    Model,
    /// The path of a file.
    File,
}

impl NamedKind {
    pub fn noun(self) -> &'static str {
        self.into()
    }

    /// Whether names of the kind can be renamed.
    pub fn can_be_renamed(self) -> bool {
        matches!(
            self,
            Self::State | Self::Intent | Self::Slot | Self::Phase | Self::Mixin | Self::Condition
        )
    }
}

/// The role of a name at its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedRole {
    /// Defines the name.
    Defines,
    /// Introduces the name; no definition is required.
    Introduces,
    /// Uses the name.
    Uses,
}

/// A name in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameUse {
    pub kind: NamedKind,
    pub role: NamedRole,
}
