//! `fsmsim why`: shows the provenance of an artifact.

use std::path::PathBuf;

use clap::Args;

use super::output::TextOrJson;
use super::{CommandResult, Context};

/// Arguments of `why`.
#[derive(Debug, Args)]
pub(super) struct WhyArgs {
    /// The id of what a cycle remembered, as records, audit and memory tell it; its beginning is enough
    artifact: String,
    /// The memory; that of the project, if not said
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// Runs the command.
#[cfg(feature = "sqlite")]
pub(super) fn run(args: &WhyArgs, context: &Context) -> CommandResult {
    use fsmsim_adapters::world::{Explanation, Found};
    use fsmsim_reports::report::{explanation_json, write_explanation};
    use fsmsim_syntax::diagnostic::{Code, Diagnostic, nearest};

    let unknown = |title: String, ids: &[String]| {
        let finding = Diagnostic::error(Code::UnknownArtifact, title);
        ids.iter().fold(finding, |finding, id| {
            finding.note(format!("there is {id}"))
        })
    };
    let file = super::memory::usual_memory(args.memory.as_deref(), &context.project);
    let explanation = match Explanation::find(&file, &args.artifact)? {
        Found::One(explanation) => explanation,
        Found::Several(ids) => {
            let title = format!("several artifacts begin with `{}`", args.artifact);
            return Err(unknown(title, &ids)
                .about(file.shown())
                .help("write more of the id")
                .into());
        }
        Found::Nothing(ids) => {
            let title = format!("there is no artifact `{}`", args.artifact);
            let near = nearest(&args.artifact, ids.iter().map(String::as_str)).map(str::to_owned);
            let finding = unknown(title, &ids).about(file.shown());
            return Err(finding
                .suggest(
                    near.as_deref(),
                    "take one that is there, or name another memory",
                )
                .into());
        }
    };
    args.format.print(
        |out| write_explanation(&explanation, out),
        || explanation_json(&explanation),
    )
}

/// A build without databases has no memory.
#[cfg(not(feature = "sqlite"))]
pub(super) fn run(_: &WhyArgs, _: &Context) -> CommandResult {
    Err(super::session::not_kept("no memory is kept").into())
}
