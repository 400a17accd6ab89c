//! Sample sentences generated from the phrases of a model.

use regex_syntax::hir::{Class, Hir, HirKind};

use fsmsim_core::engine::Machine;
use fsmsim_syntax::terminal::Joined;

/// The number of sentences per phrase: one with the first alternatives, one with the second ones, and so on.
const EACH: usize = 3;

/// Sentences that the phrases of a model recognize, in the order of the phrases. Excludes phrases of the fallback
/// intent.
pub(super) fn phrase_samples(machine: &Machine) -> Vec<Box<str>> {
    let mut samples: Vec<Box<str>> = Vec::new();
    for pattern in machine
        .phrases
        .iter()
        .filter(|phrases| !phrases.fallback)
        .flat_map(|phrases| &phrases.patterns)
    {
        let Ok(pattern) = regex_syntax::parse(pattern.pattern.as_str()) else {
            continue;
        };
        for number in 0..EACH {
            let mut sentence = String::new();
            write(&pattern, number, &mut sentence);
            let sentence = sentence.split_whitespace().joined(" ");
            // A pattern might require more than its text shows, for example a word boundary.
            if machine.phrases_in(&sentence).next().is_some()
                && !samples.iter().any(|known| **known == *sentence)
            {
                samples.push(sentence.into());
            }
        }
    }
    samples
}

/// Appends text that a pattern matches: alternative `number` of each choice, character `number` of each class, and as
/// few repetitions as possible.
fn write(pattern: &Hir, number: usize, text: &mut String) {
    match pattern.kind() {
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(sample_char(class, number)),
        HirKind::Repetition(repetition) => {
            if repetition.max.is_none() && repetition.min == 0 {
                // Optional separators become spaces.
                text.push(' ');
            }
            // A name needs more than one character.
            let is_any = repetition.max.is_none() && repetition.min > 0;
            for at in 0..repetition.min.max(if is_any { 3 } else { 0 }) as usize {
                write(&repetition.sub, number + at, text);
            }
        }
        HirKind::Capture(group) => write(&group.sub, number, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, number, text)),
        HirKind::Alternation(parts) => {
            let at = number.checked_rem(parts.len()).unwrap_or(0);
            if let Some(part) = parts.get(at) {
                write(part, number, text);
            }
        }
        HirKind::Empty | HirKind::Look(_) => {}
    }
}

/// An alphanumeric sample character of a class, otherwise the first character of the class.
fn sample_char(class: &Class, number: usize) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| (char::from(range.start()), char::from(range.end())))
            .collect(),
    };
    let readable = ["авс", "anb", "371"]
        .into_iter()
        .flat_map(str::chars)
        .collect::<Vec<char>>();
    let is_in = |c: &char| {
        ranges
            .iter()
            .any(|(start, end)| (*start..=*end).contains(c))
    };
    let fitting: Vec<char> = readable.into_iter().filter(is_in).collect();
    number
        .checked_rem(fitting.len())
        .and_then(|at| fitting.get(at))
        .copied()
        .or_else(|| ranges.first().map(|(start, _)| *start))
}
