//! Moves on when all required data is there (docs/sales.md, "Data collector").

use crate::engine::blackboard::{Blackboard, Reason};
use crate::engine::condition::TurnContext;
use crate::engine::source_kind::SourceKind;
use crate::machine::{Level, Target};

/// 0 and false are data here, in both profiles.
pub(super) fn contribute(turn: &TurnContext<'_>, board: &mut Blackboard) {
    let state = turn.here();
    let complete = state
        .required
        .iter()
        .all(|slot| turn.session.slots.get(*slot).filled());
    if !complete {
        return;
    }
    if matches!(state.data_complete, Target::Chain(_))
        && !turn.settings.switches.conditional_data_complete
    {
        board.unusable_target = true;
        return;
    }
    if let Some((to, rule)) = turn.resolve_target(state.data_complete) {
        board
            .go(
                SourceKind::DataCollector,
                to,
                Level::Normal,
                Reason::DataComplete,
            )
            .rule = Some(rule);
    }
}
