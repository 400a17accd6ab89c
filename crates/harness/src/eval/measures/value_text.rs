//! A value as it is compared: what its words say, what numbers stand in it, and what else matters.

use unicode_normalization::UnicodeNormalization;

/// A value as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueText {
    /// Its letters, numbers and signs, without case and without marks that say nothing.
    pub(super) key: String,
    pub(super) numbers: Vec<String>,
    /// The signs that stand at no number, such as those of `C++`.
    pub(super) signs: String,
    /// How often it denies something.
    pub(super) denials: usize,
    /// The text, for comparing its words.
    pub(super) text: String,
}

/// Marks that say nothing unless they stand between digits.
const MARKS: &str = ".,!?;:\"'`«»„“”‘’…()[]{}_-/\\*";
/// Words that deny.
const DENIALS: [&str; 16] = [
    "не",
    "нет",
    "ни",
    "без",
    "никогда",
    "нельзя",
    "кроме",
    "no",
    "not",
    "never",
    "without",
    "none",
    "cannot",
    "except",
    "neither",
    "nor",
];
/// Digits from which a number in groups is one of a telephone.
const TELEPHONE: usize = 10;

impl ValueText {
    pub(super) fn of(text: &str) -> Self {
        let text: String = text.nfkc().collect::<String>().to_lowercase();
        let text = text
            .trim()
            .replace('ё', "е")
            .replace(['−', '–', '—', '‐', '‑'], "-")
            .replace('’', "'");
        let has_words = text.chars().any(char::is_alphanumeric);
        let denials = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
        let denials = denials
            .filter(|word| DENIALS.contains(word) || word.ends_with("n't"))
            .count();
        if let Some(digits) = telephone(&text) {
            return Self {
                key: digits.clone(),
                numbers: vec![digits],
                signs: String::new(),
                denials,
                text,
            };
        }
        let mut found = Self {
            key: String::new(),
            numbers: Vec::new(),
            signs: String::new(),
            denials,
            text: String::new(),
        };
        if has_words {
            found.read(&text);
        } else {
            // A value of signs alone is what it is.
            found.key.clone_from(&text);
            found.signs.clone_from(&text);
        }
        Self { text, ..found }
    }

    fn read(&mut self, text: &str) {
        let letters: Vec<char> = text.chars().collect();
        let get = |at: usize| letters.get(at).copied().unwrap_or(' ');
        let is_digit = |at: usize| get(at).is_ascii_digit();
        let mut at = 0;
        // What stood last, and was no blank.
        let mut last = ' ';
        while let Some(letter) = letters.get(at).copied() {
            let is_sign =
                matches!(letter, '-' | '+') && is_digit(at + 1) && !last.is_alphanumeric();
            if letter.is_ascii_digit() || is_sign {
                let (number, end) = number(&letters, at);
                // Two numbers side by side are not one.
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
            if letter.is_whitespace() {
                continue;
            }
            let next = letters
                .iter()
                .skip(at)
                .find(|letter| !letter.is_whitespace());
            let is_between = last.is_ascii_digit() && next.is_some_and(char::is_ascii_digit);
            if is_between && MARKS.contains(letter) {
                // Times are written in either way.
                self.key.push(if letter == ':' { '.' } else { letter });
                last = letter;
                continue;
            }
            if letter.is_alphanumeric() {
                self.key.push(letter);
                last = letter;
            } else if !MARKS.contains(letter) {
                self.key.push(letter);
                self.signs.push(letter);
                last = letter;
            } else {
                last = ' ';
            }
        }
    }
}

/// The number that begins there, sign included, in one form; and where it ends. Groups of three digits behind blanks or commas
/// belong to it, and what stands behind a point or a comma.
fn number(letters: &[char], start: usize) -> (String, usize) {
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let mut at = start;
    let mut number = String::new();
    match letters.get(at) {
        Some('-') => {
            number.push('-');
            at += 1;
        }
        Some('+') => at += 1,
        _ => {}
    }
    let from = at;
    while is_digit(at) {
        number.extend(letters.get(at));
        at += 1;
    }
    let may_be_grouped = (1..=3).contains(&(at - from)) && letters.get(from) != Some(&'0');
    let separator = letters
        .get(at)
        .copied()
        .filter(|mark| *mark == ',' || mark.is_whitespace());
    if let Some(separator) = separator.filter(|_| may_be_grouped) {
        let is_group = |at: usize| {
            let is_same = letters.get(at).is_some_and(|mark| *mark == separator);
            is_same && (1..=3).all(|behind| is_digit(at + behind)) && !is_digit(at + 4)
        };
        while is_group(at) {
            number.extend(letters.get(at + 1..at + 4).unwrap_or_default());
            at += 4;
        }
    }
    if letters
        .get(at)
        .is_some_and(|mark| matches!(mark, '.' | ','))
        && is_digit(at + 1)
    {
        number.push('.');
        at += 1;
        while is_digit(at) {
            number.extend(letters.get(at));
            at += 1;
        }
    }
    (number, at)
}

/// The digits of a telephone number: it may be written in groups of any kind.
fn telephone(text: &str) -> Option<String> {
    let is_of_one = |letter: char| {
        letter.is_ascii_digit() || letter.is_whitespace() || "+-()./".contains(letter)
    };
    if !text.chars().all(is_of_one) || text.starts_with('-') {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let mut groups = text
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|group| !group.is_empty());
    let is_short = groups.clone().all(|group| group.len() <= 4);
    let is_one = groups.next().is_some() && groups.next().is_none();
    let is_told = text.starts_with('+') && digits.len() >= TELEPHONE - 3;
    (is_told || (digits.len() >= TELEPHONE && (is_one || is_short))).then_some(digits)
}
