//! What an interview says, unless its file says it otherwise: one table a language.

use fsmsim_core::engine::policy::inquiry::AnketaWords;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The language of an interview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Language {
    /// English.
    #[default]
    En,
    /// Russian.
    Ru,
}

/// What an interview says where its file does not say it. `{{name}}` stands for the name of a point.
pub(super) struct UsualTexts {
    pub(super) greeting: &'static [&'static str],
    /// The first question about a point that has none.
    pub(super) ask: &'static str,
    /// Questions for a point that was asked already, in their order.
    pub(super) again: &'static [&'static str],
    /// The question about a point that is to be changed.
    pub(super) change: &'static str,
    /// Before what is known, and behind it.
    pub(super) summary: &'static str,
    pub(super) confirm: &'static str,
    /// The user does not agree, and nobody knows what is to be changed.
    pub(super) unclear: &'static str,
    pub(super) agree: &'static [&'static str],
    pub(super) disagree: &'static [&'static str],
    pub(super) closing: &'static [&'static str],
    pub(super) words: AnketaWords,
}

impl Language {
    pub(super) fn texts(self) -> UsualTexts {
        match self {
            Self::En => UsualTexts {
                greeting: &["Hello! I will ask you some questions and write down what you answer."],
                ask: "Please tell me: {{name}}.",
                again: &[
                    "Could you say more about this: {{name}}?",
                    "One more thing about this: {{name}}. What is still missing?",
                    "Please give an example: {{name}}.",
                    "How would you explain it to somebody new: {{name}}?",
                    "What else matters here: {{name}}?",
                ],
                change: "How should it be: {{name}}?",
                summary: "This is what I have written down.",
                confirm: "Is everything right? Is there anything to add?",
                unclear: "What should be changed? Please name it.",
                agree: &["yes", "right", "correct", "ok", "okay", "fine", "agree"],
                disagree: &["no", "not", "wrong", "but", "change"],
                closing: &["Thank you! That was all."],
                words: AnketaWords {
                    unanswered: "no answer",
                    partial: "not complete",
                    passed_over: "passed over, since this is not complete",
                    complete: "complete",
                    missing: "missing",
                },
            },
            Self::Ru => UsualTexts {
                greeting: &["Здравствуйте! Я задам несколько вопросов и запишу ваши ответы."],
                ask: "Расскажите, пожалуйста: {{name}}.",
                again: &[
                    "Расскажите подробнее: {{name}}.",
                    "Уточните, пожалуйста: {{name}}. Чего ещё не хватает?",
                    "Приведите, пожалуйста, пример: {{name}}.",
                    "Как бы вы объяснили это новому человеку: {{name}}?",
                    "Что здесь ещё важно: {{name}}?",
                ],
                change: "Как правильно: {{name}}?",
                summary: "Вот что я записал.",
                confirm: "Всё верно? Что-то добавить?",
                unclear: "Что нужно исправить? Назовите, пожалуйста.",
                agree: &[
                    "да",
                    "верно",
                    "правильно",
                    "согласен",
                    "согласна",
                    "хорошо",
                    "ок",
                    "ага",
                ],
                disagree: &["нет", "не", "неверно", "неправильно", "но", "исправить"],
                closing: &["Спасибо! Это всё."],
                words: AnketaWords {
                    unanswered: "нет ответа",
                    partial: "ответ неполный",
                    passed_over: "пропущено, так как неполно",
                    complete: "полностью",
                    missing: "не хватает",
                },
            },
        }
    }
}
