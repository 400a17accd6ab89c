//! A scenario as a YAML tree.

use std::path::Path;
use std::sync::Arc;

use super::cases::ScenarioCase;
use super::long_turns::LongTurns;
use super::unreadable_parts::UnreadableParts;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::Node;

/// A scenario as a tree, including the parts that it shares with other scenarios.
#[derive(Debug)]
pub struct ScenarioDocument<'s> {
    pub node: Node,
    /// The turns, if there are too many for the tree.
    pub turns: Option<LongTurns<'s>>,
    /// Whether the scenario was recorded, so that it may contain any name.
    pub is_recorded: bool,
    /// Whether a shared part or a setting is invalid. The error is reported where that part is defined.
    pub is_broken: bool,
    pub(super) unreadable: UnreadableParts,
    pub case: Option<Arc<ScenarioCase>>,
    /// For each turn in the tree, the locations of the `use` keys by which it is included, innermost first. Empty
    /// without shared turns.
    pub(super) used_at: Vec<Vec<Span>>,
    pub(super) path: Arc<Path>,
}

impl ScenarioDocument<'_> {
    /// The same document with a different tree that has the same turns.
    #[must_use]
    pub fn with(&self, node: Node) -> Self {
        Self {
            node,
            turns: self.turns.clone(),
            case: self.case.clone(),
            used_at: self.used_at.clone(),
            path: Arc::clone(&self.path),
            ..*self
        }
    }
}
