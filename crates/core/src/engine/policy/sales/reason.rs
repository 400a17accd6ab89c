//! Why the sources of a sales dialogue propose what they propose.

use strum::VariantArray;

use crate::engine::Machine;
use crate::engine::blackboard::{ReasonKind, ReasonNames};

/// Why a source of a sales dialogue made a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SalesReason {
    /// A step back is taken.
    GoBackAllowed,
    /// The steps back are used up.
    GoBackLimitReached,
    /// Steps back are switched off.
    GoBackDisabled,
    /// The reading is ambiguous.
    DisambiguationNeeded,
    /// The price was asked.
    PriceQuestion,
    /// Facts were asked.
    FactQuestion,
    /// A watched pattern of intents; the number of the pattern.
    IntentPattern(u16),
    /// Too many objections.
    ObjectionLimit,
    /// A second objection in a phase returns there at once.
    ObjectionEscape,
    /// The objection is dealt with: back to its phase.
    ObjectionReturnPhase,
    /// The objection is dealt with: back to where it came up.
    ObjectionReturn,
    /// The objection is dealt with: to the entry state.
    ObjectionReturnEntry,
    /// Objections go in circles: to the entry state.
    ObjectionLoop,
    /// Almost too many objections: to the entry state.
    ObjectionTotal,
    /// The model gave nothing.
    AutonomousFallback,
    /// The model's words; the number of the text.
    AutonomousAction(Option<u16>),
    /// The model's move; the number of the text.
    AutonomousTransition(Option<u16>),
    /// The state brings nothing new.
    PhaseExhausted,
    /// The state took too many turns.
    MaxTurns,
    /// The state takes many turns without progress.
    StallSoft,
    /// The user is handed over to a human.
    Escalation(Escalation),
    /// The conversation guard steps in, and over what; whether the reason is of its move.
    Guard(GuardTier, GuardCause, bool),
}

/// Why the user is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
pub enum Escalation {
    /// They asked for it.
    Explicit,
    /// The topic is sensitive.
    Sensitive,
    /// They are frustrated.
    Frustration,
    /// They were not understood.
    Misunderstanding,
    /// They are a large customer with a special wish.
    HighValue,
}

/// How far the conversation guard goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
pub enum GuardTier {
    /// Ask in other words.
    Rephrase,
    /// Offer options.
    Options,
    /// Skip the phase.
    Skip,
    /// End the dialogue.
    SoftClose,
}

/// What the conversation guard noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GuardCause {
    /// The dialogue takes too long, in seconds.
    TimedOut,
    /// The dialogue takes too many turns.
    TooManyTurns,
    /// The user is upset.
    Frustration,
    /// The user says the same again.
    SameMessage,
    /// The dialogue stays where it is.
    SameState,
    /// There is no progress.
    NoProgress,
}

impl SalesReason {
    pub(in crate::engine) fn all(machine: &Machine) -> Vec<Self> {
        let patterns = machine.sales().map_or(0, |sales| sales.patterns.len());
        let patterns = (0..patterns)
            .filter_map(|number| Some(Self::IntentPattern(u16::try_from(number).ok()?)));
        let escalations = Escalation::VARIANTS
            .iter()
            .map(|why| Self::Escalation(*why));
        // Codes tell nothing of the cause.
        let guards = GuardTier::VARIANTS.iter().flat_map(|tier| {
            [true, false].map(|moved| Self::Guard(*tier, GuardCause::NoProgress, moved))
        });
        let plain = [
            Self::GoBackAllowed,
            Self::GoBackLimitReached,
            Self::GoBackDisabled,
            Self::DisambiguationNeeded,
            Self::PriceQuestion,
            Self::FactQuestion,
            Self::ObjectionLimit,
            Self::ObjectionEscape,
            Self::ObjectionReturnPhase,
            Self::ObjectionReturn,
            Self::ObjectionReturnEntry,
            Self::ObjectionLoop,
            Self::ObjectionTotal,
            Self::AutonomousFallback,
            Self::AutonomousAction(None),
            Self::AutonomousTransition(None),
            Self::PhaseExhausted,
            Self::MaxTurns,
            Self::StallSoft,
        ];
        plain
            .into_iter()
            .chain(patterns)
            .chain(escalations)
            .chain(guards)
            .collect()
    }

    pub(in crate::engine) fn kind(self) -> ReasonKind {
        match self {
            Self::AutonomousFallback => ReasonKind::Fallback,
            Self::GoBackLimitReached | Self::GoBackDisabled => ReasonKind::Stopped,
            _ => ReasonKind::Plain,
        }
    }

    pub(in crate::engine) fn code(self, names: ReasonNames<'_>) -> (&str, &str) {
        match self {
            Self::GoBackAllowed => ("go_back_allowed", ""),
            Self::GoBackLimitReached => ("go_back_limit_reached", ""),
            Self::GoBackDisabled => ("go_back_disabled", ""),
            Self::DisambiguationNeeded => ("disambiguation_needed", ""),
            Self::PriceQuestion => ("price_question_priority", ""),
            Self::FactQuestion => ("fact_question_detected", ""),
            Self::IntentPattern(number) => {
                let pattern = names
                    .machine
                    .sales()
                    .and_then(|sales| sales.patterns.get(usize::from(number)));
                (
                    "intent_pattern_",
                    pattern.map_or("", |pattern| &pattern.name),
                )
            }
            Self::ObjectionLimit => ("objection_limit_exceeded", ""),
            Self::ObjectionEscape => ("objection_phase_origin_escape", ""),
            Self::ObjectionReturnPhase => ("objection_return_to_phase", ""),
            Self::ObjectionReturn => ("objection_return", ""),
            Self::ObjectionReturnEntry => ("objection_return_to_entry_state", ""),
            Self::ObjectionLoop => ("objection_loop_escape_to_entry_state", ""),
            Self::ObjectionTotal => ("objection_total_escape_to_entry_state", ""),
            Self::AutonomousFallback => ("autonomous_llm_fallback", ""),
            Self::AutonomousAction(None) => ("autonomous_action", ""),
            Self::AutonomousTransition(None) => ("autonomous_transition", ""),
            Self::AutonomousAction(Some(text)) => ("autonomous_action_", names.text(text)),
            Self::AutonomousTransition(Some(text)) => ("autonomous_transition_", names.text(text)),
            Self::PhaseExhausted => ("phase_exhausted_options", ""),
            Self::MaxTurns => ("max_turns_in_state_exceeded", ""),
            Self::StallSoft => ("stall_soft_progression", ""),
            Self::Escalation(Escalation::Explicit) => ("escalation_explicit_request", ""),
            Self::Escalation(Escalation::Sensitive) => ("escalation_sensitive_topic", ""),
            Self::Escalation(Escalation::Frustration) => ("escalation_frustration_threshold", ""),
            Self::Escalation(Escalation::Misunderstanding) => {
                ("escalation_misunderstanding_threshold", "")
            }
            Self::Escalation(Escalation::HighValue) => ("escalation_high_value_complex", ""),
            Self::Guard(tier, _, moved) => {
                let tier = match tier {
                    GuardTier::Rephrase => "conversation_guard_fallback_tier_1",
                    GuardTier::Options => "conversation_guard_fallback_tier_2",
                    GuardTier::Skip => "conversation_guard_fallback_tier_3",
                    GuardTier::SoftClose => "conversation_guard_soft_close",
                };
                (tier, if moved { "_transition" } else { "" })
            }
        }
    }
}
