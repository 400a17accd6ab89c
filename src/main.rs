//! The binary: parse, dispatch, and map the result to an exit code.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use fsmsim::cli::{Cli, Exit, run};
use fsmsim_syntax::terminal::tell;

fn main() -> ExitCode {
    let exit = match run(&arguments()) {
        Ok(exit) => exit,
        // The reader of the results has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            tell(&format!("error: the results cannot be written: {error}\n"));
            Exit::Unusable
        }
    };
    ExitCode::from(exit.code())
}

/// Parses the command line. An invalid one ends the program.
fn arguments() -> Cli {
    // The description of the command line is leaked: dropping it takes a tenth of the startup time.
    let command = Box::leak(Box::new(Cli::command()));
    let cli = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(mut matches) => {
            Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(command))
        }
        Err(error) => Err(error),
    };
    cli.unwrap_or_else(|error| error.exit())
}
