//! The words of headings and columns; the words themselves are data (`vocabulary.yaml`).

use std::sync::LazyLock;

use strum::{IntoStaticStr, VariantArray};

use super::plain::fold;
use crate::dialect::built_in::built_in;
use crate::limits::MAX_HEADING;
use fsmsim_syntax::document::Node;

/// What a section of a state is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum SectionTopic {
    /// What the state is for.
    Goal,
    /// When it is entered.
    Triggers,
    /// What is done in it.
    Steps,
    /// Where it leads.
    Transitions,
    /// What is done without data.
    Degradation,
}

/// What stands in a column of a table of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Column {
    /// The state that is left.
    State,
    /// What happens when it is left.
    Event,
    /// What must hold then.
    Guard,
    /// What is done: by whoever leaves it, or by the machine. It is what happens where nothing else is.
    Action,
    /// The state that is gone to.
    Next,
    /// What comes of it; the state that is gone to where no other column is.
    Outcome,
}

/// How sure a heading is one of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// It says this and nothing else.
    Exact,
    /// It is numbered, or says more. Below a section that is known, such a heading is a part of that section.
    Loose,
}

static VOCABULARY: LazyLock<Option<Node>> =
    LazyLock::new(|| built_in(include_str!("vocabulary.yaml")));

/// The words of a list of the vocabulary.
pub(super) fn words(section: &str, list: &str) -> impl Iterator<Item = &'static str> {
    let list = VOCABULARY
        .as_ref()
        .and_then(|all| all.get(section)?.get(list));
    debug_assert!(list.is_some(), "the vocabulary has such words");
    let words = list.map(Node::items).unwrap_or_default();
    words.iter().filter_map(Node::text)
}

/// The words before the name of a state in a heading.
fn state_words() -> impl Iterator<Item = &'static str> {
    words("states", "word")
}

/// The headings that are known.
fn headings() -> impl Iterator<Item = (SectionTopic, &'static str)> {
    let topics = SectionTopic::VARIANTS.iter();
    topics.flat_map(|topic| words("headings", topic.into()).map(move |word| (*topic, word)))
}

/// What a heading says a section is about.
pub(super) fn heading(text: &str) -> Option<(SectionTopic, Match)> {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit() || !c.is_alphanumeric());
    let numbered = text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let said = normal(bare);
    // Of words that begin alike the longest is meant: "переходы" and not "переход".
    let (kind, word) = headings()
        .filter(|(_, word)| begins_with_word(&said, word))
        .max_by_key(|(_, word)| word.len())?;
    let exact = said == word && !numbered;
    Some((kind, if exact { Match::Exact } else { Match::Loose }))
}

/// A heading shorter than this, in letters, is nearly many others.
const SHORTEST: usize = 5;
/// But these are nearly no other word that a heading could be.
const SHORT: [&str; 3] = ["цель", "шаги", "goal"];

/// The known heading that a heading nearly is: one letter away from it, and itself unknown.
pub(super) fn near_heading(text: &str) -> Option<(SectionTopic, &'static str)> {
    let said = normal(text);
    if heading(text).is_some() || said.len() > MAX_HEADING {
        return None;
    }
    let is_telling = |word: &str| {
        word.chars().count().min(said.chars().count()) >= SHORTEST || SHORT.contains(&word)
    };
    headings().find(|(_, word)| is_telling(word) && is_one_letter_away(&said, word))
}

/// The word before the name of a state that a heading such as `Stata: x` nearly has.
pub(super) fn near_state_heading(text: &str) -> Option<&'static str> {
    let (head, name) = text.split_once(':')?;
    let said = normal(head);
    let is_named = !name.trim().is_empty() && said.len() <= MAX_HEADING;
    state_words().find(|word| is_named && is_one_letter_away(&said, word) && said != *word)
}

/// Whether a letter more, less, or another makes one of two texts the other, or two neighbours changing places.
fn is_one_letter_away(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (
        one.get(same..).unwrap_or_default(),
        other.get(same..).unwrap_or_default(),
    );
    match (one, other) {
        ([_, rest @ ..], longer) if rest == longer => true,
        (shorter, [_, rest @ ..]) if shorter == rest => true,
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([a, b, rest @ ..], [c, d, others @ ..]) => a == d && b == c && rest == others,
        _ => false,
    }
}

/// What a column of a table holds, by its header.
pub(super) fn column(text: &str) -> Option<Column> {
    let bare = text.split(['(', ',', '/']).next().unwrap_or_default();
    let said = normal(bare);
    let mut columns = Column::VARIANTS.iter().copied();
    columns.find(|column| words("columns", column.into()).any(|word| word == said))
}

/// What stands behind the word "state" in a heading such as `State: x`; empty where nothing does.
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
        let rest = rest.trim_start();
        rest.strip_prefix([':', '—', '–', '-', '`']).map(str::trim)
    })
}

fn begins_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// A text as it is compared, and nothing but letters and digits at the ends.
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
    fn the_name_of_a_state_stands_behind_the_word() {
        assert_eq!(state_heading("Состояние: init"), Some("init"));
        assert_eq!(state_heading("STATE — init"), Some("init"));
        assert_eq!(state_heading("State:"), Some(""));
        for text in ["Состояние диалога", "States: a", "Stat", ""] {
            assert_eq!(state_heading(text), None, "{text}");
        }
    }

    #[test]
    fn a_heading_that_is_one_letter_away_is_nearly_a_known_one() {
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
        assert_eq!(column("Владелец"), None);
    }
}
