//! Turns of a user who plays the assistant, and the lists of states and intents.

use console::{Alignment, measure_text_width, pad_str};

use super::render::{note, wrapped};
use super::repl::{Repl, ReplReply};
use fsmsim_core::engine::{Consent, Input, ScriptedTurn};
use fsmsim_core::trace::turn_line;
use fsmsim_harness::interactive::InteractiveError;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::terminal::printable;

impl Repl {
    /// Runs a turn with the user's consent decision.
    pub(super) fn consent(&mut self, rest: &str) -> Result<ReplReply, InteractiveError> {
        let usage = "`:consent read yes`, `:consent write no`, or `:consent yes` for both";
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (of, word) = match words.as_slice() {
            [word] => (None, *word),
            [of @ ("read" | "write"), word] => (Some(*of), *word),
            _ => return Err(usage.into()),
        };
        let word = match word {
            "yes" => true,
            "no" => false,
            _ => return Err(format!("expected `yes` or `no`, found `{word}`: {usage}").into()),
        };
        let decision = |what| (of.is_none() || of == Some(what)).then_some(word);
        self.lead(ScriptedTurn::of_consent(Consent {
            read: decision("read"),
            write: decision("write"),
        }))
    }

    /// Runs a turn in which the assistant replies and stays in the state.
    pub(super) fn reply(&mut self, text: &str) -> Result<ReplReply, InteractiveError> {
        if text.is_empty() {
            return Err("missing the text of the assistant: `:reply TEXT`".into());
        }
        let input = Input {
            reply: Some(text.into()),
            ..Input::default()
        };
        self.lead(input.into())
    }

    /// Runs a turn of the assistant.
    fn lead(&mut self, turn: ScriptedTurn) -> Result<ReplReply, InteractiveError> {
        let machine = self.dialogue().machine();
        if !AcceptedInputs::of(machine).moves {
            return Err("`:consent` and `:reply` are only for state sets".into());
        }
        let line = turn_line(&turn, machine);
        Ok(self.play(&line, turn)?)
    }

    /// The states with their goals; an asterisk marks the current one.
    pub(super) fn show_states(&self) -> String {
        let machine = self.dialogue().machine();
        let states: Vec<_> = machine
            .declared_states()
            .filter(|(_, state)| !state.is_target_only())
            .map(|(id, state)| (id, printable(machine.names.states.name(id)), state))
            .collect();
        let widths = states.iter().map(|(_, name, _)| measure_text_width(name));
        let width = widths.max().unwrap_or(0);
        let mut text = String::new();
        for (id, name, state) in states {
            let is_here = self.dialogue().session().position.state == id;
            let mark = if is_here { "*" } else { " " };
            let name = pad_str(&name, width, Alignment::Left, None);
            let first = format!("  {mark} {name}  ");
            let goal = printable(state.goal.as_deref().unwrap_or_default());
            text.push_str(&wrapped(&goal, &first, &" ".repeat(width + 6)));
        }
        text
    }

    /// The intents that the state handles, then those that only the model handles.
    pub(super) fn show_intents(&self) -> String {
        let machine = self.dialogue().machine();
        let state = machine.state(self.dialogue().session().position.state);
        let here: Vec<&str> = self.interactive.intents_here();
        let mut text = String::new();
        if !here.is_empty() {
            text.push_str(&note(&format!("in this state: {}", here.join(", "))));
        }
        if state.any.is_some() {
            text.push_str(&note("any other intent has a transition, too"));
        }
        let rest = self.interactive.other_intents();
        if !rest.is_empty() {
            text.push_str(&note(&format!("others: {}", rest.join(", "))));
        }
        if text.is_empty() {
            note("the model has no intents: type free text")
        } else {
            text
        }
    }
}
