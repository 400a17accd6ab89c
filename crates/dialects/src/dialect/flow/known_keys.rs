//! Checks the keys of constants and settings. The shapes also declare keys that the engine ignores but that the
//! original system uses.

use fsmsim_syntax::diagnostic::{Diagnostics, nearest};
use fsmsim_syntax::document::{Map, Node, boolean_of, unknown_key, wrong_type};
use fsmsim_syntax::shapes::{Shape, ShapeType};

/// Checks the keys of a file. Unknown keys are allowed unless they are similar to known ones.
pub(super) fn check_file(node: &Node, shape: &'static Shape, found: &mut Diagnostics) {
    for (key, value) in node.entries() {
        match shape.key(&key.text) {
            Some(known) => check(value, &key.text, &known.of, found),
            None => match nearest(&key.text, shape.key_names()) {
                Some(near) => unknown_key(key, shape.what, &[near], found),
                None => found.note_key(&key.text, key.span),
            },
        }
    }
}

/// Checks feature flags. Unknown flags are allowed unless they are similar to known ones.
pub(super) fn check_flags(flags: &Node, built_in: Option<&Map>, found: &mut Diagnostics) {
    if flags.map().is_none() && !flags.is_null() {
        wrong_type(
            flags,
            "`feature_flags` is a map of names with `true` or `false`",
            found,
        );
    }
    let known = || built_in.into_iter().flat_map(Map::keys);
    for (key, value) in flags.entries() {
        if known().any(|name| name == &*key.text) {
            boolean_of(value, &key.text, found);
        } else if let Some(near) = nearest(&key.text, known()) {
            unknown_key(key, "`feature_flags`", &[near], found);
        }
    }
}

/// Checks the keys of a map, and of nested maps without a separate reader. If additional keys are allowed, their values
/// must be lists.
pub(super) fn check_map(map: &Map, what: &str, shape: &'static Shape, found: &mut Diagnostics) {
    for (key, value) in &map.entries {
        let is_list = shape.others.is_some() && value.list().is_some();
        match shape.key(&key.text) {
            Some(known) => check(value, &key.text, &known.of, found),
            None if is_list && nearest(&key.text, shape.key_names()).is_none() => {}
            None => unknown_key(key, what, &shape.key_names().collect::<Vec<_>>(), found),
        }
    }
}

fn check(node: &Node, name: &str, of: &'static ShapeType, found: &mut Diagnostics) {
    let Some(map) = node.map() else { return };
    match of {
        ShapeType::As(of, _) => check(node, name, of, found),
        ShapeType::Either(either) => either.iter().for_each(|of| check(node, name, of, found)),
        ShapeType::Map(_, of) => {
            for (key, value) in &map.entries {
                check(value, &key.text, of, found);
            }
        }
        // A shape with a noun for findings has a separate reader, which checks its keys.
        ShapeType::Named(shape) if shape.what.is_empty() => match &shape.is {
            Some(of) => check(node, name, of, found),
            None => check_map(map, &format!("`{name}`"), shape, found),
        },
        _ => {}
    }
}
