//! `--memory`: the persistent memory of agent cycles.

use std::path::Path;

#[cfg(not(feature = "sqlite"))]
use super::session::not_kept;
use super::{CommandResult, refuse};
#[cfg(feature = "sqlite")]
use fsmsim_adapters::stores::{MemoryFile, SessionId, SqliteAudit, SqliteMemory};
use fsmsim_core::engine::Machine;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_runtime::project::Project;
use fsmsim_runtime::runtime::remembers;
#[cfg(feature = "sqlite")]
use fsmsim_syntax::terminal::printable;

/// The name that a memory uses for unnamed dialogues.
#[cfg(feature = "sqlite")]
const DEFAULT_NAME: &str = "run";

/// The memory of the project, next to its sessions.
#[cfg(feature = "sqlite")]
pub(super) fn usual_memory(named: Option<&Path>, project: &Project) -> MemoryFile {
    let path = named.or(project.memory.as_deref()).map(Path::to_path_buf);
    MemoryFile::new(&path.unwrap_or_else(|| project.root.join(".fsmsim").join("memory.sqlite")))
}

/// Like `usual_memory`, but creates and reports a missing database.
#[cfg(feature = "sqlite")]
pub(super) fn ready_memory(named: Option<&Path>, project: &Project) -> CommandResult<MemoryFile> {
    let file = usual_memory(named, project);
    if file.ready()? {
        super::print_lines(&format!(
            "note: created the memory `{}`\n",
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
    /// The memory from the arguments or the project; a named dialogue always has one. `session` is the name of the
    /// dialogue, and whether it is resumed. `None` if the model has no memory.
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
            return refuse("`--memory` is only for agent cycles", "omit `--memory`");
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
        Err(not_kept("use a memory").into())
    }

    /// Connects a new dialogue to the memory, which assigns its ID.
    pub(super) fn join(
        &self,
        interactive: InteractiveDialogue,
    ) -> CommandResult<InteractiveDialogue> {
        #[cfg(feature = "sqlite")]
        let interactive = {
            let memory = Box::new(SqliteMemory::new(self.file.clone()));
            interactive.remembering(memory, &self.name, self.is_resumed)?
        };
        Ok(interactive)
    }

    /// Connects the dialogue, which already has its journal, to the audit.
    pub(super) fn audit(
        &self,
        interactive: InteractiveDialogue,
    ) -> CommandResult<InteractiveDialogue> {
        #[cfg(feature = "sqlite")]
        let interactive = {
            let audit = || SqliteAudit::new(self.file.clone());
            if self.is_resumed && !audit().knows(&interactive.dialogue().id().text())? {
                return Err(self.file.other().into());
            }
            interactive.audited(Box::new(audit()))?
        };
        Ok(interactive)
    }
}
