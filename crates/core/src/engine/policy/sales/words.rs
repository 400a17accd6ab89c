//! What the sources of a sales dialogue say of their decisions: who decided, by which threshold, and where that is set.

use super::config::SalesConfig;
use super::reason::{Escalation, GuardCause, GuardTier, SalesReason};
use crate::engine::blackboard::ReasonNames;

impl SalesReason {
    /// The reason as the end of "because".
    pub(in crate::engine) fn words(self, names: ReasonNames<'_>) -> String {
        let Some(sales) = names.machine.sales() else {
            return String::new();
        };
        let thresholds = &sales.thresholds;
        let tracker = &names.session.tracker;
        let limit = |id| names.settings.limit(id);
        let (in_row, in_all) = (
            tracker.category_streak(sales.categories.objection),
            tracker.category_total(sales.categories.objection),
        );
        let most_turns = names
            .from
            .map_or(0, |state| names.machine.state(state).max_turns);
        match self {
            Self::PriceQuestion => "PriceQuestion answers a question about the price before anything else".to_owned(),
            Self::FactQuestion => "FactQuestion answers a question about facts before anything else".to_owned(),
            Self::GoBackAllowed => "GoBackGuard allows a step back".to_owned(),
            Self::GoBackLimitReached => format!(
                "GoBackGuard allows {} steps back, and they are used up: `limits.max_gobacks` in constants",
                limit(sales.limits.go_backs)
            ),
            Self::GoBackDisabled => {
                "GoBackGuard takes no step back while the flag circular_flow is off: `feature_flags: {circular_flow: true}` \
                 in the flow or in settings.yaml switches it on"
                    .to_owned()
            }
            Self::DisambiguationNeeded => {
                "Disambiguation asks what was meant: `disambiguation.thresholds` in constants".to_owned()
            }
            Self::IntentPattern(number) => {
                let pattern = sales.patterns.get(usize::from(number)).map_or("", |pattern| &*pattern.name);
                format!(
                    "IntentPatternGuard heard {pattern} too often: \
                     `intents.intent_pattern_guard.patterns.{pattern}.persona_limits` in constants"
                )
            }
            Self::ObjectionLimit => {
                let by_persona = names.settings.policies.sales.personas.given || !names.settings.switches.objection_limits;
                let set = if by_persona {
                    "`persona_limits` in constants".to_owned()
                } else {
                    let limits = &sales.limits;
                    let (row, all) = (limit(limits.consecutive_objections), limit(limits.total_objections));
                    format!("`limits.max_consecutive_objections` ({row}) and `limits.max_total_objections` ({all}) in constants")
                };
                format!("ObjectionGuard ends a series of objections, {in_row} in a row and {in_all} in all: {set}")
            }
            Self::ObjectionEscape => format!(
                "ObjectionReturn leads back to the phase from objection {} in a row on: \
                 `thresholds.objections_return_to_phase` in constants",
                thresholds.phase_escape
            ),
            Self::ObjectionReturnPhase | Self::ObjectionReturn => {
                "ObjectionReturn leads back to where the objection came up, which is dealt with: \
                 the category `objection_return_triggers` in constants"
                    .to_owned()
            }
            Self::ObjectionReturnEntry => {
                "ObjectionReturn leads to where the flow begins, since the objection is dealt with: \
                 `variables.entry_state` of the flow"
                    .to_owned()
            }
            Self::ObjectionLoop => format!(
                "ObjectionReturn leads to where the flow begins from objection {} in a row on: \
                 `thresholds.objections_escape_loop` in constants",
                thresholds.loop_escape
            ),
            Self::ObjectionTotal => format!(
                "ObjectionReturn leads to where the flow begins, one objection before there are {}: \
                 `limits.max_total_objections` in constants",
                names.machine.settings().limit(sales.limits.total_objections)
            ),
            Self::AutonomousFallback => "the model gave AutonomousDecision nothing".to_owned(),
            Self::AutonomousAction(_) | Self::AutonomousTransition(_) => {
                "the model decided so, whom AutonomousDecision asks".to_owned()
            }
            Self::PhaseExhausted => format!(
                "PhaseExhausted sees nothing new after {} turns: `phase_exhaust_threshold` of the state, \
                 else `thresholds.phase_exhaust_threshold` in constants",
                names.from.map_or(thresholds.phase_exhaust, |state| names.machine.state(state).exhaust_threshold)
            ),
            Self::MaxTurns => {
                format!("StallGuard leaves the state after {most_turns} turns: `max_turns_in_state` of the state")
            }
            Self::StallSoft => format!(
                "StallGuard sees no progress, one turn before there are {most_turns}: `max_turns_in_state` of the state, \
                 and `thresholds.soft_stall` ({}) in constants",
                thresholds.soft_stall
            ),
            Self::Escalation(cause) => {
                format!("Escalation hands over to a human, {}", escalation(cause, sales, names))
            }
            Self::Guard(tier, cause, _) => guard(tier, cause, names),
        }
    }
}

/// What made somebody hand over.
fn escalation(cause: Escalation, sales: &SalesConfig, names: ReasonNames<'_>) -> String {
    let (thresholds, tracker) = (&sales.thresholds, &names.session.tracker);
    match cause {
        Escalation::Explicit => {
            "who was asked for: the category `escalation` in constants".to_owned()
        }
        Escalation::Sensitive => {
            "since the topic is sensitive: the category `sensitive` in constants".to_owned()
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
            "since a large company has a special wish: `thresholds.large_company` ({}) in constants",
            thresholds.large_company
        ),
    }
}

/// What the conversation guard does, over what, and where that is set.
fn guard(tier: GuardTier, cause: GuardCause, names: ReasonNames<'_>) -> String {
    let Some(limits) = &names.settings.policies.sales.guard else {
        return String::new();
    };
    let does = match tier {
        GuardTier::Rephrase => "asks in other words",
        GuardTier::Options => "offers options",
        GuardTier::Skip => "skips the phase",
        GuardTier::SoftClose => "ends the dialogue",
    };
    let (noticed, key, limit) = match cause {
        GuardCause::TimedOut => (
            "since it takes too long",
            "timeout_seconds",
            limits.timeout_seconds,
        ),
        GuardCause::TooManyTurns => (
            "since it takes too many turns",
            "max_turns",
            limits.max_turns,
        ),
        GuardCause::Frustration => (
            "since the user is upset",
            "high_frustration_threshold",
            limits.high_frustration,
        ),
        GuardCause::SameMessage => (
            "since the user says the same again",
            "max_same_message",
            limits.max_same_message,
        ),
        GuardCause::SameState => (
            "since the dialogue stays here",
            "max_same_state",
            limits.max_same_state,
        ),
        GuardCause::NoProgress => (
            "since nothing new is found",
            "progress_check_interval",
            limits.progress_check_interval,
        ),
    };
    format!("ConversationGuard {does} {noticed}: `guard.{key}` ({limit}) in constants")
}
