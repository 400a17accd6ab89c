//! `fsmsim schema`: the contracts of cycles as JSON Schemas.

use std::io::Write;

use clap::Args;

use super::exit::{Exit, Stop};
use crate::diagnostic::{Code, Diagnostic, listed, nearest};
use crate::project::CycleSchema;
use crate::terminal::{Escaping, stream};

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Of what: observation, memory-artifact, capability, action-result or agent-state. Without it, these are listed
    kind: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &SchemaArgs) -> Result<Exit, Stop> {
    let mut out = stream(Escaping::of_text());
    let names = || CycleSchema::ALL.iter().map(|schema| schema.name());
    match &args.kind {
        None => {
            let width = names().map(str::len).max().unwrap_or(0);
            for schema in CycleSchema::ALL {
                writeln!(out, "{:width$}  {}", schema.name(), schema.about())?;
            }
        }
        Some(kind) => match CycleSchema::ALL.iter().find(|schema| schema.name() == kind) {
            Some(schema) => out.write_all(schema.text().as_bytes())?,
            None => {
                let finding = Diagnostic::error(Code::BadArguments, format!("there is no schema of `{kind}`"));
                let finding = finding.note(format!("there are {}", listed(names(), CycleSchema::ALL.len())));
                let near = nearest(&kind.to_lowercase(), names());
                return Err(finding.suggest(near, "take one of these").into());
            }
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
}
