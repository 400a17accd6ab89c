//! What of a policy is counted by coverage.

use crate::machine::IntentId;
use fsmsim_syntax::diagnostic::Span;

/// Something of a policy that turns can cover.
#[derive(Clone, Debug)]
pub struct PolicyItem {
    /// The kind, by its name in coverage reports: `classes`, `points`, `intents`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// Where it is written.
    pub span: Option<Span>,
    /// What shows it.
    pub mark: ItemMark,
}

/// What shows that a turn covered an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemMark {
    /// The intent was meant.
    Intent(IntentId),
    /// The policy says so: its name, the number of the thing, and of a part of it.
    Own(&'static str, usize, usize),
}
