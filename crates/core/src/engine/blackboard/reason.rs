//! Reasons for proposals: a kind and an argument, converted to text only when needed.

use crate::engine::{Machine, PolicyReason, Session, Settings};
use crate::machine::{EffectId, IntentId, OutcomeId, PhaseId, PriorityId, StateId};

/// The reason for a proposal, or a note on a turn. Traces contain reasons as reason codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The dialogue has ended.
    FinalState,
    /// All required data is present.
    DataComplete,
    /// The state has a rule for the intent.
    Rule(IntentId),
    /// The state has a transition for the intent.
    IntentTransition(IntentId),
    /// The state has a transition for any input.
    AnyTransition,
    /// A priority entry supplies the action.
    Priority(PriorityId),
    /// No other transition matched, so the transition `any` applies.
    FallbackAny,
    /// A proposal was invalid, so nothing was done.
    InvalidProposal,
    /// No recognizer could classify the utterance, so nothing was done.
    NotUnderstood,
    /// The turn could not be processed, so nothing was done.
    ProcessingError,
    /// A phase was skipped.
    PhaseSkipped(PhaseId),
    /// No branch of a choice applied.
    ChoiceStuck,
    /// The target ends a branch, but no branch is running.
    NoBranch,
    /// The target leads back from an aside, but no aside is open.
    NoReturnState,
    /// The maximum number of asides is open, so no other one is entered.
    TooManyAsides,
    /// The recognized intent is ambiguous, in a flow without the sales policy.
    Ambiguous,
    /// The limit of going back is reached, in a flow without the sales policy.
    TooManyGoBacks,
    /// The outcome of an effect redirects the turn, or something was unavailable.
    Outcome(OutcomeId, ReasonKind),
    /// An effect was not performed, so the state does not change.
    Held(EffectId),
    /// A reason of a policy.
    Policy(PolicyReason),
}

/// The consequence of a reason for the class of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReasonKind {
    /// No consequence.
    Plain,
    /// Something was unavailable, or the turn could not be processed.
    Fallback,
    /// The turn was not understood.
    NotUnderstood,
    /// A requested or proposed transition was stopped.
    Stopped,
    /// A requested transition is not declared.
    Refused,
    /// The dialogue went to a different state than decided.
    WhyNotResult,
    /// The dialogue went to a different state than decided, because something was unavailable.
    DetourWithout,
}

impl ReasonKind {
    /// Whether something was unavailable.
    pub fn is_fallback(self) -> bool {
        matches!(
            self,
            Self::Fallback | Self::NotUnderstood | Self::DetourWithout
        )
    }

    /// Whether the dialogue went to a different state than decided.
    pub fn is_detour(self) -> bool {
        matches!(self, Self::WhyNotResult | Self::DetourWithout)
    }
}

/// The context for rendering a reason: the names, and the texts that a model returned in the turn.
#[derive(Clone, Copy)]
pub struct ReasonNames<'a> {
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The session, for counts, and for names that the machine does not define.
    pub session: &'a Session,
    /// The state in which the turn started.
    pub from: Option<StateId>,
    /// The texts of the turn.
    pub texts: &'a [Box<str>],
}

impl<'a> ReasonNames<'a> {
    /// A text that a model returned.
    pub(crate) fn text(&self, number: u16) -> &'a str {
        self.texts.get(usize::from(number)).map_or("", |text| text)
    }
}

impl Reason {
    /// The consequence of the reason for the class of its turn.
    pub fn kind(self) -> ReasonKind {
        match self {
            Self::ProcessingError => ReasonKind::Fallback,
            Self::NotUnderstood => ReasonKind::NotUnderstood,
            Self::InvalidProposal
            | Self::ChoiceStuck
            | Self::NoBranch
            | Self::NoReturnState
            | Self::TooManyAsides
            | Self::TooManyGoBacks
            | Self::Held(_) => ReasonKind::Stopped,
            Self::Outcome(_, kind) => kind,
            Self::Policy(reason) => reason.kind(),
            _ => ReasonKind::Plain,
        }
    }

    /// The reason code in two parts that are written one after the other.
    pub fn parts(self, names: ReasonNames<'_>) -> (&str, &str) {
        match self {
            Self::FinalState => ("final_state", ""),
            Self::DataComplete => ("data_complete", ""),
            Self::Rule(intent) => ("rule_", names.session.intent_name(intent, names.machine)),
            Self::IntentTransition(intent) => (
                "intent_transition_",
                names.session.intent_name(intent, names.machine),
            ),
            Self::AnyTransition => ("transition_any", ""),
            Self::Priority(entry) => ("", names.machine.priorities.name(entry)),
            Self::FallbackAny => ("fallback_any_transition", ""),
            Self::InvalidProposal => ("fallback_validation_error", ""),
            Self::NotUnderstood => ("nobody_read_it", ""),
            Self::ProcessingError => ("fallback_processing_error", ""),
            Self::ChoiceStuck => ("choice_without_way", ""),
            Self::NoBranch => ("no_branch_to_complete", ""),
            Self::NoReturnState => ("no_return_state", ""),
            Self::TooManyAsides => ("too_many_asides", ""),
            Self::Ambiguous => ("disambiguation_needed", ""),
            Self::TooManyGoBacks => ("go_back_limit_reached", ""),
            Self::PhaseSkipped(phase) => (
                "phase_skipped_",
                names.session.phase_name(phase, names.machine),
            ),
            Self::Outcome(outcome, _) => ("", &names.machine.outcomes[outcome].code),
            Self::Held(effect) => ("held_by_", names.machine.names.effects.name(effect)),
            Self::Policy(reason) => reason.code(names),
        }
    }

