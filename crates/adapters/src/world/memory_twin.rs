//! A store in memory: what a dialogue writes there is gone after it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use super::effect_key::EffectKey;
use super::performed_effects::PerformedEffects;
use super::twin::{ReadOutcome, Twin, WriteOutcome};
use fsmsim_core::machine::{Schema, Value};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::{DEFINITION_LIMIT, json_reason, read_bytes};

/// A store in memory, filled from a file that it never changes.
#[derive(Clone, Debug)]
pub struct MemoryTwin {
    first: Contents,
    now: Contents,
    performed: PerformedEffects<WriteOutcome>,
}

/// What a store holds: documents by key, each nothing where it cannot be read.
pub(super) type Documents = BTreeMap<String, Option<Json>>;

#[derive(Clone, Debug)]
enum Contents {
    Documents(Documents),
    /// Nothing that could be data.
    Unusable,
    /// It does not answer.
    Down,
}

impl MemoryTwin {
    /// A store that never answers.
    pub fn down() -> Self {
        Self::holding(Contents::Down)
    }

    /// A store of these documents.
    pub(super) fn of(documents: Documents) -> Self {
        Self::holding(Contents::Documents(documents))
    }

    /// Reads a JSON file. JSON that is no object is a store whose data cannot be used.
    pub fn load(path: &Path) -> Checked<Self> {
        let bytes = read_bytes(path, DEFINITION_LIMIT)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match serde_json::from_slice(bytes) {
            Ok(Json::Object(map)) => Ok(Self::of(
                map.into_iter()
                    .map(|(key, value)| (key, Some(value)))
                    .collect(),
            )),
            Ok(_) => Ok(Self::holding(Contents::Unusable)),
            Err(error) => {
                let place = format!("{}:{}:{}", path.display(), error.line(), error.column());
                Diagnostic::error(
                    Code::BadTwin,
                    format!("the twin is no JSON: {}", json_reason(&error)),
                )
                .about(place)
                .help("a twin is a JSON object: a key for each kind of data")
                .fail()
            }
        }
    }

    /// Reads a JSON file that must hold an object.
    pub fn load_object(path: &Path) -> Checked<Self> {
        let twin = Self::load(path)?;
        if twin.documents().is_none() {
            let title = "there are no data to take: the file holds no JSON object";
            let finding = Diagnostic::error(Code::BadTwin, title).about(path.display().to_string());
            return finding
                .help("give a JSON object: a key for each kind of data")
                .fail();
        }
        Ok(twin)
    }

    /// The documents; nothing where the store holds none that could be data.
    pub(super) fn documents(&self) -> Option<&Documents> {
        match &self.now {
            Contents::Documents(documents) => Some(documents),
            Contents::Unusable | Contents::Down => None,
        }
    }

    fn holding(contents: Contents) -> Self {
        Self {
            first: contents.clone(),
            now: contents,
            performed: PerformedEffects::default(),
        }
    }
}

impl Twin for MemoryTwin {
    fn read(&mut self, keys: &[&str]) -> ReadOutcome {
        match &self.now {
            Contents::Documents(documents) => {
                found(keys.iter().map(|key| (*key, documents.get(*key).cloned())))
            }
            Contents::Unusable => ReadOutcome::Invalid,
            Contents::Down => ReadOutcome::Down,
        }
    }

    fn write(&mut self, key: &EffectKey<'_>, schema: &Schema, value: &Value) -> WriteOutcome {
        let Self { now, performed, .. } = self;
        let written = performed.once(key, || {
            let document = (schema.name.to_string(), serde_json::to_value(value).ok());
            now.keep([document]).then_some(WriteOutcome::Kept)
        });
        written.unwrap_or(WriteOutcome::Down)
    }

    fn fork(&self) -> Box<dyn Twin> {
        Box::new(Self::holding(self.first.clone()))
    }

    fn memory(&self) -> Json {
        let Contents::Documents(now) = &self.now else {
            return Json::Null;
        };
        let first = match &self.first {
            Contents::Documents(first) => Some(first),
            Contents::Unusable | Contents::Down => None,
        };
        let is_new = |(key, value): &(&String, &Option<Json>)| {
            first.and_then(|first| first.get(*key)) != Some(*value)
        };
        let written = now
            .iter()
            .filter(is_new)
            .map(|(key, value)| (key.clone(), value.clone().unwrap_or_default()));
        Json::Object(written.collect())
    }

    fn recall(&mut self, memory: &Json) {
        let written = memory.as_object().into_iter().flatten();
        self.now
            .keep(written.map(|(key, value)| (key.clone(), Some(value.clone()))));
    }
}

impl Contents {
    /// Keeps documents in place of what was there; whether it can.
    fn keep(&mut self, new: impl IntoIterator<Item = (String, Option<Json>)>) -> bool {
        match self {
            Self::Documents(documents) => documents.extend(new),
            Self::Unusable => {
                let new: Documents = new.into_iter().collect();
                if !new.is_empty() {
                    *self = Self::Documents(new);
                }
            }
            Self::Down => return false,
        }
        true
    }
}

/// What a store gives that has these documents: nothing under a key that it lacks, and unusable data where one cannot be
/// read.
pub(super) fn found<'k>(
    asked: impl Iterator<Item = (&'k str, Option<Option<Json>>)>,
) -> ReadOutcome {
    let mut found = Vec::new();
    for (key, document) in asked {
        match document {
            None => {}
            Some(Some(value)) => found.push((key.into(), Value::from(value))),
            Some(None) => return ReadOutcome::Invalid,
        }
    }
    ReadOutcome::Found(found)
}
