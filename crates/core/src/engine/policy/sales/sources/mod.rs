//! The sources of a sales dialogue, one file each.

mod autonomous;
mod conversation_guard;
mod disambiguation;
mod escalation;
mod fact_question;
mod go_back_guard;
mod intent_pattern;
mod objection_guard;
mod objection_return;
mod phase_exhausted;
mod price_question;
mod stall_guard;

use super::config::SalesConfig;
use super::memory::SalesMemory;
use super::notes::SalesNotes;
use super::roles::Roles;
use super::settings::SalesSettings;
use crate::engine::blackboard::{Blackboard, SourceError};
use crate::engine::condition::TurnContext;
use crate::engine::source_kind::SourceKind;
use crate::machine::{IntentId, LimitId};

/// A turn as the sources of a sales dialogue see it.
pub(super) struct SalesTurn<'a> {
    pub(super) turn: &'a TurnContext<'a>,
    pub(super) config: &'a SalesConfig,
    pub(super) settings: &'a SalesSettings,
    pub(super) memory: &'a SalesMemory,
    /// Objections in a row and in all before the current intent was counted.
    pub(super) objections_before: (u32, u32),
}

/// Lets one source contribute; those of others do not.
pub(super) fn contribute(
    kind: SourceKind,
    sales: &SalesTurn<'_>,
    notes: &mut SalesNotes,
    board: &mut Blackboard,
) -> Result<(), SourceError> {
    match kind {
        SourceKind::GoBackGuard => go_back_guard::contribute(sales, notes, board),
        SourceKind::ConversationGuard => conversation_guard::contribute(sales, board),
        SourceKind::Disambiguation => disambiguation::contribute(sales, board),
        SourceKind::PriceQuestion => price_question::contribute(sales, board),
        SourceKind::FactQuestion => fact_question::contribute(sales, board),
        SourceKind::IntentPatternGuard => intent_pattern::contribute(sales, board),
        SourceKind::ObjectionGuard => return objection_guard::contribute(sales, board),
        SourceKind::ObjectionReturn => objection_return::contribute(sales, board),
        SourceKind::AutonomousDecision => autonomous::contribute(sales, board),
        SourceKind::PhaseExhausted => phase_exhausted::contribute(sales, board),
        SourceKind::StallGuard => stall_guard::contribute(sales, board),
        SourceKind::Escalation => escalation::contribute(sales, board),
        _ => {}
    }
    Ok(())
}

impl SalesTurn<'_> {
    /// Whether the current intent plays a role.
    #[inline]
    fn plays(&self, role: Roles) -> bool {
        self.config.intent(self.turn.intent).roles.contains(role)
    }

    /// The value of a limit.
    fn limit(&self, limit: LimitId) -> i64 {
        self.turn.settings.limit(limit)
    }

    /// The intent that a source of answers answers: the current one, else the first secondary one, else a question that was
    /// asked before, whichever first plays the role.
    fn question(&self, role: Roles) -> Option<IntentId> {
        if self.plays(role) {
            return Some(self.turn.intent);
        }
        let signals = self.turn.signals?;
        let names = &self.turn.machine.names.intents;
        let plays = |name: &str| {
            names
                .id(name)
                .filter(|id| self.config.intent(*id).roles.contains(role))
        };
        if let Some(found) = signals.secondary.texts(self.turn.machine).find_map(plays) {
            return Some(found);
        }
        if self.turn.settings.switches.repeated_question && !self.plays(Roles::ANY_QUESTION) {
            return None;
        }
        signals.repeated_question.and_then(plays)
    }

    /// Who is talking.
    fn persona(&self) -> &str {
        let slot = self.config.slots.persona;
        slot.and_then(|slot| self.turn.session.slots.get(slot).as_text())
            .filter(|name| !name.is_empty())
            .unwrap_or("default")
    }
}
