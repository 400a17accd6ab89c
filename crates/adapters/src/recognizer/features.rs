//! The features of a text: parts of words, words and pairs of words.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::portable::{ln, number};
use fsmsim_core::machine::Stems;

/// The lengths of the parts of words, in characters. A word has a space at both ends.
const PART_LENGTHS: std::ops::RangeInclusive<usize> = 2..=5;
/// The proportion of each of the two blocks of features in the similarity of two texts.
const BLOCK_SHARE: f64 = 0.5;
/// The weight of the first and the last word as pairs with the end of the text.
const EDGE_WEIGHT: f64 = 0.25;
/// The weight of features that no example has. They lower the similarity to all examples.
const UNKNOWN_WEIGHT: f64 = 0.5;

/// The kind of a feature. Features of different kinds are different, even with the same characters.
#[derive(Clone, Copy)]
enum FeatureKind {
    Part = 1,
    Word = 2,
    Pair = 3,
    /// The first or the last word.
    Edge = 4,
}

/// A feature that a text has, and how often. The order does not depend on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CountedFeature {
    key: u64,
    is_edge: bool,
    count: u32,
}

/// The features of a text: the block of parts, and the block of words.
#[derive(Clone, Debug)]
pub(super) struct TextFeatures([Vec<CountedFeature>; 2]);

/// A text as a vector: the known features with their values, in a fixed order. Its length is at most 1.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseText(pub Vec<(u32, f32)>);

/// The features of all examples, with their weights.
#[derive(Debug)]
pub(super) struct FeatureSpace {
    /// The number of each feature.
    numbers: FxHashMap<u64, u32>,
    /// The rarer a feature, the higher its weight.
    weights: Vec<f64>,
    unknown: f64,
}

fn key(kind: FeatureKind, text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), kind as u64)
}

impl TextFeatures {
    pub(super) fn of(text: &str, stems: &Stems) -> Self {
        let words = stems.words(text);
        let mut parts = Vec::new();
        let mut stemmed = Vec::new();
        for (word, stem) in &words {
            add_parts(word, &mut parts);
            stemmed.push((key(FeatureKind::Word, stem), false));
        }
        for pair in words.windows(2) {
            if let [(_, one), (_, other)] = pair {
                stemmed.push((key(FeatureKind::Pair, &format!("{one} {other}")), false));
            }
        }
        if let (Some((_, first)), Some((_, last))) = (words.first(), words.last()) {
            stemmed.push((key(FeatureKind::Edge, &format!("^ {first}")), true));
            stemmed.push((key(FeatureKind::Edge, &format!("{last} $")), true));
        }
        Self([counted(parts), counted(stemmed)])
    }
}

/// Adds the parts of a word. Digits are one class, so all numbers have the same parts.
fn add_parts(word: &str, parts: &mut Vec<(u64, bool)>) {
    let mut padded = String::from(" ");
    for c in word.chars() {
        match (c.is_numeric(), padded.ends_with('0')) {
            (true, true) => {}
            (true, false) => padded.push('0'),
            (false, _) => padded.push(c),
        }
    }
    padded.push(' ');
    let ends = padded.char_indices().map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([padded.len()]).collect();
    for length in PART_LENGTHS {
        if length + 1 >= ends.len() {
            parts.push((key(FeatureKind::Part, &padded), false));
            return;
        }
        for range in ends.windows(length + 1) {
            if let (Some(start), Some(end)) = (range.first(), range.last())
                && let Some(part) = padded.get(*start..*end)
            {
                parts.push((key(FeatureKind::Part, part), false));
            }
        }
    }
}

/// Counts equal features. Sorted, so that sums have the same order on every machine.
fn counted(mut keys: Vec<(u64, bool)>) -> Vec<CountedFeature> {
    keys.sort_unstable();
    let mut features: Vec<CountedFeature> = Vec::new();
    for (key, is_edge) in keys {
        match features.last_mut().filter(|last| last.key == key) {
            Some(last) => last.count += 1,
            None => features.push(CountedFeature {
                key,
                is_edge,
                count: 1,
            }),
        }
    }
    features
}

impl FeatureSpace {
    /// Collects the features of all examples.
    pub(super) fn of(examples: &[TextFeatures]) -> Self {
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        let mut known: Vec<(u32, bool)> = Vec::new();
        for feature in examples
            .iter()
            .flat_map(|example| example.0.iter().flatten())
        {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let id = *numbers.entry(feature.key).or_insert(next);
            match known.get_mut(id as usize) {
                Some((documents, _)) => *documents += 1,
                None => known.push((1, feature.is_edge)),
            }
        }
        let all = 1.0 + number(examples.len());
        let weight = |(documents, is_edge): &(u32, bool)| {
            edge_weight(*is_edge) * (1.0 + ln(all / (1.0 + f64::from(*documents))))
        };
        Self {
            weights: known.iter().map(weight).collect(),
            numbers,
            unknown: UNKNOWN_WEIGHT * (1.0 + ln(all)),
        }
    }

    /// The number of features.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// The vector of a text.
    pub(super) fn vector(&self, text: &TextFeatures) -> SparseText {
        let mut values = Vec::new();
        for block in &text.0 {
            let mut known = Vec::with_capacity(block.len());
            let mut square = 0.0;
            for feature in block {
                // The tenth occurrence of a word adds less than the first one.
                let count = 1.0 + ln(f64::from(feature.count));
                let id = self.numbers.get(&feature.key);
                let weight = id.and_then(|id| self.weights.get(*id as usize));
                let value = match weight {
                    Some(weight) => count * weight,
                    None => count * self.unknown * edge_weight(feature.is_edge),
                };
                square += value * value;
                known.extend(id.map(|id| (*id, value)));
            }
            if square > 0.0 {
                let scale = (BLOCK_SHARE / square).sqrt();
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "half of the memory, and accurate enough"
                )]
                values.extend(
                    known
                        .iter()
                        .map(|(id, value)| (*id, (value * scale) as f32)),
                );
            }
        }
        SparseText(values)
    }
}

fn edge_weight(is_edge: bool) -> f64 {
    if is_edge { EDGE_WEIGHT } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(text: &str) -> TextFeatures {
        TextFeatures::of(text, &Stems::default())
    }

    #[test]
    fn parts_of_a_short_word_end_with_the_word_itself() {
        // " a ": two parts of two characters, and the word with its spaces.
        let TextFeatures([parts, words]) = features("a");
        assert_eq!(parts.len(), 3);
        // The word, the first word and the last word.
        assert_eq!(words.len(), 3);
    }

    #[test]
    fn numbers_and_spellings_do_not_matter() {
        let same = |one: &str, other: &str| {
            assert_eq!(features(one).0, features(other).0, "{one} | {other}");
        };
        same("Нас 50!", "нас 1200");
        same("ещё", "еще");
        same("", " ?! ");
    }

    #[test]
    fn vectors_of_known_texts_have_length_one() {
        let texts = ["how much is it", "good bye", "how are you"];
        let examples: Vec<TextFeatures> = texts.iter().map(|text| features(text)).collect();
        let space = FeatureSpace::of(&examples);
        let length = |text: &str| {
            let SparseText(values) = space.vector(&features(text));
            let square: f64 = values
                .iter()
                .map(|(_, v)| f64::from(*v) * f64::from(*v))
                .sum();
            square.sqrt()
        };
        for text in texts {
            assert!((length(text) - 1.0).abs() < 1e-6, "{text}");
        }
        assert!(length("good morning") < 0.9);
        assert!(length("xyz").abs() < 1e-6);
    }
}
