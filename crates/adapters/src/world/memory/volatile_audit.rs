//! The audit of one dialogue, which is gone after it.

use super::audit::Audit;
use super::audit_entry::{AuditedTurn, ChainHead};
use fsmsim_syntax::diagnostic::Diagnostic;

/// The audit of one dialogue, which is gone after it: what stays is its hash.
#[derive(Clone, Debug, Default)]
pub struct VolatileAudit {
    head: ChainHead,
    last: u32,
}

impl Audit for VolatileAudit {
    fn append(&mut self, turn: &AuditedTurn) -> Result<(), Box<Diagnostic>> {
        if turn.turn > self.last {
            self.head.link(turn);
            self.last = turn.turn;
        }
        Ok(())
    }

    fn last_turn(&mut self, _: &str) -> Result<u32, Box<Diagnostic>> {
        Ok(self.last)
    }

    fn head(&mut self) -> Result<ChainHead, Box<Diagnostic>> {
        Ok(self.head.clone())
    }
}
