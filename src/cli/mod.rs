//! The command line: one file per command.

mod command_line;
mod completions;
mod context;
mod coverage;
mod diff;
mod docs;
#[cfg(feature = "serve")]
mod docs_pages;
mod eval;
mod eval_args;
mod eval_readers;
mod exit;
mod explain;
mod explore;
mod explore_accept;
mod explore_args;
mod explore_pair;
mod export;
mod file_pattern;
mod flaky;
mod generate;
mod graph;
mod graph_overlays;
#[cfg_attr(
    not(feature = "serve"),
    expect(dead_code, reason = "the commands that use these texts are not built")
)]
mod help;
mod import;
mod init;
mod jobs_args;
mod limits;
mod lint;
mod list;
mod llm;
mod llm_check;
#[cfg(feature = "serve")]
mod lsp;
mod man;
mod mapped_log;
#[cfg(feature = "serve")]
mod mcp;
#[cfg(feature = "serve")]
mod mcp_access;
#[cfg(feature = "serve")]
mod mcp_args;
#[cfg(feature = "serve")]
mod mcp_author;
mod memory;
mod merge;
mod model_args;
mod mutate;
mod open_dialogue;
mod output;
mod progress_line;
mod prompt;
mod report_text;
mod review;
mod review_prompt;
mod run;
mod run_args;
mod run_output;
mod schema;
mod search_watch;
mod selection;
mod session;
#[cfg(feature = "sqlite")]
mod session_commands;
#[cfg(feature = "sqlite")]
mod session_export;
#[cfg(feature = "sqlite")]
mod session_replay;
mod sessions;
mod sessions_args;
mod simulate;
#[cfg(feature = "serve")]
mod studio;
mod test;
mod test_args;
mod test_run;
mod trace;
mod trace_args;
mod trace_log;
mod trust;
mod turns_player;
mod twin;
mod used_files;
mod verify;
mod verify_args;
mod verify_follow;
mod verify_output;
mod why;

pub use context::ColourChoice;
pub use exit::Exit;
use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Parser, Subcommand};
use context::{Context, in_ci, may_write, print_lines};
use exit::{CommandResult, Stop, refuse, refuse_as, refuse_report};
use fsmsim_syntax::diagnostic::Diagnostic;

/// The heading of the options that all commands have.
const GLOBAL: &str = "Global options";

/// Simulate and test dialogues
#[derive(Debug, Parser)]
#[command(name = "fsmsim", version, max_term_width = 100, after_long_help = const { help::examples("fsmsim") })]
pub struct Cli {
    /// Color the output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = GLOBAL)]
    color: ColourChoice,
    /// Allow the external services and environment variables of the project, for this run
    #[arg(long, global = true, help_heading = GLOBAL)]
    trust: bool,
    /// Run in this directory; all paths are relative to it
    #[arg(short = 'C', global = true, value_name = "DIR", help_heading = GLOBAL)]
    directory: Option<PathBuf>,
    /// The arguments that can name files of a project.
    #[arg(skip)]
    named: Vec<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// Defines the commands, each with its arguments and the module that runs it. `if` names the feature that it requires.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident($($args:ident)::+) => $module:ident $(if $feature:tt)?;)+) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $(
                $(#[$about])*
                $(#[cfg(feature = $feature)])?
                #[command(after_long_help = const { help::examples(stringify!($module)) })]
                $name($($args)::+),
            )+
            /// Write the generated pages of the documentation
            #[command(hide = true)]
            Docs(docs::DocsArgs),
        }

        impl Command {
            fn run(&self, context: &mut Context) -> CommandResult {
                match self {
                    $(
                        $(#[cfg(feature = $feature)])?
                        Self::$name(args) => $module::run(args, context),
                    )+
                    Self::Docs(args) => docs::run(args),
                }
            }
        }
    };
}

