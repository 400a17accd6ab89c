//! What a person changes by hand before the next turn: the state, the data.

use super::line::data_of;
use super::render::note;
use super::repl::{Repl, ReplReply};
use crate::diagnostic::{Diagnostic, did_you_mean, nearest};
use crate::engine::{Consent, Input, Operation, ScriptedTurn, Symbol};
use crate::script::AcceptedInputs;
use crate::trace::turn_line;

impl Repl {
    /// Puts the dialogue into a state.
    pub(super) fn go(&mut self, name: &str, line: &str) -> Result<ReplReply, String> {
        let machine = self.runner.machine();
        let Some(state) = machine.state_id(name).filter(|state| machine.is_declared(*state)) else {
            let states = machine.declared_states().map(|(id, _)| machine.names.states.name(id));
            let near = did_you_mean("", nearest(name, states));
            return Err(format!("there is no state `{name}`.{near} `:states` lists them."));
        };
        let (state, validate) = (Symbol::Known(state), true);
        let to = Operation::TransitionTo { state, action: None, phase: None, source: None, validate };
        Ok(self.change(to, line).unwrap_or_else(|why| self.fail(why)))
    }

    /// Puts something into slots.
    pub(super) fn set(&mut self, rest: &str, line: &str) -> Result<ReplReply, String> {
        let data = data_of(rest, self.runner.machine())?;
        if data.is_empty() {
            return Err("`:set slot=value` puts a value into a slot".to_owned());
        }
        Ok(self.change(Operation::SetData(data), line).unwrap_or_else(|why| self.fail(why)))
    }

    /// Plays a turn in which the user says a word about his data.
    pub(super) fn consent(&mut self, rest: &str) -> Result<ReplReply, String> {
        let usage = "`:consent read yes`, `:consent write no`, or `:consent yes` for both";
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (of, word) = match words.as_slice() {
            [word] => (None, *word),
            [of @ ("read" | "write"), word] => (Some(*of), *word),
            _ => return Err(usage.to_owned()),
        };
        let word = match word {
            "yes" => true,
            "no" => false,
            _ => return Err(format!("`{word}` is neither `yes` nor `no`: {usage}")),
        };
        let said = |what| (of.is_none() || of == Some(what)).then_some(word);
        self.lead(Input { consent: Consent { read: said("read"), write: said("write") }, ..Input::default() })
    }

    /// Plays a turn in which the assistant says something and stays.
    pub(super) fn reply(&mut self, text: &str) -> Result<ReplReply, String> {
        if text.is_empty() {
            return Err("`:reply TEXT` says what the assistant says".to_owned());
        }
        self.lead(Input { reply: Some(text.into()), ..Input::default() })
    }

    /// Plays a turn of whoever leads the dialogue.
    fn lead(&mut self, mut input: Input) -> Result<ReplReply, String> {
        let machine = self.runner.machine();
        if !AcceptedInputs::of(machine).moves {
            return Err(
                "that is for sets of states, whose dialogues are led: this model is driven by what is said".to_owned()
            );
        }
        // Whoever does not say anything stays where the dialogue is.
        input.reply.get_or_insert_default();
        let turn = ScriptedTurn { input, ..ScriptedTurn::default() };
        let line = turn_line(&turn, machine);
        Ok(self.play(&line, turn).unwrap_or_else(|why| self.fail(why)))
    }

    /// Changes the dialogue now, and once more as a part of the next turn, which tells of it. The journal keeps it as the
    /// beginning of that turn.
    fn change(&mut self, operation: Operation, line: &str) -> Result<ReplReply, Box<Diagnostic>> {
        self.runner.operate(std::slice::from_ref(&operation));
        self.by_hand.push((operation, line.trim().to_owned()));
        let lines: Vec<&str> = self.by_hand.iter().map(|(_, line)| &**line).collect();
        self.journal.begin_turn(&lines.join("\n"))?;
        Ok(ReplReply::Show(note("the next turn begins with that")))
    }

    /// Takes back what was changed by hand since the last turn: what was done, and the lines that did it.
    pub(super) fn take_by_hand(&mut self) -> (Vec<Operation>, Vec<String>) {
        let (operations, lines) = self.by_hand.drain(..).unzip();
        let operations: Vec<Operation> = operations;
        if !operations.is_empty() {
            let here = self.tree.at();
            let (turns, said) = (self.tree.turns_at(here), self.tree.said_to(here));
            let id = self.runner.id().clone();
            // What was kept a moment ago can be read.
            let _ = self.runner.go_to(self.tree.checkpoint(here), turns, said);
            self.runner.be_known_as(id);
        }
        (operations, lines)
    }

    /// Changes again by hand what was changed so: what cannot be done any more, as text.
    pub(super) fn redo_by_hand(&mut self, lines: &[String]) -> Result<String, ReplReply> {
        let mut text = String::new();
        for line in lines {
            match self.take_now(line) {
                ReplReply::Refuse(why) => text.push_str(&note(&format!("`{line}` is not done again: {why}"))),
                ReplReply::Quit => return Err(ReplReply::Quit),
                ReplReply::Show(_) | ReplReply::Played { .. } => {}
            }
        }
        Ok(text)
    }

    /// The states, those at which the dialogue can be put.
    pub(super) fn show_states(&self) -> String {
        let machine = self.runner.machine();
        let mut text = String::new();
        for (id, state) in machine.declared_states().filter(|(_, state)| !state.is_branch_end()) {
            let mark = if self.runner.session().position.state == id { "*" } else { " " };
            let goal = state.goal.as_deref().map(|goal| format!("  {goal}")).unwrap_or_default();
            text.push_str(&note(&format!("{mark} {}{goal}", machine.names.states.name(id))));
        }
        text
    }

    /// The intents of which the state says what they do, and then those of which only the model does.
    pub(super) fn show_intents(&self) -> String {
        let machine = self.runner.machine();
        let state = machine.state(self.runner.session().position.state);
        let here: Vec<&str> = self.intents_here();
        let mut text = String::new();
        if !here.is_empty() {
            text.push_str(&note(&format!("of this state: {}", here.join(", "))));
        }
        if state.any.is_some() {
            text.push_str(&note("any other leads on from here, too"));
        }
        let rest = machine.names.intents.iter().filter(|name| !here.contains(name)).collect::<Vec<_>>();
        if !rest.is_empty() {
            text.push_str(&note(&format!("others: {}", rest.join(", "))));
        }
        if text.is_empty() { note("the model has no intents: it takes what is said") } else { text }
    }

    /// The intents of which the present state says something, in the order of the file.
    pub(super) fn intents_here(&self) -> Vec<&str> {
        let machine = self.runner.machine();
        let state = machine.state(self.runner.session().position.state);
        let mut names: Vec<&str> = Vec::new();
        for (intent, _) in state.transitions.iter().chain(state.rules.iter()) {
            let name = machine.names.intents.name(intent);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
