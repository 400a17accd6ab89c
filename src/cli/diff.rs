//! `fsmsim diff`: compares traces, scenarios or models.

use std::path::PathBuf;

use clap::Args;
use strum::VariantArray;

use super::jobs_args::JobsArgs;
use super::model_args::ModelArgs;
use super::output::TextOrJson;
use super::{CommandResult, Context, Exit, Stop, refuse};
use fsmsim_harness::diff::{
    DialogueDiff, DialogueStream, DiffOperand, DiffOptions, DiffOutcome, DifferenceKind, ModelDiff,
    NamedFiles, Sides, StateRenames,
};
use fsmsim_harness::scenario::Runner;
use fsmsim_reports::report::{DifferenceReport, ReportKind, ReportTarget};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::Mutex;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// A trace (`.jsonl`, `-` is standard input), scenarios (a file, a folder or a project), or a model: `PATH`,
    /// `PATH@PROFILE`. `git:REVISION:PATH` is what it was in a revision, `git:REVISION` the other side in that revision
    a: String,
    /// The same, to compare with
    b: String,
    /// Scenarios over which two models are compared: those that name one of them; without any, those of the project
    #[arg(long, value_name = "PATH", num_args = 1..)]
    scenarios: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    /// Write a report, `json` or `html`: to a file, or in place of the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
    /// Print the causes only, not every dialogue that differs
    #[arg(long)]
    causes: bool,
    /// Turns that are shown before and behind the first difference of a dialogue
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=1000))]
    context: u16,
    /// Only differences of these kinds: turns, state, phase, class, carryover, action, effect, data, reason, input
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    only: Vec<String>,
    /// A state of the first side has another name on the second; may be given several times
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<String>,
    #[command(flatten)]
    options: ModelArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// The report kinds of a comparison.
const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];

/// Runs the command.
pub(super) fn run(args: &DiffArgs, context: &mut Context) -> CommandResult {
    let targets = ReportTarget::with_format(&args.report, args.format.report())?;
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let only = kinds(&args.only, &mut found);
    let renames = StateRenames::read(&args.rename, &mut found).unwrap_or_default();
    let mut sources = SourceMap::default();
    let operands = DiffOperand::pair(
        Sides {
            a: &args.a,
            b: &args.b,
        },
        &mut sources,
        &mut found,
    );
    let operands = context.usable(operands, &found, &sources)?;
    let is_model = matches!(operands.a, DiffOperand::Model(..));
    for (option, is_given) in [
        ("--scenarios", !is_model && !args.scenarios.is_empty()),
        (
            "--profile",
            operands.are_traces() && args.options.profile.is_some(),
        ),
        (
            "--config",
            operands.are_traces() && args.options.config.is_some(),
        ),
    ] {
        if is_given {
            let title = format!(
                "`{option}` is for models, and these are {} and {}",
                operands.a.kind(),
                operands.b.kind()
            );
            return refuse(title, "leave it out");
        }
    }
    let threads = args.jobs.threads()?;
    let project = context.project.clone();
    let models = Mutex::new(args.options.models(&context.project));
    let runner = |project| Runner {
        profile,
        ..Runner::new(project, &models)
    };
    let mut found = Diagnostics::default();
    // The scenarios of each side refer to their own project.
    let runners = operands.as_ref().map(|operand| match operand {
        DiffOperand::Scenarios(scenarios) => {
            context.rename(&scenarios.names());
            runner(scenarios.project.as_ref().unwrap_or(&project))
        }
        _ => runner(&project),
    });
    let runner = runner(&project);
    let options = DiffOptions {
        only: &only,
        context: args.context.into(),
        renames: &renames,
    };
    let outcome = if let Some(candidates) = operands.as_ref().map(DiffOperand::candidate).both() {
        context.rename(&candidates.a.names);
        context.rename(&candidates.b.names);
        let given = &args.scenarios;
        let paths = if given.is_empty() {
            vec![project.scenarios.clone()]
        } else {
            given.clone()
        };
        let diff = ModelDiff {
            runner: &runner,
            candidates,
            options,
        };
        Some(diff.run(&paths, &threads, &mut found, &mut sources))
    } else {
        let Sides { a, b } = &operands;
        let streams = Sides {
            a: DialogueStream::open(a, &runners.a, &threads, &mut found),
            b: DialogueStream::open(b, &runners.b, &threads, &mut found),
        };
        let diff = streams
            .both()
            .map(|streams| DialogueDiff { streams, options });
        diff.map(|diff| diff.run(&threads, &mut found, &mut sources))
    };
    let DiffOutcome {
        comparison,
        named,
        unread,
    } = outcome.unwrap_or_default();
    let mut cache = models.lock();
    for NamedFiles { models, mocks } in &named {
        context.report_loaded(&mut cache, models, mocks);
    }
    context.report(&found, &sources);
    let comparison = comparison.ok_or(Stop::Told)?;
    let exit = Exit::of([
        (
            Exit::Unusable,
            found.has_errors() || comparison.counts.unplayable > 0,
        ),
        (Exit::Failed, !comparison.is_same()),
        (Exit::Unavailable, unread),
    ]);
    let comparison = if args.causes {
        comparison.without_dialogues()
    } else {
        comparison
    };
    let report = DifferenceReport {
        a: args.a.clone(),
        b: args.b.clone(),
        comparison,
    };
    ReportTarget::write_all(&targets, |kind, out| report.write(kind, out)).map(|()| exit)
}

/// The kinds with these names.
fn kinds(names: &[String], found: &mut Diagnostics) -> Vec<DifferenceKind> {
    let kind = |name: &String| {
        name.parse().ok().or_else(|| {
            let title = format!("`--only` names `{name}`, which is no kind of difference");
            let known = DifferenceKind::VARIANTS.iter().map(|kind| kind.name());
            Diagnostic::bad_arguments(title)
                .offer(name, "kinds", known)
                .refuse(found)
        })
    };
    names.iter().filter_map(kind).collect()
}
