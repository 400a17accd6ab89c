//! Unknown keys, with suggestions of known ones.

use super::node::{Key, Map};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::shapes::Shape;

impl Shape {
    /// Reports the keys of a map that the shape does not declare.
    pub fn check(&self, map: &Map, found: &mut Diagnostics) {
        map.entries
            .iter()
            .for_each(|(key, _)| self.check_key(key, found));
    }

    /// Reports a key that the shape does not declare.
    pub fn check_key(&self, key: &Key, found: &mut Diagnostics) {
        if self.key(&key.text).is_none() {
            found.push_key(&key.text, key.span, || self.unknown_key(key));
        }
    }

    /// The finding about a key that the shape does not declare.
    pub fn unknown_key(&self, key: &Key) -> Diagnostic {
        no_such_key(key, self.what, &self.key_names().collect::<Vec<_>>())
    }
}

/// Reports an unknown key in `what`.
pub fn unknown_key(key: &Key, what: &str, known: &[&str], found: &mut Diagnostics) {
    found.push_key(&key.text, key.span, || no_such_key(key, what, known));
}

/// The finding about an unknown key in `what`.
pub fn no_such_key(key: &Key, what: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownKey,
        format!("unknown key `{}` in {what}", key.text),
    )
    .at(key.span, "unknown key")
    .offer(&key.text, "use one of these keys", known.iter().copied())
}
