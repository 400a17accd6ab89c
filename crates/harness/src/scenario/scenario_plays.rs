//! Runs the trials of a scenario.

use std::time::Duration;

use super::deadline::Deadline;
use super::expectation_failure::{ExpectationFailure, FailureCause};
use super::matcher::Mismatch;
use super::prepared_scenario::PreparedScenario;
use super::scenario_outcome::{ScenarioEnd, ScenarioOutcome};
use super::scenario_result::ScenarioResult;
use super::scenario_run::ScenarioRun;
use super::turn_collector::{RecordedTurns, TurnCollector};
use super::unread_turn::{UnreadKind, UnreadTurn};
use crate::snapshot::{SnapshotRecord, SnapshotText};
use fsmsim_adapters::llm::{
    Answerer, AnswererConfig, AnswererReply, Attempt, PlayAnswerers, Request,
};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::SourceMap;
use fsmsim_syntax::threads::{Mutex, Threads};

/// The resources for running a scenario.
pub(super) struct Stage<'s> {
    pub threads: &'s Threads,
    pub sources: &'s SourceMap,
}

/// A trial that was started.
struct StartedTrial<C> {
    runner: DialogueRunner,
    deadline: Deadline,
    snapshot: Option<SnapshotText>,
    /// The data collected from the trial, if it ran in parallel with others.
    collected: Option<C>,
}

