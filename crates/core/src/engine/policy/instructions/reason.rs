//! The reasons for transitions that an assistant chooses.

use strum::{IntoStaticStr, VariantArray};

use crate::engine::{Machine, ReasonKind, ReasonNames};

/// The reason for a transition that an assistant chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum InstructionsReason {
    /// The assistant chose this transition.
    Navigated,
    /// The chosen transition is not declared, but the settings permit it.
    #[strum(serialize = "undeclared_transition_permitted")]
    UndeclaredTaken,
    /// The chosen transition is not declared.
    UndeclaredTransition,
    /// Consent was given or refused, so the interrupted dialogue continues.
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
            Self::ConsentSettled => ReasonKind::WhyNotResult,
        }
    }

    pub(crate) fn code(self, _: ReasonNames<'_>) -> (&str, &str) {
        (self.into(), "")
    }

    pub(crate) fn words(self, _: ReasonNames<'_>) -> String {
        let words = match self {
            Self::Navigated => "the assistant chose this state",
            Self::UndeclaredTaken => {
                "the assistant chose this state, although the transition is not declared"
            }
            Self::UndeclaredTransition => "the state does not declare this transition",
            Self::ConsentSettled => "the user answered the request for consent",
        };
        words.to_owned()
    }
}
