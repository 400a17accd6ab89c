//! `:load`, and the turns of `--from`, as text.

use std::fmt::Write;

use colored::Colorize;

use super::render::note;
use super::repl::{Repl, ReplReply};
use fsmsim_core::engine::{RecordView, ScriptedTurn};
use fsmsim_harness::interactive::{InteractiveError, LoadedDialogue};
use fsmsim_harness::scenario::Expectation;
use fsmsim_syntax::diagnostic::{Checked, SourceMap, plural};
use fsmsim_syntax::terminal::printable;

impl Repl {
    /// Loads a dialogue and runs it.
    pub(super) fn load(&mut self, address: &str) -> Result<ReplReply, InteractiveError> {
        let dialogue = self.interactive.load(address)?;
        Ok(self.play_loaded(dialogue)?)
    }

    /// Runs turns as if they were typed. Returns the text for the user, and the records as JSON Lines.
    pub fn list_turns(&mut self, turns: &[ScriptedTurn]) -> Checked<(String, String)> {
        let mut text = String::new();
        let mut lines = String::new();
        for turn in turns {
            let line = self.interactive.line_of(turn);
            let _ = writeln!(text, "{}{}", self.prompt(), printable(&line));
            if let ReplReply::Played {
                notes,
                shown,
                after,
                records,
            } = self.play(&line, turn.clone())?
            {
                text.extend([notes, shown, after]);
                lines.push_str(&records);
            }
        }
        Ok((text, lines))
    }

    /// Runs the turns of a dialogue.
    pub(super) fn play_loaded(&mut self, mut loaded: LoadedDialogue) -> Checked<ReplReply> {
        self.interactive.ask_as(&mut loaded);
        let count = loaded.turns.len();
        let mut notes = String::new();
        let mut records = String::new();
        let mut last = String::new();
        let mut after = String::new();
        for (number, turn) in (1..).zip(&loaded.turns) {
            let line = self.interactive.line_of(&turn.scripted);
            let before = self.prompt();
            match self.play(&line, turn.scripted.clone())? {
                ReplReply::Played {
                    notes: turn_notes,
                    shown,
                    records: line,
                    ..
                } => {
                    notes.push_str(&turn_notes);
                    records.push_str(&line);
                    last = shown;
                }
                other => return Ok(other),
            }
            let _ = writeln!(notes, "{before}{}", printable(&line));
            if let Some(failure) = self.dialogue().unread() {
                let why = format!(
                    "cannot recognize turn {number}, so the rest is not run: {}",
                    failure.reason
                );
                after = note(&why);
                break;
            }
            if let Some(view) = self.interactive.last_turn() {
                after = mismatches(&turn.expectation, &view, &loaded.sources);
                // Only the last turn is shown in full.
                if number < count {
                    let read = view.interpretation();
                    let read = read.map(|reading| note(&format!("recognized as {reading}")));
                    notes.extend(read);
                    notes.push_str(&note(&in_short(&view)));
                    notes.push_str(&std::mem::take(&mut after));
                }
            }
        }
        if loaded.left > 0 {
            after.push_str(&note(&format!(
                "{} left in `{}`",
                plural(loaded.left, "turn"),
                loaded.address
            )));
        }
        Ok(ReplReply::Played {
            notes,
            shown: last,
            after,
            records,
        })
    }
}

/// The result of a turn, in one line.
fn in_short(view: &RecordView<'_>) -> String {
    let Some(outcome) = &view.record.outcome else {
        return "the turn was not processed".to_owned();
    };
    let from = view.state(outcome.state.from);
    let to = view.state(outcome.state.to);
    let state = if from == to {
        to.to_owned()
    } else {
        format!("{from} → {to}")
    };
    let action = view.session.action_name(outcome.action, view.machine);
    format!("{state}   {}   {action}", outcome.class.name())
}

/// The unmet expectations of a turn, as lines.
fn mismatches(expectation: &Expectation, view: &RecordView<'_>, sources: &SourceMap) -> String {
    let mut found = Vec::new();
    expectation.check(view, &mut found);
    let mut text = String::new();
    for missed in &found {
        let mismatch = &missed.mismatch;
        let place = sources.place(missed.span);
        let line = format!(
            "{}: expected {}, got {} ({place})",
            mismatch.path, mismatch.expected, mismatch.actual
        );
        let _ = writeln!(text, "  {}", printable(&line).red());
    }
    text
}
