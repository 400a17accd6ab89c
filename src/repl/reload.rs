//! The effect of a model edit on the dialogue, as text.

use std::fmt::Write;

use colored::Colorize;

use super::render::{changes, note};
use super::repl::{Repl, ReplReply};
use fsmsim_harness::interactive::{InteractiveError, Reloaded, ReplayedDialogue};
use fsmsim_syntax::diagnostic::{Checked, plural};
use fsmsim_syntax::terminal::printable;

impl Repl {
    /// Replays the dialogue before the next input if a file of the model was saved.
    pub(super) fn reload_if_edited(&mut self) -> Checked<String> {
        if !self.interactive.is_edited() {
            return Ok(String::new());
        }
        match self.interactive.reload() {
            Ok(reloaded) => Ok(reload_text(&reloaded)),
            // The last valid model stays in use; the next save triggers another reload.
            Err(InteractiveError::Refused(why)) => {
                let head = note(
                    "the edited model is invalid; the dialogue continues with the previous one",
                );
                Ok(head + &why.lines().map(note).collect::<Vec<_>>().concat())
            }
            Err(InteractiveError::Lost(why)) => Err(why),
        }
    }

    /// Reloads the model and replays the dialogue.
    pub(super) fn reload(&mut self) -> Result<ReplReply, InteractiveError> {
        Ok(ReplReply::Show(reload_text(&self.interactive.reload()?)))
    }
}

fn reload_text(reloaded: &Reloaded) -> String {
    match reloaded {
        Reloaded::Same => note("no model file has changed"),
        Reloaded::Replayed(replayed) => replay_text(replayed),
    }
}

fn replay_text(replayed: &ReplayedDialogue) -> String {
    let turns = plural(replayed.turns, "turn");
    let mut text = note(&format!("reloaded the model and replayed {turns}"));
    for change in &replayed.changes {
        let _ = writeln!(text, "  {}", format!("turn {}", change.turn).bold());
        let _ = writeln!(text, "    {}", printable(&change.line));
        text.push_str(&changes(&change.fields));
    }
    if let Some(stopped) = &replayed.stopped {
        let _ = writeln!(text, "  {}", printable(&stopped.text()).red());
    }
    if replayed.changes.is_empty() && replayed.stopped.is_none() {
        text.push_str(&note("no differences"));
    } else if let Some(former) = &replayed.former {
        text.push_str(&note(&format!(
            "the previous dialogue is saved as the branch `{former}`"
        )));
    }
    for (line, why) in &replayed.undone {
        text.push_str(&note(&format!("`{line}` is not repeated: {why}")));
    }
    text
}
