//! The knowledge sources and sets of them.

/// A knowledge source: one independent reason to act or to move.
///
/// The variants stand in the order in which sources are asked (docs/sales.md, "Sources").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    pub const ALL: [Self; 17] = [
        Self::GoBackGuard,
        Self::ConversationGuard,
        Self::Disambiguation,
        Self::PriceQuestion,
        Self::FactQuestion,
        Self::DataCollector,
        Self::IntentPatternGuard,
        Self::ObjectionGuard,
        Self::ObjectionReturn,
        Self::IntentProcessor,
        Self::AutonomousDecision,
        Self::PhaseExhausted,
        Self::StallGuard,
        Self::TransitionResolver,
        Self::Escalation,
        Self::Navigation,
        Self::ContractClass,
    ];

    /// The name, as configuration and traces write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GoBackGuard => "GoBackGuard",
            Self::ConversationGuard => "ConversationGuard",
            Self::Disambiguation => "Disambiguation",
            Self::PriceQuestion => "PriceQuestion",
            Self::FactQuestion => "FactQuestion",
            Self::DataCollector => "DataCollector",
            Self::IntentPatternGuard => "IntentPatternGuard",
            Self::ObjectionGuard => "ObjectionGuard",
            Self::ObjectionReturn => "ObjectionReturn",
            Self::IntentProcessor => "IntentProcessor",
            Self::AutonomousDecision => "AutonomousDecision",
            Self::PhaseExhausted => "PhaseExhausted",
            Self::StallGuard => "StallGuard",
            Self::TransitionResolver => "TransitionResolver",
            Self::Escalation => "Escalation",
            Self::Navigation => "Navigation",
            Self::ContractClass => "ContractClass",
        }
    }

    /// The source of this name; the suffix `Source` may be there.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_suffix("Source").unwrap_or(name);
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The number: of two proposals that are equal otherwise, the one with the higher number wins
    /// where the switch `source_order` is on.
    #[must_use]
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

/// A set of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceMask(u32);

impl SourceMask {
    /// No source.
    pub const NONE: Self = Self(0);
    /// All sources.
    pub const ALL: Self = Self((1 << SourceKind::ALL.len()) - 1);

    /// The set with `kind` added or taken out.
    #[inline]
    #[must_use]
    pub fn with(self, kind: SourceKind, present: bool) -> Self {
        let bit = 1 << kind as u32;
        Self(if present { self.0 | bit } else { self.0 & !bit })
    }

    /// Whether `kind` is in the set.
    #[inline]
    #[must_use]
    pub fn has(self, kind: SourceKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// What is in both sets.
    #[inline]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in either set.
    #[inline]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The sources of the set in the order in which they are asked.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = SourceKind> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let kind = SourceKind::ALL.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(*kind)
        })
    }
}
