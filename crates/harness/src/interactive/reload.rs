//! Replays the dialogue on the edited model.

use std::sync::Arc;

use serde_json::Value as Json;

use super::interactive_dialogue::InteractiveDialogue;
use super::interactive_error::InteractiveError;
use super::json_turn::turn_of;
use super::play::node_of;
use super::turn_change::{RecordDifference, TurnChange};
use super::turn_why::TurnWhy;
use super::watched_files::{ModelReader, WatchedFiles, WatchedModel};
use fsmsim_adapters::llm::DefaultRecognizer;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::trace::TurnReport;
use fsmsim_runtime::runtime::{DialogueRunner, TurnNode};

/// The result of reloading the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// No file has changed.
    Same,
    /// The dialogue was replayed on the current model.
    Replayed(ReplayedDialogue),
}

/// A dialogue that was replayed on an edited model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayedDialogue {
    /// The number of turns before the replay.
    pub turns: usize,
    /// The turns that now have a different result.
    pub changes: Vec<TurnChange>,
    /// The turn that could not be replayed, if any.
    pub stopped: Option<StoppedReplay>,
    /// The branch that preserves the previous turns, if anything changed.
    pub former: Option<String>,
    /// The manual changes that are no longer possible, each as its line and the reason.
    pub undone: Vec<(String, String)>,
}

/// A turn that can no longer be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedReplay {
    pub turn: u32,
    /// The line of the turn.
    pub line: String,
    /// The reason, as a sentence.
    pub why: String,
}

impl StoppedReplay {
    /// The message for the user.
    pub fn text(&self) -> String {
        format!(
            "cannot replay turn {} ({}): {}",
            self.turn, self.line, self.why
        )
    }
}

impl InteractiveDialogue {
    /// Sets the reader for reloading the model.
    pub fn reading_again(mut self, reader: ModelReader) -> Self {
        let files = WatchedFiles::of(self.dialogue().machine());
        self.watched = WatchedModel {
            reader: Some(reader),
            files,
        };
        self
    }

    /// The model's files as they were last read; empty if the model cannot be reloaded.
    pub fn watched_files(&self) -> WatchedFiles {
        if self.watched.reader.is_some() {
            self.watched.files.clone()
        } else {
            WatchedFiles::default()
        }
    }

    /// Whether a file of the model was saved since it was last read.
    pub fn is_edited(&self) -> bool {
        self.watched.reader.is_some() && self.watched.files.is_edited()
    }

    /// Reloads the model and replays the dialogue on it. If the model has errors, the previous one stays in use until a
    /// file is saved again.
    ///
    /// # Errors
    /// Returns the findings as text, or the reason why the dialogue cannot be replayed.
    pub fn reload(&mut self) -> Result<Reloaded, InteractiveError> {
        let files = WatchedFiles::of(self.dialogue().machine());
        let Some(reader) = &mut self.watched.reader else {
            return Err("this dialogue cannot reload its model".into());
        };
        let read = reader();
        self.watched.files = files;
        self.replay_on(&read?)
    }

    /// Replays the dialogue on an edited model and continues with that model.
    ///
    /// # Errors
    /// Returns the reason why the dialogue cannot be replayed. The previous model stays in use.
    pub fn replay_on(&mut self, machine: &Arc<Machine>) -> Result<Reloaded, InteractiveError> {
        self.watched.files = WatchedFiles::of(machine);
        if self.remembers() {
            return Err(
                "cannot replay an agent cycle with a memory; use `:reset` to start again".into(),
            );
        }
        if machine.files.fingerprint() == self.dialogue().machine().files.fingerprint() {
            return Ok(Reloaded::Same);
        }
        let path = self.tree.path_to(self.tree.at());
        let mut runner = self.beginning_on(machine)?;
        if self.tree.root().turns == 0 {
            // The initial state may have changed.
            self.tree.set_start(runner.checkpoint().saved);
        }
        let mut replayed = ReplayedDialogue {
            turns: path.len(),
            ..ReplayedDialogue::default()
        };
        let mut again: Vec<(TurnNode, TurnWhy)> = Vec::new();
        for (number, turn) in path.iter().zip(self.tree.root().turns.saturating_add(1)..) {
            let Some(previous) = self.tree.moment(*number) else {
                continue;
            };
            let line = || previous.line.lines().last().unwrap_or_default().to_owned();
            // The edited examples might give other answers.
            let scripted = match scripted(previous, machine, !self.asks()) {
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
            let (now, why) = play_again(&mut runner, &scripted, previous);
            let fields = RecordDifference::between(previous, &now);
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

    /// Continues the dialogue after the replay.
    fn play_on(
        &mut self,
        runner: DialogueRunner,
        again: Vec<(TurnNode, TurnWhy)>,
        path: &[u32],
        replayed: &mut ReplayedDialogue,
    ) -> Result<(), InteractiveError> {
        let (_, by_hand) = self.take_manual_changes();
        self.take_over(runner);
        if replayed.changes.is_empty() && replayed.stopped.is_none() {
            // The rules that decided may now be on other lines.
            self.whys.extend(
                path.iter()
                    .copied()
                    .zip(again.into_iter().map(|(_, why)| why)),
            );
        } else {
            replayed.former = self.start_over();
            for (turn, why) in again {
                self.tree.grow(turn);
                self.whys.insert(self.tree.at(), why);
            }
            // The changes must refer to the moments of the replayed turns.
            let now = self.tree.path_to(self.tree.at());
            let first = self.tree.root().turns.saturating_add(1);
            for change in &mut replayed.changes {
                let at = usize::try_from(change.turn.saturating_sub(first)).unwrap_or(usize::MAX);
                change.number = now.get(at).copied().unwrap_or(change.number);
            }
        }
        self.keep_place(&by_hand)?;
        replayed.undone = self.redo_manual_changes(&by_hand)?;
        Ok(())
    }

    /// The turn at a moment, with the answers that it got, for the current model.
    pub fn turn_at(&self, number: u32) -> Result<ScriptedTurn, String> {
        let moment = self
            .tree
            .moment(number)
            .ok_or_else(|| format!("unknown moment {number}"))?;
        scripted(moment, self.runner.machine(), false)
    }
}

/// A turn as it was given, with the answers that it got, optionally without those by the examples of the model.
fn scripted(turn: &TurnNode, machine: &Machine, reads_again: bool) -> Result<ScriptedTurn, String> {
    let TurnReport {
        mut input,
        mut answers,
        ..
    } = turn.report().unwrap_or_default();
    let is_by_examples =
        |answer: &Json| answer.get("by").and_then(Json::as_str) == Some(DefaultRecognizer::NAME);
    answers.retain(|answer| {
        let failed = answer.get("failed").and_then(Json::as_array);
        let failed = failed.is_some_and(|failed| failed.iter().any(is_by_examples));
        !(reads_again && (failed || is_by_examples(answer)))
    });
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
            Err(format!("the model no longer defines the intent `{name}`"))
        }
        _ => Ok(known),
    }
}

/// Runs a turn again.
fn play_again(
    runner: &mut DialogueRunner,
    scripted: &ScriptedTurn,
    previous: &TurnNode,
) -> (TurnNode, TurnWhy) {
    let heard = runner.history().len();
    let (record, why) = TurnWhy::with_record(&runner.play(scripted).view);
    (node_of(runner, heard, previous.line.clone(), record), why)
}
