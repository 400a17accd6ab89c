//! `fsmsim mcp`: serve a model to an assistant (the instructions of a set of states, the turns of a flow, the tasks of a cycle), or the
//! workbench to an author.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::llm::{answerers, tell_usage};
use super::mcp_access::McpAccessArgs;
use super::twin::{persistent_twin, twins_of_users};
use super::{mcp_author, mcp_cycle};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_server::mcp::{
    Served, ServerLimits, Service, SessionKeeper, TraceFile, UserTwins, serve,
};
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// The model: a folder of markdown states, a document with a table of transitions, a flow, an interview, or a cycle;
    /// `PATH@PROFILE` fixes the profile
    #[arg(required_unless_present = "author")]
    pub(super) model: Option<String>,
    /// Serve the project in this folder, or that of the working directory, to a coding assistant: it lints, plays, tests and draws
    /// the models that it writes. Over standard input and output alone
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = AUTHOR_HAS_NONE)]
    author: Option<PathBuf>,
    /// Let an author save scenarios, below the folder of the project's scenarios; nothing else is ever written
    #[arg(long, requires = "author")]
    pub(super) write: bool,
    #[command(flatten)]
    pub(super) access: McpAccessArgs,
    /// Refuse moves that the state does not declare, instead of marking them
    #[arg(long)]
    pub(super) strict: bool,
    /// Write the dialogues that have ended to this trace; those that go on stand beside it
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// How each dialogue starts, as under `start` of a scenario: `{twin: twins/full.json, consent: {read: true}}`
    #[arg(long, value_name = "YAML", default_value = "")]
    pub(super) start: String,
    /// The store of the user's data, as in `fsmsim run`: what the dialogues write to a database stays
    #[arg(long, value_name = "FILE[:USER]")]
    pub(super) twin: Option<String>,
    /// A JSON object with the data that the user has at first; only for a user who has none yet
    #[arg(long, value_name = "FILE", requires = "twin")]
    pub(super) twin_from: Option<PathBuf>,
    /// Who reads what is said in a flow, or works for the tasks of a cycle where the client does not: `mock:FILE`, `bank`,
    /// `live`, the models of the project, or `link:NAME`, one of them
    #[arg(long, value_name = "WHO")]
    pub(super) llm: Option<String>,
    /// The memory of a cycle, and its audit: a database, created where there is none. If nothing is said, and the project
    /// names none, all tasks of the server share one that is gone with it
    #[arg(long, value_name = "FILE")]
    pub(super) memory: Option<PathBuf>,
    /// Keep dialogues, or the tasks of a cycle, as sessions of the project: they go on where they were when the server is
    /// started again
    #[arg(long)]
    pub(super) keep: bool,
    /// Seconds in which a user who is asked about the data answers, where the client can ask
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u16).range(1..=3600))]
    consent_within: u16,
    /// Dialogues at once; where there are as many, the one that was idle longest ends
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    sessions: u16,
    /// Minutes without a call after which a dialogue ends
    #[arg(long, value_name = "MINUTES", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    idle: u16,
    /// The profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    pub(super) config: Option<PathBuf>,
}

/// What an author is not served with.
const AUTHOR_HAS_NONE: [&str; 20] = [
    "model",
    "http",
    "token_env",
    "allow_host",
    "allow_origin",
    "user_from",
    "rate",
    "log",
    "strict",
    "trace",
    "start",
    "twin",
    "twin_from",
    "llm",
    "memory",
    "keep",
    "consent_within",
    "sessions",
    "idle",
    "profile",
];

/// Calls of one dialogue, after which it ends.
const MAX_CALLS: u32 = 10_000;

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
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let machine = context.load(args.model(), args.profile.as_deref(), &mut models)?;
    if machine.cycle().is_some() {
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

/// What a server came to.
pub(super) fn ended(served: Served) -> Result<Exit, Stop> {
    if let Err(error) = served.connections {
        let finding = Diagnostic::bad_arguments(format!("the connection has failed: {error}"));
        return Err(finding
            .help("speak the Model Context Protocol, one message a line")
            .into());
    }
    served.traces?;
    Ok(Exit::Ok)
}

impl McpArgs {
    /// Whether the workbench is served.
    pub(super) fn is_for_author(&self) -> bool {
        self.author.is_some()
    }

    /// The model as it is named.
    pub(super) fn model(&self) -> &str {
        self.model.as_deref().unwrap_or_default()
    }

    /// Where traces go. Dialogues that are kept go on beside it.
    pub(super) fn trace(&self) -> Result<Option<TraceFile>, Stop> {
        let open = if self.keep {
            TraceFile::open_beside_sessions
        } else {
            TraceFile::open
        };
        Ok(self.trace.as_deref().map(open).transpose()?)
    }

    /// How many dialogues there may be, and for how long.
    pub(super) fn limits(&self) -> ServerLimits {
        let idle = Duration::from_secs(u64::from(self.idle) * 60);
        ServerLimits {
            sessions: usize::from(self.sessions),
            idle,
            calls: MAX_CALLS,
        }
    }
}
