//! `fsmsim diff`: compares traces, scenarios or models.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use strum::VariantArray;

use super::explore_pair::{differs, is_open};
use super::jobs_args::JobsArgs;
use super::limits::MAX_PROVED_TURNS;
use super::mapped_log::LogArgs;
use super::model_args::ModelArgs;
use super::output::OutputArgs;
use super::search_watch::watched;
use super::{CommandResult, Context, Exit, Stop, refuse};
use fsmsim_core::engine::Machine;
use fsmsim_harness::diff::{
    Candidate, DialogueDiff, DialogueStream, DiffOperand, DiffOptions, DiffOutcome, DifferenceKind,
    ModelDiff, NamedFiles, Sides, StateRenames,
};
use fsmsim_harness::scenario::Runner;
use fsmsim_reports::report::{DifferenceReport, ReportKind, ReportTarget};
use fsmsim_search::search::{Bounds, Equivalence, SearchBound, SearchProgress, compare};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::is_yaml;
use fsmsim_syntax::threads::{Mutex, Threads};

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// First side: a trace, scenarios or a model
    ///
    /// A trace is a `.jsonl` file or `-` (standard input). Scenarios are a file, a directory or a project. A model is
    /// `PATH` or `PATH@PROFILE`. `git:REVISION:PATH` is a path in a Git revision, and `git:REVISION` is the path of the
    /// other side
    a: String,
    /// Second side, in the same form
    b: String,
    /// Run these scenarios [default: the scenarios of the project]
    #[arg(long, value_name = "PATH", num_args = 1..)]
    scenarios: Vec<PathBuf>,
    #[command(flatten)]
    log: LogArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Print only the causes, not the differing dialogues
    #[arg(long)]
    causes: bool,
    /// Show N turns before and after the weightiest difference of a dialogue
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=1000))]
    context: u16,
    /// Report only these kinds of differences: turns, state, phase, class, carryover, action, effect, data, reason,
    /// input
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Also compare two models in every dialogue
    #[arg(long)]
    prove: bool,
    /// Match a state of the first side with a renamed state of the second; repeatable
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<String>,
    #[command(flatten)]
    options: ModelArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// Runs the command.
pub(super) fn run(args: &DiffArgs, context: &mut Context) -> CommandResult {
    let targets = args.output.targets()?;
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let only = kinds(&args.only, &mut found);
    let renames = StateRenames::read(&args.rename, &mut found).unwrap_or_default();
    let mut sources = SourceMap::default();
    let mut log = |text: &String| {
        let path = Path::new(text);
        // Scenarios and models are compared as they are.
        let is_ours = is_yaml(path) || path.extension().is_some_and(|extension| extension == "md");
        let is_log = text == "-" || path.is_file() && !is_ours;
        if is_log {
            args.log.convert(path, None, context)
        } else {
            LogArgs::default().convert(path, None, context)
        }
    };
    let logs = [log(&args.a)?, log(&args.b)?];
    let [a, b] = logs.each_ref().map(|log| log.path.display().to_string());
    let operands = DiffOperand::pair(Sides { a: &a, b: &b }, &mut sources, &mut found);
    let operands = context.usable(operands, &found, &sources)?;
    let is_model = matches!(operands.a, DiffOperand::Model(..));
    for (option, is_given) in [
        ("--scenarios", !is_model && !args.scenarios.is_empty()),
        ("--prove", !is_model && args.prove),
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
                "cannot use `{option}` with {} and {}",
                operands.a.kind(),
                operands.b.kind()
            );
            return refuse(title, format!("omit `{option}`"));
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
            runner(&scenarios.project)
        }
        _ => runner(&project),
    });
    let runner = runner(&project);
    let context_shown = usize::from(args.context);
    // A page shows all turns.
    let is_page = targets.iter().any(|target| target.kind == ReportKind::Html);
    let options = DiffOptions {
        only: &only,
        context: if is_page { usize::MAX } else { context_shown },
        renames: &renames,
        only_common: args.log.map.is_some(),
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
    let candidates = operands.as_ref().map(DiffOperand::candidate).both();
    let proof = candidates.filter(|_| args.prove).and_then(|candidates| {
        let mut load = |candidate: &Candidate| {
            let profile = profile.or(candidate.profile).or(project.profile);
            cache.load(&candidate.path, profile.unwrap_or_default())
        };
        let machines = Sides {
            a: load(&candidates.a)?,
            b: load(&candidates.b)?,
        };
        Some(proved(machines.as_ref(), &renames, &threads))
    });
    let exit = Exit::of([
        (
            Exit::Unusable,
            found.has_errors() || comparison.counts.unplayable > 0,
        ),
        (
            Exit::Failed,
            !comparison.is_same() || proof.as_ref().is_some_and(differs),
        ),
        (
            Exit::Unavailable,
            unread || proof.as_ref().is_some_and(is_open),
        ),
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
        context: context_shown,
        proof,
    };
    ReportTarget::write_all(&targets, |kind, out| report.write(kind, out)).map(|()| exit)
}

/// Compares two models in every dialogue, up to a number of turns.
fn proved(
    Sides { a, b }: Sides<&Arc<Machine>>,
    renames: &StateRenames,
    threads: &Threads,
) -> Equivalence {
    watched(None, Instant::now(), |watch| {
        let mut bounded = |progress: &SearchProgress| {
            let is_reached = progress.transitions >= MAX_PROVED_TURNS;
            watch(progress).or(is_reached.then_some(SearchBound::Turns))
        };
        let bounds = Bounds::default();
        compare(
            [&**a, &**b],
            &renames.pairs(),
            &bounds,
            threads,
            &mut bounded,
        )
    })
}

/// The kinds with these names.
fn kinds(names: &[String], found: &mut Diagnostics) -> Vec<DifferenceKind> {
    let kind = |name: &String| {
        name.parse().ok().or_else(|| {
            let known = DifferenceKind::VARIANTS.iter().map(|kind| kind.name());
            Diagnostic::unknown_argument("kind of difference", name)
                .offer(name, "kinds", known)
                .refuse(found)
        })
    };
    names.iter().filter_map(kind).collect()
}
