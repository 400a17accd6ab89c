//! The knowledge sources of the machine and of all policies.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::machine::SourceMask;

/// A knowledge source: an independent component that proposes actions or transitions.
///
/// The variants are in the evaluation order of sources. `DataCollector`, `IntentProcessor` and `TransitionResolver`
/// belong to the machine; every other source belongs to one policy.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
pub enum SourceKind {
    /// Accepts or refuses to go back.
    GoBackGuard,
    /// Detects a dialogue that goes in circles.
    ConversationGuard,
    /// Asks for clarification if the recognized intent is ambiguous.
    Disambiguation,
    /// Answers a question about the price.
    PriceQuestion,
    /// Answers a question about facts.
    FactQuestion,
    /// Continues when all required data is present.
    DataCollector,
    /// Detects repeated intents of the same kind.
    IntentPatternGuard,
    /// Ends a series of objections.
    ObjectionGuard,
    /// Returns to the state that an objection interrupted.
    ObjectionReturn,
    /// Uses the state's rule for the intent.
    IntentProcessor,
    /// Lets a language model decide.
    AutonomousDecision,
    /// Offers options if a phase yields no new data.
    PhaseExhausted,
    /// Leaves a state that takes too many turns.
    StallGuard,
    /// Uses the state's transition for the intent.
    TransitionResolver,
    /// Hands over to a human.
    Escalation,
    /// Follows the transition that the assistant chose.
    Navigation,
    /// Uses the target state of the turn's class.
    ContractClass,
}

impl SourceKind {
    /// All sources in evaluation order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in configuration and traces.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The names of all sources.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|kind| kind.name())
    }

    /// The source with this name, with or without the suffix `Source`.
    pub fn from_name(name: &str) -> Option<Self> {
        name.strip_suffix("Source").unwrap_or(name).parse().ok()
    }

    /// The number of the source. If two proposals are otherwise equal and the switch `source_order` is on, the higher
    /// number wins.
    pub fn number(self) -> u8 {
        match self {
            Self::AutonomousDecision => 100,
            Self::ObjectionGuard => 90,
            Self::StallGuard => 88,
            Self::ConversationGuard => 85,
            Self::GoBackGuard => 82,
            Self::IntentPatternGuard => 80,
            Self::ObjectionReturn => 75,
            Self::PriceQuestion | Self::Escalation => 70,
            Self::FactQuestion => 65,
            Self::PhaseExhausted => 60,
            Self::Disambiguation => 55,
            Self::DataCollector => 50,
            Self::IntentProcessor => 40,
            Self::TransitionResolver => 30,
            Self::Navigation => 20,
            Self::ContractClass => 10,
        }
    }
}

impl SourceMask {
    /// All sources.
    pub const ALL: Self = Self::from_bits((1 << SourceKind::ALL.len()) - 1);

    /// The set with `kind` added or removed.
    #[inline]
    pub fn with(self, kind: SourceKind, present: bool) -> Self {
        let bit = 1 << kind as u32;
        Self::from_bits(if present {
            self.bits() | bit
        } else {
            self.bits() & !bit
        })
    }

    /// Whether `kind` is in the set.
    #[inline]
    pub fn has(self, kind: SourceKind) -> bool {
        self.bits() & (1 << kind as u32) != 0
    }

    /// The sources of the set in evaluation order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = SourceKind> {
        let mut rest = self.bits();
        std::iter::from_fn(move || {
            let kind = SourceKind::ALL.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(*kind)
        })
    }
}
