//! `fsmsim mcp`: serve the instructions of a set of states to an assistant, the tasks of a cycle, or the workbench to an author.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::twin::persistent_twin;
use super::{mcp_author, mcp_cycle};
use crate::diagnostic::{Code, Diagnostic};
use crate::http::listen;
use crate::mcp::{Served, ServerLimits, Service, TraceFile, serve};
use crate::project::ModelCache;
use crate::runtime::DialogueSetup;
use crate::script::AcceptedInputs;

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// The model: a folder of markdown states, a document with a table of transitions, or a cycle; `PATH@PROFILE` fixes the
    /// profile
    #[arg(required_unless_present = "author")]
    pub(super) model: Option<String>,
    /// Serve the project in this folder, or that of the working directory, to a coding assistant: it lints, plays, tests and draws
    /// the models that it writes. Over standard input and output alone
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = AUTHOR_HAS_NONE)]
    author: Option<PathBuf>,
    /// Let an author save scenarios, below the folder of the project's scenarios; nothing else is ever written
    #[arg(long, requires = "author")]
    pub(super) write: bool,
    /// Serve over HTTP at this address, as `POST /mcp`, instead of over standard input and output; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Refuse moves that the state does not declare, instead of marking them
    #[arg(long)]
    pub(super) strict: bool,
    /// Write the dialogues that have ended to this trace; those that go on stand beside it
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// How each dialogue starts, as under `start` of a scenario: `{twin: twins/full.json, consent: {read: true}}`
    #[arg(long, value_name = "YAML", default_value = "")]
    pub(super) start: String,
    /// The store of the user's data, as in `fsmsim run`: what the dialogues write to a database stays
    #[arg(long, value_name = "FILE[:USER]")]
    pub(super) twin: Option<String>,
    /// A JSON object with the data that the user has at first; only for a user who has none yet
    #[arg(long, value_name = "FILE", requires = "twin")]
    pub(super) twin_from: Option<PathBuf>,
    /// Who works for the tasks of a cycle where the client does not: `mock:FILE`, or `live`, the models of the project
    #[arg(long, value_name = "WHO")]
    pub(super) llm: Option<String>,
    /// The memory of a cycle, and its audit: a database, created where there is none. If nothing is said, and the project
    /// names none, all tasks of the server share one that is gone with it
    #[arg(long, value_name = "FILE")]
    pub(super) memory: Option<PathBuf>,
    /// Keep the tasks of a cycle as sessions of the project: they go on where they were when the server is started again
    #[arg(long, conflicts_with = "trace")]
    pub(super) keep: bool,
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
const AUTHOR_HAS_NONE: [&str; 13] = [
    "model",
    "http",
    "strict",
    "trace",
    "start",
    "twin",
    "twin_from",
    "llm",
    "memory",
    "keep",
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
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let machine = context.load(args.model(), args.profile.as_deref(), &mut models)?;
    if machine.cycle().is_some() {
        return mcp_cycle::run(args, &machine, &mut models, context);
    }
    if !AcceptedInputs::of(&machine).moves {
        let finding = Diagnostic::error(Code::BadArguments, "the model has no instructions that could be served")
            .about(args.model())
            .help("name a folder of markdown states, or a cycle");
        return Err(finding.into());
    }
    mcp_cycle::refuse_options(args)?;
    let mut setup = DialogueSetup::parse(&machine, &args.start).map_err(|findings| Stop::told(&findings))?;
    if !args.strict {
        setup.permit();
    }
    let (twin, from) = (args.twin.as_deref(), args.twin_from.as_deref());
    let twin = persistent_twin(twin, from, &machine, setup.twin.is_some(), context)?;
    let (trace, listener) = (args.trace()?, args.listener(context)?);
    ended(serve(Service { machine, setup, twin, limits: args.limits(), trace, listener })?)
}

/// What a server came to.
pub(super) fn ended(served: Served) -> Result<Exit, Stop> {
    if let Err(error) = served.connections {
        let finding = Diagnostic::error(Code::BadArguments, format!("the connection has failed: {error}"));
        return Err(finding.help("speak the Model Context Protocol, one message a line").into());
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

    /// Where traces go.
    pub(super) fn trace(&self) -> Result<Option<TraceFile>, Stop> {
        Ok(self.trace.as_deref().map(TraceFile::open).transpose()?)
    }

    /// Where connections come in. An address that others can reach is told.
    pub(super) fn listener(&self, context: &mut Context) -> Result<Option<TcpListener>, Stop> {
        let listener = self.http.map(listen).transpose()?;
        if let Some(address) = self.http.filter(|address| !address.ip().is_loopback()) {
            let finding = Diagnostic::warning(Code::OpenPort, format!("{address} can be reached from other machines"));
            context.report_one(finding.help("nobody is asked who they are: use 127.0.0.1, or put a gate before it"));
        }
        Ok(listener)
    }

    /// How many dialogues there may be, and for how long.
    pub(super) fn limits(&self) -> ServerLimits {
        let idle = Duration::from_secs(u64::from(self.idle) * 60);
        ServerLimits { sessions: usize::from(self.sessions), idle, calls: MAX_CALLS }
    }
}
