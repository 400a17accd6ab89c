//! Reviews pending snapshots.

use std::sync::Arc;
use std::thread;

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::limits::MAX_CAUSE_EXAMPLES;
use crate::studio::operation::{Nothing, Reply, StudioOperation, bodies, later, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_settings::StudioSettings;
use crate::studio::studio_state::StudioState;
use fsmsim_harness::review::{ReviewDecision, ReviewEntry, ReviewHindrance};
use fsmsim_harness::snapshot::PendingSnapshot;
use fsmsim_reports::harness::{ReviewRequest, ReviewRun};
use fsmsim_reports::report::ReportedCause;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::Threads;

operations! {
    "review" => later(review);
    "review/decide" => later(decide);
}

bodies! {
    #[derive(Clone)]
    struct DecideBody {
        cause: String,
        accept: bool,
    }
}

#[derive(Serialize)]
struct CauseView {
    #[serde(flatten)]
    cause: ReportedCause,
    /// Some of the snapshots, with their differences.
    examples: Vec<Json>,
}

/// Runs the scenarios with pending snapshots, and groups the differences by cause.
fn review(bench: &mut StudioState, _: &Nothing, reply: Reply) {
    in_background(bench, reply, |run, settings, threads| {
        Ok(review_json(run.insert(play(settings, threads)?)))
    });
}

/// Accepts or rejects the pending snapshots of a cause.
fn decide(bench: &mut StudioState, body: &DecideBody, reply: Reply) {
    if bench.settings.is_ci {
        let help = "review the snapshots on your own computer, and commit them";
        return reply.give(Err::<(), _>(Refusal::in_ci(help)));
    }
    let body = body.clone();
    in_background(bench, reply, move |run, settings, threads| {
        decided(run, &body, settings, threads)
    });
}

/// Runs a review operation on a separate thread.
fn in_background(
    bench: &StudioState,
    reply: Reply,
    act: impl FnOnce(&mut Option<ReviewRun>, &StudioSettings, &Threads) -> Result<Json, Refusal>
    + Send
    + 'static,
) {
    let desk = Arc::clone(&bench.review);
    let threads = Arc::clone(&bench.threads);
    let settings = bench.settings.clone();
    thread::spawn(move || reply.give(act(&mut desk.lock(), &settings, &threads)));
}

fn decided(
    run: &mut Option<ReviewRun>,
    body: &DecideBody,
    settings: &StudioSettings,
    threads: &Threads,
) -> Result<Json, Refusal> {
    let run = match run {
        Some(run) => run,
        None => run.insert(play(settings, threads)?),
    };
    let Some(cause) = run.causes.iter().find(|cause| cause.id == body.cause) else {
        let error = format!("unknown cause `{}`", body.cause);
        return Err(Refusal::cannot(error, "reload the pending snapshots"));
    };
    let decision = if body.accept {
        ReviewDecision::Accept
    } else {
        ReviewDecision::Reject
    };
    let cause = cause.clone();
    let decided = run.decide_cause(decision, &cause);
    match decided.failed {
        Some(finding) => Err(finding.into()),
        None => Ok(review_json(run)),
    }
}

fn play(settings: &StudioSettings, threads: &Threads) -> Result<ReviewRun, Refusal> {
    let wanted = ReviewRequest {
        config: settings.config.clone(),
        ..ReviewRequest::default()
    };
    let mut first: Option<Refusal> = None;
    let mut note = |found: &Diagnostics, _: &_| {
        let error = found.items().iter().find(|_| found.has_errors());
        first = first.take().or_else(|| error.map(Refusal::from));
    };
    let run = ReviewRun::of(
        &wanted,
        &settings.project,
        Diagnostics::default(),
        threads,
        &mut note,
    )?;
    run.ok_or_else(|| first.unwrap_or_else(|| "cannot load the scenarios".to_owned().into()))
}

fn review_json(run: &ReviewRun) -> Json {
    let example = |entry: &ReviewEntry| {
        let snapshot = entry.snapshot.as_ref();
        let difference = snapshot.and_then(PendingSnapshot::difference);
        let difference = difference.unwrap_or_default();
        let turns = difference.turns.iter().map(|turn| {
            let lines: Vec<String> = turn.lines().collect();
            json!({"turn": turn.turn, "lines": lines})
        });
        json!({"id": entry.id, "turns": turns.collect::<Json>()})
    };
    let cause = |cause: &ReportedCause| {
        let entries = cause
            .scenarios
            .iter()
            .filter_map(|id| run.list.entry(id))
            .take(MAX_CAUSE_EXAMPLES);
        CauseView {
            cause: cause.clone(),
            examples: entries.map(example).collect(),
        }
    };
    let hindrance = |entry: &ReviewEntry| {
        let why = match entry.hindrance {
            Some(ReviewHindrance::FallsShort) => "is_failure",
            Some(ReviewHindrance::Unplayed) => "unplayed",
            _ => "outdated",
        };
        json!({"id": entry.id, "why": why})
    };
    let orphans = run.list.orphans.iter();
    json!({
        "causes": run.causes.iter().map(cause).collect::<Vec<_>>(),
        "hindered": run.list.hindered().map(hindrance).collect::<Json>(),
        "orphans": orphans.map(|path| path.display().to_string()).collect::<Json>(),
    })
}
