//! Detects a dialogue that goes in circles, takes too long or upsets the user.

use crate::engine::policy::sales::reason::GuardCause;
use crate::engine::policy::sales::{GuardLimits, GuardTier, SalesTurn};
use crate::engine::{Blackboard, SalesReason, SourceKind};
use crate::machine::{Level, StateId, Target, Traits};

const BY: SourceKind = SourceKind::ConversationGuard;

/// Proposes the intervention of the first check that applies.
pub(super) fn contribute(sales: &SalesTurn<'_>, board: &mut Blackboard) {
    let Some(limits) = &sales.settings.guard else {
        return;
    };
    let Some((tier, cause)) = tier(sales, limits) else {
        return;
    };
    let actions = &sales.config.actions;
    let reason = |tier, moved| SalesReason::Guard(tier, cause, moved);
    match tier {
        GuardTier::Rephrase => {
            board.act(
                BY,
                actions.guard_rephrase,
                Level::Normal,
                reason(tier, false),
            );
        }
        GuardTier::Options => {
            board.block(BY, actions.guard_options, Level::High, reason(tier, false));
        }
        GuardTier::Skip => match skip_target(sales) {
            Some(to) => {
                board.act(BY, actions.guard_skip, Level::High, reason(tier, false));
                board.go(BY, to, Level::High, reason(tier, true));
            }
            None => board.block(
                BY,
                actions.guard_options,
                Level::High,
                reason(GuardTier::Options, false),
            ),
        },
        GuardTier::SoftClose => {
            board.act(
                BY,
                actions.guard_close,
                Level::Critical,
                reason(tier, false),
            );
            if let Some(to) = sales.turn.proposable(sales.config.states.soft_close) {
                board.go(BY, to, Level::Critical, reason(tier, true));
            }
        }
    }
}

/// The level of the intervention, and its cause.
fn tier(sales: &SalesTurn<'_>, limits: &GuardLimits) -> Option<(GuardTier, GuardCause)> {
    let memory = &sales.memory.guard;
    #[expect(clippy::cast_precision_loss, reason = "a time-out in seconds")]
    let late = sales
        .turn
        .input
        .elapsed
        .is_some_and(|elapsed| elapsed.get() > limits.timeout_seconds as f64);
    if late || memory.turns > limits.max_turns {
        return Some((
            GuardTier::SoftClose,
            if late {
                GuardCause::TimedOut
            } else {
                GuardCause::TooManyTurns
            },
        ));
    }
    let understood = !sales.turn.does(Traits::UNCLEAR);
    if sales.turn.input.frustration.unwrap_or(0) >= limits.high_frustration {
        return Some((
            if understood {
                GuardTier::Options
            } else {
                GuardTier::Skip
            },
            GuardCause::Frustration,
        ));
    }
    if memory
        .message
        .as_ref()
        .is_some_and(|(_, count)| *count >= limits.max_same_message)
    {
        return Some((GuardTier::Options, GuardCause::SameMessage));
    }
    if memory.same_state >= limits.max_same_state && !understood {
        return Some((GuardTier::Skip, GuardCause::SameState));
    }
    let idle = memory.turns - memory.last_progress;
    if idle >= limits.progress_check_interval && memory.turns >= 2 {
        let interval = usize::try_from(limits.progress_check_interval).unwrap_or(0);
        let mut states: Vec<StateId> = memory.states.iter().rev().take(interval).copied().collect();
        states.sort_unstable();
        states.dedup();
        if i64::try_from(states.len()).unwrap_or(i64::MAX) < limits.min_unique_states {
            return Some((GuardTier::Rephrase, GuardCause::NoProgress));
        }
    }
    None
}

/// The target of skipping a phase: the first state along the `data_complete` transitions that has all required data.
fn skip_target(sales: &SalesTurn<'_>) -> Option<StateId> {
    let mut seen = vec![sales.turn.state];
    let mut state = sales.turn.state;
    loop {
        let Target::State(next, _) = sales.turn.machine.state(state).data_complete else {
            return None;
        };
        let ready = sales
            .turn
            .machine
            .state(next)
            .required
            .iter()
            .all(|slot| *sales.turn.session.slots.get(*slot) != crate::machine::Value::Null);
        if ready {
            return Some(next);
        }
        if seen.contains(&next) {
            return None;
        }
        seen.push(next);
        state = next;
    }
}
