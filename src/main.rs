//! The binary: parse, dispatch, and map the result to an exit code.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;
use fsmsim::cli::{Cli, Exit, run};

fn main() -> ExitCode {
    let exit = match run(&Cli::parse()) {
        Ok(exit) => exit,
        // Whoever read the results has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => {
            eprintln!("error: the results cannot be written: {error}");
            Exit::Unusable
        }
    };
    ExitCode::from(exit.code())
}
