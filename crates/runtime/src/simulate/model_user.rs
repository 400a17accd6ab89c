//! A simulated user that a model plays.

use super::end_cause::EndReason;
use super::persona::Persona;
use super::user::{User, UserTurn};
use crate::runtime::DialogueRunner;
use fsmsim_adapters::llm::{AnswererConfig, DialogueKey, NoAnswerer, Speaker, Task, Utterance};
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::Diagnostics;

/// A simulated user that a model plays. The prompt contains the persona, its goal and the history. The answer is an
/// utterance, recognized like any other.
pub(super) struct ModelUser<'u> {
    persona: &'u Persona,
    answerers: &'u AnswererConfig,
    seed: u64,
    history: Vec<Utterance>,
    turn: ScriptedTurn,
    /// The number of turns so far.
    turns: u32,
}

impl<'u> ModelUser<'u> {
    /// Creates a user with this persona that calls these providers.
    pub(super) fn new(persona: &'u Persona, answerers: &'u AnswererConfig, seed: u64) -> Self {
        Self {
            persona,
            answerers,
            seed,
            history: Vec::new(),
            turn: ScriptedTurn::default(),
            turns: 0,
        }
    }

    /// Adds the last action of the assistant to the history.
    fn hear(&mut self, runner: &DialogueRunner) {
        let view = runner.view(&self.turn);
        let goal = view
            .machine
            .state(view.session.position.state)
            .goal
            .as_deref()
            .unwrap_or_default();
        let [action, state] = [RecordField::Action, RecordField::State]
            .map(|field| field.text(&view).unwrap_or_default());
        let text = format!("({action}; {state}: {goal})");
        self.history.push(Utterance {
            by: Speaker::Assistant,
            text: text.into(),
        });
    }
}

impl User for ModelUser<'_> {
    const READS_RECORDS: bool = true;

    fn begin(&mut self, number: u64, runner: &mut DialogueRunner) {
        let key = DialogueKey {
            seed: self.seed,
            dialogue: &self.persona.name.text,
            number,
            cassette: None,
        };
        runner.ask_from_now(self.answerers.answerer(&key));
        self.history.clear();
        self.turns = 0;
    }

    fn end(&mut self, runner: &mut DialogueRunner) -> Diagnostics {
        let mut found = Diagnostics::default();
        runner
            .replace_answerer(Box::new(NoAnswerer))
            .finish(&mut found);
        found
    }

    fn next(&mut self, runner: &mut DialogueRunner) -> UserTurn<'_> {
        if self
            .persona
            .patience
            .is_some_and(|patience| self.turns >= patience)
        {
            return UserTurn::Abandoned(EndReason::Patience);
        }
        if self.turns > 0 {
            self.hear(runner);
        }
        let task = self.persona.task(&self.history);
        let Some(answer) = runner.ask(Task::PlayUser(task)) else {
            return UserTurn::Unanswered;
        };
        let Some(say) = answer.get("say").and_then(Value::as_text) else {
            return UserTurn::Unanswered;
        };
        self.turns += 1;
        self.history.push(Utterance {
            by: Speaker::User,
            text: say.into(),
        });
        self.turn.input.say = Some(say.into());
        let leaves =
            (answer.get("leaves") == Some(&Value::Bool(true))).then_some(EndReason::GaveUp);
        UserTurn::Turn {
            scripted: &self.turn,
            leaves,
            meant: None,
        }
    }
}
