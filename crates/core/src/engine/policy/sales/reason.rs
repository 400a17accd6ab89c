//! The reasons of the sales sources: codes for traces, explanations for users.

use strum::{IntoStaticStr, VariantArray};

use crate::engine::{Machine, ReasonKind, ReasonNames, SalesConfig};
use crate::machine::{IntentId, Signal};

/// The reason for a proposal by a sales source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SalesReason {
    /// Going back is accepted.
    GoBackAllowed,
    /// The limit of go-backs is reached.
    GoBackLimitReached,
    /// Going back is disabled.
    GoBackDisabled,
    /// The recognized intent is ambiguous.
    DisambiguationNeeded,
    /// The price is asked for: by the intent of the turn, or by this intent in a signal.
    #[strum(serialize = "price_question_priority")]
    PriceQuestion(Option<(IntentId, Signal)>),
    /// Facts are asked for: by the intent of the turn, or by this intent in a signal.
    #[strum(serialize = "fact_question_detected")]
    FactQuestion(Option<(IntentId, Signal)>),
    /// A watched pattern of intents occurred; contains the index of the pattern.
    IntentPattern(u16),
    /// Too many objections.
    #[strum(serialize = "objection_limit_exceeded")]
    ObjectionLimit,
    /// Repeated objections in a phase return to the phase immediately.
    #[strum(serialize = "objection_phase_origin_escape")]
    ObjectionEscape,
    /// The objection is settled, so the dialogue returns to its phase.
    #[strum(serialize = "objection_return_to_phase")]
    ObjectionReturnPhase,
    /// The objection is settled, so the dialogue returns to the interrupted state.
    ObjectionReturn,
    /// The objection is settled, so the dialogue goes to the entry state.
    #[strum(serialize = "objection_return_to_entry_state")]
    ObjectionReturnEntry,
    /// Objections repeat, so the dialogue goes to the entry state.
    #[strum(serialize = "objection_loop_escape_to_entry_state")]
    ObjectionLoop,
    /// There are almost too many objections, so the dialogue goes to the entry state.
    #[strum(serialize = "objection_total_escape_to_entry_state")]
    ObjectionTotal,
    /// The model did not answer.
    #[strum(serialize = "autonomous_llm_fallback")]
    AutonomousFallback,
    /// The model replied; contains the index of its text.
    AutonomousAction(Option<u16>),
    /// The model chose a transition; contains the index of its text.
    AutonomousTransition(Option<u16>),
    /// The state yields no new data.
    #[strum(serialize = "phase_exhausted_options")]
    PhaseExhausted,
    /// The state took too many turns.
    #[strum(serialize = "max_turns_in_state_exceeded")]
    MaxTurns,
    /// The state takes many turns without progress.
    #[strum(serialize = "stall_soft_progression")]
    StallSoft,
    /// The dialogue is handed over to a human.
    Escalation(Escalation),
    /// An intervention of the conversation guard: its level, its cause, and whether this is the reason for its
    /// transition.
    Guard(GuardTier, GuardCause, bool),
}

/// The cause of a handover to a human.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
pub enum Escalation {
    /// The user asked for a human.
    #[strum(serialize = "escalation_explicit_request")]
    Explicit,
    /// The topic is sensitive.
    #[strum(serialize = "escalation_sensitive_topic")]
    Sensitive,
    /// The user is frustrated.
    #[strum(serialize = "escalation_frustration_threshold")]
    Frustration,
    /// The user was not understood.
    #[strum(serialize = "escalation_misunderstanding_threshold")]
    Misunderstanding,
    /// The user is a large customer with a special request.
    #[strum(serialize = "escalation_high_value_complex")]
    HighValue,
}

/// The level of an intervention of the conversation guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
pub enum GuardTier {
    /// Rephrase the question.
    Rephrase,
    /// Offer options.
    Options,
    /// Skip the phase.
    Skip,
    /// End the dialogue.
    SoftClose,
}

/// The cause of an intervention of the conversation guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GuardCause {
    /// The dialogue exceeded the maximum duration.
    TimedOut,
    /// The dialogue takes too many turns.
    TooManyTurns,
    /// The user is upset.
    Frustration,
    /// The user repeats the message.
    SameMessage,
    /// The dialogue stays in its state.
    SameState,
    /// There is no progress.
    NoProgress,
}

