//! The model is edited while a dialogue is played: the dialogue is played again on the edited model.

use std::sync::Arc;

use serde_json::Value as Json;

use super::json_turn::turn_of;
use super::play::node_of;
use super::rehearsal::Rehearsal;
use super::rehearsal_error::RehearsalError;
use super::turn_change::{RecordDifference, TurnChange};
use super::turn_why::TurnWhy;
use super::watched_files::{ModelReader, WatchedFiles, WatchedModel};
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::trace::TurnReport;
use fsmsim_runtime::runtime::{DialogueRunner, TurnNode};

/// What reading the model again came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// No file has changed.
    Same,
    /// The dialogue was played on the model as it is now.
    Replayed(ReplayedDialogue),
}

/// A dialogue that was played again on an edited model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayedDialogue {
    /// How many turns it had.
    pub turns: usize,
    /// What became different, turn by turn.
    pub changes: Vec<TurnChange>,
    /// Where it could not go on, where that is so.
    pub stopped: Option<StoppedReplay>,
    /// The branch on which it is kept as it was, where something is different.
    pub former: Option<String>,
    /// What was changed by hand and cannot be any more: each line with why.
    pub undone: Vec<(String, String)>,
}

/// A turn that cannot be played any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedReplay {
    /// Its number.
    pub turn: u32,
    /// The line by which it was given.
    pub line: String,
    /// Why, in a sentence.
    pub why: String,
}

impl StoppedReplay {
    /// In a sentence.
    pub fn told(&self) -> String {
        format!(
            "turn {} cannot be played any more ({}): {}",
            self.turn, self.line, self.why
        )
    }
}

impl Rehearsal {
    /// The same where the model can be read again.
    pub fn reading_again(mut self, reader: ModelReader) -> Self {
        let files = WatchedFiles::of(self.dialogue().machine());
        self.watched = WatchedModel {
            reader: Some(reader),
            files,
        };
        self
    }

    /// The files of the model as they were when it was read; none where it cannot be read again.
    pub fn watched_files(&self) -> WatchedFiles {
        if self.watched.reader.is_some() {
            self.watched.files.clone()
        } else {
            WatchedFiles::default()
        }
    }

    /// Whether a file of the model was saved since it was read.
    pub fn is_edited(&self) -> bool {
        self.watched.reader.is_some() && self.watched.files.is_edited()
    }

    /// Reads the model again and plays the dialogue on it. Where the model cannot be used as it is, the former one goes on; it is
    /// read again when a file is saved again.
    ///
    /// # Errors
    /// The findings, as text; or why the dialogue cannot be played on it.
    pub fn reload(&mut self) -> Result<Reloaded, RehearsalError> {
        let files = WatchedFiles::of(self.dialogue().machine());
        let Some(reader) = &mut self.watched.reader else {
            return Err("the model cannot be read again here".into());
        };
        let read = reader();
        self.watched.files = files;
        self.replay_on(&read?)
    }

    /// Plays the dialogue on an edited model, which is the model of the dialogue from now on.
    ///
    /// # Errors
    /// Why the dialogue cannot be played on it; the former model goes on.
    pub fn replay_on(&mut self, machine: &Arc<Machine>) -> Result<Reloaded, RehearsalError> {
        self.watched.files = WatchedFiles::of(machine);
        if self.remembers() {
            return Err(
                "a cycle remembers what it did, and cannot be played again: `:reset` begins anew"
                    .into(),
            );
        }
        if machine.files.fingerprint() == self.dialogue().machine().files.fingerprint() {
            return Ok(Reloaded::Same);
        }
        let path = self.tree.path_to(self.tree.at());
        let mut runner = self.beginning_on(machine)?;
        if self.tree.root().turns == 0 {
            // The initial state can be another one now.
            self.tree.set_start(runner.checkpoint().saved);
        }
        let mut replayed = ReplayedDialogue {
            turns: path.len(),
            ..ReplayedDialogue::default()
        };
        let mut again: Vec<(TurnNode, TurnWhy)> = Vec::new();
        for (number, turn) in path.iter().zip(self.tree.root().turns.saturating_add(1)..) {
            let Some(then) = self.tree.moment(*number) else {
                continue;
            };
            let line = || then.line.lines().last().unwrap_or_default().to_owned();
            let scripted = match scripted(then, machine) {
                Ok(scripted) => scripted,
                Err(why) => {
                    replayed.stopped = Some(StoppedReplay {
                        turn,
                        line: line(),
                        why,
                    });
                    break;
                }
            };
            let (now, why) = play_again(&mut runner, &scripted, then);
            let fields = RecordDifference::between(then, &now);
            if !fields.is_empty() {
                replayed.changes.push(TurnChange {
                    number: *number,
                    turn,
                    line: line(),
                    fields,
                });
            }
            again.push((now, why));
        }
        self.play_on(runner, again, &path, &mut replayed)?;
        Ok(Reloaded::Replayed(replayed))
    }

