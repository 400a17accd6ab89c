//! Built-in elements.

use strum::{IntoStaticStr, VariantArray};

/// The kind of a built-in element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum BuiltinKind {
    /// An intent of a built-in category or role.
    Intents,
    /// A category of intents.
    Categories,
    Conditions,
    Flags,
    /// A limit or a threshold.
    Limits,
    Sources,
    /// A state name that sources use.
    States,
    Actions,
    Signals,
}

/// A built-in element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    pub kind: BuiltinKind,
    /// The name in files.
    pub name: String,
    /// A description of one or two sentences.
    pub says: String,
    /// The value or definition; can be empty.
    pub value: String,
    /// The place where users set or rename the element.
    pub set: String,
}

impl BuiltinKind {
    /// The name of the kind in commands.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind as a noun with an article.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Intents => "an intent",
            Self::Categories => "a category of intents",
            Self::Conditions => "a condition",
            Self::Flags => "a feature flag",
            Self::Limits => "a limit or threshold",
            Self::Sources => "a source",
            Self::States => "a state name",
            Self::Actions => "an action",
            Self::Signals => "a context signal",
        }
    }

    /// The column title of the values.
    pub fn value_title(self) -> &'static str {
        match self {
            Self::Intents => "roles",
            Self::Categories => "intents",
            Self::Conditions => "definition",
            Self::Flags | Self::Limits => "built in",
            Self::Sources => "number",
            Self::States => "",
            Self::Actions => "key in constants",
            Self::Signals => "value",
        }
    }
}

impl Builtin {
    /// Whether a user can refer to the element by this name: its full name or the last part.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.last_name() == name
    }

    /// The last part of the name: `max_gobacks` for `limits.max_gobacks`.
    pub fn last_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}
