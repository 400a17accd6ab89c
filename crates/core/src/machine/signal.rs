//! The context signals: facts about a dialogue in addition to its state and data
//! (docs/src/explanation/sales-policy.md).

use strum::{EnumString, IntoStaticStr, VariantArray};

macro_rules! signals {
    ($($variant:ident $kind:ident $doc:literal,)*) => {
        /// A context signal.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantArray,
        )]
        #[strum(serialize_all = "snake_case")]
        pub enum Signal { $(#[doc = $doc] $variant,)* }

        impl Signal {
            pub const ALL: &'static [Signal] = Self::VARIANTS;

            /// The name in files.
            pub fn name(self) -> &'static str {
                self.into()
            }

            pub fn says(self) -> &'static str {
                match self { $(Signal::$variant => $doc,)* }
            }

            /// The type of the values.
            pub fn kind(self) -> SignalKind {
                match self { $(Signal::$variant => SignalKind::$kind,)* }
            }
        }
    };
}

/// The type of the values of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// An integer.
    Int,
    /// A number.
    Float,
    /// `true` or `false`.
    Bool,
    /// A string or null.
    Text,
    /// A list of strings.
    Texts,
    /// A list of any values.
    Values,
}

signals! {
    FrustrationLevel Int "How frustrated the user is, from 0 to 10.",
    IsStuck Bool "The last three intents are the same.",
    HasOscillation Bool "The user alternates between agreement and objection.",
    MomentumDirection Text "`positive`, `negative` or `neutral`.",
    Momentum Float "From -1 (moving back) to 1 (advancing).",
    EngagementLevel Text "`high`, `medium`, `low` or `disengaged`.",
    RepeatedQuestion Text "The intent of a question that the user repeated.",
    ConfidenceTrend Text "`increasing`, `decreasing`, `stable` or `unknown`.",
    TotalObjections Int "The number of objections so far.",
    HasBreakthrough Bool "The dialogue advanced after a setback.",
    TurnsSinceBreakthrough Int "The number of turns since the last breakthrough.",
    GuardIntervention Text "The last intervention of the guard.",
    Tone Text "The tone of the utterance.",
    UnclearCount Int "The number of unclear utterances among the last five.",
    SecondaryIntents Texts "Secondary intents of the utterance.",
    ConsecutiveSameState Int "The number of consecutive turns in this state.",
    IsProgressing Bool "The last two turns advanced.",
    HasExtractedData Bool "The turn has relevant data.",
    DisambiguationOptions Values "The interpretations to choose from.",
    DisambiguationQuestion Text "The clarification question.",
}

impl Signal {
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}
