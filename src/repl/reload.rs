//! The model is edited while a dialogue is played: the dialogue is played again on the edited model.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use colored::Colorize;
use serde_json::Value as Json;

use super::json_turn::turn_of;
use super::render::note;
use super::repl::{Repl, ReplReply};
use super::travel::{changed, record_of};
use crate::diagnostic::plural;
use crate::engine::{Machine, ScriptedTurn};
use crate::runtime::{DialogueRunner, TurnNode};
use crate::terminal::printable;
use crate::trace::JsonLine;

/// Reads the model of the dialogue again, from its files.
///
/// # Errors
/// The findings, as text.
pub type ModelReader = Box<dyn FnMut() -> Result<Arc<Machine>, String>>;

/// Files as they were at some moment.
#[derive(Clone, Default)]
pub(super) struct WatchedFiles {
    files: Vec<(String, Option<(SystemTime, u64)>)>,
}

impl WatchedFiles {
    fn of(machine: &Machine) -> Self {
        let files = machine.files.used_files();
        Self { files: files.map(|file| (file.path().to_owned(), state_of(file.path()))).collect() }
    }

    /// Whether a file is not as it was.
    pub(super) fn is_edited(&self) -> bool {
        self.files.iter().any(|(path, then)| state_of(path) != *then)
    }
}

/// What reads a model again, and its files as they were when it was read.
#[derive(Default)]
pub(super) struct WatchedModel {
    reader: Option<ModelReader>,
    files: WatchedFiles,
}

impl WatchedModel {
    /// The files as they were; none where the model cannot be read again.
    pub(super) fn files(&self) -> WatchedFiles {
        if self.reader.is_some() { self.files.clone() } else { WatchedFiles::default() }
    }
}

fn state_of(path: &str) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(Path::new(path)).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

impl Repl {
    /// The same where the model can be read again.
    pub fn reading_again(mut self, reader: ModelReader) -> Self {
        let files = WatchedFiles::of(self.dialogue().machine());
        self.watched = WatchedModel { reader: Some(reader), files };
        self
    }

    /// Where a file of the model was saved since it was read, the dialogue is played again before anything else is done.
    pub(super) fn reload_if_edited(&mut self) -> Result<String, ReplReply> {
        if self.watched.reader.is_none() || !self.watched.files.is_edited() {
            return Ok(String::new());
        }
        match self.reload() {
            Ok(ReplReply::Show(text)) => Ok(text),
            Ok(other) => Err(other),
            // The last good model goes on; it is tried again when the file is saved again.
            Err(why) => {
                Ok(note("the model was edited, and cannot be used as it is; the former one goes on")
                    + &note_lines(&why))
            }
        }
    }

    /// Reads the model again and plays the dialogue on it.
    pub(super) fn reload(&mut self) -> Result<ReplReply, String> {
        let files = WatchedFiles::of(self.dialogue().machine());
        let Some(reader) = &mut self.watched.reader else {
            return Err("the model cannot be read again here".to_owned());
        };
        let read = reader();
        self.watched.files = files;
        let machine = read?;
        self.watched.files = WatchedFiles::of(&machine);
        if self.remembers() {
            return Err("a cycle remembers what it did, and cannot be played again: `:reset` begins anew".to_owned());
        }
        if machine.files.fingerprint() == self.dialogue().machine().files.fingerprint() {
            return Ok(ReplReply::Show(note("no file of the model has changed")));
        }
        let path = self.tree.path_to(self.tree.at());
        let mut runner = self.beginning_on(&machine)?;
        let mut told = String::new();
        let mut again: Vec<TurnNode> = Vec::new();
        let mut differing = 0;
        for (number, turn) in path.iter().zip(self.tree.root().turns.saturating_add(1)..) {
            let Some(then) = self.tree.moment(*number) else { continue };
            let scripted = match scripted(then, &machine) {
                Ok(scripted) => scripted,
                Err(why) => {
                    let line = then.line.lines().last().unwrap_or_default();
                    let what = format!("turn {turn} cannot be played any more ({line}): {why}");
                    let _ = writeln!(told, "  {}", printable(&what).red());
                    differing += 1;
                    break;
                }
            };
            let now = play_again(&mut runner, &scripted, then);
            let differences = changed(&record_of(then), &record_of(&now));
            if !differences.is_empty() {
                differing += 1;
                let _ = writeln!(told, "  {}", format!("turn {turn}").bold());
                let _ = writeln!(told, "    {}", printable(then.line.lines().last().unwrap_or_default()));
                for (field, was, is) in differences {
                    let _ = writeln!(told, "{}", format!("      - {field}: {}", printable(&was)).red());
                    let _ = writeln!(told, "{}", format!("      + {field}: {}", printable(&is)).green());
                }
            }
            again.push(now);
        }
        Ok(self.play_on(runner, &again, differing > 0, &told, path.len()))
    }

