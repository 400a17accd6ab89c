//! `fsmsim merge`: merges the reports of shards.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::coverage::{required, sources_of, write_required};
use super::help;
use super::output::{OutputArgs, report_help};
use super::report_text::ReportText;
use super::verify::{verdict_on, write_verification};
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_as};
use fsmsim_core::machine::Profile;
use fsmsim_harness::coverage::CoverageRequirement;
use fsmsim_reports::report::{
    HeadedReport, MergeError, Misfit, ReportHead, ReportKind, ReportTarget, ReportedRun,
    ReportedVerification, RunPage, RunReport, RunWriter, SimulationReport, VerificationReport,
};
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::simulate::SimulationResult;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::terminal::{Escaping, Joined, results};

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Reports of all shards, written by `test`, `simulate` or `verify` with `--shard NUMBER/OF --report json=FILE`
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&ReportKind::RUN), value_parser = |text: &str| ReportTarget::parse(text, &ReportKind::RUN))]
    report: Vec<ReportTarget>,
    #[arg(long, value_name = "[NAME:]KIND=PERCENT", help = help::REQUIRE_COVERAGE)]
    require: Vec<CoverageRequirement>,
}

/// Runs the command.
pub(super) fn run(args: &MergeArgs, context: &mut Context) -> CommandResult {
    ReportTarget::with_format(&args.report, None)?;
    let mut texts = Vec::with_capacity(args.reports.len());
    for path in &args.reports {
        texts.push(ReportText::read(path, context)?);
    }
    let heads = ReportText::parse_all(&texts, ReportHead::from_json)?;
    let kind = ReportHead::kind_of(&heads).map_err(refused)?;
    match kind {
        ReportedRun::Test => {
            only(args, kind, &ReportKind::RUN)?;
            let parts = ReportText::parse_all(&texts, RunReport::from_json)?;
            merge_scenarios(args, &RunReport::merged(parts).map_err(refused)?, context)
        }
        ReportedRun::Simulate => {
            only(args, kind, &OutputArgs::KINDS)?;
            merge_simulations(args, &texts)
        }
        ReportedRun::Verify => {
            only(args, kind, &VerificationReport::KINDS)?;
            merge_verifications(args, &texts, context)
        }
        ReportedRun::Eval | ReportedRun::Lint | ReportedRun::Explore | ReportedRun::Mutate => {
            refuse_as(
                Code::BadReport,
                format!("cannot merge reports of `{}`", <&str>::from(kind)),
                "use reports of `fsmsim test`, `simulate` or `verify`",
            )
        }
    }
}

/// Rejects report kinds that the command does not support.
fn only(args: &MergeArgs, run: ReportedRun, kinds: &[ReportKind]) -> CommandResult<()> {
    let name = <&str>::from(run);
    if let Some(target) = args
        .report
        .iter()
        .find(|target| !kinds.contains(&target.kind))
    {
        let title = format!(
            "cannot use `--report {}` with reports of `{name}`",
            target.kind.name()
        );
        let all = kinds.iter().map(|kind| format!("`{}`", kind.name()));
        return refuse(title, format!("use {}", all.joined(" or ")));
    }
    if run != ReportedRun::Test && !args.require.is_empty() {
        let title = format!("cannot use `--require` with reports of `{name}`");
        return refuse(title, "omit `--require`");
    }
    Ok(())
}

