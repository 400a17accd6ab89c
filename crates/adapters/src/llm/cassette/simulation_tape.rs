//! The cassette of a simulation: that of all its dialogues.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::album::Album;
use super::cassette::Cassette;
use super::cassette_counts::{CassetteCounts, CompletionLog};
use super::cassette_title::CassetteTitle;
use super::completer::{Completer, KnownRecording, in_order};
use super::line_span::LineSpan;
use super::recorder::Recorder;
use super::recording::{PathClaims, PlayId, Recording, RecordingEnd, TapePiece};
use super::redactions::Redactions;
use super::replayer::Replayer;
use crate::limits::MAX_SIMULATION_CASSETTE;
use crate::llm::answerer::Answerer;
use crate::llm::dialogue_key::DialogueKey;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};
use fsmsim_syntax::threads::Mutex;

/// What is done with a cassette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeUse {
    /// What is asked and answered is recorded.
    Record,
    /// What has no recording is asked and recorded.
    RecordMissing,
    /// Nobody but the cassette is asked.
    Replay,
}

/// The cassette of a simulation. Its recordings stay in files; of each only where it stands is in the memory.
pub struct SimulationTape {
    purpose: TapeUse,
    path: PathBuf,
    /// The command that records what is missing.
    command: String,
    redactions: Arc<Redactions>,
    /// What was recorded before.
    album: Option<Arc<Album>>,
    /// What a run that was broken off has left, by dialogue.
    left: LeftLines,
    recording: Arc<Recording>,
    log: CompletionLog,
    /// The personas in the order of the cassette, then in that in which they were first asked for.
    personas: Mutex<Vec<Box<str>>>,
    /// The dialogues of this run.
    played: Mutex<BTreeSet<Box<str>>>,
}

/// Lines that a run which was broken off has left, by dialogue.
#[derive(Default)]
struct LeftLines {
    lines: BTreeMap<Box<str>, Vec<LineSpan>>,
    is_newer: bool,
}

