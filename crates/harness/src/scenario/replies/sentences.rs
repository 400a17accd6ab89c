//! Counts sentences in Russian and English text.

/// Abbreviations whose dot does not end a sentence if a word follows, such as `см.`.
const ABBREVIATIONS: &str = include_str!("abbreviations.txt");
/// Abbreviations whose dot ends a sentence unless the next word is lowercase.
const LAST_WORDS: &str = include_str!("last_words.txt");
/// Units. After a number, their dot ends a sentence unless the next word is lowercase.
const UNITS: &str = include_str!("units.txt");
/// Marks that end a sentence.
const ENDS: [char; 4] = ['.', '!', '?', '…'];
/// Characters that still belong to the sentence if they follow such a mark.
const CLOSING: &str = "\"'»”’“)]*_";

/// Counts the sentences in a text. A sentence ends at a line break, or at such a mark at the end of a word. Exceptions
/// are marks after abbreviations and item numbers, after quoted speech, and for a pause within a sentence.
pub(super) fn sentences(text: &str) -> usize {
    text.lines().map(sentences_in_line).sum()
}

/// Whether a word is in a list of words.
fn lists(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

fn sentences_in_line(line: &str) -> usize {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut count = 0;
    let mut begun = None;
    for (at, word) in words.iter().enumerate() {
        if word.chars().any(char::is_alphanumeric) {
            begun.get_or_insert(at);
        }
        let Some(first) = begun else { continue };
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
        if ends(word, first == at, before, words.get(at + 1).copied()) {
            count += 1;
            begun = None;
        }
    }
    count + usize::from(begun.is_some())
}

/// Whether a sentence ends with `word`. `is_first` states whether it is the first word of the sentence.
fn ends(word: &str, is_first: bool, before: Option<&str>, next: Option<&str>) -> bool {
    let inner = word.trim_end_matches(|c| CLOSING.contains(c));
    let core = inner.trim_end_matches(ENDS);
    let marks = inner.strip_prefix(core).unwrap_or_default();
    let is_closed = inner.len() < word.len();
    let Some(next) = next.filter(|_| !marks.is_empty()) else {
        return !marks.is_empty();
    };
    let goes_on = next
        .chars()
        .find(|c| c.is_alphanumeric())
        .is_some_and(char::is_lowercase);
    match marks {
        "." => {
            let name = core
                .trim_start_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase();
            ends_with_a_dot(&name, is_first, before, goes_on)
        }
        // A pause: `Well... maybe`.
        marks if marks.chars().all(|c| matches!(c, '.' | '…')) => !goes_on,
        // A question or exclamation that is quoted within a sentence: «Кто?» спросил он.
        _ => !(is_closed && goes_on),
    }
}

/// Whether a sentence ends with `word` and the dot that follows it.
fn ends_with_a_dot(word: &str, is_first: bool, before: Option<&str>, goes_on: bool) -> bool {
    let is_number = |text: &str| text.chars().next_back().is_some_and(|c| c.is_ascii_digit());
    let bare = |text: &str| text.trim_end_matches(ENDS).to_lowercase();
    let is_after = |what: &dyn Fn(&str) -> bool| before.is_some_and(|before| what(&bare(before)));
    // An item number: `1. Откройте`.
    if is_first && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    let is_unit = |text: &str| lists(UNITS, text);
    if is_unit(word) && is_after(&|before| is_number(before) || is_unit(before)) {
        return !goes_on;
    }
    // `и т. д.`, written with a space.
    let is_rest = matches!(word, "д" | "п") && is_after(&|before| before == "т");
    if is_rest || lists(LAST_WORDS, word) {
        return !goes_on;
    }
    let mut characters = word.chars();
    let is_initial =
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none();
    let parts = || word.split('.');
    let is_short = parts().count() > 1
        && parts().all(|part| {
            (1..=2).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic)
        });
    !(is_initial || is_short || lists(ABBREVIATIONS, word))
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn sentences_are_counted_in_russian_and_english() {
        let examples = [
            ("", 0),
            ("  \n ", 0),
            ("!!! …", 0),
            ("👍", 0),
            ("Да", 1),
            ("Да.", 1),
            ("Да. Нет.", 2),
            ("да. нет.", 2),
            ("Как дела?! Хорошо...", 2),
            ("Как дела? хорошо", 2),
            ("Подождите… Сейчас посмотрю.", 2),
            ("Ну… хорошо.", 1),
            ("Well... maybe. Let me see.", 2),
            ("«Кто там?» спросил он. Никто не ответил.", 2),
            ("He said \"Stop!\" and left.", 1),
            ("Mr. Smith came, e.g. at 5 p.m. on Monday. Good.", 2),
            ("В т.ч. для вас, т. е. бесплатно. Берёте?", 2),
            ("Яблоки, груши и т. д. Что ещё?", 2),
            ("Яблоки и т.п. подойдут.", 1),
            ("Это стоит 5 тыс. руб. в месяц. Много?", 2),
            ("Цена 500. Берёте?", 2),
            ("Это стоит 500 руб. Берёте?", 2),
            ("А. С. Пушкин родился в г. Москва. Да.", 2),
            ("1. Откройте меню.\n2. Нажмите «Пуск».", 2),
            ("Версия 3.5. Она новее.", 2),
            ("See example.com. It helps.", 2),
            ("Первая строка\nвторая строка", 2),
            ("(Да.) Нет!", 2),
            ("Так вот :) Понятно?", 1),
        ];
        for (text, count) in examples {
            assert_eq!(sentences(text), count, "{text}");
        }
    }
}
