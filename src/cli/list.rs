//! `fsmsim list`: lists the scenarios that a run would select.

use std::io::Write;

use clap::{Args, ValueEnum};

use super::model_args::ModelArgs;
use super::output::escaping;
use super::selection::{SelectionArgs, print_missing, print_unevaluated};
use super::{CommandResult, Context, Exit};
use fsmsim_harness::scenario::{Runner, ScenarioFiles};
use fsmsim_harness::selection::ListedScenario;
use fsmsim_reports::report::write_listed;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::terminal::{print_message, results};
use fsmsim_syntax::threads::Mutex;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    options: ModelArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    format: ListFormat,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// One scenario ID per line
    Text,
    /// One JSON object
    Json,
    /// JSON Lines: one object per scenario
    Jsonl,
}

/// Runs the command.
pub(super) fn run(args: &ListArgs, context: &mut Context) -> CommandResult {
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let files = ScenarioFiles::of(&context.project, &args.selection.paths, &mut found);
    context.no_errors(&found)?;
    let filter = args.selection.filter(context)?;
    let models = Mutex::new(args.options.models(&context.project));
    let project = context.project.clone();
    let runner = Runner {
        profile,
        ..Runner::new(&project, &models)
    };
    let mut listed = Vec::new();
    let mut is_usable = true;
    ListedScenario::each(
        &files,
        &filter,
        &runner,
        &mut |scenario| listed.push(scenario),
        &mut |found, sources| {
            is_usable &= !found.has_errors();
            context.report(found, sources);
        },
    );
    let mut out = results(escaping(args.format == ListFormat::Text));
    match args.format {
        ListFormat::Text => write_listed(&listed, &mut out)?,
        ListFormat::Json => {
            writeln!(out, "{:#}", serde_json::json!({ "scenarios": listed }))?;
        }
        ListFormat::Jsonl => {
            for scenario in &listed {
                writeln!(out, "{}", serde_json::json!(scenario))?;
            }
        }
    }
    out.flush()?;
    print_unevaluated(&filter);
    print_missing(&filter);
    context.no_errors(&filter.unknown_names())?;
    if listed.is_empty() && is_usable {
        if !filter.may_be_empty() {
            return Err(
                Diagnostic::error(Code::NoScenario, "no scenario is selected")
                    .help("check the paths and the filters")
                    .into(),
            );
        }
        print_message("no scenario is selected\n");
    }
    Ok(Exit::of([(Exit::Unusable, !is_usable)]))
}