impl SalesReason {
    pub(crate) fn all(machine: &Machine) -> Vec<Self> {
        let patterns = machine.sales().map_or(0, |sales| sales.patterns.len());
        let patterns = (0..patterns)
            .filter_map(|number| Some(Self::IntentPattern(u16::try_from(number).ok()?)));
        let escalations = Escalation::VARIANTS
            .iter()
            .map(|why| Self::Escalation(*why));
        // Codes do not contain the cause.
        let guards = GuardTier::VARIANTS.iter().flat_map(|tier| {
            [true, false].map(|moved| Self::Guard(*tier, GuardCause::NoProgress, moved))
        });
        let plain = [
            Self::GoBackAllowed,
            Self::GoBackLimitReached,
            Self::GoBackDisabled,
            Self::DisambiguationNeeded,
            Self::PriceQuestion(None),
            Self::FactQuestion(None),
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

    pub(crate) fn kind(self) -> ReasonKind {
        match self {
            Self::AutonomousFallback => ReasonKind::Fallback,
            Self::GoBackLimitReached | Self::GoBackDisabled => ReasonKind::Stopped,
            _ => ReasonKind::Plain,
        }
    }

    pub(crate) fn code(self, names: ReasonNames<'_>) -> (&str, &str) {
        match self {
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
            Self::AutonomousAction(Some(text)) => ("autonomous_action_", names.text(text)),
            Self::AutonomousTransition(Some(text)) => ("autonomous_transition_", names.text(text)),
            Self::Escalation(cause) => (cause.into(), ""),
            Self::Guard(tier, _, moved) => {
                let tier = match tier {
                    GuardTier::Rephrase => "conversation_guard_fallback_tier_1",
                    GuardTier::Options => "conversation_guard_fallback_tier_2",
                    GuardTier::Skip => "conversation_guard_fallback_tier_3",
                    GuardTier::SoftClose => "conversation_guard_soft_close",
                };
                (tier, if moved { "_transition" } else { "" })
            }
            plain => (plain.into(), ""),
        }
    }
}

impl SalesReason {
    /// The reason as a clause that can follow "because".
    pub(crate) fn words(self, names: ReasonNames<'_>) -> String {
        let Some(sales) = names.machine.sales() else {
            return String::new();
        };
        let thresholds = &sales.thresholds;
        let tracker = &names.session.tracker;
        let limit = |id| names.settings.limit(id);
        let in_row = tracker.category_streak(sales.categories.objection);
        let in_all = tracker.category_total(sales.categories.objection);
        let most_turns = names
            .from
            .map_or(0, |state| names.machine.state(state).max_turns);
        match self {
            Self::PriceQuestion(None) => "PriceQuestion has priority for questions about the price".to_owned(),
            Self::FactQuestion(None) => "FactQuestion has priority for questions about facts".to_owned(),
            Self::PriceQuestion(Some((intent, signal))) | Self::FactQuestion(Some((intent, signal))) => {
                let intent = names.session.intent_name(intent, names.machine);
                format!("the signal `{}` contains {intent}", signal.name())
            }
            Self::GoBackAllowed => "GoBackGuard allows going back".to_owned(),
            Self::GoBackLimitReached => format!(
                "the limit of GoBackGuard is reached: `limits.max_gobacks` ({}) in constants",
                limit(sales.limits.go_backs)
            ),
            Self::GoBackDisabled => {
                "GoBackGuard blocks going back because the flag circular_flow is off: enable it with \
                 `feature_flags: {circular_flow: true}` in the flow or in settings.yaml"
                    .to_owned()
            }
            Self::DisambiguationNeeded => {
                "Disambiguation asks for the intent: `disambiguation.thresholds` in constants".to_owned()
            }
            Self::IntentPattern(number) => {
                let pattern = sales.patterns.get(usize::from(number)).map_or("", |pattern| &*pattern.name);
                format!(
                    "IntentPatternGuard reached the limit for {pattern}: \
                     `intents.intent_pattern_guard.patterns.{pattern}.persona_limits` in constants"
                )
            }
            Self::ObjectionLimit => {
                let by_persona = names.settings.policies.sales.personas.given || !names.settings.switches.objection_limits;
                let set = if by_persona {
                    "`persona_limits` in constants".to_owned()
                } else {
                    let limits = &sales.limits;
                    let row = limit(limits.consecutive_objections);
                    let all = limit(limits.total_objections);
                    format!("`limits.max_consecutive_objections` ({row}) and `limits.max_total_objections` ({all}) in constants")
                };
                format!("ObjectionGuard stops after {in_row} objections in a row and {in_all} in total: {set}")
            }
            Self::ObjectionEscape => format!(
                "ObjectionReturn returns to the phase after {} objections in a row: \
                 `thresholds.objections_return_to_phase` in constants",
                thresholds.phase_escape
            ),
            Self::ObjectionReturnPhase | Self::ObjectionReturn => {
                "ObjectionReturn returns to the state before the handled objection: \
                 category `objection_return_triggers` in constants"
                    .to_owned()
            }
            Self::ObjectionReturnEntry => {
                "ObjectionReturn goes to the entry state after an objection was handled: \
                 `variables.entry_state` of the flow"
                    .to_owned()
            }
            Self::ObjectionLoop => format!(
                "ObjectionReturn goes to the entry state after {} objections in a row: \
                 `thresholds.objections_escape_loop` in constants",
                thresholds.loop_escape
            ),
            Self::ObjectionTotal => format!(
                "ObjectionReturn goes to the entry state one objection before the limit: \
                 `limits.max_total_objections` ({}) in constants",
                names.machine.settings().limit(sales.limits.total_objections)
            ),
            Self::AutonomousFallback => "AutonomousDecision received no answer from the model".to_owned(),
            Self::AutonomousAction(_) | Self::AutonomousTransition(_) => {
                "AutonomousDecision follows the answer of the model".to_owned()
            }
            Self::PhaseExhausted => format!(
                "PhaseExhausted finds no new data after {} turns: `phase_exhaust_threshold` of the state, \
                 or `thresholds.phase_exhaust_threshold` in constants",
                names.from.map_or(thresholds.phase_exhaust, |state| names.machine.state(state).exhaust_threshold)
            ),
            Self::MaxTurns => {
                format!("StallGuard leaves the state after {most_turns} turns: `max_turns_in_state` of the state")
            }
            Self::StallSoft => format!(
                "StallGuard finds no progress after one turn less than `max_turns_in_state` ({most_turns}) of the state \
                 and at least `thresholds.soft_stall` turns ({})",
                thresholds.soft_stall
            ),
            Self::Escalation(cause) => {
                format!("Escalation hands over to a human {}", escalation(cause, sales, names))
            }
            Self::Guard(tier, cause, _) => guard(tier, cause, names),
        }
    }
}

/// Describes the cause of a handover.
fn escalation(cause: Escalation, sales: &SalesConfig, names: ReasonNames<'_>) -> String {
    let thresholds = &sales.thresholds;
    let tracker = &names.session.tracker;
    match cause {
        Escalation::Explicit => {
            "at the request of the user: category `escalation` in constants".to_owned()
        }
        Escalation::Sensitive => {
            "on a sensitive topic: category `sensitive` in constants".to_owned()
        }
        Escalation::Frustration => format!(
            "after {} signs of frustration: `thresholds.frustration_escalates` ({}) in constants",
            tracker.category_total(sales.categories.frustration),
            thresholds.frustration_escalates
        ),
        Escalation::Misunderstanding => format!(
            "after {} unclear turns: `thresholds.unclear_escalates` ({}) in constants",
            sales.unclear.map_or(0, |intent| tracker.total(intent)),
            thresholds.unclear_escalates
        ),
        Escalation::HighValue => format!(
            "for a special request of a large company: `thresholds.large_company` ({}) in constants",
            thresholds.large_company
        ),
    }
}

/// Describes the intervention of the conversation guard, its cause, and the setting that triggers it.
fn guard(tier: GuardTier, cause: GuardCause, names: ReasonNames<'_>) -> String {
    let Some(limits) = &names.settings.policies.sales.guard else {
        return String::new();
    };
    let does = match tier {
        GuardTier::Rephrase => "rephrases the question",
        GuardTier::Options => "offers options",
        GuardTier::Skip => "skips the phase",
        GuardTier::SoftClose => "ends the dialogue",
    };
    let (noticed, key, limit) = match cause {
        GuardCause::TimedOut => (
            "after the timeout",
            "timeout_seconds",
            limits.timeout_seconds,
        ),
        GuardCause::TooManyTurns => ("after too many turns", "max_turns", limits.max_turns),
        GuardCause::Frustration => (
            "after too much frustration",
            "high_frustration_threshold",
            limits.high_frustration,
        ),
        GuardCause::SameMessage => (
            "after a repeated message",
            "max_same_message",
            limits.max_same_message,
        ),
        GuardCause::SameState => (
            "after too many turns in one state",
            "max_same_state",
            limits.max_same_state,
        ),
        GuardCause::NoProgress => (
            "after turns without progress",
            "progress_check_interval",
            limits.progress_check_interval,
        ),
    };
    format!("ConversationGuard {does} {noticed}: `guard.{key}` ({limit}) in constants")
}
