//! What the plays of a scenario came to together.

use super::expectation_failure::ExpectationFailure;
use super::known_failure::{KnownFailure, StaleReason};
use super::pass_threshold::PassThreshold;
use super::play_tally::PlayTally;
use super::scenario_run::ScenarioRun;
use super::unread_turn::UnreadTurn;
use crate::snapshot::SnapshotRecord;

/// What a scenario did, in one play or in several.
#[derive(Debug, Default)]
pub struct ScenarioOutcome {
    /// What was not as expected in the first play that fell short; nothing where enough plays passed.
    pub failures: Vec<ExpectationFailure>,
    /// What was not as expected in the first play that fell short of something, and is known.
    pub known: Vec<KnownFailure>,
    /// What was expected to fail, and did not in the first play that fell short; nothing where enough plays passed.
    pub stale: Vec<StaleReason>,
    /// Turns that were played.
    pub turns: usize,
    /// Whether anything was expected.
    pub expects: bool,
    /// What its snapshot shows, where it was asked for.
    pub snapshot: Option<SnapshotRecord>,
    /// Plays that passed.
    pub passed: u32,
    /// Plays that fell short of what is said of them.
    pub failed: u32,
    /// Plays that were begun.
    pub plays: u32,
    /// How many plays must pass, of how many.
    pub threshold: PassThreshold,
    /// It is played once, so that it may have a snapshot.
    pub may_have_snapshot: bool,
    /// What was said in its plays, where that is compared.
    pub(super) tally: Option<PlayTally>,
    /// All plays are played, also where the result is certain before.
    plays_all: bool,
    /// The first turn that nobody could read.
    unread: Option<UnreadTurn>,
}

impl ScenarioOutcome {
    /// Nothing was played yet. Where `plays_all`, everything is played that there is.
    pub(super) fn new(
        threshold: PassThreshold,
        expects: bool,
        plays_all: bool,
        compares: bool,
    ) -> Self {
        Self {
            expects,
            threshold,
            plays_all,
            may_have_snapshot: threshold.plays == 1,
            tally: compares.then(PlayTally::default),
            ..Self::default()
        }
    }

    /// Plays that can go on at the same time: those without which it cannot pass, or all.
    pub(super) fn next_plays(&self) -> std::ops::Range<u32> {
        let left = self.threshold.plays.saturating_sub(self.plays);
        let needed = if self.plays_all {
            left
        } else {
            self.threshold.passes.saturating_sub(self.passed).min(left)
        };
        self.plays..self.plays + needed.max(1)
    }

    /// Counts a play.
    pub(super) fn add(&mut self, mut run: ScenarioRun) {
        if self.plays == 0 && !run.asked {
            // Nobody is asked, so every play is like this one.
            self.threshold = PassThreshold::ONCE;
        }
        if let Some(tally) = &mut self.tally {
            tally.add(&PlayTally {
                plays: 1,
                passed: run.passed().into(),
                failed: run.failed().into(),
                questions: std::mem::take(&mut run.heard),
            });
        }
        self.plays += 1;
        self.turns += run.turns;
        self.passed += u32::from(run.passed());
        self.failed += u32::from(run.failed());
        self.snapshot = self.snapshot.take().or(run.snapshot);
        self.unread = self.unread.take().or(run.unread);
        if !self.falls_short() {
            (self.failures, self.stale) = (run.failures, run.stale);
        }
        if self.known.is_empty() {
            self.known = run.known;
        }
    }

    /// Whether something was not as is said of it.
    pub fn falls_short(&self) -> bool {
        !self.failures.is_empty() || !self.stale.is_empty()
    }

    /// Whether further plays can change nothing.
    pub(super) fn is_decided(&self) -> bool {
        self.plays >= self.threshold.plays || (!self.plays_all && (self.is_good() || self.is_bad()))
    }

    /// Whether enough plays passed.
    fn is_good(&self) -> bool {
        self.passed >= self.threshold.passes
    }

    /// Whether so many plays fell short that too few are left.
    fn is_bad(&self) -> bool {
        self.failed > self.threshold.plays - self.threshold.passes
    }

    /// What it comes to: itself, or the turn that kept it from being known.
    pub(super) fn judge(mut self) -> ScenarioEnd {
        if self.is_good() {
            self.failures.clear();
            self.stale.clear();
        } else if !self.is_bad()
            && let Some(unread) = self.unread.take()
        {
            return ScenarioEnd::Unread(unread);
        }
        ScenarioEnd::Played(self)
    }
}

#[derive(Debug)]
pub enum ScenarioEnd {
    /// It was played.
    Played(ScenarioOutcome),
    /// It was not played to its end, since nobody read what was said.
    Unread(UnreadTurn),
    /// It is not to be played.
    Skipped,
    /// It was stopped before anything could be said of it, for this reason.
    Undecided(String),
    /// It could not be played.
    Unusable,
}
