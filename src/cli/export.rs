//! `fsmsim export`: converts a flow for another tool.

use clap::{Args, ValueEnum};

use super::model_args::OneModelArgs;
use super::output::print;
use super::{CommandResult, Context};
use fsmsim_dialects::convert::export_xstate;
use fsmsim_reports::report::left_out_list;
use fsmsim_syntax::terminal::{Escaping, print_message};

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Target format
    #[arg(value_enum)]
    format: ExportFormat,
    #[command(flatten)]
    model: OneModelArgs,
}

/// The formats of other tools that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// JSON of an XState machine, version 5
    Xstate,
}

/// Runs the command.
pub(super) fn run(args: &ExportArgs, context: &mut Context) -> CommandResult {
    let (machine, _) = args.model.load(context)?;
    let exported = match args.format {
        ExportFormat::Xstate => export_xstate(&machine)?,
    };
    let exit = print(Escaping::Json, exported.text)?;
    print_message(&left_out_list(&exported.left_out, &machine.files));
    Ok(exit)
}
