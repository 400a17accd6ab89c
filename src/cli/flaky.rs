//! `fsmsim flaky`: reports scenarios with varying results in several runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use super::output::TextOrJson;
use super::report_text::ReportText;
use super::{CommandResult, Context, Exit, refuse_file};
use fsmsim_harness::flakiness::Flakiness;
use fsmsim_harness::scenario::{PlayTally, ScenarioVerdict};
use fsmsim_reports::report::{
    FlakinessReport, ReportHead, ReportKind, ReportTarget, ReportedRun, RunReport,
};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::terminal::{printable, tell};

/// Arguments of `flaky`.
#[derive(Debug, Args)]
pub(super) struct FlakyArgs {
    /// Reports of runs of the same scenarios, as `fsmsim test --report json=FILE` wrote them
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    /// Write a report, `json` or `html`: to a file beside the text, or in place of the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
}

/// The report kinds.
const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];

/// Runs the command.
pub(super) fn run(args: &FlakyArgs, context: &mut Context) -> CommandResult {
    let targets = ReportTarget::with_format(&args.report, args.format.report())?;
    one_run_each(&args.reports)?;
    let mut flakiness = Flakiness::default();
    let mut versions: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for path in &args.reports {
        // One at a time, so that only one report is in memory.
        let text = ReportText::read(path, context)?;
        check(&text.file, &text.parse(ReportHead::from_json)?)?;
        let report = text.parse(RunReport::from_json)?;
        for (model, version) in &report.head.models {
            let known = versions
                .entry(model.clone())
                .or_insert_with(|| (version.clone(), false));
            known.1 |= known.0 != *version;
        }
        add(&report, &mut flakiness);
    }
    for (model, _) in versions.iter().filter(|(_, (_, differs))| *differs) {
        tell(&format!(
            "note: these runs played different versions of `{}`\n",
            printable(model)
        ));
    }
    let result = flakiness.result();
    let report = FlakinessReport { result: &result };
    ReportTarget::write_all(&targets, |kind, out| report.write(kind, out)).map(|()| Exit::Ok)
}

/// Rejects a report that is named twice, because one run would count as two. Two different files may be equal.
fn one_run_each(reports: &[PathBuf]) -> CommandResult<()> {
    let mut known = BTreeSet::new();
    let twice = reports
        .iter()
        .find(|report| !known.insert(real_path(report)));
    twice.map_or(Ok(()), |twice| {
        let help = "name the report of each run once";
        refuse_file(twice.display(), "the report is named twice", help)
    })
}

/// Rejects a report that is not about a complete scenario run.
fn check(file: &str, head: &ReportHead) -> CommandResult<()> {
    if head.kind != ReportedRun::Test {
        let title = format!(
            "the report is of `{}`, not of scenarios",
            <&str>::from(head.kind)
        );
        let help = "name what `fsmsim test --report json=FILE` wrote";
        return refuse_file(file, title, help);
    }
    if !head.shards.is_empty() {
        let help =
            "put the shards of a run together first: `fsmsim merge REPORT… --report json=FILE`";
        return refuse_file(file, "the report is of a share of a run", help);
    }
    Ok(())
}

/// Adds the results of the scenarios of a run.
fn add(report: &RunReport, flakiness: &mut Flakiness) {
    flakiness.begin_run();
    for scenario in &report.scenarios {
        let passed = match scenario.verdict {
            ScenarioVerdict::Passed | ScenarioVerdict::ExpectedFailure => Some(true),
            ScenarioVerdict::Failed | ScenarioVerdict::Stale => Some(false),
            ScenarioVerdict::Unavailable | ScenarioVerdict::Inconclusive => None,
            ScenarioVerdict::Skipped | ScenarioVerdict::Unusable => continue,
        };
        match &scenario.plays {
            Some(plays) => flakiness.add(&scenario.id, plays),
            None => flakiness.add(&scenario.id, &PlayTally::once(passed)),
        }
    }
}
