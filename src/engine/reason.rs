//! Why a proposal was made: a kind and an argument, rendered late.

use super::contract::Choice;
use super::session::Session;
use crate::machine::{ClassId, IntentId, Machine, PhaseId, PriorityId};

/// Why a proposal was made. Traces write it as a reason code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The dialogue is over.
    FinalState,
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
    /// All required data is there.
    DataComplete,
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
    /// The state's rule for the intent.
    Rule(IntentId),
    /// The state's transition for the intent.
    IntentTransition(IntentId),
    /// The transition for want of another.
    AnyTransition,
    /// A priority entry supplies the action.
    Priority(PriorityId),
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
    /// The conversation guard steps in; whether the reason is of its move.
    Guard(GuardTier, bool),
    /// Nothing moved, so the transition for any input did.
    FallbackAny,
    /// A proposal was not valid, so nothing was done.
    InvalidProposal,
    /// Nobody could read what was said, so nothing was done.
    NotUnderstood,
    /// The turn could not be processed, so nothing was done.
    ProcessingError,
    /// A phase was passed over.
    PhaseSkipped(PhaseId),
    /// A choice had no way that could be taken.
    ChoiceStuck,
    /// A branch was to end, but none is running.
    NoBranch,
    /// Whoever plays the assistant asked for this move.
    Navigated,
    /// The move that was asked for is not declared, but moves of that kind are permitted.
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
    /// The turn is of this class.
    ContractClass(ClassId),
    /// What the backend came to makes it a turn of this class.
    Became(ClassId),
    /// No class takes the turn, so nothing was done.
    Unclassified,
}

/// Why the user is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What a reason is rendered with: the names, and the texts that a model gave in the turn.
#[derive(Clone, Copy)]
pub struct ReasonNames<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The session, for names that the machine does not know.
    pub session: &'a Session,
    /// The texts of the turn.
    pub texts: &'a [Box<str>],
}

impl Reason {
    /// Whether the gates gave it: it tells why the dialogue went elsewhere than it was led, or went on without.
    #[must_use]
    pub fn is_of_gate(self) -> bool {
        matches!(
            self,
            Self::ConsentNeeded
                | Self::ConsentSettled
                | Self::ConsentRefused
                | Self::DataMissing
                | Self::DataInvalid
                | Self::StoreDown
                | Self::PayloadInvalid
        )
    }

    /// The reason code in two parts that are written one after the other.
    #[must_use]
    pub fn parts(self, names: ReasonNames<'_>) -> (&str, &str) {
        match self {
            Self::FinalState => ("final_state", ""),
            Self::GoBackAllowed => ("go_back_allowed", ""),
            Self::GoBackLimitReached => ("go_back_limit_reached", ""),
            Self::GoBackDisabled => ("go_back_disabled", ""),
            Self::DisambiguationNeeded => ("disambiguation_needed", ""),
            Self::PriceQuestion => ("price_question_priority", ""),
            Self::FactQuestion => ("fact_question_detected", ""),
            Self::DataComplete => ("data_complete", ""),
            Self::IntentPattern(number) => {
                let pattern = names.machine.vocabulary.patterns.get(usize::from(number));
                ("intent_pattern_", pattern.map_or("", |pattern| &pattern.name))
            }
            Self::ObjectionLimit => ("objection_limit_exceeded", ""),
            Self::ObjectionEscape => ("objection_phase_origin_escape", ""),
            Self::ObjectionReturnPhase => ("objection_return_to_phase", ""),
            Self::ObjectionReturn => ("objection_return", ""),
            Self::ObjectionReturnEntry => ("objection_return_to_entry_state", ""),
            Self::ObjectionLoop => ("objection_loop_escape_to_entry_state", ""),
            Self::ObjectionTotal => ("objection_total_escape_to_entry_state", ""),
            Self::Rule(intent) => ("rule_", names.session.intent_name(intent, names.machine)),
            Self::IntentTransition(intent) => {
                ("intent_transition_", names.session.intent_name(intent, names.machine))
            }
            Self::AnyTransition => ("transition_any", ""),
            Self::Priority(entry) => ("", names.machine.priorities.name(entry)),
            Self::AutonomousFallback => ("autonomous_llm_fallback", ""),
            Self::AutonomousAction(None) => ("autonomous_action", ""),
            Self::AutonomousTransition(None) => ("autonomous_transition", ""),
            Self::AutonomousAction(Some(text)) => ("autonomous_action_", text_of(names, text)),
            Self::AutonomousTransition(Some(text)) => ("autonomous_transition_", text_of(names, text)),
            Self::PhaseExhausted => ("phase_exhausted_options", ""),
            Self::MaxTurns => ("max_turns_in_state_exceeded", ""),
            Self::StallSoft => ("stall_soft_progression", ""),
            Self::Escalation(Escalation::Explicit) => ("escalation_explicit_request", ""),
            Self::Escalation(Escalation::Sensitive) => ("escalation_sensitive_topic", ""),
            Self::Escalation(Escalation::Frustration) => ("escalation_frustration_threshold", ""),
            Self::Escalation(Escalation::Misunderstanding) => ("escalation_misunderstanding_threshold", ""),
            Self::Escalation(Escalation::HighValue) => ("escalation_high_value_complex", ""),
            Self::Guard(tier, moved) => {
                let tier = match tier {
                    GuardTier::Rephrase => "conversation_guard_fallback_tier_1",
                    GuardTier::Options => "conversation_guard_fallback_tier_2",
                    GuardTier::Skip => "conversation_guard_fallback_tier_3",
                    GuardTier::SoftClose => "conversation_guard_soft_close",
                };
                (tier, if moved { "_transition" } else { "" })
            }
            Self::FallbackAny => ("fallback_any_transition", ""),
            Self::InvalidProposal => ("fallback_validation_error", ""),
            Self::NotUnderstood => ("nobody_read_it", ""),
            Self::ProcessingError => ("fallback_processing_error", ""),
            Self::ChoiceStuck => ("choice_without_way", ""),
            Self::NoBranch => ("no_branch_to_complete", ""),
            Self::Navigated => ("navigated", ""),
            Self::UndeclaredTaken => ("undeclared_transition_permitted", ""),
            Self::UndeclaredTransition => ("undeclared_transition", ""),
            Self::ConsentNeeded => ("consent_needed", ""),
            Self::ConsentSettled => ("consent_settled", ""),
            Self::ConsentRefused => ("consent_refused", ""),
            Self::DataMissing => ("data_missing", ""),
            Self::DataInvalid => ("data_invalid", ""),
            Self::StoreDown => ("store_down", ""),
            Self::PayloadInvalid => ("payload_invalid", ""),
            Self::ContractClass(class) => ("contract_class_", Choice::name(names.machine, class)),
            Self::Became(class) => ("became_", Choice::name(names.machine, class)),
            Self::Unclassified => ("unclassified", ""),
            Self::PhaseSkipped(phase) => ("phase_skipped_", names.session.phase_name(phase, names.machine)),
        }
    }

    /// The reason code.
    #[must_use]
    pub fn text(self, names: ReasonNames<'_>) -> String {
        let (code, argument) = self.parts(names);
        [code, argument].concat()
    }
}

fn text_of(names: ReasonNames<'_>, number: u16) -> &str {
    names.texts.get(usize::from(number)).map_or("", |text| text)
}
