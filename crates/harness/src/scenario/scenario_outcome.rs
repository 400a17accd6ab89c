//! The outcome of all trials of a scenario.

use super::expectation_failure::ExpectationFailure;
use super::known_failure::{KnownFailure, UnexpectedPass};
use super::pass_threshold::PassThreshold;
use super::scenario_run::ScenarioRun;
use super::trial_tally::TrialTally;
use super::unread_turn::UnreadTurn;
use crate::snapshot::SnapshotRecord;

/// The outcome of one or more trials of a scenario.
#[derive(Debug, Default)]
pub struct ScenarioOutcome {
    /// The failures in the first failed trial. Empty if enough trials passed.
    pub failures: Vec<ExpectationFailure>,
    /// The expected failures in the first trial that has any.
    pub known: Vec<KnownFailure>,
    /// The expected failures that did not occur in the first failed trial. Empty if enough trials passed.
    pub unexpected_passes: Vec<UnexpectedPass>,
    /// The number of turns that ran.
    pub turns: usize,
    /// Whether the scenario contains expectations.
    pub expects: bool,
    /// The content of the snapshot, if it was requested.
    pub snapshot: Option<SnapshotRecord>,
    /// The number of trials that passed.
    pub passed: u32,
    /// The number of trials that failed.
    pub failed: u32,
    /// The number of trials that ran.
    pub trials: u32,
    /// How many trials must pass.
    pub threshold: PassThreshold,
    /// Whether the scenario can have a snapshot, which requires that it has one trial.
    pub may_have_snapshot: bool,
    /// The answers in the trials, if they are compared.
    pub(super) tally: Option<TrialTally>,
    /// Whether all trials run even if the result is already decided.
    no_early_stop: bool,
    /// The first turn without an answer.
    unread: Option<UnreadTurn>,
}

impl ScenarioOutcome {
    /// The outcome before the first trial. With `no_early_stop`, all trials run.
    pub(super) fn new(
        threshold: PassThreshold,
        expects: bool,
        no_early_stop: bool,
        compares: bool,
    ) -> Self {
        Self {
            expects,
            threshold,
            no_early_stop,
            may_have_snapshot: threshold.trials == 1,
            tally: compares.then(TrialTally::default),
            ..Self::default()
        }
    }

    /// The next trials that can run in parallel: as many as are needed to pass or, with `no_early_stop`, all.
    pub(super) fn next_trials(&self) -> std::ops::Range<u32> {
        let left = self.threshold.trials.saturating_sub(self.trials);
        let needed = if self.no_early_stop {
            left
        } else {
            self.threshold.passes.saturating_sub(self.passed).min(left)
        };
        self.trials..self.trials + needed.max(1)
    }

    /// Adds a trial.
    pub(super) fn add(&mut self, mut run: ScenarioRun) {
        if self.trials == 0 && !run.asked {
            // If no provider was called, all trials are the same.
            self.threshold = PassThreshold::ONCE;
        }
        if let Some(tally) = &mut self.tally {
            tally.add(&TrialTally {
                trials: 1,
                passed: run.passed().into(),
                failed: run.failed().into(),
                questions: std::mem::take(&mut run.heard),
            });
        }
        self.trials += 1;
        self.turns += run.turns;
        self.passed += u32::from(run.passed());
        self.failed += u32::from(run.failed());
        self.snapshot = self.snapshot.take().or(run.snapshot);
        self.unread = self.unread.take().or(run.unread);
        if !self.is_failure() {
            self.failures = run.failures;
            self.unexpected_passes = run.unexpected_passes;
        }
        if self.known.is_empty() {
            self.known = run.known;
        }
    }

    /// Whether an expectation was not met, or an expected failure did not occur.
    pub fn is_failure(&self) -> bool {
        !self.failures.is_empty() || !self.unexpected_passes.is_empty()
    }

    /// Whether the result is certain, whatever further trials result in.
    pub(super) fn is_decided(&self) -> bool {
        self.trials >= self.threshold.trials
            || (!self.no_early_stop && (self.is_good() || self.is_bad()))
    }

    /// Whether enough trials passed.
    fn is_good(&self) -> bool {
        self.passed >= self.threshold.passes
    }

    /// Whether too many trials failed.
    fn is_bad(&self) -> bool {
        self.failed > self.threshold.trials - self.threshold.passes
    }

    /// How the scenario ended: with this outcome, or because a turn got no answer.
    pub(super) fn judge(mut self) -> ScenarioEnd {
        if self.is_good() {
            self.failures.clear();
            self.unexpected_passes.clear();
        } else if !self.is_bad()
            && let Some(unread) = self.unread.take()
        {
            return ScenarioEnd::Unread(unread);
        }
        ScenarioEnd::Played(self)
    }
}

#[derive(Debug, Default)]
pub enum ScenarioEnd {
    /// The scenario ran.
    Played(ScenarioOutcome),
    /// The scenario did not run to its end, because a turn got no answer.
    Unread(UnreadTurn),
    /// The scenario was skipped.
    Skipped,
    /// The scenario was stopped before the result was certain, for this reason.
    Undecided(String),
    /// The scenario could not run.
    #[default]
    Invalid,
}
