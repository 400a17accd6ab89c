//! The audit of one dialogue, which is gone after it.

use super::audit::Audit;
use super::audit_entry::{AuditedTurn, ChainHead};
use fsmsim_syntax::diagnostic::Checked;

/// The audit of one dialogue, which is gone after it: what stays is its hash.
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
