//! `fsmsim schema`: prints the JSON Schemas of the formats, and of the frames of a model.

use std::path::{Path, PathBuf};

use clap::Args;

use super::model_args::ModelArgs;
use super::output::{print, write_file};
use super::{CommandResult, Context, Exit, refuse};
use fsmsim_runtime::schema::{FormatSchema, frame_schema};
use fsmsim_syntax::diagnostic::{Diagnostic, listed, nearest};
use fsmsim_syntax::terminal::{Escaping, Joined};

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Format, for example `flow`, `scenario` or `trace`, or a model with frames [default: list all formats]
    kind: Option<String>,
    /// Write all schemas to this directory as `KIND.schema.json`
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &SchemaArgs, context: &mut Context) -> CommandResult {
    let all = FormatSchema::all();
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| Diagnostic::unwritten(folder, &error))?;
        for schema in &all {
            write_file(&folder.join(schema.file_name()), &schema.text)?;
        }
        return Ok(Exit::Ok);
    }
    let names = || all.iter().map(|schema| &*schema.name);
    let Some(kind) = &args.kind else {
        let width = names().map(str::len).max().unwrap_or(0);
        let line = |schema: &FormatSchema| format!("{:width$}  {}\n", schema.name, schema.about);
        return print(Escaping::of_text(), all.iter().map(line).joined(""));
    };
    match all.iter().find(|schema| *schema.name == **kind) {
        Some(schema) => print(Escaping::of_text(), &*schema.text),
        None if Path::new(kind).exists() => of_model(kind, context),
        None => {
            let finding = Diagnostic::unknown_argument("format", kind);
            let finding = finding.note(format!("known formats: {}", listed(names(), all.len())));
            let near = nearest(&kind.to_lowercase(), names());
            Err(finding.suggest(near, "use a known format").into())
        }
    }
}

/// Prints the JSON Schema of the frames of a model, with its classes.
fn of_model(model: &str, context: &mut Context) -> CommandResult {
    let (machine, _) = ModelArgs::default().load(model, context)?;
    match frame_schema(&machine) {
        Some(schema) => print(Escaping::Json, format!("{schema:#}\n")),
        None => refuse(
            format!("the model `{model}` has no frames"),
            "use a contract, or a model with `frames`",
        ),
    }
}
