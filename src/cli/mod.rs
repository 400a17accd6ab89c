//! The command line: one file per command.

mod command_line;
mod completions;
mod context;
mod coverage;
mod diff;
#[cfg(feature = "serve")]
mod docs_pages;
mod eval;
mod eval_args;
mod eval_readers;
mod exit;
mod explain;
mod export;
mod flaky;
mod graph;
mod graph_overlays;
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
mod output;
mod progress_line;
mod prompt;
mod rehearse;
mod report_text;
mod review;
mod review_prompt;
mod run;
mod run_args;
mod run_output;
mod schema;
mod selection;
mod session;
#[cfg(feature = "sqlite")]
mod session_export;
#[cfg(feature = "sqlite")]
mod session_replay;
#[cfg(feature = "sqlite")]
mod session_shelf;
mod sessions;
mod sessions_args;
mod simulate;
#[cfg(feature = "serve")]
mod studio;
mod test;
mod test_args;
mod test_run;
mod trace;
mod trust;
mod turns_player;
mod twin;
mod used_files;
mod verify;
mod verify_args;
mod why;

pub use context::ColourChoice;
pub use exit::Exit;
use std::io;

use clap::{Parser, Subcommand};
use context::{Context, in_ci, may_write, tell_lines};
use exit::{CommandResult, Stop, refuse, refuse_file};

/// Simulate dialogues, see why they go where they go, and test them turn by turn
#[derive(Debug, Parser)]
#[command(name = "fsmsim", version, about, max_term_width = 100)]
pub struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColourChoice,
    /// Agree, for this run, to the addresses and environment variables of the project's live models
    #[arg(long, global = true)]
    trust: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a project: a model and scenarios that pass, with comments
    Init(init::InitArgs),
    /// Play a dialogue by hand, turn by turn, and see why it goes where it goes
    Run(run_args::RunArgs),
    /// Play the dialogues of a turns file and print what happened in each turn
    Trace(trace::TraceArgs),
    /// Run scenarios: play them, and compare what happens with what they expect and with their snapshots
    Test(test_args::TestArgs),
    /// Tell which scenarios would run
    List(list::ListArgs),
    /// Decide on snapshots that differ, by what made them differ: accept, reject, look closer
    Review(review::ReviewArgs),
    /// Compare two traces, two sets of scenarios, or two models over the same scenarios
    Diff(diff::DiffArgs),
    /// Hold a recorded trace against a model: does it keep to it, or would the model have done the same
    Verify(verify_args::VerifyArgs),
    /// Play many dialogues with simulated users and count how they end
    Simulate(simulate::SimulateArgs),
    /// Let somebody read labelled utterances, and tell how well: by intent, by slot, how certainly, and against others
    Eval(eval_args::EvalArgs),
    /// Serve a model to an assistant, the tasks of a cycle to clients, or the workbench to a coding assistant, over the Model
    /// Context Protocol
    #[cfg(feature = "serve")]
    Mcp(mcp_args::McpArgs),
    /// Open the workbench in a browser: play a dialogue, go back in time, edit the model while it goes on, run the scenarios
    #[cfg(feature = "serve")]
    Studio(studio::StudioArgs),
    /// Serve an editor over the Language Server Protocol: findings while you type, definitions, completion, renaming
    #[cfg(feature = "serve")]
    Lsp(lsp::LspArgs),
    /// Tell what is wrong with models, and what is probably not meant
    Lint(lint::LintArgs),
    /// Print what a model would be asked: the words, and the schema of the answer. Nobody is asked
    Prompt(prompt::PromptArgs),
    /// Put the reports of shards together to the one of the whole run
    Merge(merge::MergeArgs),
    /// Tell what did not always come out the same in several runs: by scenario, by state, by intent
    Flaky(flaky::FlakyArgs),
    /// Draw a model
    Graph(graph::GraphArgs),
    /// Make a flow of a file that another tool wrote
    Import(import::ImportArgs),
    /// Write a flow for another tool
    Export(export::ExportArgs),
    /// List, show, export and delete the dialogues that are kept under a name
    Sessions(sessions_args::SessionsArgs),
    /// Tell why something is known that a cycle remembers: its task, plan, tests and report, and what began it
    Why(why::WhyArgs),
    /// Ask the live models of the project whether they answer
    Llm(llm_check::LlmArgs),
    /// Print the JSON Schema of a format, for editors and other tools: flows, scenarios, traces and all others
    Schema(schema::SchemaArgs),
    /// Tell what a code of a finding means
    Explain(explain::ExplainArgs),
    /// Print what a shell needs to complete commands and options
    Completions(completions::CompletionsArgs),
    /// Write the pages of the manual
    Man(man::ManArgs),
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
    let (mut context, usable) = Context::new(cli.color, cli.trust);
    if !usable && cli.command.needs_project() {
        context.suggest_explain();
        return Ok(Exit::Unusable);
    }
    let done = match &cli.command {
        Command::Run(args) => run::run(args, &mut context),
        Command::Trace(args) => trace::run(args, &mut context),
        Command::Test(args) => test::run(args, &mut context),
        Command::List(args) => list::run(args, &mut context),
        Command::Review(args) => review::run(args, &mut context),
        Command::Diff(args) => diff::run(args, &mut context),
        Command::Verify(args) => verify::run(args, &mut context),
        Command::Simulate(args) => simulate::run(args, &mut context),
        Command::Eval(args) => eval::run(args, &mut context),
        #[cfg(feature = "serve")]
        Command::Mcp(args) => mcp::run(args, &mut context),
        #[cfg(feature = "serve")]
        Command::Studio(args) => studio::run(args, &mut context),
        #[cfg(feature = "serve")]
        Command::Lsp(args) => lsp::run(args),
        Command::Lint(args) => lint::run(args, &mut context),
        Command::Prompt(args) => prompt::run(args, &mut context),
        Command::Merge(args) => merge::run(args, &mut context),
        Command::Flaky(args) => flaky::run(args, &mut context),
        Command::Graph(args) => graph::run(args, &mut context),
        Command::Import(args) => import::run(args, &mut context),
        Command::Export(args) => export::run(args, &mut context),
        Command::Sessions(args) => sessions::run(args, &mut context),
        Command::Why(args) => why::run(args, &context),
        Command::Llm(args) => llm_check::run(args, &mut context),
        Command::Schema(args) => schema::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Init(args) => init::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    };
    let exit = match done {
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
