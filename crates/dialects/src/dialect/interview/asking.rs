//! What asking about a point does: it counts, and says a question in words that were not said before.

use std::sync::Arc;

use super::lower::InterviewLowering;
use super::point_draft::PointDraft;
use fsmsim_core::machine::{
    Bound, Comparison, ConditionId, Float, Op, OpKind, RuleId, Speech, Subject, Test, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// What stands for the name of a point in a text.
const NAME: &str = "{{name}}";

/// Why a point is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// For the first time.
    First,
    /// Since the last answer was not enough.
    Again,
    /// Since its answer is to be changed.
    Change,
}

impl Asking {
    /// What is to be said, for whoever finds the words.
    fn about(self, point: &PointDraft<'_>) -> String {
        let what = match self {
            Self::First => "Ask in one or two sentences about",
            Self::Again => {
                "The last answer was not enough. Ask again, in one or two sentences and in other words than before, about"
            }
            Self::Change => {
                "The user wants to change this answer. Ask in one or two sentences how it should be"
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
    /// What asking about a point does.
    pub(super) fn ask_ops(&mut self, place: usize, why: Asking, rule: RuleId) -> Vec<Op> {
        let Some((plan, draft)) = self.points.get(place).zip(self.file.points.get(place)) else {
            return Vec::new();
        };
        let (asked, earlier) = (plan.asked, plan.kept.earlier);
        let counts = [
            Some(self.questions.0),
            Some(asked),
            (why == Asking::Again).then_some(self.follow_ups.0),
        ];
        let counts = counts
            .into_iter()
            .flatten()
            .map(|counter| OpKind::Count(counter, 1));
        let mut ops: Vec<Op> = counts
            .map(|kind| Op {
                kind,
                when: None,
                rule,
            })
            .collect();
        let texts = self.texts_of(draft);
        let about = why.about(draft);
        let missing = (why == Asking::Again).then_some(self.brings.missing);
        let mut say = |text: &str, when| {
            let speech = Speech::Phrase {
                about: about.as_str().into(),
                missing,
                otherwise: Some(text.into()),
            };
            ops.push(Op {
                kind: OpKind::Say(Arc::new(speech)),
                when,
                rule,
            });
        };
        if why == Asking::First {
            if let Some(first) = texts.first() {
                say(first, None);
            }
            return ops;
        }
        // The text of a change is said once; then it is asked as often before.
        let anew = self.test(Subject::Length(earlier), compared(Comparison::MoreThan, 1));
        if why == Asking::Change {
            let change = self.file.texts.change.replace(NAME, draft.name);
            let once = self.not(anew);
            say(&change, Some(once));
        }
        // Asking is counted before anything is said: what asks for the second time says the second text.
        for (number, text) in (1..).zip(&texts).skip(1) {
            let is_last = number == texts.len();
            let comparison = if is_last {
                compared(Comparison::AtLeast, number)
            } else {
                exactly(number)
            };
            let mut when: ConditionId = self.test(Subject::Counter(asked), comparison);
            if why == Asking::Change {
                when = self.and(&[anew, when]);
            }
            say(text, Some(when));
        }
        ops
    }

    /// The questions about a point, in the order in which they are asked: its own, then those of the interview.
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

    /// Finds questions that would be asked twice in the same words, where no model phrases them.
    pub(super) fn check_questions(&self, found: &mut Diagnostics) {
        let mut all: Vec<(String, &PointDraft<'_>)> = Vec::new();
        for point in &self.file.points {
            let texts = self.texts_of(point);
            let least = usize::try_from(self.file.follow_ups)
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            if texts.len() < least.min(usize::try_from(self.file.questions).unwrap_or(usize::MAX)) {
                let title = format!(
                    "`{}` may be asked {least} times, and there are {} questions for it",
                    point.id,
                    texts.len()
                );
                Diagnostic::warning(Code::SameQuestion, title)
                    .at(point.span, "too few questions")
                    .help("add some under `questions` of the point or `again` of the texts, or lower `limits: {follow_ups}`")
                    .add_to(found);
            }
            for text in texts {
                if let Some((_, other)) = all.iter().find(|(known, _)| *known == text) {
                    let title = format!(
                        "`{}` and `{}` have a question in the same words",
                        other.id, point.id
                    );
                    Diagnostic::warning(Code::SameQuestion, title)
                        .at(point.span, "this point")
                        .note(format!("the question is: {text}"))
                        .help("ask about them in different words")
                        .add_to(found);
                }
                all.push((text, point));
            }
        }
    }
}

pub(super) fn compared(comparison: Comparison, number: usize) -> Test {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    Test::Compare(comparison, Bound::Number(Float::new(number.into())))
}

fn exactly(number: usize) -> Test {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    Test::Is([Value::Int(number)].into())
}
