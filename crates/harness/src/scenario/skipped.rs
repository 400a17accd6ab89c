//! Scenarios that are skipped: what can be told of them without their model.

use super::expectation::Expectation;
use super::known_failure::{EXPECTED_FAILURE, FailureReason};
use super::long_turns::LongTurns;
use super::scenario::ScenarioText;
use super::standing_expectations::StandingExpectations;
use fsmsim_runtime::script::check_turn_keys;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::Node;

impl ScenarioText<'_> {
    /// Tells the keys of a scenario that is skipped which nobody would read, and expectations that are not well formed: it is to
    /// be played again some day.
    pub(super) fn check_skipped(&self, found: &mut Diagnostics) {
        self.held().for_each(|(turn, _)| check_turn(turn, found));
        for (rest, wrong) in self
            .long
            .into_iter()
            .flat_map(LongTurns::rest_with_findings)
        {
            found.extend(wrong);
            for (turn, _) in &rest {
                check_turn(turn, found);
            }
        }
        StandingExpectations::read(self.always, self.never, None, None, found);
        if let Some(end) = self.end {
            Expectation::read(end, "`end`", None, None, found);
        }
    }
}

fn check_turn(turn: &Node, found: &mut Diagnostics) {
    check_turn_keys(turn, found);
    if let Some(expect) = turn.get("expect").filter(|node| !node.is_null()) {
        Expectation::read(expect, "`expect`", None, None, found);
    }
    if let Some(reason) = turn
        .get(EXPECTED_FAILURE)
        .filter(|node| !node.is_null() && node.map().is_none())
    {
        FailureReason::read(reason, found);
    }
}
