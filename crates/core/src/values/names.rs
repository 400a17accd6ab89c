//! Names of persons, next to words such as "my name is".

use super::found_value::FoundValue;
use super::said_text::folded;
use super::value_words::{number_of, patterns};
use crate::machine::Value;

/// The roles of words that are not names.
const NOT_NAMES: &str =
    "function relative weekday month not yes no is at called surname after_name number";

/// All names. Without a marker, only a name that is everything said is one.
pub(super) fn names(say: &str) -> Vec<FoundValue> {
    let mut found: Vec<FoundValue> = Vec::new();
    let matches = patterns("named");
    for groups in matches.flat_map(|pattern| pattern.captures_iter(say)) {
        let Some(part) = groups.name("v") else {
            continue;
        };
        let is_weak = groups.name("weak").is_some();
        let is_name = |word: &&str| {
            let word = folded(word);
            let mut roles = NOT_NAMES.split(' ');
            roles.all(|role| number_of(role, &word).is_none())
        };
        let words: Vec<&str> = part.as_str().split(' ').take_while(is_name).collect();
        let mut name = words.join(" ");
        let mut end = part.start() + name.len();
        // "My surname is Orlov, first name Gleb".
        if let (Some(first), Some(last)) = (groups.name("first"), groups.name("last")) {
            name = format!("{} {}", first.as_str(), last.as_str());
            end = part.end();
        }
        let value = FoundValue::new(Value::text(&titled(&name))).at(part.start()..end);
        let is_cut = is_weak && (end < part.end() || !found.is_empty());
        if !name.is_empty() && !is_cut && !found.iter().any(|known| known.overlaps(&value)) {
            found.push(value.weakened(is_weak));
        }
    }
    found
}

/// The name with uppercase first characters: "анна-мария" becomes "Анна-Мария".
fn titled(name: &str) -> String {
    let starts = name.split_inclusive([' ', '-']);
    let titled = starts.flat_map(|part| {
        let mut part = part.chars();
        let first = part.next().into_iter().flat_map(char::to_uppercase);
        first.chain(part)
    });
    titled.collect()
}
