//! The state's own rule for the intent (docs/sales.md, "Intent processor").

use super::super::board::Blackboard;
use super::super::reason::Reason;
use super::super::signals::Scope;
use super::super::view::TurnContext;
use super::SourceError;
use crate::machine::{Clause, Consequent, Level, SourceKind};

const BY: SourceKind = SourceKind::IntentProcessor;

/// A condition without a value ends the contribution: what follows it in the rule must not be taken for an answer.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) -> Result<(), SourceError> {
    let rule = match view.here().rules.get(view.intent) {
        Some(chain) => view.first(chain, Scope::Most, false).map_err(SourceError::Condition)?,
        None => None,
    };
    let vocabulary = &view.machine.vocabulary;
    if let Some(Clause { then: Consequent::Action(action), rule, .. }) = rule {
        let proposal = board.act(BY, *action, Level::Normal, Reason::Rule(view.intent));
        proposal.combinable = !vocabulary.blocking_actions.contains(action);
        proposal.rule = Some(*rule);
    } else if let Some((entry, action)) = view.meaning().default_answer {
        board.act(BY, action, Level::Normal, Reason::Priority(entry));
    }
    Ok(())
}
