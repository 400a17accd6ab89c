//! Recognition of headings and columns. The words are data (`vocabulary.yaml`).

use std::sync::LazyLock;

use strum::{IntoStaticStr, VariantArray};

use super::plain::fold;
use crate::dialect::built_in::built_in;
use crate::limits::MAX_HEADING;
use fsmsim_syntax::document::Node;

/// The topic of a state section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum SectionTopic {
    Goal,
    Triggers,
    Steps,
    Transitions,
    /// The behavior without data.
    Degradation,
}

/// The content of a column in a transition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Column {
    /// The source state.
    State,
    Event,
    Guard,
    /// The action of the user or the machine. It is used as the event if no other column contains events.
    Action,
    /// The target state.
    Next,
    /// The outcome. It is used as the target if no other column contains targets.
    Outcome,
    /// A step, a screen or similar: the source state if another column contains the next ones.
    Stage,
    /// Another property of states, such as a description or the parents.
    Other,
}

/// The quality of a heading match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// The heading consists of the known words.
    Exact,
    /// The heading is numbered or contains more words. Inside a known section, such a heading belongs to that section.
    Loose,
}

static VOCABULARY: LazyLock<Option<Node>> =
    LazyLock::new(|| built_in(include_str!("vocabulary.yaml")));

/// The words in a list of the vocabulary.
pub(super) fn words(section: &str, list: &str) -> impl Iterator<Item = &'static str> {
    let list = VOCABULARY
        .as_ref()
        .and_then(|all| all.get(section)?.get(list));
    debug_assert!(list.is_some(), "unknown list of the vocabulary");
    list.map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::text)
}

/// The words before the name of a state in a heading.
fn state_words() -> impl Iterator<Item = &'static str> {
    words("states", "word")
}

/// The known headings.
fn headings() -> impl Iterator<Item = (SectionTopic, &'static str)> {
    SectionTopic::VARIANTS
        .iter()
        .flat_map(|topic| words("headings", topic.into()).map(move |word| (*topic, word)))
}

/// The topic of a section by its heading.
pub(super) fn heading(text: &str) -> Option<(SectionTopic, Match)> {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit() || !c.is_alphanumeric());
    let numbered = text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let normalized = normal(bare);
    // The longest match counts: "переходы" rather than "переход".
    let (kind, word) = headings()
        .filter(|(_, word)| starts_with_word(&normalized, word))
        .max_by_key(|(_, word)| word.len())?;
    let exact = normalized == word && !numbered;
    Some((kind, if exact { Match::Exact } else { Match::Loose }))
}

/// The minimum length, in characters, of a heading that is compared with known headings. Shorter headings are similar
/// to many words.
const MIN_LENGTH: usize = 5;
/// Short headings that are compared nevertheless, because they are not similar to other possible headings.
const DISTINCT_SHORT: [&str; 3] = ["цель", "шаги", "goal"];

/// The known heading that differs from an unknown heading by a single edit.
pub(super) fn near_heading(text: &str) -> Option<(SectionTopic, &'static str)> {
    let normalized = normal(text);
    if heading(text).is_some() || normalized.len() > MAX_HEADING {
        return None;
    }
    let is_distinct = |word: &str| {
        word.chars().count().min(normalized.chars().count()) >= MIN_LENGTH
            || DISTINCT_SHORT.contains(&word)
    };
    headings().find(|(_, word)| is_distinct(word) && differs_by_one_edit(&normalized, word))
}

/// The correct spelling of the word for "state" in a heading with a typo, such as `Stata: x`.
pub(super) fn near_state_heading(text: &str) -> Option<&'static str> {
    let (head, name) = text.split_once(':')?;
    let normalized = normal(head);
    let is_named = !name.trim().is_empty() && normalized.len() <= MAX_HEADING;
    state_words()
        .find(|word| is_named && differs_by_one_edit(&normalized, word) && normalized != *word)
}

/// Whether two texts differ by one inserted, removed, replaced or swapped character.
fn differs_by_one_edit(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let one = one.get(same..).unwrap_or_default();
    let other = other.get(same..).unwrap_or_default();
    match (one, other) {
        ([_, rest @ ..], longer) if rest == longer => true,
        (shorter, [_, rest @ ..]) if shorter == rest => true,
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([a, b, rest @ ..], [c, d, others @ ..]) => a == d && b == c && rest == others,
        _ => false,
    }
}

/// The content of a column by its header.
pub(super) fn column(text: &str) -> Option<Column> {
    let bare = text.split(['(', ',', '/']).next().unwrap_or_default();
    let normalized = normal(bare);
    Column::VARIANTS
        .iter()
        .copied()
        .find(|column| words("columns", column.into()).any(|word| word == normalized))
        .or_else(|| column_by_words(&normalized))
}

/// The content of a column whose header combines a word for a state with others, as in `allowed next stages`.
fn column_by_words(header: &str) -> Option<Column> {
    let is = |word: &str, list: &str| is_form(word, "header_words", list);
    let lists = ["noun", "stage", "transition", "next", "source"];
    let mut words = header.split_whitespace();
    let has = |list: &str| header.split_whitespace().any(|word| is(word, list));
    if !words.all(|word| lists.iter().any(|list| is(word, list))) {
        return None;
    }
    let (is_next, is_source) = (has("next") || has("transition"), has("source"));
    if is_next == is_source || !(has("noun") || has("stage") || has("transition")) {
        None
    } else if is_next {
        Some(Column::Next)
    } else {
        Some(Column::State)
    }
}