impl std::fmt::Debug for SimulationTape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulationTape")
            .field("purpose", &self.purpose)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl SimulationTape {
    /// Opens the cassette at `path` of a simulation of this model; `command` records what is missing. `None`, with findings, where
    /// it cannot be used.
    pub fn open(
        purpose: TapeUse,
        path: &Path,
        model: &str,
        command: String,
        redactions: Redactions,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let title = CassetteTitle::Simulation(model.into());
        let is_there = !matches!(path.try_exists(), Ok(false));
        let album = match purpose {
            TapeUse::Record => None,
            TapeUse::RecordMissing if !is_there => None,
            TapeUse::RecordMissing => Some(Album::open(path, &title, Severity::Warning, found)?),
            TapeUse::Replay => Some(Album::open(path, &title, Severity::Error, found)?),
        };
        let recording = Recording::new(title, path, MAX_SIMULATION_CASSETTE, PathClaims::default());
        let mut left = LeftLines::default();
        if purpose == TapeUse::Record && recording.start().is_err() {
            // It tells why.
            recording.finish(&|_| true, RecordingEnd::Refused, found);
            return None;
        }
        if purpose == TapeUse::RecordMissing {
            let old = album.as_ref().and_then(|album| album.file().ok());
            match recording.complete(old) {
                Ok(leftover) => {
                    left.is_newer = leftover.is_newer;
                    for (span, dialogue) in leftover.lines {
                        if let Some(dialogue) = dialogue {
                            left.lines.entry(dialogue).or_default().push(span);
                        }
                    }
                }
                Err(_) => {
                    // It tells why.
                    recording.finish(&|_| true, RecordingEnd::Refused, found);
                    return None;
                }
            }
        }
        let (path, redactions, album) = (
            path.to_path_buf(),
            Arc::new(redactions),
            album.map(Arc::new),
        );
        let personas = album
            .as_ref()
            .map(|album| album.personas())
            .unwrap_or_default();
        let (recording, log, personas) = (
            Arc::new(recording),
            CompletionLog::default(),
            Mutex::new(personas),
        );
        let played = Mutex::default();
        Some(Self {
            purpose,
            path,
            command,
            redactions,
            album,
            left,
            recording,
            log,
            personas,
            played,
        })
    }

    /// Whether somebody beside the cassette may be asked.
    pub(in crate::llm) fn asks(&self) -> bool {
        self.purpose != TapeUse::Replay
    }

    /// Whoever answers in a dialogue: the cassette, and `inner` where it may be asked.
    pub(in crate::llm) fn answerer(
        &self,
        inner: Box<dyn Answerer>,
        key: &DialogueKey<'_>,
    ) -> Box<dyn Answerer> {
        let dialogue: Box<str> =
            format!("{}:{}", key.dialogue, key.number.saturating_add(1)).into();
        let play = PlayId {
            group: self.place_of(key.dialogue),
            number: key.number,
        };
        let redactions = Arc::clone(&self.redactions);
        let record = |dialogue: Box<str>, redactions| {
            Recorder::new(inner, Arc::clone(&self.recording), redactions)
                .of_play(play, Some(dialogue))
        };
        match self.purpose {
            TapeUse::Record => Box::new(record(dialogue, redactions)),
            TapeUse::RecordMissing => {
                let known = self.known(&dialogue);
                self.played.lock().insert(dialogue.clone());
                let recorder = record(dialogue, redactions);
                Box::new(Completer::new(recorder, self.log.clone(), false).knowing(known))
            }
            TapeUse::Replay => {
                let there = self
                    .album
                    .as_ref()
                    .map_or(0, |album| album.dialogues_of(key.dialogue));
                let cassette = Cassette::of(
                    self.album
                        .iter()
                        .flat_map(|album| album.of(&dialogue))
                        .map(|(_, interaction)| interaction)
                        .collect(),
                );
                let replayer = Replayer::new(&dialogue, &self.path, &self.command, redactions);
                Box::new(replayer.holding(cassette, there, key.dialogue))
            }
        }
    }

    /// Where a persona stands in the order in which they were asked for.
    fn place_of(&self, persona: &str) -> u32 {
        let mut personas = self.personas.lock();
        let place = personas
            .iter()
            .position(|known| **known == *persona)
            .unwrap_or_else(|| {
                personas.push(persona.into());
                personas.len() - 1
            });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// What was recorded before of a dialogue.
    fn known(&self, dialogue: &str) -> Vec<KnownRecording> {
        let old = self
            .album
            .as_ref()
            .map(|album| album.of(dialogue))
            .unwrap_or_default()
            .into_iter();
        let old = old
            .map(|(span, interaction)| KnownRecording::new(interaction, TapePiece::Old(span)))
            .collect();
        let new = self.left.lines.get(dialogue).into_iter().flatten();
        let new = new.filter_map(|span| {
            Some(KnownRecording::new(
                self.recording.read(*span)?,
                TapePiece::New(*span),
            ))
        });
        in_order(old, new.collect(), self.left.is_newer)
    }

    /// Keeps the recordings of dialogues that this run did not play: what is not asked in them now may be asked in another.
    /// How many of the others there were, and whether a run that was broken off has left any of those that are kept.
    fn keep_unplayed(&self) -> (u64, bool) {
        let played = self.played.lock();
        let id = |dialogue: &str| {
            let (persona, number) = dialogue.rsplit_once(':').unwrap_or((dialogue, ""));
            let number = number.parse::<u64>().unwrap_or(u64::MAX).saturating_sub(1);
            PlayId {
                group: self.place_of(persona),
                number,
            }
        };
        let mut others = 0;
        for (dialogue, spans) in self.album.iter().flat_map(|album| album.dialogues()) {
            if played.contains(dialogue) {
                others += spans.len() as u64;
            } else {
                for span in spans {
                    self.recording.reuse(id(dialogue), TapePiece::Old(*span));
                }
            }
        }
        let mut has_left = false;
        for (dialogue, spans) in self
            .left
            .lines
            .iter()
            .filter(|(dialogue, _)| !played.contains(*dialogue))
        {
            has_left = true;
            for span in spans {
                self.recording.reuse(id(dialogue), TapePiece::New(*span));
            }
        }
        (others, has_left)
    }

    /// The simulation is over: the cassette is put together, and what is to be said about it is told.
    pub(in crate::llm) fn close(&self, found: &mut Diagnostics) {
        if self.purpose == TapeUse::Replay {
            return;
        }
        let mut counts = self
            .log
            .all()
            .first()
            .map(|(_, counts)| *counts)
            .unwrap_or_default();
        let (old, has_left) = self.keep_unplayed();
        counts.old = old;
        counts.bad = self.album.as_ref().map_or(0, |album| album.bad);
        let end = match self.purpose {
            _ if self.recording.has_gap(&|_| true) => RecordingEnd::Gap,
            TapeUse::RecordMissing if counts.is_unchanged() && !has_left => RecordingEnd::Unchanged,
            _ => RecordingEnd::Whole,
        };
        let is_kept = !self.recording.finish(&|_| true, end, found);
        if self.purpose == TapeUse::RecordMissing {
            let rest = CassetteCounts {
                old: counts.old,
                bad: counts.bad,
                is_kept,
                ..CassetteCounts::default()
            };
            self.log.add(&self.path, rest);
        }
    }

    /// What became of its recordings, where it was completed.
    pub(in crate::llm) fn log(&self) -> &CompletionLog {
        &self.log
    }
}
