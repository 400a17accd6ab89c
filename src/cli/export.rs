//! `fsmsim export`: a flow for another tool.

use std::io::Write;

use clap::{Args, ValueEnum};

use super::context::Context;
use super::exit::{Exit, Stop};
use super::model_args::OneModelArgs;
use fsmsim_dialects::convert::export_xstate;
use fsmsim_reports::report::left_out_list;
use fsmsim_syntax::terminal::{Escaping, stream, tell};

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// What is to read it
    #[arg(value_enum)]
    format: ExportFormat,
    #[command(flatten)]
    model: OneModelArgs,
}

/// The formats of other tools that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The JSON of an XState machine, version 5
    Xstate,
}

/// Runs the command.
pub(super) fn run(args: &ExportArgs, context: &mut Context) -> Result<Exit, Stop> {
    let (machine, _) = args.model.load(context)?;
    let exported = match args.format {
        ExportFormat::Xstate => export_xstate(&machine)?,
    };
    let mut out = stream(Escaping::Json);
    out.write_all(exported.text.as_bytes())?;
    out.flush()?;
    tell(&left_out_list(&exported.left_out, &machine.files));
    Ok(Exit::Ok)
}
