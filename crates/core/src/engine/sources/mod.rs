//! The machine's own knowledge sources, one file each: the rules and transitions of the state, and complete data.
//!
//! What each proposes stands in docs/sales.md, "Sources". Which sources are asked is decided before:
//! by masks of the state, of the intent and of the settings.

mod data_collector;
mod intent_processor;
mod transition_resolver;

pub(super) use transition_resolver::propose_any;

use super::PolicyNotes;
use super::blackboard::{Blackboard, SourceError};
use super::condition::TurnContext;
use super::source_kind::SourceKind;

/// Lets one source contribute: one of the machine's own, or the one of a policy.
pub(super) fn contribute(
    kind: SourceKind,
    turn: &TurnContext<'_>,
    notes: &mut PolicyNotes,
    board: &mut Blackboard,
) -> Result<(), SourceError> {
    match kind {
        SourceKind::DataCollector => data_collector::contribute(turn, board),
        SourceKind::IntentProcessor => return intent_processor::contribute(turn, board),
        SourceKind::TransitionResolver => transition_resolver::contribute(turn, board),
        kind => return turn.machine.policies.contribute(kind, notes, turn, board),
    }
    Ok(())
}
