//! A scenario as a tree.

use std::path::PathBuf;
use std::sync::Arc;

use super::cases::ScenarioCase;
use super::long_turns::LongTurns;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::Node;

/// A scenario as a tree, with all that it shares with others.
#[derive(Debug)]
pub struct ScenarioDocument<'s> {
    /// The tree.
    pub node: Node,
    /// Its turns, where they are too many for it.
    pub turns: Option<LongTurns<'s>>,
    /// Whether it was recorded, so that it may hold any name.
    pub is_recorded: bool,
    /// Something that it shares with others cannot be used, which is told there.
    pub is_broken: bool,
    pub case: Option<Arc<ScenarioCase>>,
    /// Turn by turn of the tree, where shared turns are used: the nearest place first. Nothing at all, where none are.
    pub(super) used_at: Vec<Vec<Span>>,
    /// Its file.
    pub(super) path: PathBuf,
}

impl ScenarioDocument<'_> {
    /// The same with another tree, which has the same turns.
    #[must_use]
    pub fn with(&self, node: Node) -> Self {
        Self {
            node,
            turns: self.turns.clone(),
            case: self.case.clone(),
            used_at: self.used_at.clone(),
            path: self.path.clone(),
            ..*self
        }
    }
}
