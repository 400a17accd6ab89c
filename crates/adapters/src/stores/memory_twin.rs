//! An in-memory digital twin for one dialogue.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use super::effect_key::EffectKey;
use super::performed_effects::PerformedEffects;
use super::twin::{ReadOutcome, Twin, WriteOutcome};
use fsmsim_core::machine::{Schema, Value};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};
use fsmsim_syntax::document::{DEFINITION_LIMIT, json_reason, read_bytes};

/// An in-memory digital twin, filled from a file that it never changes.
#[derive(Clone, Debug)]
pub struct MemoryTwin {
    first: Contents,
    now: Contents,
    performed: PerformedEffects<WriteOutcome>,
}

/// Documents by key. `None` is an unreadable document.
pub(super) type Documents = BTreeMap<String, Option<Json>>;

#[derive(Clone, Debug)]
enum Contents {
    Documents(Documents),
    /// The content is not valid data.
    Unusable,
    /// The twin does not respond.
    Down,
}

impl MemoryTwin {
    /// A twin that never responds.
    pub fn down() -> Self {
        Self::holding(Contents::Down)
    }

    /// A twin with these documents.
    pub(super) fn of(documents: Documents) -> Self {
        Self::holding(Contents::Documents(documents))
    }

    /// Loads a JSON file. JSON that is not an object results in a twin with invalid data.
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
                    format!("the twin is not valid JSON: {}", json_reason(&error)),
                )
                .about(place)
                .help("use a JSON object with a key for each kind of data")
                .fail()
            }
        }
    }

    /// Loads a JSON file that must contain an object.
    pub fn load_object(path: &Path) -> Checked<Self> {
        let twin = Self::load(path)?;
        if twin.documents().is_none() {
            return Diagnostic::error(Code::BadTwin, "expected a JSON object in the file")
                .about(path.display().to_string())
                .help("use a JSON object with a key for each kind of data")
                .fail();
        }
        Ok(twin)
    }

    /// The documents. Returns `None` if the data is invalid or the twin does not respond.
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
        performed
            .once(key, || {
                let document = (schema.name.to_string(), serde_json::to_value(value).ok());
                now.keep([document]).then_some(WriteOutcome::Kept)
            })
            .unwrap_or(WriteOutcome::Down)
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
    /// Stores or replaces documents. Returns whether that was possible.
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

/// The result of reading these documents. Omits missing ones. If one is unreadable, the data is invalid.
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
