//! Support for editors: the meaning of a position in unfinished Markdown states.

use super::moves::Columns;
use super::plain::ARROWS;
use super::words::{SectionTopic, heading};
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{MarkdownTable, Prose};

/// The headings of states in English and in Russian.
pub const KNOWN_HEADINGS: [(&str, &str); 6] = [
    ("State: ", "Состояние: "),
    ("Goal", "Цель"),
    ("Entry triggers", "Триггеры входа"),
    ("Steps", "Шаги"),
    ("Transitions", "Переходы"),
    ("Degradation", "Деградация"),
];

/// The column with the next states in a table below *Transitions*. `header` contains the header cells.
pub fn target_column(header: &[&str]) -> Option<usize> {
    // The unfinished text is not in a file.
    let span = Span::NOWHERE;
    let cell = |text: &&str| Prose {
        text: (*text).into(),
        codes: Vec::new(),
        span,
    };
    let table = MarkdownTable {
        header: header.iter().map(cell).collect(),
        rows: Vec::new(),
        span,
    };
    Columns::of_one_state(&table).next
}

/// Whether a text ends with an arrow.
pub fn is_after_arrow(text: &str) -> bool {
    ARROWS.iter().any(|arrow| text.ends_with(arrow))
}

/// Whether the position after a text belongs to a section with transitions.
pub fn is_in_transitions(above: &str) -> bool {
    let mut inner = usize::MAX;
    for line in above.lines().rev() {
        let level = line.len() - line.trim_start_matches('#').len();
        let title = line.get(level..).filter(|title| title.starts_with(' '));
        let Some(title) = title.filter(|_| (1..=6).contains(&level) && level < inner) else {
            continue;
        };
        if let Some((topic, _)) = heading(title.trim()) {
            return topic == SectionTopic::Transitions;
        }
        inner = level;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::words::state_heading;
    use super::*;

    #[test]
    fn offered_headings_are_known() {
        let [states, sections @ ..] = KNOWN_HEADINGS;
        assert!(
            [states.0, states.1]
                .iter()
                .all(|title| state_heading(title).is_some())
        );
        for (english, russian) in sections {
            assert!(
                heading(english).is_some() && heading(english) == heading(russian),
                "{english}"
            );
        }
    }

    #[test]
    fn the_header_determines_the_target_column() {
        assert_eq!(target_column(&["Condition", "Next state"]), Some(1));
        assert_eq!(target_column(&["Куда", "Условие"]), Some(0));
        assert_eq!(target_column(&["Owner", "Date", "Time"]), None);
    }
}
