//! Phrases of intents. A phrase also matches other forms of its words.

use regex::Regex;

use super::Stems;
use crate::limits::MAX_SAID_WORDS;

/// Characters of the shortest stem that identifies a word.
const MIN_STEM: usize = 3;

/// A phrase: a regular expression, and the complete words in it.
#[derive(Clone, Debug)]
pub struct Phrase {
    pub pattern: Regex,
    words: Box<[PhraseWord]>,
}

/// A complete word in a phrase.
#[derive(Clone, Debug)]
struct PhraseWord {
    word: Box<str>,
    lower: String,
    stem: Option<String>,
    /// The named groups that contain the word.
    groups: Box<[Box<str>]>,
}

/// A word of an utterance.
struct SaidWord<'s> {
    /// The text between the previous word and this word.
    gap: &'s str,
    word: &'s str,
    lower: String,
    /// The stem, if other forms of the word also match.
    stem: Option<String>,
}

/// An utterance, divided into words.
pub(super) struct SaidWords<'s> {
    words: Vec<SaidWord<'s>>,
    /// The text after the last word.
    rest: &'s str,
}

/// The named groups of a phrase, each with the text that it captured.
type GroupTexts<'p> = Vec<(&'p str, String)>;

impl Phrase {
    pub fn new(pattern: Regex) -> Self {
        let words = words_in(pattern.as_str());
        Self { pattern, words }
    }

    /// The complete words of the phrase, in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|known| &*known.word)
    }

    /// The values of the groups if the phrase matches the utterance as it is.
    pub(super) fn groups_in(&self, say: &str) -> Option<GroupTexts<'_>> {
        if !self.pattern.is_match(say) {
            return None;
        }
        if self.pattern.captures_len() == 1 {
            return Some(Vec::new());
        }
        self.groups(&SaidWords::of(say, None), false)
    }

    /// The values of the groups if the phrase matches the utterance with other forms of words: `кому продали` matches
    /// "Кому продано?".
    pub(super) fn groups_by_stems(&self, said: &SaidWords<'_>) -> Option<GroupTexts<'_>> {
        self.groups(said, true)
    }

    /// Matches the utterance after its words became words of the phrase. If `is_other_form`, at least one word must
    /// have another form in the phrase.
    ///
    /// Words of the phrase keep their form in the value of a group, so that a value has one form. Other words keep the
    /// form of the user, even if they occur elsewhere in the phrase: `take (?P<object>.+)` captures any object as said.
    fn groups(&self, said: &SaidWords<'_>, is_other_form: bool) -> Option<GroupTexts<'_>> {
        let mut text = String::new();
        let mut replaced = Vec::new();
        let mut has_other_form = false;
        for next in &said.words {
            text.push_str(next.gap);
            let same = self.words.iter().find(|known| known.lower == next.lower);
            let known = same.or_else(|| {
                let stem = next.stem.as_ref()?;
                self.words
                    .iter()
                    .find(|known| known.stem.as_ref() == Some(stem))
            });
            has_other_form |= same.is_none() && known.is_some();
            match known.filter(|known| *known.word != *next.word) {
                None => text.push_str(next.word),
                Some(known) => {
                    replaced.push((text.len(), known, next.word));
                    text.push_str(&known.word);
                }
            }
        }
        if is_other_form && !has_other_form {
            return None;
        }
        text.push_str(said.rest);
        let groups = self.pattern.captures(&text)?;
        let value = |name: &str| {
            let found = groups.name(name)?;
            let mut value = found.as_str().to_owned();
            // From the last word to the first, so that the earlier offsets stay valid.
            for (begin, known, word) in replaced.iter().rev() {
                let is_in_group = |word: &PhraseWord| {
                    word.lower == known.lower && word.groups.iter().any(|group| **group == *name)
                };
                if self.words.iter().any(is_in_group) || !found.range().contains(begin) {
                    continue;
                }
                let begin = begin - found.start();
                let end = begin + known.word.len();
                if value.get(begin..end).is_some() {
                    value.replace_range(begin..end, word);
                }
            }
            Some(value)
        };
        let names = self.pattern.capture_names().flatten();
        Some(
            names
                .filter_map(|name| Some((name, value(name)?)))
                .collect(),
        )
    }
}

impl<'s> SaidWords<'s> {
    /// The words with their stems.
    pub(super) fn with_stems(say: &'s str) -> Self {
        Self::of(say, Some(&Stems::default()))
    }

    fn of(say: &'s str, stems: Option<&Stems>) -> Self {
        let mut words = Vec::new();
        let mut rest = say;
        while words.len() < MAX_SAID_WORDS
            && let Some((gap, word, after)) = next_word(rest)
        {
            let lower = word.to_lowercase();
            let stem = stems.and_then(|stems| stem_of(word, stems));
            words.push(SaidWord {
                gap,
                word,
                lower,
                stem,
            });
            rest = after;
        }
        Self { words, rest }
    }
}

/// The stem of a word, if it is long enough to identify the word: without its ending, `АО` is `а`.
fn stem_of(word: &str, stems: &Stems) -> Option<String> {
    Some(stems.of_word(word)).filter(|stem| stem.chars().count() >= MIN_STEM)
}

/// The text before the first word, the word, and the text after it.
fn next_word(text: &str) -> Option<(&str, &str, &str)> {
    let (gap, word) = text.split_at_checked(text.find(char::is_alphanumeric)?)?;
    let end = word.find(|c: char| !c.is_alphanumeric());
    let (word, after) = word.split_at_checked(end.unwrap_or(word.len()))?;
    Some((gap, word, after))
}

/// The complete words in a regular expression. A word next to a character class or an alternative ending, such as
/// `добр(ый|ая)`, is not complete: such a phrase lists its forms itself.
fn words_in(pattern: &str) -> Box<[PhraseWord]> {
    let stems = Stems::default();
    let mut words: Vec<PhraseWord> = Vec::new();
    // The name of each open group, whether the text before it can end within a word, and the number of words before it.
    let mut groups: Vec<(Option<&str>, bool, usize)> = Vec::new();
    let mut rest = pattern;
    // Whether the text so far can end within a word, and the number of words if that word is not complete.
    let (mut is_open, mut complete) = (false, 0);
    while let Some(first) = rest.chars().next() {
        let (part, after) = rest.split_at(part_length(first, rest));
        rest = after;
        let continues = match first {
            '[' => true,
            '\\' => matches!(part.chars().nth(1), Some('w' | 'd' | 'p' | 'P')),
            c => c.is_alphanumeric(),
        };
        if continues {
            if is_open {
                words.truncate(complete);
            }
            complete = words.len();
            // A single character can also be an initial.
            if first.is_alphabetic() && !is_open && part.len() > first.len_utf8() {
                let names = groups.iter().filter_map(|(name, ..)| *name);
                words.push(PhraseWord {
                    word: part.into(),
                    lower: part.to_lowercase(),
                    stem: stem_of(part, &stems),
                    groups: names.map(Into::into).collect(),
                });
            }
            is_open = true;
            continue;
        }
        match first {
            '(' if part.ends_with(')') => {}
            '(' => {
                let name = part.split_once('<').map(|(_, name)| name);
                let name = name.map(|name| name.trim_end_matches('>'));
                groups.push((name, is_open, words.len()));
            }
            ')' => complete = groups.pop().map_or(0, |(.., before)| before),
            '|' => {
                is_open = groups.last().is_some_and(|(_, is_open, _)| *is_open);
                complete = words.len();
            }
            '?' | '*' | '+' | '{' => {}
            _ => is_open = false,
        }
    }
    words.into()
}

/// The length of the next part of a regular expression: a word, an escape, a class, a count, the head of a group, or a
/// character.
fn part_length(first: char, text: &str) -> usize {
    let through = |ends: &[char]| text.find(ends).map_or(text.len(), |at| at + 1);
    match first {
        '\\' => {
            let length: usize = text.chars().take(2).map(char::len_utf8).sum();
            let is_braced = text
                .get(length..)
                .is_some_and(|after| after.starts_with('{'));
            if is_braced && matches!(text.get(..length), Some("\\p" | "\\P" | "\\x" | "\\u")) {
                through(&['}'])
            } else {
                length
            }
        }
        '[' => class_length(text),
        '{' => through(&['}']),
        '(' if text.starts_with("(?") => through(&[':', '>', ')']),
        c if c.is_alphanumeric() => text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len()),
        c => c.len_utf8(),
    }
}

