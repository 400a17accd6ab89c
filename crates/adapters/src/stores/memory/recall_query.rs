//! Memory queries.

use super::artifact::ArtifactKind;
use crate::stores::search_words::search_words;
use fsmsim_core::machine::{List, Stems, Value};

/// A memory query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallQuery {
    pub shared: Vec<ArtifactKind>,
    /// Whether to search the episodic memory of the session itself.
    pub own: bool,
    /// The word stems to search for.
    pub words: Vec<String>,
}

impl RecallQuery {
    /// The query of an effect: `kinds`, and `task`, a text whose words are searched for.
    pub fn of(payload: &Value) -> Self {
        let kinds: Vec<ArtifactKind> = payload
            .get("kinds")
            .and_then(Value::list)
            .into_iter()
            .flat_map(List::iter)
            .filter_map(|kind| kind.as_text()?.parse().ok())
            .collect();
        let task = payload.get("task").map(Value::in_words).unwrap_or_default();
        Self {
            own: kinds.contains(&ArtifactKind::Episodic),
            shared: kinds.into_iter().filter(|kind| kind.is_shared()).collect(),
            words: search_words(&Stems::default(), &[&task]),
        }
    }
}
