//! The audit: an append-only log of the actions of cycles.

use super::audit_entry::{AuditedTurn, ChainHead};
use fsmsim_syntax::diagnostic::Checked;

/// The audit: an append-only log of the actions of cycles.
pub trait Audit: Send {
    /// Appends a complete turn, unless it is already present. Publishes the artifacts that the turn wrote to the
    /// memory, and discards artifacts whose write failed.
    ///
    /// # Errors
    /// Returns the finding if the audit cannot be written. Nothing has changed then.
    fn append(&mut self, turn: &AuditedTurn) -> Checked;

    /// The last recorded turn of a dialogue, or 0.
    fn last_turn(&mut self, session: &str) -> Checked<u32>;

    /// The end of the chain.
    fn head(&mut self) -> Checked<ChainHead>;
}
