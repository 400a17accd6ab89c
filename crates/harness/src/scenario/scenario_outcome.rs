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
    /// The failures of the first trial that failed. Empty if enough trials passed.
    pub failures: Vec<ExpectationFailure>,
    /// The expected failures of the first trial that has any.
    pub known: Vec<KnownFailure>,
    /// The expected failures that did not occur in the first trial that failed. Empty if enough trials passed.
    pub unexpected_passes: Vec<UnexpectedPass>,
    /// The number of turns that ran.
    pub turns: usize,
    /// Whether the scenario has expectations.
    pub expects: bool,
    /// The content of its snapshot, if it was requested.
    pub snapshot: Option<SnapshotRecord>,
    /// Trials that passed.
    pub passed: u32,
    /// Trials that failed.
    pub failed: u32,
    /// Trials that ran.
    pub trials: u32,
    /// How many trials must pass.
    pub threshold: PassThreshold,
    /// Whether it can have a snapshot, because it has one trial.
    pub may_have_snapshot: bool,
    /// The answers of its trials, if they are compared.
    pub(super) tally: Option<TrialTally>,
    /// Whether all trials run even if the result is already decided.
    no_early_stop: bool,
    /// The first turn without an answer.
    unread: Option<UnreadTurn>,
}

impl ScenarioOutcome {
    /// The outcome before the first trial. If `no_early_stop`, all trials run.
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

    /// The trials that can run in parallel: those that it needs to pass, or all.
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
            // Without provider calls, all trials are the same.
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
            (self.failures, self.unexpected_passes) = (run.failures, run.unexpected_passes);
        }
        if self.known.is_empty() {
            self.known = run.known;
        }
    }

    /// Whether an expectation was not met, or an expected failure did not occur.
    pub fn is_failure(&self) -> bool {
        !self.failures.is_empty() || !self.unexpected_passes.is_empty()
    }

    /// Whether further trials cannot change the result.
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

    /// How the scenario ended: with this outcome, or with a turn without an answer.
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
    /// It ran.
    Played(ScenarioOutcome),
    /// It did not run to its end, because a turn got no answer.
    Unread(UnreadTurn),
    /// It was skipped.
    Skipped,
    /// It was stopped before the result was decided, for this reason.
    Undecided(String),
    /// It could not run.
    #[default]
    Invalid,
}
