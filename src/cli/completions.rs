//! `fsmsim completions`: prints a shell completion script.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::output::print;
use super::{Cli, CommandResult, Context};
use fsmsim_syntax::terminal::Escaping;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(args: &CompletionsArgs, _: &mut Context) -> CommandResult {
    // The generator panics on write errors, so it writes to memory first.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "fsmsim", &mut script);
    print(Escaping::Plain, script)
}
