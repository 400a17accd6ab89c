//! The state's own rule for the intent (docs/sales.md, "Intent processor").

use crate::engine::blackboard::{Blackboard, Reason, SourceError};
use crate::engine::condition::TurnContext;
use crate::engine::session::Scope;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Clause, Consequent, Level};

const BY: SourceKind = SourceKind::IntentProcessor;

/// A condition without a value ends the contribution: what follows it in the rule must not be taken for an answer.
pub(super) fn contribute(
    turn: &TurnContext<'_>,
    board: &mut Blackboard,
) -> Result<(), SourceError> {
    let rule = match turn.here().rules.get(turn.intent) {
        Some(chain) => turn
            .first(chain, Scope::Most, false)
            .map_err(SourceError::Condition)?,
        None => None,
    };
    if let Some(Clause {
        then: Consequent::Action(action),
        rule,
        ..
    }) = rule
    {
        let proposal = board.act(BY, *action, Level::Normal, Reason::Rule(turn.intent));
        proposal.combinable = !turn.machine.well_known.blocking_actions.contains(action);
        proposal.rule = Some(*rule);
    } else if let Some((entry, action)) = turn.current_intent().default_answer {
        board.act(BY, action, Level::Normal, Reason::Priority(entry));
    }
    Ok(())
}
