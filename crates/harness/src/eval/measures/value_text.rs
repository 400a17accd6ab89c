//! The normalized form of a value: its words, numbers and symbols.

use unicode_normalization::UnicodeNormalization;

/// The normalized form of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValueText {
    /// The words, numbers and symbols, in lowercase and without insignificant punctuation.
    pub key: String,
    pub numbers: Vec<String>,
    /// The symbols that are not part of a number, for example those in `C++`.
    pub signs: String,
    /// The number of negations.
    pub denials: usize,
    /// The text, for comparing its words.
    pub text: String,
}

/// Punctuation that is significant only between digits.
const MARKS: &str = ".,!?;:\"'`«»„“”‘’…()[]{}_-/\\*";
/// Negation words.
const DENIALS: &str = include_str!("denials.txt");
/// The minimum number of digits in a telephone number.
const MIN_TELEPHONE_DIGITS: usize = 10;

impl ValueText {
    pub(super) fn of(text: &str) -> Self {
        let text: String = text.nfkc().collect::<String>().to_lowercase();
        let text = text
            .trim()
            .replace('ё', "е")
            .replace(['−', '–', '—', '‐', '‑'], "-")
            .replace('’', "'");
        let has_words = text.chars().any(char::is_alphanumeric);
        let denials =
            text.split(|character: char| !character.is_alphanumeric() && character != '\'');
        let denials = denials
            .filter(|word| {
                DENIALS.split_whitespace().any(|denial| denial == *word) || word.ends_with("n't")
            })
            .count();
        if let Some(digits) = telephone(&text) {
            return Self {
                key: digits.clone(),
                numbers: vec![digits],
                denials,
                text,
                ..Self::default()
            };
        }
        let mut found = Self {
            denials,
            ..Self::default()
        };
        if has_words {
            found.read(&text);
        } else {
            // A value that consists of symbols only is compared literally.
            found.key.clone_from(&text);
            found.signs.clone_from(&text);
        }
        Self { text, ..found }
    }

    fn read(&mut self, text: &str) {
        let characters: Vec<char> = text.chars().collect();
        let get = |at: usize| characters.get(at).copied().unwrap_or(' ');
        let is_digit = |at: usize| get(at).is_ascii_digit();
        let mut at = 0;
        // The last character that is not whitespace.
        let mut last = ' ';
        while let Some(character) = characters.get(at).copied() {
            let is_sign =
                matches!(character, '-' | '+') && is_digit(at + 1) && !last.is_alphanumeric();
            if character.is_ascii_digit() || is_sign {
                let (number, end) = number(&characters, at);
                // Keep adjacent numbers separate.
                if last.is_ascii_digit() {
                    self.key.push(' ');
                }
                self.key.push_str(&number);
                self.numbers.push(number);
                at = end;
                last = '0';
                continue;
            }
            at += 1;
            if character.is_whitespace() {
                continue;
            }
            let next = characters
                .iter()
                .skip(at)
                .find(|character| !character.is_whitespace());
            let is_between = last.is_ascii_digit() && next.is_some_and(char::is_ascii_digit);
            if is_between && MARKS.contains(character) {
                // Times can be written with a colon or a point.
                self.key
                    .push(if character == ':' { '.' } else { character });
                last = character;
                continue;
            }
            if character.is_alphanumeric() {
                self.key.push(character);
                last = character;
            } else if !MARKS.contains(character) {
                self.key.push(character);
                self.signs.push(character);
                last = character;
            } else {
                last = ' ';
            }
        }
    }
}

/// The number at `start` in normalized form, including its sign, and the position after the number. The number may
/// contain spaces or commas before groups of three digits, and a decimal point or comma.
fn number(characters: &[char], start: usize) -> (String, usize) {
    let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let mut at = start;
    let mut number = String::new();
    match characters.get(at) {
        Some('-') => {
            number.push('-');
            at += 1;
        }
        Some('+') => at += 1,
        _ => {}
    }
    let from = at;
    while is_digit(at) {
        number.extend(characters.get(at));
        at += 1;
    }
    let may_be_grouped = (1..=3).contains(&(at - from)) && characters.get(from) != Some(&'0');
    let separator = characters
        .get(at)
        .copied()
        .filter(|mark| *mark == ',' || mark.is_whitespace());
    if let Some(separator) = separator.filter(|_| may_be_grouped) {
        let is_group = |at: usize| {
            let is_same = characters.get(at).is_some_and(|mark| *mark == separator);
            is_same && (1..=3).all(|offset| is_digit(at + offset)) && !is_digit(at + 4)
        };
        while is_group(at) {
            number.extend(characters.get(at + 1..at + 4).unwrap_or_default());
            at += 4;
        }
    }
    if characters
        .get(at)
        .is_some_and(|mark| matches!(mark, '.' | ','))
        && is_digit(at + 1)
    {
        number.push('.');
        at += 1;
        while is_digit(at) {
            number.extend(characters.get(at));
            at += 1;
        }
    }
    (number, at)
}

/// The digits of a telephone number, which may be grouped in any way.
fn telephone(text: &str) -> Option<String> {
    let is_of_one = |character: char| {
        character.is_ascii_digit() || character.is_whitespace() || "+-()./".contains(character)
    };
    if !text.chars().all(is_of_one) || text.starts_with('-') {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let mut groups = text
        .split(|character: char| !character.is_ascii_digit())
        .filter(|group| !group.is_empty());
    let is_short = groups.clone().all(|group| group.len() <= 4);
    let is_one = groups.next().is_some() && groups.next().is_none();
    let is_international = text.starts_with('+') && digits.len() >= MIN_TELEPHONE_DIGITS - 3;
    (is_international || (digits.len() >= MIN_TELEPHONE_DIGITS && (is_one || is_short)))
        .then_some(digits)
}
