//! Completion of intents, slots, commands and conditions.

use std::sync::Arc;

use rustyline::completion::{Completer, Pair};
use rustyline::{Context, Helper, Highlighter, Hinter, Validator};

use super::commands::COMMANDS;
use crate::engine::Machine;
use crate::script::AcceptedInputs;
use crate::terminal::printable;

/// Completes what can be completed at the cursor.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub(super) struct ReplHelper {
    machine: Arc<Machine>,
}

impl ReplHelper {
    pub(super) fn new(machine: Arc<Machine>) -> Self {
        Self { machine }
    }

    /// The start of the word at the end of `text`, and the words that may stand there.
    pub(super) fn candidates(&self, text: &str) -> (usize, Vec<String>) {
        let names = &self.machine.names;
        let start = text
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
        let word = text.get(start..).unwrap_or_default();
        let before = text.get(..start).unwrap_or_default();
        let matching = |names: &mut dyn Iterator<Item = String>| -> Vec<String> {
            let mut found: Vec<String> = names.filter(|name| name.starts_with(word)).collect();
            found.sort_unstable();
            found
        };
        if let Some(command) = before.trim_start().strip_prefix(':') {
            return match command.split_whitespace().next() {
                Some("cond") => (start, matching(&mut names.conditions.iter().map(str::to_owned))),
                _ => (start, Vec::new()),
            };
        }
        if before.trim().is_empty() && word.starts_with(':') {
            return (start, matching(&mut COMMANDS.iter().map(|command| format!(":{}", command.name))));
        }
        let reading = before.rfind(" / ").map_or(before, |at| before.get(at + 3..).unwrap_or_default());
        let slashed = before.trim_end().ends_with('/');
        let moves = AcceptedInputs::of(&self.machine).moves;
        let leads = |first| names.intents.id(first).is_some() || moves && names.states.id(first).is_some();
        let has_intent = !slashed && reading.split_whitespace().next().is_some_and(leads);
        if has_intent {
            return (start, matching(&mut names.slots.iter().map(|slot| format!("{slot}="))));
        }
        if moves && (slashed || before.trim().is_empty()) {
            return (start, matching(&mut names.states.iter().map(str::to_owned)));
        }
        if slashed || before.trim().is_empty() {
            return (start, matching(&mut names.intents.iter().map(str::to_owned)));
        }
        (start, Vec::new())
    }
}

impl Completer for ReplHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, names) = self.candidates(line.get(..at).unwrap_or(line));
        let pairs = names.into_iter().map(|name| Pair { display: printable(&name), replacement: name }).collect();
        Ok((start, pairs))
    }
}
