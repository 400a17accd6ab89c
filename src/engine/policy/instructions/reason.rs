//! Why a dialogue that is led by instructions goes where it goes.

use strum::IntoStaticStr;

use crate::engine::blackboard::{ReasonKind, ReasonNames};

/// Why a dialogue that is led by instructions goes where it goes, or goes elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum InstructionsReason {
    /// Whoever plays the assistant asked for this move.
    Navigated,
    /// The move that was asked for is not declared, but moves of that kind are permitted.
    #[strum(serialize = "undeclared_transition_permitted")]
    UndeclaredTaken,
    /// The move that was asked for is not declared.
    UndeclaredTransition,
    /// The state needs the user's consent, so that is asked for first.
    ConsentNeeded,
    /// Consent was given or refused, so the dialogue goes on where it was.
    ConsentSettled,
    /// The user does not want the data to be used, so the state does without.
    ConsentRefused,
    /// Data that the state needs is not there, so the state does without.
    DataMissing,
    /// Data that the state needs cannot be used, so the state does without.
    DataInvalid,
    /// The store of the data does not answer, so the state does without.
    StoreDown,
    /// What was to be written breaks its schema.
    PayloadInvalid,
}

impl InstructionsReason {
    pub(in crate::engine) fn kind(self) -> ReasonKind {
        match self {
            Self::Navigated | Self::UndeclaredTaken => ReasonKind::Plain,
            Self::UndeclaredTransition => ReasonKind::Stopped,
            Self::ConsentNeeded | Self::ConsentSettled => ReasonKind::Detour,
            Self::ConsentRefused | Self::DataMissing | Self::DataInvalid | Self::StoreDown | Self::PayloadInvalid => {
                ReasonKind::DetourWithout
            }
        }
    }

    pub(in crate::engine) fn code(self, _: ReasonNames<'_>) -> (&str, &str) {
        (self.into(), "")
    }

    pub(in crate::engine) fn words(self, _: ReasonNames<'_>) -> String {
        let words = match self {
            Self::Navigated => "this is where it was led",
            Self::UndeclaredTaken => "it was led there, though the state does not declare it",
            Self::UndeclaredTransition => "the state declares no such move",
            Self::ConsentNeeded => "the state needs data of the user, who was not asked yet",
            Self::ConsentSettled => "the user has said what may be done with the data",
            Self::ConsentRefused => "the user does not want the data to be used",
            Self::DataMissing => "data that the state needs is not there",
            Self::DataInvalid => "the data that the state needs cannot be used",
            Self::StoreDown => "the store of the data does not answer",
            Self::PayloadInvalid => "what was to be written breaks its schema",
        };
        words.to_owned()
    }
}
