//! What the plays of a scenario came to together.

use super::pass_threshold::PassThreshold;
use super::scenario_run::{ExpectationFailure, ScenarioRun};
use crate::scenario::CoverageSet;

/// What a scenario did, in one play or in several.
#[derive(Debug)]
pub struct ScenarioOutcome {
    /// What was not as expected in the first play that fell short; nothing where enough plays passed.
    pub failures: Vec<ExpectationFailure>,
    /// Turns that were played.
    pub turns: usize,
    /// Whether anything was expected.
    pub expects: bool,
    /// The text of its snapshot, where it was asked for.
    pub snapshot: Option<String>,
    /// What of the machine the plays came to.
    pub seen: CoverageSet,
    /// Plays that passed.
    pub passed: u32,
    /// Plays in which something was not as expected.
    pub fell: u32,
    /// Plays that were begun.
    pub plays: u32,
    /// How many plays must pass, of how many.
    pub requirement: PassThreshold,
    /// Where nobody read what was said in some play: the turn, and why.
    unavailable: Option<(u32, String)>,
}

impl ScenarioOutcome {
    /// Nothing was played yet.
    pub(super) fn new(requirement: PassThreshold, expects: bool) -> Self {
        Self {
            failures: Vec::new(),
            turns: 0,
            expects,
            snapshot: None,
            seen: CoverageSet::default(),
            passed: 0,
            fell: 0,
            plays: 0,
            requirement,
            unavailable: None,
        }
    }

    /// Counts a play.
    pub(super) fn add(&mut self, play: ScenarioRun) {
        if self.plays == 0 && !play.asked {
            // Nobody is asked, so every play is like this one.
            self.requirement = PassThreshold::ONCE;
        }
        self.plays += 1;
        self.turns += play.turns;
        self.seen.add(&play.seen);
        self.passed += u32::from(play.passed());
        self.fell += u32::from(!play.failures.is_empty());
        self.snapshot = self.snapshot.take().or(play.snapshot);
        self.unavailable = self.unavailable.take().or(play.unavailable);
        if self.failures.is_empty() {
            self.failures = play.failures;
        }
    }

    /// Whether further plays can change nothing.
    pub(super) fn is_decided(&self) -> bool {
        self.is_good() || self.is_bad() || self.plays >= self.requirement.plays()
    }

    /// Whether enough plays passed.
    fn is_good(&self) -> bool {
        self.passed >= self.requirement.passes()
    }

    /// Whether so many plays fell short that too few are left.
    fn is_bad(&self) -> bool {
        self.fell > self.requirement.plays() - self.requirement.passes()
    }

    /// The result, or, where the outside kept it from being known, the turn in which nobody could read what was said, and
    /// why.
    pub(super) fn judge(mut self) -> Result<Self, (u32, String)> {
        if self.is_good() {
            self.failures.clear();
        } else if !self.is_bad()
            && let Some(unavailable) = self.unavailable.take()
        {
            return Err(unavailable);
        }
        Ok(self)
    }
}
