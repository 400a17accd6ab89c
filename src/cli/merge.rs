//! `fsmsim merge`: one report of many shards.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::context::Context;
use super::coverage::{find_unplayed, required, sources_of};
use super::exit::{Exit, Stop};
use super::merge_args::MergeArgs;
use super::merge_results::{read_all, refused, simulations, verifications};
use super::test_args::KINDS;
use fsmsim_core::machine::Profile;
use fsmsim_reports::report::{
    ReportHead, ReportKind, ReportTarget, ReportedRun, RunPage, RunReport, RunWriter,
    write_coverage,
};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::read_file;
use fsmsim_syntax::terminal::{Escaping, Joined, results};

/// The largest report, in bytes. Scenarios that did not pass bring their records along.
const REPORT_LIMIT: u64 = 256 << 20;

/// Runs the command.
pub(super) fn run(args: &MergeArgs, context: &mut Context) -> Result<Exit, Stop> {
    if let Some(finding) = ReportTarget::conflict(&args.report) {
        return Err(finding.into());
    }
    let mut texts = Vec::with_capacity(args.reports.len());
    for path in &args.reports {
        texts.push((path.display().to_string(), report_text(path, context)?));
    }
    let kind = ReportHead::kind_of(&read_all(&texts, ReportHead::from_json)?).map_err(refused)?;
    match kind {
        ReportedRun::Test => {
            only(args, kind, &KINDS)?;
            let whole =
                RunReport::merged(read_all(&texts, RunReport::from_json)?).map_err(refused)?;
            of_scenarios(args, &whole, context)
        }
        ReportedRun::Simulate => {
            only(args, kind, &super::simulate::KINDS)?;
            simulations(args, &texts)
        }
        ReportedRun::Verify => {
            only(args, kind, &super::verify_args::KINDS)?;
            verifications(args, &texts)
        }
        ReportedRun::Eval | ReportedRun::Lint => {
            let title = format!("reports of `{}` are not put together", <&str>::from(kind));
            let help = "name reports of `fsmsim test`, `simulate` or `verify`";
            Err(Diagnostic::bad_arguments(title).help(help).into())
        }
    }
}

/// Refuses reports that there are not of what was run.
fn only(args: &MergeArgs, run: ReportedRun, kinds: &[ReportKind]) -> Result<(), Stop> {
    let run = <&str>::from(run);
    if let Some(target) = args
        .report
        .iter()
        .find(|target| !kinds.contains(&target.kind))
    {
        let title = format!("there is no report `{}` of `{run}`", target.kind.name());
        let all = kinds
            .iter()
            .map(|kind| format!("`{}`", kind.name()))
            .joined(", ");
        return Err(Diagnostic::bad_arguments(title)
            .help(format!("there are: {all}"))
            .into());
    }
    if run != "test" && !args.require.is_empty() {
        let finding = Diagnostic::bad_arguments(format!("`{run}` counts no coverage"));
        return Err(finding.help("leave `--require` out").into());
    }
    Ok(())
}

/// Tells what a whole run of scenarios came to, and writes its reports.
fn of_scenarios(args: &MergeArgs, whole: &RunReport, context: &mut Context) -> Result<Exit, Stop> {
    let counts = whole.counts();
    if counts.is_empty() {
        let finding = Diagnostic::error(Code::NoScenario, "no scenario was run in any shard");
        return Err(finding
            .help("a run that tests nothing is not a pass: check the paths and the filters")
            .into());
    }
    let needs_coverage = !args.require.is_empty()
        || args
            .report
            .iter()
            .any(|target| target.kind.is_about_coverage());
    if needs_coverage && whole.coverage.is_none() {
        let finding = Diagnostic::bad_arguments("coverage was not counted in these runs");
        return Err(finding.help("run each shard with `--coverage`").into());
    }
    let shows_sources = args.report.iter().any(|target| target.kind.shows_sources());
    let coverage = whole.coverage.as_ref().filter(|_| shows_sources);
    let sources = coverage
        .map(|coverage| sources_of(coverage, &context.project))
        .unwrap_or_default();
    let page = if args
        .report
        .iter()
        .any(|target| target.kind == ReportKind::Html)
    {
        page_of(whole, &context.project)
    } else {
        RunPage::default()
    };
    let writer = RunWriter {
        report: whole,
        sources: &sources,
        page: &page,
    };
    if let Some(finding) =
        ReportTarget::write_all(&args.report, |kind, out| writer.write(kind, out))?
    {
        return Err(finding.into());
    }
    let mut covers = true;
    if let Some(coverage) = &whole.coverage {
        let mut found = Diagnostics::default();
        let required = required(&args.require, &context.project, &mut found);
        find_unplayed(&required, coverage, &mut found);
        context.no_errors(&found)?;
        let is_shown = ReportTarget::shows_text(&args.report);
        let out: &mut dyn Write = if is_shown {
            &mut results(Escaping::of_text())
        } else {
            &mut std::io::sink()
        };
        covers = write_coverage(coverage, &required, &mut &mut *out)?;
        out.flush()?;
    }
    Ok(Exit::of([
        (Exit::Unusable, counts.unusable > 0),
        (
            Exit::Failed,
            counts.has_failures() || !covers || whole.waiting().next().is_some(),
        ),
        (
            Exit::Unavailable,
            counts.unavailable + counts.inconclusive > 0,
        ),
    ]))
}

/// The models of a run, for its page: those that are here.
fn page_of(whole: &RunReport, project: &Project) -> RunPage {
    let (mut page, mut models) = (RunPage::default(), ModelCache::new(project, None));
    let layout = project.artifacts_in(&project.snapshots);
    for scenario in &whole.scenarios {
        let profile = scenario
            .profile
            .as_deref()
            .and_then(Profile::from_name)
            .unwrap_or_default();
        let Some(model) = &scenario.model else {
            continue;
        };
        if let Some(machine) = models.load(&project.root.join(model), profile) {
            page.add(model.clone(), &machine, &|path| {
                layout.from_root(Path::new(path))
            });
        }
    }
    page
}

pub(super) fn report_text(path: &Path, context: &mut Context) -> Result<Arc<str>, Stop> {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let file = read_file(path, REPORT_LIMIT, &mut sources, &mut found);
    let file = context.usable(file, &found, &sources)?;
    Ok(sources
        .file(file)
        .map(|file| Arc::clone(file.text()))
        .unwrap_or_default())
}
