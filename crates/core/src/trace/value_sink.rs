//! Builds a value from the pieces written to it.

use std::sync::Arc;

use crate::engine::{JsonKey, Sink};
use crate::machine::Value;

/// An incomplete value: the items written so far, each with its key, if any.
#[derive(Default)]
pub(super) struct ValueSink {
    key: Arc<str>,
    written: Vec<(Arc<str>, Value)>,
}

impl ValueSink {
    /// The value that `write` writes.
    pub(super) fn build(write: impl FnOnce(&mut Self)) -> Value {
        Self::written(write)
            .pop()
            .map(|(_, value)| value)
            .unwrap_or_default()
    }

    fn written(write: impl FnOnce(&mut Self)) -> Vec<(Arc<str>, Value)> {
        let mut sink = Self::default();
        write(&mut sink);
        sink.written
    }

    fn push(&mut self, value: Value) {
        self.written.push((std::mem::take(&mut self.key), value));
    }
}

impl Sink for ValueSink {
    fn joined(&mut self, start: &str, end: &str) {
        self.push(if end.is_empty() {
            Value::text(start)
        } else {
            Value::text(&[start, end].concat())
        });
    }

    fn value(&mut self, value: &Value) {
        self.push(value.clone());
    }

    fn object(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push(Value::Map(Self::written(inside).into()));
    }

    fn key(&mut self, key: JsonKey) -> &mut Self {
        self.name(key.name)
    }

    fn name(&mut self, name: &str) -> &mut Self {
        self.key = name.into();
        self
    }

    fn list(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push(Value::List(
            Self::written(inside)
                .into_iter()
                .map(|(_, value)| value)
                .collect(),
        ));
    }

    fn item(&mut self) -> &mut Self {
        self
    }
}
