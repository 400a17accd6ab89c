//! Coverage of `fsmsim test`: what is counted, what is required, what is written.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::context::Context;
use super::exit::Stop;
use fsmsim_core::machine::Profile;
use fsmsim_harness::coverage::{
    CountedModels, CoverageDifference, CoverageReport, CoverageRequirement, CoverageSet,
};
use fsmsim_harness::scenario::{Runner, ScenarioFiles, Suite, SuitePart};
use fsmsim_harness::snapshot::{SnapshotChecker, SnapshotMode};
use fsmsim_reports::report::{RunReport, write_coverage, write_coverage_difference};
use fsmsim_runtime::project::{GitPath, ModelCache, Project};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_file};
use fsmsim_syntax::threads::{Mutex, Threads};

/// What is wanted of coverage.
#[derive(Clone, Debug, Args)]
pub(super) struct CoverageArgs {
    /// Count at the end what of their models the scenarios came to
    #[arg(long)]
    pub(super) coverage: bool,
    /// What share has to be covered, of all models or of one: `classes=100%`, `bant:states=80%`
    #[arg(long, value_name = "[NAME:]KIND=PERCENT", requires = "coverage")]
    require: Vec<CoverageRequirement>,
    /// Show what differs from a former report, or from the scenarios of a revision of the git repository
    #[arg(long, value_name = "FILE|REV", requires = "coverage")]
    against: Option<String>,
}

/// What is required of a whole run: what `fsmsim.toml` says, and over it what the arguments say.
pub(super) fn required(
    said: &[CoverageRequirement],
    project: &Project,
    found: &mut Diagnostics,
) -> Vec<CoverageRequirement> {
    let mut required = said.to_vec();
    for threshold in &project.coverage {
        match format!("{}={}", threshold.key, threshold.percent).parse::<CoverageRequirement>() {
            Ok(known) => {
                let is_said = required
                    .iter()
                    .any(|said| said.kind == known.kind && said.model == known.model);
                required.extend((!is_said).then_some(known));
            }
            Err(error) => {
                let title = format!("the threshold `{}` is not usable: {error}", threshold.key);
                let finding =
                    Diagnostic::error(Code::BadProject, title).about(threshold.place.clone());
                found.push(finding.help("write `KIND = PERCENT`, or `\"MODEL:KIND\" = PERCENT`"));
            }
        }
    }
    required
}

/// Finds what is required of models that no scenario plays.
pub(super) fn find_unplayed(
    required: &[CoverageRequirement],
    report: &CoverageReport,
    found: &mut Diagnostics,
) {
    for required in required
        .iter()
        .filter(|one| !one.is_about_any(report.models.keys().map(String::as_str)))
    {
        let model = required.model.clone().unwrap_or_default();
        let title = format!("coverage is required of `{model}`, and no scenario plays it");
        let finding = Diagnostic::bad_arguments(title);
        found.push(finding.near(
            &model,
            report.models.keys().map(String::as_str),
            "name the path of a model",
        ));
    }
}

/// What the scenarios of a run came to, while it runs.
#[derive(Default)]
pub(super) struct CoverageRun {
    required: Vec<CoverageRequirement>,
    pub(super) counted: CountedModels,
}

impl CoverageRun {
    /// Nothing is counted yet; it is known what is required. What the project requires is required of all shards together:
    /// `merge` holds them against it.
    pub(super) fn begin(
        args: &CoverageArgs,
        is_shard: bool,
        context: &mut Context,
    ) -> Result<Self, Stop> {
        let mut found = Diagnostics::default();
        let required = required(&args.require, &context.project, &mut found);
        let required = if is_shard {
            args.require.clone()
        } else {
            required
        };
        context.no_errors(&found)?;
        Ok(Self {
            required,
            counted: CountedModels::default(),
        })
    }

    /// Adds the models of the project that no scenario names, with nothing covered; `elsewhere` are those that only scenarios
    /// of other shares name.
    pub(super) fn add_untested(
        &mut self,
        elsewhere: &BTreeSet<PathBuf>,
        project: &Project,
        profile: Option<Profile>,
        models: &mut ModelCache,
        context: &mut Context,
    ) {
        let (untested, profile) = self
            .counted
            .add_untested(elsewhere, project, profile, models);
        for path in untested {
            context.report_model(models, &path, profile);
        }
    }

