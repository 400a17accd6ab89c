//! Artifacts of memory.

use serde_json::{Map, Value as Json, json};
use strum::{EnumString, IntoStaticStr};

use super::canonical::{canonical, hash};
use super::derived_id::derived_id;
use crate::stores::EffectKey;
use fsmsim_core::machine::Value;

/// A piece of memory that an effect stores.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// Derived from the key of the effect.
    pub id: String,
    pub kind: ArtifactKind,
    /// The task that produced it.
    pub task: String,
    /// The complete content, without the ID.
    pub body: Json,
}

/// The kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ArtifactKind {
    /// Events of a task. Private to the task.
    Episodic,
    /// Facts. Shared and validated.
    Semantic,
    /// Procedures. Shared and validated.
    Procedural,
}

impl ArtifactKind {
    /// Whether tasks share artifacts of this kind.
    pub fn is_shared(self) -> bool {
        self != Self::Episodic
    }
}

impl Artifact {
    /// The artifact that an effect stores.
    ///
    /// # Errors
    /// Returns the reason if the payload is invalid. The gates of a cycle check it too, but callers might bypass them.
    pub fn of(key: &EffectKey<'_>, payload: &Value) -> Result<Self, &'static str> {
        let text = |name: &str| {
            payload
                .get(name)
                .and_then(Value::as_text)
                .filter(|text| !text.is_empty())
        };
        let kind = text("type")
            .and_then(|kind| kind.parse().ok())
            .ok_or("the `type` is not a kind of memory")?;
        let scope = text("scope").ok_or("missing `scope`")?;
        let is_validated = payload.get("is_validated") == Some(&Value::Bool(true));
        let is_shared = ArtifactKind::is_shared(kind);
        match scope {
            "private" if is_shared => return Err("semantic and procedural memory must be shared"),
            "shared" if !is_shared => return Err("episodic memory must be private"),
            "shared" if !is_validated => return Err("shared memory must be validated"),
            "private" | "shared" => {}
            _ => return Err("expected `private` or `shared` for `scope`"),
        }
        if payload.get("content").is_none() || text("source_agent").is_none() {
            return Err("missing `content` or `source_agent`");
        }
        let task = text("task_id").ok_or("missing `task_id`")?.to_owned();
        let body =
            serde_json::to_value(payload).map_err(|_| "the payload cannot be written as JSON")?;
        Ok(Self {
            id: Self::id_of(key),
            kind,
            task,
            body,
        })
    }

    /// The answer for a stored artifact.
    pub(super) fn kept(&self) -> Remembered {
        Remembered::Kept {
            id: self.id.clone(),
            hash: self.hash(),
        }
    }

    /// The ID of the artifact that an effect stores.
    pub fn id_of(key: &EffectKey<'_>) -> String {
        let turn = key.turn.to_string();
        let index = key.index.to_string();
        derived_id(&["artifact", &key.session.text(), &turn, key.effect, &index])
    }

    /// The hash of the content.
    pub fn hash(&self) -> String {
        hash(&[&self.text()])
    }

    /// The content as canonical JSON.
    pub fn text(&self) -> String {
        canonical(&self.body)
    }

    /// The text of the content, for searches.
    pub fn words(&self) -> String {
        Value::from(self.body.get("content").unwrap_or(&Json::Null).clone()).in_words()
    }

    /// The artifact as a search returns it.
    pub fn found(&self) -> Json {
        let mut found: Map<String, Json> = Map::new();
        found.insert("id".to_owned(), json!(self.id));
        found.extend(
            self.body
                .as_object()
                .into_iter()
                .flatten()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
        Json::Object(found)
    }
}

/// The result of storing an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remembered {
    /// The artifact is stored.
    Kept {
        id: String,
        /// The hash of the content.
        hash: String,
    },
    /// The artifact is invalid, with the reason.
    Refused(&'static str),
    /// The memory does not respond.
    Down,
}

/// The status of a memory that does not respond.
pub(super) const DOWN: &str = "down";

impl Remembered {
    /// The answer to the engine.
    pub fn answer(self) -> Value {
        let map = |pairs: &[(&'static str, &str)]| {
            Value::map(pairs.iter().map(|(key, text)| (*key, Value::text(text))))
        };
        match self {
            Self::Kept { id, hash } => map(&[("status", "done"), ("id", &id), ("hash", &hash)]),
            Self::Refused(why) => map(&[("status", "breaks_schema"), ("why", why)]),
            Self::Down => map(&[("status", DOWN)]),
        }
    }
}