/// Whether a word is in a list of the vocabulary. English words must match completely; Russian words can have endings.
pub(super) fn is_form(word: &str, section: &str, list: &str) -> bool {
    words(section, list).any(|known| {
        if known.is_ascii() || known.chars().count() < 3 {
            word == known
        } else {
            word.starts_with(known)
        }
    })
}

/// The maximum number of words in a heading that announces transitions and does not start with a known word.
const MAX_WORDS: usize = 5;

/// Whether the text up to a colon or period names transitions (`Key transitions`), transitions that do not exist
/// (`Invalid transitions`), and states.
pub(super) fn names_transitions(text: &str) -> (bool, bool, bool) {
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let head = normal(text.split([':', '.']).next().unwrap_or_default());
    let head: Vec<&str> = head.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |list: &str| head.iter().any(|word| is_form(word, "header_words", list));
    let is_named = head.len() <= MAX_WORDS && has("transition");
    (is_named, is_named && has("not"), has("noun"))
}

/// The text after the word "state" in a heading such as `State: x`; can be empty.
pub(super) fn state_heading(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    state_words().find_map(|word| {
        let length: usize = text
            .chars()
            .take(word.chars().count())
            .map(char::len_utf8)
            .sum();
        let (head, rest) = text.split_at_checked(length)?;
        if normal(head) != word {
            return None;
        }
        rest.trim_start()
            .strip_prefix([':', '—', '–', '-', '`'])
            .map(str::trim)
    })
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Normalizes a text and removes punctuation at both ends.
fn normal(text: &str) -> String {
    fold(text)
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_known_in_both_languages() {
        for (text, kind, how) in [
            ("Цель", SectionTopic::Goal, Match::Exact),
            ("**GOAL:**", SectionTopic::Goal, Match::Exact),
            ("Триггеры  входа", SectionTopic::Triggers, Match::Exact),
            ("🎯 Цель состояния", SectionTopic::Goal, Match::Exact),
            ("2. Шаги", SectionTopic::Steps, Match::Loose),
            (
                "Переходы (условие → состояние)",
                SectionTopic::Transitions,
                Match::Loose,
            ),
            ("Degradation", SectionTopic::Degradation, Match::Exact),
        ] {
            assert_eq!(heading(text), Some((kind, how)), "{text}");
        }
        for text in ["Примечания", "Целевая аудитория", "Nextcloud", ""] {
            assert_eq!(heading(text), None, "{text}");
        }
    }

    #[test]
    fn headings_name_transitions_and_those_that_do_not_exist() {
        for (text, expected) in [
            ("Ключевые переходы", (true, false, false)),
            ("State transitions", (true, false, true)),
            ("Недопустимые переходы", (true, true, false)),
            ("Invalid transitions: a → b", (true, true, false)),
            ("Статусы заявки", (false, false, true)),
            ("Notes", (false, false, false)),
        ] {
            assert_eq!(names_transitions(text), expected, "{text}");
        }
    }

    #[test]
    fn the_name_of_a_state_follows_the_word() {
        assert_eq!(state_heading("Состояние: init"), Some("init"));
        assert_eq!(state_heading("STATE — init"), Some("init"));
        assert_eq!(state_heading("State:"), Some(""));
        for text in ["Состояние диалога", "States: a", "Stat", ""] {
            assert_eq!(state_heading(text), None, "{text}");
        }
    }

    #[test]
    fn a_heading_with_one_typo_is_similar_to_a_known_one() {
        for (text, near) in [
            ("Шаxи", "шаги"),
            ("Цлеь", "цель"),
            ("Gaol", "goal"),
            ("Transitons", "transitions"),
        ] {
            assert_eq!(
                near_heading(text).map(|(_, word)| word),
                Some(near),
                "{text}"
            );
        }
        for text in ["Text", "Вид", "Goals", "Шаг за шагом"] {
            assert_eq!(near_heading(text), None, "{text}");
        }
        assert_eq!(near_state_heading("Состxяние: init"), Some("состояние"));
        assert_eq!(near_state_heading("Stat: init"), Some("state"));
        for text in ["Состояние: init", "Status: init", "State", "Стейк"] {
            assert_eq!(near_state_heading(text), None, "{text}");
        }
    }

    #[test]
    fn columns_are_known_in_both_languages() {
        assert_eq!(column("Следующее состояние"), Some(Column::Next));
        assert_eq!(column(" **Condition** (text)"), Some(Column::Guard));
        assert_eq!(column("Откуда"), Some(Column::State));
        assert_eq!(column("Результат"), Some(Column::Outcome));
        assert_eq!(column("Разрешённые следующие статусы"), Some(Column::Next));
        assert_eq!(column("Can transition to"), Some(Column::Next));
        assert_eq!(column("От состояния"), Some(Column::State));
        assert_eq!(column("Этап"), Some(Column::Stage));
        for text in ["Владелец", "States", "Transition from", "Описание статуса"]
        {
            assert_eq!(column(text), None, "{text}");
        }
    }
}
