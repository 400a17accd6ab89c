//! `fsmsim mcp` of a cycle: its tasks are served.

use std::sync::Arc;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::mcp::McpArgs;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Machine;
use crate::project::ModelCache;

/// Serves the tasks of a cycle.
#[cfg(feature = "sqlite")]
pub(super) fn run(
    args: &McpArgs,
    machine: &Arc<Machine>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Exit, Stop> {
    use super::llm::{answerers, tell_usage};
    use super::mcp::ended;
    use crate::mcp::{CycleService, serve_cycle};
    use crate::runtime::DialogueSetup;
    use crate::world::{MemoryFile, SessionFile, StoredSession};

    let given = [("--strict", args.strict), ("--twin", args.twin.is_some()), ("--twin-from", args.twin_from.is_some())];
    refuse(given, "sets of states", "the tasks of a cycle have no moves and no twin; leave it out")?;
    let help = "write `--llm mock:FILE`, `bank` or `live`, or several of them with commas between";
    let answerers = args.llm.as_deref().map(|who| answerers(who, help, models, context)).transpose()?;
    let setup = DialogueSetup::parse(machine, &args.start).map_err(|findings| Stop::told(&findings))?;
    let memory = if args.keep || args.memory.is_some() || context.project.memory.is_some() {
        super::memory::ready_memory(args.memory.as_deref(), &context.project)?
    } else {
        MemoryFile::volatile()?
    };
    let sessions = args.keep.then(|| {
        let begun = StoredSession {
            model: super::session::place_of(args.model(), &context.project),
            profile: setup.settings.profile.name().to_owned(),
            given: args.start.clone(),
            ..StoredSession::default()
        };
        (SessionFile::of(&context.project.root), begun)
    });
    let (trace, listener) = (args.trace()?, args.listener(context)?);
    let (machine, limits, told) = (Arc::clone(machine), args.limits(), answerers.clone());
    let served = serve_cycle(CycleService { machine, setup, answerers, memory, sessions, limits, trace, listener })?;
    tell_usage(told.as_ref());
    ended(served?)
}

/// There is no memory.
#[cfg(not(feature = "sqlite"))]
pub(super) fn run(_: &McpArgs, _: &Arc<Machine>, _: &mut ModelCache, _: &mut Context) -> Result<Exit, Stop> {
    Err(super::session::not_kept("no cycle is served").into())
}

/// What is for cycles alone is refused of a set of states.
pub(super) fn refuse_options(args: &McpArgs) -> Result<(), Stop> {
    let given = [("--llm", args.llm.is_some()), ("--memory", args.memory.is_some()), ("--keep", args.keep)];
    refuse(given, "cycles", "the dialogues of a set of states are led by the assistant; leave it out")
}

/// Tells the first option that is given and is for something else.
fn refuse(options: [(&str, bool); 3], whose: &str, help: &str) -> Result<(), Stop> {
    let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    Err(Diagnostic::error(Code::BadArguments, format!("`{option}` is for {whose}")).help(help).into())
}
