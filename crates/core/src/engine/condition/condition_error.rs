//! Why a condition has no value.

/// Why a condition has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionError {
    /// It cannot be evaluated at all.
    Broken,
    /// A value has a type that the question cannot be asked of.
    WrongType,
}

impl std::fmt::Display for ConditionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Broken => "the condition cannot be evaluated",
            Self::WrongType => "a value has a type that the condition cannot use",
        })
    }
}
