//! Unmet expectations as text.

use super::reported_failure::{DecidingRule, FailedAgainst, ReportedFailure};
use super::reported_scenario::ReportedScenario;
use crate::limits::{MAX_LISTED_FAILURES, MAX_VALUE_LENGTH};
use fsmsim_syntax::terminal::{printable, shortened};

/// The turn, as `turn 3`; `end` for the end of the dialogue.
pub(super) fn turn(failure: &ReportedFailure) -> String {
    match (failure.turn, failure.against) {
        (Some(turn), _) => format!("turn {turn}"),
        (None, FailedAgainst::Expectation) => "end".to_owned(),
        (None, _) => String::new(),
    }
}

/// The expected and the actual value, on one line.
pub(super) fn mismatch(failure: &ReportedFailure) -> String {
    let field = printable(&failure.field);
    let [expected, actual] = failure
        .sides()
        .map(|value| value.map_or_else(|| "nothing".to_owned(), printable));
    let known = failure
        .known
        .as_deref()
        .map(|known| format!(" (known: {})", printable(known)))
        .unwrap_or_default();
    match failure.against {
        FailedAgainst::Expectation => {
            let accepted = accepted(failure.accepted.as_deref());
            format!("{field}: expected {expected}, got {actual}{accepted}{known}")
        }
        FailedAgainst::Snapshot if failure.turn.is_none() => {
            "no snapshot and no expectations: nothing is tested".to_owned()
        }
        FailedAgainst::Snapshot => format!("{field}: accepted {expected}, now {actual}"),
        FailedAgainst::ExpectedFailure if failure.field == "expected_failure" => {
            format!("expected {expected}, but nothing failed")
        }
        FailedAgainst::ExpectedFailure => {
            format!("expected {expected}, but {field} matches")
        }
    }
}

/// The value in the accepted snapshot, if it differs from the actual value, too.
pub(in crate::report) fn accepted(value: Option<&str>) -> String {
    let shown = value.map(|value| printable(&shortened(value, MAX_VALUE_LENGTH)));
    shown.map_or_else(String::new, |value| format!(", accepted {value}"))
}

/// The turn and the mismatch, on one line.
pub(super) fn headline(failure: &ReportedFailure) -> String {
    match turn(failure) {
        turn if turn.is_empty() => mismatch(failure),
        turn => format!("{turn}: {}", mismatch(failure)),
    }
}

/// The deciding rule, and the rule that decided when the snapshot was accepted.
pub(super) fn decided(failure: &ReportedFailure) -> Option<String> {
    let DecidingRule { rule, at } = failure.by.as_ref()?;
    let at = at.as_ref().map(|at| format!(", {at}")).unwrap_or_default();
    let was = failure
        .was_by
        .as_ref()
        .filter(|was| Some(*was) != failure.by.as_ref().and_then(|by| by.at.as_ref()))
        .map(|was| format!(" (previously {was})"))
        .unwrap_or_default();
    Some(printable(&format!("{rule}{at}{was}")))
}

/// The difference of long values, as lines.
pub(super) fn diff(failure: &ReportedFailure) -> impl Iterator<Item = String> {
    failure
        .diff
        .iter()
        .map(|line| format!("  {}", printable(line)))
}

/// All unmet expectations of a scenario and its notes, as lines.
pub(super) fn details(scenario: &ReportedScenario) -> Vec<String> {
    let mut lines = Vec::new();
    for failure in scenario.failures.iter().take(MAX_LISTED_FAILURES) {
        let used: Vec<String> = failure
            .used_at
            .iter()
            .map(|place| format!(" (used at {place})"))
            .collect();
        let used = used.concat();
        lines.push(format!(
            "{}{}: {}",
            printable(&failure.at.to_string()),
            printable(&used),
            headline(failure)
        ));
        lines.extend(diff(failure));
        lines.extend(
            failure
                .nearest
                .as_deref()
                .map(|nearest| format!("  {}", printable(nearest))),
        );
        lines.extend(decided(failure).map(|rule| format!("  decided by {rule}")));
    }
    let more = scenario.failures.len().saturating_sub(MAX_LISTED_FAILURES);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.extend(scenario.notes.iter().map(|note| printable(note)));
    lines
}

/// Why a scenario did not pass, on one line.
pub(super) fn reason(scenario: &ReportedScenario) -> String {
    match (&scenario.reason, scenario.failures.first()) {
        (None, Some(failure)) => {
            let more = scenario.failures.len() - 1;
            let more = if more > 0 {
                format!(" (and {more} more)")
            } else {
                String::new()
            };
            headline(failure) + &more
        }
        (reason, _) => reason.as_deref().map(printable).unwrap_or_default(),
    }
}
