//! `fsmsim completions`: what a shell completes.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::Cli;
use super::exit::{Exit, Stop};
use fsmsim_syntax::terminal::{Escaping, stream};

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(args: &CompletionsArgs) -> Result<Exit, Stop> {
    // What is generated panics where it cannot be written, so it is written to memory first.
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "fsmsim", &mut script);
    let mut out = stream(Escaping::Plain);
    out.write_all(&script)?;
    out.flush()?;
    Ok(Exit::Ok)
}
