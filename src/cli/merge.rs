//! `fsmsim merge`: one report of many shards.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::context::Context;
use super::coverage::{find_unplayed, required, sources_of};
use super::exit::{Exit, Stop};
use super::test::KINDS;
use crate::coverage::CoverageRequirement;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::read_file;
use crate::machine::Profile;
use crate::project::{ModelCache, Project};
use crate::report::{Misfit, ReportKind, ReportTarget, ReportedRun, RunPage, RunReport, RunWriter, write_coverage};
use crate::terminal::{Escaping, results};

/// The largest report, in bytes. Scenarios that did not pass bring their records along.
const REPORT_LIMIT: u64 = 256 << 20;

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The reports of all shards, as `fsmsim test --shard NUMBER/OF --report json=FILE` wrote them
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// Write a report of the whole, to a file or in place of the text; `github` without a file stands below the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
    /// What share has to be covered by all shards together: `classes=100%`, `bant:states=80%`
    #[arg(long, value_name = "[MODEL:]KIND=PERCENT")]
    require: Vec<CoverageRequirement>,
}

/// Runs the command.
pub(super) fn run(args: &MergeArgs, context: &mut Context) -> Result<Exit, Stop> {
    if let Some(finding) = ReportTarget::conflict(&args.report) {
        return Err(finding.into());
    }
    let mut parts = Vec::with_capacity(args.reports.len());
    for path in &args.reports {
        parts.push((path.display().to_string(), read_report(path, context)?));
    }
    let whole = RunReport::merged(parts).map_err(|error| {
        let help = match &error.misfit {
            Misfit::Whole | Misfit::Nothing => "name the reports of `fsmsim test --shard NUMBER/OF --report json=FILE`",
            Misfit::Repeated(..) | Misfit::RepeatedScenario(..) => "name the report of each shard once",
            Misfit::Missing(_) => "name the reports of all shards; one that was not written has to be run again",
            _ => "take the reports of one run: the same options, over the same files",
        };
        let finding = Diagnostic::error(Code::BadArguments, error.to_string()).help(help);
        match error.file {
            Some(file) => finding.about(file),
            None => finding,
        }
    })?;
    match whole.kind {
        ReportedRun::Test => of_scenarios(args, &whole, context),
        kind => {
            let title = format!("reports of `{}` are not put together", <&str>::from(kind));
            Err(Diagnostic::error(Code::BadArguments, title).help("name reports of `fsmsim test`").into())
        }
    }
}

/// Tells what a whole run of scenarios came to, and writes its reports.
fn of_scenarios(args: &MergeArgs, whole: &RunReport, context: &mut Context) -> Result<Exit, Stop> {
    let counts = whole.counts();
    if counts.is_empty() {
        let finding = Diagnostic::error(Code::NoScenario, "no scenario was run in any shard");
        return Err(finding.help("a run that tests nothing is not a pass: check the paths and the filters").into());
    }
    let needs_coverage = !args.require.is_empty() || args.report.iter().any(|target| target.kind.is_about_coverage());
    if needs_coverage && whole.coverage.is_none() {
        let finding = Diagnostic::error(Code::BadArguments, "coverage was not counted in these runs");
        return Err(finding.help("run each shard with `--coverage`").into());
    }
    let shows_sources = args.report.iter().any(|target| target.kind.shows_sources());
    let coverage = whole.coverage.as_ref().filter(|_| shows_sources);
    let sources = coverage.map(|coverage| sources_of(coverage, &context.project)).unwrap_or_default();
    let page = if args.report.iter().any(|target| target.kind == ReportKind::Html) {
        page_of(whole, &context.project)
    } else {
        RunPage::default()
    };
    let writer = RunWriter { report: whole, sources: &sources, page: &page };
    if let Some(finding) = ReportTarget::write_all(&args.report, |kind, out| writer.write(kind, out))? {
        return Err(finding.into());
    }
    let mut covers = true;
    if let Some(coverage) = &whole.coverage {
        let mut found = Diagnostics::default();
        let required = required(&args.require, &context.project, &mut found);
        find_unplayed(&required, coverage, &mut found);
        context.usable(Some(()), &found, &SourceMap::default())?;
        let is_shown = ReportTarget::shows_text(&args.report);
        let out: &mut dyn Write = if is_shown { &mut results(Escaping::of_text()) } else { &mut std::io::sink() };
        covers = write_coverage(coverage, &required, &mut &mut *out)?;
        out.flush()?;
    }
    Ok(Exit::of([
        (Exit::Unusable, counts.unusable > 0),
        (Exit::Failed, counts.has_failures() || !covers || whole.waiting().next().is_some()),
        (Exit::Unavailable, counts.unavailable + counts.inconclusive > 0),
    ]))
}

/// The models of a run, for its page: those that are here.
fn page_of(whole: &RunReport, project: &Project) -> RunPage {
    let (mut page, mut models) = (RunPage::default(), ModelCache::new(project, None));
    let layout = project.artifacts_in(&project.snapshots);
    for scenario in &whole.scenarios {
        let profile = scenario.profile.as_deref().and_then(Profile::from_name).unwrap_or_default();
        let Some(model) = &scenario.model else { continue };
        if let Some(machine) = models.load(&project.root.join(model), profile) {
            page.add(model.clone(), &machine, &|path| layout.from_root(Path::new(path)));
        }
    }
    page
}

/// Reads a report.
fn read_report(path: &Path, context: &mut Context) -> Result<RunReport, Stop> {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let file = read_file(path, REPORT_LIMIT, &mut sources, &mut found);
    let file = context.usable(file, &found, &sources)?;
    let text = sources.file(file).map(|file| Arc::clone(file.text())).unwrap_or_default();
    RunReport::from_json(&text).map_err(|error| {
        let title = format!("the file is no report of a run: {error}");
        let finding = Diagnostic::error(Code::BadArguments, title).about(path.display().to_string());
        finding.help("name what `fsmsim test --report json=FILE` wrote").into()
    })
}
