//! Operations that ask about a point: they increment counters and select a question that was not used before.

use std::sync::Arc;

use super::conditions::compared;
use super::lower::{Deed, InterviewLowering, PointPlan, always};
use super::point_draft::PointDraft;
use fsmsim_core::machine::{Comparison, OpKind, Speech, Subject, Test, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// The placeholder for the name of a point in texts.
const NAME: &str = "{{name}}";

/// The reason for asking about a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// The first question about the point.
    First,
    /// The last answer was insufficient.
    Again,
    /// The user wants to change the answer.
    Change,
}

impl Asking {
    /// The instruction for the model that phrases the question.
    fn about(self, point: &PointDraft<'_>) -> String {
        let what = match self {
            Self::First => "Ask in one or two sentences about",
            Self::Again => {
                "The last answer was not sufficient. Ask again in one or two sentences, in different words, about"
            }
            Self::Change => {
                "The user wants to change this answer. Ask in one or two sentences for the new answer"
            }
        };
        let hints = point
            .hints
            .iter()
            .fold(String::new(), |hints, hint| hints + "\n- " + hint);
        let about = if point.about.is_empty() {
            String::new()
        } else {
            format!(" — {}", point.about)
        };
        format!("{what}: {}{about}{hints}", point.name)
    }
}

impl InterviewLowering<'_> {
    /// The operations that ask about a point.
    pub(super) fn ask(&mut self, point: PointPlan<'_>, why: Asking) -> Vec<Deed> {
        // The `change` text is used only for the first change. Later changes use the repeated questions.
        let earlier = Subject::Length(point.kept.earlier);
        let changed_before = self.test(earlier, compared(Comparison::MoreThan, 1));
        let mut deeds = Vec::new();
        if why != Asking::First {
            // The counter selects the question. A dialogue can start at the point, or another answer can cover it; then
            // its first question counts as asked.
            let unasked = compared(Comparison::LessThan, 1);
            let mut unasked = self.test(Subject::Counter(point.asked), unasked);
            if why == Asking::Change {
                unasked = self.and(&[changed_before, unasked]);
            }
            deeds.push((OpKind::Recount(point.asked, 1), Some(unasked)));
        }
        let counts = [
            Some(self.questions.0),
            Some(point.asked),
            (why == Asking::Again).then_some(self.follow_ups.0),
        ];
        let counts = counts.into_iter().flatten();
        deeds.extend(always(counts.map(|counter| OpKind::Count(counter, 1))));
        let texts = self.texts_of(point.draft);
        let about = why.about(point.draft);
        let missing = (why == Asking::Again).then_some(self.brings.missing);
        let say = |text: &str| {
            OpKind::Say(Arc::new(Speech::Phrase {
                about: about.as_str().into(),
                missing,
                otherwise: Some(text.into()),
            }))
        };
        if why == Asking::First {
            deeds.extend(texts.first().map(|first| (say(first), None)));
            return deeds;
        }
        if why == Asking::Change {
            let change = self.file.texts.change.replace(NAME, point.draft.name);
            deeds.push((say(&change), Some(self.not(changed_before))));
        }
        // The counter is incremented before a question is selected, so the counter is 2 for the second question.
        for (number, text) in (1..).zip(&texts).skip(1) {
            let is_due = if number == texts.len() {
                compared(Comparison::AtLeast, number)
            } else {
                exactly(number)
            };
            let mut when = self.test(Subject::Counter(point.asked), is_due);
            if why == Asking::Change {
                when = self.and(&[changed_before, when]);
            }
            deeds.push((say(text), Some(when)));
        }
        deeds
    }

    /// The questions about a point, in order: the questions of the point, then the general questions of the interview.
    fn texts_of(&self, point: &PointDraft<'_>) -> Vec<String> {
        let own = point.questions.iter().map(|text| (*text).to_owned());
        let first = self.file.texts.ask.replace(NAME, point.name);
        let first = point.questions.is_empty().then_some(first);
        let again = self
            .file
            .texts
            .again
            .iter()
            .map(|text| text.replace(NAME, point.name));
        first.into_iter().chain(own).chain(again).collect()
    }

    /// Warns about questions that could be repeated literally if no model phrases them.
    pub(super) fn check_questions(&self, found: &mut Diagnostics) {
        let mut all: Vec<(String, &PointDraft<'_>)> = Vec::new();
        for point in &self.file.points {
            let texts = self.texts_of(point);
            let least = usize::try_from(self.file.follow_ups)
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            if texts.len() < least.min(usize::try_from(self.file.questions).unwrap_or(usize::MAX)) {
                Diagnostic::warning(Code::SameQuestion, format!(
                    "point `{}` needs {least} questions, but has {}",
                    point.id,
                    texts.len()
                ))
                    .at(point.span, "too few questions")
                    .help("add questions to `questions` of the point or to `again` of the texts, or lower `limits: {follow_ups}`")
                    .add_to(found);
            }
            for text in texts {
                if let Some((_, other)) = all.iter().find(|(known, _)| *known == text) {
                    Diagnostic::warning(
                        Code::SameQuestion,
                        format!(
                            "points `{}` and `{}` have the same question",
                            other.id, point.id
                        ),
                    )
                    .at(point.span, "second use")
                    .note(format!("question: {text}"))
                    .help("rephrase one of the questions")
                    .add_to(found);
                }
                all.push((text, point));
            }
        }
    }
}

fn exactly(number: usize) -> Test {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    Test::Is([Value::Int(number)].into())
}
