//! `fsmsim export`: a flow for another tool.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::context::Context;
use super::exit::{Exit, Stop};
use fsmsim_dialects::convert::export_xstate;
use fsmsim_reports::report::left_out_list;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::terminal::{Escaping, stream, tell};

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// What is to read it
    #[arg(value_enum)]
    format: ExportFormat,
    /// The model: a folder with `flow.yaml` or with states in markdown, or a file (a flow, an interview, a contract, a cycle; a
    /// document with a table of transitions); `PATH@PROFILE` fixes the profile
    model: String,
    /// The profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
}

/// The formats of other tools that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The JSON of an XState machine, version 5
    Xstate,
}

/// Runs the command.
pub(super) fn run(args: &ExportArgs, context: &mut Context) -> Result<Exit, Stop> {
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let machine = context.load(&args.model, args.profile.as_deref(), &mut models)?;
    let exported = match args.format {
        ExportFormat::Xstate => export_xstate(&machine)?,
    };
    let mut out = stream(Escaping::Json);
    out.write_all(exported.text.as_bytes())?;
    out.flush()?;
    tell(&left_out_list(&exported.left_out, &machine.files));
    Ok(Exit::Ok)
}
