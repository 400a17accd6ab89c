//! The binary: parse, dispatch, and map the result to an exit code.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches};
use fsmsim::cli::{Cli, Exit, run};
use fsmsim_syntax::diagnostic::nearest;
use fsmsim_syntax::terminal::print_message;

fn main() -> ExitCode {
    let exit = match run(&arguments()) {
        Ok(exit) => exit,
        // The reader of the results has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            print_message(&format!("error: cannot write the results: {error}\n"));
            Exit::Unusable
        }
    };
    ExitCode::from(exit.code())
}

/// Parses the command line. An invalid command line ends the program.
fn arguments() -> Cli {
    // The description of the command line is leaked: dropping it takes a tenth of the startup time.
    let command = Box::leak(Box::new(Cli::command()));
    let cli = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => Cli::from_arg_matches(&matches)
            .map(|mut cli| {
                cli.name_files(command, &matches);
                cli
            })
            .map_err(|error| error.format(command)),
        Err(error) => Err(suggest_option(error, command)),
    };
    cli.unwrap_or_else(|error| error.exit())
}

/// Suggests the option that the user probably meant. clap does not know the former names of options.
fn suggest_option(mut error: Error, command: &Command) -> Error {
    let command = std::env::args_os().skip(1).fold(command, |command, name| {
        command.find_subcommand(name).unwrap_or(command)
    });
    let known = command.get_arguments().filter_map(Arg::get_long);
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && let Some(near) = nearest(option.trim_start_matches('-'), known)
    {
        let near = ContextValue::String(format!("--{near}"));
        error.insert(ContextKind::SuggestedArg, near);
    }
    error
}