    /// The dialogue goes on as it was played again.
    fn play_on(
        &mut self,
        runner: DialogueRunner,
        again: Vec<(TurnNode, TurnWhy)>,
        path: &[u32],
        replayed: &mut ReplayedDialogue,
    ) -> Result<(), RehearsalError> {
        let (_, by_hand) = self.take_by_hand();
        self.take_over(runner);
        if replayed.changes.is_empty() && replayed.stopped.is_none() {
            // The lines that decided may stand elsewhere by now.
            self.whys.extend(
                path.iter()
                    .copied()
                    .zip(again.into_iter().map(|(_, why)| why)),
            );
        } else {
            replayed.former = self.begin_anew();
            for (turn, why) in again {
                self.tree.grow(turn);
                self.whys.insert(self.tree.at(), why);
            }
            // What is told of the turns is told of those that are played now.
            let now = self.tree.path_to(self.tree.at());
            let first = self.tree.root().turns.saturating_add(1);
            for change in &mut replayed.changes {
                let at = usize::try_from(change.turn.saturating_sub(first)).unwrap_or(usize::MAX);
                change.number = now.get(at).copied().unwrap_or(change.number);
            }
        }
        self.keep_place(&by_hand)?;
        replayed.undone = self.redo_by_hand(&by_hand)?;
        Ok(())
    }

    /// The turn of a moment as it was given, with the answers that it got, on the model as it is now.
    pub fn turn_at(&self, number: u32) -> Result<ScriptedTurn, String> {
        let moment = self
            .tree
            .moment(number)
            .ok_or_else(|| format!("there is no moment {number}"))?;
        scripted(moment, self.runner.machine())
    }
}

/// A turn as it was given, with the answers that it got.
fn scripted(turn: &TurnNode, machine: &Machine) -> Result<ScriptedTurn, String> {
    let TurnReport {
        mut input,
        mut answers,
        ..
    } = turn.report().unwrap_or_default();
    if !answers.is_empty() && !input.contains_key("answers") {
        let kept = ["need", "effect", "index", "answer", "failed"];
        for answer in answers.iter_mut().filter_map(Json::as_object_mut) {
            answer.retain(|key, _| kept.contains(&key.as_str()));
        }
        input.insert("answers".to_owned(), answers.into());
    }
    let known = turn_of(&Json::from(input).to_string(), machine)?;
    match &known.input.intent {
        Some(intent) if intent.known().is_none() => {
            let name = intent.text(&machine.names.intents);
            Err(format!("the model has no intent `{name}` any more"))
        }
        _ => Ok(known),
    }
}

/// Plays a turn once more.
fn play_again(
    runner: &mut DialogueRunner,
    scripted: &ScriptedTurn,
    then: &TurnNode,
) -> (TurnNode, TurnWhy) {
    let heard = runner.history().len();
    let (record, why) = TurnWhy::with_record(&runner.play(scripted).view);
    (node_of(runner, heard, then.line.clone(), record), why)
}
