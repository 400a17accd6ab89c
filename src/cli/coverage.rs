//! Coverage of `fsmsim test`: measurement, requirements, output.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::help;
use super::model_args::ModelArgs;
use super::report_text::ReportText;
use super::{CommandResult, Context};
use fsmsim_harness::coverage::{
    CountedModels, CoverageDifference, CoverageReport, CoverageRequirement,
};
use fsmsim_harness::scenario::{KeptRecords, Runner, Suite};
use fsmsim_harness::snapshot::SnapshotMode;
use fsmsim_reports::report::{
    RunDialogues, RunReport, write_coverage, write_coverage_difference, write_unmet,
};
use fsmsim_runtime::project::{GitPath, ModelCache, Project};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Threads};

/// The coverage options.
#[derive(Clone, Debug, Args)]
pub(super) struct CoverageArgs {
    /// Measure the coverage of models
    #[arg(long)]
    pub coverage: bool,
    /// Search all dialogues, up to STATES states, and omit items that none of them covers [default: 1000000]
    #[arg(long, value_name = "STATES", num_args = 0..=1, require_equals = true, default_missing_value = "1000000")]
    pub prove: Option<usize>,
    #[arg(long, value_name = "[NAME:]KIND=PERCENT", help = help::REQUIRE_COVERAGE)]
    require: Vec<CoverageRequirement>,
    /// Compare the coverage with a report, or with the scenarios of a Git revision
    #[arg(long, value_name = "FILE|REV")]
    against: Option<String>,
}

impl CoverageArgs {
    /// An option that uses the coverage, if one is given.
    pub(super) fn dependent(&self) -> Option<&'static str> {
        let given = [
            ("--require", !self.require.is_empty()),
            ("--against", self.against.is_some()),
            ("--prove", self.prove.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(option, _)| option)
    }
}

/// The requirements for a complete run. Requirements in the arguments override those in `fsmsim.toml`.
pub(super) fn required(
    given: &[CoverageRequirement],
    project: &Project,
    found: &mut Diagnostics,
) -> Vec<CoverageRequirement> {
    let mut required = given.to_vec();
    for threshold in &project.coverage {
        match format!("{}={}", threshold.key, threshold.percent).parse::<CoverageRequirement>() {
            Ok(known) => {
                let is_given = required
                    .iter()
                    .any(|given| given.kind == known.kind && given.model == known.model);
                required.extend((!is_given).then_some(known));
            }
            Err(error) => {
                Diagnostic::error(
                    Code::BadProject,
                    format!("invalid threshold `{}`: {error}", threshold.key),
                )
                .about(threshold.place.clone())
                .help("write `KIND = PERCENT`, or `\"MODEL:KIND\" = PERCENT`")
                .add_to(found);
            }
        }
    }
    required
}

/// Writes the coverage, if it `is_shown`, and the unmet requirements. Returns whether all requirements are met. A
/// requirement for a model that no scenario runs is an error, reported together with the earlier findings in `found`.
pub(super) fn write_required(
    report: &CoverageReport,
    (required, is_shown): (&[CoverageRequirement], bool),
    mut found: Diagnostics,
    mut out: &mut dyn Write,
    context: &mut Context,
) -> CommandResult<bool> {
    let models = || report.models.keys().map(String::as_str);
    for required in required.iter().filter(|one| !one.is_about_any(models())) {
        let model = required.model.clone().unwrap_or_default();
        let finding = Diagnostic::error(
            Code::UnknownArgument,
            format!("coverage is required for `{model}`, but no scenario runs it"),
        );
        found.push(finding.near(
            &model,
            models(),
            "use the path of a model that is run by a scenario",
        ));
    }
    context.no_errors(&found)?;
    if is_shown {
        write_coverage(report, &mut out)?;
    }
    Ok(write_unmet(report, required, &mut out)?)
}

/// The requirements for a run. The project requirements apply to all shards together, so `merge` checks them.
pub(super) fn required_of_run(
    args: &CoverageArgs,
    is_shard: bool,
    context: &mut Context,
) -> CommandResult<Vec<CoverageRequirement>> {
    let mut found = Diagnostics::default();
    let required = required(&args.require, &context.project, &mut found);
    context.no_errors(&found)?;
    Ok(if is_shard {
        args.require.clone()
    } else {
        required
    })
}

/// Writes the coverage of a run, the unmet requirements, and the difference from an earlier run or a revision. The
/// scenarios of the revision run for this comparison. Returns whether all requirements are met.
pub(super) fn write_coverage_of_run(
    args: &CoverageArgs,
    required: &[CoverageRequirement],
    report: &CoverageReport,
    mut out: &mut dyn Write,
    (options, threads): (&ModelArgs, &Threads),
    context: &mut Context,
) -> CommandResult<bool> {
    let required = (required, true);
    let covers = write_required(report, required, Diagnostics::default(), &mut *out, context)?;
    if let Some(against) = &args.against {
        let path = Path::new(against);
        let former = if path.is_file() {
            ReportText::read(path, context)?.parse_as(
                "coverage report",
                "`fsmsim test --coverage --report json=FILE`, or a revision",
                |text| {
                    let coverage = RunReport::from_json(text)?.coverage;
                    coverage.ok_or_else(|| "the run did not measure coverage".to_owned())
                },
            )?
        } else {
            run_revision(against, None, (options, threads), context)?
        };
        let difference = CoverageDifference::between(&former, report);
        write_coverage_difference(&difference, against, &mut out)?;
    }
    Ok(covers)
}

/// The existing source files of the models in a report, by relative path. Files outside the project are not read,
/// because a report is untrusted.
pub(super) fn sources_of(report: &CoverageReport, project: &Project) -> BTreeMap<String, Arc<str>> {
    let mut models = ModelCache::new(project, None);
    let mut counted = CountedModels::default();
    for name in report.models.keys() {
        let Ok(path) = project.resolve(name, Path::new("")) else {
            continue;
        };
        if let Some(machine) = models.load(&path, project.profile.unwrap_or_default()) {
            counted.add_model(&path, &machine);
        }
    }
    counted.sources(project)
}

/// Runs the scenarios of a revision and returns their coverage. `dialogues` receives the scenarios.
pub(super) fn run_revision(
    revision: &str,
    dialogues: Option<&mut RunDialogues>,
    (options, threads): (&ModelArgs, &Threads),
    context: &mut Context,
) -> CommandResult<CoverageReport> {
    let checkout = GitPath::find(revision, context.project.folder())
        .and_then(|path| path.take_project(dialogues.is_some()))?;
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let project = Project::at(&checkout.root, &mut sources, &mut found);
    context.rename(&checkout.names());
    context.usable(Some(()), &found, &sources)?;
    let models = Mutex::new(options.models(&project));
    let runner = Runner {
        profile: options.profile(&mut found),
        ..Runner::new(&project, &models)
    };
    let suite = Suite {
        counts_coverage: true,
        keeps_records: if dialogues.is_some() {
            KeptRecords::All
        } else {
            KeptRecords::None
        },
        ..Suite::under(runner, &[], SnapshotMode::Check, &mut found)
    };
    let end = match dialogues {
        Some(dialogues) => suite.run(threads, &mut [dialogues]),
        None => suite.run(threads, &mut []),
    };
    Ok(end.coverage.report(&project))
}
