//! Runs the scenarios of the project, and returns the results.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use serde_json::{Value as Json, json};

use crate::studio::operation::{Nothing, StudioOperation, bodies, immediately, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_event::StudioEvent;
use crate::studio::studio_state::StudioState;
use fsmsim_harness::coverage::{
    CoverageKind, CoverageVerdict, CoveredLine, LineCoverage, LineTint,
};
use fsmsim_harness::scenario::SuiteCounts;
use fsmsim_harness::selection::{FilterExpression, ScenarioFilter};
use fsmsim_reports::harness::{SuiteProgress, SuiteRun, SuiteRunResult};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::terminal::Joined;
use fsmsim_syntax::threads::Threads;

operations! {
    "suite/run" => immediately(run);
    "suite" => immediately(suite);
    "coverage" => immediately(coverage);
}

bodies! {
    struct RunBody {
        #[serde(default)]
        filter: String,
        #[serde(default)]
        coverage: bool,
    }
}

/// Starts a run in the background.
fn run(bench: &mut StudioState, body: &RunBody) -> Result<Json, Refusal> {
    let filter = filter(&body.filter, bench)?;
    let desk = Arc::clone(&bench.suite);
    let mut state = desk.lock();
    if std::mem::replace(&mut state.is_running, true) {
        return Err(Refusal::cannot(
            "the suite is already running",
            "wait until the run ends",
        ));
    }
    state.refused = None;
    drop(state);
    let settings = &bench.settings;
    let project = settings.project.clone();
    let config = settings.config.clone();
    let checks = settings.is_ci;
    let paths = Vec::new();
    let stopped = Arc::default();
    let run = SuiteRun {
        project,
        config,
        paths,
        filter,
        covers: body.coverage,
        checks,
        stopped,
    };
    let desk = Arc::clone(&bench.suite);
    let events = Arc::clone(&bench.events);
    let threads = Arc::clone(&bench.threads);
    thread::spawn(move || {
        let running = AssertUnwindSafe(|| {
            run_all(run, &threads, &mut |progress| {
                let SuiteProgress { done, of, counts } = *progress;
                events.send(&StudioEvent::Suite {
                    done,
                    of,
                    counts: counts_json(&counts),
                });
            })
        });
        // After a panic, another run can start.
        let done = catch_unwind(running).unwrap_or_else(|_| {
            Err(Refusal::cannot(
                "the run has crashed",
                "run `fsmsim test` for details",
            ))
        });
        let mut state = desk.lock();
        state.is_running = false;
        match done {
            Ok(result) => (state.last, state.refused) = (Some(Arc::new(result)), None),
            Err(refused) => (state.last, state.refused) = (None, Some(refused)),
        }
        drop(state);
        events.send(&StudioEvent::SuiteDone);
    });
    Ok(json!({"running": true}))
}

fn run_all(
    run: SuiteRun,
    threads: &Threads,
    progress: &mut dyn FnMut(&SuiteProgress),
) -> Result<SuiteRunResult, Refusal> {
    run.run(threads, progress).map_err(|findings| {
        let titles = findings.iter().map(|finding| &finding.title);
        let help = findings.iter().find_map(|finding| finding.help.clone());
        Refusal::cannot(titles.joined("; "), help.unwrap_or_default())
    })
}

/// The filter: part of a scenario title, or an expression as for `-E`.
fn filter(text: &str, bench: &StudioState) -> Result<ScenarioFilter, Refusal> {
    let text = text.trim();
    let expression = if text.is_empty() || text.contains('(') {
        text.to_owned()
    } else {
        format!("title(~{text})")
    };
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let wanted: Vec<_> = Some(&expression)
        .filter(|expression| !expression.is_empty())
        .into_iter()
        .filter_map(|text| FilterExpression::parse(text, &mut sources, &mut found))
        .collect();
    match found.items().iter().find(|_| found.has_errors()) {
        Some(finding) => Err(Refusal::from(finding)),
        None if wanted
            .iter()
            .flat_map(FilterExpression::revisions)
            .next()
            .is_some() =>
        {
            let help = "run `fsmsim test --changed REV` instead";
            Err(Refusal::cannot(
                "the studio cannot filter by revision",
                help,
            ))
        }
        None => Ok(ScenarioFilter::new(&bench.settings.project, wanted)),
    }
}

/// The number of scenarios by verdict, without zeros.
fn counts_json(counts: &SuiteCounts) -> Json {
    let named = [
        ("passed", counts.passed),
        ("failed", counts.failed),
        ("expected_failure", counts.expected_failures),
        ("unexpected_pass", counts.unexpected_passes),
        ("skipped", counts.skipped),
        ("invalid", counts.invalid),
        ("unavailable", counts.unavailable),
        ("inconclusive", counts.inconclusive),
    ];
    named
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| (name.to_owned(), Json::from(count)))
        .collect()
}

/// The results of the last run.
fn suite(bench: &mut StudioState, _: &Nothing) -> Result<Json, Refusal> {
    let state = bench.suite.lock();
    if let Some(refused) = &state.refused {
        return Err(refused.clone());
    }
    let mut report = state
        .last
        .as_ref()
        .and_then(|last| serde_json::to_value(&last.report).ok());
    if let Some(Json::Object(report)) = &mut report {
        report.entry("causes").or_insert_with(|| json!([]));
    }
    Ok(json!({"running": state.is_running, "report": report}))
}

/// The coverage of the model in the last run that measured it.
fn coverage(bench: &mut StudioState, _: &Nothing) -> Result<Json, Refusal> {
    let last = bench.suite.lock().last.clone();
    let counted = last
        .as_ref()
        .and_then(|last| Some((last, last.report.coverage.as_ref()?)));
    let (last, counted) =
        counted.ok_or_else(|| Refusal::cannot("no coverage was measured yet", "run the suite"))?;
    let name = bench.model_name();
    let model = counted.models.get(&name).ok_or_else(|| {
        Refusal::cannot(
            format!("the last run has no coverage of `{name}`"),
            "run the scenarios of this model",
        )
    })?;
    let missed = model
        .of(CoverageKind::States)
        .filter(|(_, count)| count.verdict() == CoverageVerdict::Missed);
    let lines = LineCoverage::of_model(model);
    let file = |(path, covered): (&&str, &BTreeMap<u32, _>)| {
        let text = last.sources.get(*path).map_or("", |text| &**text);
        json!({"path": path, "lines": file_lines(text, covered)})
    };
    // The coverage by kind, and the states that no scenario reached.
    let shares = model
        .shares()
        .map(|(name, share)| (name, share.covered, share.all));
    let missed = missed.map(|(key, _)| &key.name);
    Ok(json!({
        "model": name,
        "shares": shares.collect::<Vec<_>>(),
        "missed": missed.collect::<Vec<_>>(),
        "files": lines.files.iter().map(file).collect::<Json>(),
    }))
}

/// The lines of a file, each with its number of hits; null if the line has no covered item.
fn file_lines(text: &str, covered: &BTreeMap<u32, CoveredLine<'_>>) -> Vec<Json> {
    let line = |(text, line): (&str, u32)| {
        let counted = covered
            .get(&line)
            .filter(|counted| counted.tint() != LineTint::Unreachable);
        json!({"line": line, "text": text, "hits": counted.map(CoveredLine::hits)})
    };
    text.lines().zip(1..).map(line).collect()
}
