//! `fsmsim why`: shows the provenance of an artifact.

use std::path::PathBuf;

use clap::Args;

use super::help;
use super::output::TextOrJson;
use super::{CommandResult, Context};

/// Arguments of `why`.
#[derive(Debug, Args)]
pub(super) struct WhyArgs {
    /// ID of an artifact in the memory of an agent cycle, or the start of its ID
    artifact: String,
    #[arg(long, value_name = "FILE", help = help::MEMORY)]
    memory: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// Runs the command.
#[cfg(feature = "sqlite")]
pub(super) fn run(args: &WhyArgs, context: &Context) -> CommandResult {
    use fsmsim_adapters::stores::{Explanation, Found};
    use fsmsim_reports::report::{explanation_json, write_explanation};
    use fsmsim_syntax::diagnostic::{Code, Diagnostic, nearest};

    let unknown = |title: String, ids: &[String]| {
        let finding = Diagnostic::error(Code::UnknownArtifact, title);
        ids.iter().fold(finding, |finding, id| {
            finding.note(format!("known artifact: {id}"))
        })
    };
    let file = super::memory::usual_memory(args.memory.as_deref(), &context.project);
    let explanation = match Explanation::find(&file, &args.artifact)? {
        Found::One(explanation) => explanation,
        Found::Several(ids) => {
            let title = format!("several artifacts start with `{}`", args.artifact);
            return Err(unknown(title, &ids)
                .about(file.shown())
                .help("use more characters of the ID")
                .into());
        }
        Found::Nothing(ids) => {
            let title = format!("unknown artifact `{}`", args.artifact);
            let near = nearest(&args.artifact, ids.iter().map(String::as_str)).map(str::to_owned);
            let finding = unknown(title, &ids).about(file.shown());
            return Err(finding
                .suggest(
                    near.as_deref(),
                    "use a known artifact, or name another memory with `--memory FILE`",
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
    Err(super::session::not_kept("use a memory").into())
}
