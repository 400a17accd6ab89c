//! The memory of one dialogue, without a file.

use super::artifact::{Artifact, Remembered};
use super::memory::{Memory, Recalled};
use super::recall_query::RecallQuery;
use crate::limits::MAX_RECALLED;
use crate::stores::{EffectKey, SessionId};
use fsmsim_core::machine::{Stems, Value};
use fsmsim_syntax::diagnostic::Checked;

/// The memory of one dialogue, without a file. Separate dialogues share nothing.
#[derive(Clone, Debug, Default)]
pub struct VolatileMemory {
    /// Artifacts with the turns that wrote them.
    written: Vec<(u32, Artifact)>,
}

impl Memory for VolatileMemory {
    fn begin(&mut self, wanted: &SessionId) -> Checked<SessionId> {
        self.written.clear();
        Ok(wanted.clone())
    }

    fn recall(&mut self, key: &EffectKey<'_>, query: &RecallQuery) -> Recalled {
        let earlier = || {
            self.written
                .iter()
                .filter(|(turn, _)| *turn < key.turn)
                .map(|(_, artifact)| artifact)
        };
        let stems = Stems::default();
        let mut shared: Vec<(usize, &Artifact)> = earlier()
            .filter(|artifact| query.shared.contains(&artifact.kind))
            .map(|artifact| {
                let words = stems.of(&artifact.words());
                (
                    query
                        .words
                        .iter()
                        .filter(|word| words.contains(*word))
                        .count(),
                    artifact,
                )
            })
            .filter(|(common, _)| *common > 0)
            .collect();
        shared.sort_by_key(|(common, _)| std::cmp::Reverse(*common));
        let own: Vec<&Artifact> = earlier()
            .filter(|artifact| query.own && !artifact.kind.is_shared())
            .collect();
        let own = own
            .get(own.len().saturating_sub(MAX_RECALLED)..)
            .unwrap_or_default()
            .iter()
            .copied();
        let shared = shared
            .into_iter()
            .map(|(_, artifact)| artifact)
            .take(MAX_RECALLED);
        Recalled::Found(shared.chain(own).cloned().collect())
    }

    fn remember(&mut self, key: &EffectKey<'_>, payload: &Value) -> Remembered {
        let artifact = match Artifact::of(key, payload) {
            Ok(artifact) => artifact,
            Err(why) => return Remembered::Refused(why),
        };
        if let Some((_, known)) = self
            .written
            .iter()
            .find(|(_, known)| known.id == artifact.id)
        {
            return known.kept();
        }
        let kept = artifact.kept();
        self.written.push((key.turn, artifact));
        kept
    }

    fn fork(&self) -> Box<dyn Memory> {
        Box::new(Self::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::ArtifactKind;

    fn artifact(kind: &str, scope: &str, content: &str) -> Value {
        let texts = [
            ("type", kind),
            ("scope", scope),
            ("content", content),
            ("source_agent", "a"),
            ("task_id", "t"),
        ];
        let texts = texts.map(|(key, text)| (key, Value::text(text)));
        Value::map(
            texts
                .into_iter()
                .chain([("is_validated", Value::Bool(scope == "shared"))]),
        )
    }

    fn contents(
        memory: &mut VolatileMemory,
        key: &EffectKey<'_>,
        query: &RecallQuery,
    ) -> Vec<String> {
        match memory.recall(key, query) {
            Recalled::Found(found) => found.iter().map(Artifact::words).collect(),
            Recalled::Down => panic!("the memory does not respond"),
        }
    }

    #[test]
    fn later_turns_find_each_artifact_once_by_its_words() {
        let session = SessionId::of("ann");
        let key = |turn, index| EffectKey {
            session: &session,
            turn,
            effect: "share",
            index,
        };
        let mut memory = VolatileMemory::default();
        let write = |memory: &mut VolatileMemory, index, kind: &str, scope: &str, content: &str| {
            memory.remember(&key(1, index), &artifact(kind, scope, content))
        };
        let first = write(&mut memory, 0, "semantic", "shared", "parsers are small");
        assert_eq!(
            write(&mut memory, 0, "semantic", "shared", "parsers are large"),
            first
        );
        write(
            &mut memory,
            1,
            "procedural",
            "shared",
            "write a small parser",
        );
        write(&mut memory, 2, "semantic", "shared", "nothing of that");
        write(&mut memory, 3, "episodic", "private", "what happened");
        let query = RecallQuery {
            shared: vec![ArtifactKind::Semantic, ArtifactKind::Procedural],
            own: true,
            words: vec!["small".to_owned(), "parser".to_owned(), "write".to_owned()],
        };
        assert!(contents(&mut memory, &key(1, 0), &query).is_empty());
        assert_eq!(
            contents(&mut memory, &key(2, 0), &query),
            ["write a small parser", "parsers are small", "what happened"]
        );
        let query = RecallQuery {
            shared: vec![ArtifactKind::Semantic],
            own: false,
            ..query
        };
        assert_eq!(
            contents(&mut memory, &key(2, 0), &query),
            ["parsers are small"]
        );
    }

    #[test]
    fn memory_refuses_invalid_artifacts() {
        let session = SessionId::of("ann");
        let key = EffectKey {
            session: &session,
            turn: 1,
            effect: "remember",
            index: 0,
        };
        let unvalidated = Value::map([
            ("type", Value::text("semantic")),
            ("scope", Value::text("shared")),
            ("is_validated", Value::Bool(false)),
        ]);
        let refused = [
            artifact("semantic", "private", "x"),
            artifact("episodic", "shared", "x"),
            artifact("audit", "private", "x"),
            artifact("episodic", "secret", "x"),
            unvalidated,
            Value::Null,
        ];
        for payload in refused {
            let mut memory = VolatileMemory::default();
            assert!(
                matches!(memory.remember(&key, &payload), Remembered::Refused(_)),
                "{payload:?}"
            );
            assert!(memory.written.is_empty());
        }
    }
}