/// The length of a character class, which can contain other classes.
fn class_length(text: &str) -> usize {
    let mut depth = 0;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pattern: &str) -> Vec<String> {
        let words = words_in(pattern).into_vec().into_iter();
        words
            .map(|word| match &*word.groups {
                [] => word.word.into(),
                groups => format!("{}@{}", word.word, groups.join("@")),
            })
            .collect()
    }

    #[test]
    fn only_complete_words_of_a_phrase_have_other_forms() {
        assert_eq!(
            words("кто (?P<who>поставщик|у (?:нас|вас))?"),
            ["кто", "поставщик@who", "нас@who", "вас@who"]
        );
        assert_eq!(
            words(r"(?i)добр(ый|ая) ма[йя] \bдень\b\s+\p{L}о \w+ые №5-я х{2}"),
            ["день"]
        );
    }

    #[test]
    fn values_have_the_form_of_the_phrase() {
        let compiled = |text: &str| Phrase::new(Regex::new(&format!("(?i){text}")).unwrap());
        let owned = |name: &'static str, value: &str| Some(vec![(name, value.to_owned())]);
        let pick = compiled("(?:выбери|открой) (?:позицию|строку):? (?P<object>.+)");
        let said = SaidWords::with_stems("Выбери позиция: Строки Болтов");
        assert_eq!(
            pick.groups_by_stems(&said),
            owned("object", "Строки Болтов")
        );
        let said = SaidWords::with_stems("Выбери позицию: болт");
        assert_eq!(pick.groups_by_stems(&said), None);
        assert_eq!(
            pick.groups_in("Выбери позицию: Строку"),
            owned("object", "Строку")
        );
        let ask = compiled("(?P<action>кому продали)");
        let said = SaidWords::with_stems("А Кому продано?");
        assert_eq!(ask.groups_by_stems(&said), owned("action", "кому продали"));
        assert_eq!(
            ask.groups_in("Кому продали?"),
            owned("action", "кому продали")
        );
        let firm = compiled("(?P<firm>АО .+)");
        assert_eq!(
            firm.groups_by_stems(&SaidWords::with_stems("а документы")),
            None
        );
    }
}
