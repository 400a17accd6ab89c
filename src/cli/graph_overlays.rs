//! Diagram overlays: the paths of traces, the traffic of simulations, the coverage of scenarios.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::limits::MAX_NAMED;
use super::mapped_log::LogArgs;
use super::report_text::ReportText;
use super::{CommandResult, Context, refuse, refuse_report};
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::TraceReader;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph, TraversedTransitions};
use fsmsim_reports::report::{
    HeadedReport, ReportHead, ReportedRun, RunReport, coverage_overlay, traffic_ways,
};
use fsmsim_runtime::simulate::SimulationResult;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, listed, plural};
use fsmsim_syntax::document::InputStream;

/// The name of an overlay source, and a description of its content.
pub(super) type OverlaySource = (String, String);

/// The paths of traces. Unknown states are reported.
pub(super) fn traces(
    paths: &[PathBuf],
    log: &LogArgs,
    graph: &MachineGraph,
    context: &mut Context,
) -> CommandResult<(GraphOverlay, Vec<OverlaySource>)> {
    let from_input = paths.iter().filter(|path| path.as_path() == Path::new("-"));
    if from_input.count() > 1 {
        return refuse(
            "cannot read two traces from standard input",
            "name a file for one of them",
        );
    }
    let mut traces = Vec::new();
    let mut names = Vec::new();
    for path in paths {
        let mapped = log.convert(path, None, context)?;
        let (input, name) = InputStream::open(&mapped.path)?;
        let name = if log.map.is_some() {
            mapped.name.clone()
        } else {
            name
        };
        let (passed, dialogues) = context.read(|sources, found| {
            let mut reader = TraceReader::new(input, &name);
            let mut passed = TraversedTransitions::default();
            let mut dialogues = 0;
            while let Some(dialogue) = reader.read(found, sources) {
                let Some(turns) = dialogue.turns(&name, found, sources) else {
                    break;
                };
                passed.add(&turns);
                dialogues += 1;
            }
            if dialogues == 0 && !found.has_errors() {
                let finding =
                    Diagnostic::error(Code::EmptyTrace, format!("`{name}` contains no dialogue"))
                        .about(&*name);
                found.push(finding.help("write a trace with `fsmsim trace`"));
            }
            report_unknown_states(&passed, &name, graph, found);
            Some((passed, dialogues))
        })?;
        names.push((name, plural(dialogues, "dialogue")));
        traces.push(passed);
    }
    Ok((GraphOverlay::passed(&traces), names))
}

/// Reports trace states that the model does not define, because the diagram does not show them.
fn report_unknown_states(
    passed: &TraversedTransitions,
    name: &str,
    graph: &MachineGraph,
    found: &mut Diagnostics,
) {
    let unknown_states: BTreeSet<&str> = passed
        .states()
        .filter(|state| graph.node_of(state).is_none())
        .collect();
    if unknown_states.is_empty() {
        return;
    }
    let title = format!(
        "`{name}` contains states that the model does not define: {}",
        listed(unknown_states.into_iter(), MAX_NAMED)
    );
    let finding = if passed.states().any(|state| graph.node_of(state).is_some()) {
        Diagnostic::remark(Code::UnknownState, title).note("unknown states are not drawn")
    } else {
        Diagnostic::error(Code::UnknownState, title).note("the model defines none of the states")
    };
    found.push(
        finding
            .about(name)
            .help("check with `fsmsim verify` whether the trace belongs to the model"),
    );
}

/// The number of simulated dialogues per transition, for all personas together. Unknown states are reported.
pub(super) fn traffic(
    path: &Path,
    machine: &Machine,
    graph: &MachineGraph,
    context: &mut Context,
) -> CommandResult<(GraphOverlay, OverlaySource)> {
    let text = ReportText::read(path, context)?;
    let head = text.head_of(ReportedRun::Simulate)?;
    let source = context.path_from_root(&machine.header.source);
    if !head.models.contains_key(&source) {
        let all = listed(head.models.keys().map(String::as_str), MAX_NAMED);
        let title = format!("the report is not about the model `{source}`");
        return refuse_report(
            text.file,
            title,
            format!("draw the model of the report: {all}"),
        );
    }
    let report = text.parse(HeadedReport::<ReportHead, SimulationResult>::from_json)?;
    let personas = || report.result.personas.iter();
    let dialogues: u64 = personas().map(|persona| persona.turns.dialogues()).sum();
    let passed = traffic_ways(personas(), graph);
    let name = text.file;
    let mut found = Diagnostics::default();
    if passed.states().next().is_none() {
        found.push(
            Diagnostic::error(Code::BadReport, format!("`{name}` contains no turn"))
                .about(&*name)
                .help("write the report again: `fsmsim simulate MODEL --report json=FILE`"),
        );
    }
    report_unknown_states(&passed, &name, graph, &mut found);
    context.no_errors(&found)?;
    let what = plural(dialogues, "simulated dialogue");
    Ok((GraphOverlay::traffic(passed), (name, what)))
}

/// The model coverage of the scenarios in a report.
pub(super) fn coverage(
    path: &Path,
    machine: &Machine,
    graph: &MachineGraph,
    context: &mut Context,
) -> CommandResult<(GraphOverlay, OverlaySource)> {
    let text = ReportText::read(path, context)?;
    text.head_of(ReportedRun::Test)?;
    let report = text.parse(RunReport::from_json)?;
    let name = text.file;
    let Some(coverage) = &report.coverage else {
        let help = "write the report with `fsmsim test --coverage --report json=FILE`";
        return refuse_report(name, "the report contains no coverage", help);
    };
    // The report has paths relative to the project root.
    let source = context.path_from_root(&machine.header.source);
    let Some(covered) = coverage.models.get(&source) else {
        let all = listed(coverage.models.keys().map(String::as_str), MAX_NAMED);
        let title = format!("the report does not cover the model `{source}`");
        return refuse_report(name, title, format!("use one of its models: {all}"));
    };
    let from_root = |at: &str| {
        let (file, line) = at.rsplit_once(':').unwrap_or((at, ""));
        format!("{}:{line}", context.path_from_root(file))
    };
    let what = plural(report.scenarios.len(), "scenario");
    Ok((coverage_overlay(covered, graph, &from_root), (name, what)))
}
