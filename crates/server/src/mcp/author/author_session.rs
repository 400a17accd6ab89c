//! A dialogue that an assistant plays, on the model as its files are now.

use super::author_refusal::AuthorRefusal;
use fsmsim_harness::rehearsal::{Rehearsal, RehearsalError, Reloaded, ReplayedDialogue};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::terminal::Joined;

/// A dialogue that an assistant plays.
pub(super) struct AuthorSession {
    pub(super) name: String,
    /// The profile in which it is played.
    pub(super) profile: &'static str,
    /// The dialogue.
    pub(super) rehearsal: Rehearsal,
    /// Turns that were played in it, also those that were taken back.
    pub(super) played: usize,
    /// Why the model as it is now cannot be used; nothing where the dialogue is on it.
    broken: Option<String>,
}

/// What became of a dialogue when the files of its model were looked at.
#[derive(Debug, Default)]
pub(super) struct SessionUpdate {
    /// It was played again on an edited model.
    pub(super) replayed: Option<ReplayedDialogue>,
    /// Why it goes on on a former version.
    pub(super) broken: Option<String>,
}

impl AuthorSession {
    /// A dialogue that begins.
    pub(super) fn new(name: String, profile: &'static str, rehearsal: Rehearsal) -> Self {
        Self {
            name,
            profile,
            rehearsal,
            played: 0,
            broken: None,
        }
    }

    /// Looks at the files of the model: the dialogue is played again on what they have now.
    pub(super) fn look_at_files(&mut self) -> Result<SessionUpdate, AuthorRefusal> {
        // What remembers is not played again, and says so where somebody has edited its model.
        if self.rehearsal.remembers() && !self.rehearsal.is_edited() {
            return Ok(SessionUpdate {
                replayed: None,
                broken: self.broken.clone(),
            });
        }
        // A folder may have got a file of which nobody knows yet: what was read says nothing of that.
        match self.rehearsal.reload() {
            Ok(Reloaded::Same) => {
                self.broken = None;
                Ok(SessionUpdate::default())
            }
            Ok(Reloaded::Replayed(replayed)) => {
                self.broken = None;
                Ok(SessionUpdate {
                    replayed: Some(replayed),
                    broken: None,
                })
            }
            Err(RehearsalError::Refused(why)) => {
                self.broken = Some(why);
                Ok(SessionUpdate {
                    replayed: None,
                    broken: self.broken.clone(),
                })
            }
            Err(lost @ RehearsalError::Lost(_)) => Err(lost.into()),
        }
    }

    /// The moment of a turn of this way, by its number; the last one where none is said.
    pub(super) fn moment_of(&self, turn: Option<u32>) -> Result<u32, AuthorRefusal> {
        let tree = self.rehearsal.tree();
        match turn {
            Some(turn) => Ok(tree.of_turn(turn)?),
            None if tree.at() == 0 => Err("no turn was played yet".into()),
            None => Ok(tree.at()),
        }
    }

    /// The end: what whoever was asked has to say about it.
    pub(super) fn finish(self) -> Diagnostics {
        let mut found = Diagnostics::default();
        self.rehearsal.finish(&mut found);
        found
    }
}

impl SessionUpdate {
    /// In sentences, for a model.
    pub(super) fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(why) = &self.broken {
            let why = why.trim_end();
            told.push(format!(
                "the model cannot be used as it is; the dialogue goes on on the former one:\n{why}"
            ));
        }
        let Some(replayed) = &self.replayed else {
            return told;
        };
        let turns = fsmsim_syntax::diagnostic::plural(replayed.turns, "turn");
        let differing = replayed.changes.len();
        told.push(match differing {
            0 => format!("the model was edited: {turns} were played again, and went as before"),
            _ => format!("the model was edited: {turns} were played again, of which {differing} went otherwise"),
        });
        for change in &replayed.changes {
            let fields = change
                .fields
                .iter()
                .map(|field| format!("{} {} -> {}", field.field, field.was, field.is));
            told.push(format!(
                "turn {} ({}): {}",
                change.turn,
                change.line,
                fields.joined("; ")
            ));
        }
        told.extend(
            replayed
                .stopped
                .as_ref()
                .map(fsmsim_harness::rehearsal::StoppedReplay::told),
        );
        told.extend(
            replayed
                .undone
                .iter()
                .map(|(line, why)| format!("`{line}` is not done again: {why}")),
        );
        told
    }
}
