//! Sentences that the phrases of a model read, made from the phrases.

use regex_syntax::hir::{Class, Hir, HirKind};

use fsmsim_core::engine::Machine;
use fsmsim_syntax::terminal::Joined;

/// How many sentences are made of a phrase: with the first alternatives, the second ones, and so on.
const EACH: usize = 3;

/// Sentences that the phrases of a model read, in the order of the phrases; those aside that mean what nobody understood.
pub(super) fn phrase_samples(machine: &Machine) -> Vec<Box<str>> {
    let mut samples: Vec<Box<str>> = Vec::new();
    for pattern in machine
        .phrases
        .iter()
        .filter(|reading| !reading.otherwise)
        .flat_map(|reading| &reading.patterns)
    {
        let Ok(pattern) = regex_syntax::parse(pattern.as_str()) else {
            continue;
        };
        for number in 0..EACH {
            let mut sentence = String::new();
            write(&pattern, number, &mut sentence);
            let sentence = sentence.split_whitespace().joined(" ");
            // A phrase may ask more than its text says, such as a border of a word.
            if machine.phrases_in(&sentence).next().is_some()
                && !samples.iter().any(|known| **known == *sentence)
            {
                samples.push(sentence.into());
            }
        }
    }
    samples
}

/// Writes a text that a pattern finds: the alternatives of this number, of their classes the letter or digit of this number,
/// and what may be there as rarely as it may.
fn write(pattern: &Hir, number: usize, text: &mut String) {
    match pattern.kind() {
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(letter(class, number)),
        HirKind::Repetition(repetition) => {
            if repetition.max.is_none() && repetition.min == 0 {
                // Words that may stand between others keep them apart.
                text.push(' ');
            }
            // A name of one letter says nothing.
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

/// A letter or digit of a class, else what it begins with.
fn letter(class: &Class, number: usize) -> Option<char> {
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
    let is_in = |letter: &char| {
        ranges
            .iter()
            .any(|(start, end)| (*start..=*end).contains(letter))
    };
    let fitting: Vec<char> = readable.into_iter().filter(is_in).collect();
    let chosen = number
        .checked_rem(fitting.len())
        .and_then(|at| fitting.get(at))
        .copied();
    chosen.or_else(|| ranges.first().map(|(start, _)| *start))
}
