//! Why a dialogue that is led by instructions goes where it goes.

use strum::{IntoStaticStr, VariantArray};

use crate::engine::{Machine, ReasonKind, ReasonNames};

/// Why a dialogue that is led by instructions goes where it goes, or goes elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum InstructionsReason {
    /// Whoever plays the assistant asked for this move.
    Navigated,
    /// The move that was asked for is not declared, but moves of that kind are permitted.
    #[strum(serialize = "undeclared_transition_permitted")]
    UndeclaredTaken,
    /// The move that was asked for is not declared.
    UndeclaredTransition,
    /// Consent was given or refused, so the dialogue goes on where it was.
    ConsentSettled,
}

impl InstructionsReason {
    pub(crate) fn all(_: &Machine) -> Vec<Self> {
        Self::VARIANTS.to_vec()
    }

    pub(crate) fn kind(self) -> ReasonKind {
        match self {
            Self::Navigated | Self::UndeclaredTaken => ReasonKind::Plain,
            Self::UndeclaredTransition => ReasonKind::Refused,
            Self::ConsentSettled => ReasonKind::Detour,
        }
    }

    pub(crate) fn code(self, _: ReasonNames<'_>) -> (&str, &str) {
        (self.into(), "")
    }

    pub(crate) fn words(self, _: ReasonNames<'_>) -> String {
        let words = match self {
            Self::Navigated => "this is where it was led",
            Self::UndeclaredTaken => "it was led there, though the state does not declare it",
            Self::UndeclaredTransition => "the state declares no such move",
            Self::ConsentSettled => "the user has said what may be done with the data",
        };
        words.to_owned()
    }
}
