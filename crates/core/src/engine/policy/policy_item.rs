//! Coverage items of policies.

use crate::machine::IntentId;
use fsmsim_syntax::diagnostic::Span;

/// A part of a policy that turns can cover.
#[derive(Clone, Debug)]
pub struct PolicyItem {
    /// The kind, by its name in coverage reports: `classes`, `points`, `intents`.
    pub kind: &'static str,
    /// The name in reports.
    pub name: String,
    /// Its location in the definition.
    pub span: Option<Span>,
    /// The event that covers it.
    pub mark: ItemMark,
}

/// The event by which a turn covers an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemMark {
    /// The turn has the intent.
    Intent(IntentId),
    /// The policy reports it: the name of the policy, the number of the item, and the number of a part of it.
    Own(&'static str, usize, usize),
}
