//! The sources of a sales dialogue.

mod autonomous;
mod conversation_guard;
mod escalation;
mod go_back_guard;
mod intent_pattern;
mod objections;
mod reads;
mod stalls;

use super::Roles;
use crate::engine::policy::confidence::ask_back;
use crate::engine::{
    Blackboard, SalesConfig, SalesMemory, SalesNotes, SalesReason, SalesSettings, Scope,
    SourceError, SourceKind, TurnContext,
};
use crate::machine::{IntentId, Level, LimitId, Signal};
pub(super) use reads::reads;

/// A turn as the sources of a sales dialogue see it.
pub(super) struct SalesTurn<'a> {
    pub turn: &'a TurnContext<'a>,
    pub config: &'a SalesConfig,
    pub settings: &'a SalesSettings,
    pub memory: &'a SalesMemory,
    /// The consecutive and the total number of objections before the current intent was counted.
    pub objections_before: (u32, u32),
}

/// Lets one source contribute; sources of other policies do nothing.
pub(super) fn contribute(
    kind: SourceKind,
    sales: &SalesTurn<'_>,
    notes: &mut SalesNotes,
    board: &mut Blackboard,
) -> Result<(), SourceError> {
    match kind {
        SourceKind::GoBackGuard => go_back_guard::contribute(sales, notes, board),
        SourceKind::ConversationGuard => conversation_guard::contribute(sales, board),
        SourceKind::Disambiguation => ask_back(
            sales.turn,
            sales.config.actions.ask_clarification,
            SalesReason::DisambiguationNeeded,
            board,
        ),
        SourceKind::PriceQuestion | SourceKind::FactQuestion => sales.answer_question(kind, board),
        SourceKind::IntentPatternGuard => intent_pattern::contribute(sales, board),
        SourceKind::ObjectionGuard => return objections::end_series(sales, board),
        SourceKind::ObjectionReturn => objections::return_from(sales, board),
        SourceKind::AutonomousDecision => autonomous::contribute(sales, board),
        SourceKind::PhaseExhausted => stalls::offer_options(sales, board),
        SourceKind::StallGuard => stalls::leave_state(sales, board),
        SourceKind::Escalation => escalation::contribute(sales, board),
        _ => {}
    }
    Ok(())
}

impl SalesTurn<'_> {
    /// Whether the current intent has a role.
    #[inline]
    fn has_role(&self, role: Roles) -> bool {
        self.config.intent(self.turn.intent).roles.contains(role)
    }

    /// The value of a limit.
    fn limit(&self, limit: LimitId) -> i64 {
        self.turn.settings.limit(limit)
    }

    /// The question to answer: the first intent with the role among the current intent, the secondary intents and a
    /// repeated question. Also returns the signal that contains it; `None` for the current intent.
    fn question(&self, role: Roles) -> Option<(IntentId, Option<Signal>)> {
        if self.has_role(role) {
            return Some((self.turn.intent, None));
        }
        let signals = self.turn.signals?;
        let names = &self.turn.machine.names.intents;
        let has_role = |name: &str| {
            names
                .id(name)
                .filter(|id| self.config.intent(*id).roles.contains(role))
        };
        if let Some(found) = signals
            .secondary
            .texts(self.turn.machine)
            .find_map(has_role)
        {
            return Some((found, Some(Signal::SecondaryIntents)));
        }
        if self.turn.settings.switches.repeated_question && !self.has_role(Roles::ANY_QUESTION) {
            return None;
        }
        let repeated = signals.repeated_question.and_then(has_role)?;
        Some((repeated, Some(Signal::RepeatedQuestion)))
    }

    /// The persona of the user.
    fn persona(&self) -> &str {
        let slot = self.config.slots.persona;
        slot.and_then(|slot| self.turn.session.slots.get(slot).as_text())
            .filter(|name| !name.is_empty())
            .unwrap_or("default")
    }

    /// Answers a question about the price or about facts, including secondary intents: with the state's rule, otherwise
    /// with the answer of the intent, otherwise with the general answer.
    fn answer_question(&self, by: SourceKind, board: &mut Blackboard) {
        let config = self.config;
        let is_price = by == SourceKind::PriceQuestion;
        let (asked, scope, general) = if is_price {
            (Roles::PRICE, Scope::Most, config.actions.answer_price)
        } else {
            (Roles::FACT, Scope::Fact, config.actions.answer_facts)
        };
        let Some((intent, signal)) = self.question(asked) else {
            return;
        };
        let signaled = signal.map(|signal| (intent, signal));
        let reason = if is_price {
            SalesReason::PriceQuestion(signaled)
        } else {
            SalesReason::FactQuestion(signaled)
        };
        let (action, rule) = match self.turn.rule_action(intent, scope) {
            Some((action, rule)) => (action, Some(rule)),
            None => {
                let own = config.intent(intent);
                let own = if is_price {
                    own.price_action
                } else {
                    own.fact_action
                };
                (own.unwrap_or(general), None)
            }
        };
        board.act(by, action, Level::High, reason).rule = rule;
    }
}
