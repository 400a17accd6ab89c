//! `fsmsim generate`: generates scenarios for what no scenario covers.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::explore::{LoadedModel, load_models};
use super::help;
use super::jobs_args::JobsArgs;
use super::mapped_log::LogArgs;
use super::model_args::ModelArgs;
use super::output::{TextOrJson, print, save_scenario};
use super::session::place_of;
use super::{CommandResult, Context, Exit, Stop, refuse};
use fsmsim_harness::coverage::CoverageKind;
use fsmsim_harness::generate::{
    Generation, GenerationInput, GenerationRun, generated_kind, suite_coverage,
};
use fsmsim_harness::limits::{MAX_GENERATED_STATES, MAX_GENERATED_TURNS};
use fsmsim_harness::scenario::Runner;
use fsmsim_reports::report::write_generation;
use fsmsim_runtime::project::commit_of;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::files::safe_stem;
use fsmsim_syntax::threads::Mutex;

/// The number of characters of a revision in scenarios.
const REVISION: usize = 12;

/// The kinds of items that are covered by default.
const DEFAULT_KINDS: [&str; 7] = [
    "states",
    "transitions",
    "alternatives",
    "conditions",
    "classes",
    "points",
    "gates",
];

/// Arguments of `generate`.
#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
    #[arg(value_name = "MODEL", required = true, help = format!("{}; other directories stand for all models below them", help::MODEL))]
    models: Vec<String>,
    /// Cover items of these kinds
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = generated_kind, default_values = DEFAULT_KINDS)]
    cover: Vec<CoverageKind>,
    /// Write the scenarios to this directory instead of printing them
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Generate at most N scenarios for each model
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    /// End a dialogue after N turns
    #[arg(long, value_name = "N", default_value_t = MAX_GENERATED_TURNS)]
    turns: usize,
    /// Take the dialogues from this trace, without personal data
    #[arg(long, value_name = "TRACE")]
    from_traces: Option<PathBuf>,
    #[command(flatten)]
    log: LogArgs,
    /// Run these scenarios [default: the scenarios of the project]
    #[arg(long, value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    /// Visit at most N states
    #[arg(long, value_name = "N", default_value_t = MAX_GENERATED_STATES)]
    states: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    options: ModelArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// Runs the command.
pub(super) fn run(args: &GenerateArgs, context: &mut Context) -> CommandResult {
    let project = context.project.clone();
    let layout = project.artifacts_in(&project.snapshots);
    let from_root = |path: &str| layout.from_root(Path::new(path));
    let loaded = load_models(&args.models, &args.options, context)?.into_iter();
    let inputs = loaded.map(|LoadedModel { name, key, .. }| GenerationInput {
        place: place_of(&name, &project),
        name,
        key,
    });
    let inputs: Vec<GenerationInput> = inputs.collect();
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let models = Mutex::new(args.options.models(&project));
    let runner = || Runner {
        profile,
        ..Runner::new(&project, &models)
    };
    let threads = args.jobs.threads()?;
    let paths = &args.scenarios;
    let mut counted = suite_coverage(runner(), paths, &inputs, &threads, &mut found);
    context.no_errors(&found)?;
    let revision = commit_of("HEAD").map(|commit| commit.chars().take(REVISION).collect());
    let log = args.from_traces.as_deref();
    let log = log.map(|log| args.log.convert(log, None, context));
    let log = log.transpose()?;
    let run = GenerationRun {
        runner: runner(),
        kinds: args.cover.clone(),
        turns: args.turns.max(1),
        most: args.max,
        states: args.states,
        trace: log.as_ref().map(|log| log.path.clone()),
        folder: args
            .output
            .clone()
            .unwrap_or_else(|| project.scenarios.clone()),
        revision,
        threads: &threads,
    };
    let mut generated: Vec<Generation> = Vec::new();
    for input in &inputs {
        match run.generate(input, &mut counted, &from_root) {
            Ok(generation) => generated.push(generation),
            Err((found, sources)) => {
                context.report(&found, &sources);
                return Err(Stop::Told);
            }
        }
    }
    if !generated.iter().any(Generation::has_items) {
        return refuse(
            "the models have no items of these kinds",
            "choose other kinds with `--cover`, or name another model",
        );
    }
    let mut text = Vec::new();
    if args.format == TextOrJson::Json {
        let models: Vec<_> = generated.iter().map(Generation::to_json).collect();
        writeln!(text, "{:#}", serde_json::json!({ "models": models }))?;
    } else {
        for generation in &generated {
            write_generation(generation, &mut text)?;
            let scenarios = generation.scenarios.iter();
            for scenario in scenarios.filter(|_| args.output.is_none()) {
                write!(text, "---\n{}", scenario.text)?;
            }
        }
    }
    print(args.format.escaping(), text)?;
    if let Some(folder) = &args.output {
        for (input, generation) in inputs.iter().zip(&generated) {
            save(input, generation, folder, inputs.len() > 1)?;
        }
    }
    let is_bounded = |generation: &Generation| generation.bound.is_some();
    Ok(Exit::of([(
        Exit::Unavailable,
        generated.iter().any(is_bounded),
    )]))
}

/// Saves the scenarios of a model. If there are several models, the names of files contain the model.
fn save(
    input: &GenerationInput,
    generation: &Generation,
    folder: &Path,
    is_one_of_several: bool,
) -> CommandResult<()> {
    let model = input.key.path.file_stem().filter(|_| is_one_of_several);
    let model = model.map(|stem| format!("{}_", stem.to_string_lossy()));
    let model = model.unwrap_or_default();
    for (scenario, number) in generation.scenarios.iter().zip(1..) {
        let first = scenario.covers.first().map_or("", String::as_str);
        let name = safe_stem(first, "scenario");
        save_scenario(
            folder,
            &format!("{model}{number:02}_{name}"),
            &scenario.text,
        )?;
    }
    Ok(())
}
