//! The knowledge sources of the machine and of all policies.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::machine::SourceMask;

/// A knowledge source: one independent reason to act or to move.
///
/// The variants stand in the order in which sources are asked. `DataCollector`, `IntentProcessor` and `TransitionResolver`
/// are the machine's own; each of the others belongs to one policy.
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
    /// Accepts or refuses a step back.
    GoBackGuard,
    /// Notices a dialogue that goes in circles.
    ConversationGuard,
    /// Asks back when the reading is ambiguous.
    Disambiguation,
    /// Answers a question about the price.
    PriceQuestion,
    /// Answers a question about facts.
    FactQuestion,
    /// Moves on when all required data is there.
    DataCollector,
    /// Notices the same kind of intent over and over.
    IntentPatternGuard,
    /// Ends a series of objections.
    ObjectionGuard,
    /// Returns to where an objection interrupted the dialogue.
    ObjectionReturn,
    /// The state's own rule for the intent.
    IntentProcessor,
    /// A language model that decides.
    AutonomousDecision,
    /// Offers options when a phase brings nothing new.
    PhaseExhausted,
    /// Pushes on when a state takes too many turns.
    StallGuard,
    /// The state's own transition for the intent.
    TransitionResolver,
    /// Hands over to a human.
    Escalation,
    /// Whoever plays the assistant goes where its word leads.
    Navigation,
    /// The class of the turn leads to its mode.
    ContractClass,
}

impl SourceKind {
    /// All sources in the order in which they are asked.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name, as configuration and traces write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The names of all sources.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|kind| kind.name())
    }

    /// The source of this name; the suffix `Source` may be there.
    pub fn from_name(name: &str) -> Option<Self> {
        name.strip_suffix("Source").unwrap_or(name).parse().ok()
    }

    /// The number: of two proposals that are equal otherwise, the one with the higher number wins
    /// where the switch `source_order` is on.
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

    /// The set with `kind` added or taken out.
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

    /// The sources of the set in the order in which they are asked.
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
