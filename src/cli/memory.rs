//! `--memory`: the persistent memory of agent cycles.

use std::path::Path;

#[cfg(not(feature = "sqlite"))]
use super::session::not_kept;
use super::{CommandResult, refuse};
#[cfg(feature = "sqlite")]
use fsmsim_adapters::world::{MemoryFile, SessionId, SqliteAudit, SqliteMemory};
use fsmsim_core::engine::Machine;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_runtime::project::Project;
use fsmsim_runtime::runtime::remembers;
#[cfg(feature = "sqlite")]
use fsmsim_syntax::terminal::printable;

/// The name of dialogues without a name in a memory.
#[cfg(feature = "sqlite")]
const DEFAULT_NAME: &str = "run";

/// The memory of the project, next to its sessions.
#[cfg(feature = "sqlite")]
pub(super) fn usual_memory(named: Option<&Path>, project: &Project) -> MemoryFile {
    let path = named.or(project.memory.as_deref()).map(Path::to_path_buf);
    MemoryFile::new(&path.unwrap_or_else(|| project.root.join(".fsmsim").join("memory.sqlite")))
}

/// As `usual_memory`, but creates and reports a missing database.
#[cfg(feature = "sqlite")]
pub(super) fn ready_memory(named: Option<&Path>, project: &Project) -> CommandResult<MemoryFile> {
    let file = usual_memory(named, project);
    if file.ready()? {
        super::tell_lines(&format!(
            "note: the memory `{}` was not there and is created\n",
            printable(&file.shown())
        ));
    }
    Ok(file)
}

/// The memory of a dialogue, and its audit.
pub(super) struct LastingMemory {
    #[cfg(feature = "sqlite")]
    file: MemoryFile,
    #[cfg(feature = "sqlite")]
    name: SessionId,
    #[cfg(feature = "sqlite")]
    is_resumed: bool,
}

impl LastingMemory {
    /// The memory of the arguments or of the project; a dialogue with a name always has one. `session` is its name, and
    /// whether it is resumed. `None` if the model has no memory.
    pub(super) fn find(
        named: Option<&Path>,
        session: Option<(&str, bool)>,
        machine: &Machine,
        project: &Project,
    ) -> CommandResult<Option<Self>> {
        if !remembers(machine) {
            if named.is_none() {
                return Ok(None);
            }
            return refuse(
                "`--memory` is for cycles: this model remembers nothing",
                "leave `--memory` out",
            );
        }
        if named.is_none() && project.memory.is_none() && session.is_none() {
            return Ok(None);
        }
        Self::ready(named, session, project).map(Some)
    }

    #[cfg(feature = "sqlite")]
    fn ready(
        named: Option<&Path>,
        session: Option<(&str, bool)>,
        project: &Project,
    ) -> CommandResult<Self> {
        let (name, is_resumed) = session.unwrap_or((DEFAULT_NAME, false));
        let file = usual_memory(named, project);
        // A resumed dialogue must already have a memory.
        if is_resumed && !file.is_there() {
            return Err(file.missing().into());
        }
        let file = ready_memory(named, project)?;
        Ok(Self {
            file,
            name: SessionId::of(name),
            is_resumed,
        })
    }

    #[cfg(not(feature = "sqlite"))]
    fn ready(_: Option<&Path>, _: Option<(&str, bool)>, _: &Project) -> CommandResult<Self> {
        Err(not_kept("no memory is kept").into())
    }

    /// Connects a new dialogue with the memory, which assigns its ID.
    #[cfg(feature = "sqlite")]
    pub(super) fn join(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        let memory = Box::new(SqliteMemory::new(self.file.clone()));
        Ok(rehearsal.remembering(memory, &self.name, self.is_resumed)?)
    }

    #[cfg(not(feature = "sqlite"))]
    pub(super) fn join(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        Ok(rehearsal)
    }

    /// Connects the dialogue, which already has its journal, with the audit.
    #[cfg(feature = "sqlite")]
    pub(super) fn audit(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        if self.is_resumed
            && !SqliteAudit::new(self.file.clone()).knows(&rehearsal.dialogue().id().text())?
        {
            return Err(self.file.other().into());
        }
        Ok(rehearsal.audited(Box::new(SqliteAudit::new(self.file.clone())))?)
    }

    #[cfg(not(feature = "sqlite"))]
    pub(super) fn audit(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        Ok(rehearsal)
    }
}
