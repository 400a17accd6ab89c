//! The texts of an interview: from its file, or the default texts for its language (`texts.yaml`).

use std::sync::LazyLock;

use crate::dialect::built_in::built_in;
use fsmsim_core::engine::policy::inquiry::QuestionnaireWords;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Fields, Node};
use fsmsim_syntax::shapes;
use strum::{IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Language {
    #[default]
    En,
    Ru,
}

/// The texts of an interview. `{{name}}` is a placeholder for the name of a point.
pub(super) struct InterviewTexts<'n> {
    pub greeting: Vec<&'n str>,
    /// The first question about a point that defines no questions.
    pub ask: &'n str,
    /// Questions for a point that was already asked, in order.
    pub again: Vec<&'n str>,
    /// The question about a point that the user wants to change.
    pub change: &'n str,
    /// The texts before and after the summary of the answers.
    pub summary: &'n str,
    pub confirm: &'n str,
    /// The reply if the user rejects the summary and no change is recognized.
    pub unclear: &'n str,
    pub agree: Vec<&'n str>,
    pub disagree: Vec<&'n str>,
    pub closing: Vec<&'n str>,
    /// The reply to a timeout.
    pub waiting: Vec<&'n str>,
    /// The words that the completed questionnaire uses.
    pub words: QuestionnaireWords,
}

/// The default texts, by language.
static DEFAULTS: LazyLock<Option<Node>> = LazyLock::new(|| built_in(include_str!("texts.yaml")));

/// Looks up a text in the file, then in the default texts.
struct TextReader<'n, 'd> {
    own: Option<Fields<'n, 'd>>,
    defaults: Option<&'static Node>,
}

impl<'n> InterviewTexts<'n> {
    pub(super) fn read(own: Option<&'n Node>, language: Language, found: &mut Diagnostics) -> Self {
        let defaults = DEFAULTS.as_ref().and_then(|all| all.get(language.into()));
        let word = |key| text_under(defaults.and_then(|defaults| defaults.get("words")), key);
        let own = own.and_then(|node| Fields::of(node, &shapes::INTERVIEW_TEXTS, found));
        let mut reader = TextReader { own, defaults };
        let texts = Self {
            greeting: reader.texts("greeting"),
            ask: reader.text("ask"),
            again: reader.texts("again"),
            change: reader.text("change"),
            summary: reader.text("summary"),
            confirm: reader.text("confirm"),
            unclear: reader.text("unclear"),
            agree: reader.texts("agree"),
            disagree: reader.texts("disagree"),
            closing: reader.texts("closing"),
            waiting: reader.texts("waiting"),
            words: QuestionnaireWords {
                unanswered: word("unanswered"),
                partial: word("partial"),
                passed_over: word("passed_over"),
                complete: word("complete"),
                missing: word("missing"),
                untimed: word("untimed"),
            },
        };
        if let Some(own) = reader.own {
            own.finish();
        }
        texts
    }
}

impl<'n> TextReader<'n, '_> {
    fn text(&mut self, key: &'static str) -> &'n str {
        self.own
            .as_mut()
            .and_then(|own| own.text(key))
            .unwrap_or_else(|| text_under(self.defaults, key))
    }

    fn texts(&mut self, key: &'static str) -> Vec<&'n str> {
        if let Some(own) = &mut self.own
            && own.node(key).is_some()
        {
            return own.texts(key);
        }
        self.defaults
            .and_then(|defaults| defaults.get(key))
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .collect()
    }
}

fn text_under(node: Option<&'static Node>, key: &str) -> &'static str {
    node.and_then(|node| node.get(key)?.text())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_texts() {
        for language in Language::VARIANTS {
            let texts = InterviewTexts::read(None, *language, &mut Diagnostics::default());
            assert_eq!(texts.again.len(), 5, "{language:?}");
            let lists = [texts.greeting, texts.agree, texts.disagree, texts.closing];
            assert!(lists.iter().all(|list| !list.is_empty()), "{language:?}");
            let words = texts.words;
            let single = [
                texts.ask,
                texts.change,
                texts.summary,
                texts.confirm,
                texts.unclear,
                words.unanswered,
                words.partial,
                words.passed_over,
                words.complete,
                words.missing,
                words.untimed,
            ];
            assert!(single.iter().all(|text| !text.is_empty()), "{language:?}");
        }
    }
}
