//! Completion of intents, slots, commands and conditions.

use std::sync::Arc;

use rustyline::completion::{Completer, Pair};
use rustyline::{Context, Helper, Highlighter, Hinter, Validator};

use super::commands::command_names;
use super::repl::Repl;
use fsmsim_core::engine::Machine;
use fsmsim_harness::interactive::typed_name;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::terminal::printable;

/// Completes the word at the cursor for the current state.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub(super) struct ReplHelper {
    machine: Arc<Machine>,
    /// The intents that the current state handles, and its target states.
    here: Vec<String>,
    /// The other intents and events of the model.
    others: Vec<String>,
    /// The required slots of the state, then the optional ones.
    wanted: Vec<String>,
    branches: Vec<String>,
}

impl ReplHelper {
    /// The helper for the current state.
    pub(super) fn of(repl: &Repl) -> Self {
        let machine = repl.dialogue().machine();
        let id = repl.dialogue().session().position.state;
        let state = machine.state(id);
        let targets = machine
            .moves(id)
            .iter()
            .map(|declared| machine.names.states.name(declared.target));
        let slots = state
            .required
            .iter()
            .chain(&state.optional)
            .map(|slot| machine.names.slots.name(*slot));
        Self {
            here: repl
                .interactive
                .intents_here()
                .into_iter()
                .map(typed_name)
                .chain(targets.map(str::to_owned))
                .collect(),
            others: repl
                .interactive
                .other_intents()
                .into_iter()
                .map(typed_name)
                .collect(),
            wanted: slots.map(|slot| format!("{slot}=")).collect(),
            branches: repl
                .interactive
                .tree()
                .branches()
                .iter()
                .map(|branch| branch.name.clone())
                .collect(),
            machine: Arc::clone(machine),
        }
    }

    /// The start of the word at the end of `text`, and its completions.
    pub(super) fn candidates(&self, text: &str) -> (usize, Vec<String>) {
        let names = &self.machine.names;
        let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
        let start = text.len() - word.len();
        let before = text.get(..start).unwrap_or_default();
        // Names that the state uses come first, in the order of the state. The others are sorted by name.
        let matching = |first: &[String], names: &mut dyn Iterator<Item = String>| -> Vec<String> {
            let mut rest: Vec<String> = names
                .filter(|name| name.starts_with(word) && !first.contains(name))
                .collect();
            rest.sort_unstable();
            first
                .iter()
                .filter(|name| name.starts_with(word))
                .cloned()
                .chain(rest)
                .collect()
        };
        let states = || names.states.iter().map(str::to_owned);
        let slots = || {
            let slots = self.machine.known_slot_names();
            slots.map(|slot| format!("{slot}="))
        };
        if let Some(command) = before.trim_start().strip_prefix(':') {
            let words = match command.split_whitespace().next() {
                Some("condition" | "cond") => {
                    matching(&[], &mut names.conditions.iter().map(str::to_owned))
                }
                Some("goto" | "go") => matching(&self.here_states(), &mut states()),
                Some("why-not") => {
                    let actions = names.actions.iter().map(str::to_owned);
                    matching(&self.here_states(), &mut states().chain(actions))
                }
                Some("set") => matching(&self.wanted, &mut slots()),
                Some("switch" | "diff") => matching(&[], &mut self.branches.iter().cloned()),
                _ => Vec::new(),
            };
            return (start, words);
        }
        if before.trim().is_empty() && word.starts_with(':') {
            let commands = &mut command_names().map(|name| format!(":{name}"));
            return (start, matching(&[], commands));
        }
        let reading = before
            .rfind(" / ")
            .map_or(before, |at| before.get(at + 3..).unwrap_or_default());
        let slashed = before.trim_end().ends_with('/');
        let moves = AcceptedInputs::of(&self.machine).moves;
        let leads =
            |first| names.intents.id(first).is_some() || moves && names.states.id(first).is_some();
        let has_intent = !slashed && reading.split_whitespace().next().is_some_and(leads);
        if has_intent {
            return (start, matching(&self.wanted, &mut slots()));
        }
        if moves && (slashed || before.trim().is_empty()) {
            return (start, matching(&self.here, &mut states()));
        }
        if slashed || before.trim().is_empty() {
            return (
                start,
                matching(&self.here, &mut self.others.iter().cloned()),
            );
        }
        (start, Vec::new())
    }

    /// The target states of the current state.
    fn here_states(&self) -> Vec<String> {
        let states = &self.machine.names.states;
        self.here
            .iter()
            .filter(|name| states.id(name.as_str()).is_some())
            .cloned()
            .collect()
    }
}

impl Completer for ReplHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, names) = self.candidates(line.get(..at).unwrap_or(line));
        let pairs = names
            .into_iter()
            .map(|name| Pair {
                display: printable(&name),
                replacement: name,
            })
            .collect();
        Ok((start, pairs))
    }
}
