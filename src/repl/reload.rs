//! The effect of a model edit on the dialogue, as text.

use std::fmt::Write;

use colored::Colorize;

use super::render::{changes, note};
use super::repl::{Repl, ReplReply};
use fsmsim_harness::rehearsal::{RehearsalError, Reloaded, ReplayedDialogue};
use fsmsim_syntax::diagnostic::{Checked, plural};
use fsmsim_syntax::terminal::printable;

impl Repl {
    /// Replays the dialogue before the next input if a file of the model was saved.
    pub(super) fn reload_if_edited(&mut self) -> Checked<String> {
        if !self.rehearsal.is_edited() {
            return Ok(String::new());
        }
        match self.rehearsal.reload() {
            Ok(reloaded) => Ok(reload_text(&reloaded)),
            // The last valid model stays in use; the next save triggers another reload.
            Err(RehearsalError::Refused(why)) => {
                let head = note(
                    "the model was edited, and cannot be used as it is; the former one goes on",
                );
                Ok(head + &why.lines().map(note).collect::<Vec<_>>().concat())
            }
            Err(RehearsalError::Lost(why)) => Err(why),
        }
    }

    /// Reloads the model and replays the dialogue.
    pub(super) fn reload(&mut self) -> Result<ReplReply, RehearsalError> {
        Ok(ReplReply::Show(reload_text(&self.rehearsal.reload()?)))
    }
}

fn reload_text(reloaded: &Reloaded) -> String {
    match reloaded {
        Reloaded::Same => note("no file of the model has changed"),
        Reloaded::Replayed(replayed) => replay_text(replayed),
    }
}

fn replay_text(replayed: &ReplayedDialogue) -> String {
    let turns = plural(replayed.turns, "turn");
    let mut text = note(&format!(
        "the model was read again, and {turns} played on it"
    ));
    for change in &replayed.changes {
        let _ = writeln!(text, "  {}", format!("turn {}", change.turn).bold());
        let _ = writeln!(text, "    {}", printable(&change.line));
        text.push_str(&changes(&change.fields));
    }
    if let Some(stopped) = &replayed.stopped {
        let _ = writeln!(text, "  {}", printable(&stopped.told()).red());
    }
    if replayed.changes.is_empty() && replayed.stopped.is_none() {
        text.push_str(&note("nothing is different"));
    } else if let Some(former) = &replayed.former {
        text.push_str(&note(&format!(
            "what was played before is kept as the branch `{former}`"
        )));
    }
    for (line, why) in &replayed.undone {
        text.push_str(&note(&format!("`{line}` is not done again: {why}")));
    }
    text
}
