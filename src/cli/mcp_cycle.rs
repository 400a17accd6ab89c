//! `fsmsim mcp` of a cycle: its tasks are served.

use std::sync::Arc;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::mcp_args::McpArgs;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::Diagnostic;

/// Serves the tasks of a cycle.
#[cfg(feature = "sqlite")]
pub(super) fn run(
    args: &McpArgs,
    machine: &Arc<Machine>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Exit, Stop> {
    use super::llm::{answerers, tell_usage};
    use super::mcp_access::ended;
    use fsmsim_adapters::world::{MemoryFile, SessionFile, StoredSession};
    use fsmsim_runtime::runtime::DialogueSetup;
    use fsmsim_server::mcp::{CycleService, serve_cycle};

    let given = [
        ("--strict", args.strict),
        ("--twin", args.twin.is_some()),
        ("--twin-from", args.twin_from.is_some()),
    ];
    refuse(
        given,
        "sets of states",
        "the tasks of a cycle have no moves and no twin; leave it out",
    )?;
    let users = [("--user-from", args.access.tells_users_apart())];
    refuse(
        users,
        "sets of states and flows",
        "the tasks of a cycle are there for all clients; leave it out",
    )?;
    if args.keep && args.trace.is_some() {
        let finding =
            Diagnostic::bad_arguments("tasks that are kept are in no trace of the server");
        return Err(finding
            .help("leave `--trace` out, and write them by `fsmsim sessions export`")
            .into());
    }
    let help = "write `--llm mock:FILE`, `bank`, `live` or `link:NAME`, or several of them with commas between";
    let answerers = args
        .llm
        .as_deref()
        .map(|who| answerers(who, help, models, context))
        .transpose()?;
    let setup =
        DialogueSetup::parse(machine, &args.start).map_err(|findings| Stop::told(&findings))?;
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
    let (trace, access) = (args.trace()?, args.access.open(context)?);
    let (machine, limits, told) = (Arc::clone(machine), args.limits(), answerers.clone());
    let served = serve_cycle(CycleService {
        machine,
        setup,
        answerers,
        memory,
        sessions,
        limits,
        trace,
        access,
    })?;
    tell_usage(told.as_ref());
    ended(served?)
}

/// There is no memory.
#[cfg(not(feature = "sqlite"))]
pub(super) fn run(
    _: &McpArgs,
    _: &Arc<Machine>,
    _: &mut ModelCache,
    _: &mut Context,
) -> Result<Exit, Stop> {
    Err(super::session::not_kept("no cycle is served").into())
}

/// What is for cycles alone is refused of other models.
pub(super) fn refuse_options(args: &McpArgs) -> Result<(), Stop> {
    refuse(
        [("--memory", args.memory.is_some())],
        "cycles",
        "no other model remembers from dialogue to dialogue; leave it out",
    )
}

/// Tells the first option that is given and is for something else.
fn refuse<const N: usize>(options: [(&str, bool); N], whose: &str, help: &str) -> Result<(), Stop> {
    let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    Err(
        Diagnostic::bad_arguments(format!("`{option}` is for {whose}"))
            .help(help)
            .into(),
    )
}
