//! Detects repeated intents of the same kind (docs/src/explanation/sales-sources.md).

use crate::engine::policy::sales::{Pattern, PersonaLimits, SalesTurn};
use crate::engine::{Blackboard, SalesReason, SourceKind};
use crate::machine::Level;

/// Proposes an action if a watched pattern reaches its limit for the persona.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    for (number, pattern) in sales.config.patterns.iter().enumerate() {
        if !pattern.intents.contains(&sales.turn.intent) {
            continue;
        }
        let Some(limits) = PersonaLimits::of(&pattern.personas, sales.persona()) else {
            continue;
        };
        let streak = streak(sales, pattern);
        let total = total(sales, pattern);
        if streak < limits.consecutive && total < limits.total {
            continue;
        }
        let closing = sales.config.states.closing == Some(sales.turn.state);
        let action = if closing {
            pattern.close_action
        } else {
            pattern.default_action
        };
        let level = if streak >= 2 * limits.consecutive {
            Level::High
        } else {
            Level::Normal
        };
        let reason = SalesReason::IntentPattern(u16::try_from(number).unwrap_or(u16::MAX));
        board.act(SourceKind::IntentPatternGuard, action, level, reason);
    }
}

/// The streak of the pattern's category; otherwise, the number of its intents at the end of the recent intents.
fn streak(sales: &SalesTurn<'_>, pattern: &Pattern) -> i64 {
    let tracker = &sales.turn.session.tracker;
    match tracker.category_streak(pattern.category) {
        0 => {
            let run = tracker
                .recent()
                .take_while(|intent| pattern.intents.contains(intent))
                .count();
            i64::try_from(run).unwrap_or(i64::MAX)
        }
        streak => i64::from(streak),
    }
}

fn total(sales: &SalesTurn<'_>, pattern: &Pattern) -> i64 {
    let tracker = &sales.turn.session.tracker;
    match tracker.category_total(pattern.category) {
        0 => pattern
            .intents
            .iter()
            .map(|intent| i64::from(tracker.total(*intent)))
            .sum(),
        total => i64::from(total),
    }
}
