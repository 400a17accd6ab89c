//! Runs the dialogues of a turns file in parallel, each on one thread.

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

/// The settings for the dialogues of a turns file.
pub(super) struct TurnsPlayer<'p> {
    pub project: &'p Project,
    pub models: Mutex<ModelCache>,
    pub model: &'p Path,
    /// The profile that overrides the profiles of the dialogues.
    pub fixed: Option<Profile>,
    /// The profile of dialogues that set no profile.
    pub usual: Profile,
    /// The turns file, for relative paths.
    pub turns: &'p Path,
    /// The format of the trace.
    pub form: TraceForm,
    /// The shard to run, by dialogue name; `None` for all.
    pub shard: Option<Shard>,
}

/// Consecutive lines, and the error that ends the file early.
#[derive(Default)]
pub(super) struct LineBatch {
    lines: Vec<TurnsLine>,
    fault: Option<Box<Diagnostic>>,
    /// Whether the next line might be delayed.
    is_dry: bool,
}

/// The results of a batch of lines.
pub(super) struct PlayedBatch {
    pub dialogues: Vec<PlayedDialogue>,
    /// The trace of the finished dialogues, one after the other.
    pub text: Vec<u8>,
    pub fault: Option<Box<Diagnostic>>,
    pub is_dry: bool,
}

/// The result of a line.
pub(super) struct PlayedDialogue {
    pub line: TurnsLine,
    pub found: Diagnostics,
    /// The name and profile of the dialogue, if it is valid.
    pub read: Option<(DialogueName, Profile)>,
    pub played: Played,
}

/// The progress of a dialogue.
pub(super) enum Played {
    /// The dialogue is invalid.
    Unusable,
    /// The dialogue belongs to another shard.
    Elsewhere,
    /// The dialogue is finished, and its trace ends at this offset.
    Until(usize),
    Ready(Box<ReadyDialogue>),
}

pub(super) struct ReadyDialogue {
    machine: Arc<Machine>,
    setup: DialogueSetup,
    turns: Vec<ScriptedTurn>,
}

impl LineBatch {
    /// Reads the next lines of a file. The batch ends early if the next line might be delayed.
    pub(super) fn read(file: &mut TurnsFile) -> Next<Self> {
        let mut batch = Self::default();
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
    /// Runs the lines up to the first invalid one.
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

    /// Runs a line, unless it is too long for memory.
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

    /// The machine for a profile; the shared cache is used once per batch.
    fn machine(&self, profile: Profile, machines: &mut LoadedMachines) -> Option<Arc<Machine>> {
        if let Some((_, machine)) = machines.iter().find(|(known, _)| *known == profile) {
            return machine.clone();
        }
        let machine = self.models.lock().load(self.model, profile);
        machines.push((profile, machine.clone()));
        machine
    }
}

/// Machines by profile; `None` if invalid.
type LoadedMachines = Vec<(Profile, Option<Arc<Machine>>)>;

impl ReadyDialogue {
    /// Runs the dialogue and writes it.
    pub(super) fn play<W: Write>(
        mut self,
        name: &DialogueName,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<()> {
        let start = std::mem::take(&mut self.setup.start);
        let mut runner = self.setup.runner(&self.machine).by_examples();
        writer
            .play(&name.text, &start, &mut runner, self.turns.iter())
            .map(|_| ())
    }
}
