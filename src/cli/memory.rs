//! `--memory`: where cycles remember what is there to stay.

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

/// How dialogues are called in a memory that have no name of their own.
#[cfg(feature = "sqlite")]
const NAMELESS: &str = "run";

/// The memory of the project beside its sessions.
#[cfg(feature = "sqlite")]
pub(super) fn usual_memory(named: Option<&Path>, project: &Project) -> MemoryFile {
    let path = named.or(project.memory.as_deref()).map(Path::to_path_buf);
    MemoryFile::new(&path.unwrap_or_else(|| project.root.join(".fsmsim").join("memory.sqlite")))
}

/// The same, created where there is none, which is told.
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

/// The memory in which a dialogue remembers, and its audit.
pub(super) struct LastingMemory {
    #[cfg(feature = "sqlite")]
    file: MemoryFile,
    #[cfg(feature = "sqlite")]
    name: SessionId,
    #[cfg(feature = "sqlite")]
    goes_on: bool,
}

impl LastingMemory {
    /// The memory that is named: by the arguments, or by the project; a dialogue with a name has one at all events. `session` is
    /// that name, and whether the dialogue goes on. Nothing where the model has none.
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
        let (name, goes_on) = session.unwrap_or((NAMELESS, false));
        let file = usual_memory(named, project);
        // What goes on was remembered somewhere already.
        if goes_on && !file.is_there() {
            return Err(file.missing().into());
        }
        let file = ready_memory(named, project)?;
        Ok(Self {
            file,
            name: SessionId::of(name),
            goes_on,
        })
    }

    #[cfg(not(feature = "sqlite"))]
    fn ready(_: Option<&Path>, _: Option<(&str, bool)>, _: &Project) -> CommandResult<Self> {
        Err(not_kept("no memory is kept").into())
    }

    /// Lets a dialogue that begins remember there. Its id is the one under which it is known there from now on.
    #[cfg(feature = "sqlite")]
    pub(super) fn join(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        let memory = Box::new(SqliteMemory::new(self.file.clone()));
        Ok(rehearsal.remembering(memory, &self.name, self.goes_on)?)
    }

    #[cfg(not(feature = "sqlite"))]
    pub(super) fn join(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        Ok(rehearsal)
    }

    /// Keeps the audit of the dialogue, which has its journal by now.
    #[cfg(feature = "sqlite")]
    pub(super) fn audit(&self, rehearsal: Rehearsal) -> CommandResult<Rehearsal> {
        if self.goes_on
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
