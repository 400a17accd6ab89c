//! What memory is asked for.

use super::artifact::ArtifactKind;
use crate::world::search_words::search_words;
use fsmsim_core::machine::{List, Stems, Value};

/// What memory is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallQuery {
    pub shared: Vec<ArtifactKind>,
    /// What the session remembered itself.
    pub own: bool,
    /// The words that are looked for, in any form.
    pub words: Vec<String>,
}

impl RecallQuery {
    /// What an effect asks for: `kinds`, and `task`, a text by whose words it is looked for.
    pub fn of(payload: &Value) -> Self {
        let kinds = payload
            .get("kinds")
            .and_then(Value::list)
            .into_iter()
            .flat_map(List::iter);
        let kinds: Vec<ArtifactKind> = kinds
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
