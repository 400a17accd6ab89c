//! `fsmsim flaky`: what did not always come out the same, over several runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::merge::report_text;
use super::merge_results::read_all;
use super::text_or_json::TextOrJson;
use fsmsim_harness::flakiness::Flakiness;
use fsmsim_harness::scenario::{PlayTally, ScenarioVerdict};
use fsmsim_reports::report::{
    FlakinessReport, ReportHead, ReportKind, ReportTarget, ReportedRun, RunReport,
};
use fsmsim_syntax::diagnostic::Diagnostic;
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

/// The reports that there are.
const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];

/// Runs the command.
pub(super) fn run(args: &FlakyArgs, context: &mut Context) -> Result<Exit, Stop> {
    let shown = args.format.report();
    let targets = ReportTarget::with_format(&args.report, shown)?;
    one_run_each(&args.reports)?;
    let mut flakiness = Flakiness::default();
    let mut versions: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for path in &args.reports {
        let text = [(path.display().to_string(), report_text(path, context)?)];
        // One after the other, so that only one is in the memory.
        for (file, head) in read_all(&text, ReportHead::from_json)? {
            check(&file, &head)?;
        }
        for (_, report) in read_all(&text, RunReport::from_json)? {
            for (model, version) in &report.head.models {
                let known = versions
                    .entry(model.clone())
                    .or_insert_with(|| (version.clone(), false));
                known.1 |= known.0 != *version;
            }
            add(&report, &mut flakiness);
        }
    }
    for (model, _) in versions.iter().filter(|(_, (_, differs))| *differs) {
        tell(&format!(
            "note: these runs played different versions of `{}`\n",
            printable(model)
        ));
    }
    let result = flakiness.result();
    let report = FlakinessReport { result: &result };
    if let Some(finding) = ReportTarget::write_all(&targets, |kind, out| report.write(kind, out))? {
        return Err(finding.into());
    }
    Ok(Exit::Ok)
}

/// Refuses a report that is named twice: one run would count as two. Two files may say the same, as two runs may.
fn one_run_each(reports: &[PathBuf]) -> Result<(), Stop> {
    let mut known = BTreeSet::new();
    let Some(twice) = reports
        .iter()
        .find(|report| !known.insert(real_path(report)))
    else {
        return Ok(());
    };
    let finding =
        Diagnostic::bad_arguments("the report is named twice").about(twice.display().to_string());
    Err(finding.help("name the report of each run once").into())
}

/// Refuses a report that is not that of a whole run of scenarios.
fn check(file: &str, head: &ReportHead) -> Result<(), Stop> {
    let refuse = |title: String, help: &str| {
        Err(Diagnostic::bad_arguments(title)
            .about(file)
            .help(help)
            .into())
    };
    if head.kind != ReportedRun::Test {
        let title = format!(
            "the report is of `{}`, not of scenarios",
            <&str>::from(head.kind)
        );
        return refuse(title, "name what `fsmsim test --report json=FILE` wrote");
    }
    if !head.shards.is_empty() {
        let help =
            "put the shards of a run together first: `fsmsim merge REPORT… --report json=FILE`";
        return refuse("the report is of a share of a run".to_owned(), help);
    }
    Ok(())
}

/// Adds what the scenarios of a run came to.
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
