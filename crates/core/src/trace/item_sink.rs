//! Looks whether a list has items, without making them.

use crate::engine::{JsonKey, Sink};
use crate::machine::Value;

/// Whether any item was written.
#[derive(Default)]
pub(super) struct ItemSink {
    pub(super) has_items: bool,
}

impl Sink for ItemSink {
    fn joined(&mut self, _: &str, _: &str) {}

    fn value(&mut self, _: &Value) {}

    /// What is inside says nothing of the list in which the map stands.
    fn object(&mut self, _: impl FnOnce(&mut Self)) {}

    fn key(&mut self, _: JsonKey) -> &mut Self {
        self
    }

    fn name(&mut self, _: &str) -> &mut Self {
        self
    }

    fn list(&mut self, inside: impl FnOnce(&mut Self)) {
        inside(self);
    }

    fn item(&mut self) -> &mut Self {
        self.has_items = true;
        self
    }
}