    /// The dialogue goes on as it was played again.
    fn play_on(
        &mut self,
        runner: DialogueRunner,
        again: &[TurnNode],
        differs: bool,
        told: &str,
        turns: usize,
    ) -> ReplReply {
        let mut text = note(&format!("the model was read again, and {} played on it", plural(turns, "turn")));
        let (_, by_hand) = self.take_by_hand();
        self.take_over(runner);
        if differs {
            let former = self.begin_anew();
            for turn in again {
                self.tree.grow(turn.clone());
            }
            text.push_str(told);
            if let Some(former) = former {
                text.push_str(&note(&format!("what was played before is kept as the branch `{former}`")));
            }
        } else {
            text.push_str(&note("nothing is different"));
        }
        if let Err(why) = self.keep_place(&by_hand) {
            return self.fail(why);
        }
        match self.redo_by_hand(&by_hand) {
            Ok(undone) => ReplReply::Show(text + &undone),
            Err(end) => end,
        }
    }
}

/// A turn as it was given, with the answers that it got.
fn scripted(turn: &TurnNode, machine: &Machine) -> Result<ScriptedTurn, String> {
    let record = record_of(turn);
    let mut input = record.get("input").cloned().unwrap_or_else(|| Json::Object(serde_json::Map::new()));
    let answers = record.get("answers").and_then(Json::as_array).filter(|answers| !answers.is_empty());
    if let (Some(answers), Some(map)) = (answers, input.as_object_mut())
        && !map.contains_key("answers")
    {
        let kept = ["need", "effect", "index", "answer", "failed"];
        let only = answers.iter().filter_map(Json::as_object).map(|answer| {
            let pairs = answer.iter().filter(|(key, _)| kept.contains(&key.as_str()));
            Json::Object(pairs.map(|(key, value)| (key.clone(), value.clone())).collect())
        });
        map.insert("answers".to_owned(), only.collect());
    }
    let known = turn_of(&input.to_string(), machine)?;
    match &known.input.intent {
        Some(intent) if intent.known().is_none() => {
            let name = record.pointer("/input/intent").and_then(Json::as_str).unwrap_or_default();
            Err(format!("the model has no intent `{name}` any more"))
        }
        _ => Ok(known),
    }
}

/// Plays a turn once more.
fn play_again(runner: &mut DialogueRunner, scripted: &ScriptedTurn, then: &TurnNode) -> TurnNode {
    let heard = runner.history().len();
    let view = runner.play(scripted).view;
    let mut json = JsonLine::default();
    if view.record.outcome.is_some() {
        view.write(&mut json);
    }
    let record = json.into_string();
    let said = runner.history().get(heard..).unwrap_or_default().to_vec();
    TurnNode { before: 0, line: then.line.clone(), record, said, checkpoint: runner.checkpoint() }
}

fn note_lines(text: &str) -> String {
    text.lines().map(note).collect::<Vec<_>>().concat()
}
