//! Plays the dialogues of a turns file: many at once, each on one thread.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::limits::{MAX_BATCH_BYTES, MAX_LINE_IN_MEMORY};
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::Profile;
use fsmsim_reports::report::{TraceForm, TraceWriter};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::{DialogueName, ScriptedDialogue, TurnsFile, TurnsLine};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics};
use fsmsim_syntax::threads::{Mutex, Next, Shard};

/// With what the dialogues of a turns file are played.
pub(super) struct TurnsPlayer<'p> {
    pub(super) project: &'p Project,
    pub(super) models: Mutex<ModelCache>,
    pub(super) model: &'p Path,
    /// The profile, whatever the dialogues say.
    pub(super) fixed: Option<Profile>,
    /// The profile of dialogues that say nothing.
    pub(super) usual: Profile,
    /// The file, for paths that start beside it.
    pub(super) turns: &'p Path,
    /// What becomes of what is played.
    pub(super) form: TraceForm,
    /// Which share of the dialogues is played, by their names; nothing for all.
    pub(super) shard: Option<Shard>,
}

/// Lines that follow each other, and what keeps the next one from being read.
pub(super) struct LineBatch {
    lines: Vec<TurnsLine>,
    fault: Option<Box<Diagnostic>>,
    /// The next line may be long in coming.
    is_dry: bool,
}

/// What became of a batch of lines.
pub(super) struct PlayedBatch {
    pub(super) dialogues: Vec<PlayedDialogue>,
    /// What is written of those that were played, one behind the other.
    pub(super) text: Vec<u8>,
    pub(super) fault: Option<Box<Diagnostic>>,
    pub(super) is_dry: bool,
}

/// What became of a line.
pub(super) struct PlayedDialogue {
    pub(super) line: TurnsLine,
    pub(super) found: Diagnostics,
    /// Its name and profile, where it could be read.
    pub(super) read: Option<(DialogueName, Profile)>,
    pub(super) played: Played,
}

/// How far a dialogue came.
pub(super) enum Played {
    /// It cannot be played.
    Unusable,
    /// It belongs to another share.
    Elsewhere,
    /// It was played: what is written of it ends here.
    Until(usize),
    Ready(Box<ReadyDialogue>),
}

pub(super) struct ReadyDialogue {
    machine: Arc<Machine>,
    setup: DialogueSetup,
    turns: Vec<ScriptedTurn>,
}

impl LineBatch {
    /// The next lines of a file. It ends early where more may be long in coming.
    pub(super) fn read(file: &mut TurnsFile) -> Next<Self> {
        let mut batch = Self {
            lines: Vec::new(),
            fault: None,
            is_dry: false,
        };
        let mut size = 0;
        while size < MAX_BATCH_BYTES && !batch.is_dry {
            match file.read() {
                Ok(Some(line)) => {
                    size += line.len();
                    batch.lines.push(line);
                    batch.is_dry = file.is_dry();
                }
                Ok(None) => break,
                Err(finding) => {
                    batch.fault = Some(finding);
                    break;
                }
            }
        }
        match batch {
            batch if batch.is_dry => Next::LastForNow(batch),
            batch if batch.lines.is_empty() && batch.fault.is_none() => Next::End,
            batch => Next::Item(batch),
        }
    }
}

impl TurnsPlayer<'_> {
    /// Plays lines. One that cannot be played is the last.
    pub(super) fn play(&self, batch: LineBatch) -> PlayedBatch {
        let mut machines = Vec::new();
        let mut dialogues = Vec::with_capacity(batch.lines.len());
        let mut text = Vec::new();
        for line in batch.lines {
            let dialogue = self.dialogue(line, &mut machines, &mut text);
            let is_last = matches!(dialogue.played, Played::Unusable);
            dialogues.push(dialogue);
            if is_last {
                break;
            }
        }
        PlayedBatch {
            dialogues,
            text,
            fault: batch.fault,
            is_dry: batch.is_dry,
        }
    }

    /// Plays a line, unless it is long.
    fn dialogue(
        &self,
        line: TurnsLine,
        machines: &mut LoadedMachines,
        text: &mut Vec<u8>,
    ) -> PlayedDialogue {
        let mut found = Diagnostics::default();
        let mut played = Played::Unusable;
        let node = line.parse(&mut found);
        let dialogue = node
            .as_ref()
            .and_then(|node| ScriptedDialogue::read(node, &mut found));
        let read = dialogue.map(|dialogue| {
            let profile = self.fixed.or(dialogue.profile).unwrap_or(self.usual);
            if self
                .shard
                .is_some_and(|shard| !shard.has_name(&dialogue.name.text))
            {
                played = Played::Elsewhere;
                return (dialogue.name, profile);
            }
            let machine = self.machine(profile, machines);
            let ready = machine.and_then(|machine| self.prepare(&dialogue, machine, &mut found));
            if let Some(ready) = ready {
                played = if line.len() > MAX_LINE_IN_MEMORY {
                    Played::Ready(Box::new(ready))
                } else {
                    let mut writer = TraceWriter::new(&mut *text, self.form);
                    // Writing to memory cannot fail.
                    let _ = ready.play(&dialogue.name, &mut writer);
                    Played::Until(text.len())
                };
            }
            (dialogue.name, profile)
        });
        PlayedDialogue {
            line,
            found,
            read,
            played,
        }
    }

    fn prepare(
        &self,
        dialogue: &ScriptedDialogue<'_>,
        machine: Arc<Machine>,
        found: &mut Diagnostics,
    ) -> Option<ReadyDialogue> {
        let path = |path: &str| self.project.resolve(path, self.turns);
        let setup = DialogueSetup::read(
            &machine,
            None,
            dialogue.signals,
            dialogue.start,
            &path,
            found,
        );
        let turns = dialogue.turns(&machine, found);
        let (setup, turns) = setup.zip(turns).filter(|_| !found.has_errors())?;
        Some(ReadyDialogue {
            machine,
            setup,
            turns,
        })
    }

    /// The machine in a profile; the cache that all threads share is asked once a batch.
    fn machine(&self, profile: Profile, machines: &mut LoadedMachines) -> Option<Arc<Machine>> {
        if let Some((_, machine)) = machines.iter().find(|(known, _)| *known == profile) {
            return machine.clone();
        }
        let machine = self.models.lock().load(self.model, profile);
        machines.push((profile, machine.clone()));
        machine
    }
}

/// Machines by profile, where they can be used.
type LoadedMachines = Vec<(Profile, Option<Arc<Machine>>)>;

impl ReadyDialogue {
    /// Plays it and writes it.
    pub(super) fn play<W: Write>(
        mut self,
        name: &DialogueName,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<()> {
        let start = std::mem::take(&mut self.setup.start);
        let mut runner = self.setup.runner(&self.machine);
        writer
            .play(&name.text, &start, &mut runner, self.turns.iter())
            .map(|_| ())
    }
}
