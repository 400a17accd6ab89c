//! Combines the provider of a dialogue with a judge.

use serde_json::{Value as Json, json};

use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::dialogue_key::DialogueKey;
use super::kind::TaskKind;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Sends judge requests to one provider, and all other requests to another.
pub(super) struct JudgedAnswerer {
    pub dialogue: Box<dyn Answerer>,
    pub judge: Box<dyn Answerer>,
}

/// The keys of the saved states.
const KEYS: [&str; 2] = ["dialogue", "judge"];

impl Answerer for JudgedAnswerer {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        let asked = if request.task.kind() == TaskKind::Judge {
            &mut self.judge
        } else {
            &mut self.dialogue
        };
        asked.answer(request, failed)
    }

    fn is_there(&self) -> bool {
        self.dialogue.is_there()
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        self.dialogue.rewind(key);
        self.judge.rewind(key);
    }

    fn memory(&self) -> Json {
        let [dialogue, judge] = KEYS;
        json!({dialogue: self.dialogue.memory(), judge: self.judge.memory()})
    }

    fn recall(&mut self, memory: &Json) {
        for (key, answerer) in KEYS.into_iter().zip([&mut self.dialogue, &mut self.judge]) {
            answerer.recall(memory.get(key).unwrap_or(&Json::Null));
        }
    }

    fn break_off(&mut self) {
        self.dialogue.break_off();
        self.judge.break_off();
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        self.dialogue.finish(found);
        self.judge.finish(found);
    }
}
