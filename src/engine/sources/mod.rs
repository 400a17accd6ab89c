//! The knowledge sources, one file each. A source looks at the view and puts proposals on the board.
//!
//! What each proposes stands in docs/sales.md, "Sources". Which sources are asked is decided before:
//! by masks of the state, of the intent and of the settings.

mod autonomous;
mod contract_class;
mod conversation_guard;
mod data_collector;
mod disambiguation;
mod escalation;
mod fact_question;
mod go_back_guard;
mod intent_pattern;
mod intent_processor;
mod navigation;
mod objection_guard;
mod objection_return;
mod phase_exhausted;
mod price_question;
mod stall_guard;
mod transition_resolver;

pub(super) use transition_resolver::propose_any;

use super::board::Blackboard;
use super::view::{ConditionError, TurnContext};
use crate::machine::{IntentId, Roles, SourceKind};

/// Why a source contributes nothing.
pub(super) enum SourceError {
    /// A condition has no value.
    Condition(ConditionError),
    /// The limits of personas know neither this one nor `default`.
    NoPersona,
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Condition(fault) => fault.fmt(f),
            Self::NoPersona => f.write_str("the persona limits have neither this persona nor `default`"),
        }
    }
}

/// Lets one source contribute.
pub(super) fn contribute(
    kind: SourceKind,
    view: &TurnContext<'_>,
    board: &mut Blackboard,
) -> Result<(), SourceError> {
    match kind {
        SourceKind::GoBackGuard => go_back_guard::contribute(view, board),
        SourceKind::ConversationGuard => conversation_guard::contribute(view, board),
        SourceKind::Disambiguation => disambiguation::contribute(view, board),
        SourceKind::PriceQuestion => price_question::contribute(view, board),
        SourceKind::FactQuestion => fact_question::contribute(view, board),
        SourceKind::DataCollector => data_collector::contribute(view, board),
        SourceKind::IntentPatternGuard => intent_pattern::contribute(view, board),
        SourceKind::ObjectionGuard => return objection_guard::contribute(view, board),
        SourceKind::ObjectionReturn => objection_return::contribute(view, board),
        SourceKind::IntentProcessor => return intent_processor::contribute(view, board),
        SourceKind::AutonomousDecision => autonomous::contribute(view, board),
        SourceKind::PhaseExhausted => phase_exhausted::contribute(view, board),
        SourceKind::StallGuard => stall_guard::contribute(view, board),
        SourceKind::TransitionResolver => transition_resolver::contribute(view, board),
        SourceKind::Escalation => escalation::contribute(view, board),
        SourceKind::Navigation => navigation::contribute(view, board),
        SourceKind::ContractClass => contract_class::contribute(view, board),
    }
    Ok(())
}

/// The intent that a source of answers answers: the current one, else the first secondary one, else a question that was
/// asked before, whichever first plays the role.
fn question_in(view: &TurnContext<'_>, role: Roles) -> Option<IntentId> {
    if view.is(role) {
        return Some(view.intent);
    }
    let signals = view.signals?;
    let names = &view.machine.names.intents;
    let plays = |name: &str| names.id(name).filter(|id| view.machine.intent(*id).roles.has(role));
    if let Some(found) = signals.secondary.texts(view.machine).find_map(plays) {
        return Some(found);
    }
    if view.settings.switches.repeated_question && !view.is(Roles::ANY_QUESTION) {
        return None;
    }
    signals.repeated_question.and_then(plays)
}

/// Who is talking.
fn persona<'v>(view: &'v TurnContext<'_>) -> &'v str {
    let slot = view.machine.vocabulary.slots.persona;
    slot.and_then(|slot| view.session.slots.get(slot).as_text())
        .filter(|name| !name.is_empty())
        .unwrap_or("default")
}
