//! One thing that is built in.

use strum::{IntoStaticStr, VariantArray};

/// What kind of thing is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum BuiltinKind {
    /// An intent that some category or role knows.
    Intents,
    /// A category of intents.
    Categories,
    Conditions,
    /// A feature flag.
    Flags,
    /// A limit or a threshold.
    Limits,
    /// A knowledge source.
    Sources,
    /// A state that sources know by its name.
    States,
    /// An action that sources propose.
    Actions,
    /// A context signal.
    Signals,
}

/// One thing that is built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What kind of thing it is.
    pub kind: BuiltinKind,
    /// The name, as files write it.
    pub name: String,
    /// What it is, in a sentence or two.
    pub says: String,
    /// Its value or definition; may be empty.
    pub value: String,
    /// Where it is set or renamed.
    pub set: String,
}

impl BuiltinKind {
    /// The name, as it is asked for.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// One of the kind, in words.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Intents => "an intent",
            Self::Categories => "a category of intents",
            Self::Conditions => "a condition",
            Self::Flags => "a feature flag",
            Self::Limits => "a limit or threshold",
            Self::Sources => "a source",
            Self::States => "a name of a state",
            Self::Actions => "an action",
            Self::Signals => "a context signal",
        }
    }

    /// What the values of the kind are.
    pub fn value_title(self) -> &'static str {
        match self {
            Self::Intents => "roles",
            Self::Categories => "intents",
            Self::Conditions => "definition",
            Self::Flags | Self::Limits => "built in",
            Self::Sources => "number",
            Self::States => "",
            Self::Actions => "named in constants as",
            Self::Signals => "value",
        }
    }
}

impl Builtin {
    /// Whether it is what somebody means by a name: its own, or the last part of it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.last_name() == name
    }

    /// The last part of its name: of `limits.max_gobacks` it is `max_gobacks`.
    pub fn last_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}
