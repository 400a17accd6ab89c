//! The clarification state of a dialogue.

use std::sync::Arc;

use crate::machine::{StateId, Stems, Value};

/// The clarification state of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clarification {
    /// Whether the last turn asked for clarification.
    pub open: bool,
    /// The number of turns since the last clarification; 999 if there was none.
    pub turns_since: u32,
    /// The state in which the question was asked.
    pub state: Option<StateId>,
    pub asked: Option<Arc<OpenQuestion>>,
}

/// An open clarification question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OpenQuestion {
    /// The intents that the user can choose from.
    pub options: Arc<[Value]>,
    /// The state in which the question was asked.
    pub state: Option<StateId>,
    /// The slot values of the utterance, as a map.
    pub data: Value,
    /// The number of attempts.
    pub attempt: i64,
}

impl Default for Clarification {
    fn default() -> Self {
        Self {
            open: false,
            turns_since: NEVER,
            state: None,
            asked: None,
        }
    }
}

/// The option "none of these".
pub(crate) const OTHER: &str = "other";

impl OpenQuestion {
    /// The intent that an utterance chooses: by the number, the name or the label of an option, or with "yes" or "no" if
    /// one intent is offered. Case, punctuation and white space do not matter.
    pub(crate) fn chosen(&self, say: &str) -> Option<&str> {
        let said = folded(say);
        let is_said = |text: &str| folded(text) == said;
        let number: Option<usize> = said.parse().ok();
        let mut options = self.options.iter();
        let named = options.find(|option| {
            let mut texts = ["intent", "label"]
                .into_iter()
                .filter_map(|key| option.get(key));
            texts.any(|text| text.as_text().is_some_and(is_said))
        });
        let option = named.or_else(|| self.options.get(number?.checked_sub(1)?));
        if let Some(intent) = option.and_then(intent_of) {
            return Some(intent);
        }
        let offered = self.options.iter().filter_map(intent_of);
        let mut offered = offered.filter(|name| *name != OTHER);
        let only = offered.next().filter(|_| offered.next().is_none());
        match (said.as_str(), only) {
            ("yes" | "да", Some(_)) => only,
            ("no" | "нет", Some(_)) | ("other" | "другое", _) => Some(OTHER),
            _ => None,
        }
    }
}

fn intent_of(option: &Value) -> Option<&str> {
    option.get("intent")?.as_text()
}

/// A text in lowercase with `е` for `ё`, without punctuation and white space.
fn folded(text: &str) -> String {
    let words = Stems::default().words(text).into_iter();
    words.map(|(word, _)| word).collect()
}

/// The number of turns since an event that never happened.
pub(crate) const NEVER: u32 = 999;

impl Clarification {
    /// Starts a turn: any input answers the open question.
    pub(crate) fn pass_turn(&mut self) {
        self.turns_since = if self.open {
            0
        } else {
            NEVER.min(self.turns_since + 1)
        };
        self.open = false;
        self.state = None;
        self.asked = None;
    }
}
