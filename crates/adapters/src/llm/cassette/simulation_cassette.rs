//! The cassette of a simulation, which contains all its dialogues.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cassette::Cassette;
use super::cassette_counts::{CassetteCounts, CompletionLog};
use super::cassette_title::CassetteTitle;
use super::completer::{Completer, KnownRecording, in_order};
use super::dialogue_cassette::DialogueCassette;
use super::line_span::LineSpan;
use super::recorder::Recorder;
use super::recording::{PathClaims, PlayId, Recording, RecordingEnd, RecordingSource};
use super::redactions::Redactions;
use super::replayer::Replayer;
use crate::limits::MAX_SIMULATION_CASSETTE;
use crate::llm::answerer::Answerer;
use crate::llm::dialogue_key::DialogueKey;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};
use fsmsim_syntax::threads::Mutex;

/// How a simulation uses its cassette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeUse {
    /// Records all requests and answers.
    Record,
    /// Records requests that have no recording.
    RecordMissing,
    /// Replays the cassette only.
    Replay,
}

/// The cassette of a simulation. Its recordings stay in files, and only their positions are in memory.
pub struct SimulationCassette {
    purpose: TapeUse,
    path: PathBuf,
    /// The command that records missing requests.
    command: String,
    redactions: Arc<Redactions>,
    /// The existing recordings.
    album: Option<DialogueCassette>,
    /// The recordings of an interrupted run, by dialogue.
    left: LeftLines,
    recording: Arc<Recording>,
    log: CompletionLog,
    /// The personas: first in the order of the cassette, then in order of their first request.
    personas: Mutex<Vec<Box<str>>>,
    /// The dialogues of this run.
    played: Mutex<BTreeSet<Box<str>>>,
}

/// The lines of an interrupted run, by dialogue.
#[derive(Default)]
struct LeftLines {
    lines: BTreeMap<Box<str>, Vec<LineSpan>>,
    is_newer: bool,
}

impl std::fmt::Debug for SimulationCassette {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulationCassette")
            .field("purpose", &self.purpose)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl SimulationCassette {
    /// Opens the cassette at `path` for a simulation of this model. `command` records missing requests. Returns `None`,
    /// with findings, if it is invalid.
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
        let severity = match purpose {
            TapeUse::Replay => Severity::Error,
            TapeUse::Record | TapeUse::RecordMissing => Severity::Warning,
        };
        let album = match purpose {
            TapeUse::Record => None,
            TapeUse::RecordMissing if !is_there => None,
            _ => Some(DialogueCassette::open(path, &title, severity, found)?),
        };
        let recording = Recording::new(title, path, MAX_SIMULATION_CASSETTE, PathClaims::default());
        let mut left = LeftLines::default();
        if purpose == TapeUse::Record && recording.start().is_err() {
            // `finish` reports the reason.
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
                    // `finish` reports the reason.
                    recording.finish(&|_| true, RecordingEnd::Refused, found);
                    return None;
                }
            }
        }
        let personas = album.as_ref().map(DialogueCassette::personas);
        Some(Self {
            purpose,
            path: path.to_path_buf(),
            command,
            redactions: Arc::new(redactions),
            album,
            left,
            recording: Arc::new(recording),
            log: CompletionLog::default(),
            personas: Mutex::new(personas.unwrap_or_default()),
            played: Mutex::default(),
        })
    }

    /// Whether requests may be sent to providers other than the cassette.
    pub(in crate::llm) fn asks(&self) -> bool {
        self.purpose != TapeUse::Replay
    }

    /// The provider for a dialogue: the cassette, and `inner` if the mode allows it.
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
                Box::new(
                    Completer::new(record(dialogue, redactions), self.log.clone(), false)
                        .knowing(known),
                )
            }
            TapeUse::Replay => {
                let there = self
                    .album
                    .as_ref()
                    .map_or(0, |album| album.dialogues_of(key.dialogue));
                let recorded = self.album.iter().flat_map(|album| album.of(&dialogue));
                let cassette = Cassette {
                    interactions: recorded.map(|(_, interaction)| interaction).collect(),
                };
                let replayer = Replayer::new(&dialogue, &self.path, &self.command, redactions);
                Box::new(replayer.holding(cassette, there, key.dialogue))
            }
        }
    }

    /// The index of a persona.
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

    /// The existing recordings of a dialogue.
    fn known(&self, dialogue: &str) -> Vec<KnownRecording> {
        let old = self
            .album
            .as_ref()
            .map(|album| album.of(dialogue))
            .unwrap_or_default()
            .into_iter()
            .map(|(span, interaction)| KnownRecording::new(interaction, RecordingSource::Old(span)))
            .collect();
        let new = self.left.lines.get(dialogue).into_iter().flatten();
        let new = new.filter_map(|span| {
            Some(KnownRecording::new(
                self.recording.read(*span)?,
                RecordingSource::New(*span),
            ))
        });
        in_order(old, new.collect(), self.left.is_newer)
    }

    /// Preserves the recordings of dialogues that this run did not include, because a later run may request them.
    /// Returns the number of old recordings of this run's dialogues, and whether any preserved recordings are from an
    /// interrupted run.
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
        for (dialogue, spans) in self.album.iter().flat_map(DialogueCassette::dialogues) {
            if played.contains(dialogue) {
                others += spans.len() as u64;
            } else {
                for span in spans {
                    self.recording
                        .reuse(id(dialogue), RecordingSource::Old(*span));
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
                self.recording
                    .reuse(id(dialogue), RecordingSource::New(*span));
            }
        }
        (others, has_left)
    }

    /// Ends the simulation: assembles the cassette and reports findings.
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

    /// The recording counts, if the cassette was completed.
    pub(in crate::llm) fn log(&self) -> &CompletionLog {
        &self.log
    }
}
