//! `fsmsim mcp`: serve a model to an assistant (the instructions of a set of states, the turns of a flow, the tasks of a cycle), or the
//! workbench to an author.

use std::time::Duration;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::llm::{answerers, tell_usage};
use super::mcp_access::ended;
use super::mcp_args::McpArgs;
use super::twin::{persistent_twin, twins_of_users};
use super::{mcp_author, mcp_cycle};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_server::mcp::{Service, SessionKeeper, UserTwins, serve};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};

/// Runs the command.
pub(super) fn run(args: &McpArgs, context: &mut Context) -> Result<Exit, Stop> {
    if let Some(folder) = &args.author {
        return mcp_author::run(args, folder, context);
    }
    if args.write {
        let finding = Diagnostic::bad_arguments(
            "`--write` is for authors: nothing is saved of a served model",
        );
        return Err(finding.help("write `--author`, or leave it out").into());
    }
    args.access.begin_log();
    let (machine, mut models) = args.options.load(args.model(), context)?;
    if machine.policies.inputs().tasks {
        return mcp_cycle::run(args, &machine, &mut models, context);
    }
    mcp_cycle::refuse_options(args)?;
    #[cfg(not(feature = "sqlite"))]
    if args.keep {
        return Err(super::session::not_kept("no dialogue is kept").into());
    }
    let mut setup =
        DialogueSetup::parse(&machine, &args.start).map_err(|findings| Stop::told(&findings))?;
    let moves = AcceptedInputs::of(&machine).moves;
    if moves && !args.strict {
        setup.permit();
    }
    let answerers = who_reads(args, moves, &mut models, context)?;
    let twins = twins(args, &machine, setup.twin.is_some(), context)?;
    let keeper = keeper(args, &setup, context);
    let (trace, access) = (args.trace()?, args.access.open(context)?);
    let (limits, patience) = (
        args.limits(),
        Duration::from_secs(u64::from(args.consent_within)),
    );
    let told = answerers.clone();
    let served = serve(Service {
        machine,
        setup,
        twins,
        answerers,
        keeper,
        limits,
        patience,
        trace,
        access,
    })?;
    tell_usage(told.as_ref());
    ended(served)
}

/// Who reads what is said. An assistant that leads a dialogue itself reads what its user says.
fn who_reads(
    args: &McpArgs,
    moves: bool,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<AnswererConfig>, Stop> {
    let refused = |option: &str, title: &str, help: &str| {
        Err(Diagnostic::bad_arguments(format!("`{option}` {title}"))
            .help(help)
            .into())
    };
    match args.llm.as_deref() {
        Some(_) if moves => refused(
            "--llm",
            "is for flows and cycles",
            "the dialogues of a set of states are led by the assistant; leave it out",
        ),
        _ if !moves && args.strict => {
            refused("--strict", "is for sets of states", "a flow leads by itself; leave it out")
        }
        Some(who) => answerers(
            who,
            "write `--llm mock:FILE`, `bank`, `live` or `link:NAME`, or several of them with commas between",
            models,
            context,
        )
        .map(Some),
        None => Ok(None),
    }
}

/// Where the data of users is kept: of each his own, where users are told apart.
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

/// Where dialogues are kept that outlive the server.
#[cfg(feature = "sqlite")]
fn keeper(args: &McpArgs, setup: &DialogueSetup, context: &Context) -> Option<SessionKeeper> {
    use fsmsim_adapters::world::{SessionFile, StoredSession};

    args.keep.then(|| {
        let begun = StoredSession {
            model: super::session::place_of(args.model(), &context.project),
            profile: setup.settings.profile.name().to_owned(),
            given: args.start.clone(),
            permissive: !args.strict,
            twin: args.twin.clone(),
            ..StoredSession::default()
        };
        SessionKeeper {
            file: SessionFile::of(&context.project.root),
            begun,
        }
    })
}

/// Nothing can be kept.
#[cfg(not(feature = "sqlite"))]
fn keeper(_: &McpArgs, _: &DialogueSetup, _: &Context) -> Option<SessionKeeper> {
    None
}
