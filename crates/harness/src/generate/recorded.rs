//! Recorded dialogues without personal data.

use std::path::Path;
use std::sync::Arc;

use super::draft::{DialogueDraft, ExampleWords, has_key};
use super::rehearsal::Rehearsal;
use crate::scenario::{FileOpener, KeyedTurn, ScenarioDraft};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Condition, EVENTS, IntentId, SlotDeclaration, Test, Value};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The value of a text whose slot has no sample.
const SAMPLE: &str = "known";

/// Replaces personal data by what the model declares.
pub(super) struct Declared<'m> {
    machine: &'m Machine,
    /// The values that conditions of the model name.
    named: Vec<Value>,
}

/// The dialogues of a trace, as drafts.
///
/// # Errors
/// Returns findings, with their sources, if the trace cannot be read.
pub(super) fn recorded(
    path: &Path,
    stage: &Rehearsal<'_>,
) -> Result<Vec<DialogueDraft>, (Diagnostics, Arc<SourceMap>)> {
    let mut drafts = Vec::new();
    let mut opener = FileOpener::new(stage.runner.project, &[]);
    for part in opener.open(path) {
        if let Some(invalid) = part.invalid {
            return Err((invalid.found, part.sources));
        }
        for source in part.documents {
            let mut found = Diagnostics::default();
            if source.document(&part.sources, &mut found).is_none() || found.has_errors() {
                return Err((found, part.sources));
            }
            let mut sources = SourceMap::default();
            let all = part.sources.text(source.file);
            let text = all.get(source.range).unwrap_or_default();
            let (place, machine) = (stage.place, stage.machine);
            let draft = ScenarioDraft::of(text, "", place, machine, &mut sources, &mut found);
            let Some(draft) = draft else {
                return Err((found, Arc::new(sources)));
            };
            drafts.push(DialogueDraft::recorded(draft));
        }
    }
    Ok(drafts)
}

/// A recorded dialogue without personal data. `intents` has the intent of each turn, if it is known.
pub(super) fn without_personal_data(
    draft: &DialogueDraft,
    intents: impl Iterator<Item = Option<IntentId>>,
    machine: &Machine,
    words: &mut ExampleWords,
) -> DialogueDraft {
    let declared = Declared::new(machine);
    let turns = draft.turns.iter().zip(intents).map(|(turn, intent)| {
        let keys = declared.turn(&turn.keys, intent);
        words.complete(keys, intent, machine)
    });
    let head = draft.head.iter();
    DialogueDraft {
        head: head
            .map(|(key, value)| (*key, declared.value("", value)))
            .collect(),
        turns: turns.collect(),
    }
}

impl<'m> Declared<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        let conditions = machine.conditions.iter();
        let named = conditions.filter_map(|condition| match condition {
            Condition::Test(_, Test::Is(values)) => Some(values.iter().cloned()),
            _ => None,
        });
        Self {
            machine,
            named: named.flatten().collect(),
        }
    }

    /// The keys of a turn without its words and without personal data.
    fn turn(&self, keys: &[(String, Value)], intent: Option<IntentId>) -> KeyedTurn {
        let mut kept: KeyedTurn = keys
            .iter()
            .filter(|(key, _)| key != "say")
            .map(|(key, value)| (key.clone(), self.of_key(key, value)))
            .collect();
        let is_given = |(key, _): &(String, Value)| {
            matches!(&**key, "intent" | "event" | "goto") || EVENTS.contains(&&**key)
        };
        let is_read = has_key(keys, "say") && !keys.iter().any(is_given);
        if let Some(intent) = intent.filter(|_| is_read) {
            let name = self.machine.names.intents.name(intent);
            kept.push(("intent".to_owned(), Value::text(name)));
        }
        kept
    }

    fn of_key(&self, key: &str, value: &Value) -> Value {
        match key {
            "reply" if value.filled() => Value::text("reply"),
            "intent" | "event" | "goto" | "also" | "tone" | "at" | "call" | "signals"
            | "before" => value.clone(),
            _ if EVENTS.contains(&key) => self.value("", value),
            key => self.value(key, value),
        }
    }

    /// A value without personal data. `name` is the slot or key of the value.
    pub(super) fn value(&self, name: &str, value: &Value) -> Value {
        let slot = self.machine.names.slots.id(name);
        let slot = slot.map(|slot| self.machine.slot(slot));
        let sample = || slot.and_then(SlotDeclaration::sample);
        match value {
            Value::Map(pairs) => {
                let pairs = pairs.iter();
                Value::map(pairs.map(|(key, value)| (&**key, self.value(key, value))))
            }
            Value::List(items) => {
                Value::List(items.iter().map(|item| self.value(name, item)).collect())
            }
            Value::Text(text) => {
                let is_declared = slot.is_some_and(|slot| slot.values.contains(value));
                let is_public = is_declared || self.named.contains(value) || self.is_name(text);
                // Only data of slots can be a single word that identifies a person.
                if is_public || slot.is_none() && is_identifier(text) {
                    value.clone()
                } else {
                    sample().unwrap_or_else(|| Value::text(SAMPLE))
                }
            }
            Value::Int(_) | Value::Float(_) => {
                let has_format = slot.is_some_and(|slot| slot.format.is_some());
                let sample = has_format.then(sample).flatten();
                sample.unwrap_or_else(|| value.clone())
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    /// Whether a text names a state or an intent of the model.
    fn is_name(&self, text: &str) -> bool {
        let names = &self.machine.names;
        names.states.id(text).is_some() || names.intents.id(text).is_some()
    }
}

/// Whether a text is a name of a format, such as `should_transition`.
fn is_identifier(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '-'))
}
