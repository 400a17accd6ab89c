//! The reports that lie over the picture of a model: what scenarios came to, where simulated dialogues went.

use std::path::Path;
use std::sync::Arc;

use super::context::Context;
use super::exit::Stop;
use super::graph_traces::tell_strangers;
use super::merge::report_text;
use super::merge_results::read_all;
use fsmsim_core::engine::Machine;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_reports::report::{
    HeadedReport, ReportHead, ReportedRun, RunReport, coverage_overlay, traffic_ways,
};
use fsmsim_runtime::simulate::SimulationResult;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, listed, plural};

/// So many models of a report are named.
const MOST_NAMED: usize = 5;

/// What lies over a picture, and the report that it comes of, with what that holds.
type NamedOverlay = (GraphOverlay, (String, String));

/// How many simulated dialogues went where, all personas together. States that the model does not have are told.
pub(super) fn traffic(
    path: &Path,
    graph: &MachineGraph,
    context: &mut Context,
) -> Result<NamedOverlay, Stop> {
    let name = path.display().to_string();
    let texts = [(name.clone(), report_text(path, context)?)];
    of_kind(&texts, ReportedRun::Simulate)?;
    let reports = read_all(
        &texts,
        HeadedReport::<ReportHead, SimulationResult>::from_json,
    )?;
    let personas = || {
        reports
            .iter()
            .flat_map(|(_, report)| &report.result.personas)
    };
    let dialogues: u64 = personas().map(|persona| persona.turns.dialogues()).sum();
    let passed = traffic_ways(personas(), graph);
    let mut found = Diagnostics::default();
    if passed.states().next().is_none() {
        let finding = Diagnostic::bad_arguments(format!("`{name}` tells of no turn")).about(&*name);
        found.push(finding.help("write it anew with `fsmsim simulate MODEL --report json=FILE`"));
    }
    tell_strangers(&passed, &name, graph, &mut found);
    context.no_errors(&found)?;
    Ok((
        GraphOverlay::traffic(passed),
        (
            name,
            plural(
                usize::try_from(dialogues).unwrap_or(usize::MAX),
                "simulated dialogue",
            ),
        ),
    ))
}

/// What of the model the scenarios of a report came to.
pub(super) fn coverage(
    path: &Path,
    machine: &Machine,
    graph: &MachineGraph,
    context: &mut Context,
) -> Result<NamedOverlay, Stop> {
    let name = path.display().to_string();
    let texts = [(name.clone(), report_text(path, context)?)];
    of_kind(&texts, ReportedRun::Test)?;
    let report = read_all(&texts, RunReport::from_json)?
        .pop()
        .map(|(_, report)| report);
    let models = report
        .as_ref()
        .and_then(|report| report.coverage.as_ref())
        .map(|coverage| &coverage.models);
    let refuse = |title: String, help: String| {
        Err(Diagnostic::bad_arguments(title)
            .about(&*name)
            .help(help)
            .into())
    };
    let Some(models) = models else {
        let help = "write it with `fsmsim test --coverage --report json=FILE`";
        return refuse(
            "the report does not tell what was covered".to_owned(),
            help.to_owned(),
        );
    };
    // The report names files from the root of the project, whoever names this one from anywhere.
    let layout = context.project.artifacts_in(&context.project.snapshots);
    let source = layout.from_root(Path::new(&machine.header.source));
    let Some(of_model) = models.get(&source) else {
        let all = listed(models.keys().map(String::as_str), MOST_NAMED);
        return refuse(
            format!("the report does not tell of `{source}`"),
            format!("it tells of {all}"),
        );
    };
    let scenarios = report.as_ref().map_or(0, |report| report.scenarios.len());
    let from_root = |at: &str| {
        let (file, line) = at.rsplit_once(':').unwrap_or((at, ""));
        format!("{}:{line}", layout.from_root(Path::new(file)))
    };
    Ok((
        coverage_overlay(of_model, graph, &from_root),
        (name, plural(scenarios, "scenario")),
    ))
}

/// Refuses the report of something else.
fn of_kind(texts: &[(String, Arc<str>)], wanted: ReportedRun) -> Result<(), Stop> {
    for (name, head) in read_all(texts, ReportHead::from_json)? {
        if head.kind != wanted {
            let (kind, wanted) = (<&str>::from(head.kind), <&str>::from(wanted));
            let title = format!("the report is one of `fsmsim {kind}`");
            let finding = Diagnostic::bad_arguments(title).about(name);
            return Err(finding
                .help(format!("name one of `fsmsim {wanted}`"))
                .into());
        }
    }
    Ok(())
}
