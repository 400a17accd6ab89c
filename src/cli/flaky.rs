//! `fsmsim flaky`: reports scenarios whose results vary between runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use super::output::OutputArgs;
use super::report_text::ReportText;
use super::{CommandResult, Context, Exit, refuse_report};
use fsmsim_harness::flakiness::Flakiness;
use fsmsim_harness::scenario::{ScenarioVerdict, TrialTally};
use fsmsim_reports::report::{FlakinessReport, ReportTarget, ReportedRun, RunReport};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::terminal::{print_message, printable};

/// Arguments of `flaky`.
#[derive(Debug, Args)]
pub(super) struct FlakyArgs {
    /// Reports of runs of the same scenarios, written by `fsmsim test --report json=FILE`
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &FlakyArgs, context: &mut Context) -> CommandResult {
    let targets = args.output.targets()?;
    one_run_each(&args.reports)?;
    let mut flakiness = Flakiness::default();
    let mut versions: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for path in &args.reports {
        // Reports are read one at a time, so that only one is in memory.
        let text = ReportText::read(path, context)?;
        check(&text)?;
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
        print_message(&format!(
            "note: the runs used different versions of `{}`\n",
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
        let help = "name each report once";
        refuse_report(twice.display(), "the report is given twice", help)
    })
}

/// Rejects a report that is not about a complete scenario run.
fn check(report: &ReportText) -> CommandResult<()> {
    if !report.head_of(ReportedRun::Test)?.shards.is_empty() {
        let help = "merge the shards first: `fsmsim merge REPORT… --report json=FILE`";
        let title = "expected the report of a complete run, found a shard";
        return refuse_report(&report.file, title, help);
    }
    Ok(())
}

/// Adds the scenario results of a run.
fn add(report: &RunReport, flakiness: &mut Flakiness) {
    flakiness.begin_run();
    for scenario in &report.scenarios {
        let verdict = scenario.verdict;
        if matches!(verdict, ScenarioVerdict::Skipped | ScenarioVerdict::Invalid) {
            continue;
        }
        match &scenario.trials {
            Some(trials) => flakiness.add(&scenario.id, trials),
            None => flakiness.add(&scenario.id, &TrialTally::once(verdict.passed())),
        }
    }
}
