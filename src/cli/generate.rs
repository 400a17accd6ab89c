//! `fsmsim generate`: writes scenarios for what no scenario covers.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::jobs_args::JobsArgs;
use super::model_args::OneModelArgs;
use super::output::print;
use super::search_watch::watched;
use super::session::place_of;
use super::{CommandResult, Context, Exit};
use fsmsim_harness::coverage::{CoverageKind, ModelCoverage};
use fsmsim_harness::generate::{GenerateOptions, GeneratedScenario, Generation, generate};
use fsmsim_harness::scenario::{Runner, Suite};
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_runtime::project::{ModelCache, ModelName};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, plural};
use fsmsim_syntax::terminal::{Escaping, print_message};
use fsmsim_syntax::threads::{Mutex, Threads};

/// The kinds of items that scenarios are generated for.
const KINDS: [CoverageKind; 5] = [
    CoverageKind::States,
    CoverageKind::Transitions,
    CoverageKind::Alternatives,
    CoverageKind::Conditions,
    CoverageKind::Mcdc,
];

/// Arguments of `generate`.
#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
    /// Cover these items: `states`, `transitions`, `alternatives`, `conditions` or `mcdc` [default: all but `mcdc`]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    cover: Vec<CoverageKind>,
    /// Write the scenarios to this directory
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Generate at most N scenarios
    #[arg(long, value_name = "N", default_value_t = 200)]
    max: usize,
    /// Give a scenario at most N turns
    #[arg(long, value_name = "N", default_value_t = 12)]
    length: usize,
    /// Visit at most N states
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    states: usize,
    #[command(flatten)]
    jobs: JobsArgs,
    #[command(flatten)]
    model: OneModelArgs,
}

fn parse_kind(name: &str) -> Result<CoverageKind, String> {
    let kind = KINDS.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| {
        let names = KINDS.map(CoverageKind::name);
        format!("use one of these kinds: {}", names.join(", "))
    })
}

/// Runs the command.
pub(super) fn run(args: &GenerateArgs, context: &mut Context) -> CommandResult {
    let (machine, models) = args.model.load(context)?;
    let name = context.read(|_, found| ModelName::parse(&args.model.name, found))?;
    let threads = args.jobs.threads()?;
    let mut coverage = covered(args, &name.path, models, &threads, context)
        .unwrap_or_else(|| ModelCoverage::new(&machine));
    let kinds = if args.cover.is_empty() {
        KINDS.into_iter().take(KINDS.len() - 1).collect()
    } else {
        args.cover.iter().copied().collect::<BTreeSet<_>>()
    };
    let options = GenerateOptions {
        kinds,
        scenarios: args.max,
        turns: args.length,
        states: args.states,
    };
    let place = place_of(&args.model.name, &context.project);
    let result = watched(None, Instant::now(), |watch| {
        generate(&machine, &place, &mut coverage, &options, &threads, watch)
    });
    let result = result.map_err(|why| {
        Diagnostic::bad_arguments(format!("cannot write a dialogue as a scenario: {why}"))
    })?;
    if let Some(folder) = &args.output {
        for scenario in &result.scenarios {
            let path = save(scenario, folder)?;
            print_message(&format!("saved {}\n", path.display()));
        }
    }
    print(Escaping::of_text(), text(&args.model.name, &result))?;
    let is_open = result.bound.is_some() && !result.open.is_empty();
    Ok(Exit::of([(Exit::Unavailable, is_open)]))
}

/// The coverage of the model by the scenarios of the project; `None` if no scenario runs it.
fn covered(
    args: &GenerateArgs,
    path: &Path,
    models: ModelCache,
    threads: &Threads,
    context: &Context,
) -> Option<ModelCoverage> {
    let mut found = Diagnostics::default();
    let models = Mutex::new(models);
    let project = context.project.clone();
    let runner = Runner {
        profile: args.model.options.profile(&mut found),
        ..Runner::new(&project, &models)
    };
    let suite = Suite {
        counts_coverage: true,
        ..Suite::under(runner, &[], SnapshotMode::Check, &mut found)
    };
    // A project without scenarios is an error only of `fsmsim test`.
    let mut end = suite.run(threads, &mut []);
    end.coverage.take(path)
}

/// Writes a scenario to a new file, and returns its path.
fn save(scenario: &GeneratedScenario, folder: &Path) -> CommandResult<PathBuf> {
    std::fs::create_dir_all(folder).map_err(|error| Diagnostic::unwritten(folder, &error))?;
    let mut number = 1_u32;
    loop {
        let path = folder.join(format!("{}_{number:02}.yaml", scenario.name));
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                std::io::Write::write_all(&mut file, scenario.text.as_bytes())?;
                return Ok(path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(Diagnostic::unwritten(&path, &error).into()),
        }
    }
}

/// The scenarios, the coverage before and after, and the items without coverage.
fn text(model: &str, result: &Generation) -> String {
    let mut text = format!(
        "{model}: {}",
        plural(result.scenarios.len(), "new scenario")
    );
    if !result.scenarios.is_empty() {
        let _ = write!(text, ", at least {} necessary", result.least);
    }
    text.push('\n');
    for scenario in &result.scenarios {
        let _ = writeln!(text, "  {}", scenario.title);
    }
    if result.lost > 0 {
        let _ = writeln!(
            text,
            "{} left out, because the engine plays them differently",
            plural(result.lost, "dialogue")
        );
    }
    for (kind, before, after) in &result.shares {
        let _ = writeln!(
            text,
            "{:<13} {:>3} % → {:>3} %  ({} → {} of {})",
            kind.name(),
            before.percent(),
            after.percent(),
            before.covered,
            after.covered,
            after.all
        );
    }
    for key in &result.unattainable {
        let _ = writeln!(
            text,
            "unattainable: {} `{}`: no dialogue of {} covers it",
            key.kind.singular(),
            key.name,
            plural(result.states, "state")
        );
    }
    for key in &result.open {
        let _ = writeln!(text, "not covered: {} `{}`", key.kind.singular(), key.name);
    }
    if let (false, Some(reason)) = (result.open.is_empty(), &result.reason) {
        let _ = writeln!(text, "they can still be attainable: {reason}");
    }
    text
}
