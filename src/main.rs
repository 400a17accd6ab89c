//! The binary: parse, dispatch, and map the result to an exit code.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;
use fsmsim::cli::{Cli, Exit, run};
use fsmsim_syntax::terminal::tell;

fn main() -> ExitCode {
    let exit = match run(&Cli::parse()) {
        Ok(exit) => exit,
        // Whoever read the results has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            tell(&format!("error: the results cannot be written: {error}\n"));
            Exit::Unusable
        }
    };
    ExitCode::from(exit.code())
}
