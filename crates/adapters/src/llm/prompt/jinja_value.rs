//! Converts values for templates.

use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use serde_json::Value as Json;

/// Converts a value for a template.
pub(super) fn jinja(value: &Json) -> Value {
    of(value, &|items| items.into())
}

/// Converts a value of a sample task. Real lists can have any length, so every index of a sample list is valid.
pub(super) fn jinja_sample(value: &Json) -> Value {
    of(value, &|items| Value::from_object(SampleList(items)))
}

fn of(value: &Json, list: &dyn Fn(Vec<Value>) -> Value) -> Value {
    match value {
        Json::Null => Value::from(()),
        Json::Bool(value) => (*value).into(),
        Json::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => list(items.iter().map(|item| of(item, list)).collect()),
        Json::Object(map) => Value::from_pairs(
            map.iter()
                .map(|(key, value)| (key.as_str(), of(value, list))),
        ),
    }
}

/// A list in which every index is valid.
#[derive(Debug)]
struct SampleList(Vec<Value>);

impl Object for SampleList {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let at = key
            .as_i64()
            .map(|at| usize::try_from(at).unwrap_or_default())?;
        self.0.get(at).or(self.0.last()).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }
}