    /// Writes what was counted and what of it is too little. Whether it is enough.
    pub(super) fn finish(
        &self,
        args: &CoverageArgs,
        again: &Replay<'_>,
        mut out: &mut dyn Write,
        context: &mut Context,
    ) -> Result<bool, Stop> {
        let project = again.project;
        let mut found = Diagnostics::default();
        let report = self.counted.report(project);
        find_unplayed(&self.required, &report, &mut found);
        context.no_errors(&found)?;
        let covers = write_coverage(&report, &self.required, &mut out)?;
        if let Some(against) = &args.against {
            let former = again.former(against, context)?;
            write_coverage_difference(
                &CoverageDifference::between(&former, &report),
                against,
                &mut out,
            )?;
        }
        out.flush()?;
        for (findings, machine) in self.counted.findings() {
            context.report(&findings, &machine.files);
        }
        Ok(covers)
    }
}

/// The texts of the models of a report that are still there, by path from the project. A report may come from anywhere: nothing
/// is read from outside of the project.
pub(super) fn sources_of(report: &CoverageReport, project: &Project) -> BTreeMap<String, Arc<str>> {
    let (mut models, mut counted) = (ModelCache::new(project, None), CountedModels::default());
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

/// With what scenarios of another time are played again.
pub(super) struct Replay<'r> {
    /// The project.
    pub(super) project: &'r Project,
    /// The profile that was asked for.
    pub(super) profile: Option<Profile>,
    /// The configuration root that was asked for.
    pub(super) config: Option<&'r Path>,
    /// The threads.
    pub(super) threads: &'r Threads,
}

impl Replay<'_> {
    /// What was counted before: of a file, else of the scenarios of a revision.
    fn former(&self, against: &str, context: &mut Context) -> Result<CoverageReport, Stop> {
        let path = Path::new(against);
        if path.is_file() {
            return read_former(path, context);
        }
        let checkout =
            GitPath::find(against, self.project.folder()).and_then(|path| path.take_project())?;
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let project = Project::at(&checkout.root, &mut sources, &mut found);
        context.rename(&checkout.names());
        context.usable(Some(()), &found, &sources)?;
        let mut found = Diagnostics::default();
        let snapshots = SnapshotChecker::new(&project, SnapshotMode::Check, &mut found);
        let files = ScenarioFiles::under(std::slice::from_ref(&project.scenarios), &mut found);
        let models = Mutex::new(ModelCache::new(
            &project,
            self.config.map(Path::to_path_buf),
        ));
        let suite = Suite {
            runner: Runner {
                project: &project,
                models: &models,
                profile: self.profile,
                answerers: None,
                judge: None,
            },
            selection: &(),
            fails_fast: false,
            checks_determinism: false,
            time_limit: None,
            repeat: None,
            plays_all: false,
            snapshots,
            watches: true,
        };
        let mut counted = CountedModels::default();
        suite.run(
            self.threads,
            files,
            &CoverageSet::default,
            &mut |part: SuitePart<CoverageSet>| {
                let mut models = models.lock();
                for (result, seen) in part.results {
                    counted.add(&result, seen.as_ref(), &mut models);
                }
            },
        );
        Ok(counted.report(&project))
    }
}

/// Reads what was counted before, from a report of a run.
fn read_former(path: &Path, context: &mut Context) -> Result<CoverageReport, Stop> {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let file = read_file(path, 16 * DEFINITION_LIMIT, &mut sources, &mut found);
    let file = context.usable(file, &found, &sources)?;
    let text = sources
        .file(file)
        .map(|file| Arc::clone(file.text()))
        .unwrap_or_default();
    let report = RunReport::from_json(&text);
    let counted = report.and_then(|report| {
        report
            .coverage
            .ok_or_else(|| "nothing was counted in that run".to_owned())
    });
    counted.map_err(|error| {
        let path = path.display().to_string();
        let title = format!("the file is no report of coverage: {error}");
        let finding = Diagnostic::bad_arguments(title).about(path);
        finding
            .help("name what `fsmsim test --coverage --report json=FILE` wrote, or a revision")
            .into()
    })
}
