//! `fsmsim schema`: what the formats look like, as JSON Schemas.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, Stop};
use fsmsim_runtime::schema::FormatSchema;
use fsmsim_syntax::diagnostic::{Diagnostic, listed, nearest};
use fsmsim_syntax::files::write_whole;
use fsmsim_syntax::terminal::{Escaping, stream};

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Of what, such as flow, scenario or trace. Without it, all are listed
    kind: Option<String>,
    /// Write all of them into this folder, each as `KIND.schema.json`
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &SchemaArgs) -> Result<Exit, Stop> {
    let all = FormatSchema::all();
    if let Some(folder) = &args.out {
        write(&all, folder)?;
        return Ok(Exit::Ok);
    }
    let mut out = stream(Escaping::of_text());
    let names = || all.iter().map(|schema| &*schema.name);
    match &args.kind {
        None => {
            let width = names().map(str::len).max().unwrap_or(0);
            for schema in &all {
                writeln!(out, "{:width$}  {}", schema.name, schema.about)?;
            }
        }
        Some(kind) => match all.iter().find(|schema| *schema.name == **kind) {
            Some(schema) => out.write_all(schema.text.as_bytes())?,
            None => {
                let finding = Diagnostic::bad_arguments(format!("there is no schema of `{kind}`"));
                let finding = finding.note(format!("there are {}", listed(names(), all.len())));
                let near = nearest(&kind.to_lowercase(), names());
                return Err(finding.suggest(near, "take one of these").into());
            }
        },
    }
    out.flush()?;
    Ok(Exit::Ok)
}

fn write(all: &[FormatSchema], folder: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(folder).map_err(|error| Diagnostic::unwritten(folder, &error))?;
    for schema in all {
        let path = folder.join(schema.file_name());
        write_whole(&path, &schema.text).map_err(|error| Diagnostic::unwritten(&path, &error))?;
    }
    Ok(())
}
