//! `fsmsim mcp`: serves a model or the authoring tools to an assistant. A model provides the instructions of a state
//! set, the turns of a flow or the tasks of an agent cycle.

use std::sync::Arc;
use std::time::Duration;

use super::llm::{AnswererFinder, print_usage};
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
use fsmsim_server::mcp::{Service, SessionPersistence, UserTwins, serve};
use fsmsim_syntax::diagnostic::Checked;

/// Runs the command.
pub(super) fn run(args: &McpArgs, context: &mut Context) -> CommandResult {
    if let Some(folder) = &args.author {
        return mcp_author::run(args, folder, context);
    }
    if args.write {
        return refuse(
            "cannot use `--write` without `--author`",
            "add `--author`, or omit `--write`",
        );
    }
    args.access.begin_log();
    let (machine, mut models) = args.options.load(args.model(), context)?;
    if machine.policies.inputs().tasks {
        return cycle(args, &machine, &mut models, context);
    }
    refuse_given(
        [("--memory", args.memory.is_some())],
        "agent cycles",
        "omit the option: other models have no memory",
    )?;
    #[cfg(not(feature = "sqlite"))]
    if args.persist {
        return Err(super::session::not_kept("save dialogues").into());
    }
    let mut setup = DialogueSetup::parse(&machine, &args.start).map_err(Stop::rendered)?;
    let moves = AcceptedInputs::of(&machine).moves;
    if moves && !args.strict {
        setup.permit();
    }
    if moves {
        refuse_given(
            [("--llm", args.llm.is_some())],
            "flows and agent cycles",
            "omit the option: the assistant selects the states of a state set",
        )?;
    } else {
        refuse_given(
            [("--strict", args.strict)],
            "state sets",
            "omit the option: a flow selects its states itself",
        )?;
    }
    let answerers = answerers(args, &mut models, context)?;
    let twins = twins(args, &machine, setup.twin.is_some(), context)?;
    let keeper = keeper(args, &setup, context);
    let trace = args.trace()?;
    let access = args.access.open(context)?;
    let served = serve(Service {
        machine,
        setup,
        twins,
        answerers: answerers.clone(),
        keeper,
        limits: args.limits(),
        patience: Duration::from_secs(args.consent_timeout.into()),
        trace,
        access,
    })?;
    print_usage(answerers.as_ref());
    ended(served)
}

/// The recognizers of dialogues, or the workers of tasks.
fn answerers(
    args: &McpArgs,
    models: &mut ModelCache,
    context: &mut Context,
) -> CommandResult<Option<AnswererConfig>> {
    let help = "use `--llm mock:FILE`, `examples`, `live` or `provider:NAME`, or several, separated by commas";
    let who = args.llm.as_deref();
    who.map(|who| AnswererFinder::new(models, context).listed(who, help))
        .transpose()
}

/// The store of user data. If the server has users, each user has a separate store.
fn twins(
    args: &McpArgs,
    machine: &Machine,
    names_twin: bool,
    context: &mut Context,
) -> Checked<Option<UserTwins>> {
    if args.twins.twin.is_some() && args.access.distinguishes_users() {
        return twins_of_users(&args.twins, machine, names_twin, context).map(Some);
    }
    Ok(persistent_twin(&args.twins, machine, names_twin, context)?.map(UserTwins::one))
}

/// The store of persistent dialogues.
#[cfg(feature = "sqlite")]
fn keeper(args: &McpArgs, setup: &DialogueSetup, context: &Context) -> Option<SessionPersistence> {
    use fsmsim_adapters::stores::{SessionFile, StoredSession};

    args.persist.then(|| SessionPersistence {
        file: SessionFile::of(&context.project.root),
        begun: StoredSession {
            permissive: !args.strict,
            twin: args.twins.twin.clone(),
            ..begun(args, setup, context)
        },
    })
}

/// A build without databases cannot store dialogues.
#[cfg(not(feature = "sqlite"))]
fn keeper(_: &McpArgs, _: &DialogueSetup, _: &Context) -> Option<SessionPersistence> {
    None
}

/// The initial state of a stored dialogue or task.
#[cfg(feature = "sqlite")]
fn begun(
    args: &McpArgs,
    setup: &DialogueSetup,
    context: &Context,
) -> fsmsim_adapters::stores::StoredSession {
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
    use fsmsim_adapters::stores::{MemoryFile, SessionFile};
    use fsmsim_server::mcp::{CycleService, serve_cycle};

    refuse_given(
        [
            ("--strict", args.strict),
            ("--twin", args.twins.twin.is_some()),
            ("--twin-from", args.twins.twin_from.is_some()),
        ],
        "state sets",
        "omit the option: agent cycles have no undeclared transitions and no digital twin",
    )?;
    refuse_given(
        [("--user-from", args.access.distinguishes_users())],
        "state sets and flows",
        "omit the option: all clients share the tasks of an agent cycle",
    )?;
    if args.persist && args.trace.is_some() {
        return refuse(
            "cannot use `--trace` with `--persist` for an agent cycle",
            "omit `--trace`, and export tasks with `fsmsim sessions export`",
        );
    }
    let answerers = answerers(args, models, context)?;
    let setup = DialogueSetup::parse(machine, &args.start).map_err(Stop::rendered)?;
    let memory = if args.persist || args.memory.is_some() || context.project.memory.is_some() {
        ready_memory(args.memory.as_deref(), &context.project)?
    } else {
        MemoryFile::volatile()?
    };
    let file = || SessionFile::of(&context.project.root);
    let sessions = args.persist.then(|| (file(), begun(args, &setup, context)));
    let trace = args.trace()?;
    let access = args.access.open(context)?;
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
    print_usage(answerers.as_ref());
    ended(served?)
}

/// A build without databases has no memory.
#[cfg(not(feature = "sqlite"))]
fn cycle(_: &McpArgs, _: &Arc<Machine>, _: &mut ModelCache, _: &mut Context) -> CommandResult {
    Err(super::session::not_kept("serve an agent cycle").into())
}

/// Rejects the first given option that only other models support.
fn refuse_given<const N: usize>(
    options: [(&str, bool); N],
    whose: &str,
    help: &str,
) -> CommandResult<()> {
    match options.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => refuse(format!("`{option}` is only for {whose}"), help),
        None => Ok(()),
    }
}