    /// Prefixes of the codes that end with text from a model.
    pub const FREE: [&'static str; 2] = ["autonomous_action_", "autonomous_transition_"];

    /// The codes of all reasons that turns of a machine can have, except those that end with text from a model.
    pub fn codes(machine: &Machine) -> Vec<String> {
        let names = &machine.names;
        let plain = [
            Self::FinalState,
            Self::DataComplete,
            Self::AnyTransition,
            Self::FallbackAny,
            Self::InvalidProposal,
            Self::NotUnderstood,
            Self::ProcessingError,
            Self::ChoiceStuck,
            Self::NoBranch,
            Self::NoReturnState,
            Self::TooManyAsides,
        ];
        // The sales policy has reasons with the same codes.
        let of_plain_flows = [Self::Ambiguous, Self::TooManyGoBacks]
            .into_iter()
            .filter(|_| !machine.has_profiles());
        let of_intents = machine
            .intents
            .ids()
            .flat_map(|id| [Self::Rule(id), Self::IntentTransition(id)]);
        let of_phases = names.phases.ids().map(Self::PhaseSkipped);
        let of_priorities = machine.priorities.entries.ids().map(Self::Priority);
        let of_outcomes = machine
            .outcomes
            .ids()
            .map(|id| Self::Outcome(id, ReasonKind::Plain));
        let of_effects = names.effects.ids().map(Self::Held);
        let all = plain
            .into_iter()
            .chain(of_plain_flows)
            .chain(of_intents)
            .chain(of_phases)
            .chain(of_priorities)
            .chain(of_outcomes);
        let all = all
            .chain(of_effects)
            .chain(PolicyReason::all(machine).into_iter().map(Self::Policy));
        let session = Session::new(machine);
        let names = ReasonNames {
            machine,
            settings: machine.settings(),
            session: &session,
            from: None,
            texts: &[],
        };
        all.map(|reason| reason.text(names)).collect()
    }

    /// The reason code.
    pub fn text(self, names: ReasonNames<'_>) -> String {
        let (code, argument) = self.parts(names);
        [code, argument].concat()
    }

    /// The reason as a clause that can follow "because".
    pub fn words(self, names: ReasonNames<'_>) -> String {
        let intent = |id| names.session.intent_name(id, names.machine);
        let words = match self {
            Self::Rule(id) => return format!("the state has a rule for {}", intent(id)),
            Self::IntentTransition(id) => {
                return format!("the state has a transition for {}", intent(id));
            }
            Self::Priority(entry) => {
                let entry = names.machine.priorities.name(entry);
                return format!("the priority entry {entry} answers questions without a rule");
            }
            Self::PhaseSkipped(phase) => {
                let phase = names.session.phase_name(phase, names.machine);
                return format!("the phase {phase} may be skipped");
            }
            Self::Outcome(outcome, _) => return names.machine.outcomes[outcome].words.to_string(),
            Self::Held(effect) => {
                let effect = names.machine.names.effects.name(effect);
                return format!(
                    "the effect `{effect}` did not succeed, so the state does not change"
                );
            }
            Self::Policy(reason) => return reason.words(names),
            Self::DataComplete => "all required data is there",
            Self::AnyTransition => "the state has a transition for any input",
            Self::FinalState => "the dialogue has ended",
            Self::FallbackAny => {
                "no other transition matches, and the state has a transition for any input"
            }
            Self::InvalidProposal => "a source proposed an unknown state, so the turn failed",
            Self::NotUnderstood => "the utterance was not recognized",
            Self::ProcessingError => "the turn cannot be processed",
            Self::ChoiceStuck => "no branch of the choice matches",
            Self::NoBranch => "the target ends a branch, but no branch is running",
            Self::NoReturnState => "`resume` leads back from an aside, but no aside is open",
            Self::TooManyAsides => "the maximum number of nested asides is open",
            Self::Ambiguous => "the recognizer is not certain: `disambiguation.thresholds`",
            Self::TooManyGoBacks => "the limit of going back is reached: `limits.max_gobacks`",
        };
        words.to_owned()
    }
}