impl PreparedScenario<'_> {
    /// Runs as many trials as necessary and stores the outcome. All trials use one cassette. Trials that call live
    /// models run in parallel. They are evaluated in order, so the outcome does not depend on which trial ends first.
    pub(super) fn play<C: TurnCollector>(
        &self,
        mut outcome: ScenarioOutcome,
        mut snapshot: Option<SnapshotText>,
        time_limit: Option<Duration>,
        (collector, fresh): (&mut C, &(dyn Fn() -> C + Sync)),
        stage: &Stage<'_>,
        result: &mut ScenarioResult,
    ) {
        // A subject replaces all providers except the judge.
        let asked = self
            .answerers
            .as_ref()
            .filter(|_| self.subject.is_none() || self.turns.is_judged);
        let mut answerers = asked.map(|answerers| answerers.plays(self.dialogue_key()));
        let overlaps = answerers.as_ref().is_some_and(PlayAnswerers::overlaps);
        let mut missed = None;
        // Only external calls can take so long that a time limit matters.
        let limit = time_limit.filter(|_| answerers.is_some() || self.subject.is_some());
        let mut deadline = Deadline::after(limit);
        let errors = result.found.error_count();
        while result.found.no_errors_since(errors)
            && !outcome.is_decided()
            && missed.is_none()
            && !deadline.is_over()
        {
            let numbers = if overlaps {
                outcome.next_trials()
            } else {
                outcome.trials..outcome.trials + 1
            };
            let is_alone = numbers.len() == 1;
            let mut begun: Vec<StartedTrial<C>> = Vec::new();
            for number in numbers {
                let answerer = answerers
                    .as_mut()
                    .map(|answerers| answerers.of_play(number));
                begun.push(StartedTrial {
                    runner: self.runner_of_play(answerer),
                    deadline: deadline.clone(),
                    snapshot: snapshot.take(),
                    collected: None,
                });
            }
            let played = if is_alone {
                begun
                    .into_iter()
                    .map(|play| self.play_one(play, collector, stage))
                    .collect()
            } else {
                let begun: Vec<_> = begun
                    .into_iter()
                    .map(|play| Mutex::new(Some(play)))
                    .collect();
                let played = stage.threads.map(&begun, |play| {
                    let play = play.lock().take();
                    let mut own = fresh();
                    let played = play.map(|play| self.play_one(play, &mut own, stage));
                    played.map(|(play, run)| {
                        (
                            StartedTrial {
                                collected: Some(own),
                                ..play
                            },
                            run,
                        )
                    })
                });
                played.into_iter().flatten().collect::<Vec<_>>()
            };
            for (play, mut run) in played {
                let StartedTrial {
                    runner,
                    deadline: own,
                    collected,
                    ..
                } = play;
                let is_wanted = !outcome.is_decided() && missed.is_none() && !deadline.is_over();
                if is_wanted {
                    deadline = own;
                    if run.asked && (self.subject.is_none() || self.turns.is_judged) {
                        result.cassette =
                            self.cassette.as_ref().map(|cassette| cassette.path.clone());
                    }
                    // Other trials cannot make up for a missing recording.
                    let is_lost = |unread: &UnreadTurn| {
                        unread.is_lost && (unread.what == UnreadKind::Read || !run.failed())
                    };
                    missed = run.unread.clone().filter(is_lost);
                    if let Some(fault) = run.fault.take() {
                        result.found.push(fault);
                    }
                    if !deadline.is_over() {
                        if let Some(collected) = collected {
                            collector.join(collected);
                        }
                        outcome.add(run);
                    }
                }
                if let Some(answerers) = &mut answerers {
                    answerers.give_back(runner.into_answerer(), &mut result.found);
                }
            }
        }
        let counted = outcome.trials;
        // A single trial without provider calls has nothing to compare.
        result.trials = outcome
            .tally
            .take()
            .filter(|trials| trials.trials > 1 || !trials.questions.is_empty());
        if let Some(mut answerers) = answerers {
            if deadline.is_over() {
                answerers.break_off();
            }
            answerers.finish(counted, &mut result.found);
        }
        if result.found.no_errors_since(errors) {
            result.end = match (missed, limit) {
                (Some(missed), _) => ScenarioEnd::Unread(missed),
                (None, Some(limit)) if deadline.is_over() && !outcome.is_decided() => {
                    ScenarioEnd::Undecided(format!(
                        "the scenario took longer than {} s",
                        limit.as_secs_f64()
                    ))
                }
                (None, _) => outcome.judge(),
            };
        }
    }

    /// The dialogue of a trial before the first turn.
    fn runner_of_play(&self, answerer: Option<Box<dyn Answerer>>) -> DialogueRunner {
        let runner = self.asking(answerer);
        if self.watches {
            runner.watched()
        } else {
            runner
        }
    }

    /// Runs one trial.
    fn play_one<C: TurnCollector>(
        &self,
        mut play: StartedTrial<C>,
        collector: &mut C,
        stage: &Stage<'_>,
    ) -> (StartedTrial<C>, ScenarioRun) {
        let snapshot = play.snapshot.take();
        let deadline = &mut play.deadline;
        let sources = stage.sources;
        let run = match &self.subject {
            Some(subject) => ScenarioRun::with_subject(
                self,
                subject,
                &mut play.runner,
                snapshot,
                deadline,
                collector,
                sources,
            ),
            None => ScenarioRun::of(
                self,
                &mut play.runner,
                snapshot,
                deadline,
                collector,
                sources,
            ),
        };
        (play, run)
    }

    /// Runs the scenario once for a collector, with the configured providers. Returns whether it ran to its end.
    pub fn watch(&self, collector: &mut impl TurnCollector) -> bool {
        // The answers of a subject are known only by calling it, and no external system is called here.
        if self.subject.is_some() {
            return false;
        }
        let runner = self.runner().watched();
        let run = self.play_through(runner, None, collector, &SourceMap::default());
        run.unread.is_none()
    }

    /// Runs the scenario once, with the configured providers. Returns whether it passed, and the requested snapshot.
    pub(crate) fn trial(
        &self,
        snapshot: Option<SnapshotText>,
        collector: &mut impl TurnCollector,
        sources: &SourceMap,
    ) -> (bool, Option<SnapshotRecord>) {
        let runner = self.runner_of_play(self.answerer());
        let run = self.play_through(runner, snapshot, collector, sources);
        (run.passed(), run.snapshot)
    }

    /// Runs the scenario again without providers.
    pub(super) fn replay(&self, collector: &mut impl TurnCollector, sources: &SourceMap) {
        self.play_through(self.runner_of_play(None), None, collector, sources);
    }

    /// Runs the scenario once, without a time limit.
    fn play_through(
        &self,
        mut runner: DialogueRunner,
        snapshot: Option<SnapshotText>,
        collector: &mut impl TurnCollector,
        sources: &SourceMap,
    ) -> ScenarioRun {
        let deadline = &mut Deadline::after(None);
        ScenarioRun::of(self, &mut runner, snapshot, deadline, collector, sources)
    }

    /// Runs the scenario twice, and reports different records as a failure.
    pub(super) fn check_determinism(&self, sources: &SourceMap, result: &mut ScenarioResult) {
        let ScenarioEnd::Played(outcome) = &mut result.end else {
            return;
        };
        let play = || {
            let mut records = RecordedTurns::default();
            self.play_through(self.runner(), None, &mut records, sources);
            records.lines
        };
        let one = play();
        let other = play();
        let one = one.iter().map(Some).chain([None]);
        let other = other.iter().map(Some).chain([None]);
        let Some((turn, (one, other))) = (1..)
            .zip(one.zip(other))
            .find(|(_, (one, other))| one != other)
        else {
            return;
        };
        let text_of = |line: Option<&String>| line.map_or("nothing", String::as_str).to_owned();
        outcome.failures.push(ExpectationFailure {
            accepted: None,
            turn: Some(turn),
            place: result.place.clone(),
            used_at: Vec::new(),
            standing: None,
            mismatch: Mismatch::new("record", text_of(one), text_of(other)),
            replacement: None,
            why: "two trials of the same turns differ".to_owned(),
            cause: FailureCause::Flow,
        });
    }
}

/// Receives requests but never answers.
struct SilentAnswerer;

impl Answerer for SilentAnswerer {
    fn answer(&mut self, _: &Request<'_>, _: &mut Vec<Attempt>) -> Option<AnswererReply> {
        None
    }
}

impl PreparedScenario<'_> {
    /// Whether the answers come from outside and can differ in the next run.
    pub(super) fn is_live(&self) -> bool {
        let calls = |answerers: &AnswererConfig| answerers.open_requests().is_some();
        self.subject.is_some() || self.answerers.as_ref().is_some_and(calls)
    }

    /// Whether the scenario calls a provider. To find out, runs it without answers until the first call.
    pub(super) fn calls_provider(&self, sources: &SourceMap) -> bool {
        if self.subject.is_some() || self.turns.is_judged {
            return true;
        }
        if self.answerers.is_none() {
            return false;
        }
        let runner = self.runner_of_play(Some(Box::new(SilentAnswerer)));
        self.play_through(runner, None, &mut (), sources).asked
    }
}
