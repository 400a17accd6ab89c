//! What was asked: a question is short, and none is asked twice in the same words.

use crate::machine::{List, Value};

/// What is wrong with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BrokenQuestion {
    /// It was asked before, word for word.
    Repeated,
    /// It has so many sentences.
    TooLong(u32),
}

pub(super) const MOST_SENTENCES: u32 = 2;

/// Adds a question to those that were asked. What is wrong with it.
pub(super) fn ask(question: &str, asked: &mut List) -> Vec<BrokenQuestion> {
    let mut broken = Vec::new();
    let sentences = sentences(question);
    if sentences > MOST_SENTENCES {
        broken.push(BrokenQuestion::TooLong(sentences));
    }
    let question = Value::text(question.trim());
    if asked.contains(&question) {
        broken.push(BrokenQuestion::Repeated);
    } else {
        asked.push(question);
    }
    broken
}

/// The sentences of a text: what ends in marks before a blank or the end, and what stands behind the last of them.
fn sentences(text: &str) -> u32 {
    let (mut count, mut open, mut marked) = (0, false, false);
    for letter in text.chars() {
        let is_mark = matches!(letter, '.' | '!' | '?' | '…');
        if letter.is_whitespace() && marked {
            count += u32::from(open);
            (open, marked) = (false, false);
        } else if is_mark {
            marked = true;
        } else if !letter.is_whitespace() {
            open |= letter.is_alphanumeric();
            marked &= !letter.is_alphanumeric();
        }
    }
    count + u32::from(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_in_marks() {
        let counted = [
            "",
            "Как?",
            "Отлично! А какой бюджет?",
            "Ну... 3.5 млн — это много?! Да. Нет",
            "«Да?» — спросил он.",
        ];
        assert_eq!(counted.map(sentences), [0, 1, 2, 4, 2]);
    }

    #[test]
    fn a_question_is_asked_once() {
        let mut asked = List::default();
        assert_eq!(ask("Кто вы?", &mut asked), []);
        assert_eq!(ask("Кто вы? ", &mut asked), [BrokenQuestion::Repeated]);
        assert_eq!(
            ask("Раз. Два. Три.", &mut asked),
            [BrokenQuestion::TooLong(3)]
        );
        assert_eq!(asked.len(), 2);
    }
}
