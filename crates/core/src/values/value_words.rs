//! The words and the patterns of values: `value_words.txt` and `value_patterns.txt`.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use rustc_hash::FxHashMap;

/// The words by role, each with its number, and the patterns by kind.
#[derive(Default)]
struct ValueTables {
    words: FxHashMap<&'static str, FxHashMap<String, f64>>,
    patterns: FxHashMap<&'static str, Vec<ValuePattern>>,
}

/// A pattern that is compiled when it is first used, because compiling all of them takes a tenth of a second.
struct ValuePattern {
    text: String,
    regex: OnceLock<Option<Regex>>,
}

impl ValuePattern {
    fn regex(&self) -> Option<&Regex> {
        let compile = || Regex::new(&self.text).ok();
        self.regex.get_or_init(compile).as_ref()
    }
}

static TABLES: LazyLock<ValueTables> = LazyLock::new(|| {
    let mut tables = ValueTables::default();
    let mut parts: FxHashMap<&str, String> = FxHashMap::default();
    for (head, forms) in lines(include_str!("value_words.txt"), ": ") {
        let (role, number) = head.split_once(' ').unwrap_or((head, "0"));
        let number = number.parse().unwrap_or_default();
        let part = parts.entry(role).or_default();
        for form in forms.split(' ') {
            part.push_str(if part.is_empty() { "" } else { "|" });
            part.push_str(&form.replace('_', "[ -]"));
            let words = tables.words.entry(role).or_default();
            words.entry(form.replace('_', " ")).or_insert(number);
        }
    }
    for (kind, pattern) in lines(include_str!("value_patterns.txt"), " ") {
        let pattern = filled(pattern, &parts);
        if let Some(name) = kind.strip_prefix('$') {
            parts.insert(name, pattern);
        } else {
            let patterns = tables.patterns.entry(kind).or_default();
            patterns.push(ValuePattern {
                text: pattern,
                regex: OnceLock::new(),
            });
        }
    }
    tables
});

/// The lines of a table, divided into head and content.
fn lines(
    table: &'static str,
    separator: &str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| line.split_once(separator))
}

/// A pattern with its parts: `{NAME}` becomes a group.
fn filled(pattern: &str, parts: &FxHashMap<&str, String>) -> String {
    let mut filled = String::new();
    for (at, piece) in pattern.split('{').enumerate() {
        let part = piece.split_once('}');
        match part.and_then(|(name, rest)| Some((parts.get(name)?, rest))) {
            Some((part, rest)) => filled.extend(["(?:", part.as_str(), ")", rest]),
            None if at > 0 => filled.extend(["{", piece]),
            None => filled.push_str(piece),
        }
    }
    filled
}

/// The number of a word in a role, if it has the role.
pub(super) fn number_of(role: &str, word: &str) -> Option<f64> {
    TABLES.words.get(role)?.get(word).copied()
}

/// The number of a word in a role as an integer.
pub(super) fn index_of(role: &str, word: &str) -> Option<u32> {
    number_of(role, word)?.to_string().parse().ok()
}

/// The patterns of a kind.
pub(super) fn patterns(kind: &str) -> impl Iterator<Item = &'static Regex> {
    let patterns = TABLES.patterns.get(kind).into_iter().flatten();
    patterns.filter_map(ValuePattern::regex)
}

/// Whether a pattern of a kind matches.
pub(super) fn has(kind: &str, text: &str) -> bool {
    patterns(kind).any(|pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_valid() {
        for (head, _) in lines(include_str!("value_words.txt"), ": ") {
            let number = head.split_once(' ').map_or("0", |(_, number)| number);
            assert!(number.parse::<f64>().is_ok(), "{head}");
        }
        let patterns = lines(include_str!("value_patterns.txt"), " ");
        let patterns = patterns.filter(|(kind, _)| !kind.starts_with('$'));
        let known = TABLES.patterns.values().flatten();
        let compiled = known.filter_map(ValuePattern::regex);
        assert_eq!(compiled.count(), patterns.count());
    }
}
