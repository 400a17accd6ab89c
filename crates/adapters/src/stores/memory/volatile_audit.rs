//! The in-memory audit of one dialogue.

use super::audit::Audit;
use super::audit_entry::{AuditedTurn, ChainHead};
use fsmsim_syntax::diagnostic::Checked;

/// The in-memory audit of one dialogue. It stores only the hash of its entries.
#[derive(Clone, Debug, Default)]
pub struct VolatileAudit {
    head: ChainHead,
    last: u32,
}

impl Audit for VolatileAudit {
    fn append(&mut self, turn: &AuditedTurn) -> Checked {
        if turn.turn > self.last {
            self.head.link(turn);
            self.last = turn.turn;
        }
        Ok(())
    }

    fn last_turn(&mut self, _: &str) -> Checked<u32> {
        Ok(self.last)
    }

    fn head(&mut self) -> Checked<ChainHead> {
        Ok(self.head.clone())
    }
}
