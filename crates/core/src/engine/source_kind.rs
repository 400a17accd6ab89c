//! The knowledge sources of the machine and of all policies.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::machine::SourceMask;

/// A knowledge source: an independent component that proposes actions or transitions.
///
/// The variants have the evaluation order of sources. `DataCollector`, `IntentProcessor` and `TransitionResolver`
/// belong to the machine; each of the others belongs to one policy.
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
    /// Detects the same kind of intent over and over.
    IntentPatternGuard,
    /// Ends a series of objections.
    ObjectionGuard,
    /// Returns to the state that an objection interrupted.
    ObjectionReturn,
    /// The rule of the state for the intent.
    IntentProcessor,
    /// A language model that decides.
    AutonomousDecision,
    /// Offers options if a phase yields no new data.
    PhaseExhausted,
    /// Continues if a state takes too many turns.
    StallGuard,
    /// The transition of the state for the intent.
    TransitionResolver,
    /// Hands over to a human.
    Escalation,
    /// Follows the transition that the assistant chose.
    Navigation,
    /// Uses the state that the class of the turn leads to.
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

    /// The source of this name, with or without the suffix `Source`.
    pub fn from_name(name: &str) -> Option<Self> {
        name.strip_suffix("Source").unwrap_or(name).parse().ok()
    }

    /// The number. Of two otherwise equal proposals, the one with the higher number wins if the switch `source_order`
    /// is on.
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
