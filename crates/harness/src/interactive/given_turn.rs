//! Turns that a program provides as an object or as a line.

use serde_json::{Map, Value as Json};

use super::interactive_dialogue::InteractiveDialogue;
use super::json_turn::turn_of;
use super::line::{InputLine, unknown};
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

impl InteractiveDialogue {
    /// Parses a line as a turn.
    pub fn turn_typed(&self, line: &str) -> Checked<ScriptedTurn> {
        match self.read(line).map_err(|why| refusal(why, ""))? {
            InputLine::Turn(turn) => Ok(*turn),
            InputLine::Empty => Err(refusal(
                "the input is empty".to_owned(),
                "write an utterance, or choose an intent",
            )),
            InputLine::Command(name, _) => Err(refusal(
                format!("the command `:{name}` works only in `fsmsim run`"),
                "",
            )),
        }
    }

    /// Parses a map as a turn. Also returns the line that a user would type for the turn.
    ///
    /// # Errors
    /// Returns a finding if the map is not a turn, or if it names an unknown intent.
    pub fn turn_given(&self, turn: &Map<String, Json>) -> Checked<(String, ScriptedTurn)> {
        let machine = self.dialogue().machine();
        // A recognizer reads a plain utterance. Without a recognizer, the utterance may be the name of an intent.
        if let (1, Some(say)) = (turn.len(), turn.get("say").and_then(Json::as_str))
            && !self.recognizes()
            && !AcceptedInputs::of(machine).phrases
        {
            return match self.read(say).map_err(|why| refusal(why, ""))? {
                InputLine::Turn(turn) => Ok((say.to_owned(), *turn)),
                InputLine::Empty | InputLine::Command(..) => Err(refusal(
                    "no recognizer is configured".to_owned(),
                    "choose an intent, or configure a recognizer",
                )),
            };
        }
        let text = Json::Object(turn.clone()).to_string();
        let turn = turn_of(&text, machine).map_err(|why| refusal(why, ""))?;
        if let Some(name) = turn
            .input
            .intent
            .as_ref()
            .filter(|intent| intent.known().is_none())
        {
            let intents = &machine.names.intents;
            let title = unknown("intent", name.text(intents), intents);
            return Diagnostic::error(Code::UnknownName, title).fail();
        }
        Ok((self.line_of(&turn), turn))
    }
}

fn refusal(title: String, help: &str) -> Box<Diagnostic> {
    let finding = Diagnostic::bad_arguments(title);
    Box::new(if help.is_empty() {
        finding
    } else {
        finding.help(help)
    })
}