/// Reports the merged scenario run.
fn merge_scenarios(args: &MergeArgs, merged: &RunReport, context: &mut Context) -> CommandResult {
    let counts = merged.counts();
    if counts.is_empty() {
        return Err(
            Diagnostic::error(Code::NoScenario, "no scenario was run in any shard")
                .help("check the paths and the filters of the shards")
                .into(),
        );
    }
    let has = |wanted: fn(ReportKind) -> bool| args.report.iter().any(|target| wanted(target.kind));
    let needs_coverage = !args.require.is_empty() || has(ReportKind::is_about_coverage);
    if needs_coverage && merged.coverage.is_none() {
        return refuse_as(
            Code::BadReport,
            "the reports contain no coverage",
            "run each shard with `--coverage`",
        );
    }
    let coverage = merged.coverage.as_ref();
    let sources = coverage
        .filter(|_| has(ReportKind::shows_sources))
        .map(|coverage| sources_of(coverage, &context.project))
        .unwrap_or_default();
    let page = if has(|kind| kind == ReportKind::Html) {
        let models = merged
            .scenarios
            .iter()
            .map(|one| (&one.model, &one.profile));
        page_of(models, context)
    } else {
        RunPage::default()
    };
    let writer = RunWriter {
        report: merged,
        sources: &sources,
        page: &page,
        comparison: None,
    };
    ReportTarget::write_all::<Stop>(&args.report, |kind, out| writer.write(kind, out))?;
    let mut covers = true;
    if let Some(coverage) = coverage {
        let mut found = Diagnostics::default();
        let required = required(&args.require, &context.project, &mut found);
        let out: &mut dyn Write = if ReportTarget::shows_text(&args.report) {
            &mut results(Escaping::of_text())
        } else {
            &mut std::io::sink()
        };
        covers = write_required(coverage, (&required, true), found, out, context)?;
        out.flush()?;
    }
    let is_failed = !covers || merged.waiting().next().is_some();
    Ok(Exit::of_scenarios(&counts, false, is_failed))
}

/// The models of a run for its HTML report, if they exist in this project.
fn page_of<'r>(
    scenarios: impl Iterator<Item = (&'r Option<String>, &'r Option<String>)>,
    context: &Context,
) -> RunPage {
    let project = &context.project;
    let mut page = RunPage::default();
    let mut models = ModelCache::new(project, None);
    for (model, profile) in scenarios {
        let profile = profile
            .as_deref()
            .and_then(Profile::from_name)
            .unwrap_or_default();
        let Some(model) = model else { continue };
        if let Some(machine) = models.load(&project.root.join(model), profile) {
            page.add(model.clone(), &machine, &|path| {
                context.path_from_root(path)
            });
        }
    }
    page
}

/// Reports the merged simulation.
fn merge_simulations(args: &MergeArgs, texts: &[ReportText]) -> CommandResult {
    let parts = ReportText::parse_all(
        texts,
        HeadedReport::<ReportHead, SimulationResult>::from_json,
    )?;
    let HeadedReport { head, result } = HeadedReport::merged(parts).map_err(refused)?;
    let report = SimulationReport {
        head: &head,
        result: &result,
        extras: None,
    };
    ReportTarget::write_all::<Stop>(&args.report, |kind, out| report.write(kind, out))?;
    Ok(Exit::of([(Exit::Unavailable, result.has_unanswered())]))
}

/// Reports the merged verification of a trace.
fn merge_verifications(args: &MergeArgs, texts: &[ReportText], context: &Context) -> CommandResult {
    let parts = ReportText::parse_all(
        texts,
        HeadedReport::<ReportHead, ReportedVerification>::from_json,
    )?;
    let mut merged = HeadedReport::merged(parts).map_err(refused)?;
    let dialogues = std::mem::take(&mut merged.result.examples);
    let verification = merged.result.verification();
    let models = dialogues.iter().map(|one| (&one.model, &one.profile));
    let page = page_of(models, context);
    let report = VerificationReport {
        full: &merged,
        verification: &verification,
        dialogues: &dialogues,
        page: &page,
        from_root: &|path| context.path_from_root(path),
    };
    write_verification(&args.report, &report, true)?;
    Ok(verdict_on(&verification))
}

/// The finding for reports that cannot be merged.
fn refused(error: MergeError) -> Stop {
    let help = match &error.misfit {
        Misfit::Whole | Misfit::Nothing => {
            "use reports written with `--shard NUMBER/OF --report json=FILE`"
        }
        Misfit::Repeated(..) | Misfit::RepeatedScenario(..) => "name each report once",
        Misfit::Missing(_) => "name the reports of all shards, or run the missing shards again",
        Misfit::NoWhole(_) => "fix the input, and run all shards again",
        _ => "use the reports of one run, with the same options and files",
    };
    let mut finding = Diagnostic::error(Code::BadReport, error.to_string()).help(help);
    finding.path = error.file;
    finding.into()
}
