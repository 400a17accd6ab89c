//! A dialogue that somebody wrote or recorded is played, and goes on by hand.

use std::fmt::Write;
use std::sync::Arc;

use colored::Colorize;

use super::json_turn::typed;
use super::render::note;
use super::repl::{Repl, ReplReply};
use crate::diagnostic::{Diagnostic, SourceMap, plural};
use crate::engine::{Machine, RecordView, ScriptedTurn};
use crate::llm::Answerer;
use crate::scenario::{Expectation, ScenarioTurn};
use crate::terminal::printable;

/// A dialogue that somebody wrote or recorded, ready to be played on a machine.
pub struct LoadedDialogue {
    /// Its address.
    pub address: String,
    /// How it starts, as under `start` of a scenario; empty where nothing is said.
    pub start: String,
    /// Its turns, with what is expected of them; those that are wanted.
    pub turns: Vec<ScenarioTurn>,
    /// How many turns it has that are not wanted.
    pub left: usize,
    /// Whom it asks, where it names somebody.
    pub answerer: Option<Box<dyn Answerer>>,
    /// Where it is written.
    pub sources: Arc<SourceMap>,
}

/// Loads a dialogue by its address, `SCENARIO[@TURN]`, for a machine.
///
/// # Errors
/// Why there is none, as text.
pub type DialogueLoader = Box<dyn FnMut(&str, &Arc<Machine>) -> Result<LoadedDialogue, String>>;

impl Repl {
    /// The same where dialogues can be loaded.
    pub fn loading(mut self, loader: DialogueLoader) -> Self {
        self.loader = Some(loader);
        self
    }

    /// The same where this dialogue is played before anything is typed. It starts as this one does.
    pub fn beginning_with(mut self, loaded: LoadedDialogue) -> Self {
        self.first = Some(loaded);
        self
    }

    /// Loads a dialogue and plays it: on a branch of its own where it starts as this one did, else as one that begins anew.
    pub(super) fn load(&mut self, address: &str) -> Result<ReplReply, String> {
        if address.is_empty() {
            return Err("`:load FILE::TITLE@3` plays the first three turns of a scenario".to_owned());
        }
        let machine = Arc::clone(self.runner.machine());
        let loader = self.loader.as_mut().ok_or("nothing can be loaded here")?;
        let dialogue = loader(address, &machine)?;
        if dialogue.start == self.started && self.tree.root().turns == 0 && !self.remembers() {
            self.go_to_the_beginning()?;
        } else {
            let start = dialogue.start.clone();
            if let Err(end) = self.begin_again(&start)? {
                return Ok(end);
            }
        }
        Ok(self.play_loaded(dialogue))
    }

    /// Plays turns as if they were typed: what a person would see, and the records as lines of JSON.
    ///
    /// # Errors
    /// Why the dialogue cannot be kept.
    pub fn tell_turns(&mut self, turns: &[ScriptedTurn]) -> Result<(String, String), Box<Diagnostic>> {
        let (mut text, mut lines) = (String::new(), String::new());
        for turn in turns {
            let line = typed(turn, self.runner.machine(), self.runner.session().position.state, self.asks);
            let _ = writeln!(text, "{}{}", self.prompt(), printable(&line));
            if let ReplReply::Played { notes, shown, after, records } = self.play(&line, turn.clone())? {
                text.extend([notes, shown, after]);
                lines.push_str(&records);
            }
        }
        Ok((text, lines))
    }

    /// Plays the turns of a dialogue.
    pub(super) fn play_loaded(&mut self, loaded: LoadedDialogue) -> ReplReply {
        if let Some(answerer) = loaded.answerer.filter(|_| !self.asks) {
            self.runner.ask_from_now(answerer);
            self.asks = true;
        }
        let count = loaded.turns.len();
        let (mut notes, mut records) = (String::new(), String::new());
        let (mut last, mut after) = (String::new(), String::new());
        for (number, turn) in (1..).zip(&loaded.turns) {
            let state = self.runner.session().position.state;
            let line = typed(&turn.scripted, self.runner.machine(), state, self.asks);
            let before = self.prompt();
            match self.play(&line, turn.scripted.clone()) {
                Ok(ReplReply::Played { notes: told, shown, records: line, .. }) => {
                    notes.push_str(&told);
                    records.push_str(&line);
                    last = shown;
                }
                Ok(other) => return other,
                Err(why) => return self.fail(why),
            }
            let _ = writeln!(notes, "{before}{}", printable(&line));
            if let Some(failure) = self.runner.unread() {
                let why = format!("turn {number} could not be read, and the rest is not played: {}", failure.reason);
                after = note(&why);
                break;
            }
            if let Some(view) = self.last_turn() {
                after = mismatches(&turn.expectation, &view, &loaded.sources);
                // Only the last one is told at length.
                if number < count {
                    notes.push_str(&note(&in_short(&view)));
                    notes.push_str(&std::mem::take(&mut after));
                }
            }
        }
        if loaded.left > 0 {
            after.push_str(&note(&format!("{} more in `{}`", plural(loaded.left, "turn"), loaded.address)));
        }
        ReplReply::Played { notes, shown: last, after, records }
    }
}

/// Where a turn led, on one line.
fn in_short(view: &RecordView<'_>) -> String {
    let Some(outcome) = &view.record.outcome else { return "it could not be processed".to_owned() };
    let (from, to) = (view.state(outcome.state.from), view.state(outcome.state.to));
    let state = if from == to { to.to_owned() } else { format!("{from} → {to}") };
    let action = view.session.action_name(outcome.action, view.machine);
    format!("{state}   {}   {action}", outcome.class.name())
}

/// What of a turn is not as it was expected, as lines.
fn mismatches(expectation: &Expectation, view: &RecordView<'_>, sources: &SourceMap) -> String {
    let mut found = Vec::new();
    expectation.check(view, &mut found);
    let mut text = String::new();
    for missed in &found {
        let (mismatch, place) = (&missed.mismatch, sources.place(missed.span));
        let told = format!("{}: expected {}, got {} ({place})", mismatch.path, mismatch.expected, mismatch.actual);
        let _ = writeln!(text, "  {}", printable(&told).red());
    }
    text
}
