//! The audit: what cycles did, in order, of which nothing is ever changed or taken away.

use super::audit_entry::{AuditedTurn, ChainHead};
use fsmsim_syntax::diagnostic::Checked;

/// The audit: what cycles did, in order. It is only ever appended to.
pub trait Audit: Send {
    /// Takes what happened in a turn that is whole, once: a turn that is there already is not taken again. What the turn wrote to
    /// the memory beside it is there for all from now on; what it wrote in vain is gone.
    ///
    /// # Errors
    /// The finding about an audit that cannot be written; nothing has changed then.
    fn append(&mut self, turn: &AuditedTurn) -> Checked;

    /// The last turn of a dialogue that it has; 0 where it has none.
    fn last_turn(&mut self, session: &str) -> Checked<u32>;

    /// How far it goes.
    fn head(&mut self) -> Checked<ChainHead>;
}
