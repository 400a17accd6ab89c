//! Why a source contributes nothing.

use crate::engine::condition::ConditionError;

/// Why a source contributes nothing.
pub(in crate::engine) enum SourceError {
    /// A condition has no value.
    Condition(ConditionError),
    /// The limits of personas know neither this one nor `default`.
    NoPersona,
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Condition(error) => error.fmt(f),
            Self::NoPersona => {
                f.write_str("the persona limits have neither this persona nor `default`")
            }
        }
    }
}
