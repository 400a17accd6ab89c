//! `fsmsim mcp`: serves a model to an assistant (the instructions of a state set, the turns of a flow, the tasks of an
//! agent cycle), or the authoring tools.

use std::sync::Arc;
use std::time::Duration;

use super::llm::{AnswererFinder, tell_usage};
use super::mcp_access::ended;
use super::mcp_args::McpArgs;
use super::mcp_author;
use super::twin::{persistent_twin, twins_of_users};
use super::{CommandResult, Context, Stop, refuse};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_server::mcp::{Service, SessionKeeper, UserTwins, serve};
use fsmsim_syntax::diagnostic::Checked;

/// Runs the command.
pub(super) fn run(args: &McpArgs, context: &mut Context) -> CommandResult {
    if let Some(folder) = &args.author {
        return mcp_author::run(args, folder, context);
    }
    if args.write {
        return refuse(
            "`--write` is for authors: nothing is saved of a served model",
            "write `--author`, or leave it out",
        );
    }
    args.access.begin_log();
    let (machine, mut models) = args.options.load(args.model(), context)?;
    if machine.policies.inputs().tasks {
        return cycle(args, &machine, &mut models, context);
    }
    refuse_given(
        [("--memory", args.memory.is_some())],
        "cycles",
        "no other model remembers from dialogue to dialogue; leave it out",
    )?;
    #[cfg(not(feature = "sqlite"))]
    if args.keep {
        return Err(super::session::not_kept("no dialogue is kept").into());
    }
    let mut setup = DialogueSetup::parse(&machine, &args.start).map_err(Stop::told)?;
    let moves = AcceptedInputs::of(&machine).moves;
    if moves && !args.strict {
        setup.permit();
    }
    if moves {
        refuse_given(
            [("--llm", args.llm.is_some())],
            "flows and cycles",
            "the dialogues of a set of states are led by the assistant; leave it out",
        )?;
    } else {
        refuse_given(
            [("--strict", args.strict)],
            "sets of states",
            "a flow leads by itself; leave it out",
        )?;
    }
    let answerers = answerers(args, &mut models, context)?;
    let twins = twins(args, &machine, setup.twin.is_some(), context)?;
    let keeper = keeper(args, &setup, context);
    let (trace, access) = (args.trace()?, args.access.open(context)?);
    let served = serve(Service {
        machine,
        setup,
        twins,
        answerers: answerers.clone(),
        keeper,
        limits: args.limits(),
        patience: Duration::from_secs(args.consent_within.into()),
        trace,
        access,
    })?;
    tell_usage(answerers.as_ref());
    ended(served)
}

/// The recognizers of dialogues, or the workers of tasks.
fn answerers(
    args: &McpArgs,
    models: &mut ModelCache,
    context: &mut Context,
) -> CommandResult<Option<AnswererConfig>> {
    let help = "write `--llm mock:FILE`, `bank`, `live` or `link:NAME`, or several of them with commas between";
    let who = args.llm.as_deref();
    who.map(|who| AnswererFinder::new(models, context).listed(who, help))
        .transpose()
}

/// The store of user data; with user names, a separate one per user.
fn twins(
    args: &McpArgs,
    machine: &Machine,
    names_twin: bool,
    context: &mut Context,
) -> Checked<Option<UserTwins>> {
    let (twin, from) = (args.twin.as_deref(), args.twin_from.as_deref());
    match twin.filter(|_| args.access.tells_users_apart()) {
        Some(twin) => twins_of_users(twin, from, machine, names_twin, context).map(Some),
        None => Ok(persistent_twin(twin, from, machine, names_twin, context)?.map(UserTwins::one)),
    }
}

/// The store of persistent dialogues.
#[cfg(feature = "sqlite")]
fn keeper(args: &McpArgs, setup: &DialogueSetup, context: &Context) -> Option<SessionKeeper> {
    use fsmsim_adapters::world::{SessionFile, StoredSession};

    args.keep.then(|| SessionKeeper {
        file: SessionFile::of(&context.project.root),
        begun: StoredSession {
            permissive: !args.strict,
            twin: args.twin.clone(),
            ..begun(args, setup, context)
        },
    })
}

/// A build without databases cannot store dialogues.
#[cfg(not(feature = "sqlite"))]
fn keeper(_: &McpArgs, _: &DialogueSetup, _: &Context) -> Option<SessionKeeper> {
    None
}

/// The initial state of a stored dialogue or task.
#[cfg(feature = "sqlite")]
fn begun(
    args: &McpArgs,
    setup: &DialogueSetup,
    context: &Context,
) -> fsmsim_adapters::world::StoredSession {
    let profile = setup.settings.profile;
    super::session::beginning(args.model(), profile, &args.start, &context.project)
}

/// Serves the tasks of an agent cycle.
#[cfg(feature = "sqlite")]
fn cycle(
    args: &McpArgs,
    machine: &Arc<Machine>,
    models: &mut ModelCache,
    context: &mut Context,
) -> CommandResult {
    use super::memory::ready_memory;
    use fsmsim_adapters::world::{MemoryFile, SessionFile};
    use fsmsim_server::mcp::{CycleService, serve_cycle};

    refuse_given(
        [
            ("--strict", args.strict),
            ("--twin", args.twin.is_some()),
            ("--twin-from", args.twin_from.is_some()),
        ],
        "sets of states",
        "the tasks of a cycle have no moves and no twin; leave it out",
    )?;
    refuse_given(
        [("--user-from", args.access.tells_users_apart())],
        "sets of states and flows",
        "the tasks of a cycle are there for all clients; leave it out",
    )?;
    if args.keep && args.trace.is_some() {
        return refuse(
            "tasks that are kept are in no trace of the server",
            "leave `--trace` out, and write them by `fsmsim sessions export`",
        );
    }
    let answerers = answerers(args, models, context)?;
    let setup = DialogueSetup::parse(machine, &args.start).map_err(Stop::told)?;
    let memory = if args.keep || args.memory.is_some() || context.project.memory.is_some() {
        ready_memory(args.memory.as_deref(), &context.project)?
    } else {
        MemoryFile::volatile()?
    };
    let file = || SessionFile::of(&context.project.root);
    let sessions = args.keep.then(|| (file(), begun(args, &setup, context)));
    let (trace, access) = (args.trace()?, args.access.open(context)?);
    let served = serve_cycle(CycleService {
        machine: Arc::clone(machine),
        setup,
        answerers: answerers.clone(),
        memory,
        sessions,
        limits: args.limits(),
        trace,
        access,
    })?;
    tell_usage(answerers.as_ref());
    ended(served?)
}

/// A build without databases has no memory.
#[cfg(not(feature = "sqlite"))]
fn cycle(_: &McpArgs, _: &Arc<Machine>, _: &mut ModelCache, _: &mut Context) -> CommandResult {
    Err(super::session::not_kept("no cycle is served").into())
}

/// Rejects the first given option that is for other models.
fn refuse_given<const N: usize>(
    options: [(&str, bool); N],
    whose: &str,
    help: &str,
) -> CommandResult<()> {
    match options.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => refuse(format!("`{option}` is for {whose}"), help),
        None => Ok(()),
    }
}
