//! The context signals: what is known about a dialogue beside its state and data (docs/sales.md, "Signals").

macro_rules! signals {
    ($($variant:ident $name:literal $kind:ident $doc:literal,)*) => {
        /// A context signal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Signal { $(#[doc = $doc] $variant,)* }

        impl Signal {
            /// All signals.
            pub const ALL: &'static [Signal] = &[$(Signal::$variant,)*];

            /// The name in files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Signal::$variant => $name,)* }
            }

            /// What values the signal takes.
            #[must_use]
            pub fn kind(self) -> SignalKind {
                match self { $(Signal::$variant => SignalKind::$kind,)* }
            }
        }
    };
}

/// What values a signal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// `true` or `false`.
    Bool,
    /// A text or nothing.
    Text,
    /// A list of texts.
    Texts,
    /// A list of anything.
    Values,
}

signals! {
    FrustrationLevel "frustration_level" Int "How frustrated the user is, from 0 to 10.",
    IsStuck "is_stuck" Bool "The last three intents were the same.",
    HasOscillation "has_oscillation" Bool "The user swings between agreement and objection.",
    MomentumDirection "momentum_direction" Text "`positive`, `negative` or `neutral`.",
    Momentum "momentum" Float "From -1 (falling back) to 1 (advancing).",
    EngagementLevel "engagement_level" Text "`high`, `medium`, `low` or `disengaged`.",
    RepeatedQuestion "repeated_question" Text "The intent of a question that was asked twice.",
    ConfidenceTrend "confidence_trend" Text "`increasing`, `decreasing`, `stable` or `unknown`.",
    TotalObjections "total_objections" Int "Objections so far.",
    HasBreakthrough "has_breakthrough" Bool "The dialogue advanced after a setback.",
    TurnsSinceBreakthrough "turns_since_breakthrough" Int "Turns since then.",
    GuardIntervention "guard_intervention" Text "What the guard did last.",
    Tone "tone" Text "The tone of the utterance.",
    UnclearCount "unclear_count" Int "Unclear utterances among the last five.",
    SecondaryIntents "secondary_intents" Texts "Further intents of the utterance.",
    ConsecutiveSameState "consecutive_same_state" Int "Turns in a row in this state.",
    IsProgressing "is_progressing" Bool "The last two turns moved forward.",
    HasExtractedData "has_extracted_data" Bool "The turn brought data that matters.",
    DisambiguationOptions "disambiguation_options" Values "Readings to choose from.",
    DisambiguationQuestion "disambiguation_question" Text "The question to ask back.",
}

impl Signal {
    /// The signal of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|signal| signal.name() == name)
    }
}
