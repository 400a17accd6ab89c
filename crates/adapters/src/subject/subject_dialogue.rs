//! A dialogue with a system under test.

use std::path::Path;

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::reply_watch::ReplyWatch;
use super::subject_answer::SubjectAnswer;
use super::subject_failure::SubjectFailure;
use super::subject_spec::SubjectSpec;
use super::subject_turn::{SubjectTurn, TurnValues};
use crate::limits::{MAX_SUBJECT_DIALOGUE, MAX_SUBJECT_FAILURE};
use fsmsim_core::machine::{List, Value};
use fsmsim_core::trace::{ObservedRecord, RecordField};
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::terminal::{TextRedactions, shortened};

/// The replacement for session IDs in output, because session IDs differ in each run.
const SESSION: &str = "{{session}}";

/// A dialogue with a system under test. Dropping it closes the connection and ends the process.
pub struct SubjectDialogue<'s> {
    spec: &'s SubjectSpec,
    subject: Box<dyn SubjectWire>,
    values: TurnValues,
    history: Vec<Json>,
    watch: ReplyWatch,
    mask: TextRedactions,
    size_so_far: usize,
}

impl<'s> SubjectDialogue<'s> {
    /// Starts a dialogue. Commands run in the directory `root`. The caller must have the consent of the user.
    pub fn begin(spec: &'s SubjectSpec, root: &Path) -> Result<Self, SubjectFailure> {
        let session = format!("fsmsim-{}", Uuid::new_v4());
        let mut mask = TextRedactions::default();
        mask.rename(&session, SESSION);
        let mut values = TurnValues::default();
        values.set("session", Json::String(session));
        let subject =
            connect(spec, root, &mut mask).map_err(|failure| redacted(&mask, &failure))?;
        Ok(Self {
            spec,
            subject,
            values,
            history: Vec::new(),
            watch: ReplyWatch::default(),
            mask,
            size_so_far: 0,
        })
    }

    /// Sends a turn and returns the mapped answer.
    pub fn say(&mut self, turn: &SubjectTurn<'_>) -> Result<SubjectAnswer, SubjectFailure> {
        if let Some(say) = turn.say {
            self.history.push(json!({"role": "user", "content": say}));
        }
        self.values
            .set("say", turn.say.map_or(Json::Null, Json::from));
        self.values
            .set("intent", turn.intent.map_or(Json::Null, Json::from));
        self.values.set("turn", turn.number.into());
        self.values.set("data", turn.data.clone());
        self.values
            .set("history", Json::Array(self.history.clone()));
        let mut answer = self
            .ask()
            .map_err(|failure| redacted(&self.mask, &failure))?;
        let scope = self.spec.map.replies().and_then(|part| part.scope);
        for (field, value) in &mut answer.fields {
            if let (RecordField::Replies, Value::List(replies)) = (field, value) {
                self.watch.add(turn.say, scope, replies);
            }
        }
        // The history contains the replies of the system unchanged.
        for (_, reply) in answer
            .fields
            .iter()
            .filter(|(field, _)| *field == RecordField::Replies)
        {
            let replies: Vec<&str> = reply
                .list()
                .into_iter()
                .flat_map(List::iter)
                .filter_map(Value::as_text)
                .collect();
            if !replies.is_empty() {
                self.history
                    .push(json!({"role": "assistant", "content": replies.join("\n")}));
            }
        }
        Ok(self.redacted_answer(answer))
    }

    /// The finding if the turns so far prove that `map` includes messages of earlier turns, or of the user, in the
    /// replies.
    pub fn fault(&self) -> Option<Diagnostic> {
        self.watch.fault(&self.spec.map)
    }

    /// The record of a turn for output: session IDs are replaced, because they differ in each run. Names of the model
    /// stay unchanged.
    pub fn shown(&self, record: &ObservedRecord) -> ObservedRecord {
        let mut shown = record.clone();
        for field in [
            RecordField::Data,
            RecordField::Counters,
            RecordField::Points,
            RecordField::Effects,
        ] {
            if let Some(value) = record.get(field) {
                shown.set(field, with_texts(value, &|text| self.mask.cleaned(text)));
            }
        }
        shown
    }

    /// Removes secrets from an answer before it is checked. In replies, also replaces session IDs.
    fn redacted_answer(&self, answer: SubjectAnswer) -> SubjectAnswer {
        let redact = |(field, value): (RecordField, Value)| {
            let value = match field {
                RecordField::Replies => with_texts(&value, &|text| self.mask.cleaned(text)),
                _ => with_texts(&value, &|text| self.mask.without_secrets(text)),
            };
            (field, value)
        };
        let intent = answer
            .intent
            .map(|intent| self.mask.without_secrets(&intent));
        SubjectAnswer {
            fields: answer.fields.into_iter().map(redact).collect(),
            intent,
            ..answer
        }
    }

    fn ask(&mut self) -> Result<SubjectAnswer, SubjectFailure> {
        let answer = self.subject.ask(&self.values, &mut self.mask)?;
        for (name, path) in &self.spec.keep {
            if let Some(value) = path.find(&answer).map_err(SubjectFailure::new)? {
                self.values.set(name, value);
            }
        }
        let (mapped, session) = self.spec.map.apply(&answer).map_err(SubjectFailure::new)?;
        if let Some(session) = session {
            self.mask.rename(&session, SESSION);
            self.values.set("session", Json::String(session));
        }
        let size: usize = mapped.fields.iter().map(|(_, value)| size_of(value)).sum();
        self.size_so_far = self.size_so_far.saturating_add(size);
        if self.size_so_far > MAX_SUBJECT_DIALOGUE {
            return Err(SubjectFailure::new(format!(
                "the answers of the dialogue are larger than {} MiB",
                MAX_SUBJECT_DIALOGUE >> 20
            )));
        }
        Ok(mapped)
    }
}

fn redacted(mask: &TextRedactions, failure: &SubjectFailure) -> SubjectFailure {
    SubjectFailure {
        reason: shortened(&mask.cleaned(&failure.reason), MAX_SUBJECT_FAILURE),
    }
}

/// Changes the strings and keys of a value.
fn with_texts(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::Text(text) => Value::text(&change(text)),
        Value::List(items) => {
            Value::List(items.iter().map(|item| with_texts(item, change)).collect())
        }
        Value::Map(pairs) => Value::Map(
            pairs
                .iter()
                .map(|(key, value)| (change(key).into(), with_texts(value, change)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// The approximate size of a value in bytes.
fn size_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(size_of).sum::<usize>() + 16,
        Value::Map(pairs) => {
            pairs
                .iter()
                .map(|(key, value)| key.len() + size_of(value))
                .sum::<usize>()
                + 16
        }
        _ => 16,
    }
}

use super::subject_wire::SubjectWire;
#[cfg(feature = "live")]
use super::wire::connect;

#[cfg(not(feature = "live"))]
fn connect(
    _: &SubjectSpec,
    _: &Path,
    _: &mut TextRedactions,
) -> Result<Box<dyn SubjectWire>, SubjectFailure> {
    Err(SubjectFailure::new(
        "this build does not support subjects: build fsmsim with the feature `live`",
    ))
}