commands! {
    /// Create a project
    Init(init::InitArgs) => init;
    /// Run a dialogue interactively
    Run(run_args::RunArgs) => run;
    /// Run dialogues and write their traces
    Trace(trace_args::TraceArgs) => trace;
    /// Run scenarios and compare with snapshots
    Test(test_args::TestArgs) => test;
    /// List the scenarios a run would select
    List(list::ListArgs) => list;
    /// Accept or reject pending snapshots
    Review(review::ReviewArgs) => review;
    /// Compare traces, scenarios or models
    Diff(diff::DiffArgs) => diff;
    /// Check a recorded trace against a model
    Verify(verify_args::VerifyArgs) => verify;
    /// Search every dialogue of a model
    Explore(explore_args::ExploreArgs) => explore;
    /// Generate scenarios for what no scenario covers
    Generate(generate::GenerateArgs) => generate;
    /// Check whether scenarios notice changes
    Mutate(mutate::MutateArgs) => mutate;
    /// Run many dialogues with simulated users
    Simulate(simulate::SimulateArgs) => simulate;
    /// Evaluate intent and slot recognition
    Eval(eval_args::EvalArgs) => eval;
    /// Serve a model or the authoring tools over MCP
    Mcp(mcp_args::McpArgs) => mcp if "serve";
    /// Open the studio in a browser
    Studio(studio::StudioArgs) => studio if "serve";
    /// Start the language server
    Lsp(lsp::LspArgs) => lsp if "serve";
    /// Check models for errors and likely mistakes
    Lint(lint::LintArgs) => lint;
    /// Print a prompt without sending it
    Prompt(prompt::PromptArgs) => prompt;
    /// Merge shard reports into one report
    Merge(merge::MergeArgs) => merge;
    /// Report scenarios with varying results
    Flaky(flaky::FlakyArgs) => flaky;
    /// Draw a model as a diagram
    Graph(graph::GraphArgs) => graph;
    /// Convert a flow from another tool
    Import(import::ImportArgs) => import;
    /// Convert a flow to another tool
    Export(export::ExportArgs) => export;
    /// Manage saved sessions
    Sessions(sessions_args::SessionsArgs) => sessions;
    /// Show the provenance of an artifact
    Why(why::WhyArgs) => why;
    /// Check the LLM providers of the project
    Llm(llm_check::LlmArgs) => llm_check;
    /// Print the JSON Schema of a format
    Schema(schema::SchemaArgs) => schema;
    /// Explain a finding or a built-in
    Explain(explain::ExplainArgs) => explain;
    /// Print shell completions
    Completions(completions::CompletionsArgs) => completions;
    /// Write man pages
    Man(man::ManArgs) => man;
}

impl Cli {
    /// Notes the arguments that can name files of a project: the model first, because other files can be anywhere.
    pub fn name_files(&mut self, mut command: &clap::Command, mut matches: &ArgMatches) {
        while let Some((name, inner)) = matches.subcommand() {
            let Some(found) = command.find_subcommand(name) else {
                break;
            };
            (command, matches) = (found, inner);
        }
        let rank = |argument: &&clap::Arg| match argument.get_id().as_str() {
            "model" => Some(0),
            "from" => Some(2),
            // A code, or the name of a session.
            "name" => None,
            _ => argument.is_positional().then_some(1),
        };
        let mut arguments: Vec<_> = command
            .get_arguments()
            .filter(|one| rank(one).is_some())
            .collect();
        arguments.sort_by_key(rank);
        self.named = arguments
            .iter()
            .filter_map(|argument| matches.get_raw(argument.get_id().as_str()))
            .flatten()
            .map(|value| named_file(&value.to_string_lossy()))
            .collect();
    }
}

/// The file in an argument such as `git:REVISION:FILE` or `FILE@PROFILE`.
fn named_file(text: &str) -> PathBuf {
    let of_revision = text
        .strip_prefix("git:")
        .and_then(|rest| rest.split_once(':'));
    let path = of_revision.map_or(text, |(_, path)| path);
    match path.rsplit_once('@') {
        Some((file, _)) if !Path::new(path).exists() => file.into(),
        _ => path.into(),
    }
}

impl Command {
    /// Whether the command requires a valid project in the working directory.
    fn needs_project(&self) -> bool {
        match self {
            // Authors of the project file see its errors in the editor, or in a tool result.
            #[cfg(feature = "serve")]
            Self::Lsp(_) => false,
            #[cfg(feature = "serve")]
            Self::Mcp(args) => !args.is_for_author(),
            _ => true,
        }
    }
}

/// Runs the command line.
///
/// # Errors
/// Returns an error if results cannot be written, except if the reader has closed the pipe.
pub fn run(cli: &Cli) -> io::Result<Exit> {
    colored::control::set_override(
        cli.color
            .resolve(io::IsTerminal::is_terminal(&io::stdout())),
    );
    let entered = cli
        .directory
        .as_ref()
        .map_or(Ok(()), std::env::set_current_dir);
    let (mut context, usable) = Context::new(cli.color, cli.trust, cli.named.clone());
    if let (Err(error), Some(directory)) = (entered, &cli.directory) {
        let title = format!("cannot enter `{}`: {error}", directory.display());
        let help = "use the path of an existing directory";
        context.report_one(Diagnostic::bad_arguments(title).help(help));
        return Ok(Exit::Unusable);
    }
    if !usable && cli.command.needs_project() {
        context.suggest_explain();
        return Ok(Exit::Unusable);
    }
    let exit = match cli.command.run(&mut context) {
        Ok(exit) => exit,
        Err(Stop::Finding(finding)) => {
            context.report_one(*finding);
            Exit::Unusable
        }
        Err(Stop::Told) => Exit::Unusable,
        Err(Stop::Unwritten(error)) => return Err(error),
    };
    if exit != Exit::Ok {
        context.suggest_explain();
    }
    Ok(exit)
}
