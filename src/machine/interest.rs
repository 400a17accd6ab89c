//! Which sources can have something to say in a state or about an intent, so that the others are not asked.

use super::id::StateId;
use super::intent::{Intent, Roles};
use super::machine::Machine;
use super::profile::Switches;
use super::source::{SourceKind, SourceMask};
use super::state::State;

/// Fills in the masks of all states and intents.
pub(super) fn prepare(machine: &mut Machine) {
    let switches = machine.settings.switches;
    let masks: Vec<SourceMask> =
        machine.states.pairs().map(|(id, state)| state_interest(machine, Some(id), state)).collect();
    for (id, mask) in machine.states.ids().zip(masks) {
        machine.states[id].interest = mask;
    }
    let unknown = state_interest(machine, None, &machine.unknown_state);
    machine.unknown_state.interest = unknown;
    for id in machine.intents.ids() {
        let answer = machine.priorities.default_answer(id).filter(|_| switches.question_default);
        let intent = &mut machine.intents[id];
        intent.default_answer = answer;
        intent.interest = intent_interest(intent, switches);
        intent.anywhere = SourceMask::NONE.with(SourceKind::IntentProcessor, answer.is_some());
    }
    machine.unknown_intent.interest = intent_interest(&machine.unknown_intent, switches);
}

fn state_interest(machine: &Machine, id: Option<StateId>, state: &State) -> SourceMask {
    let named = |prefix: &str| id.is_some_and(|id| machine.names.states.name(id).starts_with(prefix));
    SourceKind::ALL.into_iter().fold(SourceMask::NONE, |mask, kind| {
        let interested = match kind {
            SourceKind::GoBackGuard => state.go_back.is_some() || state.allowed_go_back.is_some(),
            SourceKind::DataCollector => !state.is_final && !state.required.is_empty(),
            SourceKind::ObjectionReturn => id.is_some() && id == machine.vocabulary.places.handle_objection,
            SourceKind::IntentProcessor => !state.rules.is_empty(),
            SourceKind::AutonomousDecision => {
                machine.vocabulary.autonomous_flow && named(&machine.vocabulary.autonomous_prefix)
            }
            SourceKind::PhaseExhausted | SourceKind::StallGuard => state.max_turns > 0,
            SourceKind::TransitionResolver => !state.transitions.is_empty(),
            SourceKind::Navigation => state.guide.is_some(),
            SourceKind::ContractClass => machine.contract.is_some(),
            SourceKind::ConversationGuard
            | SourceKind::Disambiguation
            | SourceKind::PriceQuestion
            | SourceKind::FactQuestion
            | SourceKind::IntentPatternGuard
            | SourceKind::ObjectionGuard
            | SourceKind::Escalation => true,
        };
        mask.with(kind, interested)
    })
}

fn intent_interest(intent: &Intent, switches: Switches) -> SourceMask {
    let roles = intent.roles;
    SourceKind::ALL.into_iter().fold(SourceMask::NONE, |mask, kind| {
        let interested = match kind {
            SourceKind::GoBackGuard => roles.has(Roles::GO_BACK),
            SourceKind::Disambiguation => roles.has(Roles::AMBIGUOUS),
            SourceKind::PriceQuestion => roles.has(Roles::PRICE),
            SourceKind::FactQuestion => roles.has(Roles::FACT),
            SourceKind::IntentPatternGuard => roles.has(Roles::PATTERN),
            SourceKind::ObjectionGuard => {
                roles.has(Roles::OBJECTION) || (switches.objection_limits && roles.has(Roles::GO_BACK))
            }
            SourceKind::ObjectionReturn => roles.has(Roles::OBJECTION) || roles.has(Roles::RETURN_TRIGGER),
            SourceKind::IntentProcessor => !roles.has(Roles::PRICE),
            SourceKind::TransitionResolver => !roles.has(Roles::TRIGGER_NAME),
            SourceKind::Escalation => {
                roles.any(Roles::ESCALATION) || roles.any(Roles::SENSITIVE) || roles.any(Roles::FRUSTRATION)
            }
            SourceKind::ConversationGuard
            | SourceKind::DataCollector
            | SourceKind::AutonomousDecision
            | SourceKind::PhaseExhausted
            | SourceKind::StallGuard
            | SourceKind::Navigation
            | SourceKind::ContractClass => true,
        };
        mask.with(kind, interested)
    })
}
